//===- KMeansExact.cpp - Optimal one-dimensional clusters -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inertia of a set of intervals is the sum of w x^2 over all data, which is
// the same for all sets, less the gain: the sum of (sum of w x)^2 / (sum of w)
// over the intervals. best(c, j), the largest gain for the first j values in c
// intervals, is the maximum over i of best(c - 1, i) + gain of [i, j); the
// first i that gives it does not decrease with j, so once it is known for some
// j the search for the others narrows.
//
//===----------------------------------------------------------------------===//

#include "KMeansInternal.h"

#include "compress/Numerics/Parallel.h"

#include <algorithm>

using namespace llvm;

namespace compress::numerics {

namespace {
/// Computes one row of the table, for a number of clusters, from the one
/// before.
template <typename T>
class RowSolver {
public:
  /// `starts[j]` becomes where the last interval of the first j values begins.
  RowSolver(const SortedValues<T> &sorted, const std::vector<double> &before,
            std::vector<double> &gains, MutableArrayRef<int32_t> starts)
      : sorted(sorted), before(before), gains(gains), starts(starts) {}

  void solve(ThreadPoolInterface *pool) {
    const int64_t size = sorted.size();
    // The ends of blocks first, then the blocks, independent of each other.
    const int64_t block = std::max<int64_t>(size / 64, 1024);
    const int64_t numBlocks = getNumChunks(size, block);
    solveBlockEnds(0, numBlocks, block, 0, size);
    forEachChunk(pool, size, block, [&](int64_t, int64_t begin, int64_t end) {
      // `end` is solved, or is the first `size` values, solved too.
      int64_t low = begin ? starts[begin] : 0;
      solveRange(begin + 1, end, low, starts[end]);
    });
  }

private:
  double getGain(int64_t first, int64_t last) const {
    double moment = sorted.getMoment(first, last);
    return moment * moment / sorted.getWeight(first, last);
  }

  /// Solves for the first `last` values; the interval starts in [low, high].
  void solveOne(int64_t last, int64_t low, int64_t high) {
    double best = -1.0;
    int64_t bestStart = low;
    for (int64_t start = low, end = std::min(high, last - 1); start <= end;
         ++start) {
      double gain = before[start] + getGain(start, last);
      if (gain > best) {
        best = gain;
        bestStart = start;
      }
    }
    gains[last] = best;
    starts[last] = static_cast<int32_t>(bestStart);
  }

  int64_t getBlockEnd(int64_t index, int64_t block) const {
    return std::min(index * block, sorted.size());
  }
  /// Solves for the ends of blocks [first, last).
  void solveBlockEnds(int64_t first, int64_t last, int64_t block, int64_t low,
                      int64_t high) {
    if (first >= last)
      return;
    int64_t middle = (first + last) / 2;
    int64_t end = getBlockEnd(middle + 1, block);
    solveOne(end, low, high);
    int64_t start = starts[end];
    solveBlockEnds(first, middle, block, low, start);
    solveBlockEnds(middle + 1, last, block, start, high);
  }
  /// Solves for the first `first`, ..., `last` - 1 values.
  void solveRange(int64_t first, int64_t last, int64_t low, int64_t high) {
    if (first >= last)
      return;
    int64_t middle = first + (last - first) / 2;
    solveOne(middle, low, high);
    int64_t start = starts[middle];
    solveRange(first, middle, low, start);
    solveRange(middle + 1, last, start, high);
  }

  const SortedValues<T> &sorted;
  const std::vector<double> &before;
  std::vector<double> &gains;
  MutableArrayRef<int32_t> starts;
};
} // namespace

/// The means of the optimal intervals.
template <typename T>
static std::vector<double>
solveTable(const SortedValues<T> &sorted, unsigned numClusters,
           std::vector<int32_t> &table, ThreadPoolInterface *pool) {
  const int64_t size = sorted.size();
  const int64_t width = size + 1;
  std::vector<double> before(width), gains(width);
  for (int64_t last = 1; last <= size; ++last) {
    double moment = sorted.getMoment(0, last);
    before[last] = moment * moment / sorted.getWeight(0, last);
  }
  for (unsigned row = 1; row < numClusters; ++row) {
    RowSolver<T>(sorted, before, gains,
                 MutableArrayRef(table).slice(row * width, width))
        .solve(pool);
    std::swap(before, gains);
  }
  std::vector<double> means;
  int64_t last = size;
  for (unsigned row = numClusters; row-- > 0 && last > 0;) {
    int64_t first = row ? table[row * width + last] : 0;
    means.push_back(sorted.getMean(first, last));
    last = first;
  }
  return means;
}

template <typename T>
Expected<KMeansResult<T>>
fitKMeansExact(StridedSpan<const T> values, StridedSpan<const T> weights,
               const KMeansOptions &options, ThreadPoolInterface *pool) {
  Expected<MinMax> range = detail::checkKMeans(values, weights, options, pool);
  if (!range)
    return range.takeError();
  Expected<detail::SortedProblem<T>> problem =
      detail::sortProblem(values, weights, options);
  if (!problem)
    return problem.takeError();
  const SortedValues<T> &sorted = problem->sorted;
  std::vector<double> means;
  if (sorted.size() <= problem->numClusters) {
    means.assign(sorted.values.begin(), sorted.values.end());
  } else {
    uint64_t entries = uint64_t(sorted.size() + 1) * problem->numClusters;
    if (entries > (uint64_t(1) << 30))
      return createStringError(
          "%lld distinct values and %u clusters need a "
          "table of more than 4 GiB; use Lloyd's iteration",
          (long long)sorted.size(), problem->numClusters);
    std::vector<int32_t> table(entries);
    means = solveTable(sorted, problem->numClusters, table, pool);
  }
  KMeansResult<T> result = detail::finishSorted<T>(*problem, means);
  result.converged = true;
  return result;
}

template Expected<KMeansResult<float>> fitKMeansExact(StridedSpan<const float>,
                                                      StridedSpan<const float>,
                                                      const KMeansOptions &,
                                                      ThreadPoolInterface *);
template Expected<KMeansResult<double>>
fitKMeansExact(StridedSpan<const double>, StridedSpan<const double>,
               const KMeansOptions &, ThreadPoolInterface *);

} // namespace compress::numerics
