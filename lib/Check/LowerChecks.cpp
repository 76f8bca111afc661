//===- LowerChecks.cpp - The pass compress-lower-checks -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are compared through their bits: that works for every float type,
// also for those that no instruction compares.
//
//===----------------------------------------------------------------------===//

#include "compress/Check/Check.h"
#include "compress/Check/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSLOWERCHECKS
#include "compress/Check/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress::check;

namespace {
struct CompressLowerChecks
    : mlir::compress::impl::CompressLowerChecksBase<CompressLowerChecks> {
  void runOnOperation() override;
};

/// Builds the i1 "this pair of elements is as expected".
using PairTest =
    function_ref<Value(OpBuilder &, Location, Value actual, Value expected)>;
} // namespace

//===----------------------------------------------------------------------===//
// Tests of one pair
//===----------------------------------------------------------------------===//

static Value buildInteger(OpBuilder &b, Location loc, const APInt &value) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(value.getBitWidth()), value));
}

/// Whether the float with these bits is a NaN.
static Value buildIsNaN(OpBuilder &b, Location loc, FloatType type,
                        Value bits) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  unsigned width = type.getWidth();
  if (!APFloat::semanticsHasNaN(semantics))
    return buildInteger(b, loc, APInt(1, 0));
  APInt magnitude = APFloat::semanticsHasSignedRepr(semantics)
                        ? APInt::getSignedMaxValue(width)
                        : APInt::getAllOnes(width);
  APInt nan = APFloat::getQNaN(semantics).bitcastToAPInt();
  // Types without -0.0 use its code as their one NaN.
  if ((nan & magnitude).isZero())
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits,
                                 buildInteger(b, loc, nan));
  // In all others NaNs lie above the largest number.
  APInt top =
      (APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics)
                                           : APFloat::getLargest(semantics))
          .bitcastToAPInt();
  Value absolute =
      arith::AndIOp::create(b, loc, bits, buildInteger(b, loc, magnitude));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, absolute,
                               buildInteger(b, loc, top));
}

static Value buildBits(OpBuilder &b, Location loc, Value number) {
  auto width = cast<FloatType>(number.getType()).getWidth();
  return arith::BitcastOp::create(b, loc, b.getIntegerType(width), number);
}

static Value buildIsSame(OpBuilder &b, Location loc, Value actual,
                         Value expected) {
  auto type = dyn_cast<FloatType>(actual.getType());
  if (!type)
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, actual,
                                 expected);
  Value actualBits = buildBits(b, loc, actual);
  Value expectedBits = buildBits(b, loc, expected);
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      actualBits, expectedBits);
  Value bothNaN =
      arith::AndIOp::create(b, loc, buildIsNaN(b, loc, type, actualBits),
                            buildIsNaN(b, loc, type, expectedBits));
  return arith::OrIOp::create(b, loc, equal, bothNaN);
}

/// The position of a number among all of its type: consecutive integers for
/// consecutive numbers, 0 for both zeros.
static Value buildPosition(OpBuilder &b, Location loc, Value number) {
  Value bits = buildBits(b, loc, number);
  unsigned width = bits.getType().getIntOrFloatBitWidth();
  Value lowest = buildInteger(b, loc, APInt::getSignedMinValue(width));
  Value zero = buildInteger(b, loc, APInt::getZero(width));
  Value mirrored = arith::SubIOp::create(b, loc, lowest, bits);
  Value negative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits, zero);
  return arith::SelectOp::create(b, loc, negative, mirrored, bits);
}

/// Whether two numbers are at most `ulps` positions apart.
static Value buildWithinUlps(OpBuilder &b, Location loc, uint64_t ulps,
                             Value actual, Value expected) {
  Value x = buildPosition(b, loc, actual);
  Value y = buildPosition(b, loc, expected);
  unsigned width = x.getType().getIntOrFloatBitWidth();
  // The distance of two signed numbers always fits the unsigned type.
  Value distance =
      arith::SubIOp::create(b, loc, arith::MaxSIOp::create(b, loc, x, y),
                            arith::MinSIOp::create(b, loc, x, y));
  APInt limit = APInt(64, ulps).getActiveBits() > width
                    ? APInt::getAllOnes(width)
                    : APInt(64, ulps).zextOrTrunc(width);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, distance,
                               buildInteger(b, loc, limit));
}

/// An element as f64, exactly.
static Value buildDouble(OpBuilder &b, Location loc, Value element) {
  Type type = element.getType();
  if (type.isF64())
    return element;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, loc, b.getF64Type(), element);
  return arith::SIToFPOp::create(b, loc, b.getF64Type(), element);
}

static Value buildDoubleConstant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

/// |actual - expected| <= atol + rtol * |expected| for f64 operands.
static Value buildWithinTolerance(OpBuilder &b, Location loc, double atol,
                                  double rtol, Value actual, Value expected) {
  Value difference = math::AbsFOp::create(
      b, loc, arith::SubFOp::create(b, loc, actual, expected));
  Value bound = arith::MulFOp::create(b, loc, buildDoubleConstant(b, loc, rtol),
                                      math::AbsFOp::create(b, loc, expected));
  bound =
      arith::AddFOp::create(b, loc, bound, buildDoubleConstant(b, loc, atol));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, difference,
                               bound);
}

/// Whether both f64 operands are finite.
static Value buildBothFinite(OpBuilder &b, Location loc, Value x, Value y) {
  Value limit =
      buildDoubleConstant(b, loc, std::numeric_limits<double>::infinity());
  auto isFinite = [&](Value value) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                 math::AbsFOp::create(b, loc, value), limit);
  };
  return arith::AndIOp::create(b, loc, isFinite(x), isFinite(y));
}

static Value buildIsClose(ExpectCloseOp op, OpBuilder &b, Location loc,
                          Value actual, Value expected) {
  Value x = buildDouble(b, loc, actual);
  Value y = buildDouble(b, loc, expected);
  Value close = buildInteger(b, loc, APInt(1, 0));
  if (op.getUlps())
    close = buildWithinUlps(b, loc, *op.getUlps(), actual, expected);
  if (op.getAtol() || op.getRtol()) {
    double atol = op.getAtol() ? op.getAtol()->convertToDouble() : 0;
    double rtol = op.getRtol() ? op.getRtol()->convertToDouble() : 0;
    close = arith::OrIOp::create(
        b, loc, close, buildWithinTolerance(b, loc, atol, rtol, x, y));
  }
  close = arith::AndIOp::create(b, loc, close, buildBothFinite(b, loc, x, y));
  Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  Value bothNaN = arith::AndIOp::create(
      b, loc, arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x),
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y, y));
  return arith::OrIOp::create(b, loc, close,
                              arith::OrIOp::create(b, loc, equal, bothNaN));
}

//===----------------------------------------------------------------------===//
// The reduction and the assertion
//===----------------------------------------------------------------------===//

/// The place in a file that `loc` leads to, else the first name in it.
static std::string describeLocation(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto name = loc->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "at an unknown place";
}

static void buildAssert(OpBuilder &b, Operation *op, Value condition,
                        StringRef what) {
  std::string message = describeLocation(op->getLoc()) + ": " +
                        op->getName().stripDialect().str() + ": " + what.str();
  cf::AssertOp::create(b, op->getLoc(), condition, message);
}

/// Asserts that dynamic sizes agree.
static void buildShapeAssert(OpBuilder &b, Operation *op, Value actual,
                             Value expected) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(actual.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              tensor::DimOp::create(b, loc, actual, dim),
                              tensor::DimOp::create(b, loc, expected, dim));
    buildAssert(b, op, same,
                "sizes of dimension " + std::to_string(dim) + " differ");
  }
}

/// The number of pairs that fail the test, an i64.
static Value buildFailureCount(OpBuilder &b, Location loc, Value actual,
                               Value expected, PairTest test) {
  int64_t rank = cast<RankedTensorType>(actual.getType()).getRank();
  auto countType = RankedTensorType::get({}, b.getI64Type());
  Value zero = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(countType, b.getI64IntegerAttr(0)));
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap scalar = AffineMap::get(rank, 0, b.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      b, loc, countType, ValueRange{actual, expected}, zero,
      ArrayRef<AffineMap>{identity, identity, scalar}, iterators,
      [&](OpBuilder &body, Location bodyLoc, ValueRange arguments) {
        Value passed = test(body, bodyLoc, arguments[0], arguments[1]);
        Value more =
            arith::AddIOp::create(body, bodyLoc, arguments[2],
                                  buildInteger(body, bodyLoc, APInt(64, 1)));
        Value next =
            arith::SelectOp::create(body, bodyLoc, passed, arguments[2], more);
        linalg::YieldOp::create(body, bodyLoc, next);
      });
  return tensor::ExtractOp::create(b, loc, generic.getResult(0), ValueRange());
}

static void lowerExpectation(Operation *op, PairTest test, StringRef what) {
  OpBuilder b(op);
  Value actual = op->getOperand(0);
  Value expected = op->getOperand(1);
  buildShapeAssert(b, op, actual, expected);
  Value count = buildFailureCount(b, op->getLoc(), actual, expected, test);
  Value none =
      arith::CmpIOp::create(b, op->getLoc(), arith::CmpIPredicate::eq, count,
                            buildInteger(b, op->getLoc(), APInt(64, 0)));
  buildAssert(b, op, none, what);
  op->erase();
}

void CompressLowerChecks::runOnOperation() {
  SmallVector<Operation *> ops;
  getOperation()->walk([&](Operation *op) {
    if (isa<ExpectEqOp, ExpectCloseOp, HideOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto hide = dyn_cast<HideOp>(op)) {
      hide.getResult().replaceAllUsesWith(hide.getInput());
      hide.erase();
    } else if (auto close = dyn_cast<ExpectCloseOp>(op)) {
      lowerExpectation(
          op,
          [&](OpBuilder &b, Location loc, Value actual, Value expected) {
            return buildIsClose(close, b, loc, actual, expected);
          },
          "elements are not close");
    } else {
      lowerExpectation(op, buildIsSame, "elements differ");
    }
  }
}
