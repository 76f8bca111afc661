//===- DotProducts.cpp - Vectors of dot products of four ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;

int64_t mlir::compress::getIsaLanes(TileIsa isa) {
  switch (isa) {
  case TileIsa::Generic:
    return 4;
  case TileIsa::Avx2:
  case TileIsa::AvxVnni:
    return 8;
  case TileIsa::Avx512:
  case TileIsa::Avx512Vnni:
  case TileIsa::Avx512Bf16:
  case TileIsa::Avx512VnniGfni:
  case TileIsa::Amx:
    return 16;
  }
  llvm_unreachable("unknown instruction set");
}

bool mlir::compress::supportsIsa(function_ref<bool(StringRef)> hasFeature,
                                 TileIsa isa) {
  auto hasAll = [&](std::initializer_list<StringRef> features) {
    return llvm::all_of(features, hasFeature);
  };
  bool avx512 = hasAll({"avx512f", "avx512bw", "avx512vl", "avx512dq"});
  switch (isa) {
  case TileIsa::Generic:
    return true;
  case TileIsa::Avx2:
    return hasAll({"avx2", "fma", "f16c"});
  case TileIsa::AvxVnni:
    return hasAll({"avx2", "fma", "f16c"}) && hasFeature("avxvnni");
  case TileIsa::Avx512:
    return avx512;
  case TileIsa::Avx512Vnni:
    return avx512 && hasFeature("avx512vnni");
  case TileIsa::Avx512VnniGfni:
    return avx512 && hasAll({"avx512vnni", "gfni"});
  case TileIsa::Amx:
    return avx512 && hasAll({"amx-tile", "amx-int8"});
  case TileIsa::Avx512Bf16:
    return avx512 && hasFeature("avx512bf16");
  }
  llvm_unreachable("unknown instruction set");
}

Value mlir::compress::buildOffset(OpBuilder &b, Location loc, Value base,
                                  int64_t offset) {
  if (offset == 0)
    return base;
  return b.createOrFold<arith::AddIOp>(
      loc, base, arith::ConstantIndexOp::create(b, loc, offset));
}

Value mlir::compress::buildSplat(OpBuilder &b, Location loc, VectorType type,
                                 int64_t constant) {
  Attribute element = b.getIntegerAttr(type.getElementType(),
                                       APInt(64, constant).getSExtValue());
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, element));
}

/// Bytes of a cache line.
static constexpr int64_t kLineBytes = 64;

Value mlir::compress::loadPanel(OpBuilder &b, Location loc,
                                const TileContext &tile, int64_t offset,
                                VectorType type) {
  Type element = cast<MemRefType>(tile.panels.getType()).getElementType();
  int64_t count = type.getNumElements() *
                  type.getElementType().getIntOrFloatBitWidth() /
                  element.getIntOrFloatBitWidth();
  auto rawType = VectorType::get(count, element);
  // With the load, so that a long step does not ask for all of it at once: a
  // core waits for a few lines only at a time.
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  for (int64_t line = llvm::alignTo(offset * bytes, kLineBytes);
       tile.prefetchBytes && line < (offset + count) * bytes;
       line += kLineBytes)
    memref::PrefetchOp::create(
        b, loc, tile.panels,
        ValueRange{tile.panel,
                   buildOffset(b, loc, tile.panelOffset,
                               (line + tile.prefetchBytes) / bytes)},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  Value raw = vector::LoadOp::create(
      b, loc, rawType, tile.panels,
      ValueRange{tile.panel, buildOffset(b, loc, tile.panelOffset, offset)});
  if (rawType == type)
    return raw;
  return vector::BitCastOp::create(b, loc, type, raw);
}

Value mlir::compress::broadcastRow(OpBuilder &b, Location loc,
                                   const TileContext &tile, int64_t row,
                                   int64_t offset, int64_t count,
                                   int64_t lanes) {
  Type element = cast<MemRefType>(tile.lhs.getType()).getElementType();
  SmallVector<Value> indices(tile.rows[row]);
  indices.push_back(buildOffset(b, loc, tile.lhsOffset, offset));
  Value part = vector::LoadOp::create(b, loc, VectorType::get(count, element),
                                      tile.lhs, indices);
  Type scalar = count == 1 ? element : b.getI32Type();
  if (count != 1)
    part = vector::BitCastOp::create(b, loc, VectorType::get(1, scalar), part);
  // The back end folds this form, and only this, into a broadcasting operand.
  part = vector::ExtractOp::create(b, loc, part, ArrayRef<int64_t>{0});
  return vector::BroadcastOp::create(b, loc, VectorType::get(lanes, scalar),
                                     part);
}

Value mlir::compress::emitMultiplyAdd(OpBuilder &b, Location loc, TileIsa isa,
                                      Value lhs, Value rhs, Value acc) {
  if (isa != TileIsa::Generic)
    return vector::FMAOp::create(b, loc, lhs, rhs, acc);
  // Without such an instruction a fused operation would be a call.
  auto flags = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, loc, lhs, rhs, flags);
  return arith::AddFOp::create(b, loc, acc, product, flags);
}

Value mlir::compress::callIntrinsic(OpBuilder &b, Location loc, StringRef name,
                                    Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

/// `value` (of i32) as a vector of integers of `bits` bits.
static Value castBits(OpBuilder &b, Location loc, Value value, unsigned bits) {
  auto type = cast<VectorType>(value.getType());
  int64_t count = type.getNumElements() *
                  type.getElementType().getIntOrFloatBitWidth() / bits;
  return vector::BitCastOp::create(
      b, loc, VectorType::get(count, b.getIntegerType(bits)), value);
}

Value mlir::compress::emitUnsignedDot(OpBuilder &b, Location loc, TileIsa isa,
                                      Value acc, Value unsignedBytes,
                                      Value signedBytes,
                                      unsigned unsignedBits) {
  if (isVnni(isa)) {
    StringRef name = isa == TileIsa::AvxVnni ? "llvm.x86.avx512.vpdpbusd.256"
                                             : "llvm.x86.avx512.vpdpbusd.512";
    return callIntrinsic(b, loc, name, acc.getType(),
                         {acc, castBits(b, loc, unsignedBytes, 8),
                          castBits(b, loc, signedBytes, 8)});
  }
  // Two products of at most 7 bits by 8 fit 16 bits, so that the saturating
  // instruction cannot saturate: 2 * 127 * 128 < 2^15.
  bool narrow = unsignedBits <= 7 && isa != TileIsa::Generic;
  if (!narrow)
    return emitWideDot(b, loc, isa, acc, unsignedBytes, /*lhsSigned=*/false,
                       signedBytes, /*rhsSigned=*/true);
  auto type = cast<VectorType>(acc.getType());
  bool wide = type.getNumElements() == 16;
  auto pairs = VectorType::get(2 * type.getNumElements(), b.getI16Type());
  Value sums = callIntrinsic(
      b, loc,
      wide ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw",
      pairs,
      {castBits(b, loc, unsignedBytes, 8), castBits(b, loc, signedBytes, 8)});
  Value four = callIntrinsic(
      b, loc, wide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd",
      type, {sums, buildSplat(b, loc, pairs, 1)});
  return arith::AddIOp::create(b, loc, acc, four);
}

/// The even or the odd bytes of `value`, widened to 16 bits each.
static Value widenBytes(OpBuilder &b, Location loc, Value value, bool isSigned,
                        bool odd) {
  Value words = castBits(b, loc, value, 16);
  auto type = cast<VectorType>(words.getType());
  Value eight = buildSplat(b, loc, type, 8);
  if (!odd) {
    if (!isSigned)
      return arith::AndIOp::create(b, loc, words,
                                   buildSplat(b, loc, type, 255));
    words = arith::ShLIOp::create(b, loc, words, eight);
  }
  if (isSigned)
    return arith::ShRSIOp::create(b, loc, words, eight);
  return arith::ShRUIOp::create(b, loc, words, eight);
}

/// Byte `index` of every lane, widened to 32 bits.
static Value widenByte(OpBuilder &b, Location loc, Value value, bool isSigned,
                       int64_t index) {
  auto type = cast<VectorType>(value.getType());
  if (index != 3)
    value = arith::ShLIOp::create(b, loc, value,
                                  buildSplat(b, loc, type, 24 - 8 * index));
  Value by = buildSplat(b, loc, type, 24);
  if (isSigned)
    return arith::ShRSIOp::create(b, loc, value, by);
  return arith::ShRUIOp::create(b, loc, value, by);
}

Value mlir::compress::emitWideDot(OpBuilder &b, Location loc, TileIsa isa,
                                  Value acc, Value lhs, bool lhsSigned,
                                  Value rhs, bool rhsSigned) {
  auto type = cast<VectorType>(acc.getType());
  if (isa == TileIsa::Generic) {
    for (int64_t i = 0; i < 4; ++i) {
      Value product =
          arith::MulIOp::create(b, loc, widenByte(b, loc, lhs, lhsSigned, i),
                                widenByte(b, loc, rhs, rhsSigned, i));
      acc = arith::AddIOp::create(b, loc, acc, product);
    }
    return acc;
  }
  StringRef name = type.getNumElements() == 16 ? "llvm.x86.avx512.pmaddw.d.512"
                                               : "llvm.x86.avx2.pmadd.wd";
  for (bool odd : {false, true}) {
    Value sums = callIntrinsic(b, loc, name, type,
                               {widenBytes(b, loc, lhs, lhsSigned, odd),
                                widenBytes(b, loc, rhs, rhsSigned, odd)});
    acc = arith::AddIOp::create(b, loc, acc, sums);
  }
  return acc;
}
