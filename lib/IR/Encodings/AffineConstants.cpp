//===- AffineConstants.cpp - The affine encoding at compile time ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/IR/ConstantData.h"
#include "compress/Numerics/AffineTensor.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

/// Reports an llvm::Error, if there is one.
static LogicalResult report(llvm::Error error,
                            function_ref<InFlightDiagnostic()> emitError) {
  if (!error)
    return success();
  emitError() << llvm::toString(std::move(error));
  return failure();
}

static num::FloatBuffer::Kind getKind(Type type) {
  if (type.isF16())
    return num::FloatBuffer::F16;
  if (type.isBF16())
    return num::FloatBuffer::BF16;
  return type.isF64() ? num::FloatBuffer::F64 : num::FloatBuffer::F32;
}

static FailureOr<num::BlockLayout>
getLayout(AffineAttr encoding, ArrayRef<int64_t> shape,
          function_ref<InFlightDiagnostic()> emitError) {
  llvm::Expected<num::BlockLayout> layout =
      num::BlockLayout::get(shape, encoding.getBlock());
  if (layout)
    return *layout;
  return report(layout.takeError(), emitError);
}

namespace {
/// The grid of a two-level encoding, grouped into super blocks.
struct SuperGrid {
  SuperGrid(AffineAttr encoding, const num::BlockLayout &layout)
      : gridShape(layout.getGridShape()) {
    for (int64_t d : encoding.getGridDims(layout.shape.size())) {
      int64_t super = encoding.getSuperBlock()[d];
      ratios.push_back(super == AffineAttr::kWholeDim
                           ? AffineAttr::kWholeDim
                           : super / encoding.getBlockSize(d));
    }
  }

  /// The super group of each block, in row-major grid order.
  SmallVector<int64_t, 0> getGroups(int64_t numBlocks) const {
    SmallVector<int64_t, 0> groups(numBlocks, 0);
    SmallVector<int64_t> position(gridShape.size(), 0);
    for (int64_t &group : groups) {
      for (auto [d, ratio] : llvm::enumerate(ratios))
        if (ratio != AffineAttr::kWholeDim)
          group = group * ((gridShape[d] + ratio - 1) / ratio) +
                  position[d] / ratio;
      for (int64_t d = gridShape.size() - 1; d >= 0; --d) {
        if (++position[d] < gridShape[d])
          break;
        position[d] = 0;
      }
    }
    return groups;
  }

  SmallVector<int64_t> getShape() const {
    SmallVector<int64_t> shape;
    for (auto [size, ratio] : llvm::zip_equal(gridShape, ratios))
      if (ratio != AffineAttr::kWholeDim)
        shape.push_back((size + ratio - 1) / ratio);
    return shape;
  }

  SmallVector<int64_t> gridShape, ratios;
};
} // namespace

/// Stores f32 scales, already rounded to `type`, in that type.
static ElementsAttr makeScales(ArrayRef<float> scales, ArrayRef<int64_t> shape,
                               Type type, const EncodeOptions &options,
                               StringRef name) {
  std::vector<char> data(scales.size() * type.getIntOrFloatBitWidth() / 8);
  if (type.isF32()) {
    std::copy_n(reinterpret_cast<const char *>(scales.data()), data.size(),
                data.data());
  } else {
    for (auto [i, scale] : llvm::enumerate(scales)) {
      APFloat value(scale);
      bool losesInfo;
      value.convert(cast<FloatType>(type).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
      uint16_t bits =
          static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
      std::memcpy(data.data() + 2 * i, &bits, 2);
    }
  }
  return makeConstant(RankedTensorType::get(shape, type), std::move(data),
                      options, name);
}

/// Chooses scales (as they count, in f32), zero points, and the constants of
/// the scale components.
static LogicalResult chooseConstantParams(
    AffineAttr encoding, num::FloatBuffer values,
    const num::BlockLayout &layout, const EncodeOptions &options,
    SmallVectorImpl<float> &scales, SmallVectorImpl<int32_t> &zeroPoints,
    SmallVectorImpl<Attribute> &components,
    function_ref<InFlightDiagnostic()> emitError) {
  int64_t groups = layout.getNumGroups();
  num::IntegerFormat format = encoding.getFormat();
  bool symmetric = !encoding.getAsymmetric();
  SmallVector<float, 0> lows(groups, 0.0f), highs(groups, 0.0f);
  scales.assign(groups, 1.0f);
  zeroPoints.assign(symmetric ? 0 : groups, 0);
  num::ScaleType scaleType = encoding.isTwoLevel()
                                 ? num::ScaleType::F32
                                 : encoding.getNumericScaleType();
  if (failed(report(
          num::updateGroupRanges(values, layout, lows, highs, options.threads),
          emitError)) ||
      failed(report(num::chooseGroupParams(lows, highs, format, symmetric,
                                           scaleType, scales, zeroPoints),
                    emitError)))
    return failure();
  SmallVector<int64_t> gridShape = layout.getGridShape();
  if (!encoding.isTwoLevel()) {
    components.push_back(makeScales(scales, gridShape, encoding.getScaleType(),
                                    options, "scales"));
    return success();
  }

  SuperGrid super(encoding, layout);
  SmallVector<int64_t> superShape = super.getShape();
  SmallVector<int64_t, 0> groupOf = super.getGroups(groups);
  unsigned codeBits = encoding.getScaleType().getIntOrFloatBitWidth();
  float maxCode = static_cast<float>((1 << codeBits) - 1);
  int64_t numSuper = ShapedType::getNumElements(superShape);
  SmallVector<float, 0> superScales(numSuper, 0.0f);
  for (auto [scale, group] : llvm::zip_equal(scales, groupOf))
    superScales[group] = std::max(superScales[group], scale);
  for (float &scale : superScales)
    scale = num::roundScale(scale / maxCode, encoding.getNumericScaleType());
  std::vector<char> codes(groups);
  for (int64_t i = 0; i < groups; ++i) {
    float code = std::nearbyint(scales[i] / superScales[groupOf[i]]);
    code = std::min(std::max(code, 1.0f), maxCode);
    codes[i] = static_cast<char>(static_cast<uint8_t>(code));
    scales[i] = code * superScales[groupOf[i]];
  }
  auto codeType = RankedTensorType::get(
      gridShape, IntegerType::get(encoding.getContext(), codeBits));
  components.push_back(
      makePackedConstant(codeType, std::move(codes), options, "scales"));
  components.push_back(makeScales(superScales, superShape,
                                  encoding.getSuperScaleType(), options,
                                  "super_scales"));
  if (symmetric)
    return success();
  return report(num::chooseZeroPoints(lows, scales, format, zeroPoints),
                emitError);
}

/// Quantizes into raw bytes: one byte a code, or two above 8 bits.
static LogicalResult
quantizeToBytes(num::FloatBuffer values, const num::BlockLayout &layout,
                num::IntegerFormat format, ArrayRef<float> scales,
                ArrayRef<int32_t> zeroPoints, unsigned threads,
                std::vector<char> &data,
                function_ref<InFlightDiagnostic()> emitError) {
  int64_t count = layout.getNumPaddedElements();
  if (format.bits > 8) {
    data.resize(2 * count);
    return report(
        num::quantizeTensor(
            values, layout, format, scales, zeroPoints,
            MutableArrayRef(reinterpret_cast<int16_t *>(data.data()), count),
            threads),
        emitError);
  }
  data.resize(count);
  return report(
      num::quantizeTensor(
          values, layout, format, scales, zeroPoints,
          MutableArrayRef(reinterpret_cast<int8_t *>(data.data()), count),
          threads),
      emitError);
}

FailureOr<SmallVector<Attribute>>
AffineAttr::encodeConstant(RankedTensorType type, ElementsAttr value,
                           const EncodeOptions &options,
                           function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<EncodingComponent> expected;
  if (failed(getComponents(type, expected))) {
    emitError() << "cannot encode a constant as the illegal type " << type;
    return failure();
  }
  if (options.calibrator && !isa<MinMaxAttr>(options.calibrator)) {
    emitError() << "constants are encoded with #compress.min_max only, but the "
                   "range is "
                << options.calibrator;
    return failure();
  }
  FailureOr<RawConstant> raw = getRawConstant(value, emitError);
  FailureOr<num::BlockLayout> layout =
      getLayout(*this, value.getShapedType().getShape(), emitError);
  if (failed(raw) || failed(layout))
    return failure();
  num::FloatBuffer values(getKind(type.getElementType()), raw->bytes.data(),
                          raw->splat ? 1 : layout->getNumElements(),
                          raw->splat);
  SmallVector<float, 0> scales;
  SmallVector<int32_t, 0> zeroPoints;
  SmallVector<Attribute> components = {Attribute()};
  if (failed(chooseConstantParams(*this, values, *layout, options, scales,
                                  zeroPoints, components, emitError)))
    return failure();

  std::vector<char> codes;
  if (failed(quantizeToBytes(values, *layout, getFormat(), scales, zeroPoints,
                             options.threads, codes, emitError)))
    return failure();
  auto integerType = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(
        shape, IntegerType::get(getContext(), getStorage().getWidth()));
  };
  components[kValues] =
      makePackedConstant(integerType(layout->getPaddedShape()),
                         std::move(codes), options, "values");
  if (getAsymmetric()) {
    unsigned width = getStorage().getWidth() > 8 ? 2 : 1;
    std::vector<char> points(zeroPoints.size() * width);
    for (auto [i, point] : llvm::enumerate(zeroPoints))
      std::memcpy(points.data() + i * width, &point, width);
    components.push_back(makePackedConstant(integerType(layout->getGridShape()),
                                            std::move(points), options,
                                            "zero_points"));
  }
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (hasSizeComponent(type, d))
      components.push_back(IntegerAttr::get(
          IndexType::get(getContext()), value.getShapedType().getDimSize(d)));
  return components;
}

//===----------------------------------------------------------------------===//
// Reading constants back
//===----------------------------------------------------------------------===//

/// The scales of a component of float type, as f32.
static FailureOr<SmallVector<float, 0>>
readScales(Attribute component, function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<RawConstant> raw = getRawConstant(component, emitError);
  if (failed(raw))
    return failure();
  auto type = cast<ShapedType>(cast<TypedAttr>(component).getType());
  SmallVector<float, 0> scales;
  auto floatType = cast<FloatType>(type.getElementType());
  unsigned bytes = floatType.getWidth() / 8;
  for (int64_t i = 0, e = raw->bytes.size() / bytes; i < e; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, raw->bytes.data() + i * bytes, bytes);
    APFloat value(floatType.getFloatSemantics(),
                  APInt(floatType.getWidth(), bits));
    bool losesInfo;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    scales.push_back(value.convertToFloat());
  }
  if (raw->splat)
    scales.resize(type.getNumElements(), scales.front());
  return scales;
}

/// The scales of all groups as they count, in f32.
static FailureOr<SmallVector<float, 0>>
readEffectiveScales(AffineAttr encoding, const num::BlockLayout &layout,
                    ArrayRef<Attribute> components,
                    function_ref<InFlightDiagnostic()> emitError) {
  if (!encoding.isTwoLevel())
    return readScales(components[AffineAttr::kScales], emitError);
  auto codeType = RankedTensorType::get(
      layout.getGridShape(),
      IntegerType::get(encoding.getContext(),
                       encoding.getScaleType().getIntOrFloatBitWidth()));
  FailureOr<SmallVector<char, 0>> codes = getUnpackedIntegers(
      components[AffineAttr::kScales], codeType, /*isSigned=*/false, emitError);
  FailureOr<SmallVector<float, 0>> superScales =
      readScales(components[encoding.getSuperScalesIndex()], emitError);
  if (failed(codes) || failed(superScales))
    return failure();
  SmallVector<float, 0> scales;
  SmallVector<int64_t, 0> groups =
      SuperGrid(encoding, layout).getGroups(codes->size());
  for (auto [code, group] : llvm::zip_equal(*codes, groups))
    scales.push_back(static_cast<float>(static_cast<uint8_t>(code)) *
                     (*superScales)[group]);
  return scales;
}

/// Sizes of the constant: those of the type, dynamic ones from components.
static SmallVector<int64_t> getConstantShape(AffineAttr encoding,
                                             RankedTensorType type,
                                             ArrayRef<Attribute> components) {
  SmallVector<int64_t> shape(type.getShape());
  unsigned next = 2 + encoding.isTwoLevel() + encoding.getAsymmetric();
  auto values = cast<ShapedType>(cast<TypedAttr>(components[0]).getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    shape[d] = encoding.hasSizeComponent(type, d)
                   ? cast<IntegerAttr>(components[next++]).getInt()
                   : values.getDimSize(d);
  }
  return shape;
}

FailureOr<ElementsAttr>
AffineAttr::decodeConstant(RankedTensorType type,
                           ArrayRef<Attribute> components,
                           function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<int64_t> shape = getConstantShape(*this, type, components);
  FailureOr<num::BlockLayout> layout = getLayout(*this, shape, emitError);
  if (failed(layout))
    return failure();
  FailureOr<SmallVector<float, 0>> scales =
      readEffectiveScales(*this, *layout, components, emitError);
  num::IntegerFormat format = getFormat();
  auto readCodes = [&](int index, ArrayRef<int64_t> codeShape) {
    auto logicalType = RankedTensorType::get(
        codeShape, IntegerType::get(getContext(), format.bits));
    return getUnpackedIntegers(components[index], logicalType, format.isSigned,
                               emitError);
  };
  FailureOr<SmallVector<char, 0>> codes =
      readCodes(kValues, layout->getPaddedShape());
  if (failed(scales) || failed(codes))
    return failure();
  SmallVector<int32_t, 0> zeroPoints;
  if (getAsymmetric()) {
    FailureOr<SmallVector<char, 0>> points =
        readCodes(getZeroPointsIndex(), layout->getGridShape());
    if (failed(points))
      return failure();
    for (int64_t i = 0; i < layout->getNumGroups(); ++i) {
      if (format.bits <= 8) {
        int8_t point = (*points)[i];
        zeroPoints.push_back(format.isSigned ? point
                                             : static_cast<uint8_t>(point));
        continue;
      }
      int16_t point;
      std::memcpy(&point, points->data() + 2 * i, 2);
      zeroPoints.push_back(format.isSigned ? point
                                           : static_cast<uint16_t>(point));
    }
  }
  std::vector<char> data(layout->getNumElements() *
                         type.getElementTypeBitWidth() / 8);
  num::MutableFloatBuffer out(getKind(type.getElementType()), data.data(),
                              layout->getNumElements());
  auto decode = [&](auto *start) {
    return num::dequantizeTensor(
        ArrayRef(start, layout->getNumPaddedElements()), *layout, format,
        *scales, zeroPoints, out);
  };
  llvm::Error error =
      format.bits <= 8
          ? decode(reinterpret_cast<const int8_t *>(codes->data()))
          : decode(reinterpret_cast<const int16_t *>(codes->data()));
  if (failed(report(std::move(error), emitError)))
    return failure();
  EncodeOptions options;
  options.resourceName = "decoded";
  return makeConstant(RankedTensorType::get(shape, type.getElementType()),
                      std::move(data), options, "values");
}

/// Scales must be positive and finite. Blobs that are not there yet (a file's
/// resources come last) are checked by compress-verify and when they are used.
LogicalResult
AffineAttr::verifyConstant(RankedTensorType type,
                           ArrayRef<Attribute> components,
                           function_ref<InFlightDiagnostic()> emitError) const {
  auto silent = [] { return InFlightDiagnostic(); };
  int index = isTwoLevel() ? getSuperScalesIndex() : kScales;
  FailureOr<SmallVector<float, 0>> scales =
      readScales(components[index], silent);
  if (failed(scales))
    return success();
  for (auto [i, scale] : llvm::enumerate(*scales)) {
    if (std::isfinite(scale) && scale > 0)
      continue;
    emitError() << "scale #" << i << " is "
                << FloatAttr::get(Float32Type::get(getContext()), scale)
                       .getValueAsDouble()
                << ", but scales must be positive and finite";
    return failure();
  }
  return success();
}
