//===- BenchSupport.cpp - Rows of the numerics benchmark ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

namespace compress::bench {

static unsigned threads = 1;

unsigned getThreads() { return threads; }

llvm::ThreadPoolInterface *getPool() {
  if (threads == 1)
    return nullptr;
  static llvm::DefaultThreadPool pool([] {
    llvm::ThreadPoolStrategy strategy;
    strategy.ThreadsRequested = threads;
    return strategy;
  }());
  return &pool;
}

Row::Row(const std::string &op, const std::string &shape,
         std::function<void(State &)> body, const std::string &peer) {
  std::string name = op + "/" + shape;
  if (!peer.empty())
    name += "/peer:" + peer;
  benchmark::RegisterBenchmark(name.c_str(), std::move(body))
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void setRate(State &state, double amount, const char *unit, double traffic) {
  state.counters["rate"] =
      benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["traffic"] = traffic;
  state.SetLabel(unit);
}

void setBytes(State &state, double bytes, double traffic) {
  setRate(state, bytes * 1e-9, "GB/s", traffic);
}

std::vector<float> makeNormal(int64_t count, unsigned seed) {
  // A short period does not matter here, and large tensors come up fast.
  constexpr int64_t period = 1 << 16;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = i < period ? normal(random) : values[i - period];
  return values;
}

/// Sums of 64-bit words, which no machine computes slower than it reads them.
static void readMemory(State &state) {
  constexpr int64_t bytes = 64 << 20;
  const std::vector<uint64_t> words(bytes / sizeof(uint64_t), 1);
  const int64_t part = words.size() / threads;
  for (auto _ : state) {
    std::vector<uint64_t> sums(threads);
    auto work = [&](unsigned thread) {
      const uint64_t *begin = words.data() + thread * part;
      uint64_t lanes[32] = {};
      for (int64_t i = 0; i + 32 <= part; i += 32)
        for (int64_t lane = 0; lane < 32; ++lane)
          lanes[lane] += begin[i + lane];
      for (uint64_t lane : lanes)
        sums[thread] += lane;
    };
    std::vector<std::thread> pool;
    for (unsigned thread = 1; thread < threads; ++thread)
      pool.emplace_back(work, thread);
    work(0);
    for (std::thread &thread : pool)
      thread.join();
    benchmark::DoNotOptimize(sums.data());
  }
  setBytes(state, bytes);
}

static Row memory("limit.read", "64MiB", readMemory);

/// Takes --threads=N out of the arguments; false if N is no number.
static bool takeThreads(int &argc, char **argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    constexpr const char option[] = "--threads=";
    if (std::strncmp(argv[i], option, sizeof(option) - 1) != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    char *end = nullptr;
    long value = std::strtol(argv[i] + sizeof(option) - 1, &end, 10);
    if (*end != '\0' || value < 1 || value > 1024)
      return false;
    threads = static_cast<unsigned>(value);
  }
  argc = kept;
  return true;
}

static int run(int argc, char **argv) {
  if (!takeThreads(argc, argv)) {
    std::fprintf(stderr, "--threads must be a number from 1 to 1024\n");
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

} // namespace compress::bench

int main(int argc, char **argv) { return compress::bench::run(argc, argv); }
