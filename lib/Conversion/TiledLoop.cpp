//===- TiledLoop.cpp - Loops over tiles that carry a tensor ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/TiledLoop.h"

#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::compress;

Value mlir::compress::buildTiledLoop(OpBuilder &b, Location loc,
                                     OpFoldResult size, int64_t step,
                                     Value carry, TileBody body) {
  OpFoldResult whole = buildFloorDiv(b, loc, size, step);
  OpFoldResult all = buildCeilDiv(b, loc, size, step);
  auto build = [&](OpFoldResult from, OpFoldResult to, bool ragged,
                   Value init) -> Value {
    Value lower = getValueOrCreateConstantIndexOp(b, loc, from);
    Value upper = getValueOrCreateConstantIndexOp(b, loc, to);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto forOp = scf::ForOp::create(b, loc, lower, upper, one, init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    OpFoldResult offset = buildMul(b, loc, forOp.getInductionVar(), step);
    OpFoldResult tileSize =
        ragged ? buildSub(b, loc, size, offset) : b.getIndexAttr(step);
    Value next = body(offset, tileSize, forOp.getRegionIterArg(0));
    scf::YieldOp::create(b, loc, next);
    return forOp.getResult(0);
  };
  std::optional<int64_t> constant = getConstantIntValue(size);
  if (!constant || *constant >= step)
    carry = build(b.getIndexAttr(0), whole, /*ragged=*/false, carry);
  if (!constant || *constant % step != 0)
    carry = build(whole, all, /*ragged=*/true, carry);
  return carry;
}
