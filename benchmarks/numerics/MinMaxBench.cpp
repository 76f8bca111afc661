//===- MinMaxBench.cpp - Smallest and largest element ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/MinMax.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

Row tensor("minmax.tensor.f32", "64MiB", [](State &state) {
  std::vector<float> values = makeNormal(16 << 20);
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(computeMinMax<float>(values, getPool())));
  setBytes(state, 64 << 20, 64 << 20);
});

Row bfloats("minmax.tensor.bf16", "64MiB", [](State &state) {
  std::vector<float> normal = makeNormal(1 << 16);
  std::vector<BFloat16> values(32 << 20);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = narrow<BFloat16>(normal[i % normal.size()]);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cantFail(computeMinMax<BFloat16>(values, getPool())));
  setBytes(state, 64 << 20, 64 << 20);
});

/// Per channel, along rows or columns.
void runChannels(State &state, int64_t stride, int64_t channelStride) {
  std::vector<float> values = makeNormal(4096 * 4096);
  std::vector<MinMax> results(4096);
  for (auto _ : state)
    cantFail(computeChannelMinMax<float>(
        StridedSpan<const float>(values.data(), 4096, stride), channelStride,
        results, getPool()));
  setBytes(state, 64 << 20, 64 << 20);
}

Row rows("minmax.rows.f32", "4096x4096",
         [](State &state) { runChannels(state, 1, 4096); });
Row columns("minmax.columns.f32", "4096x4096",
            [](State &state) { runChannels(state, 4096, 1); });

} // namespace
