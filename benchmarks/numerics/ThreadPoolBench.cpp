//===- ThreadPoolBench.cpp - Fork and join of the runtime's pool ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of 1000 loops without work. With --threads=2 it is that of a fork
// and a join where each thread has an idle core: the counter `taken_back` is
// the fraction of loops that the calling thread did alone since its worker was
// late.
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Runtime/ThreadPool.h"

#include <atomic>
#include <thread>

using namespace compress::bench;

namespace {

constexpr int64_t numLoops = 1000;

struct Loop {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> elsewhere{0};

  static void run(void *context, int64_t, int64_t) {
    auto *self = static_cast<Loop *>(context);
    if (std::this_thread::get_id() != self->caller)
      self->elsewhere.fetch_add(1, std::memory_order_relaxed);
  }
};

Row forkJoin("threads.fork_join", "1000 loops", [](State &state) {
  Loop loop;
  const int64_t threads = getThreads();
  for (auto _ : state)
    for (int64_t i = 0; i < numLoops; ++i)
      compress_parallel_for(Loop::run, &loop, threads, threads);
  setRate(state, numLoops * 1e-6, "Mloop/s");
  double done = loop.elsewhere.load();
  double posted =
      static_cast<double>(state.iterations()) * numLoops * (threads - 1);
  state.counters["taken_back"] = posted > 0 ? 1 - done / posted : 0;
});

} // namespace
