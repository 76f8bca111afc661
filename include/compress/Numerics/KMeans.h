//===- KMeans.h - Codebooks fitted to scalar data ---------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One-dimensional k-means: the k values with the least weighted sum of squared
// distances ("inertia") of the data to the nearest of them. Optimal clusters
// are intervals of the sorted data, so the optimum can be computed; Lloyd's
// iteration only finds a local one, but streams through the data.
//
// All results are the same for every number of threads. The two forms of
// Lloyd's iteration, over the data or over sorted data, differ in rounding;
// which one runs depends on the options alone.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_KMEANS_H
#define COMPRESS_NUMERICS_KMEANS_H

#include "compress/Numerics/StridedSpan.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// Where Lloyd's iteration starts.
enum class KMeansStart {
  /// Evenly spaced over the range of the data (best for weights according to
  /// Han, Mao, Dally: Deep Compression, ICLR 2016).
  Linear,
  /// Quantiles: equal weight between neighbours.
  Density,
  /// Drawn from the data one by one with probabilities proportional to the
  /// squared distance to the nearest one drawn before (Arthur, Vassilvitskii:
  /// k-means++, SODA 2007).
  PlusPlus
};

struct KMeansOptions {
  /// Centroids wanted, 1 to 65536, the one for zeros included.
  unsigned numClusters = 16;
  /// Keeps a centroid of exactly 0 for the data that is exactly 0 (if there is
  /// any), and fits the others to the rest of the data. Meant to be used with
  /// ZeroAssignment::Reserved: pruned weights stay zero and no other weight
  /// becomes zero.
  bool keepZero = false;

  // Of Lloyd's iteration only:
  KMeansStart start = KMeansStart::Linear;
  uint64_t seed = 0;
  unsigned maxIterations = 100;
  /// Stops when the squared moves of all centroids add up to at most this many
  /// variances of the data. 0: when no centroid moves.
  double tolerance = 0.0;
};

template <typename T>
struct KMeansResult {
  /// Distinct, in ascending order; fewer than wanted if the data has fewer
  /// different values.
  std::vector<T> centroids;
  /// The sum of the weights of the data nearest to each centroid.
  std::vector<double> weights;
  /// The weighted sum of the squared distances to `centroids`, as rounded to T.
  double inertia = 0.0;
  unsigned iterations = 0;
  /// Whether Lloyd's iteration stopped before maxIterations; true for clusters
  /// that are optimal.
  bool converged = false;
};

/// The optimal clusters, by dynamic programming over the distinct values with
/// divide and conquer (Grønlund et al.: Fast exact k-means, k-medians and
/// Bregman divergence clustering in 1D, arXiv 1701.07204). T is float or
/// double. `weights` has an element for each value or is empty (all 1).
///
/// Sums of squares are compared in double precision relative to the variance of
/// all data: costs that differ by less than about 1e-15 of the total count as
/// equal.
///
/// Fails on no data, data that is not finite, weights that are negative or not
/// finite or all zero, or options out of range; and if the table would exceed
/// 2^32 bytes, 4 for each distinct value and cluster. Cost for m distinct
/// values: O(n log n + k m log m) time, 32 m + 4 k m bytes.
template <typename T>
llvm::Expected<KMeansResult<T>>
fitKMeansExact(StridedSpan<const T> values, StridedSpan<const T> weights,
               const KMeansOptions &options,
               llvm::ThreadPoolInterface *pool = nullptr);

/// Lloyd's iteration. A cluster that becomes empty restarts at the value
/// farthest from its centroid. Fails as fitKMeansExact does, but has no table.
///
/// Cost: with a linear start, up to 32 clusters, no weights and no kept zero,
/// one pass over the data an iteration, of k comparisons a value. Else the data
/// is sorted, and an iteration takes O(k log n).
template <typename T>
llvm::Expected<KMeansResult<T>>
fitKMeansLloyd(StridedSpan<const T> values, StridedSpan<const T> weights,
               const KMeansOptions &options,
               llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_KMEANS_H
