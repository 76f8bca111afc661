//===- VectorKMeans.h - Codebooks of short vectors --------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector quantization: each row of a matrix is stored as the index of the
// nearest of k centroids. Distances are sums of squares in T over the columns
// in order, without fused operations, so that all processors agree; of equal
// distances the lower index wins.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_VECTORKMEANS_H
#define COMPRESS_NUMERICS_VECTORKMEANS_H

#include "compress/Numerics/Matrix.h"
#include "compress/Numerics/StridedSpan.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

struct VectorKMeansOptions {
  /// Centroids wanted, 1 to 65536.
  unsigned numClusters = 256;
  /// Of the k-means++ start.
  uint64_t seed = 0;
  unsigned maxIterations = 100;
  /// Stops when the squared moves of all centroids add up to at most this many
  /// variances (summed over the columns) of the data. 0: when none moves.
  double tolerance = 0.0;
};

template <typename T>
struct VectorKMeansResult {
  /// A row for each centroid; fewer than wanted only if there are fewer
  /// different vectors.
  Matrix<T> centroids;
  /// The index of the centroid nearest to each vector.
  std::vector<int32_t> indices;
  /// The sum of the weights of the vectors of each centroid.
  std::vector<double> weights;
  /// The weighted sum of the squared distances.
  double inertia = 0.0;
  unsigned iterations = 0;
  bool converged = false;
};

/// Lloyd's iteration from a k-means++ start. T is float or double; `weights`
/// has an element for each row of `vectors` or is empty (all 1). A cluster that
/// becomes empty restarts at the vector farthest from its centroid. The result
/// does not depend on the number of threads.
///
/// Fails on no vectors, no columns or more than 4096, data that is not finite
/// or so large that squared distances overflow, weights that are negative, not
/// finite or all zero, or options out of range. Cost for n vectors of d
/// columns: O(n k d) an iteration, and as much for the start; n values and
/// indices of memory.
template <typename T>
llvm::Expected<VectorKMeansResult<T>>
fitVectorKMeans(MatrixRef<const T> vectors, StridedSpan<const T> weights,
                const VectorKMeansOptions &options,
                llvm::ThreadPoolInterface *pool = nullptr);

/// The index of the nearest centroid of each row of `vectors`. NaN distances
/// are never the nearest; a vector that has no others gets index 0. Fails if
/// there are no centroids, if the numbers of columns differ, or if `indices`
/// does not have one element for each vector.
template <typename T>
llvm::Error assignVectors(MatrixRef<const T> vectors,
                          MatrixRef<const T> centroids,
                          llvm::MutableArrayRef<int32_t> indices,
                          llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_VECTORKMEANS_H
