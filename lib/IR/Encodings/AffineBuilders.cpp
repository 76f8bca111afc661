//===- AffineBuilders.cpp - The affine encoding: IR for quantize and decode
//-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/Compress.h"
#include "compress/IR/PackedIntegers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

namespace {
/// The shapes of the pieces of an affine tensor, for given logical sizes.
///
/// Quantize and decode work on the *split view*: each dimension with a block
/// size above 1 becomes two, [blocks, block size]. There scales are indexed by
/// dimensions alone, without floordiv, which is what vectorizes.
struct AffineShapes {
  AffineShapes(OpBuilder &b, Location loc, AffineAttr encoding,
               ArrayRef<OpFoldResult> logicalSizes)
      : sizes(logicalSizes) {
    MLIRContext *context = b.getContext();
    SmallVector<AffineExpr> gridExprs;
    for (auto [d, size] : llvm::enumerate(logicalSizes)) {
      int64_t block = encoding.getBlockSize(d);
      blocks.push_back(std::max<int64_t>(block, 1));
      OpFoldResult count = block > 1 ? buildCeilDiv(b, loc, size, block) : size;
      padded.push_back(block > 1 ? buildMul(b, loc, count, block) : size);
      if (block != AffineAttr::kWholeDim) {
        grid.push_back(count);
        gridExprs.push_back(getAffineDimExpr(split.size(), context));
      } else {
        reducedDims.push_back(split.size());
      }
      split.push_back(count);
      if (block > 1) {
        reducedDims.push_back(split.size());
        split.push_back(b.getIndexAttr(block));
      }
    }
    gridMap = AffineMap::get(split.size(), 0, gridExprs, context);
    identityMap = AffineMap::getMultiDimIdentityMap(split.size(), context);
  }

  SmallVector<OpFoldResult> sizes, padded, grid, split;
  /// The block size of each dimension, 1 for `*`.
  SmallVector<int64_t> blocks;
  /// Dimensions of the split view over which a scale is shared.
  SmallVector<int64_t> reducedDims;
  /// Split view to grid, and to itself.
  AffineMap gridMap, identityMap;
};
} // namespace

Value mlir::compress::buildExtendCode(OpBuilder &b, Location loc, Value code,
                                      bool isSigned) {
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, b.getI32Type(), code);
  return arith::ExtUIOp::create(b, loc, b.getI32Type(), code);
}

Value mlir::compress::buildCastFloat(OpBuilder &b, Location loc, Value value,
                                     Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

/// max or min of values that are known not to be NaN.
static Value buildMax(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return arith::MaxNumFOp::create(b, loc, lhs, rhs, arith::FastMathFlags::nnan);
}
static Value buildMin(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return arith::MinNumFOp::create(b, loc, lhs, rhs, arith::FastMathFlags::nnan);
}
static Value buildClamp(OpBuilder &b, Location loc, Value value, double low,
                        double high) {
  Type type = value.getType();
  value = buildMax(b, loc, value, buildFloat(b, loc, type, low));
  return buildMin(b, loc, value, buildFloat(b, loc, type, high));
}

static Value buildIsZero(OpBuilder &b, Location loc, Value value) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, value,
                               buildFloat(b, loc, value.getType(), 0));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The unrounded f32 scale of a range; see num::chooseParams.
static Value buildRawScale(OpBuilder &b, Location loc, AffineAttr encoding,
                           Value low, Value high) {
  num::IntegerFormat format = encoding.getFormat();
  Type f32 = b.getF32Type();
  auto divide = [&](Value value, double by) -> Value {
    return arith::DivFOp::create(b, loc, value, buildFloat(b, loc, f32, by));
  };
  Value scale;
  if (!encoding.getAsymmetric()) {
    scale = divide(high, format.getMax());
    if (format.getMin() != 0)
      scale = buildMax(b, loc, scale, divide(low, format.getMin()));
  } else {
    double steps = format.getMax() - format.getMin();
    Value difference = arith::SubFOp::create(b, loc, high, low);
    Value infinity =
        buildFloat(b, loc, f32, std::numeric_limits<float>::infinity());
    Value overflows = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                            difference, infinity);
    Value apart =
        arith::SubFOp::create(b, loc, divide(high, steps), divide(low, steps));
    scale = arith::SelectOp::create(b, loc, overflows, apart,
                                    divide(difference, steps));
  }
  Value isEmpty = arith::AndIOp::create(b, loc, buildIsZero(b, loc, low),
                                        buildIsZero(b, loc, high));
  return arith::SelectOp::create(b, loc, isEmpty, buildFloat(b, loc, f32, 1),
                                 scale);
}

/// `scale` (f32) rounded to `type` and clamped as num::roundScale does, as f32.
static Value buildRoundScale(OpBuilder &b, Location loc, Value scale,
                             num::ScaleType type) {
  Type f32 = b.getF32Type();
  double largest = std::numeric_limits<float>::max();
  if (type == num::ScaleType::F16) {
    scale = buildCastFloat(b, loc,
                           buildCastFloat(b, loc, scale, b.getF16Type()), f32);
    largest = 65504;
  } else if (type == num::ScaleType::BF16) {
    scale = buildCastFloat(b, loc,
                           buildCastFloat(b, loc, scale, b.getBF16Type()), f32);
    largest = 0x1.FEp127;
  }
  return buildClamp(b, loc, scale, num::getSmallestScale(type), largest);
}

/// round_half_even(qmin - low / scale), clamped, in the code's byte type.
static Value buildZeroPoint(OpBuilder &b, Location loc,
                            num::IntegerFormat format, Value low, Value scale,
                            Type codeType) {
  Value quotient = arith::DivFOp::create(b, loc, low, scale);
  Value point = arith::SubFOp::create(
      b, loc, buildFloat(b, loc, low.getType(), format.getMin()), quotient);
  point = math::RoundEvenOp::create(b, loc, point);
  point = buildClamp(b, loc, point, format.getMin(), format.getMax());
  Value integer = arith::FPToSIOp::create(b, loc, b.getI32Type(), point);
  return arith::TruncIOp::create(b, loc, codeType, integer);
}

/// The type in which one code is held unpacked.
static Type getCodeType(OpBuilder &b, num::IntegerFormat format) {
  return format.bits <= 8 ? b.getI8Type() : b.getI16Type();
}

/// Two-level scales from block scales: packed codes, super scales, and the
/// effective block scales in f32.
static void buildTwoLevel(OpBuilder &b, Location loc, AffineAttr encoding,
                          RankedTensorType type, const AffineShapes &shapes,
                          Value scales, Value &codes, Value &superScales,
                          Value &effective);

/// The f32 scales of the whole grid as they count: converted from f16 or
/// bf16, or the product of both levels.
static Value buildEffectiveScales(OpBuilder &b, Location loc,
                                  AffineAttr encoding, int64_t rank,
                                  ArrayRef<OpFoldResult> grid, Value scales,
                                  Value superScales);

namespace {
/// How a two-level grid is split into super blocks.
struct SuperShapes {
  SuperShapes(OpBuilder &b, Location loc, AffineAttr encoding, int64_t rank,
              ArrayRef<OpFoldResult> grid) {
    for (auto [size, d] : llvm::zip_equal(grid, encoding.getGridDims(rank))) {
      int64_t super = encoding.getSuperBlock()[d];
      ratios.push_back(super == AffineAttr::kWholeDim
                           ? AffineAttr::kWholeDim
                           : super / encoding.getBlockSize(d));
      gridSizes.push_back(size);
      if (super != AffineAttr::kWholeDim)
        superSizes.push_back(buildCeilDiv(b, loc, size, ratios.back()));
    }
  }
  /// Blocks in a super block along each grid dimension, or kWholeDim.
  SmallVector<int64_t> ratios;
  SmallVector<OpFoldResult> gridSizes, superSizes;

  /// Position in the super grid of the current grid position of a generic.
  SmallVector<Value> buildSuperIndex(OpBuilder &b, Location loc) const {
    SmallVector<Value> index;
    for (auto [d, ratio] : llvm::enumerate(ratios)) {
      if (ratio == AffineAttr::kWholeDim)
        continue;
      Value position = linalg::IndexOp::create(b, loc, d);
      index.push_back(arith::DivUIOp::create(
          b, loc, position, arith::ConstantIndexOp::create(b, loc, ratio)));
    }
    return index;
  }
};
} // namespace

FailureOr<SmallVector<OpFoldResult>>
AffineAttr::getComponentSizes(OpBuilder &b, Location loc, Value encoded,
                              unsigned index) const {
  auto type = cast<RankedTensorType>(encoded.getType());
  AffineShapes shapes(b, loc, *this, getLogicalSizes(b, loc, encoded));
  int position = static_cast<int>(index);
  if (position == kValues)
    return shapes.padded;
  if (position == kScales || position == getZeroPointsIndex())
    return shapes.grid;
  if (position == getSuperScalesIndex())
    return SuperShapes(b, loc, *this, type.getRank(), shapes.grid).superSizes;
  return failure();
}

static void buildTwoLevel(OpBuilder &b, Location loc, AffineAttr encoding,
                          RankedTensorType type, const AffineShapes &shapes,
                          Value scales, Value &codes, Value &superScales,
                          Value &effective) {
  Type f32 = b.getF32Type();
  SuperShapes super(b, loc, encoding, type.getRank(), shapes.grid);
  unsigned codeBits = encoding.getScaleType().getIntOrFloatBitWidth();
  double maxCode = (1 << codeBits) - 1;

  // The largest block scale of each super block. Ragged super blocks are
  // padded with 0, which never wins.
  SmallVector<OpFoldResult> paddedGrid;
  SmallVector<int64_t> blocks;
  SmallVector<AffineExpr> superExprs;
  SmallVector<utils::IteratorType> iterators;
  for (auto [size, ratio] : llvm::zip_equal(super.gridSizes, super.ratios)) {
    bool whole = ratio == AffineAttr::kWholeDim;
    blocks.push_back(whole ? 1 : ratio);
    paddedGrid.push_back(
        blocks.back() > 1
            ? buildMul(b, loc, buildCeilDiv(b, loc, size, ratio), ratio)
            : size);
    if (!whole)
      superExprs.push_back(b.getAffineDimExpr(iterators.size()));
    iterators.push_back(whole ? utils::IteratorType::reduction
                              : utils::IteratorType::parallel);
    if (blocks.back() > 1)
      iterators.push_back(utils::IteratorType::reduction);
  }
  Value padded =
      buildPadTo(b, loc, scales, paddedGrid, buildFloat(b, loc, f32, 0));
  Value split = buildSplitBlocks(b, loc, padded, blocks);
  Value zeros =
      linalg::FillOp::create(
          b, loc, buildFloat(b, loc, f32, 0),
          tensor::EmptyOp::create(b, loc, super.superSizes, f32).getResult())
          .getResult(0);
  Value largest = buildGeneric(
      b, loc, split, zeros,
      {b.getMultiDimIdentityMap(iterators.size()),
       AffineMap::get(iterators.size(), 0, superExprs, b.getContext())},
      iterators, [](OpBuilder &nb, Location nl, ValueRange args) {
        return buildMax(nb, nl, args[0], args[1]);
      });
  num::ScaleType superType = encoding.getNumericScaleType();
  AffineMap superMap = b.getMultiDimIdentityMap(super.superSizes.size());
  superScales = buildElementwise(
      b, loc, largest, superMap, super.superSizes, encoding.getSuperScaleType(),
      [&](OpBuilder &nb, Location nl, ValueRange args) {
        Value scale = arith::DivFOp::create(nb, nl, args[0],
                                            buildFloat(nb, nl, f32, maxCode));
        scale = buildRoundScale(nb, nl, scale, superType);
        return buildCastFloat(nb, nl, scale, encoding.getSuperScaleType());
      });
  AffineMap gridMap = b.getMultiDimIdentityMap(shapes.grid.size());
  Value unpacked = buildElementwise(
      b, loc, scales, gridMap, shapes.grid, b.getI8Type(),
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value by = tensor::ExtractOp::create(nb, nl, superScales,
                                             super.buildSuperIndex(nb, nl));
        Value code = arith::DivFOp::create(nb, nl, args[0],
                                           buildCastFloat(nb, nl, by, f32));
        code = math::RoundEvenOp::create(nb, nl, code);
        code = buildClamp(nb, nl, code, 1, maxCode);
        // Rounding up twice may overflow; then the next lower code does not.
        Value one = buildFloat(nb, nl, f32, 1);
        Value product = arith::MulFOp::create(nb, nl, code,
                                              buildCastFloat(nb, nl, by, f32));
        Value overflows = arith::CmpFOp::create(
            nb, nl, arith::CmpFPredicate::OEQ, product,
            buildFloat(nb, nl, f32, std::numeric_limits<float>::infinity()));
        Value lower = arith::SubFOp::create(nb, nl, code, one);
        code = arith::SelectOp::create(nb, nl, overflows,
                                       buildMax(nb, nl, lower, one), code);
        Value integer = arith::FPToSIOp::create(nb, nl, nb.getI32Type(), code);
        return arith::TruncIOp::create(nb, nl, nb.getI8Type(), integer);
      });
  codes = buildPack(b, loc, unpacked, codeBits);
  effective = buildEffectiveScales(b, loc, encoding, type.getRank(),
                                   shapes.grid, codes, superScales);
}

static Value buildEffectiveScales(OpBuilder &b, Location loc,
                                  AffineAttr encoding, int64_t rank,
                                  ArrayRef<OpFoldResult> grid, Value scales,
                                  Value superScales) {
  Type f32 = b.getF32Type();
  AffineMap gridMap = b.getMultiDimIdentityMap(grid.size());
  if (!encoding.isTwoLevel()) {
    if (encoding.getScaleType().isF32())
      return scales;
    return buildElementwise(b, loc, scales, gridMap, grid, f32,
                            [&](OpBuilder &nb, Location nl, ValueRange args) {
                              return buildCastFloat(nb, nl, args[0], f32);
                            });
  }
  SuperShapes super(b, loc, encoding, rank, grid);
  auto codeType = cast<IntegerType>(encoding.getScaleType());
  SmallVector<int64_t> shape;
  for (OpFoldResult size : grid)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto logicalType = RankedTensorType::get(
      shape, IntegerType::get(b.getContext(), codeType.getWidth()));
  SmallVector<OpFoldResult> zeros(grid.size(), b.getIndexAttr(0));
  Value codes = buildUnpackTile(b, loc, scales, logicalType,
                                /*isSigned=*/false, zeros, grid);
  return buildElementwise(
      b, loc, codes, gridMap, grid, f32,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value by = tensor::ExtractOp::create(nb, nl, superScales,
                                             super.buildSuperIndex(nb, nl));
        Value code = arith::UIToFPOp::create(nb, nl, f32, args[0]);
        return arith::MulFOp::create(nb, nl, code,
                                     buildCastFloat(nb, nl, by, f32));
      });
}

FailureOr<SmallVector<Value>>
AffineAttr::buildChooseParams(OpBuilder &b, Location loc, RankedTensorType type,
                              Value value,
                              CalibratorAttrInterface calibrator) const {
  AffineShapes shapes(b, loc, *this, tensor::getMixedSizes(b, loc, value));
  Type f32 = b.getF32Type();
  // Zeros are part of every range, so that padding with them changes nothing.
  Value padded = buildPadTo(b, loc, value, shapes.padded,
                            buildFloat(b, loc, type.getElementType(), 0));
  Value split = buildSplitBlocks(b, loc, padded, shapes.blocks);
  auto [low, high] = calibrator.buildRange(b, loc, split, shapes.reducedDims);

  AffineMap gridMap = b.getMultiDimIdentityMap(shapes.grid.size());
  num::ScaleType rounding =
      isTwoLevel() ? num::ScaleType::F32 : getNumericScaleType();
  Value scales = buildElementwise(
      b, loc, {low, high}, {gridMap, gridMap}, shapes.grid, f32,
      [&](OpBuilder &nb, Location nl, ValueRange args) {
        Value scale =
            buildRawScale(nb, nl, *this, buildCastFloat(nb, nl, args[0], f32),
                          buildCastFloat(nb, nl, args[1], f32));
        return buildRoundScale(nb, nl, scale, rounding);
      });
  SmallVector<Value> params;
  Value effective = scales;
  if (isTwoLevel()) {
    Value codes, superScales;
    buildTwoLevel(b, loc, *this, type, shapes, scales, codes, superScales,
                  effective);
    params = {codes, superScales};
  } else if (getScaleType().isF32()) {
    params = {scales};
  } else {
    params = {buildElementwise(
        b, loc, scales, gridMap, shapes.grid, getScaleType(),
        [&](OpBuilder &nb, Location nl, ValueRange args) {
          return buildCastFloat(nb, nl, args[0], getScaleType());
        })};
  }
  if (getAsymmetric()) {
    num::IntegerFormat format = getFormat();
    Type codeType = getCodeType(b, format);
    Value points = buildElementwise(
        b, loc, {low, effective}, {gridMap, gridMap}, shapes.grid, codeType,
        [&](OpBuilder &nb, Location nl, ValueRange args) {
          return buildZeroPoint(nb, nl, format,
                                buildCastFloat(nb, nl, args[0], f32), args[1],
                                codeType);
        });
    params.push_back(buildPack(b, loc, points, format.bits));
  }
  return params;
}

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

/// The zero points of the whole grid, one a byte (or i16).
static Value buildUnpackZeroPoints(OpBuilder &b, Location loc,
                                   AffineAttr encoding,
                                   ArrayRef<OpFoldResult> grid, Value points) {
  num::IntegerFormat format = encoding.getFormat();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : grid)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto logicalType = RankedTensorType::get(
      shape, IntegerType::get(b.getContext(), format.bits));
  SmallVector<OpFoldResult> zeros(grid.size(), b.getIndexAttr(0));
  return buildUnpackTile(b, loc, points, logicalType, format.isSigned, zeros,
                         grid);
}

/// saturate(round_half_even(value / scale) + zeroPoint); zeroPoint may be null.
static Value buildQuantizeScalar(OpBuilder &b, Location loc,
                                 num::IntegerFormat format, Value value,
                                 Value scale, Value zeroPoint) {
  Type type = value.getType().isF64() ? b.getF64Type() : b.getF32Type();
  Value quotient =
      arith::DivFOp::create(b, loc, buildCastFloat(b, loc, value, type),
                            buildCastFloat(b, loc, scale, type));
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      quotient, quotient);
  quotient = arith::SelectOp::create(b, loc, isNaN, buildFloat(b, loc, type, 0),
                                     quotient);
  Value code = math::RoundEvenOp::create(b, loc, quotient);
  if (zeroPoint) {
    Value point = buildExtendCode(b, loc, zeroPoint, format.isSigned);
    code = arith::AddFOp::create(b, loc, code,
                                 arith::SIToFPOp::create(b, loc, type, point));
  }
  code = buildClamp(b, loc, code, format.getMin(), format.getMax());
  Value integer = arith::FPToSIOp::create(b, loc, b.getI32Type(), code);
  return arith::TruncIOp::create(b, loc, getCodeType(b, format), integer);
}

FailureOr<Value> AffineAttr::buildQuantize(OpBuilder &b, Location loc,
                                           RankedTensorType type, Value value,
                                           ValueRange params) const {
  AffineShapes shapes(b, loc, *this, tensor::getMixedSizes(b, loc, value));
  num::IntegerFormat format = getFormat();
  Value scales =
      buildEffectiveScales(b, loc, *this, type.getRank(), shapes.grid,
                           params[0], isTwoLevel() ? params[1] : Value());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps = {shapes.identityMap, shapes.gridMap};
  // Padding quantizes to the code of zero.
  Value padded = buildPadTo(b, loc, value, shapes.padded,
                            buildFloat(b, loc, type.getElementType(), 0));
  inputs = {buildSplitBlocks(b, loc, padded, shapes.blocks), scales};
  if (getAsymmetric()) {
    inputs.push_back(
        buildUnpackZeroPoints(b, loc, *this, shapes.grid, params.back()));
    maps.push_back(shapes.gridMap);
  }
  Value codes = buildElementwise(
      b, loc, inputs, maps, shapes.split, getCodeType(b, format),
      [&](OpBuilder &nb, Location nl, ValueRange args) {
        return buildQuantizeScalar(nb, nl, format, args[0], args[1],
                                   getAsymmetric() ? args[2] : Value());
      });
  codes = buildMergeBlocks(b, loc, codes, shapes.blocks);

  SmallVector<Value> components = {buildPack(b, loc, codes, format.bits)};
  llvm::append_range(components, params);
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (hasSizeComponent(type, d))
      components.push_back(
          getValueOrCreateConstantIndexOp(b, loc, shapes.sizes[d]));
  return AssembleOp::create(b, loc, type, components).getResult();
}

//===----------------------------------------------------------------------===//
// Decode
//===----------------------------------------------------------------------===//

/// (code - zeroPoint) * scale, rounded once to `type`. The difference has at
/// most 17 bits and the scale 24, so f64 holds the product exactly.
static Value buildDecodeScalar(OpBuilder &b, Location loc, AffineAttr encoding,
                               Type type, Value code, Value scale,
                               Value zeroPoint) {
  num::IntegerFormat format = encoding.getFormat();
  Value integer = buildExtendCode(b, loc, code, format.isSigned);
  if (zeroPoint)
    integer = arith::SubIOp::create(
        b, loc, integer, buildExtendCode(b, loc, zeroPoint, format.isSigned));
  // f32 too is exact for short codes with an 11-bit scale.
  bool exactInF32 = format.bits <= 8 && !encoding.isTwoLevel() &&
                    !encoding.getScaleType().isF32();
  Type wide = type.isF32() || (exactInF32 && !type.isF64()) ? b.getF32Type()
                                                            : b.getF64Type();
  Value number = arith::SIToFPOp::create(b, loc, wide, integer);
  Value product = arith::MulFOp::create(b, loc, number,
                                        buildCastFloat(b, loc, scale, wide));
  return buildCastFloat(b, loc, product, type);
}

FailureOr<Value>
AffineAttr::buildDecodeTile(OpBuilder &b, Location loc, Value encoded,
                            ArrayRef<OpFoldResult> offsets,
                            ArrayRef<OpFoldResult> sizes) const {
  auto type = cast<RankedTensorType>(encoded.getType());
  int64_t rank = type.getRank();
  num::IntegerFormat format = getFormat();
  SmallVector<EncodingComponent> components;
  if (failed(getComponents(type, components)))
    return failure();
  AffineShapes whole(b, loc, *this, getLogicalSizes(b, loc, encoded));
  AffineShapes tile(b, loc, *this, sizes);
  auto component = [&](int index) {
    return getStorageComponent(b, loc, encoded, index);
  };
  Value scales = buildEffectiveScales(
      b, loc, *this, rank, whole.grid, component(kScales),
      isTwoLevel() ? component(getSuperScalesIndex()) : Value());
  SmallVector<OpFoldResult> gridOffsets;
  for (int64_t d : getGridDims(rank))
    gridOffsets.push_back(buildFloorDiv(b, loc, offsets[d], getBlockSize(d)));
  auto sliceGrid = [&](Value grid) -> Value {
    if (isEqualConstantIntOrValueArray(whole.grid, tile.grid))
      return grid;
    return buildSlice(b, loc, grid, gridOffsets, tile.grid);
  };
  Value codes =
      buildUnpackTile(b, loc, component(kValues),
                      cast<RankedTensorType>(components[kValues].type),
                      format.isSigned, offsets, tile.padded);
  SmallVector<Value> inputs = {buildSplitBlocks(b, loc, codes, tile.blocks),
                               sliceGrid(scales)};
  SmallVector<AffineMap> maps = {tile.identityMap, tile.gridMap};
  if (getAsymmetric()) {
    inputs.push_back(sliceGrid(buildUnpackZeroPoints(
        b, loc, *this, whole.grid, component(getZeroPointsIndex()))));
    maps.push_back(tile.gridMap);
  }
  Value decoded = buildElementwise(
      b, loc, inputs, maps, tile.split, type.getElementType(),
      [&](OpBuilder &nb, Location nl, ValueRange args) {
        return buildDecodeScalar(nb, nl, *this, type.getElementType(), args[0],
                                 args[1], getAsymmetric() ? args[2] : Value());
      });
  decoded = buildMergeBlocks(b, loc, decoded, tile.blocks);
  return buildSliceTo(b, loc, decoded, sizes);
}

//===----------------------------------------------------------------------===//
// Convert
//===----------------------------------------------------------------------===//

/// The source grid position of the current position of a generic over
/// `dims`-shaped space, where one step of dimension d is steps[d] elements.
static SmallVector<Value> buildGridIndex(OpBuilder &b, Location loc,
                                         AffineAttr source, int64_t rank,
                                         ArrayRef<Value> elementIndex) {
  SmallVector<Value> index;
  for (int64_t d : source.getGridDims(rank))
    index.push_back(arith::DivUIOp::create(
        b, loc, elementIndex[d],
        arith::ConstantIndexOp::create(b, loc, source.getBlockSize(d))));
  return index;
}

FailureOr<Value> AffineAttr::buildConvert(OpBuilder &b, Location loc,
                                          RankedTensorType to,
                                          Value encoded) const {
  auto from = cast<RankedTensorType>(encoded.getType());
  auto source = dyn_cast_or_null<AffineAttr>(from.getEncoding());
  SmallVector<EncodingComponent> components;
  if (!source || failed(source.getComponents(from, components)))
    return failure();
  int64_t rank = to.getRank();
  SmallVector<OpFoldResult> sizes = source.getLogicalSizes(b, loc, encoded);
  AffineShapes oldShapes(b, loc, source, sizes),
      newShapes(b, loc, *this, sizes);
  auto component = [&](int index) {
    return getStorageComponent(b, loc, encoded, index);
  };
  Value scales = buildEffectiveScales(
      b, loc, source, rank, oldShapes.grid, component(kScales),
      source.isTwoLevel() ? component(source.getSuperScalesIndex()) : Value());
  Value points =
      source.getAsymmetric()
          ? buildUnpackZeroPoints(b, loc, source, oldShapes.grid,
                                  component(source.getZeroPointsIndex()))
          : Value();

  // Grids: each new block lies in one old block, that of its first element.
  SmallVector<int64_t> gridDims = getGridDims(rank);
  auto firstElement = [&](OpBuilder &nb, Location nl) {
    SmallVector<Value> index(rank, arith::ConstantIndexOp::create(nb, nl, 0));
    for (auto [position, d] : llvm::enumerate(gridDims))
      index[d] = arith::MulIOp::create(
          nb, nl, linalg::IndexOp::create(nb, nl, position),
          arith::ConstantIndexOp::create(nb, nl, getBlockSize(d)));
    return index;
  };
  Type codeType = getCodeType(b, getFormat());
  bool wasSigned = source.getFormat().isSigned;
  auto widen = [&](OpBuilder &nb, Location nl, Value code) -> Value {
    if (code.getType() == codeType)
      return code;
    if (wasSigned)
      return arith::ExtSIOp::create(nb, nl, codeType, code);
    return arith::ExtUIOp::create(nb, nl, codeType, code);
  };
  Value newScales = buildElementwise(
      b, loc, {}, {}, newShapes.grid, getScaleType(),
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        Value scale = tensor::ExtractOp::create(
            nb, nl, scales,
            buildGridIndex(nb, nl, source, rank, firstElement(nb, nl)));
        return buildCastFloat(nb, nl, scale, getScaleType());
      });
  auto readPoint = [&](OpBuilder &nb, Location nl,
                       ArrayRef<Value> element) -> Value {
    if (!points)
      return buildInt(nb, nl, codeType, 0);
    Value point = tensor::ExtractOp::create(
        nb, nl, points, buildGridIndex(nb, nl, source, rank, element));
    return widen(nb, nl, point);
  };
  SmallVector<Value> parts = {Value(), newScales};
  if (getAsymmetric()) {
    Value newPoints =
        buildElementwise(b, loc, {}, {}, newShapes.grid, codeType,
                         [&](OpBuilder &nb, Location nl, ValueRange) {
                           return readPoint(nb, nl, firstElement(nb, nl));
                         });
    parts.push_back(buildPack(b, loc, newPoints, getFormat().bits));
  }

  // Codes: unpadded, then padded anew with the code of zero of the last block.
  SmallVector<OpFoldResult> origin(rank, b.getIndexAttr(0));
  Value oldCodes =
      buildUnpackTile(b, loc, component(kValues),
                      cast<RankedTensorType>(components[kValues].type),
                      wasSigned, origin, oldShapes.padded);
  SmallVector<Value> limits;
  for (OpFoldResult size : sizes)
    limits.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
  Value codes = buildElementwise(
      b, loc, {}, {}, newShapes.padded, codeType,
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        Value inside = buildInt(nb, nl, nb.getI1Type(), 1);
        SmallVector<Value> element;
        Value one = arith::ConstantIndexOp::create(nb, nl, 1);
        for (int64_t d = 0; d < rank; ++d) {
          Value position = linalg::IndexOp::create(nb, nl, d);
          Value last = arith::SubIOp::create(nb, nl, limits[d], one);
          inside = arith::AndIOp::create(
              nb, nl, inside,
              arith::CmpIOp::create(nb, nl, arith::CmpIPredicate::ule, position,
                                    last));
          element.push_back(arith::MinUIOp::create(nb, nl, position, last));
        }
        Value code =
            widen(nb, nl, tensor::ExtractOp::create(nb, nl, oldCodes, element));
        return arith::SelectOp::create(nb, nl, inside, code,
                                       readPoint(nb, nl, element));
      });
  parts[0] = buildPack(b, loc, codes, getFormat().bits);
  for (int64_t d = 0; d < rank; ++d)
    if (hasSizeComponent(to, d))
      parts.push_back(getValueOrCreateConstantIndexOp(b, loc, sizes[d]));
  return AssembleOp::create(b, loc, to, parts).getResult();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value mlir::compress::buildAffineScales(OpBuilder &b, Location loc,
                                        Value encoded) {
  auto type = cast<RankedTensorType>(encoded.getType());
  auto encoding = cast<AffineAttr>(type.getEncoding());
  AffineShapes shapes(b, loc, encoding,
                      encoding.getLogicalSizes(b, loc, encoded));
  return buildEffectiveScales(
      b, loc, encoding, type.getRank(), shapes.grid,
      getStorageComponent(b, loc, encoded, AffineAttr::kScales),
      encoding.isTwoLevel()
          ? getStorageComponent(b, loc, encoded, encoding.getSuperScalesIndex())
          : Value());
}

Value mlir::compress::buildAffineZeroPoints(OpBuilder &b, Location loc,
                                            Value encoded) {
  auto type = cast<RankedTensorType>(encoded.getType());
  auto encoding = cast<AffineAttr>(type.getEncoding());
  if (!encoding.getAsymmetric())
    return {};
  AffineShapes shapes(b, loc, encoding,
                      encoding.getLogicalSizes(b, loc, encoded));
  return buildUnpackZeroPoints(
      b, loc, encoding, shapes.grid,
      getStorageComponent(b, loc, encoded, encoding.getZeroPointsIndex()));
}
