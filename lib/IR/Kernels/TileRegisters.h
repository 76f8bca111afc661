//===- TileRegisters.h - Products in the tile registers of AMX --*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile registers hold up to 16 rows of 64 bytes. As LLVM's values of type
// x86_amx they pass through loops; the register allocator configures them.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_IR_KERNELS_TILEREGISTERS_H
#define COMPRESS_LIB_IR_KERNELS_TILEREGISTERS_H

#include "compress/IR/Compress.h"

namespace mlir::compress {

/// Accumulators for `rows` x `columns` i32: one tile for each 16 x 16.
SmallVector<Value> emitTileZeros(OpBuilder &b, Location loc, int64_t rows,
                                 int64_t columns);

/// Up to 64 products of bytes. The rows of the tile follow each other in the
/// left operand's memory.
struct TileProducts {
  int64_t columns = 0;
  /// A multiple of 4.
  int64_t products = 64;
  bool lhsSigned = true, rhsSigned = true;
  /// Where the first product of the first column is: for every four products
  /// there are `columns` x 4 bytes.
  Value right;
  SmallVector<Value> rightIndices;
};

/// Adds products.
SmallVector<Value> emitTileProducts(OpBuilder &b, Location loc,
                                    const TileContext &tile,
                                    const TileProducts &step,
                                    ValueRange accumulators);

/// The accumulators as vectors of 16, through the front of `tile.scratch`, a
/// buffer of elements of 32 bits.
SmallVector<Value> emitTileResults(OpBuilder &b, Location loc,
                                   const TileContext &tile, int64_t columns,
                                   ValueRange accumulators);

} // namespace mlir::compress

#endif // COMPRESS_LIB_IR_KERNELS_TILEREGISTERS_H
