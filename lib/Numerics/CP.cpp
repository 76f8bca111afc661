//===- CP.cpp - Canonical polyadic decomposition --------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/CP.h"
#include "Dense.h"
#include "Scaling.h"
#include "SplitMix64.h"
#include "compress/Numerics/Unfold.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

using namespace detail;

namespace {

/// Factors with columns of norm 1 (or 0) and the sizes of the components.
struct Components {
  std::vector<Matrix<double>> factors;
  std::vector<double> weights;
};
} // namespace

/// Gives the columns of `factor` norm 1; `weights` receives the norms.
static void normalizeColumns(Matrix<double> &factor,
                             std::vector<double> &weights) {
  llvm::fill(weights, 0.0);
  for (int64_t i = 0; i < factor.rows(); ++i)
    for (int64_t r = 0; r < factor.columns(); ++r)
      weights[r] += factor(i, r) * factor(i, r);
  for (double &weight : weights)
    weight = std::sqrt(weight);
  for (int64_t i = 0; i < factor.rows(); ++i)
    for (int64_t r = 0; r < factor.columns(); ++r)
      factor(i, r) = weights[r] > 0 ? factor(i, r) / weights[r] : 0.0;
}

namespace {

/// Alternating least squares on a scaled tensor. The products with the factor
/// of a large mode, which take the time, are shared: `first` is the largest
/// mode and `second` the next, and each sweep contracts the tensor with these
/// two only.
class AlternatingLeastSquares {
public:
  AlternatingLeastSquares(const Tensor<double> &tensor, int64_t rank,
                          const CPOptions &options, ThreadPoolInterface *pool)
      : tensor(tensor), sizes(tensor.sizes()), rank(rank), options(options),
        pool(pool), energy(squaredNorm(tensor.elements())) {
    for (unsigned k = 1; k < sizes.size(); ++k)
      if (sizes[k] > sizes[first])
        first = k;
    second = first == 0 ? 1 : 0;
    for (unsigned k = 0; k < sizes.size(); ++k)
      if (k != first && sizes[k] > sizes[second])
        second = k;
  }

  Error initialize() {
    for (unsigned mode : {first, second}) {
      SmallVector<unsigned, 6> order = {mode};
      for (unsigned k = 0; k < sizes.size(); ++k)
        if (k != mode)
          order.push_back(k);
      Expected<Tensor<double>> copy = permute(tensor.ref(), order);
      if (!copy)
        return copy.takeError();
      (mode == first ? byFirst : bySecond) = std::move(*copy);
    }
    current.weights.assign(rank, 1.0);
    for (unsigned k = 0; k < sizes.size(); ++k)
      if (Error error = startFactor(k))
        return error;
    contracted = contract(second, current.factors[second]);
    return Error::success();
  }

  Error run() {
    double previousError = 1;
    Components before;
    for (iterations = 0; iterations < options.maxIterations;) {
      before = current;
      double now = sweep();
      ++iterations;
      if (!std::isfinite(now)) {
        current = std::move(before);
        break;
      }
      if (options.lineSearch && iterations >= 3 && iterations % 3 == 0)
        now = extrapolate(before, now);
      if (std::abs(previousError - now) < options.tolerance) {
        converged = true;
        break;
      }
      previousError = now;
    }
    return Error::success();
  }

  const Components &getComponents() const { return current; }
  double getEnergy() const { return energy; }
  int iterations = 0;
  bool converged = false;

private:
  /// Leading singular vectors of the unfolding, then random columns.
  Error startFactor(unsigned k) {
    Matrix<double> factor(sizes[k], rank);
    SplitMix64 random(options.seed * 0x9e3779b9u + k + 1);
    for (double &value : factor.elements())
      value = random.nextSymmetric();
    if (options.startFromSvd) {
      SmallVector<unsigned, 6> order;
      for (unsigned other = 0; other < sizes.size(); ++other)
        if (other != k)
          order.push_back(other);
      order.push_back(k);
      Expected<Tensor<double>> copy = permute(tensor.ref(), order);
      if (!copy)
        return copy.takeError();
      Matrix<double> g(sizes[k], sizes[k]);
      gram(MatrixRef<const double>(
               copy->data(), tensor.elements().size() / sizes[k], sizes[k]),
           g.ref(), pool);
      Expected<EigenResult<double>> eigen =
          largestEigenpairs(g, std::min(rank, sizes[k]), pool);
      if (!eigen)
        return eigen.takeError();
      for (int64_t r = 0; r < eigen->vectors.rows(); ++r)
        for (int64_t i = 0; i < sizes[k]; ++i)
          factor(i, r) = eigen->vectors(r, i);
    }
    std::vector<double> norms(rank);
    normalizeColumns(factor, norms);
    current.factors.push_back(std::move(factor));
    return Error::success();
  }

  /// The tensor times the factor of mode first or second: (product of the
  /// other sizes) x rank.
  Matrix<double> contract(unsigned mode, const Matrix<double> &factor) const {
    const Tensor<double> &copy = mode == first ? byFirst : bySecond;
    const int64_t rest = copy.elements().size() / sizes[mode];
    MatrixRef<const double> unfolded(copy.data(), sizes[mode], rest);
    Matrix<double> result(rest, rank);
    multiply(unfolded.transposed(), factor.ref(), result.ref(), false, pool);
    return result;
  }

  /// The unfolding of `target` times the Khatri-Rao product of all other
  /// factors, from the tensor already contracted with that of `mode`.
  Matrix<double> multiplyKhatriRao(const Matrix<double> &partial, unsigned mode,
                                   unsigned target,
                                   const Components &components) const {
    Matrix<double> result(sizes[target], rank);
    SmallVector<unsigned, 6> modes;
    for (unsigned k = 0; k < sizes.size(); ++k)
      if (k != mode)
        modes.push_back(k);
    SmallVector<int64_t, 6> index(modes.size(), 0);
    std::vector<double> row(rank);
    for (int64_t p = 0; p < partial.rows(); ++p) {
      std::copy(&partial(p, 0), &partial(p, 0) + rank, row.begin());
      int64_t targetRow = 0;
      for (size_t m = 0; m < modes.size(); ++m) {
        if (modes[m] == target) {
          targetRow = index[m];
          continue;
        }
        const double *other = &components.factors[modes[m]](index[m], 0);
        for (int64_t r = 0; r < rank; ++r)
          row[r] *= other[r];
      }
      double *out = &result(targetRow, 0);
      for (int64_t r = 0; r < rank; ++r)
        out[r] += row[r];
      for (size_t m = modes.size(); m-- > 0;) {
        if (++index[m] < sizes[modes[m]])
          break;
        index[m] = 0;
      }
    }
    return result;
  }

  /// Elementwise product of the Gram matrices of all factors but `skipped`.
  Matrix<double> multiplyGrams(const Components &components,
                               unsigned skipped) const {
    Matrix<double> product(rank, rank), g(rank, rank);
    std::fill(product.elements().begin(), product.elements().end(), 1.0);
    for (unsigned k = 0; k < sizes.size(); ++k) {
      if (k == skipped)
        continue;
      gram(components.factors[k].ref(), g.ref(), pool);
      for (int64_t i = 0; i < rank * rank; ++i)
        product.elements()[i] *= g.elements()[i];
    }
    return product;
  }

  /// |X - components| / |X|; `khatriRao` is the product for mode `mode`.
  double getError(const Components &components, unsigned mode,
                  const Matrix<double> &khatriRao) const {
    Matrix<double> grams = multiplyGrams(components, mode), own(rank, rank);
    gram(components.factors[mode].ref(), own.ref(), pool);
    double inner = 0, norm = 0;
    for (int64_t i = 0; i < sizes[mode]; ++i)
      for (int64_t r = 0; r < rank; ++r)
        inner += khatriRao(i, r) * components.factors[mode](i, r) *
                 components.weights[r];
    for (int64_t r = 0; r < rank; ++r)
      for (int64_t s = 0; s < rank; ++s)
        norm += components.weights[r] * components.weights[s] * grams(r, s) *
                own(r, s);
    return std::sqrt(std::max(0.0, energy - 2 * inner + norm) / energy);
  }

  /// The least-squares factor of one mode: khatriRao * (grams + damping)^-1.
  void updateFactor(unsigned k, const Matrix<double> &khatriRao) {
    const Matrix<double> grams = multiplyGrams(current, k);
    double mean = 0;
    for (int64_t r = 0; r < rank; ++r)
      mean += grams(r, r) / rank;
    if (!(mean > 0))
      mean = 1;
    Matrix<double> inverse;
    // Nearly dependent components need more than rounding takes away.
    double damping = std::max(options.regularization, 1e-14);
    for (bool done = false; !done; damping *= 100) {
      inverse = grams;
      for (int64_t r = 0; r < rank; ++r)
        inverse(r, r) += damping * mean;
      done = choleskyLower(inverse.ref(), 0.1 * damping * mean, pool) ||
             damping > 1;
    }
    invertLower(inverse.ref(), pool);
    Matrix<double> half(sizes[k], rank);
    multiply(khatriRao.ref(),
             MatrixRef<const double>(inverse.ref()).transposed(), half.ref(),
             false, pool);
    multiply(half.ref(), inverse.ref(), current.factors[k].ref(), false, pool);
    normalizeColumns(current.factors[k], current.weights);
  }

  /// One pass over the modes; returns the relative error.
  double sweep() {
    updateFactor(first, multiplyKhatriRao(contracted, second, first, current));
    Matrix<double> partial = contract(first, current.factors[first]);
    Matrix<double> khatriRao;
    unsigned last = second;
    for (unsigned k = 0; k < sizes.size(); ++k) {
      if (k == first)
        continue;
      khatriRao = multiplyKhatriRao(partial, first, k, current);
      updateFactor(k, khatriRao);
      last = k;
    }
    contracted = contract(second, current.factors[second]);
    return getError(current, last, khatriRao);
  }

  /// Goes on from `before` through the current point; keeps the better.
  double extrapolate(const Components &before, double error) {
    const double step = std::cbrt(iterations + 1.0);
    Components trial = current;
    for (unsigned k = 0; k < sizes.size(); ++k)
      for (int64_t i = 0; i < sizes[k]; ++i)
        for (int64_t r = 0; r < rank; ++r) {
          const bool weighted = k == first;
          double from =
              before.factors[k](i, r) * (weighted ? before.weights[r] : 1.0);
          double to =
              current.factors[k](i, r) * (weighted ? current.weights[r] : 1.0);
          trial.factors[k](i, r) = from + step * (to - from);
        }
    std::vector<double> product(rank, 1.0);
    for (Matrix<double> &factor : trial.factors) {
      normalizeColumns(factor, trial.weights);
      for (int64_t r = 0; r < rank; ++r)
        product[r] *= trial.weights[r];
    }
    trial.weights = product;
    Matrix<double> partial = contract(second, trial.factors[second]);
    double now = getError(trial, first,
                          multiplyKhatriRao(partial, second, first, trial));
    if (!(now < error))
      return error;
    current = std::move(trial);
    contracted = std::move(partial);
    return now;
  }

  const Tensor<double> &tensor;
  ArrayRef<int64_t> sizes;
  int64_t rank;
  const CPOptions &options;
  ThreadPoolInterface *pool;
  double energy;
  unsigned first = 0, second = 1;
  Tensor<double> byFirst, bySecond;
  Components current;
  /// The tensor contracted with the factor of mode `second`.
  Matrix<double> contracted;
};
} // namespace

template <typename T>
static Error checkShapes(const CP<T> &cp) {
  const int64_t rank = cp.weights.size();
  if (rank < 1 || cp.factors.empty())
    return createStringError("a CP decomposition needs a component and a "
                             "factor");
  for (const Matrix<T> &factor : cp.factors)
    if (factor.columns() != rank || factor.rows() < 1)
      return createStringError("a CP factor is %lldx%lld, but there are %lld "
                               "weights",
                               (long long)factor.rows(),
                               (long long)factor.columns(), (long long)rank);
  return Error::success();
}

/// Row-major: the first half of the modes as rows, the others as columns.
template <typename T>
static Tensor<T> expand(ArrayRef<Matrix<T>> factors, ArrayRef<double> weights,
                        ThreadPoolInterface *pool) {
  const int64_t rank = weights.size();
  auto khatriRao = [&](size_t begin, size_t end) {
    Matrix<T> product(1, rank);
    std::fill(product.elements().begin(), product.elements().end(), T(1));
    for (size_t k = begin; k < end; ++k) {
      Matrix<T> next(product.rows() * factors[k].rows(), rank);
      for (int64_t i = 0; i < next.rows(); ++i)
        for (int64_t r = 0; r < rank; ++r)
          next(i, r) = product(i / factors[k].rows(), r) *
                       factors[k](i % factors[k].rows(), r);
      product = std::move(next);
    }
    return product;
  };
  const size_t half = std::max<size_t>(1, factors.size() / 2);
  Matrix<T> left = khatriRao(0, half), right = khatriRao(half, factors.size());
  for (int64_t i = 0; i < left.rows(); ++i)
    for (int64_t r = 0; r < rank; ++r)
      left(i, r) = static_cast<T>(left(i, r) * weights[r]);
  SmallVector<int64_t, 6> sizes;
  for (const Matrix<T> &factor : factors)
    sizes.push_back(factor.rows());
  Tensor<T> result(sizes);
  multiply(left.ref(), MatrixRef<const T>(right.ref()).transposed(),
           MatrixRef<T>(result.data(), left.rows(), right.rows()), false, pool);
  return result;
}

template <typename T>
static Expected<Tensor<T>> reconstructImpl(const CP<T> &cp,
                                           ThreadPoolInterface *pool) {
  if (Error error = checkShapes(cp))
    return std::move(error);
  std::vector<double> weights(cp.weights.begin(), cp.weights.end());
  return expand<T>(cp.factors, weights, pool);
}

/// Largest components first; in all modes but the first, the largest element
/// of every column positive.
static void bringIntoOrder(Components &components) {
  const int64_t rank = components.weights.size();
  std::vector<int64_t> order(rank);
  for (int64_t r = 0; r < rank; ++r)
    order[r] = r;
  llvm::sort(order, [&](int64_t x, int64_t y) {
    const double wx = components.weights[x], wy = components.weights[y];
    return wx != wy ? wx > wy : x < y;
  });
  const Components old = components;
  for (int64_t r = 0; r < rank; ++r) {
    const int64_t from = order[r];
    components.weights[r] = old.weights[from];
    double sign = 1;
    for (size_t k = old.factors.size(); k-- > 0;) {
      const Matrix<double> &factor = old.factors[k];
      int64_t best = 0;
      for (int64_t i = 1; i < factor.rows(); ++i)
        if (std::abs(factor(i, from)) > std::abs(factor(best, from)))
          best = i;
      double own = k > 0 && factor(best, from) < 0 ? -1 : 1;
      sign *= own;
      if (k == 0)
        own = sign;
      for (int64_t i = 0; i < factor.rows(); ++i)
        components.factors[k](i, r) = own * factor(i, from);
    }
  }
}

/// How much the components cancel each other.
template <typename T>
static void measureDegeneracy(const Components &components, double energy,
                              const CPOptions &options, CP<T> &result) {
  const int64_t rank = components.weights.size();
  double squares = 0;
  for (double weight : components.weights)
    squares += weight * weight;
  result.energyRatio = energy > 0 ? squares / energy : 0;
  for (int64_t r = 0; r < rank; ++r)
    for (int64_t s = 0; s < r; ++s) {
      double congruence = 1;
      for (const Matrix<double> &factor : components.factors) {
        double cosine = 0;
        for (int64_t i = 0; i < factor.rows(); ++i)
          cosine += factor(i, r) * factor(i, s);
        congruence *= cosine;
      }
      result.smallestCongruence =
          std::min(result.smallestCongruence, congruence);
    }
  result.isDegenerate = result.smallestCongruence < options.congruenceLimit &&
                        result.energyRatio > options.energyLimit;
}

template <typename T>
static Expected<CP<T>> decomposeImpl(const TensorRef<const T> &tensor,
                                     int64_t rank, const CPOptions &options,
                                     ThreadPoolInterface *pool) {
  Expected<double> scale = findScale(tensor, "the tensor");
  if (!scale)
    return scale.takeError();
  if (tensor.sizes.size() < 2)
    return createStringError("a CP decomposition needs a tensor of rank 2 or "
                             "more");
  if (rank < 1)
    return createStringError("the CP rank must be 1 or more, but is %lld",
                             (long long)rank);
  if (options.maxIterations < 0 || !(options.tolerance >= 0) ||
      !(options.regularization >= 0) || !std::isfinite(options.regularization))
    return createStringError("maxIterations, tolerance and regularization "
                             "must be finite and not negative");
  Tensor<double> scaled(tensor.sizes);
  double *out = scaled.data();
  forEachOffset(tensor.sizes, tensor.strides, [&](int64_t offset) {
    *out++ = double(tensor.data[offset]) / *scale;
  });
  AlternatingLeastSquares als(scaled, rank, options, pool);
  CP<T> result;
  Components components;
  if (als.getEnergy() > 0) {
    if (Error error = als.initialize())
      return std::move(error);
    if (Error error = als.run())
      return std::move(error);
    components = als.getComponents();
    bringIntoOrder(components);
    Tensor<double> back =
        expand<double>(components.factors, components.weights, pool);
    double error = 0;
    for (size_t i = 0; i < scaled.elements().size(); ++i) {
      double difference = scaled.elements()[i] - back.elements()[i];
      error += difference * difference;
    }
    result.relativeError = std::sqrt(error / als.getEnergy());
    measureDegeneracy(components, als.getEnergy(), options, result);
    result.iterations = als.iterations;
    result.converged = als.converged;
  } else {
    components.weights.assign(rank, 0.0);
    for (int64_t size : tensor.sizes)
      components.factors.emplace_back(size, rank);
    result.converged = true;
  }
  for (double weight : components.weights)
    result.weights.push_back(static_cast<T>(weight * *scale));
  for (const Matrix<double> &factor : components.factors)
    result.factors.push_back(convert<T>(factor.ref()));
  return std::move(result);
}

Expected<CP<float>> decomposeCP(const TensorRef<const float> &tensor,
                                int64_t rank, const CPOptions &options,
                                ThreadPoolInterface *pool) {
  return decomposeImpl(tensor, rank, options, pool);
}
Expected<CP<double>> decomposeCP(const TensorRef<const double> &tensor,
                                 int64_t rank, const CPOptions &options,
                                 ThreadPoolInterface *pool) {
  return decomposeImpl(tensor, rank, options, pool);
}
Expected<Tensor<float>> reconstruct(const CP<float> &cp,
                                    ThreadPoolInterface *pool) {
  return reconstructImpl(cp, pool);
}
Expected<Tensor<double>> reconstruct(const CP<double> &cp,
                                     ThreadPoolInterface *pool) {
  return reconstructImpl(cp, pool);
}

} // namespace compress::numerics
