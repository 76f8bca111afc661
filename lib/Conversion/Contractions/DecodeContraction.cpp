//===- DecodeContraction.cpp - Ops on decoded operands, tile by tile ------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Contractions.h"
#include "compress/Conversion/TiledLoop.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

/// Clones `op` on other operands, which may be slices of its own.
static Value cloneOn(RewriterBase &b, linalg::LinalgOp op,
                     ArrayRef<Value> operands) {
  Operation *clone = mlir::clone(b, op, operands.back().getType(), operands);
  clone->removeAttr(CompressDialect::kStrategyAttrName);
  return clone->getResult(0);
}

namespace {
/// Applies a contraction to tiles of one loop.
struct TiledDecode {
  RewriterBase &b;
  Location loc;
  const Contraction &contraction;
  unsigned loop;
  /// lhs, rhs, out; encoded operands without the loop are decoded already.
  SmallVector<Value> operands;

  /// The part of operand `side` (2 is the result so far) in a tile.
  FailureOr<Value> buildPart(unsigned side, Value value, OpFoldResult offset,
                             OpFoldResult size) {
    CompressionEncodingAttrInterface encoding = getEncoding(value.getType());
    SmallVector<OpFoldResult> sizes =
        encoding ? encoding.getLogicalSizes(b, loc, value)
                 : tensor::getMixedSizes(b, loc, value);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim) {
      if (contraction.getPlainLoop(side, dim) != loop)
        continue;
      offsets[dim] = offset;
      sizes[dim] = size;
    }
    if (encoding)
      return encoding.buildDecodeTile(b, loc, value, offsets, sizes);
    return buildSlice(b, loc, value, offsets, sizes);
  }

  /// Puts a part of the result back.
  Value buildInsert(Value part, Value whole, OpFoldResult offset) {
    if (contraction.isReduction(loop))
      return part;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, part);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim)
      if (contraction.getPlainLoop(2, dim) == loop)
        offsets[dim] = offset;
    return tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes,
                                         strides);
  }
};
} // namespace

/// The size of the tiled loop, and the step at which all tiles may start.
static OpFoldResult getLoopExtent(TiledDecode &tiled, int64_t &step) {
  OpFoldResult extent;
  int64_t alignment = 1;
  for (auto [side, value] : llvm::enumerate(tiled.operands)) {
    auto type = cast<RankedTensorType>(value.getType());
    CompressionEncodingAttrInterface encoding = getEncoding(type);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (tiled.contraction.getPlainLoop(side, dim) != tiled.loop)
        continue;
      if (encoding)
        alignment = std::lcm(alignment, encoding.getTileAlignment(type, dim));
      if (!extent || !type.isDynamicDim(dim))
        extent = encoding
                     ? encoding.getLogicalSizes(tiled.b, tiled.loc, value)[dim]
                     : tensor::getMixedSize(tiled.b, tiled.loc, value, dim);
    }
  }
  step = llvm::alignTo(step, alignment);
  return extent;
}

static FailureOr<Value> lowerTiled(RewriterBase &b,
                                   const Contraction &contraction,
                                   unsigned loop, int64_t step) {
  Location loc = contraction.getLoc();
  TiledDecode tiled{b, loc, contraction, loop, {}};
  for (unsigned side = 0; side < 3; ++side) {
    Value value = contraction.getOperand(side);
    if (isEncoded(value.getType()) && !contraction.involves(side, loop))
      value = DecodeOp::create(b, loc, value);
    tiled.operands.push_back(value);
  }
  OpFoldResult extent = getLoopExtent(tiled, step);
  bool failedAny = false;
  Value result = buildTiledLoop(
      b, loc, extent, step, tiled.operands[2],
      [&](OpFoldResult offset, OpFoldResult size, Value carry) -> Value {
        SmallVector<Value> parts;
        for (unsigned side = 0; side < 3; ++side) {
          FailureOr<Value> part = tiled.buildPart(
              side, side == 2 ? carry : tiled.operands[side], offset, size);
          if (failed(part)) {
            failedAny = true;
            return carry;
          }
          parts.push_back(*part);
        }
        Value computed = cloneOn(b, contraction.op, parts);
        return tiled.buildInsert(computed, carry, offset);
      });
  if (failedAny)
    return failure();
  return result;
}

FailureOr<SmallVector<Value>>
mlir::compress::lowerByDecoding(RewriterBase &b, linalg::LinalgOp op,
                                int64_t tile) {
  std::optional<Contraction> contraction = Contraction::match(op);
  if (contraction && contraction->hasEmptyResult())
    return SmallVector<Value>{contraction->getOperand(2)};
  if (contraction && tile > 0)
    if (std::optional<unsigned> loop =
            chooseTiledLoop(*contraction, /*wantReduction=*/false)) {
      FailureOr<Value> result = lowerTiled(b, *contraction, *loop, tile);
      if (failed(result))
        return failure();
      return SmallVector<Value>{*result};
    }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        isEncoded(operand.getType())
            ? DecodeOp::create(b, op.getLoc(), operand).getResult()
            : operand);
  Operation *clone = mlir::clone(b, op, op->getResultTypes(), operands);
  clone->removeAttr(CompressDialect::kStrategyAttrName);
  return SmallVector<Value>(clone->getResults());
}
