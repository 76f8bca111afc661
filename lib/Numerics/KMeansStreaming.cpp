//===- KMeansStreaming.cpp - Lloyd's iteration over unsorted data ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No value is ever assigned to a cluster. For each threshold between clusters,
// the values above it are counted and summed; a cluster's count and sum are
// differences of its neighbours'. Eight thresholds with their counters and sums
// fit in registers, so a block that stays in the first level cache is read once
// for every eight.
//
// The order of the additions is fixed: each of the lanes of a 64-byte vector
// sums its values of a block in T, blocks are summed lane by lane in double,
// then the lanes, then the chunks.
//
//===----------------------------------------------------------------------===//

#include "KMeansInternal.h"
#include "KernelTarget.h"
#include "VectorLanes.h"

#include "compress/Numerics/Codebook.h"
#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Parallel.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace llvm;

namespace compress::numerics::detail {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static constexpr int64_t kChunk = 1 << 16;
/// Small enough for the rounding of sums in T not to matter.
static constexpr int64_t kBlock = 1024;
static constexpr int64_t kGroup = 8;

namespace {
/// Of the values above each threshold.
struct ChunkSums {
  std::array<double, kMaxStreamingClusters> sums{};
  std::array<int64_t, kMaxStreamingClusters> counts{};
};
} // namespace

/// Adds a block's values above `thresholds` (kGroup of them) to sums[t][lane],
/// unless `WithSums` is false, and their number to counts[t].
template <bool WithSums, typename T>
static COMPRESS_KERNEL void
addBlock(const T *values, int64_t count, const T *thresholds,
         double (*sums)[VectorLanes<T>::count], int64_t *counts) {
  using Lanes = VectorLanes<T>;
  typename Lanes::Vector limit[kGroup], sum[kGroup];
  typename Lanes::Integers number[kGroup];
  for (int64_t t = 0; t < kGroup; ++t) {
    limit[t] = Lanes::splat(thresholds[t]);
    sum[t] = typename Lanes::Vector{};
    number[t] = typename Lanes::Integers{};
  }
  const typename Lanes::Vector zero = {};
  for (int64_t i = 0; i < count; i += Lanes::count) {
    // NaN is above nothing.
    typename Lanes::Vector x =
        Lanes::load(values + i, std::min(count - i, Lanes::count),
                    std::numeric_limits<T>::quiet_NaN());
#pragma GCC unroll 8
    for (int64_t t = 0; t < kGroup; ++t) {
      typename Lanes::Integers above = x > limit[t];
      if constexpr (WithSums)
        sum[t] += above ? x : zero;
      number[t] -= above;
    }
  }
  for (int64_t t = 0; t < kGroup; ++t)
    for (int64_t lane = 0; lane < Lanes::count; ++lane) {
      sums[t][lane] += sum[t][lane];
      counts[t] += number[t][lane];
    }
}

/// Sums and counts, or only counts, the values of a chunk above
/// `numGroups * kGroup` thresholds.
template <typename T>
static COMPRESS_KERNEL void addChunk(const T *values, int64_t count,
                                     const T *thresholds, int64_t numGroups,
                                     bool withSums, ChunkSums &result) {
  constexpr int64_t lanes = VectorLanes<T>::count;
  double sums[kMaxStreamingClusters][lanes] = {};
  for (int64_t i = 0; i < count; i += kBlock)
    for (int64_t group = 0; group < numGroups; ++group) {
      const int64_t blockSize = std::min(count - i, kBlock);
      const T *limits = thresholds + group * kGroup;
      int64_t *counts = result.counts.data() + group * kGroup;
      if (withSums)
        addBlock<true>(values + i, blockSize, limits, sums + group * kGroup,
                       counts);
      else
        addBlock<false>(values + i, blockSize, limits, sums + group * kGroup,
                        counts);
    }
  for (int64_t t = 0; t < numGroups * kGroup; ++t)
    for (double sum : sums[t])
      result.sums[t] += sum;
}

/// The sum of the squared distances to the nearest centroids; there is one
/// threshold fewer than centroids.
template <typename T>
static COMPRESS_KERNEL double addSquares(const T *values, int64_t count,
                                         ArrayRef<T> thresholds,
                                         ArrayRef<T> centroids) {
  using Lanes = VectorLanes<T>;
  double sums[Lanes::count] = {};
  for (int64_t i = 0; i < count; i += Lanes::count) {
    int64_t left = std::min(count - i, Lanes::count);
    typename Lanes::Vector x = Lanes::load(values + i, left, T(0));
    typename Lanes::Vector centroid = Lanes::splat(centroids[0]);
    for (size_t t = 0; t < thresholds.size(); ++t)
      centroid = x > Lanes::splat(thresholds[t])
                     ? Lanes::splat(centroids[t + 1])
                     : centroid;
    typename Lanes::Vector difference = x - centroid;
    for (int64_t lane = 0; lane < left; ++lane) {
      double distance = difference[lane];
      sums[lane] += distance * distance;
    }
  }
  double sum = 0.0;
  for (double laneSum : sums)
    sum += laneSum;
  return sum;
}

#if COMPRESS_HAS_X86_KERNELS
#define COMPRESS_VARIANTS(Target, Suffix)                                      \
  template <typename T>                                                        \
  Target static void addChunk##Suffix(const T *values, int64_t count,          \
                                      const T *thresholds, int64_t numGroups,  \
                                      bool withSums, ChunkSums &result) {      \
    addChunk(values, count, thresholds, numGroups, withSums, result);          \
  }                                                                            \
  template <typename T>                                                        \
  Target static double addSquares##Suffix(const T *values, int64_t count,      \
                                          ArrayRef<T> thresholds,              \
                                          ArrayRef<T> centroids) {             \
    return addSquares(values, count, thresholds, centroids);                   \
  }
COMPRESS_VARIANTS(COMPRESS_TARGET_AVX2, AVX2)
COMPRESS_VARIANTS(COMPRESS_TARGET_AVX512, AVX512)
#undef COMPRESS_VARIANTS
#endif

template <typename T>
static void addChunkDispatch(const T *values, int64_t count,
                             const T *thresholds, int64_t numGroups,
                             bool withSums, ChunkSums &result) {
#if COMPRESS_HAS_X86_KERNELS
  InstructionSet set = getInstructionSet();
  if (set == InstructionSet::AVX512)
    return addChunkAVX512(values, count, thresholds, numGroups, withSums,
                          result);
  if (set == InstructionSet::AVX2)
    return addChunkAVX2(values, count, thresholds, numGroups, withSums, result);
#endif
  addChunk(values, count, thresholds, numGroups, withSums, result);
}

template <typename T>
static double addSquaresDispatch(const T *values, int64_t count,
                                 ArrayRef<T> thresholds,
                                 ArrayRef<T> centroids) {
#if COMPRESS_HAS_X86_KERNELS
  InstructionSet set = getInstructionSet();
  if (set == InstructionSet::AVX512)
    return addSquaresAVX512(values, count, thresholds, centroids);
  if (set == InstructionSet::AVX2)
    return addSquaresAVX2(values, count, thresholds, centroids);
#endif
  return addSquares(values, count, thresholds, centroids);
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

namespace {
/// Calls kernels on chunks of the data, which it copies if it has a stride.
template <typename T>
class StreamingProblem {
public:
  StreamingProblem(StridedSpan<const T> values, ThreadPoolInterface *pool)
      : values(values), pool(pool) {}

  /// Counts and sums of the clusters of ascending centroids; counts only if
  /// `sums` is empty.
  void sumClusters(ArrayRef<T> centroids, std::vector<double> &sums,
                   std::vector<int64_t> &counts) const;
  /// The smallest and largest values of the clusters.
  std::vector<ClusterExtent> getExtents(ArrayRef<T> centroids) const;
  double getInertia(ArrayRef<T> centroids) const;
  int64_t size() const { return values.size(); }

private:
  template <typename Body>
  void forEachContiguousChunk(Body body) const {
    forEachChunk(pool, values.size(), kChunk,
                 [&](int64_t chunk, int64_t begin, int64_t end) {
                   if (values.isContiguous())
                     return body(chunk, values.data() + begin, end - begin);
                   std::vector<T> copy(end - begin);
                   for (int64_t i = begin; i < end; ++i)
                     copy[i - begin] = values[i];
                   body(chunk, copy.data(), end - begin);
                 });
  }
  int64_t getNumChunks() const {
    return numerics::getNumChunks(values.size(), kChunk);
  }

  StridedSpan<const T> values;
  ThreadPoolInterface *pool;
};
} // namespace

template <typename T>
static SmallVector<T> getThresholds(ArrayRef<T> centroids) {
  SmallVector<T> thresholds;
  for (size_t i = 1; i < centroids.size(); ++i)
    thresholds.push_back(getLowerMidpoint(centroids[i - 1], centroids[i]));
  return thresholds;
}

template <typename T>
void StreamingProblem<T>::sumClusters(ArrayRef<T> centroids,
                                      std::vector<double> &sums,
                                      std::vector<int64_t> &counts) const {
  // Everything is above the first threshold, nothing above the unused ones.
  SmallVector<T> thresholds = {-std::numeric_limits<T>::infinity()};
  thresholds.append(getThresholds(centroids));
  int64_t numGroups = numerics::getNumChunks(centroids.size(), kGroup);
  thresholds.resize(numGroups * kGroup, std::numeric_limits<T>::infinity());
  std::vector<ChunkSums> chunks(getNumChunks());
  forEachContiguousChunk([&](int64_t chunk, const T *data, int64_t count) {
    addChunkDispatch(data, count, thresholds.data(), numGroups, !sums.empty(),
                     chunks[chunk]);
  });
  ChunkSums total;
  for (const ChunkSums &chunk : chunks)
    for (unsigned i = 0; i < kMaxStreamingClusters; ++i) {
      total.sums[i] += chunk.sums[i];
      total.counts[i] += chunk.counts[i];
    }
  for (size_t c = 0; c < centroids.size(); ++c) {
    bool isLast = c + 1 == centroids.size();
    if (!sums.empty())
      sums[c] = total.sums[c] - (isLast ? 0.0 : total.sums[c + 1]);
    counts[c] = total.counts[c] - (isLast ? 0 : total.counts[c + 1]);
  }
}

template <typename T>
std::vector<ClusterExtent>
StreamingProblem<T>::getExtents(ArrayRef<T> centroids) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  SmallVector<T> thresholds = getThresholds(centroids);
  std::vector<std::vector<ClusterExtent>> chunks(
      getNumChunks(),
      std::vector<ClusterExtent>(centroids.size(), {0.0, infinity, -infinity}));
  forEachContiguousChunk([&](int64_t chunk, const T *data, int64_t count) {
    for (T value : ArrayRef(data, count)) {
      auto above =
          std::lower_bound(thresholds.begin(), thresholds.end(), value);
      ClusterExtent &extent = chunks[chunk][above - thresholds.begin()];
      extent.weight += 1.0;
      extent.low = std::min<double>(extent.low, value);
      extent.high = std::max<double>(extent.high, value);
    }
  });
  std::vector<ClusterExtent> total = chunks.front();
  for (const auto &chunk : ArrayRef(chunks).drop_front())
    for (size_t c = 0; c < centroids.size(); ++c) {
      total[c].weight += chunk[c].weight;
      total[c].low = std::min(total[c].low, chunk[c].low);
      total[c].high = std::max(total[c].high, chunk[c].high);
    }
  return total;
}

template <typename T>
double StreamingProblem<T>::getInertia(ArrayRef<T> centroids) const {
  SmallVector<T> thresholds = getThresholds(centroids);
  std::vector<double> chunks(getNumChunks());
  forEachContiguousChunk([&](int64_t chunk, const T *data, int64_t count) {
    chunks[chunk] = addSquaresDispatch<T>(data, count, thresholds, centroids);
  });
  double inertia = 0.0;
  for (double chunk : chunks)
    inertia += chunk;
  return inertia;
}

/// Moves the centroids to the means of their clusters. Returns the sum of the
/// squared moves.
template <typename T>
static double moveCentroids(const StreamingProblem<T> &problem,
                            std::vector<T> &centroids) {
  std::vector<double> sums(centroids.size()), means(centroids.size());
  std::vector<int64_t> counts(centroids.size());
  problem.sumClusters(centroids, sums, counts);
  bool anyEmpty = false;
  for (size_t c = 0; c < centroids.size(); ++c) {
    anyEmpty |= counts[c] == 0;
    means[c] = counts[c] ? sums[c] / counts[c] : centroids[c];
  }
  if (anyEmpty)
    restartEmptyClusters(problem.getExtents(centroids), means);
  // Differences of rounded sums can be out of order by as much.
  std::sort(means.begin(), means.end());
  double moves = 0.0;
  for (size_t c = 0; c < centroids.size(); ++c) {
    T moved = static_cast<T>(means[c]) + T(0);
    double move = static_cast<double>(moved) - centroids[c];
    moves += move * move;
    centroids[c] = moved;
  }
  return moves;
}

/// Fills in the result for the final centroids; drops clusters without data.
template <typename T>
static KMeansResult<T> finish(const StreamingProblem<T> &problem,
                              std::vector<T> centroids) {
  centroids.erase(std::unique(centroids.begin(), centroids.end()),
                  centroids.end());
  std::vector<double> noSums;
  std::vector<int64_t> counts(centroids.size());
  problem.sumClusters(centroids, noSums, counts);
  KMeansResult<T> result;
  for (size_t c = 0; c < centroids.size(); ++c)
    if (counts[c]) {
      result.centroids.push_back(centroids[c]);
      result.weights.push_back(static_cast<double>(counts[c]));
    }
  result.inertia = problem.getInertia(result.centroids);
  return result;
}

template <typename T>
KMeansResult<T>
fitKMeansStreaming(StridedSpan<const T> values, const MinMax &range,
                   const KMeansOptions &options, ThreadPoolInterface *pool) {
  StreamingProblem<T> problem(values, pool);
  std::vector<T> centroids;
  for (double start :
       getLinearStart(range.low, range.high, options.numClusters))
    centroids.push_back(static_cast<T>(start) + T(0));
  double limit = 0.0;
  if (options.tolerance > 0.0) {
    std::vector<double> sum(1);
    std::vector<int64_t> count(1);
    T any = T(0);
    problem.sumClusters(any, sum, count);
    T mean = static_cast<T>(sum[0] / count[0]);
    limit = options.tolerance * problem.getInertia(mean) / count[0];
  }
  unsigned iterations = 0;
  bool converged = false;
  while (!converged && iterations < options.maxIterations) {
    ++iterations;
    converged = moveCentroids(problem, centroids) <= limit;
  }
  KMeansResult<T> result = finish(problem, centroids);
  result.iterations = iterations;
  result.converged = converged;
  return result;
}

template KMeansResult<float> fitKMeansStreaming(StridedSpan<const float>,
                                                const MinMax &,
                                                const KMeansOptions &,
                                                ThreadPoolInterface *);
template KMeansResult<double> fitKMeansStreaming(StridedSpan<const double>,
                                                 const MinMax &,
                                                 const KMeansOptions &,
                                                 ThreadPoolInterface *);

} // namespace compress::numerics::detail
