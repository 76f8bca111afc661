//===- Parallel.cpp - Loops over chunks on a thread pool ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Parallel.h"

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <atomic>

using namespace llvm;

namespace compress::numerics {

void forEachChunk(ThreadPoolInterface *pool, int64_t count, int64_t chunkSize,
                  function_ref<void(int64_t, int64_t, int64_t)> body) {
  chunkSize = std::max<int64_t>(chunkSize, 1);
  const int64_t numChunks = getNumChunks(count, chunkSize);
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t chunk; (chunk = next.fetch_add(1)) < numChunks;) {
      int64_t begin = chunk * chunkSize;
      body(chunk, begin, std::min(count - begin, chunkSize) + begin);
    }
  };
  int64_t numThreads =
      pool ? std::min<int64_t>(pool->getMaxConcurrency(), numChunks) : 1;
  if (numThreads <= 1)
    return work();
  // The calling thread is one of them.
  ThreadPoolTaskGroup group(*pool);
  for (int64_t i = 1; i < numThreads; ++i)
    group.async(work);
  work();
  group.wait();
}

} // namespace compress::numerics
