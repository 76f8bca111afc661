//===- AffineConvert.cpp - The affine encoding: lossless conversions ------===//
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
