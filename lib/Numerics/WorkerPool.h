//===- WorkerPool.h - A pool for one call -----------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: makes a pool of what the caller grants.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_WORKERPOOL_H
#define COMPRESS_LIB_NUMERICS_WORKERPOOL_H

#include "compress/Numerics/Threads.h"

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace compress::numerics {

/// The caller's pool, or one of min(count, tasks) threads that lives as long as
/// this, or none if one thread is enough.
class WorkerPool {
public:
  WorkerPool(Threads threads, int64_t tasks) {
    int64_t count = std::min<int64_t>(threads.getCount(), tasks);
    if (count <= 1)
      return;
    pool = threads.getPool();
    if (pool)
      return;
    llvm::ThreadPoolStrategy strategy;
    strategy.ThreadsRequested = static_cast<unsigned>(count);
    pool = &owned.emplace(strategy);
  }

  /// For forEachChunk.
  llvm::ThreadPoolInterface *get() { return pool; }

private:
  std::optional<llvm::DefaultThreadPool> owned;
  llvm::ThreadPoolInterface *pool = nullptr;
};

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_WORKERPOOL_H
