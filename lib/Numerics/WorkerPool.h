//===- WorkerPool.h - A pool for one call -----------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: for functions whose caller grants a number of threads
// instead of a pool.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_WORKERPOOL_H
#define COMPRESS_LIB_NUMERICS_WORKERPOOL_H

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace compress::numerics {

/// Holds a pool of min(threads, tasks) threads, or none if that is at most 1.
class WorkerPool {
public:
  WorkerPool(unsigned threads, int64_t tasks) {
    int64_t count = std::min<int64_t>(threads, tasks);
    if (count <= 1)
      return;
    llvm::ThreadPoolStrategy strategy;
    strategy.ThreadsRequested = static_cast<unsigned>(count);
    pool.emplace(strategy);
  }

  /// For forEachChunk.
  llvm::ThreadPoolInterface *get() { return pool ? &*pool : nullptr; }

private:
  std::optional<llvm::DefaultThreadPool> pool;
};

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_WORKERPOOL_H
