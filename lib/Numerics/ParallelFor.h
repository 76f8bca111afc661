//===- ParallelFor.h - Static partition over threads ------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library. Splits [0, count) into one contiguous range a
// thread, for work that is cheaper in large pieces (packed panels are shared).
// Callers write disjoint outputs and reduce within one index only, so results
// never depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_PARALLELFOR_H
#define COMPRESS_LIB_NUMERICS_PARALLELFOR_H

#include "compress/Numerics/Parallel.h"

#include "llvm/Support/ThreadPool.h"

#include <algorithm>

namespace compress::numerics::detail {

inline int64_t getNumThreads(llvm::ThreadPoolInterface *pool) {
  return pool ? std::max(1u, pool->getMaxConcurrency()) : 1;
}

/// Runs body(begin, end) over disjoint ranges that cover [0, count), at most
/// one a thread, each a multiple of `grain` long but the last.
inline void parallelFor(llvm::ThreadPoolInterface *pool, int64_t count,
                        int64_t grain,
                        llvm::function_ref<void(int64_t, int64_t)> body) {
  if (count <= 0)
    return;
  const int64_t grains = (count + grain - 1) / grain;
  const int64_t parts = std::min(getNumThreads(pool), grains);
  if (parts == 1)
    return body(0, count);
  auto bound = [&](int64_t part) {
    return std::min(count, grains * part / parts * grain);
  };
  forEachChunk(pool, parts, 1, [&](int64_t part, int64_t, int64_t) {
    body(bound(part), bound(part + 1));
  });
}

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_PARALLELFOR_H
