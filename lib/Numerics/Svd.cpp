//===- Svd.cpp - Truncated singular value decompositions ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Svd.h"
#include "Dense.h"
#include "Scaling.h"
#include "SplitMix64.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

using namespace detail;

namespace {

/// u * diag(values) * v^T in f64 as vectors in rows: u is r x big, v r x small.
struct RowSvd {
  Matrix<double> u, v;
  std::vector<double> values;
};
} // namespace

/// Removes the rounding-level correlation of almost orthonormal rows:
/// U (3 I - U^T U) / 2, one step of the Newton iteration of the polar factor.
static void sharpenRows(MatrixRef<double> u, ThreadPoolInterface *pool) {
  Matrix<double> g(u.rows, u.rows);
  gram(MatrixRef<const double>(u).transposed(), g.ref(), pool);
  for (int64_t i = 0; i < u.rows; ++i)
    for (int64_t j = 0; j < u.rows; ++j)
      g(i, j) = (i == j ? 1.5 : 0.0) - 0.5 * g(i, j);
  Matrix<double> old = convert<double, double>(u);
  multiply(g.ref(), old.ref(), u, false, pool);
}

/// rows -= rows * basis^T * basis.
static void projectOut(MatrixRef<const double> basis, Matrix<double> &rows,
                       ThreadPoolInterface *pool) {
  Matrix<double> overlap(rows.rows(), basis.rows);
  multiply(rows.ref(), basis.transposed(), overlap.ref(), false, pool);
  for (double &value : overlap.elements())
    value = -value;
  multiply(overlap.ref(), basis, rows.ref(), true, pool);
}

/// The `rank` largest triplets of b^T, where `b` is small x big: u has rows of
/// length big.
/// Directions with values below `deflation` times the largest are taken in a
/// further round: with the square of the values, rounding errors of one round
/// grow by 1 / deflation.
static Expected<RowSvd> decompose(MatrixRef<const double> b, int64_t rank,
                                  double deflation, ThreadPoolInterface *pool) {
  const int64_t small = b.rows, big = b.columns;
  RowSvd result;
  result.u = Matrix<double>(rank, big);
  result.v = Matrix<double>(rank, small);
  result.values.resize(rank);

  // What is still to be decomposed: `rest` = `basis` * b, row by row.
  Matrix<double> rest = convert<double>(b), basis;
  double largest = 0;
  for (int64_t done = 0; done < rank;) {
    const int64_t size = rest.rows();
    Matrix<double> g(size, size);
    gram(MatrixRef<const double>(rest.ref()).transposed(), g.ref(), pool);
    double trace = 0;
    for (int64_t i = 0; i < size; ++i)
      trace += g(i, i);
    if (done == 0)
      largest = std::sqrt(trace);
    // Below the rounding errors of the whole matrix only zeros are left.
    if (!(std::sqrt(trace) > 1e-15 * largest)) {
      completeBasis(result.u.ref().transposed(), done);
      completeBasis(result.v.ref().transposed(), done);
      break;
    }
    Matrix<double> saved = g;
    int64_t wanted = std::min(rank - done, size);
    Expected<EigenResult<double>> eigen = largestEigenpairs(g, wanted, pool);
    if (!eigen)
      return eigen.takeError();
    int64_t good = 0;
    while (good < wanted &&
           eigen->values[good] > deflation * deflation * eigen->values[0])
      ++good;
    if (good < wanted && wanted < size) {
      // The small ones must be found among all remaining directions.
      eigen = largestEigenpairs(saved, size, pool);
      if (!eigen)
        return eigen.takeError();
    }
    MatrixRef<const double> vectors = eigen->vectors.ref();
    MatrixRef<const double> lead = vectors.block(0, 0, good, size);
    MatrixRef<double> u = result.u.ref().block(done, 0, good, big);
    multiply(lead, rest.ref(), u, false, pool);
    for (int64_t i = 0; i < good; ++i) {
      double value = std::sqrt(squaredNorm(ArrayRef<double>(&u(i, 0), big)));
      result.values[done + i] = value;
      for (int64_t j = 0; j < big; ++j)
        u(i, j) /= value;
    }
    sharpenRows(u, pool);
    MatrixRef<double> v = result.v.ref().block(done, 0, good, small);
    if (done == 0) {
      for (int64_t i = 0; i < good; ++i)
        std::copy(&lead(i, 0), &lead(i, 0) + small, &v(i, 0));
    } else {
      multiply(lead, basis.ref(), v, false, pool);
    }
    done += good;
    if (done == rank)
      break;
    MatrixRef<const double> trail =
        vectors.block(good, 0, vectors.rows - good, size);
    Matrix<double> nextRest(trail.rows, big);
    multiply(trail, rest.ref(), nextRest.ref(), false, pool);
    projectOut(MatrixRef<const double>(result.u.ref()).block(0, 0, done, big),
               nextRest, pool);
    Matrix<double> nextBasis(trail.rows, small);
    if (basis.rows())
      multiply(trail, basis.ref(), nextBasis.ref(), false, pool);
    else
      nextBasis = convert<double>(trail);
    rest = std::move(nextRest);
    basis = std::move(nextBasis);
  }
  return std::move(result);
}

/// Sorts by value and makes the largest element of each left vector positive.
template <typename T>
static Svd<T> finish(MatrixRef<const double> leftRows, ArrayRef<double> values,
                     MatrixRef<const double> rightRows, double scale,
                     double energy) {
  const int64_t rank = values.size();
  std::vector<int64_t> order(rank);
  for (int64_t i = 0; i < rank; ++i)
    order[i] = i;
  llvm::sort(order, [&](int64_t x, int64_t y) {
    return values[x] != values[y] ? values[x] > values[y] : x < y;
  });
  Svd<T> svd;
  svd.left = Matrix<T>(leftRows.columns, rank);
  svd.right = Matrix<T>(rightRows.columns, rank);
  svd.totalEnergy = energy;
  for (int64_t k = 0; k < rank; ++k) {
    const int64_t from = order[k];
    svd.values.push_back(values[from] * scale);
    int64_t best = 0;
    for (int64_t i = 1; i < leftRows.columns; ++i)
      if (std::abs(leftRows(from, i)) > std::abs(leftRows(from, best)))
        best = i;
    const double sign = leftRows(from, best) < 0 ? -1 : 1;
    for (int64_t i = 0; i < leftRows.columns; ++i)
      svd.left(i, k) = static_cast<T>(sign * leftRows(from, i));
    for (int64_t i = 0; i < rightRows.columns; ++i)
      svd.right(i, k) = static_cast<T>(sign * rightRows(from, i));
  }
  return svd;
}

static Error checkRank(int64_t rank, int64_t rows, int64_t columns) {
  if (rank < 1 || rank > std::min(rows, columns))
    return createStringError("the rank of a %lldx%lld matrix must be in "
                             "[1, %lld], but is %lld",
                             (long long)rows, (long long)columns,
                             (long long)std::min(rows, columns),
                             (long long)rank);
  return Error::success();
}

template <typename T>
static double getEnergy(MatrixRef<const T> matrix, double scale) {
  double energy = 0;
  for (int64_t i = 0; i < matrix.rows; ++i) {
    double row = 0;
    if (matrix.columnStride == 1)
      row = squaredNorm(ArrayRef<T>(&matrix(i, 0), matrix.columns));
    else
      for (int64_t j = 0; j < matrix.columns; ++j)
        row += double(matrix(i, j)) * double(matrix(i, j));
    energy += row;
  }
  return energy * scale * scale;
}

template <typename T>
static Expected<Svd<T>> truncatedImpl(MatrixRef<const T> matrix, int64_t rank,
                                      ThreadPoolInterface *pool) {
  Expected<double> scale = findScale(matrix, "the matrix");
  if (!scale)
    return scale.takeError();
  if (Error error = checkRank(rank, matrix.rows, matrix.columns))
    return std::move(error);
  Matrix<double> scaled = convert<double>(matrix);
  for (double &value : scaled.elements())
    value /= *scale;
  double energy = getEnergy(MatrixRef<const double>(scaled.ref()), *scale);
  const bool wide = matrix.columns >= matrix.rows;
  MatrixRef<const double> b =
      wide ? scaled.ref() : MatrixRef<const double>(scaled.ref()).transposed();
  Expected<RowSvd> svd = decompose(b, rank, sizeof(T) == 4 ? 1e-4 : 1e-2, pool);
  if (!svd)
    return svd.takeError();
  MatrixRef<const double> u = svd->u.ref(), v = svd->v.ref();
  return finish<T>(wide ? v : u, svd->values, wide ? u : v, *scale, energy);
}

/// n x columns of +1 and -1, which sketch as well as normal numbers do.
template <typename T>
static Matrix<T> makeSketch(int64_t n, int64_t columns, uint64_t seed) {
  Matrix<T> sketch(n, columns);
  SplitMix64 random(seed);
  uint64_t bits = 0;
  int left = 0;
  for (T &value : sketch.elements()) {
    if (!left) {
      bits = random.next();
      left = 64;
    }
    value = bits & 1 ? T(1) : T(-1);
    bits >>= 1;
    --left;
  }
  return sketch;
}

template <typename T>
static Expected<Svd<T>> randomizedImpl(MatrixRef<const T> matrix,
                                       const RandomizedSvdOptions &options,
                                       ThreadPoolInterface *pool) {
  double energy;
  Expected<double> scale = findScale(matrix, "the matrix", &energy);
  if (!scale)
    return scale.takeError();
  if (Error error = checkRank(options.rank, matrix.rows, matrix.columns))
    return std::move(error);
  if (options.oversampling < 0 || options.powerIterations < 0)
    return createStringError("oversampling and powerIterations must not be "
                             "negative");
  // Products of ordinary magnitudes are safe as they are; a scaled copy is
  // made only for the others.
  Matrix<T> copy;
  MatrixRef<const T> a = matrix;
  double applied = 1;
  if (*scale > 1e12 || *scale < 1e-12) {
    applied = *scale;
    copy = convert<T>(matrix);
    for (T &value : copy.elements())
      value = static_cast<T>(double(value) / applied);
    a = copy.ref();
    energy = getEnergy(a, applied);
  }
  const int64_t shorter = std::min(a.rows, a.columns);
  const int64_t unit = 64 / sizeof(T);
  const int64_t wanted = options.rank + std::min(options.oversampling, shorter);
  const int64_t width = std::min((wanted + unit - 1) / unit * unit, shorter);
  const double tolerance = sizeof(T) == 4 ? 1e-6 : 1e-7;

  Matrix<T> sketch = makeSketch<T>(a.columns, width, options.seed);
  Matrix<T> y(a.rows, width);
  multiply(a, sketch.ref(), y.ref(), false, pool);
  auto timesTransposed = [&](const Matrix<T> &q) {
    Matrix<T> z(q.columns(), a.columns); // (A^T Q)^T
    multiply(q.ref().transposed(), a, z.ref(), false, pool);
    return z;
  };
  for (int64_t step = 0; step < options.powerIterations; ++step) {
    Matrix<T> q = orthonormalize<T>(y.ref(), tolerance, 1, pool);
    Matrix<T> z = timesTransposed(q);
    Matrix<T> basis = orthonormalize<T>(
        MatrixRef<const T>(z.ref()).transposed(), tolerance, 1, pool);
    y = Matrix<T>(a.rows, basis.columns());
    multiply(a, basis.ref(), y.ref(), false, pool);
  }
  Matrix<T> q = orthonormalize<T>(y.ref(), tolerance, 2, pool);
  // The sketch of a matrix of lower rank has lost directions: any others do.
  if (q.columns() < options.rank) {
    Matrix<T> filled(a.rows, options.rank);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < q.columns(); ++j)
        filled(i, j) = q(i, j);
    completeBasis(filled.ref(), q.columns());
    q = std::move(filled);
  }
  Matrix<double> small = convert<double, T>(timesTransposed(q).ref());
  Expected<RowSvd> svd = decompose(small.ref(), options.rank, 1e-4, pool);
  if (!svd)
    return svd.takeError();
  Matrix<double> qRows =
      convert<double>(MatrixRef<const T>(q.ref()).transposed());
  Matrix<double> left(options.rank, a.rows);
  multiply(svd->v.ref(), qRows.ref(), left.ref(), false, pool);
  return finish<T>(left.ref(), svd->values, svd->u.ref(), applied, energy);
}

template <typename T>
static Error reconstructImpl(const Svd<T> &svd, MatrixRef<T> out,
                             ThreadPoolInterface *pool) {
  if (out.rows != svd.left.rows() || out.columns != svd.right.rows())
    return createStringError("expected an output of %lldx%lld, but got "
                             "%lldx%lld",
                             (long long)svd.left.rows(),
                             (long long)svd.right.rows(), (long long)out.rows,
                             (long long)out.columns);
  Matrix<T> scaled = svd.left;
  for (int64_t i = 0; i < scaled.rows(); ++i)
    for (int64_t j = 0; j < scaled.columns(); ++j)
      scaled(i, j) = static_cast<T>(scaled(i, j) * svd.values[j]);
  if (out.columnStride == 1) {
    multiply(scaled.ref(), svd.right.ref().transposed(), out, false, pool);
    return Error::success();
  }
  Matrix<T> dense(out.rows, out.columns);
  multiply(scaled.ref(), svd.right.ref().transposed(), dense.ref(), false,
           pool);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out(i, j) = dense(i, j);
  return Error::success();
}

template <typename T>
static LowRankFactors<T> splitImpl(const Svd<T> &svd) {
  LowRankFactors<T> factors;
  const int64_t rank = svd.getRank();
  factors.first = Matrix<T>(svd.left.rows(), rank);
  factors.second = Matrix<T>(rank, svd.right.rows());
  for (int64_t k = 0; k < rank; ++k) {
    const double root = std::sqrt(svd.values[k]);
    for (int64_t i = 0; i < svd.left.rows(); ++i)
      factors.first(i, k) = static_cast<T>(svd.left(i, k) * root);
    for (int64_t i = 0; i < svd.right.rows(); ++i)
      factors.second(k, i) = static_cast<T>(svd.right(i, k) * root);
  }
  return factors;
}

Expected<Svd<float>> truncatedSvd(MatrixRef<const float> matrix, int64_t rank,
                                  ThreadPoolInterface *pool) {
  return truncatedImpl(matrix, rank, pool);
}
Expected<Svd<double>> truncatedSvd(MatrixRef<const double> matrix, int64_t rank,
                                   ThreadPoolInterface *pool) {
  return truncatedImpl(matrix, rank, pool);
}
Expected<Svd<float>> randomizedSvd(MatrixRef<const float> matrix,
                                   const RandomizedSvdOptions &options,
                                   ThreadPoolInterface *pool) {
  return randomizedImpl(matrix, options, pool);
}
Expected<Svd<double>> randomizedSvd(MatrixRef<const double> matrix,
                                    const RandomizedSvdOptions &options,
                                    ThreadPoolInterface *pool) {
  return randomizedImpl(matrix, options, pool);
}
Error reconstruct(const Svd<float> &svd, MatrixRef<float> out,
                  ThreadPoolInterface *pool) {
  return reconstructImpl(svd, out, pool);
}
Error reconstruct(const Svd<double> &svd, MatrixRef<double> out,
                  ThreadPoolInterface *pool) {
  return reconstructImpl(svd, out, pool);
}
LowRankFactors<float> splitEvenly(const Svd<float> &svd) {
  return splitImpl(svd);
}
LowRankFactors<double> splitEvenly(const Svd<double> &svd) {
  return splitImpl(svd);
}

} // namespace compress::numerics
