//===- Tucker.cpp - Tucker decompositions ---------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Tucker.h"
#include "Dense.h"
#include "Scaling.h"
#include "compress/Numerics/Unfold.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

using namespace detail;

namespace {

/// The iteration, in the type it computes in, on a scaled tensor.
template <typename T>
class Iteration {
public:
  Iteration(ArrayRef<int64_t> sizes, ArrayRef<int64_t> ranks,
            ThreadPoolInterface *pool)
      : sizes(sizes), ranks(ranks), pool(pool), factors(sizes.size()),
        copies(sizes.size()), orders(sizes.size()) {
    for (unsigned k = 0; k < sizes.size(); ++k)
      if (ranks[k])
        modes.push_back(k);
  }

  /// For every decomposed mode k a copy of the tensor with the other
  /// decomposed modes first and k last: then the first product, which costs
  /// most, is one matrix product, and its result is the transposed unfolding.
  Error prepare(const TensorRef<const T> &tensor) {
    energy = 0;
    for (unsigned k : modes) {
      for (unsigned other : modes)
        if (other != k)
          orders[k].push_back(other);
      for (unsigned other = 0; other < sizes.size(); ++other)
        if (!ranks[other])
          orders[k].push_back(other);
      orders[k].push_back(k);
      Expected<Tensor<T>> copy = permute(tensor, orders[k]);
      if (!copy)
        return copy.takeError();
      copies[k] = std::move(*copy);
    }
    energy = squaredNorm(copies[modes.front()].elements());
    return Error::success();
  }

  /// factors[k] = leading eigenvectors of the Gram matrix of the unfolding of
  /// X (of X times the other factors if `projected`). Returns the energy that
  /// the factors hold.
  Expected<double> updateFactor(unsigned k, bool projected) {
    const int64_t size = sizes[k];
    Tensor<T> product;
    MatrixRef<const T> columns(copies[k].data(),
                               copies[k].ref().getNumElements() / size, size);
    if (projected && modes.size() > 1) {
      Expected<Tensor<T>> result = project(k);
      if (!result)
        return result.takeError();
      product = std::move(*result);
      columns = {product.data(), product.ref().getNumElements() / size, size};
    }
    Matrix<T> g(size, size);
    gram(columns, g.ref(), pool);
    Expected<EigenResult<T>> eigen = largestEigenpairs(g, ranks[k], pool);
    if (!eigen)
      return eigen.takeError();
    factors[k] = std::move(eigen->vectors); // rank x size
    double held = 0;
    for (double value : eigen->values)
      held += std::max(value, 0.0);
    return held;
  }

  /// X times the transposed factors, in the order of the tensor.
  Expected<Tensor<T>> computeCore() {
    const unsigned last = modes.back();
    Expected<Tensor<T>> product = project(last);
    if (!product)
      return product;
    product = modeProduct(product->ref(), sizes.size() - 1, factors[last].ref(),
                          pool);
    if (!product)
      return product;
    SmallVector<unsigned, 6> inverse(sizes.size());
    for (unsigned position = 0; position < sizes.size(); ++position)
      inverse[orders[last][position]] = position;
    return permute(product->ref(), inverse);
  }

  ArrayRef<unsigned> getModes() const { return modes; }
  const Matrix<T> &getFactorRows(unsigned k) const { return factors[k]; }
  double getEnergy() const { return energy; }

private:
  /// The copy for mode k times the factors of all other decomposed modes.
  Expected<Tensor<T>> project(unsigned k) {
    Expected<Tensor<T>> product = Tensor<T>();
    bool first = true;
    for (unsigned position = 0; position + 1 < modes.size(); ++position) {
      const unsigned other = orders[k][position];
      product = modeProduct(first ? std::as_const(copies[k]).ref()
                                  : std::as_const(*product).ref(),
                            position, factors[other].ref(), pool);
      if (!product)
        return product;
      first = false;
    }
    if (first)
      return Tensor<T>(copies[k]);
    return product;
  }

  ArrayRef<int64_t> sizes, ranks;
  ThreadPoolInterface *pool;
  SmallVector<unsigned, 4> modes;
  std::vector<Matrix<T>> factors; // rank x size
  std::vector<Tensor<T>> copies;
  std::vector<SmallVector<unsigned, 6>> orders;
  double energy = 0;
};
} // namespace

template <typename T>
static Error checkRanks(const TensorRef<const T> &tensor,
                        ArrayRef<int64_t> ranks) {
  if (ranks.size() != tensor.sizes.size())
    return createStringError("a tensor of rank %llu needs as many Tucker "
                             "ranks, but got %llu",
                             (unsigned long long)tensor.sizes.size(),
                             (unsigned long long)ranks.size());
  bool any = false;
  for (size_t k = 0; k < ranks.size(); ++k) {
    if (ranks[k] < 0 || ranks[k] > tensor.sizes[k])
      return createStringError(
          "the Tucker rank of mode %llu must be in [1, %lld], or 0 to leave "
          "the mode as it is, but is %lld",
          (unsigned long long)k, (long long)tensor.sizes[k],
          (long long)ranks[k]);
    any |= ranks[k] != 0;
  }
  if (!any)
    return createStringError("no mode is to be decomposed: all Tucker ranks "
                             "are 0");
  return Error::success();
}

/// A row-major copy divided by `scale`.
template <typename To, typename From>
static Tensor<To> scaledCopy(const TensorRef<const From> &tensor,
                             double scale) {
  Tensor<To> copy(tensor.sizes);
  To *out = copy.data();
  forEachOffset(tensor.sizes, tensor.strides, [&](int64_t offset) {
    *out++ = static_cast<To>(double(tensor.data[offset]) / scale);
  });
  return copy;
}

/// |x - back|^2 of two contiguous tensors.
template <typename T>
static double squaredDistance(ArrayRef<T> x, ArrayRef<T> back) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double difference = double(x[i]) - double(back[i]);
    sum += difference * difference;
  }
  return sum;
}

template <typename T>
static Expected<Tensor<T>> reconstructImpl(const Tucker<T> &tucker,
                                           ThreadPoolInterface *pool) {
  if (tucker.factors.size() != tucker.core.sizes().size())
    return createStringError("a core of rank %llu needs as many factors, but "
                             "there are %llu",
                             (unsigned long long)tucker.core.sizes().size(),
                             (unsigned long long)tucker.factors.size());
  Expected<Tensor<T>> result = Tensor<T>(tucker.core);
  // The last modes first: the largest product then has contiguous columns.
  for (unsigned k = tucker.factors.size(); k-- > 0;)
    if (tucker.factors[k].rows() > 0) {
      result = modeProduct(std::as_const(*result).ref(), k,
                           tucker.factors[k].ref(), pool);
      if (!result)
        return result;
    }
  return result;
}

/// `C` is the type to compute in.
template <typename C, typename T>
static Expected<Tucker<T>> decomposeAs(const TensorRef<const T> &tensor,
                                       double scale, ArrayRef<int64_t> ranks,
                                       const TuckerOptions &options,
                                       ThreadPoolInterface *pool) {
  const Tensor<C> scaled = scaledCopy<C>(tensor, scale);
  Iteration<C> iteration(tensor.sizes, ranks, pool);
  if (Error error = iteration.prepare(scaled.ref()))
    return std::move(error);
  for (unsigned k : iteration.getModes())
    if (Expected<double> held = iteration.updateFactor(k, false); !held)
      return held.takeError();
  Tucker<T> result;
  // With one mode the higher-order SVD is the optimum.
  const int maxSweeps = iteration.getModes().size() > 1 ? options.maxSweeps : 0;
  double before = -1;
  while (result.sweeps < maxSweeps) {
    double held = 0;
    for (unsigned k : iteration.getModes()) {
      Expected<double> now = iteration.updateFactor(k, true);
      if (!now)
        return now.takeError();
      held = *now;
    }
    ++result.sweeps;
    if (held - before < options.tolerance * iteration.getEnergy())
      break;
    before = held;
  }
  Expected<Tensor<C>> core = iteration.computeCore();
  if (!core)
    return core.takeError();

  Tucker<C> unscaled;
  unscaled.core = std::move(*core);
  unscaled.factors.resize(ranks.size());
  for (unsigned k : iteration.getModes())
    unscaled.factors[k] = convert<C>(
        MatrixRef<const C>(iteration.getFactorRows(k).ref()).transposed());
  const double energy = iteration.getEnergy();
  if (energy > 0) {
    double error =
        energy - squaredNorm(std::as_const(unscaled.core).elements());
    // The difference of two large numbers says nothing about a small error.
    if (error < 1e-2 * energy) {
      Expected<Tensor<C>> back = reconstructImpl(unscaled, pool);
      if (!back)
        return back.takeError();
      error =
          squaredDistance(scaled.elements(), std::as_const(*back).elements());
    }
    result.relativeError = std::sqrt(error / energy);
  }
  result.core = scaledCopy<T>(
      TensorRef<const C>(std::as_const(unscaled.core).ref()), 1 / scale);
  for (const Matrix<C> &factor : unscaled.factors)
    result.factors.push_back(convert<T>(MatrixRef<const C>(factor.ref())));
  return std::move(result);
}

template <typename T>
static Expected<Tucker<T>>
decomposeImpl(const TensorRef<const T> &tensor, ArrayRef<int64_t> ranks,
              const TuckerOptions &options, ThreadPoolInterface *pool) {
  Expected<double> scale = findScale(tensor, "the tensor");
  if (!scale)
    return scale.takeError();
  if (Error error = checkRanks(tensor, ranks))
    return std::move(error);
  if (options.maxSweeps < 0 || !(options.tolerance >= 0))
    return createStringError("maxSweeps and tolerance must not be negative");
  constexpr int64_t largestInDouble = 1 << 18;
  if (tensor.getNumElements() <= largestInDouble)
    return decomposeAs<double>(tensor, *scale, ranks, options, pool);
  return decomposeAs<T>(tensor, *scale, ranks, options, pool);
}

template <typename T>
static Expected<SmallVector<int64_t, 4>>
chooseRanksImpl(const TensorRef<const T> &tensor, ArrayRef<unsigned> modes,
                const RankLimits &limits, ThreadPoolInterface *pool) {
  if (Error error = checkFinite(tensor, "the tensor"))
    return std::move(error);
  SmallVector<int64_t, 4> ranks(tensor.sizes.size(), 0);
  for (unsigned mode : modes) {
    if (mode >= ranks.size())
      return createStringError("mode %u is out of range for a tensor of rank "
                               "%llu",
                               mode, (unsigned long long)ranks.size());
    Matrix<T> unfolded(tensor.sizes[mode],
                       tensor.getNumElements() / tensor.sizes[mode]);
    if (Error error = unfold(tensor, mode, unfolded.ref()))
      return std::move(error);
    Expected<int64_t> rank =
        chooseRankEvbmf(MatrixRef<const T>(unfolded.ref()), limits, pool);
    if (!rank)
      return rank.takeError();
    ranks[mode] = *rank;
  }
  return ranks;
}

Expected<Tucker<float>> decomposeTucker(const TensorRef<const float> &tensor,
                                        ArrayRef<int64_t> ranks,
                                        const TuckerOptions &options,
                                        ThreadPoolInterface *pool) {
  return decomposeImpl(tensor, ranks, options, pool);
}
Expected<Tucker<double>> decomposeTucker(const TensorRef<const double> &tensor,
                                         ArrayRef<int64_t> ranks,
                                         const TuckerOptions &options,
                                         ThreadPoolInterface *pool) {
  return decomposeImpl(tensor, ranks, options, pool);
}
Expected<Tensor<float>> reconstruct(const Tucker<float> &tucker,
                                    ThreadPoolInterface *pool) {
  return reconstructImpl(tucker, pool);
}
Expected<Tensor<double>> reconstruct(const Tucker<double> &tucker,
                                     ThreadPoolInterface *pool) {
  return reconstructImpl(tucker, pool);
}
Expected<SmallVector<int64_t, 4>>
chooseTuckerRanks(const TensorRef<const float> &tensor,
                  ArrayRef<unsigned> modes, const RankLimits &limits,
                  ThreadPoolInterface *pool) {
  return chooseRanksImpl(tensor, modes, limits, pool);
}
Expected<SmallVector<int64_t, 4>>
chooseTuckerRanks(const TensorRef<const double> &tensor,
                  ArrayRef<unsigned> modes, const RankLimits &limits,
                  ThreadPoolInterface *pool) {
  return chooseRanksImpl(tensor, modes, limits, pool);
}

} // namespace compress::numerics
