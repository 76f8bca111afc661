//===- EpilogueOperands.cpp - Operands of consumers before reshapes -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueFusion.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::compress;

AffineMap EpilogueOperand::getMap(int64_t rank, MLIRContext *context) const {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(rank, 0, exprs, context);
}

/// Takes the first element of each dimension that `dropped` has.
static void takeFirst(OpBuilder *b, Location loc, EpilogueOperand &operand,
                      ArrayRef<bool> dropped) {
  if (!llvm::is_contained(dropped, true))
    return;
  SmallVector<int64_t> shape, dims;
  for (auto [position, drop] : llvm::enumerate(dropped)) {
    if (drop)
      continue;
    shape.push_back(operand.shape[position]);
    dims.push_back(operand.dims[position]);
  }
  if (b) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(*b, loc, operand.value);
    for (auto [size, drop] : llvm::zip(sizes, dropped))
      if (drop)
        size = b->getIndexAttr(1);
    SmallVector<OpFoldResult> zeros(sizes.size(), b->getIndexAttr(0)),
        ones(sizes.size(), b->getIndexAttr(1));
    auto type = cast<RankedTensorType>(operand.value.getType());
    operand.value = tensor::ExtractSliceOp::create(
        *b, loc, RankedTensorType::get(shape, type.getElementType()),
        operand.value, zeros, sizes, ones);
  }
  operand.shape = std::move(shape);
  operand.dims = std::move(dims);
}

std::optional<EpilogueOperand>
mlir::compress::makeEpilogueOperand(OpBuilder *b, Location loc, Value value,
                                    AffineMap map) {
  auto type = cast<RankedTensorType>(value.getType());
  EpilogueOperand operand{value, llvm::to_vector(type.getShape()), {}};
  SmallVector<bool> dropped;
  llvm::SmallDenseSet<int64_t> seen;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (dim ? !seen.insert(dim.getPosition()).second
            : !constant || constant.getValue() != 0)
      return std::nullopt;
    dropped.push_back(!dim);
    operand.dims.push_back(dim ? static_cast<int64_t>(dim.getPosition()) : -1);
  }
  takeFirst(b, loc, operand, dropped);
  return operand;
}

/// Before an expansion: dimensions that it makes of one become one again.
static LogicalResult moveBeforeExpansion(OpBuilder *b, Location loc,
                                         tensor::ExpandShapeOp step,
                                         EpilogueOperand &operand) {
  ArrayRef<int64_t> shape = step.getResultType().getShape();
  int64_t rank = shape.size();
  SmallVector<int64_t> groupOf(rank, -1);
  SmallVector<SmallVector<int64_t>> members;
  for (auto [index, group] : llvm::enumerate(step.getReassociationIndices())) {
    members.emplace_back();
    for (int64_t dim : group) {
      groupOf[dim] = index;
      if (shape[dim] != 1)
        members.back().push_back(dim);
    }
    // Of dimensions of one element, one stands for all.
    if (members.back().empty())
      members.back().push_back(group.back());
  }
  // Only the dimensions that matter.
  SmallVector<bool> dropped;
  for (int64_t dim : operand.dims)
    dropped.push_back(groupOf[dim] < 0 ||
                      !llvm::is_contained(members[groupOf[dim]], dim));
  takeFirst(b, loc, operand, dropped);
  // Each group whole, in order.
  SmallVector<ReassociationIndices> joined;
  SmallVector<int64_t> newShape, newDims;
  for (size_t position = 0; position < operand.dims.size();) {
    ArrayRef<int64_t> group = members[groupOf[operand.dims[position]]];
    if (ArrayRef(operand.dims).slice(position).take_front(group.size()) !=
        group)
      return failure();
    joined.emplace_back();
    int64_t size = 1;
    for (size_t i = 0; i < group.size(); ++i, ++position) {
      joined.back().push_back(position);
      int64_t factor = operand.shape[position];
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(factor)
                 ? ShapedType::kDynamic
                 : size * factor;
    }
    newShape.push_back(size);
    newDims.push_back(groupOf[group.front()]);
  }
  if (b && joined.size() != operand.dims.size())
    operand.value =
        tensor::CollapseShapeOp::create(*b, loc, operand.value, joined);
  operand.shape = std::move(newShape);
  operand.dims = std::move(newDims);
  return success();
}

/// Before a collapse: a dimension becomes those that it was made of.
static LogicalResult moveBeforeCollapse(OpBuilder *b, Location loc,
                                        tensor::CollapseShapeOp step,
                                        ArrayRef<OpFoldResult> sourceSizes,
                                        EpilogueOperand &operand) {
  ArrayRef<int64_t> shape = step.getSrcType().getShape();
  SmallVector<ReassociationIndices> groups = step.getReassociationIndices();
  SmallVector<ReassociationIndices> split;
  SmallVector<int64_t> newShape, newDims;
  for (auto [dim, size] : llvm::zip(operand.dims, operand.shape)) {
    ReassociationIndices group = groups[dim];
    // Nothing is split if only one of them has more than one element.
    int64_t longest = group.back(), count = 0;
    bool anyDynamic = false;
    for (int64_t source : group) {
      anyDynamic |= ShapedType::isDynamic(shape[source]);
      if (shape[source] == 1)
        continue;
      longest = source;
      ++count;
    }
    split.emplace_back();
    if (count < 2) {
      split.back().push_back(newDims.size());
      newDims.push_back(longest);
      newShape.push_back(size);
      continue;
    }
    if (anyDynamic != ShapedType::isDynamic(size) ||
        (anyDynamic && sourceSizes.empty()))
      return failure();
    for (int64_t source : group) {
      split.back().push_back(newDims.size());
      newDims.push_back(source);
      newShape.push_back(shape[source]);
    }
  }
  if (b && newDims.size() != operand.dims.size()) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(*b, loc, operand.value);
    SmallVector<OpFoldResult> newSizes;
    for (auto [position, group] : llvm::enumerate(split))
      for (int64_t index : group) {
        if (group.size() == 1)
          newSizes.push_back(sizes[position]);
        else if (ShapedType::isDynamic(newShape[index]))
          newSizes.push_back(sourceSizes[newDims[index]]);
        else
          newSizes.push_back(b->getIndexAttr(newShape[index]));
      }
    auto type = cast<RankedTensorType>(operand.value.getType());
    operand.value = tensor::ExpandShapeOp::create(
        *b, loc, RankedTensorType::get(newShape, type.getElementType()),
        operand.value, split, newSizes);
  }
  operand.shape = std::move(newShape);
  operand.dims = std::move(newDims);
  return success();
}

bool mlir::compress::isEpilogueStep(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
         (isa_and_nonnull<tensor::CastOp>(op) &&
          isa<RankedTensorType>(op->getOperand(0).getType()) &&
          isa<RankedTensorType>(op->getResult(0).getType()));
}

LogicalResult mlir::compress::moveBefore(OpBuilder *b, Location loc,
                                         Operation *step,
                                         ArrayRef<OpFoldResult> sourceSizes,
                                         EpilogueOperand &operand) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(step))
    return moveBeforeExpansion(b, loc, expand, operand);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(step))
    return moveBeforeCollapse(b, loc, collapse, sourceSizes, operand);
  return success();
}

Value mlir::compress::applyStep(OpBuilder &b, Operation *step, Value value) {
  Location loc = step->getLoc();
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  auto type =
      cast<RankedTensorType>(step->getResult(0).getType()).clone(element);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(step))
    return tensor::ExpandShapeOp::create(b, loc, type, value,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(step))
    return tensor::CollapseShapeOp::create(b, loc, type, value,
                                           collapse.getReassociationIndices());
  return tensor::CastOp::create(b, loc, type, value);
}
