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

/// Adds 64 products of signed (or unsigned) left bytes and signed right ones.
/// The rows of the tile follow each other in the left operand's memory.
SmallVector<Value> emitTileProducts(OpBuilder &b, Location loc,
                                    const TileContext &tile, int64_t columns,
                                    bool lhsSigned, ValueRange accumulators);

/// The accumulators as vectors of 16, through `tile.scratch`.
SmallVector<Value> emitTileResults(OpBuilder &b, Location loc,
                                   const TileContext &tile, int64_t columns,
                                   ValueRange accumulators);

} // namespace mlir::compress

#endif // COMPRESS_LIB_IR_KERNELS_TILEREGISTERS_H
