//===- TileCost.cpp - Estimated cycles of tile kernels --------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCost.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::compress;

/// Panels larger than this come from the second cache for every tile of rows.
static constexpr double kFirstCache = 32 * 1024;

/// Bytes that a core reads from its second cache in a cycle while it computes.
static constexpr double kSecondCacheBytes = 24;

/// How much a load costs where arithmetic is the limit: what decides between
/// tiles that are otherwise the same.
static constexpr double kLoadWeight = 0.1;

/// The largest tile that any kernel may have, in accumulators.
static constexpr int64_t kMaxRows = 64, kMaxColumns = 256;

double mlir::compress::getTileCost(const TileCost &cost, TileShape tile,
                                   int64_t lanes, int64_t rows, int64_t columns,
                                   int64_t depth) {
  double groups = static_cast<double>(tile.n) / lanes;
  bool isFar =
      groups * cost.columnBytes * llvm::divideCeil(depth, tile.k) > kFirstCache;
  auto cyclesOfRows = [&](double m) {
    double arithmetic = (m * groups * cost.perProduct + m * cost.perRow +
                         groups * cost.perColumn) /
                        2;
    double loads = (m * cost.rowLoads + groups * cost.columnLoads) / 2;
    double traffic = isFar ? groups * cost.columnBytes / kSecondCacheBytes : 0;
    return std::max({arithmetic, loads, cost.latency, traffic}) +
           kLoadWeight * loads;
  };
  double cycles = static_cast<double>(rows / tile.m) * cyclesOfRows(tile.m);
  for (int64_t rest = rows % tile.m; rest > 0;) {
    int64_t part = llvm::bit_floor(static_cast<uint64_t>(rest));
    cycles += cyclesOfRows(part);
    rest -= part;
  }
  return cycles * llvm::divideCeil(columns, tile.n) *
         llvm::divideCeil(depth, tile.k);
}

LogicalResult
mlir::compress::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                           int64_t m, int64_t n, int64_t lanes) {
  if (m < 1 || m > kMaxRows)
    return emitError() << "m must be from 1 to " << kMaxRows << ", but is "
                       << m;
  if (n < lanes || n > kMaxColumns || n % lanes != 0)
    return emitError() << "n must be a multiple of " << lanes << " up to "
                       << kMaxColumns << ", but is " << n;
  return success();
}

InFlightDiagnostic mlir::compress::emitDiscarded(MLIRContext *) {
  return InFlightDiagnostic();
}
