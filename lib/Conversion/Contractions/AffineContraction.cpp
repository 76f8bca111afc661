//===- AffineContraction.cpp - Contractions on integer codes --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineContraction.h"
#include "compress/Conversion/Contractions.h"
#include "compress/Conversion/TiledLoop.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

void AffineContractionLowering::computeLoopSizes() {
  loopSizes.resize(contraction.getNumLoops());
  SmallVector<OpFoldResult> initSizes =
      tensor::getMixedSizes(b, loc, contraction.getOperand(2));
  auto visit = [&](unsigned index, ArrayRef<OpFoldResult> sizes) {
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      std::optional<unsigned> loop = contraction.getPlainLoop(index, dim);
      if (!loop)
        continue;
      OpFoldResult &known = loopSizes[*loop];
      if (!known || (!getConstantIntValue(known) && getConstantIntValue(size)))
        known = size;
    }
  };
  visit(0, sides[0].sizes);
  visit(1, sides[1].sizes);
  visit(2, initSizes);
  outSizes = initSizes;
  outDim.assign(contraction.getNumLoops(), -1);
  for (auto [dim, expr] : llvm::enumerate(contraction.maps[2].getResults()))
    outDim[cast<AffineDimExpr>(expr).getPosition()] = dim;
}

void AffineContractionLowering::prepareSide(unsigned index) {
  Side &side = sides[index];
  side.value = contraction.getOperand(index);
  side.type = cast<RankedTensorType>(side.value.getType());
  side.encoding = dyn_cast_or_null<AffineAttr>(side.type.getEncoding());
  side.sizes = side.isInteger()
                   ? side.encoding.getLogicalSizes(b, loc, side.value)
                   : tensor::getMixedSizes(b, loc, side.value);
}

/// Removes the dimensions of one block from a grid and expands those of
/// parallel loops to one element a position. Fills in `side.grid` beforehand.
Value AffineContractionLowering::expandGrid(const Side &side, Value grid) {
  SmallVector<OpFoldResult> gridSizes = tensor::getMixedSizes(b, loc, grid);
  SmallVector<OpFoldResult> sizes;
  /// For each dimension of the new grid: that of the old one, and the divisor.
  SmallVector<std::pair<int64_t, int64_t>> sources;
  bool sameShape = true;
  unsigned next = 0;
  for (auto [position, dim] :
       llvm::enumerate(side.encoding.getGridDims(side.type.getRank()))) {
    int64_t block = side.encoding.getBlockSize(dim);
    if (!side.type.isDynamicDim(dim) && side.type.getDimSize(dim) <= block &&
        !(side.type.getDimSize(dim) == 0)) {
      sameShape = false;
      continue;
    }
    bool expand = !contraction.isReduction(side.grid[next++].loop) && block > 1;
    sameShape &= !expand;
    sizes.push_back(expand ? side.sizes[dim] : gridSizes[position]);
    sources.push_back({position, expand ? block : 1});
  }
  if (sameShape)
    return grid;
  Type elementType = cast<RankedTensorType>(grid.getType()).getElementType();
  return buildElementwise(
      b, loc, {}, {}, sizes, elementType,
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        SmallVector<Value> index(gridSizes.size(),
                                 arith::ConstantIndexOp::create(nb, nl, 0));
        for (auto [dim, source] : llvm::enumerate(sources)) {
          Value position = linalg::IndexOp::create(nb, nl, dim);
          if (source.second > 1)
            position = arith::DivUIOp::create(
                nb, nl, position,
                arith::ConstantIndexOp::create(nb, nl, source.second));
          index[source.first] = position;
        }
        return tensor::ExtractOp::create(nb, nl, grid, index);
      });
}

void AffineContractionLowering::findBlockLoops() {
  SmallVector<int64_t> common(contraction.getNumLoops(), 0);
  for (Side &side : sides) {
    if (!side.isInteger())
      continue;
    unsigned index = &side - sides;
    for (int64_t dim : side.encoding.getGridDims(side.type.getRank())) {
      int64_t block = side.encoding.getBlockSize(dim);
      bool oneBlock = !side.type.isDynamicDim(dim) &&
                      side.type.getDimSize(dim) <= block &&
                      side.type.getDimSize(dim) != 0;
      if (oneBlock)
        continue;
      unsigned loop = *contraction.getPlainLoop(index, dim);
      side.grid.push_back({loop, block});
      if (contraction.isReduction(loop))
        common[loop] = std::gcd(common[loop], block);
    }
    side.scales = expandGrid(side, buildAffineScales(b, loc, side.value));
    if (Value points = buildAffineZeroPoints(b, loc, side.value))
      side.points = expandGrid(side, points);
  }
  for (auto [loop, block] : llvm::enumerate(common))
    if (block)
      blockLoops.push_back({static_cast<unsigned>(loop), block});
}

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

/// From the dimensions of the result to those of a tensor indexed by `loops`.
AffineMap AffineContractionLowering::getOutMap(ArrayRef<unsigned> loops) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(b.getAffineDimExpr(outDim[loop]));
  return AffineMap::get(outSizes.size(), 0, exprs, b.getContext());
}

/// From all loops to the dimensions of a tensor indexed by `loops`.
AffineMap
AffineContractionLowering::getLoopMap(ArrayRef<unsigned> loops) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(b.getAffineDimExpr(loop));
  return AffineMap::get(contraction.getNumLoops(), 0, exprs, b.getContext());
}

Value AffineContractionLowering::buildZeros(Type elementType) {
  Value empty = tensor::EmptyOp::create(b, loc, outSizes, elementType);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

Value AffineContractionLowering::castTensor(Value tensor, Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == elementType)
    return tensor;
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return buildElementwise(
      b, loc, tensor, identity, outSizes, elementType,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        if (isa<FloatType>(elementType))
          return buildCastFloat(nb, nl, args[0], elementType);
        return arith::ExtSIOp::create(nb, nl, elementType, args[0]);
      });
}

/// Whether zero points are applied to sums of codes. That needs every reduction
/// to run over both operands; and float products have no exact sums.
bool AffineContractionLowering::pointsBySums() const {
  if (!isInteger())
    return false;
  for (unsigned loop = 0; loop < contraction.getNumLoops(); ++loop)
    if (contraction.isReduction(loop) &&
        (!contraction.involves(0, loop) || !contraction.involves(1, loop)))
      return false;
  return true;
}

/// The most products that surely fit a signed integer of `bits` bits. Codes of
/// any origin count, so that also a narrow format has its lowest code.
std::optional<int64_t>
AffineContractionLowering::getLongestSum(unsigned bits) const {
  auto largest = [](const Side &side) -> int64_t {
    ::compress::numerics::IntegerFormat format = side.encoding.getFormat();
    format.narrow = false;
    if (side.points)
      return int64_t(format.getMax()) - format.getMin();
    return std::max<int64_t>(format.getMax(), -int64_t(format.getMin()));
  };
  int64_t product = largest(sides[0]) * largest(sides[1]);
  return ((int64_t(1) << (bits - 1)) - 1) / product;
}

/// The integer type that holds the sum over `tile`, or the float type.
/// Intermediate sums may wrap: the final value is what it is modulo 2^32.
Type AffineContractionLowering::getProductType(const Tile &tile) const {
  if (!isInteger())
    return floatType;
  int64_t count = 1;
  for (auto [loop, size] : llvm::enumerate(tile.sizes)) {
    if (!contraction.isReduction(loop))
      continue;
    std::optional<int64_t> constant = getConstantIntValue(size);
    // A ragged last block is smaller than the block.
    if (!constant)
      for (const GridDim &blockLoop : blockLoops)
        if (blockLoop.loop == loop)
          constant = blockLoop.block;
    if (!constant || llvm::MulOverflow(count, *constant, count))
      return b.getI64Type();
  }
  return count <= *getLongestSum(32) ? b.getI32Type() : b.getI64Type();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A tile whose scales are the same along all reductions, added to `carry`.
Value AffineContractionLowering::buildScaledTile(const Tile &tile,
                                                 Value carry) {
  Type sumType = getProductType(tile);
  Value sums = buildProducts(tile, buildZeros(sumType), sumType);
  return buildScaled(tile, sums, carry);
}

/// Loops over the blocks of the reductions along which scales vary.
Value AffineContractionLowering::buildBlockLoops(unsigned next, Tile &tile,
                                                 Value carry) {
  if (next == blockLoops.size())
    return buildScaledTile(tile, carry);
  GridDim blockLoop = blockLoops[next];
  return buildTiledLoop(
      b, loc, loopSizes[blockLoop.loop], blockLoop.block, carry,
      [&](OpFoldResult offset, OpFoldResult size, Value inner) {
        tile.offsets[blockLoop.loop] = offset;
        tile.sizes[blockLoop.loop] = size;
        return buildBlockLoops(next + 1, tile, inner);
      });
}

/// The unscaled sums of the whole reduction, in tiles of `step` elements of one
/// reduction if that is positive or needed to prove the sum's type.
Value AffineContractionLowering::buildUnscaled(Tile &tile, int64_t step) {
  Type wholeType = getProductType(tile);
  // The largest reduction that slices all operands.
  std::optional<unsigned> loop;
  for (unsigned candidate = 0; candidate < contraction.getNumLoops();
       ++candidate)
    if (contraction.isReduction(candidate) &&
        contraction.isSliceable(candidate) &&
        (!loop || ShapedType::isDynamic(contraction.getStaticSize(candidate)) ||
         contraction.getStaticSize(candidate) >
             contraction.getStaticSize(*loop)))
      loop = candidate;
  // Sums that may not fit i32 are cut into chunks that do.
  if (loop && wholeType.isInteger(64)) {
    Tile one = tile;
    one.sizes[*loop] = b.getIndexAttr(1);
    int64_t rest = 1;
    for (auto [other, size] : llvm::enumerate(one.sizes))
      if (contraction.isReduction(other))
        rest *= getConstantIntValue(size).value_or(0);
    int64_t longest = rest > 0 ? *getLongestSum(32) / rest : 0;
    longest = longest / 8 * 8;
    if (longest > 0)
      step = step > 0 ? std::min(step, longest) : longest;
  }
  std::optional<int64_t> size =
      loop ? getConstantIntValue(loopSizes[*loop]) : std::nullopt;
  if (!loop || step <= 0 || (size && *size <= step))
    return buildProducts(tile, buildZeros(wholeType), wholeType);
  return buildTiledLoop(
      b, loc, loopSizes[*loop], step, buildZeros(wholeType),
      [&](OpFoldResult offset, OpFoldResult tileSize, Value carry) -> Value {
        Tile part = tile;
        part.offsets[*loop] = offset;
        // The rest is shorter than a step: its static bound decides the type.
        part.sizes[*loop] = b.getIndexAttr(step);
        Type sumType = getProductType(part);
        part.sizes[*loop] = tileSize;
        if (sumType == wholeType)
          return buildProducts(part, carry, sumType);
        Value sums = castTensor(
            buildProducts(part, buildZeros(sumType), sumType), wholeType);
        AffineMap identity = b.getMultiDimIdentityMap(outSizes.size());
        return buildElementwise(
            b, loc, {carry, sums}, {identity, identity}, outSizes, wholeType,
            [](OpBuilder &nb, Location nl, ValueRange args) -> Value {
              return arith::AddIOp::create(nb, nl, args[0], args[1]);
            });
      });
}

FailureOr<Value> AffineContractionLowering::run(int64_t step) {
  prepareSide(0);
  prepareSide(1);
  computeLoopSizes();
  Value init = contraction.getOperand(2);
  Type outType = cast<RankedTensorType>(init.getType()).getElementType();
  if (!isSupportedFloat(outType))
    return failure();
  if (contraction.hasEmptyResult())
    return init;
  auto isDouble = [](const Side &side) {
    return !side.isInteger() && side.type.getElementType().isF64();
  };
  carryType = outType.isF64() ? b.getF64Type() : b.getF32Type();
  floatType = outType.isF64() || isDouble(sides[0]) || isDouble(sides[1])
                  ? b.getF64Type()
                  : b.getF32Type();
  findBlockLoops();

  // An offset of -1 marks a loop that is not tiled.
  Tile whole{
      SmallVector<OpFoldResult>(contraction.getNumLoops(), b.getIndexAttr(-1)),
      loopSizes};
  Value result;
  if (!blockLoops.empty()) {
    result = buildBlockLoops(0, whole, castTensor(init, carryType));
  } else {
    Value sums = buildUnscaled(whole, step);
    result = buildScaled(
        whole, sums,
        contraction.hasZeroInit() ? Value() : castTensor(init, carryType));
  }
  result = castTensor(result, outType);
  if (result.getType() != init.getType())
    result = tensor::CastOp::create(b, loc, init.getType(), result);
  return result;
}

/// The sums alone.
FailureOr<Value> AffineContractionLowering::runSums(int64_t step) {
  prepareSide(0);
  prepareSide(1);
  if (!isInteger())
    return failure();
  computeLoopSizes();
  floatType = b.getF32Type();
  findBlockLoops();
  if (!blockLoops.empty())
    return failure();
  Tile whole{
      SmallVector<OpFoldResult>(contraction.getNumLoops(), b.getIndexAttr(-1)),
      loopSizes};
  return buildUnscaled(whole, step);
}

FailureOr<Value>
mlir::compress::buildIntegerSums(RewriterBase &rewriter,
                                 const Contraction &contraction, int64_t tile) {
  return AffineContractionLowering(rewriter, contraction).runSums(tile);
}

FailureOr<Value> mlir::compress::lowerAffineContraction(
    RewriterBase &rewriter, const Contraction &contraction, int64_t tile) {
  return AffineContractionLowering(rewriter, contraction).run(tile);
}
