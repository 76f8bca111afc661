//===- AffineParams.cpp - The affine encoding: scales and zero points -----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineShapes.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/Compress.h"
#include "compress/IR/PackedIntegers.h"
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

AffineShapes::AffineShapes(OpBuilder &b, Location loc, AffineAttr encoding,
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

SuperShapes::SuperShapes(OpBuilder &b, Location loc, AffineAttr encoding,
                         int64_t rank, ArrayRef<OpFoldResult> grid) {
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

SmallVector<Value> SuperShapes::buildSuperIndex(OpBuilder &b,
                                                Location loc) const {
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

/// The type in which one code is held unpacked.
Type mlir::compress::getCodeType(OpBuilder &b, num::IntegerFormat format) {
  return format.bits <= 8 ? b.getI8Type() : b.getI16Type();
}

/// max or min of values that are known not to be NaN.
Value mlir::compress::buildMax(OpBuilder &b, Location loc, Value lhs,
                               Value rhs) {
  return arith::MaxNumFOp::create(b, loc, lhs, rhs, arith::FastMathFlags::nnan);
}
Value mlir::compress::buildMin(OpBuilder &b, Location loc, Value lhs,
                               Value rhs) {
  return arith::MinNumFOp::create(b, loc, lhs, rhs, arith::FastMathFlags::nnan);
}
Value mlir::compress::buildClamp(OpBuilder &b, Location loc, Value value,
                                 double low, double high) {
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
  if (codeType == integer.getType())
    return integer;
  return arith::TruncIOp::create(b, loc, codeType, integer);
}

Value mlir::compress::buildAffineScale(OpBuilder &b, Location loc,
                                       AffineAttr encoding, Value low,
                                       Value high) {
  return buildRoundScale(b, loc, buildRawScale(b, loc, encoding, low, high),
                         encoding.getNumericScaleType());
}

Value mlir::compress::buildAffineZeroPoint(OpBuilder &b, Location loc,
                                           AffineAttr encoding, Value low,
                                           Value scale) {
  return buildZeroPoint(b, loc, encoding.getFormat(), low, scale,
                        b.getI32Type());
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

Value mlir::compress::buildEffectiveScales(OpBuilder &b, Location loc,
                                           AffineAttr encoding, int64_t rank,
                                           ArrayRef<OpFoldResult> grid,
                                           Value scales, Value superScales) {
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
