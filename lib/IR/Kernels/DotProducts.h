//===- DotProducts.h - Vectors of dot products of four ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector code that the tile kernels share: loads from panels and rows, and
// dot products of four bytes in each lane on the instruction sets of
// `TileIsa`.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_IR_KERNELS_DOTPRODUCTS_H
#define COMPRESS_LIB_IR_KERNELS_DOTPRODUCTS_H

#include "compress/IR/Compress.h"

namespace mlir::compress {

/// Lanes of 32 bits in a vector of the instruction set.
int64_t getIsaLanes(TileIsa isa);

/// Whether `isa` multiplies unsigned by signed bytes in one instruction.
inline bool isVnni(TileIsa isa) {
  return isa == TileIsa::Avx512Vnni || isa == TileIsa::Avx512VnniGfni ||
         isa == TileIsa::AvxVnni;
}

/// Whether a machine can run code of the instruction set.
bool supportsIsa(function_ref<bool(StringRef)> hasFeature, TileIsa isa);

/// base + offset, as an index.
Value buildOffset(OpBuilder &b, Location loc, Value base, int64_t offset);

/// Elements of the tile's panel from `offset` elements behind
/// `tile.panelOffset`, as a vector of `type`, which has as many bits. Asks for
/// the lines that start there ahead of their use if `tile.prefetchBytes` says
/// so.
Value loadPanel(OpBuilder &b, Location loc, const TileContext &tile,
                int64_t offset, VectorType type);

/// `count` elements of row `row` of the left operand from `offset` elements
/// behind `tile.lhsOffset`, which together fill 32 bits, in all `lanes` lanes.
Value broadcastRow(OpBuilder &b, Location loc, const TileContext &tile,
                   int64_t row, int64_t offset, int64_t count, int64_t lanes);

/// acc + dot products of the four bytes in each lane, `unsignedBytes` and
/// `signedBytes` being vectors of i32 that hold them. `unsignedBits` bounds the
/// unsigned ones. Exact modulo 2^32 on every instruction set.
Value emitUnsignedDot(OpBuilder &b, Location loc, TileIsa isa, Value acc,
                      Value unsignedBytes, Value signedBytes,
                      unsigned unsignedBits);

/// The same of two operands of given signedness, for instruction sets without
/// VNNI: both are widened to 16 bits.
Value emitWideDot(OpBuilder &b, Location loc, TileIsa isa, Value acc, Value lhs,
                  bool lhsSigned, Value rhs, bool rhsSigned);

/// lhs * rhs + acc in floating point; fused where the instruction set has such
/// an instruction.
Value emitMultiplyAdd(OpBuilder &b, Location loc, TileIsa isa, Value lhs,
                      Value rhs, Value acc);

/// Calls an intrinsic function of LLVM with one result.
Value callIntrinsic(OpBuilder &b, Location loc, StringRef name, Type type,
                    ValueRange operands);

/// `value` of a vector type with every element equal to `constant`.
Value buildSplat(OpBuilder &b, Location loc, VectorType type, int64_t constant);

} // namespace mlir::compress

#endif // COMPRESS_LIB_IR_KERNELS_DOTPRODUCTS_H
