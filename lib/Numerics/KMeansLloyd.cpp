//===- KMeansLloyd.cpp - Lloyd's iteration over sorted data ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In sorted data a cluster is an interval, its ends are found by binary search
// and its mean is a difference of prefix sums.
//
//===----------------------------------------------------------------------===//

#include "KMeansInternal.h"

#include "compress/Numerics/Random.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Starts
//===----------------------------------------------------------------------===//

/// The index of the value at which the weight from the smallest on reaches
/// `weight`.
template <typename T>
static int64_t findQuantile(const SortedValues<T> &sorted, double weight) {
  auto above = std::upper_bound(sorted.weightBefore.begin() + 1,
                                sorted.weightBefore.end(), weight);
  int64_t index = above - sorted.weightBefore.begin() - 1;
  return std::min(index, sorted.size() - 1);
}

template <typename T>
static std::vector<double> getDensityStart(const SortedValues<T> &sorted,
                                           unsigned count) {
  std::vector<double> centroids;
  for (unsigned i = 0; i < count; ++i)
    centroids.push_back(sorted.values[findQuantile(
        sorted, sorted.getTotalWeight() * (i + 0.5) / count)]);
  return centroids;
}

namespace {
/// Draws values as k-means++ does.
template <typename T>
class PlusPlusSampler {
public:
  PlusPlusSampler(const SortedValues<T> &sorted, uint64_t seed)
      : sorted(sorted), seed(seed) {
    squaresBefore.reserve(sorted.size() + 1);
    double sum = 0.0;
    for (int64_t i = 0; i < sorted.size(); ++i) {
      squaresBefore.push_back(sum);
      double value = sorted.values[i] - sorted.center;
      sum += sorted.getWeight(i, i + 1) * value * value;
    }
    squaresBefore.push_back(sum);
  }

  std::vector<double> draw(unsigned count) {
    std::vector<T> chosen = {sorted.values[findQuantile(
        sorted, getRandom() * sorted.getTotalWeight())]};
    // A value can be drawn twice where rounding makes its own distance
    // positive, so the number of draws is limited.
    for (unsigned i = 0; i < 2 * count && chosen.size() < count; ++i) {
      int64_t index = drawByDistance(chosen);
      if (index < 0)
        break;
      T value = sorted.values[index];
      auto place = llvm::lower_bound(chosen, value);
      if (place == chosen.end() || *place != value)
        chosen.insert(place, value);
    }
    return {chosen.begin(), chosen.end()};
  }

private:
  /// A number in [0, 1) of 53 bits.
  double getRandom() {
    uint64_t low = getRandomWord(seed, 2 * numDrawn);
    uint64_t high = getRandomWord(seed, 2 * numDrawn + 1);
    ++numDrawn;
    return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
  }

  /// The weighted squared distances of [first, last) to `centroid`.
  double getCost(int64_t first, int64_t last, double centroid) const {
    double c = centroid - sorted.center;
    double squares = squaresBefore[last] - squaresBefore[first];
    double cost = squares - 2 * c * sorted.getMoment(first, last) +
                  c * c * sorted.getWeight(first, last);
    return std::max(cost, 0.0);
  }

  /// An index with a probability proportional to its weight times the squared
  /// distance to the nearest chosen value; -1 if all distances are 0.
  int64_t drawByDistance(ArrayRef<T> chosen) {
    std::vector<double> centroids(chosen.begin(), chosen.end());
    std::vector<int64_t> boundaries =
        detail::getBoundaries<T, double>(sorted, centroids);
    double total = 0.0;
    for (size_t c = 0; c < centroids.size(); ++c)
      total += getCost(boundaries[c], boundaries[c + 1], centroids[c]);
    if (!(total > 0.0))
      return -1;
    double target = getRandom() * total;
    for (size_t c = 0; c < centroids.size(); ++c) {
      double cost = getCost(boundaries[c], boundaries[c + 1], centroids[c]);
      if (target < cost)
        return findCost(boundaries[c], boundaries[c + 1], centroids[c], target);
      target -= cost;
    }
    return sorted.size() - 1; // The sums were rounded differently.
  }

  /// The index in [first, last) at which the cost from `first` on exceeds
  /// `target`.
  int64_t findCost(int64_t first, int64_t last, double centroid,
                   double target) const {
    int64_t low = first, high = last - 1;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (getCost(first, middle + 1, centroid) > target)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  const SortedValues<T> &sorted;
  uint64_t seed;
  uint64_t numDrawn = 0;
  std::vector<double> squaresBefore;
};
} // namespace

template <typename T>
static std::vector<double> getStart(const SortedValues<T> &sorted,
                                    unsigned count,
                                    const KMeansOptions &options) {
  switch (options.start) {
  case KMeansStart::Linear:
    return detail::getLinearStart(sorted.values.front(), sorted.values.back(),
                                  count);
  case KMeansStart::Density:
    return getDensityStart(sorted, count);
  case KMeansStart::PlusPlus:
    return PlusPlusSampler<T>(sorted, options.seed).draw(count);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

/// The variance of the data.
template <typename T>
static double getVariance(const SortedValues<T> &sorted) {
  double sum = 0.0;
  for (int64_t i = 0; i < sorted.size(); ++i) {
    double value = sorted.values[i] - sorted.center;
    sum += sorted.getWeight(i, i + 1) * value * value;
  }
  return sum / sorted.getTotalWeight();
}

/// Moves the centroids to the means of their clusters. Returns the sum of the
/// squared moves.
template <typename T>
static double moveCentroids(const SortedValues<T> &sorted,
                            std::vector<double> &centroids) {
  std::vector<int64_t> boundaries =
      detail::getBoundaries<T, double>(sorted, centroids);
  std::vector<double> before = centroids;
  std::vector<detail::ClusterExtent> extents;
  for (size_t c = 0; c < centroids.size(); ++c) {
    int64_t first = boundaries[c], last = boundaries[c + 1];
    if (first == last) {
      extents.push_back({0.0, 0.0, 0.0});
      continue;
    }
    centroids[c] = sorted.getMean(first, last);
    extents.push_back({sorted.getWeight(first, last), sorted.values[first],
                       sorted.values[last - 1]});
  }
  detail::restartEmptyClusters(extents, centroids);
  // Means of neighbours can come out of order by rounding.
  sort(centroids);
  double moves = 0.0;
  for (auto [from, to] : zip_equal(before, centroids))
    moves += (to - from) * (to - from);
  return moves;
}

template <typename T>
static KMeansResult<T> iterate(const detail::SortedProblem<T> &problem,
                               const KMeansOptions &options) {
  const SortedValues<T> &sorted = problem.sorted;
  std::vector<double> centroids =
      getStart(sorted, problem.numClusters, options);
  double limit =
      options.tolerance > 0.0 ? options.tolerance * getVariance(sorted) : 0.0;
  unsigned iterations = 0;
  bool converged = false;
  while (!converged && iterations < options.maxIterations) {
    ++iterations;
    converged = moveCentroids(sorted, centroids) <= limit;
  }
  KMeansResult<T> result = detail::finishSorted<T>(problem, centroids);
  result.iterations = iterations;
  result.converged = converged;
  return result;
}

template <typename T>
Expected<KMeansResult<T>>
fitKMeansLloyd(StridedSpan<const T> values, StridedSpan<const T> weights,
               const KMeansOptions &options, ThreadPoolInterface *pool) {
  Expected<MinMax> range = detail::checkKMeans(values, weights, options, pool);
  if (!range)
    return range.takeError();
  if (options.start == KMeansStart::Linear && weights.empty() &&
      !options.keepZero && options.numClusters <= detail::kMaxStreamingClusters)
    return detail::fitKMeansStreaming(values, *range, options, pool);
  Expected<detail::SortedProblem<T>> problem =
      detail::sortProblem(values, weights, options);
  if (!problem)
    return problem.takeError();
  const SortedValues<T> &sorted = problem->sorted;
  if (sorted.size() > problem->numClusters)
    return iterate(*problem, options);
  std::vector<double> all(sorted.values.begin(), sorted.values.end());
  KMeansResult<T> result = detail::finishSorted<T>(*problem, all);
  result.converged = true;
  return result;
}

template Expected<KMeansResult<float>> fitKMeansLloyd(StridedSpan<const float>,
                                                      StridedSpan<const float>,
                                                      const KMeansOptions &,
                                                      ThreadPoolInterface *);
template Expected<KMeansResult<double>>
fitKMeansLloyd(StridedSpan<const double>, StridedSpan<const double>,
               const KMeansOptions &, ThreadPoolInterface *);

} // namespace compress::numerics
