//===- TileEpilogue.cpp - The epilogue of a tile, on vectors --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::compress;

/// The elements of extra `index` for a row and the columns of a vector.
Value TileLowering::loadExtra(unsigned index, Value row, Value column,
                              Value mask, int64_t lanes, VectorType type) {
  Value extra = op.getExtras()[index];
  AffineMap map = cast<AffineMapAttr>(op.getMaps()[index]).getValue();
  int64_t rank = op.getOutRank();
  SmallVector<Value> indices;
  std::optional<unsigned> columnDim;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    int64_t dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == rank - 1) {
      columnDim = position;
      indices.push_back(column);
    } else {
      indices.push_back(dim == rank - 2 ? row : outer[dim]);
    }
  }
  if (!columnDim) {
    Value element = memref::LoadOp::create(b, loc, extra, indices);
    return vector::BroadcastOp::create(b, loc, type, element);
  }
  auto memref = cast<MemRefType>(extra.getType());
  bool unit = *columnDim + 1 == map.getNumResults() &&
              memref.isLastDimUnitStride() &&
              !memref.getElementType().isInteger(1);
  if (unit && !mask)
    return vector::LoadOp::create(b, loc, type, extra, indices);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  if (unit)
    return vector::MaskedLoadOp::create(b, loc, type, extra, indices, mask,
                                        zero);
  // Element by element; those beyond the end read the last one again.
  Value result = zero;
  OpFoldResult last = at.sub(columnCount, at.constant(1));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    OpFoldResult position = at.add(column, at.constant(lane));
    indices[*columnDim] = at.value(mask ? at.min(position, last) : position);
    Value element = memref::LoadOp::create(b, loc, extra, indices);
    result = vector::InsertOp::create(b, loc, element, result, lane);
  }
  return result;
}

/// `value` of the epilogue as a vector.
static Value lookup(OpBuilder &b, Location loc, const IRMapping &mapping,
                    Value value, int64_t lanes) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  // A constant or a value from outside.
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(lanes, value.getType()), value);
}

/// Stores the elements of a vector one by one, those that `mask` has.
void TileLowering::storeElements(Value out, SmallVector<Value> indices,
                                 Value mask, Value vector, int64_t lanes) {
  Value column = indices.back();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    OpBuilder::InsertionGuard guard(b);
    if (mask) {
      Value bit = vector::ExtractOp::create(b, loc, mask, lane);
      auto branch = scf::IfOp::create(b, loc, bit, /*withElse=*/false);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    indices.back() = at.value(at.add(column, at.constant(lane)));
    Value element = vector::ExtractOp::create(b, loc, vector, lane);
    memref::StoreOp::create(b, loc, element, out, indices);
  }
}

/// Rows and columns of products through the epilogue and into the outs.
void TileLowering::buildEpilogue(ArrayRef<Value> products, int64_t rows,
                                 OpFoldResult firstRow, Value panel) {
  int64_t lanes = kernel.getLanes(), groups = shape.n / lanes;
  Block &block = op.getEpilogue().front();
  auto vectorOf = [&](Type type) { return VectorType::get(lanes, type); };
  OpFoldResult firstColumn = at.mul(panel, at.constant(shape.n));
  SmallVector<Value> columns, masks(groups);
  for (int64_t group = 0; group < groups; ++group) {
    columns.push_back(
        at.value(at.add(firstColumn, at.constant(group * lanes))));
    if (needsMask)
      masks[group] = vector::CreateMaskOp::create(
          b, loc, vectorOf(b.getI1Type()),
          at.value(at.sub(columnCount, columns[group])));
  }
  unsigned leading = op.getNumLeadingArguments();
  // Extras that do not depend on the row are loaded once for all of them.
  int64_t rank = op.getOutRank();
  SmallVector<SmallVector<Value>> shared(op.getExtras().size());
  for (unsigned index = 0; index < op.getExtras().size(); ++index) {
    AffineMap map = cast<AffineMapAttr>(op.getMaps()[index]).getValue();
    if (map.isFunctionOfDim(rank - 2))
      continue;
    auto type = vectorOf(block.getArgument(leading + index).getType());
    for (int64_t group = 0; group < groups; ++group)
      shared[index].push_back(
          loadExtra(index, Value(), columns[group], masks[group], lanes, type));
  }
  for (int64_t row = 0; row < rows; ++row) {
    OpFoldResult position = at.add(firstRow, at.constant(row));
    Value rowIndex = at.value(position);
    SmallVector<Value> params;
    if (op.getQuantize()) {
      // An image has one of each.
      Value inBlock =
          at.value(imageStaged ? at.constant(0) : at.sub(position, stageFirst));
      for (Value buffer : {stageScales, stagePoints})
        if (buffer)
          params.push_back(vector::BroadcastOp::create(
              b, loc,
              vectorOf(cast<MemRefType>(buffer.getType()).getElementType()),
              memref::LoadOp::create(b, loc, buffer, inBlock)));
    }
    for (int64_t group = 0; group < groups; ++group) {
      IRMapping mapping;
      mapping.map(block.getArgument(0), products[row * groups + group]);
      for (auto [index, param] : llvm::enumerate(params))
        mapping.map(block.getArgument(index + 1), param);
      for (unsigned index = 0; index < op.getExtras().size(); ++index) {
        BlockArgument argument = block.getArgument(leading + index);
        Value value =
            shared[index].empty()
                ? loadExtra(index, rowIndex, columns[group], masks[group],
                            lanes, vectorOf(argument.getType()))
                : shared[index][group];
        mapping.map(argument, value);
      }
      for (Operation &inner : block.without_terminator()) {
        if (inner.hasTrait<OpTrait::ConstantLike>()) {
          Operation *clone = b.clone(inner);
          mapping.map(inner.getResult(0),
                      vector::BroadcastOp::create(
                          b, loc, vectorOf(inner.getResult(0).getType()),
                          clone->getResult(0)));
          continue;
        }
        OperationState state(inner.getLoc(), inner.getName());
        for (Value operand : inner.getOperands())
          state.addOperands(lookup(b, loc, mapping, operand, lanes));
        for (Type type : inner.getResultTypes())
          state.addTypes(vectorOf(type));
        state.addAttributes(llvm::to_vector(inner.getDiscardableAttrs()));
        state.propertiesAttr = inner.getPropertiesAsAttribute();
        Operation *vectorOp = b.create(state);
        mapping.map(inner.getResults(), vectorOp->getResults());
      }
      auto yield = cast<YieldOp>(block.getTerminator());
      for (auto [value, out] : llvm::zip(yield.getValues(), op.getOuts())) {
        SmallVector<Value> indices(outer);
        indices.push_back(rowIndex);
        indices.push_back(columns[group]);
        Value result = lookup(b, loc, mapping, value, lanes);
        bool unit = cast<MemRefType>(out.getType()).isLastDimUnitStride();
        if (unit && masks[group])
          vector::MaskedStoreOp::create(b, loc, out, indices, masks[group],
                                        result);
        else if (unit)
          vector::StoreOp::create(b, loc, result, out, indices);
        else
          storeElements(out, indices, masks[group], result, lanes);
      }
    }
  }
}
