//===- SymmetricEigen.cpp - Largest eigenpairs of a symmetric matrix ------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Householder reduction to tridiagonal form, bisection for the wanted
// eigenvalues, inverse iteration for their vectors, and the transformation
// back by blocks of reflectors (Golub and Van Loan, Matrix Computations, 8.4;
// Barth, Martin and Wilkinson 1967 for bisection). The vectors of the
// tridiagonal matrix are checked; should they fail, Eigen's QR iteration
// takes over.
//
//===----------------------------------------------------------------------===//

#include "Dense.h"
#include "SplitMix64.h"
#include "TridiagonalKernels.h"

#include <Eigen/Eigenvalues>

#include <cmath>

using namespace llvm;

namespace compress::numerics::detail {

constexpr double epsilon = 2.220446049250313e-16;

namespace {

/// T = Q^T A Q: diagonal, off-diagonal (element i couples i - 1 and i), and
/// the scalars of the reflectors, whose vectors replace the rows of A.
template <typename T>
struct Tridiagonal {
  std::vector<double> diagonal, offDiagonal;
  std::vector<T> tau;
};
} // namespace

/// The reflector I - tau u u^T, u[0] = 1, that maps x to (result, 0, ...);
/// u replaces x. Returns tau.
template <typename T>
static T makeReflector(T *x, int64_t n, double &result) {
  double tail = squaredNorm(ArrayRef<T>(x + 1, n - 1));
  double first = x[0];
  result = first;
  if (!(tail > 0)) {
    x[0] = 1;
    return 0;
  }
  result = first > 0 ? -std::sqrt(first * first + tail)
                     : std::sqrt(first * first + tail);
  const T inverse = static_cast<T>(1 / (first - result));
  x[0] = 1;
  for (int64_t i = 1; i < n; ++i)
    x[i] *= inverse;
  return static_cast<T>((result - first) / result);
}

template <typename T>
static Tridiagonal<T> reduce(Matrix<T> &a) {
  const int64_t n = a.rows();
  Tridiagonal<T> result;
  result.diagonal.resize(n);
  result.offDiagonal.resize(n);
  result.tau.resize(n);
  // The rank-2 update of step j is applied while step j + 1 multiplies: v and
  // w, indexed like the columns of a, are the pending one.
  std::vector<T> v(n), w(n), product(n);
  for (int64_t j = 0; j < n; ++j) {
    T *row = &a(j, 0);
    const T leftScale = v[j], rightScale = w[j];
    for (int64_t k = j; k < n; ++k)
      row[k] -= leftScale * w[k] + rightScale * v[k];
    result.diagonal[j] = row[j];
    std::fill(row, row + j + 1, T(0));
    if (j + 1 == n)
      break;
    const int64_t next = j + 1, rest = n - next;
    T *u = row + next;
    result.tau[j] = makeReflector(u, rest, result.offDiagonal[next]);
    const T tau = result.tau[j];
    updateAndDot(&a(next, next), n, rest, rest, &v[next], &w[next], &w[next],
                 &v[next], u, &product[next]);
    double dot = 0;
    for (int64_t k = 0; k < rest; ++k)
      dot += double(product[next + k]) * u[k];
    const T shift = static_cast<T>(0.5 * tau * tau * dot);
    for (int64_t k = 0; k < rest; ++k) {
      w[next + k] = tau * product[next + k] - shift * u[k];
      v[next + k] = u[k];
    }
  }
  return result;
}

/// rows := rows * Q^T, that is, every row x becomes Q x.
template <typename T>
static void applyReflectors(const Matrix<T> &reflectors,
                            const std::vector<T> &tau, Matrix<T> &rows,
                            ThreadPoolInterface *pool) {
  constexpr int64_t blockSize = 32;
  const int64_t n = reflectors.rows(), count = rows.rows();
  const int64_t total = n - 1;
  for (int64_t first = (total - 1) / blockSize * blockSize; first >= 0;
       first -= blockSize) {
    int64_t width = std::min(blockSize, total - first);
    MatrixRef<const T> vectors =
        reflectors.ref().block(first, first + 1, width, n - first - 1);
    MatrixRef<T> part = rows.ref().block(0, first + 1, count, n - first - 1);
    // H_0 ... H_b-1 = I - V S V^T with S upper triangular.
    Matrix<T> products(width, width), s(width, width);
    multiply(vectors, vectors.transposed(), products.ref(), false, pool);
    for (int64_t i = 0; i < width; ++i) {
      T scale = tau[first + i];
      s(i, i) = scale;
      for (int64_t r = 0; r < i; ++r) {
        double sum = 0;
        for (int64_t k = r; k < i; ++k)
          sum += double(s(r, k)) * products(k, i);
        s(r, i) = static_cast<T>(-scale * sum);
      }
    }
    Matrix<T> xv(count, width), update(count, width);
    multiply(MatrixRef<const T>(part), vectors.transposed(), xv.ref(), false,
             pool);
    multiply(xv.ref(), s.ref().transposed(), update.ref(), false, pool);
    for (T &value : update.elements())
      value = -value;
    multiply(update.ref(), vectors, part, true, pool);
  }
}

/// Bisection on the number of eigenvalues below a shift; many at a time.
static std::vector<double> bisect(const std::vector<double> &diagonal,
                                  const std::vector<double> &offDiagonal,
                                  int64_t count, double norm) {
  const int64_t n = diagonal.size();
  std::vector<double> squares(n);
  double low = diagonal[0], high = diagonal[0];
  for (int64_t i = 0; i < n; ++i) {
    squares[i] = i ? offDiagonal[i] * offDiagonal[i] : 0.0;
    double radius = (i ? std::abs(offDiagonal[i]) : 0.0) +
                    (i + 1 < n ? std::abs(offDiagonal[i + 1]) : 0.0);
    low = std::min(low, diagonal[i] - radius);
    high = std::max(high, diagonal[i] + radius);
  }
  const double margin = 2 * epsilon * norm + 1e-300;
  const double tiny = std::max(epsilon * epsilon * norm * norm, 1e-290);
  std::vector<double> values(count);
  constexpr int lanes = shiftsAtOnce;
  for (int64_t first = 0; first < count; first += lanes) {
    double lower[lanes], upper[lanes], middle[lanes];
    int64_t below[lanes];
    std::fill(lower, lower + lanes, low - margin);
    std::fill(upper, upper + lanes, high + margin);
    // 64 halvings reach the spacing of f64 around the norm.
    for (int step = 0; step < 64; ++step) {
      for (int lane = 0; lane < lanes; ++lane)
        middle[lane] = 0.5 * (lower[lane] + upper[lane]);
      countBelow(diagonal.data(), squares.data(), n, tiny, middle, below);
      double widest = 0;
      for (int lane = 0; lane < lanes; ++lane) {
        // The k-th largest has n - 1 - k eigenvalues below it.
        int64_t target = n - 1 - std::min(first + lane, count - 1);
        (below[lane] > target ? upper : lower)[lane] = middle[lane];
        widest = std::max(widest, upper[lane] - lower[lane]);
      }
      if (widest <= epsilon * norm * 0.5)
        break;
    }
    for (int64_t lane = 0; lane < lanes && first + lane < count; ++lane)
      values[first + lane] = 0.5 * (lower[lane] + upper[lane]);
  }
  return values;
}

namespace {

/// P (T - shift I) = L U with row exchanges between neighbours.
class ShiftedTridiagonal {
public:
  ShiftedTridiagonal(const std::vector<double> &diagonal,
                     const std::vector<double> &offDiagonal, double tiny)
      : diagonal(diagonal), offDiagonal(offDiagonal), tiny(tiny),
        pivots(diagonal.size()), upper(diagonal.size()),
        second(diagonal.size()), factors(diagonal.size()),
        swapped(diagonal.size()) {}

  void factor(double shift) {
    const int64_t n = diagonal.size();
    double current = diagonal[0] - shift;
    double coupling = n > 1 ? offDiagonal[1] : 0.0;
    for (int64_t i = 0; i + 1 < n; ++i) {
      double below = offDiagonal[i + 1];
      double nextDiagonal = diagonal[i + 1] - shift;
      double nextCoupling = i + 2 < n ? offDiagonal[i + 2] : 0.0;
      swapped[i] = std::abs(current) < std::abs(below);
      if (swapped[i]) {
        factors[i] = current / below;
        pivots[i] = below;
        upper[i] = nextDiagonal;
        second[i] = nextCoupling;
        current = coupling - factors[i] * nextDiagonal;
        coupling = -factors[i] * nextCoupling;
      } else {
        pivots[i] = guard(current);
        factors[i] = below / pivots[i];
        upper[i] = coupling;
        second[i] = 0;
        current = nextDiagonal - factors[i] * coupling;
        coupling = nextCoupling;
      }
    }
    pivots[n - 1] = guard(current);
  }

  void solve(MutableArrayRef<double> x) const {
    const int64_t n = diagonal.size();
    for (int64_t i = 0; i + 1 < n; ++i) {
      if (swapped[i])
        std::swap(x[i], x[i + 1]);
      x[i + 1] -= factors[i] * x[i];
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      double value = x[i];
      if (i + 1 < n)
        value -= upper[i] * x[i + 1];
      if (i + 2 < n)
        value -= second[i] * x[i + 2];
      x[i] = value / pivots[i];
    }
  }

private:
  double guard(double pivot) const {
    return std::abs(pivot) >= tiny ? pivot : (pivot < 0 ? -tiny : tiny);
  }

  const std::vector<double> &diagonal, &offDiagonal;
  double tiny;
  std::vector<double> pivots, upper, second, factors;
  std::vector<char> swapped;
};
} // namespace

static double dotProduct(const double *x, const double *y, int64_t n) {
  double lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane)
      lanes[lane] += x[i + lane] * y[i + lane];
  double sum = 0;
  for (double lane : lanes)
    sum += lane;
  for (; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

/// Scales x to norm 1; false if that cannot be done.
static bool normalize(MutableArrayRef<double> x, double &norm) {
  double largest = 0;
  for (double value : x)
    largest = std::max(largest, std::abs(value));
  if (!(largest > 0) || !std::isfinite(largest))
    return false;
  for (double &value : x)
    value /= largest;
  double root = std::sqrt(dotProduct(x.data(), x.data(), x.size()));
  for (double &value : x)
    value /= root;
  norm = largest * root;
  return true;
}

/// Inverse iteration; vectors of eigenvalues closer than 1e-4 of the norm are
/// orthogonalized against each other.
static bool iterateVectors(const std::vector<double> &diagonal,
                           const std::vector<double> &offDiagonal, double norm,
                           ArrayRef<double> values, Matrix<double> &vectors) {
  const int64_t n = diagonal.size(), count = values.size();
  const double tiny = std::max(epsilon * norm, 1e-290);
  ShiftedTridiagonal shifted(diagonal, offDiagonal, tiny);
  int64_t clusterBegin = 0;
  for (int64_t j = 0; j < count; ++j) {
    if (j && values[j - 1] - values[j] > 1e-4 * norm)
      clusterBegin = j;
    MutableArrayRef<double> x(&vectors(j, 0), n);
    SplitMix64 random(0x9d5f1a2b + j);
    for (double &value : x)
      value = random.nextSymmetric();
    shifted.factor(values[j]);
    bool converged = false;
    double growth;
    if (!normalize(x, growth))
      return false;
    for (int step = 0; step < 6 && !converged; ++step) {
      shifted.solve(x);
      if (!normalize(x, growth))
        return false;
      double kept = 1;
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t k = clusterBegin; k < j; ++k) {
          const double *other = &vectors(k, 0);
          double dot = dotProduct(other, x.data(), n);
          for (int64_t i = 0; i < n; ++i)
            x[i] -= dot * other[i];
        }
        double rest;
        if (!normalize(x, rest))
          return false;
        kept *= rest;
      }
      converged = step >= 1 && growth * kept * tiny * std::sqrt(n) >= 1e-3;
    }
  }
  return true;
}

/// Orthonormal to 1e-10, residuals below 1e-10 of the norm?
static bool verify(const std::vector<double> &diagonal,
                   const std::vector<double> &offDiagonal, double norm,
                   ArrayRef<double> values, const Matrix<double> &vectors,
                   ThreadPoolInterface *pool) {
  const int64_t n = diagonal.size(), count = values.size();
  Matrix<double> products(count, count);
  gram(vectors.ref().transposed(), products.ref(), pool);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < count; ++j)
      if (!(std::abs(products(i, j) - (i == j)) <= 1e-10))
        return false;
  for (int64_t j = 0; j < count; ++j) {
    const double *x = &vectors(j, 0);
    double residual = 0;
    for (int64_t i = 0; i < n; ++i) {
      double value = (diagonal[i] - values[j]) * x[i];
      if (i)
        value += offDiagonal[i] * x[i - 1];
      if (i + 1 < n)
        value += offDiagonal[i + 1] * x[i + 1];
      residual = std::max(residual, std::abs(value));
    }
    if (!(residual <= 1e-10 * norm))
      return false;
  }
  return true;
}

static Error solveByQR(const std::vector<double> &diagonal,
                       const std::vector<double> &offDiagonal,
                       std::vector<double> &values, Matrix<double> &vectors) {
  const int64_t n = diagonal.size(), count = values.size();
  Eigen::VectorXd d = Eigen::Map<const Eigen::VectorXd>(diagonal.data(), n);
  Eigen::VectorXd e =
      Eigen::Map<const Eigen::VectorXd>(offDiagonal.data() + 1, n - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(d, e);
  if (solver.info() != Eigen::Success)
    return createStringError("the eigenvalue iteration of a %lldx%lld matrix "
                             "did not converge",
                             (long long)n, (long long)n);
  for (int64_t j = 0; j < count; ++j) {
    values[j] = solver.eigenvalues()[n - 1 - j];
    for (int64_t i = 0; i < n; ++i)
      vectors(j, i) = solver.eigenvectors()(i, n - 1 - j);
  }
  return Error::success();
}

/// The `count` largest eigenpairs of the tridiagonal matrix.
static Error solveTridiagonal(const std::vector<double> &diagonal,
                              const std::vector<double> &offDiagonal,
                              std::vector<double> &values,
                              Matrix<double> &vectors,
                              ThreadPoolInterface *pool) {
  const int64_t n = diagonal.size(), count = values.size();
  double norm = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(diagonal[i]) || !std::isfinite(offDiagonal[i]))
      return createStringError("a matrix of squares overflows; scale the "
                               "input down");
    norm = std::max(norm, std::abs(diagonal[i]) + std::abs(offDiagonal[i]));
  }
  if (norm == 0) {
    for (int64_t j = 0; j < count; ++j)
      vectors(j, j) = 1;
    return Error::success();
  }
  values = bisect(diagonal, offDiagonal, count, norm);
  if (iterateVectors(diagonal, offDiagonal, norm, values, vectors) &&
      verify(diagonal, offDiagonal, norm, values, vectors, pool))
    return Error::success();
  return solveByQR(diagonal, offDiagonal, values, vectors);
}

template <typename T>
Expected<EigenResult<T>> largestEigenpairs(Matrix<T> &a, int64_t count,
                                           ThreadPoolInterface *pool) {
  const int64_t n = a.rows();
  EigenResult<T> result;
  result.values.resize(count);
  Matrix<double> vectors(count, n);
  Tridiagonal<T> tridiagonal = reduce(a);
  if (Error error =
          solveTridiagonal(tridiagonal.diagonal, tridiagonal.offDiagonal,
                           result.values, vectors, pool))
    return std::move(error);
  result.vectors = convert<T>(MatrixRef<const double>(vectors.ref()));
  if (n > 1)
    applyReflectors(a, tridiagonal.tau, result.vectors, pool);
  return std::move(result);
}

template Expected<EigenResult<float>>
largestEigenpairs(Matrix<float> &, int64_t, ThreadPoolInterface *);
template Expected<EigenResult<double>>
largestEigenpairs(Matrix<double> &, int64_t, ThreadPoolInterface *);

} // namespace compress::numerics::detail
