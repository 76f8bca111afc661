//===- EpilogueCodes.cpp - Quantization in epilogues without divisions ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueFusion.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/Numerics/InverseScale.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

namespace {
/// clamp(round_half_even(x / scale, 0 if that is NaN) + point, low, high) as
/// i32, where only `code` is used by others.
struct QuantizedElement {
  Value value;
  float scale;
  int32_t point = 0, low, high;
  arith::FPToSIOp code;
};
} // namespace

static std::optional<int32_t> matchInteger(Value value) {
  FloatAttr number;
  if (!matchPattern(value, m_Constant(&number)))
    return std::nullopt;
  double real = number.getValueAsDouble();
  if (!(real >= -0x1p16 && real <= 0x1p16) || real != std::nearbyint(real))
    return std::nullopt;
  return static_cast<int32_t>(real);
}

/// The only user of the only result of `op`, null if it is another op.
template <typename Op>
static Op getUser(Operation *op) {
  return op->hasOneUse() ? dyn_cast<Op>(*op->user_begin()) : Op();
}

/// Follows the chain that quantization in floating point is, from its division.
static std::optional<QuantizedElement> match(arith::DivFOp division) {
  FloatAttr scale;
  if (!division.getType().isF32() ||
      !matchPattern(division.getRhs(), m_Constant(&scale)))
    return std::nullopt;
  QuantizedElement element;
  element.value = division.getLhs();
  element.scale = scale.getValue().convertToFloat();
  arith::SelectOp select;
  for (Operation *user : division->getUsers()) {
    if (auto found = dyn_cast<arith::SelectOp>(user)) {
      if (select && select != found)
        return std::nullopt;
      select = found;
    } else if (auto compare = dyn_cast<arith::CmpFOp>(user);
               !compare || !compare->hasOneUse()) {
      return std::nullopt;
    }
  }
  if (!select || select.getFalseValue() != division.getResult() ||
      !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
    return std::nullopt;
  auto isNaN = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!isNaN || isNaN.getPredicate() != arith::CmpFPredicate::UNO ||
      isNaN.getLhs() != division.getResult() ||
      isNaN.getRhs() != isNaN.getLhs())
    return std::nullopt;
  Operation *last = getUser<math::RoundEvenOp>(select);
  if (!last)
    return std::nullopt;
  if (auto add = getUser<arith::AddFOp>(last)) {
    bool isLeft = add.getLhs() == last->getResult(0);
    std::optional<int32_t> point =
        matchInteger(isLeft ? add.getRhs() : add.getLhs());
    if (!point)
      return std::nullopt;
    element.point = *point;
    last = add;
  }
  auto max = getUser<arith::MaxNumFOp>(last);
  auto min = max ? getUser<arith::MinNumFOp>(max) : arith::MinNumFOp();
  element.code = min ? getUser<arith::FPToSIOp>(min) : arith::FPToSIOp();
  if (!element.code || !element.code.getType().isInteger(32))
    return std::nullopt;
  std::optional<int32_t> low = matchInteger(max.getRhs());
  std::optional<int32_t> high = matchInteger(min.getRhs());
  if (!low || !high)
    return std::nullopt;
  element.low = *low - element.point;
  element.high = *high - element.point;
  if (!num::hasExactCodes(element.scale, element.low, element.high))
    return std::nullopt;
  return element;
}

void mlir::compress::multiplyByInverseScales(RewriterBase &b,
                                             TileContractOp op) {
  SmallVector<arith::DivFOp> divisions(
      op.getEpilogue().front().getOps<arith::DivFOp>());
  for (arith::DivFOp division : divisions) {
    std::optional<QuantizedElement> element = match(division);
    if (!element)
      continue;
    Location loc = division.getLoc();
    b.setInsertionPoint(element->code);
    Type f32 = b.getF32Type(), i32 = b.getI32Type();
    auto number = [&](float value) { return buildFloat(b, loc, f32, value); };
    num::CodeLimits limits =
        num::getCodeLimits(element->scale, element->low, element->high);
    Value value = element->value;
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
    value = arith::SelectOp::create(b, loc, isNaN, number(0), value);
    auto noNaN = arith::FastMathFlags::nnan;
    value = arith::MaxNumFOp::create(b, loc, value, number(limits.low), noNaN);
    value = arith::MinNumFOp::create(b, loc, value, number(limits.high), noNaN);
    Value inverse = number(1 / element->scale);
    Value quotient = arith::MulFOp::create(b, loc, value, inverse);
    Value rest =
        math::FmaOp::create(b, loc, quotient, number(-element->scale), value);
    quotient = math::FmaOp::create(b, loc, rest, inverse, quotient);
    // Adding 1.5 * 2^23 rounds half to even to an integer, which then stands in
    // the low bits.
    Value sum = arith::AddFOp::create(b, loc, quotient, number(0x1.8p23f));
    Value bits = arith::BitcastOp::create(b, loc, i32, sum);
    Value code = arith::AddIOp::create(
        b, loc, bits, buildInt(b, loc, i32, element->point - 0x4B400000));
    b.replaceOp(element->code, code);
  }
}
