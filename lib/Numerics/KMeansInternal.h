//===- KMeansInternal.h - Parts that the k-means forms share ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks, starts, restarts and results.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_KMEANSINTERNAL_H
#define COMPRESS_LIB_NUMERICS_KMEANSINTERNAL_H

#include "SortedValues.h"

#include "compress/Numerics/KMeans.h"
#include "compress/Numerics/MinMax.h"
#include "llvm/ADT/ArrayRef.h"

namespace compress::numerics::detail {

/// The range of the data if the data, the weights and the options are fit for
/// clustering.
template <typename T>
llvm::Expected<MinMax>
checkKMeans(StridedSpan<const T> values, StridedSpan<const T> weights,
            const KMeansOptions &options, llvm::ThreadPoolInterface *pool);

/// The data to cluster, sorted, and what was put aside.
template <typename T>
struct SortedProblem {
  SortedValues<T> sorted;
  /// The number of clusters for `sorted`; 0 only if `sorted` is empty.
  unsigned numClusters;
  /// The weight of the zeros that were put aside.
  double zeroWeight = 0.0;
};

/// Sorts checked data; puts zeros aside if the options say so. Fails if the
/// zeros take the only cluster and there is other data.
template <typename T>
llvm::Expected<SortedProblem<T>> sortProblem(StridedSpan<const T> values,
                                             StridedSpan<const T> weights,
                                             const KMeansOptions &options);

/// The result for centroids in any order, as rounded to T: with the zeros that
/// were put aside, without clusters that got no data. The numbers of iterations
/// and convergence are left to the caller.
template <typename T>
KMeansResult<T> finishSorted(const SortedProblem<T> &problem,
                             llvm::ArrayRef<double> centroids);

/// The first value index of each cluster and the number of values, for
/// centroids in ascending order.
template <typename T, typename U>
std::vector<int64_t> getBoundaries(const SortedValues<T> &sorted,
                                   llvm::ArrayRef<U> centroids);

/// `count` values evenly spaced from `low` to `high`, ascending.
std::vector<double> getLinearStart(double low, double high, unsigned count);

/// The smallest and largest value of a cluster, if `weight` is not 0.
struct ClusterExtent {
  double weight;
  double low;
  double high;
};

/// Moves the centroids of empty clusters to the values farthest from theirs, of
/// which `extents` knows two a cluster; keeps the order ascending.
void restartEmptyClusters(llvm::ArrayRef<ClusterExtent> extents,
                          std::vector<double> &centroids);

/// fitKMeansLloyd for checked data where it needs no sorting.
template <typename T>
KMeansResult<T> fitKMeansStreaming(StridedSpan<const T> values,
                                   const MinMax &range,
                                   const KMeansOptions &options,
                                   llvm::ThreadPoolInterface *pool);

/// The largest number of clusters for fitKMeansStreaming.
constexpr unsigned kMaxStreamingClusters = 32;

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_KMEANSINTERNAL_H
