//===- AffineBuilders.cpp - The affine encoding: IR for quantize and decode
//===//
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

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

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

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

/// The zero points of the whole grid, one a byte (or i16).
Value mlir::compress::buildUnpackZeroPoints(OpBuilder &b, Location loc,
                                            AffineAttr encoding,
                                            ArrayRef<OpFoldResult> grid,
                                            Value points) {
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
