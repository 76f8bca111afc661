//===- AffineTiles.cpp - Sums of products of integer codes ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineContraction.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/PackedIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::compress;

/// The codes (or dense numbers) of an operand within a tile.
Value AffineContractionLowering::buildCodes(const Side &side, unsigned index,
                                            const Tile &tile) {
  SmallVector<OpFoldResult> offsets(side.sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes(side.sizes);
  for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim)
    if (std::optional<unsigned> loop = contraction.getPlainLoop(index, dim);
        loop && !isConstantIntValue(tile.offsets[*loop], -1)) {
      offsets[dim] = tile.offsets[*loop];
      sizes[dim] = tile.sizes[*loop];
    }
  if (side.isInteger()) {
    SmallVector<EncodingComponent> components;
    [[maybe_unused]] LogicalResult result =
        side.encoding.getComponents(side.type, components);
    return buildUnpackTile(
        b, loc, getStorageComponent(b, loc, side.value, AffineAttr::kValues),
        cast<RankedTensorType>(components[AffineAttr::kValues].type),
        side.isSigned(), offsets, sizes);
  }
  return buildSlice(b, loc, side.value, offsets, sizes);
}

/// The part of a grid that applies to a tile: reductions at their block.
LoopTensor AffineContractionLowering::sliceGrid(const Side &side, Value grid,
                                                const Tile &tile) {
  LoopTensor result{grid, {}};
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, grid);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  SmallVector<int64_t> keptShape;
  bool whole = true;
  for (auto [dim, gridDim] : llvm::enumerate(side.grid)) {
    if (contraction.isReduction(gridDim.loop)) {
      offsets[dim] =
          buildFloorDiv(b, loc, tile.offsets[gridDim.loop], gridDim.block);
      sizes[dim] = b.getIndexAttr(1);
      whole = false;
      continue;
    }
    result.loops.push_back(gridDim.loop);
    keptShape.push_back(
        getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic));
  }
  if (whole)
    return result;
  Type elementType = cast<RankedTensorType>(grid.getType()).getElementType();
  result.value = tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(keptShape, elementType), grid, offsets,
      sizes, strides);
  return result;
}

/// Sums the codes of an operand over the reductions, for each position of the
/// parallel loops that it depends on.
LoopTensor AffineContractionLowering::buildCodeSums(unsigned index,
                                                    const Tile &tile,
                                                    Value codes, Type sumType) {
  // The loops of this operand, numbered anew.
  SmallVector<AffineExpr> renumbered(contraction.getNumLoops(),
                                     b.getAffineConstantExpr(0));
  SmallVector<utils::IteratorType> iterators;
  SmallVector<AffineExpr> outExprs, windowExprs;
  SmallVector<OpFoldResult> sizes, windowSizes;
  LoopTensor sums;
  for (unsigned loop = 0; loop < contraction.getNumLoops(); ++loop) {
    if (!contraction.involves(index, loop))
      continue;
    AffineExpr expr = b.getAffineDimExpr(iterators.size());
    renumbered[loop] = expr;
    iterators.push_back(contraction.iterators[loop]);
    OpFoldResult size = isConstantIntValue(tile.offsets[loop], -1)
                            ? loopSizes[loop]
                            : tile.sizes[loop];
    if (!contraction.isReduction(loop)) {
      sums.loops.push_back(loop);
      outExprs.push_back(expr);
      sizes.push_back(size);
      continue;
    }
    bool plain = false;
    for (int64_t dim = 0, e = sides[index].sizes.size(); dim < e; ++dim)
      plain |= contraction.getPlainLoop(index, dim) == loop;
    if (!plain) {
      // No dimension of the operand tells how far a window reaches.
      windowExprs.push_back(expr);
      windowSizes.push_back(size);
    }
  }
  MLIRContext *context = b.getContext();
  unsigned loops = iterators.size();
  AffineMap codeMap =
      contraction.maps[index].replaceDimsAndSymbols(renumbered, {}, loops, 0);
  SmallVector<Value> inputs = {codes};
  SmallVector<AffineMap> maps = {codeMap};
  if (!windowSizes.empty()) {
    inputs.push_back(
        tensor::EmptyOp::create(b, loc, windowSizes, b.getI8Type()));
    maps.push_back(AffineMap::get(loops, 0, windowExprs, context));
  }
  maps.push_back(AffineMap::get(loops, 0, outExprs, context));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sumType);
  Value zeros =
      linalg::FillOp::create(b, loc, buildInt(b, loc, sumType, 0), empty)
          .getResult(0);
  bool isSigned = sides[index].isSigned();
  sums.value = buildGeneric(
      b, loc, inputs, zeros, maps, iterators,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value code =
            isSigned
                ? arith::ExtSIOp::create(nb, nl, sumType, args[0]).getResult()
                : arith::ExtUIOp::create(nb, nl, sumType, args[0]);
        return arith::AddIOp::create(nb, nl, args.back(), code);
      });
  return sums;
}

/// sum (a - za)(w - zw) = sum aw - zw sum a - za sum w + n za zw.
Value AffineContractionLowering::buildCorrected(const Tile &tile,
                                                ArrayRef<Value> codes,
                                                Value sums) {
  Type sumType = cast<RankedTensorType>(sums.getType()).getElementType();
  SmallVector<Value> inputs = {sums};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(outSizes.size())};
  auto addInput = [&](const LoopTensor &tensor) {
    inputs.push_back(tensor.value);
    maps.push_back(getOutMap(tensor.loops));
  };
  // For each side with zero points: they, then the sums of the other side.
  for (unsigned index : {0u, 1u}) {
    if (!sides[index].points)
      continue;
    addInput(sliceGrid(sides[index], sides[index].points, tile));
    addInput(buildCodeSums(1 - index, tile, codes[1 - index], sumType));
  }
  Value count;
  if (sides[0].points && sides[1].points) {
    count = arith::ConstantIndexOp::create(b, loc, 1);
    for (unsigned loop = 0; loop < contraction.getNumLoops(); ++loop)
      if (contraction.isReduction(loop))
        count = arith::MulIOp::create(
            b, loc, count,
            getValueOrCreateConstantIndexOp(b, loc, tile.sizes[loop]));
    count = arith::IndexCastOp::create(b, loc, sumType, count);
  }
  return buildElementwise(
      b, loc, inputs, maps, outSizes, sumType,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        auto extend = [&](const Side &side, Value point) -> Value {
          if (side.isSigned())
            return arith::ExtSIOp::create(nb, nl, sumType, point);
          return arith::ExtUIOp::create(nb, nl, sumType, point);
        };
        Value sum = args[0];
        SmallVector<Value> points;
        unsigned next = 1;
        for (const Side &side : sides) {
          if (!side.points)
            continue;
          points.push_back(extend(side, args[next]));
          Value term =
              arith::MulIOp::create(nb, nl, points.back(), args[next + 1]);
          sum = arith::SubIOp::create(nb, nl, sum, term);
          next += 2;
        }
        if (!count)
          return sum;
        Value both = arith::MulIOp::create(nb, nl, points[0], points[1]);
        both = arith::MulIOp::create(nb, nl, both, count);
        return arith::AddIOp::create(nb, nl, sum, both);
      });
}

/// init + the products over a tile, zero points applied.
Value AffineContractionLowering::buildProducts(const Tile &tile, Value init,
                                               Type sumType) {
  bool bySums = pointsBySums();
  SmallVector<Value> codes = {buildCodes(sides[0], 0, tile),
                              buildCodes(sides[1], 1, tile)};
  SmallVector<Value> inputs(codes);
  SmallVector<AffineMap> maps = {contraction.maps[0], contraction.maps[1]};
  for (const Side &side : sides) {
    if (!side.points || bySums)
      continue;
    LoopTensor points = sliceGrid(side, side.points, tile);
    inputs.push_back(points.value);
    maps.push_back(getLoopMap(points.loops));
  }
  maps.push_back(contraction.maps[2]);
  bool integer = isInteger();
  Value sums = buildGeneric(
      b, loc, inputs, init, maps, contraction.iterators,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        SmallVector<Value> factors;
        unsigned next = 2;
        for (auto [index, side] : llvm::enumerate(sides)) {
          if (!side.isInteger()) {
            factors.push_back(buildCastFloat(nb, nl, args[index], sumType));
            continue;
          }
          Value code = buildExtendCode(nb, nl, args[index], side.isSigned());
          if (side.points && !bySums)
            code = arith::SubIOp::create(
                nb, nl, code,
                buildExtendCode(nb, nl, args[next++], side.isSigned()));
          if (!integer)
            code = arith::SIToFPOp::create(nb, nl, sumType, code);
          else if (!sumType.isInteger(32))
            code = arith::ExtSIOp::create(nb, nl, sumType, code);
          factors.push_back(code);
        }
        if (!integer)
          return arith::AddFOp::create(
              nb, nl, args.back(),
              arith::MulFOp::create(nb, nl, factors[0], factors[1]));
        return arith::AddIOp::create(
            nb, nl, args.back(),
            arith::MulIOp::create(nb, nl, factors[0], factors[1]));
      });
  if (!bySums || (!sides[0].points && !sides[1].points))
    return sums;
  return buildCorrected(tile, codes, sums);
}

/// carry + sums * scales, in the carry type; without a carry if it is null.
Value AffineContractionLowering::buildScaled(const Tile &tile, Value sums,
                                             Value carry) {
  SmallVector<Value> inputs = {sums};
  AffineMap identity = b.getMultiDimIdentityMap(outSizes.size());
  SmallVector<AffineMap> maps = {identity};
  for (const Side &side : sides) {
    if (!side.isInteger())
      continue;
    LoopTensor scales = sliceGrid(side, side.scales, tile);
    inputs.push_back(scales.value);
    maps.push_back(getOutMap(scales.loops));
  }
  unsigned numScales = inputs.size() - 1;
  if (carry) {
    inputs.push_back(carry);
    maps.push_back(identity);
  }
  // The product of two f32 scales is exact in f64, and neither overflows nor
  // vanishes there, so that 0 * inf cannot arise.
  Type f64 = b.getF64Type();
  Type wide = isInteger() ? f64 : floatType;
  return buildElementwise(
      b, loc, inputs, maps, outSizes, carryType,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value sum = args[0];
        if (isa<IntegerType>(sum.getType()))
          sum = arith::SIToFPOp::create(nb, nl, wide, sum);
        Value scale = buildCastFloat(nb, nl, args[1], wide);
        if (numScales == 2)
          scale = arith::MulFOp::create(nb, nl, scale,
                                        buildCastFloat(nb, nl, args[2], wide));
        Value term = arith::MulFOp::create(nb, nl, sum, scale);
        term = buildCastFloat(nb, nl, term, carryType);
        if (!carry)
          return term;
        return arith::AddFOp::create(nb, nl, args[1 + numScales], term);
      });
}
