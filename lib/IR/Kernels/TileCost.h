//===- TileCost.h - Estimated cycles of tile kernels ------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_IR_KERNELS_TILECOST_H
#define COMPRESS_LIB_IR_KERNELS_TILECOST_H

#include "compress/IR/TileKernel.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::compress {

/// What one step of a kernel executes, in instructions on the two vector
/// multiply ports of today's cores.
struct TileCost {
  /// For each accumulator, row and vector of columns.
  double perProduct = 1, perRow = 0, perColumn = 0;
  /// Loads for each row and vector of columns; two a cycle.
  double rowLoads = 1, columnLoads = 1;
  /// Cycles from one product to the next in the same accumulator.
  double latency = 5;
  /// Bytes of a panel that one step reads for each vector of columns.
  double columnBytes = 64;
};

/// Cycles of all tiles of a product; the rows that are left over by whole tiles
/// are done by smaller ones of the powers of two.
double getTileCost(const TileCost &cost, TileShape tile, int64_t lanes,
                   int64_t rows, int64_t columns, int64_t depth);

/// Whether `m` and `n` make a tile of vectors of `lanes`.
LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                         int64_t m, int64_t n, int64_t lanes);

/// A diagnostic that nobody sees.
InFlightDiagnostic emitDiscarded(MLIRContext *context);

} // namespace mlir::compress

#endif // COMPRESS_LIB_IR_KERNELS_TILECOST_H
