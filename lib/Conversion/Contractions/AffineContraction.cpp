//===- AffineContraction.cpp - Contractions on integer codes --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Contractions.h"
#include "compress/Conversion/TiledLoop.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/PackedIntegers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

namespace {

/// A tensor indexed by parallel loops alone: a grid of scales or zero points,
/// or sums over one operand.
struct LoopTensor {
  Value value;
  /// The loop that indexes each dimension.
  SmallVector<unsigned> loops;
};

/// One dimension of a grid of scales.
struct GridDim {
  unsigned loop;
  /// Elements of the loop in one block; the grid is indexed by position / block
  /// for a reduction, and by the position itself for a parallel loop (the grid
  /// is expanded along those).
  int64_t block;
};

/// One operand of the contraction.
struct Side {
  Value value;
  RankedTensorType type;
  /// Null for a dense operand.
  AffineAttr encoding;
  SmallVector<OpFoldResult> sizes;
  /// Expanded grids; `points` is null without zero points.
  Value scales, points;
  SmallVector<GridDim> grid;

  bool isInteger() const { return static_cast<bool>(encoding); }
  bool isSigned() const { return encoding.getFormat().isSigned; }
};

/// The part of the iteration space that is computed at a time.
struct Tile {
  SmallVector<OpFoldResult> offsets, sizes;
};

class AffineContractionLowering {
public:
  AffineContractionLowering(RewriterBase &b, const Contraction &contraction)
      : b(b), loc(contraction.getLoc()), contraction(contraction) {}

  FailureOr<Value> run(int64_t tile);
  FailureOr<Value> runSums(int64_t tile);

private:
  void prepareSide(unsigned index);
  Value expandGrid(const Side &side, Value grid);
  void computeLoopSizes();
  void findBlockLoops();

  Value buildBlockLoops(unsigned next, Tile &tile, Value carry);
  Value buildScaledTile(const Tile &tile, Value carry);
  Value buildUnscaled(Tile &tile, int64_t step);

  Value buildCodes(const Side &side, unsigned index, const Tile &tile);
  Value buildProducts(const Tile &tile, Value init, Type sumType);
  Value buildCorrected(const Tile &tile, ArrayRef<Value> codes, Value sums);
  LoopTensor buildCodeSums(unsigned index, const Tile &tile, Value codes,
                           Type sumType);
  LoopTensor sliceGrid(const Side &side, Value grid, const Tile &tile);
  Value buildScaled(const Tile &tile, Value sums, Value carry);

  Value buildZeros(Type elementType);
  Value castTensor(Value tensor, Type elementType);
  AffineMap getOutMap(ArrayRef<unsigned> loops) const;
  AffineMap getLoopMap(ArrayRef<unsigned> loops) const;
  bool isInteger() const {
    return sides[0].isInteger() && sides[1].isInteger();
  }
  bool pointsBySums() const;
  std::optional<int64_t> getLongestSum(unsigned bits) const;
  Type getProductType(const Tile &tile) const;

  RewriterBase &b;
  Location loc;
  const Contraction &contraction;
  Side sides[2];
  SmallVector<OpFoldResult> loopSizes, outSizes;
  /// For each loop of the result, its dimension there.
  SmallVector<int64_t> outDim;
  /// Reductions along which scales vary, with the elements between changes.
  SmallVector<GridDim> blockLoops;
  /// The type in which scaled sums are added up, and that of float products.
  Type carryType, floatType;
};

} // namespace

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
// Tiles
//===----------------------------------------------------------------------===//

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

/// Whether `value` is a tensor of zeros.
static bool isZeroFill(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return false;
  FloatAttr constant;
  return matchPattern(fill.getInputs()[0], m_Constant(&constant)) &&
         constant.getValue().isPosZero();
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
        whole, sums, isZeroFill(init) ? Value() : castTensor(init, carryType));
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
