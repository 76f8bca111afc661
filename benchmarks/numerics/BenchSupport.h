//===- BenchSupport.h - Rows of the numerics benchmark ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is one operation on one shape. Register it in an anonymous namespace of
// <Header>Bench.cpp:
//
//   static Row quantize("quantize.i8.channel", "4096x4096", [](State &state) {
//     ... buffers ...
//     for (auto _ : state)
//       cantFail(quantizeTensor(..., getThreads()));
//     setBytes(state, bytes of f32 read, bytes of memory traffic);
//   });
//
// benchmarks/run reads the results. A C++ peer is a row of the same operation
// and shape with the peer's name; a Python peer is benchmarks/peers/*.py.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_BENCHMARKS_NUMERICS_BENCHSUPPORT_H
#define COMPRESS_BENCHMARKS_NUMERICS_BENCHSUPPORT_H

#include "benchmark/benchmark.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::bench {

using State = benchmark::State;

/// Registers a benchmark while programs start. `peer` names the library that
/// the body measures if that is not ours.
struct Row {
  Row(const std::string &op, const std::string &shape,
      std::function<void(State &)> body, const std::string &peer = "");
};

/// The threads that rows may use: --threads.
unsigned getThreads();

/// A pool of that many threads for the functions that take one, or null if it
/// is 1.
llvm::ThreadPoolInterface *getPool();

/// The rate of the row in GB/s, from `bytes` an iteration. `traffic` is what an
/// iteration at least moves to and from memory (0: not bound by that); it gives
/// the percentage of the memory bandwidth that was measured in the same run.
void setBytes(State &state, double bytes, double traffic = 0);

/// The rate of the row in `unit` (such as "Gelem/s"), from `amount` of it an
/// iteration (already in units of 1e9 for "G").
void setRate(State &state, double amount, const char *unit, double traffic = 0);

/// `count` reproducible normally distributed numbers.
std::vector<float> makeNormal(int64_t count, unsigned seed = 1);

} // namespace compress::bench

#endif // COMPRESS_BENCHMARKS_NUMERICS_BENCHSUPPORT_H
