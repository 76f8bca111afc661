//===- Parallel.h - Loops over chunks on a thread pool ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the library spreads work: the index range is cut in chunks whose borders
// depend on the sizes alone, so whatever is computed per chunk and combined in
// chunk order is the same, bit for bit, on one thread and on any number.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_PARALLEL_H
#define COMPRESS_NUMERICS_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The number of chunks of `chunkSize` that `count` elements are cut into.
constexpr int64_t getNumChunks(int64_t count, int64_t chunkSize) {
  return count <= 0 ? 0 : (count - 1) / chunkSize + 1;
}

/// Calls `body(chunk, begin, end)` once for each chunk of [0, count); chunk c
/// is [c * chunkSize, min(count, (c + 1) * chunkSize)). The calls run on the
/// calling thread and the threads of `pool`, in any order; with no pool (null)
/// they run on the calling thread in ascending order. May be called from a task
/// of the same pool. `chunkSize` values below 1 count as 1.
void forEachChunk(
    llvm::ThreadPoolInterface *pool, int64_t count, int64_t chunkSize,
    llvm::function_ref<void(int64_t chunk, int64_t begin, int64_t end)> body);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_PARALLEL_H
