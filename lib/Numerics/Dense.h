//===- Dense.h - Dense linear algebra building blocks -----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: matrix product, orthonormalization, symmetric
// eigenvectors and Cholesky factors, on checked input. Shapes are the callers'
// business. A null pool means the calling thread alone. Every result has the
// same bits for every number of threads: an element is always summed by one
// thread, in the same order. (Machines with and without fused multiply-add may
// differ in the last bits.)
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_DENSE_H
#define COMPRESS_LIB_NUMERICS_DENSE_H

#include "compress/Numerics/Matrix.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics::detail {

/// c = a * b, or c += a * b if `accumulate`. `c` must not overlap the inputs
/// and needs column stride 1. 2*m*n*k operations, packed panels, AVX-512 or
/// AVX2 where the processor has it.
void multiply(MatrixRef<const float> a, MatrixRef<const float> b,
              MatrixRef<float> c, bool accumulate = false,
              llvm::ThreadPoolInterface *pool = nullptr);
void multiply(MatrixRef<const double> a, MatrixRef<const double> b,
              MatrixRef<double> c, bool accumulate = false,
              llvm::ThreadPoolInterface *pool = nullptr);

/// g = a^T * a (columns x columns, full and exactly symmetric); about half the
/// cost of the product.
void gram(MatrixRef<const float> a, MatrixRef<float> g,
          llvm::ThreadPoolInterface *pool = nullptr);
void gram(MatrixRef<const double> a, MatrixRef<double> g,
          llvm::ThreadPoolInterface *pool = nullptr);

/// A contiguous copy, converted to `To`.
template <typename To, typename From>
Matrix<To> convert(MatrixRef<const From> from) {
  Matrix<To> to(from.rows, from.columns);
  // Walk along the input's contiguous direction in tiles, or a transposed
  // input misses the cache for every element.
  constexpr int64_t tile = 32;
  for (int64_t i0 = 0; i0 < from.rows; i0 += tile)
    for (int64_t j0 = 0; j0 < from.columns; j0 += tile)
      for (int64_t i = i0; i < std::min(i0 + tile, from.rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + tile, from.columns); ++j)
          to(i, j) = static_cast<To>(from(i, j));
  return to;
}

/// Sum of squares in f64.
template <typename T>
double squaredNorm(llvm::ArrayRef<T> values) {
  double lanes[8] = {};
  size_t i = 0;
  for (; i + 8 <= values.size(); i += 8)
    for (size_t lane = 0; lane < 8; ++lane)
      lanes[lane] += double(values[i + lane]) * double(values[i + lane]);
  double sum = 0;
  for (double lane : lanes)
    sum += lane;
  for (; i < values.size(); ++i)
    sum += double(values[i]) * double(values[i]);
  return sum;
}

/// An orthonormal basis of the numerical range of `y` (m x l): m x r with
/// r <= min(m, l). Columns whose part outside the others is below `tolerance`
/// times the largest column norm are dropped. Pivoted Cholesky of the Gram
/// matrix in f64; `passes` of 2 gives orthogonality to working precision, 1
/// is enough between power iterations. Returns an m x 0 matrix for y = 0.
template <typename T>
Matrix<T> orthonormalize(MatrixRef<const T> y, double tolerance, int passes,
                         llvm::ThreadPoolInterface *pool);

/// Fills columns [from, columns) of `q`, whose first `from` columns are
/// orthonormal, so that all are. Needs columns <= rows. Deterministic.
template <typename T>
void completeBasis(MatrixRef<T> q, int64_t from);

/// Eigenvalues, descending, and as rows of `vectors` the eigenvectors of the
/// `count` largest eigenvalues of a symmetric matrix. The tridiagonal problem
/// is always solved in f64.
template <typename T>
struct EigenResult {
  std::vector<double> values;
  Matrix<T> vectors;
};

/// The `count` largest eigenpairs of the symmetric n x n matrix `a`, which is
/// overwritten. 4/3 n^3 + 2 count n^2 operations. Fails only if the fallback
/// iteration does not converge.
template <typename T>
llvm::Expected<EigenResult<T>>
largestEigenpairs(Matrix<T> &a, int64_t count, llvm::ThreadPoolInterface *pool);

/// Lower Cholesky factor of the symmetric `a` in place (the upper triangle is
/// zeroed); false if a pivot is not above `pivotFloor`. n^3/3 operations.
bool choleskyLower(MatrixRef<double> a, double pivotFloor,
                   llvm::ThreadPoolInterface *pool);

/// Inverse of a lower triangular matrix with non-zero diagonal, in place.
void invertLower(MatrixRef<double> l, llvm::ThreadPoolInterface *pool);

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_DENSE_H
