//===- CompressToQuant.cpp - To the quant dialect -------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Passes.h"
#include "compress/Conversion/Quant.h"
#include "compress/IR/ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {
#define GEN_PASS_DEF_CONVERTCOMPRESSTOQUANT
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// Scales and zero points of an affine value whose parameters are constants.
static LogicalResult readParams(Value encoded, AffineAttr encoding,
                                SmallVectorImpl<double> &scales,
                                SmallVectorImpl<int64_t> &points,
                                function_ref<InFlightDiagnostic()> emitError) {
  auto scaleAttr = dyn_cast_or_null<DenseElementsAttr>(
      getConstantComponent(encoded, AffineAttr::kScales));
  if (!scaleAttr || encoding.isTwoLevel()) {
    emitError() << "has scales that are not one level of constants, but types "
                   "of the quant dialect hold their parameters";
    return failure();
  }
  for (const APFloat &scale : scaleAttr.getValues<APFloat>()) {
    APFloat wide = scale;
    bool losesInfo;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    scales.push_back(wide.convertToDouble());
  }
  points.assign(scales.size(), 0);
  if (!encoding.getAsymmetric())
    return success();
  unsigned index = encoding.getZeroPointsIndex();
  auto type = cast<RankedTensorType>(encoded.getType());
  SmallVector<EncodingComponent> components;
  if (failed(encoding.getComponents(type, components)))
    return failure();
  Attribute constant = getConstantComponent(encoded, index);
  if (!constant) {
    emitError() << "has zero points that are not constant, but types of the "
                   "quant dialect hold their parameters";
    return failure();
  }
  bool isSigned = encoding.getFormat().isSigned;
  unsigned bits = encoding.getFormat().bits;
  FailureOr<SmallVector<char, 0>> bytes = getUnpackedIntegers(
      constant, cast<RankedTensorType>(components[index].type), isSigned,
      emitError);
  if (failed(bytes))
    return failure();
  for (size_t i = 0; i < points.size(); ++i) {
    if (bits <= 8) {
      points[i] = isSigned ? int64_t(static_cast<int8_t>((*bytes)[i]))
                           : static_cast<uint8_t>((*bytes)[i]);
      continue;
    }
    uint16_t raw = static_cast<uint8_t>((*bytes)[2 * i]) |
                   static_cast<uint8_t>((*bytes)[2 * i + 1]) << 8;
    points[i] = isSigned ? int64_t(static_cast<int16_t>(raw)) : raw;
  }
  return success();
}

/// The tensor type of quantized elements for an affine value.
static FailureOr<RankedTensorType>
getQuantType(Value encoded, function_ref<InFlightDiagnostic()> emitError) {
  auto type = cast<RankedTensorType>(encoded.getType());
  auto encoding = dyn_cast<AffineAttr>(type.getEncoding());
  if (!encoding) {
    emitError() << "has a value of type " << type
                << ", for which the quant dialect has no type";
    return failure();
  }
  SmallVector<double> scales;
  SmallVector<int64_t> points;
  if (failed(readParams(encoded, encoding, scales, points, emitError)))
    return failure();
  ::compress::numerics::IntegerFormat format = encoding.getFormat();
  unsigned flags = format.isSigned ? quant::QuantizationFlags::Signed : 0;
  Type storage = IntegerType::get(type.getContext(), format.bits);
  Type expressed = type.getElementType();
  SmallVector<int64_t> gridDims = encoding.getGridDims(type.getRank());
  Type element;
  if (gridDims.empty()) {
    element = quant::UniformQuantizedType::getChecked(
        emitError, flags, storage, expressed, scales[0], points[0],
        int64_t(format.getMin()), int64_t(format.getMax()));
  } else if (gridDims.size() == 1 && encoding.getBlockSize(gridDims[0]) == 1) {
    element = quant::UniformQuantizedPerAxisType::getChecked(
        emitError, flags, storage, expressed, ArrayRef(scales),
        ArrayRef(points), static_cast<int32_t>(gridDims[0]),
        int64_t(format.getMin()), int64_t(format.getMax()));
  } else {
    SmallVector<int32_t> dims(gridDims.begin(), gridDims.end());
    SmallVector<int64_t> blocks, shape(type.getRank(), 1);
    for (int64_t dim : gridDims) {
      int64_t block = encoding.getBlockSize(dim);
      if (type.isDynamicDim(dim) || type.getDimSize(dim) % block != 0) {
        emitError() << "has blocks of " << block << " along dimension " << dim
                    << " of " << type
                    << ", but the quant dialect requires that they divide it";
        return failure();
      }
      blocks.push_back(block);
      shape[dim] = type.getDimSize(dim) / block;
    }
    // The dialect wants scales of the expressed type.
    SmallVector<APFloat> scaleValues;
    for (double scale : scales) {
      APFloat value(scale);
      bool losesInfo = false;
      value.convert(cast<FloatType>(expressed).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
      if (losesInfo) {
        emitError() << "has a scale that " << expressed
                    << ", in which the quant dialect keeps it, cannot hold";
        return failure();
      }
      scaleValues.push_back(value);
    }
    SmallVector<APInt> pointValues;
    for (int64_t point : points)
      pointValues.push_back(APInt(format.bits, point, /*isSigned=*/true,
                                  /*implicitTrunc=*/true));
    element = quant::UniformQuantizedSubChannelType::getChecked(
        emitError, flags, storage, expressed,
        DenseElementsAttr::get(RankedTensorType::get(shape, expressed),
                               ArrayRef(scaleValues)),
        DenseElementsAttr::get(RankedTensorType::get(shape, storage),
                               ArrayRef(pointValues)),
        ArrayRef(dims), ArrayRef(blocks), int64_t(format.getMin()),
        int64_t(format.getMax()));
  }
  if (!element)
    return failure();
  return RankedTensorType::get(type.getShape(), element);
}

/// The value of quantized elements for an encoded one.
static FailureOr<Value> buildQuantValue(RewriterBase &b, Value encoded) {
  Operation *op = encoded.getDefiningOp();
  if (!op) {
    emitError(encoded.getLoc())
        << "an argument of type " << encoded.getType()
        << " cannot be converted: types of the quant dialect hold their "
           "parameters, which are unknown here";
    return failure();
  }
  auto emitOpError = [&] { return op->emitOpError(); };
  FailureOr<RankedTensorType> type = getQuantType(encoded, emitOpError);
  if (failed(type))
    return failure();
  b.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  if (auto quantize = dyn_cast<QuantizeOp>(op))
    return quant::QuantizeCastOp::create(b, loc, *type, quantize.getInput())
        .getResult();
  auto storage = RankedTensorType::get(
      type->getShape(),
      cast<quant::QuantizedType>(type->getElementType()).getStorageType());
  Value codes =
      ComponentOp::create(b, loc, storage, encoded, b.getStringAttr("values"));
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    SmallVector<EncodingComponent> components;
    auto encodedType = cast<RankedTensorType>(encoded.getType());
    auto encoding = cast<AffineAttr>(encodedType.getEncoding());
    if (failed(encoding.getComponents(encodedType, components)))
      return failure();
    FailureOr<SmallVector<char, 0>> bytes = getUnpackedIntegers(
        cast<EncodedAttr>(constant.getValue()).getComponents()[0],
        cast<RankedTensorType>(components[0].type),
        encoding.getFormat().isSigned, emitOpError);
    if (failed(bytes))
      return failure();
    codes = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::getFromRawBuffer(storage, *bytes));
  }
  return quant::StorageCastOp::create(b, loc, *type, codes).getResult();
}

namespace {
struct ConvertCompressToQuant
    : mlir::compress::impl::ConvertCompressToQuantBase<ConvertCompressToQuant> {
  void runOnOperation() override {
    SmallVector<DecodeOp> decodes;
    getOperation()->walk([&](DecodeOp op) { decodes.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (DecodeOp decode : decodes) {
      FailureOr<Value> value = buildQuantValue(rewriter, decode.getEncoded());
      if (failed(value))
        return signalPassFailure();
      rewriter.setInsertionPoint(decode);
      Operation *made = decode.getEncoded().getDefiningOp();
      rewriter.replaceOpWithNewOp<quant::DequantizeCastOp>(
          decode, decode.getType(), *value);
      if (isOpTriviallyDead(made))
        rewriter.eraseOp(made);
    }
  }
};
} // namespace
