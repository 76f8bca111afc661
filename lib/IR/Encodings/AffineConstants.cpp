//===- AffineConstants.cpp - The affine encoding at compile time ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/IR/ConstantData.h"
#include "compress/Numerics/BitPacking.h"
#include "compress/Numerics/Parallel.h"
#include "compress/Numerics/TwoLevelScales.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

static FailureOr<num::BlockLayout>
getLayout(AffineAttr encoding, ArrayRef<int64_t> shape,
          function_ref<InFlightDiagnostic()> emitError) {
  llvm::Expected<num::BlockLayout> layout =
      num::BlockLayout::get(shape, encoding.getBlock());
  if (layout)
    return *layout;
  return reportError(layout.takeError(), emitError);
}

/// The two levels of scales of an encoding whose values have this layout.
static num::TwoLevel getTwoLevel(AffineAttr encoding,
                                 const num::BlockLayout &layout) {
  num::TwoLevel levels;
  levels.code = {encoding.getScaleType().getIntOrFloatBitWidth(),
                 /*isSigned=*/false, /*narrow=*/false};
  levels.superType = encoding.getNumericScaleType();
  levels.layout.shape = layout.getGridShape();
  for (int64_t d : encoding.getGridDims(layout.shape.size())) {
    int64_t super = encoding.getSuperBlock().empty()
                        ? AffineAttr::kWholeDim
                        : encoding.getSuperBlock()[d];
    levels.layout.block.push_back(super == AffineAttr::kWholeDim
                                      ? num::kWholeDim
                                      : super / encoding.getBlockSize(d));
  }
  return levels;
}

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

namespace {
/// The parameters of all groups of a constant.
struct ConstantParams {
  /// As they count, in f32.
  SmallVector<float, 0> scales;
  /// Empty if symmetric.
  SmallVector<int32_t, 0> zeroPoints;
  /// The parameter components, in order.
  SmallVector<Attribute> components;
};
} // namespace

static RankedTensorType getIntegerType(AffineAttr encoding,
                                       ArrayRef<int64_t> shape, unsigned bits) {
  return RankedTensorType::get(shape,
                               IntegerType::get(encoding.getContext(), bits));
}

static ElementsAttr makeZeroPoints(AffineAttr encoding,
                                   ArrayRef<int32_t> zeroPoints,
                                   ArrayRef<int64_t> gridShape,
                                   const EncodeOptions &options) {
  unsigned bits = encoding.getFormat().bits, width = bits > 8 ? 2 : 1;
  std::vector<char> points(zeroPoints.size() * width);
  for (auto [i, point] : llvm::enumerate(zeroPoints))
    std::memcpy(points.data() + i * width, &point, width);
  return makePackedConstant(getIntegerType(encoding, gridShape, bits),
                            std::move(points), options, "zero_points");
}

/// Parameters from the range of each group.
static LogicalResult
chooseParams(AffineAttr encoding, const num::BlockLayout &layout,
             ArrayRef<float> lows, ArrayRef<float> highs,
             const EncodeOptions &options, ConstantParams &params,
             function_ref<InFlightDiagnostic()> emitError) {
  int64_t groups = layout.getNumGroups();
  num::IntegerFormat format = encoding.getFormat();
  bool symmetric = !encoding.getAsymmetric();
  params.scales.assign(groups, 1.0f);
  params.zeroPoints.assign(symmetric ? 0 : groups, 0);
  num::ScaleType scaleType = encoding.isTwoLevel()
                                 ? num::ScaleType::F32
                                 : encoding.getNumericScaleType();
  if (failed(reportError(num::chooseGroupParams(lows, highs, format, symmetric,
                                                scaleType, params.scales,
                                                params.zeroPoints),
                         emitError)))
    return failure();
  SmallVector<int64_t> gridShape = layout.getGridShape();
  if (encoding.isTwoLevel()) {
    num::TwoLevel levels = getTwoLevel(encoding, layout);
    SmallVector<float, 0> supers(levels.layout.getNumGroups(), 1.0f);
    std::vector<char> bytes(groups);
    MutableArrayRef codes(reinterpret_cast<uint8_t *>(bytes.data()), groups);
    if (failed(reportError(
            num::chooseTwoLevel(params.scales, levels, supers, codes),
            emitError)) ||
        failed(reportError(
            num::expandTwoLevel(codes, supers, levels, params.scales),
            emitError)) ||
        (!symmetric &&
         failed(reportError(num::chooseZeroPoints(lows, params.scales, format,
                                                  params.zeroPoints),
                            emitError))))
      return failure();
    params.components.push_back(makePackedConstant(
        getIntegerType(encoding, gridShape, levels.code.bits), std::move(bytes),
        options, "scales"));
    params.components.push_back(makeScales(supers, levels.layout.getGridShape(),
                                           encoding.getSuperScaleType(),
                                           options, "super_scales"));
  } else {
    params.components.push_back(makeScales(
        params.scales, gridShape, encoding.getScaleType(), options, "scales"));
  }
  if (!symmetric)
    params.components.push_back(
        makeZeroPoints(encoding, params.zeroPoints, gridShape, options));
  return success();
}

/// About so many elements are worked on at a time: few enough for the codes to
/// stay in the cache until they are packed.
static constexpr int64_t kSlabElements = 1 << 18;

/// Indices of dimension 0 in a slab: whole blocks, and whole bytes of packed
/// codes where dimension 0 is the row.
static int64_t getSlabSize(const num::BlockLayout &layout) {
  int64_t step = std::max<int64_t>(layout.block[0], 1);
  if (layout.shape.size() == 1)
    step *= 8;
  int64_t rowElements = std::max<int64_t>(layout.getNumPaddedElements(), 1) /
                        std::max<int64_t>(layout.getPaddedShape().front(), 1);
  int64_t rows = kSlabElements / std::max<int64_t>(rowElements, 1);
  return std::max<int64_t>(rows / step, 1) * step;
}

/// Quantizes one slab and packs it to its place in `data`.
static llvm::Error quantizeSlab(num::FloatBuffer values,
                                const num::RowSlab &slab,
                                num::IntegerFormat format,
                                const ConstantParams &params,
                                MutableArrayRef<char> data) {
  int64_t count = slab.layout.getNumPaddedElements();
  int64_t groups = slab.layout.getNumGroups();
  num::FloatBuffer part =
      values.slice(slab.firstElement, slab.layout.getNumElements());
  auto scales = ArrayRef(params.scales).slice(slab.firstGroup, groups);
  auto zeroPoints = ArrayRef(params.zeroPoints);
  if (!zeroPoints.empty())
    zeroPoints = zeroPoints.slice(slab.firstGroup, groups);
  if (format.bits > 8) {
    auto *codes =
        reinterpret_cast<int16_t *>(data.data()) + slab.firstPaddedElement;
    return num::quantizeTensor(part, slab.layout, format, scales, zeroPoints,
                               MutableArrayRef(codes, count));
  }
  if (format.bits == 8) {
    auto *codes =
        reinterpret_cast<int8_t *>(data.data()) + slab.firstPaddedElement;
    return num::quantizeTensor(part, slab.layout, format, scales, zeroPoints,
                               MutableArrayRef(codes, count));
  }
  SmallVector<int8_t, 0> codes;
  codes.resize_for_overwrite(count);
  if (llvm::Error error = num::quantizeTensor(part, slab.layout, format, scales,
                                              zeroPoints, codes))
    return error;
  SmallVector<int64_t> padded = slab.layout.getPaddedShape();
  int64_t columns = padded.empty() ? 1 : padded.back();
  int64_t rows = columns ? count / columns : 0;
  int64_t firstByte = slab.layout.shape.size() == 1
                          ? slab.firstPaddedElement * format.bits / 8
                          : slab.firstPaddedElement /
                                std::max<int64_t>(columns, 1) *
                                num::getPackedRowBytes(columns, format.bits);
  auto *packed = reinterpret_cast<uint8_t *>(data.data()) + firstByte;
  return num::packBits(
      ArrayRef(reinterpret_cast<const uint8_t *>(codes.data()), count), rows,
      columns, format.bits,
      MutableArrayRef(packed,
                      rows * num::getPackedRowBytes(columns, format.bits)));
}

/// Quantizes into the bytes of storage form, slab by slab, so that beside the
/// result no copy of the tensor is made.
static LogicalResult
quantizeToStorage(num::FloatBuffer values, const num::BlockLayout &layout,
                  num::IntegerFormat format, const ConstantParams &params,
                  const EncodeOptions &options, std::vector<char> &data,
                  function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<int64_t> padded = layout.getPaddedShape();
  int64_t columns = padded.empty() ? 1 : padded.back();
  int64_t rows = columns ? layout.getNumPaddedElements() / columns : 0;
  data.resize(format.bits < 8
                  ? rows * num::getPackedRowBytes(columns, format.bits)
                  : rows * columns * (format.bits > 8 ? 2 : 1));
  if (layout.shape.empty()) {
    num::RowSlab all;
    all.layout = layout;
    return reportError(quantizeSlab(values, all, format, params, data),
                       emitError);
  }
  int64_t size = layout.shape.front(), step = getSlabSize(layout);
  SmallVector<llvm::Error, 0> errors;
  for (int64_t i = 0; i < num::getNumChunks(size, step); ++i)
    errors.push_back(llvm::Error::success());
  num::forEachChunk(
      options.pool, size, step, [&](int64_t chunk, int64_t begin, int64_t end) {
        auto quantize = [&]() -> llvm::Error {
          llvm::Expected<num::RowSlab> slab = layout.getRowSlab(begin, end);
          if (!slab)
            return slab.takeError();
          return quantizeSlab(values, *slab, format, params, data);
        };
        llvm::consumeError(std::move(errors[chunk]));
        errors[chunk] = quantize();
      });
  llvm::Error all = llvm::Error::success();
  for (llvm::Error &error : errors)
    all = llvm::joinErrors(std::move(all), std::move(error));
  return reportError(std::move(all), emitError);
}

/// Leading dimensions of size 1 that have no part in the grid would make the
/// whole tensor one slab.
static num::BlockLayout dropUnitDims(num::BlockLayout layout) {
  while (
      layout.shape.size() > 1 && layout.shape.front() == 1 &&
      (layout.block.front() == 1 || layout.block.front() == num::kWholeDim)) {
    layout.shape.erase(layout.shape.begin());
    layout.block.erase(layout.block.begin());
  }
  return layout;
}

static FailureOr<SmallVector<float, 0>>
readEffectiveScales(AffineAttr encoding, const num::BlockLayout &layout,
                    ArrayRef<Attribute> params,
                    function_ref<InFlightDiagnostic()> emitError);
static FailureOr<SmallVector<int32_t, 0>>
readZeroPoints(AffineAttr encoding, const num::BlockLayout &layout,
               Attribute component,
               function_ref<InFlightDiagnostic()> emitError);

/// The parameters that the options give.
static LogicalResult readParams(AffineAttr encoding,
                                const num::BlockLayout &layout,
                                const EncodeOptions &options,
                                ConstantParams &params,
                                function_ref<InFlightDiagnostic()> emitError) {
  params.components = options.parameters;
  FailureOr<SmallVector<float, 0>> scales =
      readEffectiveScales(encoding, layout, options.parameters, emitError);
  if (failed(scales))
    return failure();
  params.scales = std::move(*scales);
  if (!encoding.getAsymmetric())
    return success();
  FailureOr<SmallVector<int32_t, 0>> points =
      readZeroPoints(encoding, layout, options.parameters.back(), emitError);
  if (failed(points))
    return failure();
  params.zeroPoints = std::move(*points);
  return success();
}

static LogicalResult
chooseConstantParams(AffineAttr encoding, num::FloatBuffer values,
                     const num::BlockLayout &layout,
                     const EncodeOptions &options, ConstantParams &params,
                     function_ref<InFlightDiagnostic()> emitError) {
  if (options.calibrator && !isa<MinMaxAttr>(options.calibrator)) {
    emitError() << "constants are encoded with #compress.min_max only, but the "
                   "range is "
                << options.calibrator;
    return failure();
  }
  int64_t groups = layout.getNumGroups();
  SmallVector<float, 0> lows(groups, 0.0f), highs(groups, 0.0f);
  if (failed(reportError(
          num::updateGroupRanges(values, layout, lows, highs, options.threads),
          emitError)))
    return failure();
  return chooseParams(encoding, layout, lows, highs, options, params,
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
  if (value.getElementType() != type.getElementType()) {
    emitError() << "cannot encode a constant of " << value.getElementType()
                << " as " << type;
    return failure();
  }
  FailureOr<RawConstant> raw = getRawConstant(value, emitError);
  FailureOr<num::BlockLayout> layout =
      getLayout(*this, value.getShapedType().getShape(), emitError);
  if (failed(raw) || failed(layout))
    return failure();
  num::FloatBuffer values(
      getFloatKind(type.getElementType()), raw->bytes.data(),
      raw->splat ? 1 : layout->getNumElements(), raw->splat);
  ConstantParams params;
  if (failed(options.parameters.empty()
                 ? chooseConstantParams(*this, values, *layout, options, params,
                                        emitError)
                 : readParams(*this, *layout, options, params, emitError)))
    return failure();
  std::vector<char> data;
  if (failed(quantizeToStorage(values, dropUnitDims(*layout), getFormat(),
                               params, options, data, emitError)))
    return failure();
  auto storageType = cast<RankedTensorType>(getStorageType(getIntegerType(
      *this, layout->getPaddedShape(), getStorage().getWidth())));
  SmallVector<Attribute> components = {
      makeConstant(storageType, std::move(data), options, "values")};
  llvm::append_range(components, params.components);
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (hasSizeComponent(type, d))
      components.push_back(IntegerAttr::get(
          IndexType::get(getContext()), value.getShapedType().getDimSize(d)));
  return components;
}

FailureOr<SmallVector<Attribute>> AffineAttr::getConstantParams(
    RankedTensorType type, ValueRange1D range,
    function_ref<InFlightDiagnostic()> emitError) const {
  // Sizes that share a group do not matter; the others count the groups.
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    if (getBlockSize(d) != kWholeDim) {
      emitError() << "one range cannot give the scales of " << type
                  << ": the size of dimension " << d
                  << " is not known, but it has more than one scale; write '*' "
                     "there or use a dynamic range";
      return failure();
    }
    shape[d] = 1;
  }
  FailureOr<num::BlockLayout> layout = getLayout(*this, shape, emitError);
  if (failed(layout))
    return failure();
  // Beyond the range of f32 a value counts as the largest one.
  auto clamp = [](double value) {
    double largest = std::numeric_limits<float>::max();
    return static_cast<float>(std::min(std::max(value, -largest), largest));
  };
  SmallVector<float, 0> lows(layout->getNumGroups(), clamp(range.low));
  SmallVector<float, 0> highs(layout->getNumGroups(), clamp(range.high));
  ConstantParams params;
  EncodeOptions options;
  options.resourceName = "calibrated";
  if (failed(chooseParams(*this, *layout, lows, highs, options, params,
                          emitError)))
    return failure();
  return params.components;
}

//===----------------------------------------------------------------------===//
// Reading constants back
//===----------------------------------------------------------------------===//

/// The scales of a component of float type, as f32; a single one if the
/// constant is a splat.
static FailureOr<SmallVector<float, 0>>
readDistinctScales(Attribute component,
                   function_ref<InFlightDiagnostic()> emitError) {
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
  return scales;
}

/// All scales of a component of float type, as f32.
static FailureOr<SmallVector<float, 0>>
readScales(Attribute component, function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<SmallVector<float, 0>> scales =
      readDistinctScales(component, emitError);
  auto elements = dyn_cast<DenseElementsAttr>(component);
  if (succeeded(scales) && !scales->empty() && elements && elements.isSplat())
    scales->assign(elements.getNumElements(), scales->front());
  return scales;
}

/// The scales of all groups as they count, in f32, from the constants of the
/// scale components.
static FailureOr<SmallVector<float, 0>>
readEffectiveScales(AffineAttr encoding, const num::BlockLayout &layout,
                    ArrayRef<Attribute> params,
                    function_ref<InFlightDiagnostic()> emitError) {
  if (!encoding.isTwoLevel())
    return readScales(params[0], emitError);
  num::TwoLevel levels = getTwoLevel(encoding, layout);
  FailureOr<SmallVector<char, 0>> codes = getUnpackedIntegers(
      params[0],
      getIntegerType(encoding, layout.getGridShape(), levels.code.bits),
      /*isSigned=*/false, emitError);
  FailureOr<SmallVector<float, 0>> supers = readScales(params[1], emitError);
  if (failed(codes) || failed(supers))
    return failure();
  SmallVector<float, 0> scales(codes->size());
  if (failed(reportError(
          num::expandTwoLevel(
              ArrayRef(reinterpret_cast<const uint8_t *>(codes->data()),
                       codes->size()),
              *supers, levels, scales),
          emitError)))
    return failure();
  return scales;
}

/// The codes of zero of all groups.
static FailureOr<SmallVector<int32_t, 0>>
readZeroPoints(AffineAttr encoding, const num::BlockLayout &layout,
               Attribute component,
               function_ref<InFlightDiagnostic()> emitError) {
  num::IntegerFormat format = encoding.getFormat();
  FailureOr<SmallVector<char, 0>> points = getUnpackedIntegers(
      component, getIntegerType(encoding, layout.getGridShape(), format.bits),
      format.isSigned, emitError);
  if (failed(points))
    return failure();
  SmallVector<int32_t, 0> zeroPoints;
  for (int64_t i = 0, e = layout.getNumGroups(); i < e; ++i) {
    int16_t point = (*points)[i];
    if (format.bits > 8)
      std::memcpy(&point, points->data() + 2 * i, 2);
    if (!format.isSigned)
      zeroPoints.push_back(format.bits > 8 ? static_cast<uint16_t>(point)
                                           : static_cast<uint8_t>(point));
    else
      zeroPoints.push_back(point);
  }
  return zeroPoints;
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

FailureOr<AffineConstant> mlir::compress::readAffineConstant(
    Attribute encoded, function_ref<InFlightDiagnostic()> emitError) {
  auto constant = cast<EncodedAttr>(encoded);
  RankedTensorType type = constant.getType();
  auto encoding = cast<AffineAttr>(type.getEncoding());
  ArrayRef<Attribute> components = constant.getComponents();
  num::IntegerFormat format = encoding.getFormat();
  AffineConstant result;
  result.shape = getConstantShape(encoding, type, components);
  FailureOr<num::BlockLayout> layout =
      getLayout(encoding, result.shape, emitError);
  if (failed(layout))
    return failure();
  llvm::append_range(result.paddedShape, layout->getPaddedShape());
  FailureOr<SmallVector<char, 0>> codes = getUnpackedIntegers(
      components[AffineAttr::kValues],
      getIntegerType(encoding, layout->getPaddedShape(), format.bits),
      format.isSigned, emitError);
  FailureOr<SmallVector<float, 0>> scales = readEffectiveScales(
      encoding, *layout, components.drop_front(AffineAttr::kScales), emitError);
  if (failed(codes) || failed(scales))
    return failure();
  result.codes = std::move(*codes);
  result.scales = std::move(*scales);
  if (encoding.getAsymmetric()) {
    FailureOr<SmallVector<int32_t, 0>> points =
        readZeroPoints(encoding, *layout,
                       components[encoding.getZeroPointsIndex()], emitError);
    if (failed(points))
      return failure();
    result.zeroPoints = std::move(*points);
  }
  int64_t stride = 1;
  result.gridStrides.assign(type.getRank(), 0);
  for (int64_t dim : llvm::reverse(encoding.getGridDims(type.getRank()))) {
    result.gridStrides[dim] = stride;
    stride *= llvm::divideCeil(result.shape[dim], encoding.getBlockSize(dim));
  }
  return result;
}

FailureOr<ElementsAttr>
AffineAttr::decodeConstant(RankedTensorType type,
                           ArrayRef<Attribute> components,
                           function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<int64_t> shape = getConstantShape(*this, type, components);
  FailureOr<num::BlockLayout> layout = getLayout(*this, shape, emitError);
  if (failed(layout))
    return failure();
  FailureOr<SmallVector<float, 0>> scales = readEffectiveScales(
      *this, *layout, components.drop_front(kScales), emitError);
  num::IntegerFormat format = getFormat();
  FailureOr<SmallVector<char, 0>> codes = getUnpackedIntegers(
      components[kValues],
      getIntegerType(*this, layout->getPaddedShape(), format.bits),
      format.isSigned, emitError);
  if (failed(scales) || failed(codes))
    return failure();
  SmallVector<int32_t, 0> zeroPoints;
  if (getAsymmetric()) {
    FailureOr<SmallVector<int32_t, 0>> points = readZeroPoints(
        *this, *layout, components[getZeroPointsIndex()], emitError);
    if (failed(points))
      return failure();
    zeroPoints = std::move(*points);
  }
  std::vector<char> data(layout->getNumElements() *
                         type.getElementTypeBitWidth() / 8);
  num::MutableFloatBuffer out(getFloatKind(type.getElementType()), data.data(),
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
  if (failed(reportError(std::move(error), emitError)))
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
  // A splat may stand for more elements than there is memory.
  FailureOr<SmallVector<float, 0>> scales =
      readDistinctScales(components[index], silent);
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
