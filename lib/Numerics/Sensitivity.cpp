//===- Sensitivity.cpp - How much an approximation hurts ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Sensitivity.h"
#include "Dense.h"
#include "GroupedWeightsUtils.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

template <typename T>
static Expected<ErrorMeasures> measureImpl(StridedSpan<const T> reference,
                                           StridedSpan<const T> actual) {
  if (Error error = checkSpan(reference, "the reference"))
    return std::move(error);
  if (Error error = checkSpan(actual, "the result"))
    return std::move(error);
  const int64_t count = reference.size();
  if (count != actual.size() || count == 0)
    return createStringError("the reference has %lld elements and the result "
                             "%lld; they must be as many, and not none",
                             (long long)count, (long long)actual.size());
  double signal = 0, noise = 0, other = 0, product = 0;
  ErrorMeasures measures;
  for (int64_t i = 0; i < count; ++i) {
    const double x = reference[i], y = actual[i];
    if (!std::isfinite(x) || !std::isfinite(y))
      return createStringError("element %lld is NaN or infinite", (long long)i);
    signal += x * x;
    other += y * y;
    product += x * y;
    noise += (x - y) * (x - y);
    measures.largest = std::max(measures.largest, std::abs(x - y));
  }
  measures.meanSquare = noise / count;
  const double infinity = std::numeric_limits<double>::infinity();
  measures.signalToNoise = noise == 0    ? infinity
                           : signal == 0 ? -infinity
                                         : 10 * std::log10(signal / noise);
  if (signal > 0 && other > 0)
    measures.cosine = product / (std::sqrt(signal) * std::sqrt(other));
  else
    measures.cosine = signal == other ? 1 : 0;
  return measures;
}

Expected<ErrorMeasures> measureError(StridedSpan<const float> reference,
                                     StridedSpan<const float> actual) {
  return measureImpl(reference, actual);
}
Expected<ErrorMeasures> measureError(StridedSpan<const double> reference,
                                     StridedSpan<const double> actual) {
  return measureImpl(reference, actual);
}

/// log(sum(exp(row / temperature - shift))), shift the largest of them.
template <typename T>
static double getLogSum(MatrixRef<const T> logits, int64_t row,
                        double temperature, double &shift) {
  shift = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < logits.columns; ++j)
    shift = std::max(shift, double(logits(row, j)) / temperature);
  double sum = 0;
  for (int64_t j = 0; j < logits.columns; ++j)
    sum += std::exp(double(logits(row, j)) / temperature - shift);
  return std::log(sum);
}

template <typename T>
static Expected<double> divergenceImpl(MatrixRef<const T> reference,
                                       MatrixRef<const T> actual,
                                       double temperature) {
  if (Error error = checkFinite(reference, "the reference logits"))
    return std::move(error);
  if (Error error = checkFinite(actual, "the logits"))
    return std::move(error);
  if (reference.rows != actual.rows || reference.columns != actual.columns)
    return createStringError("the reference logits are %lldx%lld, but the "
                             "logits %lldx%lld",
                             (long long)reference.rows,
                             (long long)reference.columns,
                             (long long)actual.rows, (long long)actual.columns);
  if (!(temperature > 0) || !std::isfinite(temperature))
    return createStringError("the temperature must be positive and finite, but "
                             "is %g",
                             temperature);
  double total = 0;
  for (int64_t i = 0; i < reference.rows; ++i) {
    double shiftP, shiftQ, sum = 0;
    const double logP = getLogSum(reference, i, temperature, shiftP);
    const double logQ = getLogSum(actual, i, temperature, shiftQ);
    for (int64_t j = 0; j < reference.columns; ++j) {
      const double p = double(reference(i, j)) / temperature - shiftP - logP;
      const double q = double(actual(i, j)) / temperature - shiftQ - logQ;
      const double probability = std::exp(p);
      if (probability > 0)
        sum += probability * (p - q);
    }
    total += std::max(sum, 0.0);
  }
  return total / reference.rows;
}

Expected<double> getOutputDivergence(MatrixRef<const float> reference,
                                     MatrixRef<const float> actual,
                                     double temperature) {
  return divergenceImpl(reference, actual, temperature);
}
Expected<double> getOutputDivergence(MatrixRef<const double> reference,
                                     MatrixRef<const double> actual,
                                     double temperature) {
  return divergenceImpl(reference, actual, temperature);
}

template <typename T>
static Expected<std::vector<double>>
roundingErrorsImpl(MatrixRef<const T> weights, ArrayRef<WeightSpec> specs,
                   MatrixRef<const double> moment, ThreadPoolInterface *pool) {
  if (moment.data)
    if (Error error = detail::checkMoment(moment, weights.columns))
      return std::move(error);
  std::vector<double> errors;
  for (const WeightSpec &spec : specs) {
    Expected<GroupedWeights> quantized = quantizeNearest(weights, spec);
    if (!quantized)
      return quantized.takeError();
    const Matrix<double> difference =
        detail::getDifference(*quantized, weights);
    errors.push_back(
        moment.data ? detail::getQuadraticError(difference.ref(), moment, pool)
                    : detail::squaredNorm(difference.elements()));
  }
  return errors;
}

Expected<std::vector<double>> getRoundingErrors(MatrixRef<const float> weights,
                                                ArrayRef<WeightSpec> specs,
                                                MatrixRef<const double> moment,
                                                ThreadPoolInterface *pool) {
  return roundingErrorsImpl(weights, specs, moment, pool);
}
Expected<std::vector<double>> getRoundingErrors(MatrixRef<const double> weights,
                                                ArrayRef<WeightSpec> specs,
                                                MatrixRef<const double> moment,
                                                ThreadPoolInterface *pool) {
  return roundingErrorsImpl(weights, specs, moment, pool);
}

} // namespace compress::numerics
