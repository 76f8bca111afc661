//===- QuantTypes.cpp - Affine types for quantized element types ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Quant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::compress;

namespace {
/// What all kinds of uniform quantized types have.
struct UniformParams {
  SmallVector<int64_t> block;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
};
} // namespace

static FailureOr<UniformParams>
getUniformParams(quant::QuantizedType element, int64_t rank,
                 function_ref<InFlightDiagnostic()> emitError) {
  UniformParams params;
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(element)) {
    params.scales = {uniform.getScale()};
    params.zeroPoints = {uniform.getZeroPoint()};
    return params;
  }
  params.block.assign(rank, AffineAttr::kWholeDim);
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    if (perAxis.getQuantizedDimension() >= rank) {
      emitError() << "quantized dimension " << perAxis.getQuantizedDimension()
                  << " is out of range for rank " << rank;
      return failure();
    }
    params.block[perAxis.getQuantizedDimension()] = 1;
    llvm::append_range(params.scales, perAxis.getScales());
    llvm::append_range(params.zeroPoints, perAxis.getZeroPoints());
    return params;
  }
  auto subChannel = dyn_cast<quant::UniformQuantizedSubChannelType>(element);
  if (!subChannel) {
    emitError() << "quantized type " << element
                << " has no scales: only uniform types can be converted";
    return failure();
  }
  for (auto [dim, size] : llvm::zip_equal(subChannel.getQuantizedDimensions(),
                                          subChannel.getBlockSizes())) {
    if (dim >= rank) {
      emitError() << "quantized dimension " << dim
                  << " is out of range for rank " << rank;
      return failure();
    }
    params.block[dim] = size;
  }
  for (const APFloat &scale : subChannel.getScales().getValues<APFloat>())
    params.scales.push_back(scale.convertToDouble());
  for (const APInt &point : subChannel.getZeroPoints().getValues<APInt>())
    params.zeroPoints.push_back(point.getSExtValue());
  return params;
}

/// The number of scales that a tensor of this shape needs, or an error if the
/// blocks do not divide it, which the quant dialect asks for.
static LogicalResult verifyShape(RankedTensorType type,
                                 const UniformParams &params,
                                 function_ref<InFlightDiagnostic()> emitError) {
  int64_t expected = 1;
  bool known = true;
  for (auto [dim, block] : llvm::enumerate(params.block)) {
    if (block == AffineAttr::kWholeDim)
      continue;
    if (type.isDynamicDim(dim)) {
      known = false;
      continue;
    }
    if (type.getDimSize(dim) % block != 0) {
      emitError() << "dimension " << dim << " of size " << type.getDimSize(dim)
                  << " is not a multiple of its block size " << block
                  << ", which the quant dialect requires";
      return failure();
    }
    expected *= type.getDimSize(dim) / block;
  }
  if (!known || expected == static_cast<int64_t>(params.scales.size()))
    return success();
  emitError() << type << " needs " << expected << " scales, but its type has "
              << params.scales.size();
  return failure();
}

FailureOr<RankedTensorType>
mlir::compress::getAffineType(RankedTensorType quantized,
                              function_ref<InFlightDiagnostic()> emitError) {
  auto element = dyn_cast<quant::QuantizedType>(quantized.getElementType());
  if (!element) {
    emitError() << quantized << " has no quantized elements";
    return failure();
  }
  FailureOr<UniformParams> params =
      getUniformParams(element, quantized.getRank(), emitError);
  if (failed(params) || failed(verifyShape(quantized, *params, emitError)))
    return failure();
  int64_t low = element.getStorageTypeMin(), high = element.getStorageTypeMax();
  for (int64_t point : params->zeroPoints)
    if (point < low || point > high) {
      emitError() << "zero point " << point << " is outside the storage range ["
                  << low << ", " << high << "]";
      return failure();
    }
  auto storage = cast<IntegerType>(element.getStorageType());
  bool isSigned = element.isSigned();
  unsigned width = storage.getWidth();
  int64_t fullLow = isSigned ? -(int64_t(1) << (width - 1)) : 0;
  int64_t fullHigh = isSigned ? -fullLow - 1 : (int64_t(1) << width) - 1;
  bool asymmetric = llvm::any_of(params->zeroPoints,
                                 [](int64_t point) { return point != 0; });
  bool full = low == fullLow && high == fullHigh;
  bool narrow = isSigned && low == fullLow + 1 && high == fullHigh;
  if (!full && !(narrow && !asymmetric)) {
    emitError() << "storage range [" << low << ", " << high
                << "] is not supported: expected [" << fullLow << ", "
                << fullHigh << "]"
                << (isSigned ? ", or without its lowest value if all zero "
                               "points are 0"
                             : "");
    return failure();
  }
  MLIRContext *context = quantized.getContext();
  auto code = IntegerType::get(
      context, width, isSigned ? IntegerType::Signless : IntegerType::Unsigned);
  auto encoding = AffineAttr::getChecked(
      emitError, context, code, asymmetric,
      /*fullRange=*/isSigned && !asymmetric && full, ArrayRef(params->block),
      Type(Float32Type::get(context)), Type(), ArrayRef<int64_t>());
  if (!encoding)
    return failure();
  auto type = RankedTensorType::get(quantized.getShape(),
                                    element.getExpressedType(), encoding);
  if (failed(verifyEncodedType(type, emitError)))
    return failure();
  return type;
}

SmallVector<Value> mlir::compress::buildQuantParams(OpBuilder &b, Location loc,
                                                    RankedTensorType quantized,
                                                    RankedTensorType affine) {
  auto element = cast<quant::QuantizedType>(quantized.getElementType());
  UniformParams params = *getUniformParams(element, quantized.getRank(),
                                           [] { return InFlightDiagnostic(); });
  auto encoding = cast<AffineAttr>(affine.getEncoding());
  SmallVector<EncodingComponent> components;
  [[maybe_unused]] LogicalResult result =
      encoding.getComponents(affine, components);

  // The shape of the grid, sizes of dynamic dimensions from the scale count.
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(components[AffineAttr::kScales].type).getShape());
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    shape = {static_cast<int64_t>(perAxis.getScales().size())};
  if (auto sub = dyn_cast<quant::UniformQuantizedSubChannelType>(element)) {
    shape.clear();
    ArrayRef<int64_t> all = sub.getScales().getType().getShape();
    for (int64_t dim : encoding.getGridDims(affine.getRank()))
      shape.push_back(all[dim]);
  }
  SmallVector<float> scales;
  for (double scale : params.scales)
    scales.push_back(static_cast<float>(scale));
  SmallVector<Value> values = {arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(shape, b.getF32Type()),
                             ArrayRef(scales)))};
  if (encoding.getAsymmetric()) {
    unsigned width = encoding.getStorage().getWidth();
    SmallVector<APInt> points;
    for (int64_t point : params.zeroPoints)
      points.push_back(APInt(width, point, /*isSigned=*/true,
                             /*implicitTrunc=*/true));
    auto type = RankedTensorType::get(shape, b.getIntegerType(width));
    values.push_back(arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, ArrayRef(points))));
  }
  return values;
}
