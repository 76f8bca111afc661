//===- TileRegisters.cpp - Products in the tile registers of AMX ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRegisters.h"

#include "DotProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::compress;

/// Rows of a tile register, and bytes of one of its rows. All registers have
/// all rows: a function has one configuration, in which the registers of tails,
/// each of a shape of its own, would not find room. Only operands of fewer
/// products than a row holds are smaller.
static constexpr int64_t kRows = 16, kBytes = 64;

static Type getTileRegisterType(OpBuilder &b) {
  return LLVM::LLVMX86AMXType::get(b.getContext());
}

static Value shortConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(value));
}

static Value toI64(OpBuilder &b, Location loc, Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

/// The address of an element of `memref`, and the bytes from a row of its last
/// dimension to the next.
static std::pair<Value, Value> buildAddress(OpBuilder &b, Location loc,
                                            Value memref, ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value position = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    position = arith::AddIOp::create(
        b, loc, position, arith::MulIOp::create(b, loc, index, stride));
  Value scale = arith::ConstantIndexOp::create(b, loc, bytes);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value address = arith::AddIOp::create(
      b, loc, base, arith::MulIOp::create(b, loc, position, scale));
  Value pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()),
      toI64(b, loc, address));
  Value rowBytes;
  if (type.getRank() >= 2)
    rowBytes =
        toI64(b, loc,
              arith::MulIOp::create(
                  b, loc, metadata.getStrides()[type.getRank() - 2], scale));
  return {pointer, rowBytes};
}

SmallVector<Value> mlir::compress::emitTileZeros(OpBuilder &b, Location loc,
                                                 int64_t rows,
                                                 int64_t columns) {
  SmallVector<Value> tiles;
  for (int64_t row = 0; row * kRows < rows; ++row)
    for (int64_t column = 0; column * kRows < columns; ++column)
      tiles.push_back(callIntrinsic(
          b, loc, "llvm.x86.tilezero.internal", getTileRegisterType(b),
          {shortConstant(b, loc, kRows), shortConstant(b, loc, kBytes)}));
  return tiles;
}

SmallVector<Value> mlir::compress::emitTileProducts(OpBuilder &b, Location loc,
                                                    const TileContext &tile,
                                                    const TileProducts &step,
                                                    ValueRange accumulators) {
  int64_t rows = tile.rows.size(), groups = step.columns / kRows;
  auto load = [&](int64_t count, int64_t bytes, Value pointer, Value stride) {
    return callIntrinsic(b, loc, "llvm.x86.tileloadd64.internal",
                         getTileRegisterType(b),
                         {shortConstant(b, loc, count),
                          shortConstant(b, loc, bytes), pointer, stride});
  };
  SmallVector<Value> right, result;
  Value rightStride =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(4 * step.columns));
  int64_t elementBytes =
      cast<MemRefType>(step.right.getType()).getElementTypeBitWidth() / 8;
  for (int64_t group = 0; group < groups; ++group) {
    SmallVector<Value> indices(step.rightIndices);
    indices.back() =
        buildOffset(b, loc, indices.back(), group * kBytes / elementBytes);
    Value pointer = buildAddress(b, loc, step.right, indices).first;
    right.push_back(load(step.products / 4, kBytes, pointer, rightStride));
  }
  StringRef name = step.lhsSigned
                       ? (step.rhsSigned ? "llvm.x86.tdpbssd.internal"
                                         : "llvm.x86.tdpbsud.internal")
                       : (step.rhsSigned ? "llvm.x86.tdpbusd.internal"
                                         : "llvm.x86.tdpbuud.internal");
  for (int64_t row = 0; row * kRows < rows; ++row) {
    SmallVector<Value> indices(tile.rows[row * kRows]);
    indices.push_back(tile.lhsOffset);
    auto [pointer, stride] = buildAddress(b, loc, tile.lhs, indices);
    if (tile.rowStride != 1)
      stride = arith::MulIOp::create(
          b, loc, stride,
          arith::ConstantOp::create(b, loc,
                                    b.getI64IntegerAttr(tile.rowStride)));
    Value left = load(kRows, step.products, pointer, stride);
    for (int64_t group = 0; group < groups; ++group)
      result.push_back(callIntrinsic(
          b, loc, name, getTileRegisterType(b),
          {shortConstant(b, loc, kRows), shortConstant(b, loc, kBytes),
           shortConstant(b, loc, step.products),
           accumulators[row * groups + group], left, right[group]}));
  }
  return result;
}

SmallVector<Value> mlir::compress::emitTileResults(OpBuilder &b, Location loc,
                                                   const TileContext &tile,
                                                   int64_t columns,
                                                   ValueRange accumulators) {
  int64_t rows = tile.rows.size(), groups = columns / kRows;
  Value stride =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(4 * columns));
  for (auto [index, value] : llvm::enumerate(accumulators)) {
    int64_t row = index / groups, group = index % groups;
    Value position = arith::ConstantIndexOp::create(
        b, loc, row * kRows * columns + group * kRows);
    Value pointer = buildAddress(b, loc, tile.scratch, position).first;
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.x86.tilestored64.internal"),
        ValueRange{shortConstant(b, loc, kRows), shortConstant(b, loc, kBytes),
                   pointer, stride, value});
  }
  auto type = VectorType::get(kRows, b.getI32Type());
  auto inMemory = VectorType::get(
      kRows, cast<MemRefType>(tile.scratch.getType()).getElementType());
  SmallVector<Value> result;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < groups; ++group) {
      Value index =
          arith::ConstantIndexOp::create(b, loc, row * columns + group * kRows);
      Value value =
          vector::LoadOp::create(b, loc, inMemory, tile.scratch, index);
      if (inMemory != type)
        value = vector::BitCastOp::create(b, loc, type, value);
      result.push_back(value);
    }
  return result;
}
