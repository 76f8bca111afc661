//===- KMeansInternal.cpp - Parts that the k-means forms share ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KMeansInternal.h"

#include "compress/Numerics/Codebook.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace compress::numerics::detail {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error checkOptions(const KMeansOptions &options) {
  if (options.numClusters < 1 || options.numClusters > 65536)
    return createStringError(
        "the number of clusters must be in [1, 65536], but "
        "is %u",
        options.numClusters);
  if (options.maxIterations < 1)
    return createStringError("at least one iteration is needed");
  if (!(options.tolerance >= 0.0))
    return createStringError("the tolerance must not be negative");
  return Error::success();
}

template <typename T>
static Error checkWeights(StridedSpan<const T> values,
                          StridedSpan<const T> weights) {
  if (weights.empty())
    return Error::success();
  if (weights.size() != values.size())
    return createStringError("%lld values, but %lld weights",
                             (long long)values.size(),
                             (long long)weights.size());
  double total = 0.0;
  for (int64_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= T(0)))
      return createStringError("weight %lld is negative or NaN", (long long)i);
    total += weights[i];
  }
  if (!(total > 0.0) || !std::isfinite(total))
    return createStringError("the sum of the weights must be positive and "
                             "finite");
  return Error::success();
}

template <typename T>
Expected<MinMax>
checkKMeans(StridedSpan<const T> values, StridedSpan<const T> weights,
            const KMeansOptions &options, ThreadPoolInterface *pool) {
  if (Error error = checkSpan(values, "values"))
    return std::move(error);
  if (Error error = checkSpan(weights, "weights"))
    return std::move(error);
  if (Error error = checkOptions(options))
    return std::move(error);
  if (Error error = checkWeights(values, weights))
    return std::move(error);
  Expected<MinMax> range = computeMinMax(values, pool);
  if (!range)
    return range;
  if (values.empty())
    return createStringError("there is nothing to cluster");
  if (range->numNaN || range->numInfinite)
    return createStringError(
        "%lld values are NaN and %lld infinite; clustering "
        "needs finite data",
        (long long)range->numNaN, (long long)range->numInfinite);
  // Sums of squares must not overflow.
  if (range->getAbsMax() > 1e150)
    return createStringError("the largest magnitude, %g, is above 1e150; scale "
                             "the data",
                             range->getAbsMax());
  return range;
}

//===----------------------------------------------------------------------===//
// Problem and result
//===----------------------------------------------------------------------===//

template <typename T>
Expected<SortedProblem<T>> sortProblem(StridedSpan<const T> values,
                                       StridedSpan<const T> weights,
                                       const KMeansOptions &options) {
  SortedProblem<T> problem;
  problem.sorted = SortedValues<T>::create(values, weights, options.keepZero);
  problem.numClusters = options.numClusters;
  if (!options.keepZero)
    return problem;
  for (int64_t i = 0; i < values.size(); ++i)
    if (values[i] == T(0))
      problem.zeroWeight += weights.empty() ? T(1) : weights[i];
  if (problem.zeroWeight > 0.0)
    --problem.numClusters;
  if (problem.numClusters == 0 && problem.sorted.size() > 0)
    return createStringError("keeping zero takes the only cluster; allow more "
                             "clusters");
  return problem;
}

template <typename T, typename U>
std::vector<int64_t> getBoundaries(const SortedValues<T> &sorted,
                                   ArrayRef<U> centroids) {
  std::vector<int64_t> boundaries = {0};
  for (size_t i = 1; i < centroids.size(); ++i) {
    U threshold = getLowerMidpoint(centroids[i - 1], centroids[i]);
    auto first = std::upper_bound(sorted.values.begin() + boundaries.back(),
                                  sorted.values.end(), threshold);
    boundaries.push_back(first - sorted.values.begin());
  }
  boundaries.push_back(sorted.size());
  return boundaries;
}

template <typename T>
static void sortDistinct(std::vector<T> &values) {
  sort(values);
  values.erase(llvm::unique(values), values.end());
}

/// The value of [first, last) nearest to zero, of equally near ones the
/// positive one.
template <typename T>
static T getNearestToZero(ArrayRef<T> values) {
  const T *positive = partition_point(values, [](T v) { return v < T(0); });
  if (positive == values.end() ||
      (positive != values.begin() && -positive[-1] < *positive))
    return positive[-1];
  return *positive;
}

/// Only zeros may become zero, so a mean of zero gives way to the nearest
/// value.
template <typename T>
static void avoidZeroCentroid(const SortedValues<T> &sorted,
                              std::vector<T> &centroids) {
  auto zero = llvm::find(centroids, T(0));
  if (zero == centroids.end())
    return;
  size_t cluster = zero - centroids.begin();
  std::vector<int64_t> boundaries = getBoundaries<T, T>(sorted, centroids);
  int64_t first = boundaries[cluster], last = boundaries[cluster + 1];
  if (first == last)
    centroids.erase(zero);
  else
    *zero =
        getNearestToZero(ArrayRef(sorted.values).slice(first, last - first));
  sortDistinct(centroids);
}

template <typename T>
static double getInertia(const SortedValues<T> &sorted, int64_t first,
                         int64_t last, T centroid) {
  double inertia = 0.0;
  for (int64_t i = first; i < last; ++i) {
    double distance = static_cast<double>(sorted.values[i]) - centroid;
    inertia += sorted.getWeight(i, i + 1) * distance * distance;
  }
  return inertia;
}

template <typename T>
KMeansResult<T> finishSorted(const SortedProblem<T> &problem,
                             ArrayRef<double> exact) {
  const SortedValues<T> &sorted = problem.sorted;
  std::vector<T> centroids;
  for (double centroid : exact)
    centroids.push_back(static_cast<T>(centroid) + T(0));
  sortDistinct(centroids);
  if (problem.zeroWeight > 0.0)
    avoidZeroCentroid(sorted, centroids);
  std::vector<int64_t> boundaries = getBoundaries<T, T>(sorted, centroids);
  KMeansResult<T> result;
  auto addZero = [&] {
    result.centroids.push_back(T(0));
    result.weights.push_back(problem.zeroWeight);
  };
  bool needsZero = problem.zeroWeight > 0.0;
  for (auto [cluster, centroid] : enumerate(centroids)) {
    int64_t first = boundaries[cluster], last = boundaries[cluster + 1];
    if (first == last)
      continue;
    if (needsZero && centroid > T(0)) {
      addZero();
      needsZero = false;
    }
    result.centroids.push_back(centroid);
    result.weights.push_back(sorted.getWeight(first, last));
    result.inertia += getInertia(sorted, first, last, centroid);
  }
  if (needsZero)
    addZero();
  return result;
}

//===----------------------------------------------------------------------===//
// Starts
//===----------------------------------------------------------------------===//

std::vector<double> getLinearStart(double low, double high, unsigned count) {
  if (count == 1)
    return {low / 2 + high / 2};
  std::vector<double> centroids(count);
  for (unsigned i = 0; i < count; ++i) {
    double part = static_cast<double>(i) / (count - 1);
    centroids[i] = low * (1 - part) + high * part;
  }
  return centroids;
}

void restartEmptyClusters(ArrayRef<ClusterExtent> extents,
                          std::vector<double> &centroids) {
  if (none_of(extents, [](const ClusterExtent &e) { return e.weight == 0.0; }))
    return;
  // Distance and value; farthest first, of equally far ones the smaller value.
  std::vector<std::pair<double, double>> candidates;
  for (auto [extent, centroid] : zip_equal(extents, centroids)) {
    if (extent.weight == 0.0)
      continue;
    candidates.push_back({std::abs(extent.low - centroid), extent.low});
    if (extent.high != extent.low)
      candidates.push_back({std::abs(extent.high - centroid), extent.high});
  }
  sort(candidates, [](const auto &left, const auto &right) {
    return left.first != right.first ? left.first > right.first
                                     : left.second < right.second;
  });
  size_t next = 0;
  for (auto [extent, centroid] : zip_equal(extents, centroids))
    if (extent.weight == 0.0 && next < candidates.size() &&
        candidates[next].first > 0.0)
      centroid = candidates[next++].second;
  sort(centroids);
}

#define COMPRESS_INSTANTIATE(T)                                                \
  template Expected<MinMax> checkKMeans(                                       \
      StridedSpan<const T>, StridedSpan<const T>, const KMeansOptions &,       \
      ThreadPoolInterface *);                                                  \
  template Expected<SortedProblem<T>> sortProblem(                             \
      StridedSpan<const T>, StridedSpan<const T>, const KMeansOptions &);      \
  template std::vector<int64_t> getBoundaries(const SortedValues<T> &,         \
                                              ArrayRef<double>);               \
  template KMeansResult<T> finishSorted(const SortedProblem<T> &,              \
                                        ArrayRef<double>);
COMPRESS_INSTANTIATE(float)
COMPRESS_INSTANTIATE(double)
#undef COMPRESS_INSTANTIATE

} // namespace compress::numerics::detail
