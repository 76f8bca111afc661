//===- FactorizationBench.cpp - Decompositions of weights -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/CP.h"
#include "compress/Numerics/Gptq.h"
#include "compress/Numerics/Svd.h"
#include "compress/Numerics/Tucker.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

/// Normal numbers on large pages where the system has them, as numpy asks for
/// its arrays: the peers' input lies on such pages too.
class LargePages {
public:
  explicit LargePages(int64_t count) {
    constexpr size_t page = size_t(2) << 20;
    const size_t bytes = (count * sizeof(float) + page - 1) / page * page;
    data.reset(static_cast<float *>(std::aligned_alloc(page, bytes)));
#if defined(__linux__)
    madvise(data.get(), bytes, MADV_HUGEPAGE);
#endif
    std::vector<float> values = makeNormal(count);
    std::copy(values.begin(), values.end(), data.get());
  }
  const float *get() const { return data.get(); }

private:
  struct Free {
    void operator()(float *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<float, Free> data;
};

Row randomized("svd.randomized.rank64", "4096x4096", [](State &state) {
  LargePages values(4096 * 4096);
  MatrixRef<const float> matrix(values.get(), 4096, 4096);
  RandomizedSvdOptions options;
  options.rank = 64;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cantFail(randomizedSvd(matrix, options, getPool())));
  // Two products a power iteration, one before and one after.
  setRate(state, 2e-9 * 4096 * 4096 * 74 * 6, "Gflop/s");
});

Row truncated("svd.truncated.rank64", "512x512", [](State &state) {
  std::vector<float> values = makeNormal(512 * 512);
  MatrixRef<const float> matrix(values.data(), 512, 512);
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(truncatedSvd(matrix, 64, getPool())));
  setRate(state, 1, "matrices/s");
});

Row tucker("tucker2.rank128.hooi5", "512x512x3x3", [](State &state) {
  LargePages values(512 * 512 * 9);
  TensorRef<const float> kernel(values.get(), {512, 512, 3, 3});
  TuckerOptions options;
  options.maxSweeps = 5;
  options.tolerance = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(
        decomposeTucker(kernel, {128, 128, 0, 0}, options, getPool())));
  setRate(state, 1, "tensors/s");
});

Row cp("cp.rank32.als10", "128x128x3x3", [](State &state) {
  std::vector<float> values = makeNormal(128 * 128 * 9);
  TensorRef<const float> kernel(values.data(), {128, 128, 3, 3});
  CPOptions options;
  options.maxIterations = 10;
  options.tolerance = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cantFail(decomposeCP(kernel, 32, options, getPool())));
  setRate(state, 1, "tensors/s");
});

Row gptq("gptq.i4.group128", "1024x1024", [](State &state) {
  std::vector<float> values = makeNormal(1024 * 1024);
  std::vector<float> inputs = makeNormal(2048 * 1024, 2);
  MatrixRef<const float> weights(values.data(), 1024, 1024);
  Matrix<double> moment(1024, 1024);
  cantFail(accumulateSecondMoment(
      MatrixRef<const float>(inputs.data(), 2048, 1024), moment.ref()));
  WeightSpec spec;
  spec.format = {4, true, true};
  spec.groupSize = 128;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cantFail(quantizeGptq(weights, moment.ref(), spec, {}, getPool())));
  setRate(state, 1e-6 * 1024 * 1024, "Mweight/s");
});

} // namespace
