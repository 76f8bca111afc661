//===- Cholesky.cpp - Cholesky factors and orthonormal bases --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocked so that nearly all of the work is matrix products.
//
//===----------------------------------------------------------------------===//

#include "Dense.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace llvm;

namespace compress::numerics::detail {

/// Columns that are factored at once by plain loops.
static constexpr int64_t blockSize = 64;

/// Row-by-row Cholesky of a small block; reads and writes the lower triangle.
static bool factorBlock(MatrixRef<double> a, double pivotFloor) {
  for (int64_t j = 0; j < a.rows; ++j) {
    for (int64_t i = j; i < a.rows; ++i) {
      double sum = a(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= a(i, k) * a(j, k);
      if (i > j)
        a(i, j) = sum / a(j, j);
      else if (sum > pivotFloor && std::isfinite(sum))
        a(j, j) = std::sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

/// Plain inverse of a small lower triangular matrix, in place.
static void invertBlock(MatrixRef<double> l) {
  for (int64_t j = 0; j < l.columns; ++j) {
    l(j, j) = 1 / l(j, j);
    for (int64_t i = j + 1; i < l.rows; ++i) {
      double sum = 0;
      for (int64_t k = j; k < i; ++k)
        sum += l(i, k) * l(k, j);
      // Columns right of j still hold the factor: its diagonal is not inverted
      // yet below row j.
      l(i, j) = -sum / l(i, i);
    }
  }
}

static Matrix<double> negated(MatrixRef<const double> from) {
  Matrix<double> to = convert<double>(from);
  for (double &value : to.elements())
    value = -value;
  return to;
}

bool choleskyLower(MatrixRef<double> a, double pivotFloor,
                   ThreadPoolInterface *pool) {
  const int64_t n = a.rows;
  for (int64_t k = 0; k < n; k += blockSize) {
    int64_t width = std::min(blockSize, n - k), below = n - k - width;
    MatrixRef<double> diagonal = a.block(k, k, width, width);
    if (!factorBlock(diagonal, pivotFloor))
      return false;
    for (int64_t i = k; i < k + width; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        a(i, j) = 0;
    if (!below)
      break;
    Matrix<double> inverse = convert<double, double>(diagonal);
    invertBlock(inverse.ref());
    MatrixRef<double> panel = a.block(k + width, k, below, width);
    Matrix<double> old = convert<double, double>(panel);
    multiply(old.ref(), inverse.ref().transposed(), panel, false, pool);
    Matrix<double> minus = negated(panel);
    // Column strips, from the diagonal down: half of the square update.
    constexpr int64_t strip = 4 * blockSize;
    for (int64_t j = 0; j < below; j += strip) {
      int64_t columns = std::min(strip, below - j);
      multiply(minus.ref().block(j, 0, below - j, width),
               panel.block(j, 0, columns, width).transposed(),
               a.block(k + width + j, k + width + j, below - j, columns), true,
               pool);
    }
  }
  return true;
}

void invertLower(MatrixRef<double> l, ThreadPoolInterface *pool) {
  const int64_t n = l.rows;
  for (int64_t k = 0; k < n; k += blockSize) {
    int64_t height = std::min(blockSize, n - k);
    MatrixRef<double> diagonal = l.block(k, k, height, height);
    invertBlock(diagonal);
    if (k == 0)
      continue;
    // Rows above already hold the inverse X: X_ki = -X_kk * (L_k. * X_.i).
    Matrix<double> product(height, k);
    multiply(l.block(k, 0, height, k), l.block(0, 0, k, k), product.ref(),
             false, pool);
    Matrix<double> minus = negated(diagonal);
    multiply(minus.ref(), product.ref(), l.block(k, 0, height, k), false, pool);
  }
}

/// Pivoted Cholesky of the l x l Gram matrix `g` (destroyed): returns an l x r
/// matrix M such that Y * M has orthonormal columns, where Y^T Y = g. Columns
/// with a remaining squared norm of floor or less are left out.
static Matrix<double> orthonormalizer(Matrix<double> &g, double floor) {
  const int64_t l = g.rows();
  std::vector<int64_t> order(l);
  std::iota(order.begin(), order.end(), 0);
  // lower(i, :) are the coefficients of pivot column i.
  Matrix<double> lower(l, l);
  std::vector<double> rest(l);
  for (int64_t i = 0; i < l; ++i)
    rest[i] = g(i, i);
  int64_t rank = 0;
  for (; rank < l; ++rank) {
    int64_t best = rank;
    for (int64_t i = rank + 1; i < l; ++i)
      if (rest[order[i]] > rest[order[best]])
        best = i;
    if (!(rest[order[best]] > floor))
      break;
    std::swap(order[rank], order[best]);
    for (int64_t k = 0; k < rank; ++k)
      std::swap(lower(rank, k), lower(best, k));
    int64_t pivot = order[rank];
    double root = std::sqrt(rest[pivot]);
    lower(rank, rank) = root;
    for (int64_t i = rank + 1; i < l; ++i) {
      double sum = g(order[i], pivot);
      for (int64_t k = 0; k < rank; ++k)
        sum -= lower(i, k) * lower(rank, k);
      lower(i, rank) = sum / root;
      rest[order[i]] -= lower(i, rank) * lower(i, rank);
    }
  }
  Matrix<double> inverse =
      convert<double, double>(lower.ref().block(0, 0, rank, rank));
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t j = i + 1; j < rank; ++j)
      inverse(i, j) = 0;
  invertLower(inverse.ref(), nullptr);
  Matrix<double> result(l, rank);
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t j = 0; j <= i; ++j)
      result(order[j], i) = inverse(i, j);
  return result;
}

template <typename T>
Matrix<T> orthonormalize(MatrixRef<const T> y, double tolerance, int passes,
                         ThreadPoolInterface *pool) {
  Matrix<double> current = convert<double>(y);
  for (int pass = 0;; ++pass) {
    Matrix<double> g(current.columns(), current.columns());
    gram(current.ref(), g.ref(), pool);
    double largest = 0;
    for (int64_t i = 0; i < g.rows(); ++i)
      largest = std::max(largest, g(i, i));
    // Below this the Gram matrix itself is rounding noise.
    double relative = std::max(tolerance * tolerance, 1e-14 * g.rows());
    Matrix<double> m = orthonormalizer(g, relative * largest);
    bool last = pass + 1 >= passes;
    if (last && std::is_same_v<T, float> && passes == 1) {
      Matrix<T> factor = convert<T>(MatrixRef<const double>(m.ref()));
      Matrix<T> q(y.rows, m.columns());
      multiply(y, factor.ref(), q.ref(), false, pool);
      return q;
    }
    Matrix<double> q(y.rows, m.columns());
    multiply(current.ref(), m.ref(), q.ref(), false, pool);
    if (last)
      return convert<T>(MatrixRef<const double>(q.ref()));
    current = std::move(q);
  }
}

template <typename T>
void completeBasis(MatrixRef<T> q, int64_t from) {
  const int64_t m = q.rows;
  std::vector<double> column(m);
  int64_t unit = 0;
  for (int64_t j = from; j < q.columns; ++j) {
    // The squared distances of the unit vectors from the span of the first j
    // columns average (m - j) / m: one of them is at least half of that.
    for (int64_t attempt = 1;; ++attempt, unit = (unit + 1) % m) {
      llvm::fill(column, 0.0);
      column[unit] = 1;
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t k = 0; k < j; ++k) {
          double dot = 0;
          for (int64_t i = 0; i < m; ++i)
            dot += q(i, k) * column[i];
          for (int64_t i = 0; i < m; ++i)
            column[i] -= dot * q(i, k);
        }
      double norm = squaredNorm(llvm::ArrayRef<double>(column));
      if (norm * 2 * m < m - j && attempt < m)
        continue;
      norm = std::sqrt(norm);
      for (int64_t i = 0; i < m; ++i)
        q(i, j) = static_cast<T>(column[i] / norm);
      unit = (unit + 1) % m;
      break;
    }
  }
}

template Matrix<float> orthonormalize(MatrixRef<const float>, double, int,
                                      ThreadPoolInterface *);
template Matrix<double> orthonormalize(MatrixRef<const double>, double, int,
                                       ThreadPoolInterface *);
template void completeBasis(MatrixRef<float>, int64_t);
template void completeBasis(MatrixRef<double>, int64_t);

} // namespace compress::numerics::detail
