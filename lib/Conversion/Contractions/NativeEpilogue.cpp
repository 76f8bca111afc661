//===- NativeEpilogue.cpp - Scales and zero points behind a product -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeContraction.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstring>

using namespace mlir;
using namespace mlir::compress;

/// A grid of parameters of operand `side` without its dimensions of one block,
/// and the dimensions of the result that index it.
Extra NativeLowering::buildGrid(unsigned side, Value grid) {
  auto type = cast<RankedTensorType>(getOperand(side).getType());
  auto gridType = cast<RankedTensorType>(grid.getType());
  AffineAttr encoding = getAffine(side);
  SmallVector<unsigned> outLoops = getOutLoops();
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  bool dropped = false;
  for (auto [position, dim] :
       llvm::enumerate(encoding.getGridDims(type.getRank()))) {
    int64_t block = encoding.getBlockSize(dim);
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) <= block &&
        type.getDimSize(dim) != 0 && (block > 1 || type.getDimSize(dim) == 1)) {
      dropped = true;
      continue;
    }
    unsigned loop = *contraction.getPlainLoop(side, dim);
    int64_t outDim = llvm::find(outLoops, loop) - outLoops.begin();
    // A vector has a row of its own in front of the columns.
    if (form.rows.empty() && outDim >= static_cast<int64_t>(form.batch.size()))
      ++outDim;
    exprs.push_back(b.getAffineDimExpr(outDim));
    shape.push_back(gridType.getDimSize(position));
  }
  if (dropped) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, grid);
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
        ones(sizes.size(), b.getIndexAttr(1));
    grid = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, gridType.getElementType()), grid,
        zeros, sizes, ones);
  }
  // Columns that share a scale in blocks have one each.
  return {grid, AffineMap::get(outRank, 0, exprs, b.getContext())};
}

Extra NativeLowering::buildColumnScales() {
  bool isOne = llvm::all_equal(columnScales);
  std::vector<char> bytes(isOne ? 4 : 4 * columnScales.size());
  std::memcpy(bytes.data(), columnScales.data(), bytes.size());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs;
  if (!isOne) {
    shape.push_back(columnScales.size());
    exprs.push_back(b.getAffineDimExpr(outRank - 1));
  }
  return {makeConstantTensor(RankedTensorType::get(shape, b.getF32Type()),
                             std::move(bytes), "scales"),
          AffineMap::get(outRank, 0, exprs, b.getContext())};
}

void NativeLowering::buildEpilogue(TileContractOp op) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&op.getEpilogue());
  Value product = block->addArgument(kernel.getAccumulatorType(), loc);
  Value rowScale, rowPoint;
  if (quantize) {
    rowScale = block->addArgument(b.getF32Type(), loc);
    if (quantize.getAsymmetric())
      rowPoint = block->addArgument(b.getI32Type(), loc);
  }
  SmallVector<Value> arguments;
  for (const Extra &extra : extras)
    arguments.push_back(block->addArgument(
        cast<RankedTensorType>(extra.value.getType()).getElementType(), loc));
  size_t next = 0;
  bool isBlock = isa<BlockDotAttr>(kernel), isInt = isa<IntDotAttr>(kernel);
  AffineAttr left = getAffine(form.lhs);
  Type f32 = b.getF32Type();
  if (isInt && left.getAsymmetric()) {
    Value point = rowPoint;
    if (!point)
      point =
          buildExtendCode(b, loc, arguments[next++], left.getFormat().isSigned);
    Value correction = arith::MulIOp::create(b, loc, point, arguments[next++]);
    product = arith::SubIOp::create(b, loc, product, correction);
  }
  if (left && !rowScale)
    rowScale = arguments[next++];
  Value columnScale = isInt ? arguments[next++] : Value();
  if (isInt && !safeScales) {
    // As exact as the portable form: neither overflows nor vanishes in f64.
    Type f64 = b.getF64Type();
    Value wide = arith::SIToFPOp::create(b, loc, f64, product);
    Value scale =
        arith::MulFOp::create(b, loc, buildCastFloat(b, loc, rowScale, f64),
                              buildCastFloat(b, loc, columnScale, f64));
    product =
        buildCastFloat(b, loc, arith::MulFOp::create(b, loc, wide, scale), f32);
  } else if (isInt) {
    product = arith::SIToFPOp::create(b, loc, f32, product);
    product = arith::MulFOp::create(b, loc, product, columnScale);
    product = arith::MulFOp::create(b, loc, product, rowScale);
  } else if (isBlock && rowScale) {
    product = arith::MulFOp::create(b, loc, product, rowScale);
  }
  Type outType =
      cast<RankedTensorType>(op.getOuts()[0].getType()).getElementType();
  if (next < arguments.size())
    product = arith::AddFOp::create(
        b, loc, buildCastFloat(b, loc, arguments[next], f32), product);
  product = buildCastFloat(b, loc, product, outType);
  YieldOp::create(b, loc, product);
}
