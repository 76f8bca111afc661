//===- KMeansBench.cpp - Codebooks ----------------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/Codebook.h"
#include "compress/Numerics/KMeans.h"
#include "compress/Numerics/VectorKMeans.h"

#include "llvm/Support/Error.h"

#include <random>

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

/// Normal numbers that do not repeat: repeated ones would be sorted away.
std::vector<float> makeDistinct(int64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(random);
  return values;
}

Row lloyd("kmeans.lloyd.16", "16Mi", [](State &state) {
  const std::vector<float> values = makeNormal(16 << 20);
  KMeansOptions options;
  options.maxIterations = 3;
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(fitKMeansLloyd<float>(
        StridedSpan<const float>(values), {}, options, getPool())));
  // Three passes to iterate, one for the range, one for the inertia.
  setBytes(state, 4.0 * values.size(), 5 * 4.0 * values.size());
});

Row exact("kmeans.exact.16", "1Mi", [](State &state) {
  const std::vector<float> values = makeDistinct(1 << 20);
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(fitKMeansExact<float>(
        StridedSpan<const float>(values), {}, KMeansOptions(), getPool())));
  setBytes(state, 4.0 * values.size());
});

Row vectors("kmeans.vector.256", "64Kix4", [](State &state) {
  const std::vector<float> values = makeDistinct(4 << 16);
  VectorKMeansOptions options;
  options.maxIterations = 3;
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(fitVectorKMeans<float>(
        {values.data(), 1 << 16, 4}, {}, options, getPool())));
  setBytes(state, 4.0 * values.size());
});

Row assign("codebook.assign.nf4", "16Mi", [](State &state) {
  const std::vector<float> values = makeNormal(16 << 20);
  std::vector<uint8_t> indices(values.size());
  auto nearest = cantFail(
      NearestEntry<float>::create(getNamedCodebook(NamedCodebook::NF4)));
  for (auto _ : state)
    cantFail(nearest.assign(values, indices, getPool()));
  setBytes(state, 4.0 * values.size(), 5.0 * values.size());
});

} // namespace
