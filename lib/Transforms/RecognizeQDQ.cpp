//===- RecognizeQDQ.cpp - Quantization spelled out as linalg.generic ------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/Transforms/IntegrateQDQ.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::compress;

namespace {
/// A scale or zero point inside a body: a constant, or an operand of the
/// generic with the dimensions along which it varies.
struct Param {
  /// A constant if set.
  TypedAttr constant;
  /// Else the operand.
  Value operand;
  SmallVector<int64_t> dims;

  bool isConstant() const { return static_cast<bool>(constant); }
};
} // namespace

/// An elementwise generic with one result whose first input is mapped by the
/// identity, as is the result.
static bool isElementwise(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         op.getNumDpsInputs() >= 1 && !op.hasIndexSemantics() &&
         op.getIndexingMapsArray().front().isIdentity() &&
         op.getIndexingMapsArray().back().isIdentity();
}

/// What `value`, inside the body of `op`, is.
static std::optional<Param> matchParam(linalg::GenericOp op, Value value) {
  Param param;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    param.constant = dyn_cast<TypedAttr>(constant);
    return param.constant ? std::optional(param) : std::nullopt;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() == 0 ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  param.operand = op.getDpsInputs()[argument.getArgNumber()];
  if (!isa<RankedTensorType>(param.operand.getType()))
    return std::nullopt;
  AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last)
      return std::nullopt;
    last = dim.getPosition();
    param.dims.push_back(last);
  }
  return param;
}

/// Takes off conversions of a zero point to the type of the computation.
static Value stripIntegerCasts(Value value, bool &sawUnsigned) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::ExtUIOp, arith::UIToFPOp>(op))
      sawUnsigned = true;
    else if (!isa<arith::ExtSIOp, arith::SIToFPOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The encoding for codes of `width` bits with these parameters, per tensor or
/// per axis. Null if scale and zero point vary differently.
static AffineAttr getEncodingFor(MLIRContext *context, int64_t rank,
                                 unsigned width, bool isSigned,
                                 const Param &scale,
                                 const std::optional<Param> &point) {
  if (point && !point->isConstant() && point->dims != scale.dims)
    return {};
  if (width < 2 || width > 16)
    return {};
  SmallVector<int64_t> block;
  if (!scale.dims.empty()) {
    block.assign(rank, AffineAttr::kWholeDim);
    for (int64_t dim : scale.dims)
      block[dim] = 1;
  }
  auto code = IntegerType::get(
      context, width, isSigned ? IntegerType::Signless : IntegerType::Unsigned);
  return AffineAttr::get(context, code, point.has_value(),
                         /*fullRange=*/isSigned && !point, block,
                         Float32Type::get(context), Type(), {});
}

/// The parameter component: the operand itself, or a constant of its shape.
static Value buildParam(OpBuilder &b, Location loc, const Param &param,
                        RankedTensorType type) {
  if (!param.isConstant())
    return param.operand;
  Attribute element = param.constant;
  unsigned width = type.getElementTypeBitWidth();
  if (auto integer = dyn_cast<IntegerAttr>(param.constant))
    element = IntegerAttr::get(type.getElementType(),
                               integer.getValue().sextOrTrunc(width));
  auto number = dyn_cast<FloatAttr>(param.constant);
  if (number && isa<IntegerType>(type.getElementType())) {
    bool exact;
    APSInt wide(32, /*isUnsigned=*/false);
    number.getValue().convertToInteger(wide, APFloat::rmTowardZero, &exact);
    element = IntegerAttr::get(type.getElementType(), wide.sextOrTrunc(width));
  }
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, element));
}

/// Whether buildParam can make the component of this type.
static bool canBuildParam(const Param &param, Type type) {
  return !param.isConstant() || cast<RankedTensorType>(type).hasStaticShape();
}

/// Whether the constant zero point is a code: an integer within the format.
static bool isCode(const Param &point, unsigned width, bool isSigned) {
  if (!point.isConstant())
    return true;
  int64_t low = isSigned ? -(int64_t(1) << (width - 1)) : 0;
  int64_t high = isSigned ? -low - 1 : (int64_t(1) << width) - 1;
  if (auto integer = dyn_cast<IntegerAttr>(point.constant)) {
    // Held in wider types as the number, in the code's own as its bits.
    if (integer.getValue().getBitWidth() <= width)
      return true;
    int64_t value = integer.getValue().getSExtValue();
    return value >= low && value <= high;
  }
  auto number = dyn_cast<FloatAttr>(point.constant);
  if (!number || !number.getValue().isInteger())
    return false;
  double value = number.getValueAsDouble();
  return value >= low && value <= high;
}

/// Whether the scale is f32 and, where it is constant, positive and finite, as
/// the encoding needs. `mustBeConstant` asks for a constant.
static bool isScale(const Param &scale, bool mustBeConstant) {
  auto valid = [](const APFloat &value) {
    return value.isFinite() && !value.isNegative() && !value.isZero();
  };
  if (scale.isConstant()) {
    auto number = dyn_cast<FloatAttr>(scale.constant);
    return number && number.getType().isF32() && valid(number.getValue());
  }
  auto type = cast<RankedTensorType>(scale.operand.getType());
  DenseFPElementsAttr constant;
  if (!type.getElementType().isF32())
    return false;
  if (!matchPattern(scale.operand, m_Constant(&constant)))
    return !mustBeConstant;
  return llvm::all_of(constant.getValues<APFloat>(), valid);
}

namespace {
/// (float(q) - zp) * s, or float(q - zp) * s, elementwise.
struct RecognizeDequantize : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

/// convert(clamp(roundeven(x / s) [+ zp])), elementwise.
struct RecognizeQuantize : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// The two operands of a commutative op, or of a non-commutative one.
template <typename OpTy>
static bool matchBinary(Value value, Value &lhs, Value &rhs) {
  auto op = value.getDefiningOp<OpTy>();
  if (!op)
    return false;
  lhs = op->getOperand(0);
  rhs = op->getOperand(1);
  return true;
}

LogicalResult
RecognizeDequantize::matchAndRewrite(linalg::GenericOp op,
                                     PatternRewriter &rewriter) const {
  if (!isElementwise(op))
    return failure();
  auto codeType = dyn_cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!codeType || codeType.getEncoding() ||
      !isa<IntegerType>(codeType.getElementType()) ||
      !type.getElementType().isF32())
    return failure();
  Value product = op.getBody()->getTerminator()->getOperand(0);
  Value number, scaleValue;
  if (!matchBinary<arith::MulFOp>(product, number, scaleValue))
    return failure();
  if (!matchParam(op, scaleValue))
    std::swap(number, scaleValue);
  std::optional<Param> scale = matchParam(op, scaleValue);
  if (!scale || !isScale(*scale, /*mustBeConstant=*/false))
    return failure();

  // number = float(q) [- float(zp)] or float(ext(q) [- ext(zp)]).
  std::optional<Param> point;
  bool pointUnsigned = false;
  Value lhs, rhs;
  auto takePoint = [&](Value value) {
    point = matchParam(op, stripIntegerCasts(value, pointUnsigned));
    return point.has_value();
  };
  if (matchBinary<arith::SubFOp>(number, lhs, rhs)) {
    if (!takePoint(rhs))
      return failure();
    number = lhs;
  }
  bool isUnsigned = false, converted = false;
  if (auto convert = number.getDefiningOp<arith::SIToFPOp>()) {
    number = convert.getIn();
    converted = true;
  } else if (auto unsignedConvert = number.getDefiningOp<arith::UIToFPOp>()) {
    number = unsignedConvert.getIn();
    converted = isUnsigned = true;
  }
  if (!converted)
    return failure();
  if (!point && matchBinary<arith::SubIOp>(number, lhs, rhs)) {
    // A difference that wraps around is no difference.
    if (number.getType().getIntOrFloatBitWidth() <=
            codeType.getElementTypeBitWidth() ||
        isUnsigned || !takePoint(rhs))
      return failure();
    number = lhs;
  }
  number = stripIntegerCasts(number, isUnsigned);
  if (number != op.getBody()->getArgument(0))
    return failure();
  if (point && !point->isConstant() && pointUnsigned != isUnsigned)
    return failure();
  unsigned width = codeType.getElementTypeBitWidth();
  if (point && !isCode(*point, width, !isUnsigned))
    return failure();
  if (point && !point->isConstant() &&
      getElementTypeOrSelf(point->operand.getType()) !=
          codeType.getElementType())
    return failure();
  AffineAttr encoding = getEncodingFor(op.getContext(), type.getRank(), width,
                                       !isUnsigned, *scale, point);
  if (!encoding)
    return failure();
  auto encodedType =
      RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
  SmallVector<EncodingComponent> components;
  if (failed(encoding.getComponents(encodedType, components)) ||
      !canBuildParam(*scale, components[AffineAttr::kScales].type) ||
      (point &&
       !canBuildParam(*point, components[encoding.getZeroPointsIndex()].type)))
    return failure();
  Location loc = op.getLoc();
  SmallVector<Value> parts = {op.getDpsInputs()[0]};
  parts.push_back(
      buildParam(rewriter, loc, *scale,
                 cast<RankedTensorType>(components[AffineAttr::kScales].type)));
  if (point)
    parts.push_back(
        buildParam(rewriter, loc, *point,
                   cast<RankedTensorType>(
                       components[encoding.getZeroPointsIndex()].type)));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (encoding.hasSizeComponent(encodedType, dim))
      parts.push_back(tensor::DimOp::create(rewriter, loc, parts[0], dim));
  Value encoded = AssembleOp::create(rewriter, loc, encodedType, parts);
  rewriter.replaceOpWithNewOp<DecodeOp>(op, type, encoded);
  return success();
}

/// Takes off a max or min with a constant. Only those that propagate NaN: the
/// conversion behind them then has no defined result for NaN, and may have
/// that of compress.quantize. (maxnumf would give the lowest code.)
template <typename OpTy>
static bool matchClamp(Value &value, double &bound) {
  auto op = value.getDefiningOp<OpTy>();
  if (!op)
    return false;
  for (unsigned i : {0u, 1u}) {
    FloatAttr constant;
    if (!matchPattern(op->getOperand(i), m_Constant(&constant)))
      continue;
    bound = constant.getValueAsDouble();
    value = op->getOperand(1 - i);
    return true;
  }
  return false;
}

LogicalResult
RecognizeQuantize::matchAndRewrite(linalg::GenericOp op,
                                   PatternRewriter &rewriter) const {
  if (!isElementwise(op))
    return failure();
  auto type = dyn_cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  auto codeType = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getEncoding() || !type.getElementType().isF32() ||
      !isa<IntegerType>(codeType.getElementType()))
    return failure();
  Value value = op.getBody()->getTerminator()->getOperand(0);
  if (auto truncate = value.getDefiningOp<arith::TruncIOp>())
    value = truncate.getIn();
  bool isSigned = true;
  if (auto convert = value.getDefiningOp<arith::FPToSIOp>()) {
    value = convert.getIn();
  } else if (auto unsignedConvert = value.getDefiningOp<arith::FPToUIOp>()) {
    value = unsignedConvert.getIn();
    isSigned = false;
  } else {
    return failure();
  }
  double low = 0, high = 0;
  auto max = [&] { return matchClamp<arith::MaximumFOp>(value, low); };
  auto min = [&] { return matchClamp<arith::MinimumFOp>(value, high); };
  if (!((max() && min()) || (min() && max())))
    return failure();
  std::optional<Param> point;
  bool pointUnsigned = false;
  Value lhs, rhs;
  if (matchBinary<arith::AddFOp>(value, lhs, rhs)) {
    if (!lhs.getDefiningOp<math::RoundEvenOp>())
      std::swap(lhs, rhs);
    point = matchParam(op, stripIntegerCasts(rhs, pointUnsigned));
    if (!point)
      return failure();
    value = lhs;
  }
  auto round = value.getDefiningOp<math::RoundEvenOp>();
  if (!round || !matchBinary<arith::DivFOp>(round.getOperand(), lhs, rhs) ||
      lhs != op.getBody()->getArgument(0))
    return failure();
  std::optional<Param> scale = matchParam(op, rhs);
  // A scale of zero, say, has no meaning for compress.quantize.
  if (!scale || !isScale(*scale, /*mustBeConstant=*/true))
    return failure();

  // A conversion to a wider integer that is then cut: the bounds tell the
  // signedness.
  unsigned width = codeType.getElementTypeBitWidth();
  if (low == 0)
    isSigned = false;
  double fullLow = isSigned ? -double(int64_t(1) << (width - 1)) : 0;
  double fullHigh = isSigned ? -fullLow - 1 : double((int64_t(1) << width) - 1);
  bool narrow = isSigned && !point && low == fullLow + 1;
  if (high != fullHigh || (low != fullLow && !narrow))
    return failure();
  if (point && (!isCode(*point, width, isSigned) ||
                (!point->isConstant() &&
                 (pointUnsigned == isSigned ||
                  getElementTypeOrSelf(point->operand.getType()) !=
                      codeType.getElementType()))))
    return failure();
  AffineAttr encoding = getEncodingFor(op.getContext(), type.getRank(), width,
                                       isSigned, *scale, point);
  if (!encoding)
    return failure();
  if (narrow)
    encoding = AffineAttr::get(op.getContext(), encoding.getStorage(),
                               /*asymmetric=*/false, /*fullRange=*/false,
                               encoding.getBlock(), encoding.getScaleType(),
                               Type(), {});
  auto encodedType =
      RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
  SmallVector<EncodingComponent> components;
  if (failed(encoding.getComponents(encodedType, components)) ||
      components[0].type != codeType ||
      !canBuildParam(*scale, components[AffineAttr::kScales].type) ||
      (point &&
       !canBuildParam(*point, components[encoding.getZeroPointsIndex()].type)))
    return failure();
  Location loc = op.getLoc();
  SmallVector<Value> params = {
      buildParam(rewriter, loc, *scale,
                 cast<RankedTensorType>(components[AffineAttr::kScales].type))};
  if (point)
    params.push_back(
        buildParam(rewriter, loc, *point,
                   cast<RankedTensorType>(
                       components[encoding.getZeroPointsIndex()].type)));
  Value encoded = QuantizeOp::create(rewriter, loc, encodedType,
                                     op.getDpsInputs()[0], params);
  rewriter.replaceOpWithNewOp<ComponentOp>(op, codeType, encoded,
                                           rewriter.getStringAttr("values"));
  return success();
}

void mlir::compress::populateRecognizeQDQPatterns(RewritePatternSet &patterns) {
  patterns.add<RecognizeDequantize, RecognizeQuantize>(patterns.getContext());
}
