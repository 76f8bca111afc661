//===- BuilderUtils.cpp - Small helpers for building linalg on tensors ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/BuilderUtils.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::compress;

static OpFoldResult apply(OpBuilder &b, Location loc, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
}

OpFoldResult mlir::compress::buildCeilDiv(OpBuilder &b, Location loc,
                                          OpFoldResult size, int64_t by) {
  return apply(b, loc, b.getAffineSymbolExpr(0).ceilDiv(by), {size});
}

OpFoldResult mlir::compress::buildFloorDiv(OpBuilder &b, Location loc,
                                           OpFoldResult value, int64_t by) {
  return apply(b, loc, b.getAffineSymbolExpr(0).floorDiv(by), {value});
}

OpFoldResult mlir::compress::buildMul(OpBuilder &b, Location loc,
                                      OpFoldResult value, int64_t by) {
  return apply(b, loc, b.getAffineSymbolExpr(0) * by, {value});
}

OpFoldResult mlir::compress::buildMul(OpBuilder &b, Location loc,
                                      OpFoldResult lhs, OpFoldResult rhs) {
  if (std::optional<int64_t> constant = getConstantIntValue(rhs))
    return buildMul(b, loc, lhs, *constant);
  if (std::optional<int64_t> constant = getConstantIntValue(lhs))
    return buildMul(b, loc, rhs, *constant);
  // A product of two unknowns is not affine.
  return b.createOrFold<arith::MulIOp>(
      loc, getValueOrCreateConstantIndexOp(b, loc, lhs),
      getValueOrCreateConstantIndexOp(b, loc, rhs));
}

OpFoldResult mlir::compress::buildAdd(OpBuilder &b, Location loc,
                                      OpFoldResult lhs, OpFoldResult rhs) {
  return apply(b, loc, b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1),
               {lhs, rhs});
}

OpFoldResult mlir::compress::buildSub(OpBuilder &b, Location loc,
                                      OpFoldResult lhs, OpFoldResult rhs) {
  return apply(b, loc, b.getAffineSymbolExpr(0) - b.getAffineSymbolExpr(1),
               {lhs, rhs});
}

Value mlir::compress::buildPadTo(OpBuilder &b, Location loc, Value source,
                                 ArrayRef<OpFoldResult> sizes, Value value) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> now = tensor::getMixedSizes(b, loc, source);
  if (isEqualConstantIntOrValueArray(now, sizes))
    return source;
  SmallVector<OpFoldResult> low(sizes.size(), b.getIndexAttr(0)), high;
  SmallVector<int64_t> shape;
  for (auto [from, to] : llvm::zip_equal(now, sizes)) {
    high.push_back(buildSub(b, loc, to, from));
    shape.push_back(getConstantIntValue(to).value_or(ShapedType::kDynamic));
  }
  return tensor::PadOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), source, low,
      high, value);
}

Value mlir::compress::buildSlice(OpBuilder &b, Location loc, Value source,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  auto isZero = [](OpFoldResult value) { return isConstantIntValue(value, 0); };
  SmallVector<OpFoldResult> now = tensor::getMixedSizes(b, loc, source);
  if (llvm::all_of(offsets, isZero) &&
      isEqualConstantIntOrValueArray(now, sizes))
    return source;
  if (llvm::any_of(sizes, isZero))
    return tensor::EmptyOp::create(
        b, loc, sizes,
        cast<RankedTensorType>(source.getType()).getElementType());
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, source, offsets, sizes,
                                        strides);
}

Value mlir::compress::buildSliceTo(OpBuilder &b, Location loc, Value source,
                                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  return buildSlice(b, loc, source, offsets, sizes);
}

/// For each dimension of a tensor, its dimensions once blocks are split off.
static SmallVector<ReassociationIndices>
getBlockReassociation(ArrayRef<int64_t> blocks) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (int64_t block : blocks) {
    ReassociationIndices &group = groups.emplace_back();
    group.push_back(next++);
    if (block > 1)
      group.push_back(next++);
  }
  return groups;
}

Value mlir::compress::buildSplitBlocks(OpBuilder &b, Location loc, Value source,
                                       ArrayRef<int64_t> blocks) {
  if (llvm::none_of(blocks, [](int64_t block) { return block > 1; }))
    return source;
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
  SmallVector<OpFoldResult> splitSizes;
  SmallVector<int64_t> shape, sourceShape;
  for (auto [size, block] : llvm::zip_equal(sizes, blocks)) {
    sourceShape.push_back(
        getConstantIntValue(size).value_or(ShapedType::kDynamic));
    if (block > 1) {
      splitSizes.push_back(buildFloorDiv(b, loc, size, block));
      splitSizes.push_back(b.getIndexAttr(block));
    } else {
      splitSizes.push_back(size);
    }
  }
  for (OpFoldResult size : splitSizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  // A size that the type does not show may be a known one all the same, behind
  // a tensor.cast; both types must show it then.
  auto sourceType = RankedTensorType::get(sourceShape, type.getElementType());
  if (sourceType != type)
    source = tensor::CastOp::create(b, loc, sourceType, source);
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), source,
      getBlockReassociation(blocks), splitSizes);
}

Value mlir::compress::buildMergeBlocks(OpBuilder &b, Location loc, Value source,
                                       ArrayRef<int64_t> blocks) {
  if (llvm::none_of(blocks, [](int64_t block) { return block > 1; }))
    return source;
  return tensor::CollapseShapeOp::create(b, loc, source,
                                         getBlockReassociation(blocks));
}

Value mlir::compress::buildGeneric(
    OpBuilder &b, Location loc, ValueRange inputs, Value init,
    ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, maps, iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
               linalg::YieldOp::create(nested, nestedLoc,
                                       body(nested, nestedLoc, args));
             })
      .getResult(0);
}

Value mlir::compress::buildElementwise(
    OpBuilder &b, Location loc, ValueRange inputs, ArrayRef<AffineMap> maps,
    ArrayRef<OpFoldResult> sizes, Type elementType,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value init = tensor::EmptyOp::create(b, loc, sizes, elementType);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return buildGeneric(b, loc, inputs, init, allMaps, iterators, body);
}

Value mlir::compress::buildFloat(OpBuilder &b, Location loc, Type type,
                                 double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value mlir::compress::buildInt(OpBuilder &b, Location loc, Type type,
                               int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}
