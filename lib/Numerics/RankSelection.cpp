//===- RankSelection.cpp - Ranks by energy, budget and EVBMF --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/RankSelection.h"
#include "compress/Numerics/Svd.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

static Error checkValues(ArrayRef<double> values) {
  if (values.empty())
    return createStringError("there are no singular values");
  for (size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]) || values[k] < 0 ||
        (k && values[k] > values[k - 1]))
      return createStringError("singular values must be finite, not negative "
                               "and descending, but number %llu is %g",
                               (unsigned long long)k, values[k]);
  return Error::success();
}

Expected<int64_t> limitRank(int64_t rank, int64_t rows, int64_t columns,
                            const RankLimits &limits) {
  if (rows <= 0 || columns <= 0)
    return createStringError("a %lldx%lld matrix has no rank to choose",
                             (long long)rows, (long long)columns);
  const int64_t full = std::min(rows, columns);
  const int64_t cap = limits.cap == 0 ? full : std::min(limits.cap, full);
  if (limits.multiple < 1 || limits.floor < 1 || cap < 1)
    return createStringError("rank limits must be positive: multiple %lld, "
                             "floor %lld, cap %lld",
                             (long long)limits.multiple,
                             (long long)limits.floor, (long long)limits.cap);
  if (limits.cap != 0 && limits.floor > limits.cap)
    return createStringError("the rank floor %lld is above the cap %lld",
                             (long long)limits.floor, (long long)limits.cap);
  rank = std::clamp<int64_t>(rank, 0, full);
  // In parts: the sum with half a multiple could overflow.
  int64_t rounded = rank / limits.multiple * limits.multiple;
  if (rank - rounded >= limits.multiple - limits.multiple / 2)
    rounded += std::min(limits.multiple, full);
  return std::clamp(rounded, std::min(limits.floor, cap), cap);
}

Expected<int64_t> rankForEnergy(ArrayRef<double> values, double totalEnergy,
                                double fraction) {
  if (Error error = checkValues(values))
    return std::move(error);
  if (!(fraction > 0 && fraction <= 1))
    return createStringError("the energy fraction must be in (0, 1], but is %g",
                             fraction);
  if (!std::isfinite(totalEnergy) || totalEnergy < 0)
    return createStringError("the total energy must be finite and not "
                             "negative, but is %g",
                             totalEnergy);
  double kept = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    kept += values[k] * values[k];
    if (kept >= fraction * totalEnergy)
      return k + 1;
  }
  return values.size();
}

int64_t rankForParameters(int64_t rows, int64_t columns, int64_t budget) {
  if (rows <= 0 || columns <= 0 || budget <= 0)
    return 0;
  const double each = double(rows) + double(columns);
  const int64_t affordable = each > 9e18 ? 0 : budget / (rows + columns);
  return std::min({affordable, rows, columns});
}

int64_t getBreakEvenRank(int64_t rows, int64_t columns) {
  int64_t product;
  if (rows <= 0 || columns <= 0 || MulOverflow(rows, columns, product))
    return 0;
  return rankForParameters(rows, columns, product - 1);
}

int64_t rankForFlops(int64_t rows, int64_t columns, int64_t vectors,
                     double budget) {
  if (rows <= 0 || columns <= 0 || vectors <= 0 || !(budget > 0))
    return 0;
  const double each = 2.0 * vectors * (double(rows) + double(columns));
  const double affordable = std::floor(budget / each);
  const int64_t full = std::min(rows, columns);
  return affordable >= full ? full : static_cast<int64_t>(affordable);
}

namespace {

/// The free energy as a function of the noise variance, Nakajima et al. 2013,
/// theorem 2 and its corollaries, for an L x M matrix with L <= M.
class FreeEnergy {
public:
  FreeEnergy(ArrayRef<double> values, double larger)
      : values(values), larger(larger), alpha(values.size() / larger) {
    const double tau = 2.5129 * std::sqrt(alpha);
    limit = (1 + tau) * (1 + alpha / tau);
  }

  /// Squared values, over larger * variance, are kept above this.
  double getLimit() const { return limit; }

  double operator()(double variance) const {
    double sum = 0; // the logarithm of the variance is in that of x
    for (double value : values) {
      const double x = std::max(value * value / (larger * variance), 1e-300);
      if (x <= limit) {
        sum += x - std::log(x);
        continue;
      }
      const double centered = x - (1 + alpha);
      const double root =
          std::sqrt(std::max(0.0, centered * centered - 4 * alpha));
      const double tau = 0.5 * (centered + root);
      sum +=
          x - tau + std::log((tau + 1) / x) + alpha * std::log(tau / alpha + 1);
    }
    return sum;
  }

private:
  ArrayRef<double> values;
  double larger, alpha, limit;
};

} // namespace

/// The minimum of `f` over [low, high] in the logarithm: the best of a grid,
/// then golden section around it (the function may have several minima).
template <typename Fn>
static double minimizeLogarithmic(Fn f, double low, double high) {
  constexpr int points = 65;
  const double first = std::log(low), last = std::log(high);
  const double step = (last - first) / (points - 1);
  int best = 0;
  double bestValue = f(low);
  for (int i = 1; i < points; ++i)
    if (double value = f(std::exp(first + i * step)); value < bestValue) {
      bestValue = value;
      best = i;
    }
  double a = first + std::max(best - 1, 0) * step;
  double b = first + std::min(best + 1, points - 1) * step;
  constexpr double golden = 0.6180339887498949;
  double x1 = b - golden * (b - a), x2 = a + golden * (b - a);
  double f1 = f(std::exp(x1)), f2 = f(std::exp(x2));
  for (int i = 0; i < 60; ++i) {
    if (f1 <= f2) {
      b = x2;
      x2 = x1;
      f2 = f1;
      x1 = b - golden * (b - a);
      f1 = f(std::exp(x1));
    } else {
      a = x1;
      x1 = x2;
      f1 = f2;
      x2 = a + golden * (b - a);
      f2 = f(std::exp(x2));
    }
  }
  return std::exp(0.5 * (a + b));
}

Expected<EvbmfResult> estimateRankEvbmf(ArrayRef<double> values, int64_t rows,
                                        int64_t columns) {
  if (Error error = checkValues(values))
    return std::move(error);
  const int64_t small = std::min(rows, columns);
  if (small != static_cast<int64_t>(values.size()))
    return createStringError("a %lldx%lld matrix has %lld singular values, but "
                             "got %llu; all are needed",
                             (long long)rows, (long long)columns,
                             (long long)small,
                             (unsigned long long)values.size());
  EvbmfResult result;
  if (values[0] == 0)
    return result;
  // Relative to the largest value, so that squares stay in range.
  const double unit = values[0];
  std::vector<double> relative(values.begin(), values.end());
  double energy = 0;
  for (double &value : relative) {
    value /= unit;
    energy += value * value;
  }
  const double larger = std::max(rows, columns);
  const FreeEnergy freeEnergy(relative, larger);
  const double alpha = small / larger, limit = freeEnergy.getLimit();
  // At most this many components can rise above the noise.
  int64_t most = static_cast<int64_t>(std::ceil(small / (1 + alpha))) - 1;
  most = std::clamp<int64_t>(most, 1, small) - 1;
  double tail = 0;
  for (int64_t k = most + 1; k < small; ++k)
    tail += relative[k] * relative[k];
  const double next = most + 1 < small ? relative[most + 1] : 0.0;
  const double high = energy / (small * larger);
  double low = next * next / (larger * limit);
  if (most + 1 < small)
    low = std::max(low, tail / (small - most - 1) / larger);
  // Without noise the variance would go to zero; rounding is noise enough.
  low = std::clamp(low, 1e-15 * high, high);
  const double variance =
      low < high ? minimizeLogarithmic(freeEnergy, low, high) : high;
  const double threshold = std::sqrt(larger * variance * limit);
  for (double value : relative)
    result.rank += value > threshold;
  result.noiseVariance = variance * unit * unit;
  result.threshold = threshold * unit;
  return result;
}

template <typename T>
static Expected<int64_t> chooseImpl(MatrixRef<const T> matrix,
                                    const RankLimits &limits,
                                    ThreadPoolInterface *pool) {
  Expected<int64_t> valid = limitRank(1, matrix.rows, matrix.columns, limits);
  if (!valid)
    return valid.takeError();
  Expected<Svd<T>> svd =
      truncatedSvd(matrix, std::min(matrix.rows, matrix.columns), pool);
  if (!svd)
    return svd.takeError();
  Expected<EvbmfResult> found =
      estimateRankEvbmf(svd->values, matrix.rows, matrix.columns);
  if (!found)
    return found.takeError();
  return limitRank(found->rank, matrix.rows, matrix.columns, limits);
}

Expected<int64_t> chooseRankEvbmf(MatrixRef<const float> matrix,
                                  const RankLimits &limits,
                                  ThreadPoolInterface *pool) {
  return chooseImpl(matrix, limits, pool);
}
Expected<int64_t> chooseRankEvbmf(MatrixRef<const double> matrix,
                                  const RankLimits &limits,
                                  ThreadPoolInterface *pool) {
  return chooseImpl(matrix, limits, pool);
}

} // namespace compress::numerics
