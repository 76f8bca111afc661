//===- Svd.h - Truncated singular value decompositions ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The best approximation of a matrix by one of lower rank,
//
//   A (m x n) ~ left (m x r) * diag(values) * right^T (r x n),
//
// exactly, or from a random sketch where the matrix is large and the rank is
// small. Input is scaled by a power of two inside, so that its magnitude does
// not matter. The largest element of every left vector is positive, which
// makes the signs unique.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_SVD_H
#define COMPRESS_NUMERICS_SVD_H

#include "compress/Numerics/Matrix.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// A truncated singular value decomposition.
template <typename T>
struct Svd {
  /// m x r, orthonormal columns.
  Matrix<T> left;
  /// r values, descending, none negative.
  std::vector<double> values;
  /// n x r, orthonormal columns.
  Matrix<T> right;
  /// Sum of the squares of all elements of the input; minus the sum of the
  /// squared values, this is the squared error of the approximation.
  double totalEnergy = 0;

  int64_t getRank() const { return values.size(); }
};

/// The `rank` largest singular triplets, to working precision of f64 relative
/// to the largest; 1 <= rank <= min(m, n). Always computed in f64. Vectors of
/// zero singular values complete the basis.
///
/// Eigenvectors of the smaller Gram matrix, with deflation: directions far
/// below the largest value are split off and decomposed again by themselves,
/// so that squaring loses nothing. About 2 m n s + 4/3 s^3 operations for
/// s = min(m, n), and 8 bytes of scratch an element. Fails on NaN, infinity,
/// empty input and ranks out of range.
llvm::Expected<Svd<float>>
truncatedSvd(MatrixRef<const float> matrix, int64_t rank,
             llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<Svd<double>>
truncatedSvd(MatrixRef<const double> matrix, int64_t rank,
             llvm::ThreadPoolInterface *pool = nullptr);

/// How randomizedSvd sketches.
struct RandomizedSvdOptions {
  int64_t rank = 1;
  /// Extra directions of the sketch; rounded up so that rank + oversampling
  /// fills whole vector registers.
  int64_t oversampling = 10;
  /// Multiplications with A A^T that sharpen the sketch; 2 is enough for
  /// weights, 4 or more for spectra without decay.
  int64_t powerIterations = 2;
  uint64_t seed = 0;
};

/// An approximation of the `rank` largest singular triplets by subspace
/// iteration on a random sketch (Halko, Martinsson and Tropp 2011, algorithms
/// 4.4 and 5.1); products in the element type, bases in f64. Takes
/// 2 m n (rank + oversampling) (2 + 2 powerIterations) operations. Same bits
/// for the same seed. Fails as truncatedSvd does.
llvm::Expected<Svd<float>>
randomizedSvd(MatrixRef<const float> matrix,
              const RandomizedSvdOptions &options,
              llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<Svd<double>>
randomizedSvd(MatrixRef<const double> matrix,
              const RandomizedSvdOptions &options,
              llvm::ThreadPoolInterface *pool = nullptr);

/// left * diag(values) * right^T, written to `out` (m x n).
llvm::Error reconstruct(const Svd<float> &svd, MatrixRef<float> out,
                        llvm::ThreadPoolInterface *pool = nullptr);
llvm::Error reconstruct(const Svd<double> &svd, MatrixRef<double> out,
                        llvm::ThreadPoolInterface *pool = nullptr);

/// The two factors of the product form: first (m x r) * second (r x n), with
/// the square root of each value in both, which keeps their ranges alike.
template <typename T>
struct LowRankFactors {
  Matrix<T> first;
  Matrix<T> second;
};
LowRankFactors<float> splitEvenly(const Svd<float> &svd);
LowRankFactors<double> splitEvenly(const Svd<double> &svd);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_SVD_H
