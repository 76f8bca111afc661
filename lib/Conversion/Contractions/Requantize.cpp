//===- Requantize.cpp - The pass compress-requantize ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Contractions.h"
#include "compress/Conversion/Passes.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/ConstantData.h"
#include "compress/IR/PackedIntegers.h"
#include "compress/Numerics/FixedPoint.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <cstring>

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSREQUANTIZE
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

namespace {

/// Numbers that are one for all, or one for each index of a result dimension.
struct ChannelValues {
  SmallVector<double> values;
  /// The dimension of the result; -1 if there is one value.
  int64_t dim = -1;

  double at(int64_t channel) const {
    return dim < 0 ? values.front() : values[channel];
  }
};

/// max(x, bound) or min(x, bound).
struct Clamp {
  bool isMax;
  double bound;
};

/// quantize(clamp(contraction + bias)) with constant parameters.
struct RequantizedContraction {
  QuantizeOp quantize;
  linalg::LinalgOp op;
  SmallVector<ChannelValues> biases;
  /// In the order of application.
  SmallVector<Clamp> clamps;

  /// Factors of the sum: s_x * s_w / s_y, and the biases over s_x * s_w.
  SmallVector<num::FixedPoint> factors;
  SmallVector<int64_t> integerBiases;
  int64_t channelDim = -1;
  num::AffineParams outParams;
  num::IntegerFormat format;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading constants
//===----------------------------------------------------------------------===//

static std::optional<SmallVector<double>> readFloats(Attribute attribute) {
  auto typed = dyn_cast_or_null<TypedAttr>(attribute);
  auto type = typed ? dyn_cast<ShapedType>(typed.getType()) : nullptr;
  auto element = type ? dyn_cast<FloatType>(type.getElementType()) : nullptr;
  if (!element || element.getWidth() > 64 || element.getWidth() % 8)
    return std::nullopt;
  FailureOr<RawConstant> raw =
      getRawConstant(attribute, [] { return InFlightDiagnostic(); });
  if (failed(raw))
    return std::nullopt;
  unsigned bytes = element.getWidth() / 8;
  SmallVector<double> values;
  for (size_t i = 0; i + bytes <= raw->bytes.size(); i += bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, raw->bytes.data() + i, bytes);
    APFloat value(element.getFloatSemantics(), APInt(element.getWidth(), bits));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    values.push_back(value.convertToDouble());
  }
  if (raw->splat)
    values.resize(type.getNumElements(), values.front());
  return values;
}

/// The scales of operand `side`, if they are constants of one level, one for
/// all or one for each channel of the result.
static std::optional<ChannelValues> readScales(const Contraction &contraction,
                                               unsigned side) {
  Value operand = contraction.getOperand(side);
  auto type = cast<RankedTensorType>(operand.getType());
  auto encoding = dyn_cast_or_null<AffineAttr>(type.getEncoding());
  if (!encoding || encoding.isTwoLevel())
    return std::nullopt;
  ChannelValues scales;
  SmallVector<int64_t> grid = encoding.getGridDims(type.getRank());
  if (grid.size() > 1)
    return std::nullopt;
  if (!grid.empty()) {
    std::optional<unsigned> loop = contraction.getPlainLoop(side, grid[0]);
    if (encoding.getBlockSize(grid[0]) != 1 || !loop ||
        contraction.isReduction(*loop))
      return std::nullopt;
    for (auto [dim, expr] : llvm::enumerate(contraction.maps[2].getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == *loop)
        scales.dim = dim;
  }
  std::optional<SmallVector<double>> values =
      readFloats(getConstantComponent(operand, AffineAttr::kScales));
  if (!values || values->empty())
    return std::nullopt;
  scales.values = std::move(*values);
  return scales;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The bias that `value`, in the body of elementwise `op`, is: a constant, or
/// an element of a constant operand along one dimension of the result.
static std::optional<ChannelValues> matchBias(linalg::LinalgOp op,
                                              Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return ChannelValues{{number.getValueAsDouble()}, -1};
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
  Attribute constant;
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!matchPattern(operand->get(), m_Constant(&constant)) ||
      map.getNumResults() > 1)
    return std::nullopt;
  std::optional<SmallVector<double>> values = readFloats(constant);
  if (!values || values->empty())
    return std::nullopt;
  ChannelValues bias{std::move(*values), -1};
  if (map.getNumResults() == 1) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
    if (!dim)
      return std::nullopt;
    bias.dim = dim.getPosition();
  }
  return bias;
}

/// Walks from what `op` yields back to the argument that is the previous value
/// of the chain; returns its operand, null if the body does anything else.
static Value matchElementwise(linalg::LinalgOp op,
                              RequantizedContraction &match) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || op.hasIndexSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return {};
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != op.getBlock() ||
          argument.getArgNumber() >= op.getNumDpsInputs())
        return {};
      OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
      return op.getMatchingIndexingMap(operand).isIdentity() ? operand->get()
                                                             : Value();
    }
    Operation *step = value.getDefiningOp();
    if (!step || !value.hasOneUse() || step->getNumOperands() != 2)
      return {};
    bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(step);
    bool isMin = isa<arith::MinimumFOp, arith::MinNumFOp>(step);
    bool found = false;
    for (unsigned i : {1u, 0u}) {
      if (isMax || isMin) {
        FloatAttr bound;
        if (!matchPattern(step->getOperand(i), m_Constant(&bound)) ||
            !match.biases.empty())
          continue;
        match.clamps.insert(match.clamps.begin(),
                            Clamp{isMax, bound.getValueAsDouble()});
      } else if (isa<arith::AddFOp>(step)) {
        std::optional<ChannelValues> bias = matchBias(op, step->getOperand(i));
        if (!bias)
          continue;
        match.biases.push_back(std::move(*bias));
      } else {
        return {};
      }
      value = step->getOperand(1 - i);
      found = true;
      break;
    }
    if (!found)
      return {};
  }
}

/// The chain behind `quantize`, as far as it is of the right form.
static bool matchChain(QuantizeOp quantize, RequantizedContraction &match) {
  auto encoding = dyn_cast<AffineAttr>(quantize.getType().getEncoding());
  if (!encoding ||
      !encoding.getGridDims(quantize.getType().getRank()).empty() ||
      encoding.isTwoLevel())
    return false;
  match.quantize = quantize;
  match.format = encoding.getFormat();
  Value value = quantize.getInput();
  while (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    if (!value.hasOneUse())
      return false;
    if (std::optional<Contraction> contraction = Contraction::match(op)) {
      match.op = op;
      return isEncoded(contraction->getOperand(0).getType()) &&
             isEncoded(contraction->getOperand(1).getType());
    }
    value = matchElementwise(op, match);
    if (!value)
      return false;
  }
  return false;
}

/// Computes factors and integer biases; returns why that is impossible.
static std::optional<std::string>
computeFactors(const Contraction &contraction, RequantizedContraction &match) {
  if (!contraction.hasZeroInit())
    return "the contraction adds to a value that is not zero";
  std::optional<ChannelValues> lhs = readScales(contraction, 0);
  std::optional<ChannelValues> rhs = readScales(contraction, 1);
  Attribute outScale =
      getConstantComponent(match.quantize.getResult(), AffineAttr::kScales);
  std::optional<SmallVector<double>> out = readFloats(outScale);
  if (!lhs || !rhs || !out || out->size() != 1)
    return "a scale is not constant, or is neither one for all elements nor "
           "one for each channel";
  match.outParams.scale = static_cast<float>(out->front());
  auto encoding = cast<AffineAttr>(match.quantize.getType().getEncoding());
  if (encoding.getAsymmetric()) {
    Attribute point = getConstantComponent(match.quantize.getResult(),
                                           encoding.getZeroPointsIndex());
    FailureOr<SmallVector<char, 0>> bytes = failure();
    if (point)
      bytes = getUnpackedIntegers(
          point,
          RankedTensorType::get(
              {}, IntegerType::get(encoding.getContext(), match.format.bits)),
          match.format.isSigned, [] { return InFlightDiagnostic(); });
    if (failed(bytes))
      return "the zero point of the result is not constant";
    int16_t wide = 0;
    std::memcpy(&wide, bytes->data(), match.format.bits > 8 ? 2 : 1);
    if (match.format.bits <= 8)
      match.outParams.zeroPoint = match.format.isSigned
                                      ? static_cast<int8_t>(wide)
                                      : static_cast<uint8_t>(wide);
    else
      match.outParams.zeroPoint =
          match.format.isSigned ? wide : static_cast<uint16_t>(wide);
  }

  // One dimension of the result may have values of its own for each index.
  SmallVector<ChannelValues *> all = {&*lhs, &*rhs};
  for (ChannelValues &bias : match.biases)
    all.push_back(&bias);
  int64_t channels = 1;
  for (ChannelValues *values : all) {
    if (values->dim < 0)
      continue;
    if (match.channelDim >= 0 && match.channelDim != values->dim)
      return "scales and biases vary along different dimensions";
    match.channelDim = values->dim;
    channels = values->values.size();
  }
  for (int64_t channel = 0; channel < channels; ++channel) {
    double inScale = lhs->at(channel) * rhs->at(channel);
    llvm::Expected<num::FixedPoint> factor =
        num::getFixedPoint(inScale / match.outParams.scale);
    if (!factor)
      return llvm::toString(factor.takeError());
    match.factors.push_back(*factor);
    double bias = 0;
    for (const ChannelValues &values : match.biases)
      bias += values.at(channel);
    double integer = std::nearbyint(bias / inScale);
    if (!(std::abs(integer) <= 0x1p30))
      return "the bias of channel " + std::to_string(channel) +
             " does not fit i32 in units of the product of the scales";
    match.integerBiases.push_back(static_cast<int64_t>(integer));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// A constant of one integer for each channel, or a single one.
static Value buildChannelConstant(OpBuilder &b, Location loc, Type element,
                                  ArrayRef<int64_t> values) {
  SmallVector<int64_t> shape;
  if (values.size() > 1)
    shape.push_back(values.size());
  SmallVector<APInt> integers;
  for (int64_t value : values)
    integers.push_back(APInt(element.getIntOrFloatBitWidth(), value,
                             /*isSigned=*/true));
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(shape, element),
                             ArrayRef(integers)));
}

/// saturate(clamps((sum + bias) * multiplier / 2^shift + zp)), in i64.
static Value buildRequantizeScalar(OpBuilder &b, Location loc,
                                   const RequantizedContraction &match,
                                   RequantizeRounding rounding,
                                   ValueRange args) {
  Type i64 = b.getI64Type();
  Value sum = arith::ExtSIOp::create(b, loc, i64, args[0]);
  Value bias = args[1], multiplier = args[2], shift = args[3];
  sum = arith::AddIOp::create(b, loc, sum, bias);
  Value product = arith::MulIOp::create(b, loc, sum, multiplier);
  Value one = buildInt(b, loc, i64, 1);
  Value half = arith::ShLIOp::create(b, loc, one,
                                     arith::SubIOp::create(b, loc, shift, one));
  product = arith::AddIOp::create(b, loc, product, half);
  if (rounding == RequantizeRounding::Double) {
    Value zero = buildInt(b, loc, i64, 0);
    Value nudge = buildInt(b, loc, i64, int64_t(1) << 30);
    Value negated = buildInt(b, loc, i64, -(int64_t(1) << 30));
    Value isNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, sum, zero);
    nudge = arith::SelectOp::create(b, loc, isNegative, negated, nudge);
    Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                         shift, buildInt(b, loc, i64, 31));
    nudge = arith::SelectOp::create(b, loc, isLong, nudge, zero);
    product = arith::AddIOp::create(b, loc, product, nudge);
  }
  Value code = arith::ShRSIOp::create(b, loc, product, shift);
  code = arith::AddIOp::create(
      b, loc, code, buildInt(b, loc, i64, match.outParams.zeroPoint));
  auto max = [&](int64_t bound) {
    code = arith::MaxSIOp::create(b, loc, code, buildInt(b, loc, i64, bound));
  };
  auto min = [&](int64_t bound) {
    code = arith::MinSIOp::create(b, loc, code, buildInt(b, loc, i64, bound));
  };
  max(match.format.getMin());
  min(match.format.getMax());
  for (const Clamp &clamp : match.clamps) {
    int32_t bound = num::quantize(clamp.bound, match.outParams, match.format);
    if (clamp.isMax)
      max(bound);
    else
      min(bound);
  }
  Type codeType = match.format.bits <= 8 ? b.getI8Type() : b.getI16Type();
  return arith::TruncIOp::create(b, loc, codeType, code);
}

/// Builds the codes and the value that replaces the quantize op. Fails if the
/// sum is not proved to fit i32.
static LogicalResult rewrite(RewriterBase &b, RequantizedContraction &match,
                             const Contraction &contraction, int64_t tile,
                             RequantizeRounding rounding) {
  b.setInsertionPoint(match.quantize);
  Location loc = match.quantize.getLoc();
  FailureOr<Value> sums = buildIntegerSums(b, contraction, tile);
  if (failed(sums))
    return failure();
  auto sumType = cast<RankedTensorType>(sums->getType());
  if (!sumType.getElementType().isInteger(32))
    return failure();
  SmallVector<int64_t> multipliers, shifts;
  for (num::FixedPoint factor : match.factors) {
    multipliers.push_back(factor.multiplier);
    shifts.push_back(factor.shift);
  }
  AffineMap identity = b.getMultiDimIdentityMap(sumType.getRank());
  SmallVector<AffineExpr> channel;
  if (match.factors.size() > 1)
    channel.push_back(b.getAffineDimExpr(match.channelDim));
  AffineMap channelMap =
      AffineMap::get(sumType.getRank(), 0, channel, b.getContext());
  Type i64 = b.getI64Type();
  SmallVector<Value> inputs = {
      *sums, buildChannelConstant(b, loc, i64, match.integerBiases),
      buildChannelConstant(b, loc, i64, multipliers),
      buildChannelConstant(b, loc, i64, shifts)};
  Type codeType = match.format.bits <= 8 ? b.getI8Type() : b.getI16Type();
  Value codes = buildElementwise(
      b, loc, inputs, {identity, channelMap, channelMap, channelMap},
      tensor::getMixedSizes(b, loc, *sums), codeType,
      [&](OpBuilder &nb, Location nl, ValueRange args) {
        return buildRequantizeScalar(nb, nl, match, rounding, args);
      });
  RankedTensorType type = match.quantize.getType();
  auto encoding = cast<AffineAttr>(type.getEncoding());
  SmallVector<Value> components = {buildPack(b, loc, codes, match.format.bits)};
  llvm::append_range(components, match.quantize.getParams());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (encoding.hasSizeComponent(type, dim))
      components.push_back(tensor::DimOp::create(b, loc, codes, dim));
  b.replaceOpWithNewOp<AssembleOp>(match.quantize, type, components);
  return success();
}

namespace {
struct CompressRequantize
    : mlir::compress::impl::CompressRequantizeBase<CompressRequantize> {
  using CompressRequantizeBase::CompressRequantizeBase;

  void runOnOperation() override {
    SmallVector<QuantizeOp> ops;
    getOperation()->walk([&](QuantizeOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (QuantizeOp op : ops) {
      RequantizedContraction match;
      if (!matchChain(op, match))
        continue;
      linalg::LinalgOp root = match.op;
      std::optional<Contraction> contraction = Contraction::match(root);
      std::optional<std::string> obstacle = getPortableObstacle(*contraction);
      if (!obstacle)
        obstacle = computeFactors(*contraction, match);
      if (!obstacle) {
        auto strategy = root->getAttrOfType<StrategyAttr>(
            CompressDialect::kStrategyAttrName);
        int64_t tile = strategy ? strategy.getTile()
                                : chooseStrategy(root).strategy.getTile();
        if (succeeded(rewrite(rewriter, match, *contraction, tile, rounding)))
          continue;
        obstacle = "the sum is not proved to fit i32";
      }
      root.emitRemark() << "its result is requantized in floating point: "
                        << *obstacle;
    }
  }
};
} // namespace
