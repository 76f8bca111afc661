//===- ScaleSearch.cpp - Moving range between inputs and weights ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/ScaleSearch.h"
#include "Dense.h"
#include "GroupedWeightsUtils.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

using namespace detail;

static constexpr double smallestScale = 1e-6, largestScale = 1e6;

static double boundScale(double scale) {
  return std::clamp(scale, smallestScale, largestScale);
}

static Error checkMaxima(ArrayRef<double> maxima, const char *what) {
  for (size_t j = 0; j < maxima.size(); ++j)
    if (!(maxima[j] >= 0) || !std::isfinite(maxima[j]))
      return createStringError("the %s must be finite and not negative, but "
                               "number %llu is %g",
                               what, (unsigned long long)j, maxima[j]);
  return Error::success();
}

Expected<std::vector<double>> getSmoothingScales(ArrayRef<double> activationMax,
                                                 ArrayRef<double> weightMax,
                                                 double alpha) {
  if (activationMax.size() != weightMax.size())
    return createStringError("there are %llu activation maxima and %llu weight "
                             "maxima",
                             (unsigned long long)activationMax.size(),
                             (unsigned long long)weightMax.size());
  if (!(alpha >= 0 && alpha <= 1))
    return createStringError("the smoothing exponent must be in [0, 1], but "
                             "is %g",
                             alpha);
  if (Error error = checkMaxima(activationMax, "activation maxima"))
    return std::move(error);
  if (Error error = checkMaxima(weightMax, "weight maxima"))
    return std::move(error);
  std::vector<double> scales(weightMax.size(), 1.0);
  for (size_t j = 0; j < scales.size(); ++j)
    if (activationMax[j] > 0 && weightMax[j] > 0)
      scales[j] = boundScale(std::pow(activationMax[j], alpha) /
                             std::pow(weightMax[j], 1 - alpha));
  return scales;
}

template <typename T>
static Expected<std::vector<double>> columnMaximaImpl(MatrixRef<const T> m) {
  if (Error error = checkFinite(m, "the matrix"))
    return std::move(error);
  std::vector<double> maxima(m.columns);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.columns; ++j)
      maxima[j] = std::max(maxima[j], std::abs(double(m(i, j))));
  return maxima;
}

Expected<std::vector<double>> getColumnMaxima(MatrixRef<const float> matrix) {
  return columnMaximaImpl(matrix);
}
Expected<std::vector<double>> getColumnMaxima(MatrixRef<const double> matrix) {
  return columnMaximaImpl(matrix);
}

/// Weights times `scales`, rounded to nearest, divided by them again.
template <typename T>
static Expected<Matrix<double>> quantizeScaled(MatrixRef<const T> weights,
                                               ArrayRef<double> scales,
                                               const WeightSpec &spec) {
  constexpr double limit = std::numeric_limits<T>::max();
  Matrix<T> scaled(weights.rows, weights.columns);
  for (int64_t i = 0; i < weights.rows; ++i)
    for (int64_t j = 0; j < weights.columns; ++j)
      // A weight near the end of its type saturates: that is a bad candidate
      // like others, not bad input.
      scaled(i, j) =
          static_cast<T>(std::clamp(weights(i, j) * scales[j], -limit, limit));
  Expected<GroupedWeights> quantized =
      quantizeNearest(MatrixRef<const T>(scaled.ref()), spec);
  if (!quantized)
    return quantized.takeError();
  Matrix<double> result(weights.rows, weights.columns);
  for (int64_t i = 0; i < weights.rows; ++i)
    for (int64_t j = 0; j < weights.columns; ++j)
      result(i, j) = (*quantized)(i, j) / scales[j];
  return std::move(result);
}

/// Tries no scales, then those of `steps` + 1 exponents; keeps the best.
static Expected<ScaleSearchResult>
searchExponent(int64_t columns, int steps,
               function_ref<Expected<std::vector<double>>(double)> getScales,
               function_ref<Expected<double>(ArrayRef<double>)> getError) {
  if (steps < 1 || steps > 10000)
    return createStringError("the search takes 1 to 10000 steps, but %d are "
                             "asked for",
                             steps);
  ScaleSearchResult result;
  result.scales.assign(columns, 1.0);
  Expected<double> unscaled = getError(result.scales);
  if (!unscaled)
    return unscaled.takeError();
  result.error = result.unscaledError = *unscaled;
  result.keptUnscaled = true;
  for (int step = 0; step <= steps; ++step) {
    const double alpha = double(step) / steps;
    Expected<std::vector<double>> scales = getScales(alpha);
    if (!scales)
      return scales.takeError();
    Expected<double> error = getError(*scales);
    if (!error)
      return error.takeError();
    if (*error < result.error) {
      result.error = *error;
      result.alpha = alpha;
      result.scales = std::move(*scales);
      result.keptUnscaled = false;
    }
  }
  return std::move(result);
}

/// Round trip of the rows through a symmetric integer format.
static void fakeQuantize(Matrix<double> &values, IntegerFormat format,
                         bool perTensor) {
  auto quantizeSpan = [&](MutableArrayRef<double> span) {
    double largest = 0;
    for (double value : span)
      largest = std::max(largest, std::abs(value));
    const float bound = static_cast<float>(largest);
    const AffineParams params = chooseParams(-bound, bound, format, true);
    for (double &value : span)
      value = dequantize(quantize(static_cast<float>(value), params, format),
                         params);
  };
  if (perTensor)
    return quantizeSpan(values.elements());
  for (int64_t i = 0; i < values.rows(); ++i)
    quantizeSpan(
        values.elements().slice(i * values.columns(), values.columns()));
}

template <typename T>
static Expected<ScaleSearchResult>
smoothingImpl(MatrixRef<const T> weights, MatrixRef<const T> samples,
              const WeightSpec &spec, const SmoothingOptions &options,
              ThreadPoolInterface *pool) {
  Expected<std::vector<double>> weightMax = getColumnMaxima(weights);
  if (!weightMax)
    return weightMax.takeError();
  Expected<std::vector<double>> inputMax = getColumnMaxima(samples);
  if (!inputMax)
    return inputMax.takeError();
  WeightSpec inputSpec;
  inputSpec.format = options.inputFormat;
  if (Error error = checkSpec(inputSpec))
    return std::move(error);
  if (!options.inputFormat.isSigned)
    return createStringError("a symmetric format for the inputs must be "
                             "signed");
  // trace(E E^T) for E = Xq Wq^T - X W^T.
  const Matrix<double> inputs = convert<double>(samples);
  const Matrix<double> reference = convert<double>(weights);
  Matrix<double> exact(samples.rows, weights.rows);
  multiply(inputs.ref(), reference.ref().transposed(), exact.ref(), false,
           pool);
  auto getError = [&](ArrayRef<double> scales) -> Expected<double> {
    Expected<Matrix<double>> quantized = quantizeScaled(weights, scales, spec);
    if (!quantized)
      return quantized.takeError();
    Matrix<double> scaled = inputs;
    for (int64_t i = 0; i < scaled.rows(); ++i)
      for (int64_t j = 0; j < scaled.columns(); ++j)
        scaled(i, j) /= scales[j];
    fakeQuantize(scaled, options.inputFormat, options.perTensor);
    for (int64_t i = 0; i < scaled.rows(); ++i)
      for (int64_t j = 0; j < scaled.columns(); ++j)
        scaled(i, j) *= scales[j];
    Matrix<double> outputs(samples.rows, weights.rows);
    multiply(scaled.ref(),
             MatrixRef<const double>(quantized->ref()).transposed(),
             outputs.ref(), false, pool);
    for (size_t k = 0; k < exact.elements().size(); ++k)
      outputs.elements()[k] -= exact.elements()[k];
    return squaredNorm(std::as_const(outputs).elements());
  };
  if (samples.columns != weights.columns)
    return createStringError("the samples have %lld inputs, but the weights "
                             "%lld",
                             (long long)samples.columns,
                             (long long)weights.columns);
  return searchExponent(
      weights.columns, options.steps,
      [&](double alpha) {
        return getSmoothingScales(*inputMax, *weightMax, alpha);
      },
      getError);
}

template <typename T>
static Expected<ScaleSearchResult>
awqImpl(MatrixRef<const T> weights, ArrayRef<double> magnitudes,
        MatrixRef<const double> moment, const WeightSpec &spec, int steps,
        ThreadPoolInterface *pool) {
  if (Error error = checkFinite(weights, "the weight matrix"))
    return std::move(error);
  if (magnitudes.size() != static_cast<size_t>(weights.columns))
    return createStringError("there are %llu input magnitudes for %lld inputs",
                             (unsigned long long)magnitudes.size(),
                             (long long)weights.columns);
  if (Error error = checkMaxima(magnitudes, "input magnitudes"))
    return std::move(error);
  if (Error error = checkMoment(moment, weights.columns))
    return std::move(error);
  auto getScales = [&](double alpha) -> Expected<std::vector<double>> {
    std::vector<double> scales(magnitudes.size(), 1.0);
    double low = 0, high = 0;
    for (size_t j = 0; j < scales.size(); ++j) {
      if (magnitudes[j] == 0)
        continue;
      scales[j] = std::pow(magnitudes[j], alpha);
      low = low == 0 ? scales[j] : std::min(low, scales[j]);
      high = std::max(high, scales[j]);
    }
    const double middle = std::sqrt(low) * std::sqrt(high);
    for (size_t j = 0; j < scales.size(); ++j)
      scales[j] = magnitudes[j] == 0 || !(middle > 0)
                      ? 1.0
                      : boundScale(scales[j] / middle);
    return scales;
  };
  auto getError = [&](ArrayRef<double> scales) -> Expected<double> {
    Expected<Matrix<double>> difference = quantizeScaled(weights, scales, spec);
    if (!difference)
      return difference.takeError();
    for (int64_t i = 0; i < weights.rows; ++i)
      for (int64_t j = 0; j < weights.columns; ++j)
        (*difference)(i, j) -= double(weights(i, j));
    return getQuadraticError(difference->ref(), moment, pool);
  };
  return searchExponent(weights.columns, steps, getScales, getError);
}

Expected<ScaleSearchResult> searchSmoothing(MatrixRef<const float> weights,
                                            MatrixRef<const float> samples,
                                            const WeightSpec &weightSpec,
                                            const SmoothingOptions &options,
                                            ThreadPoolInterface *pool) {
  return smoothingImpl(weights, samples, weightSpec, options, pool);
}
Expected<ScaleSearchResult> searchSmoothing(MatrixRef<const double> weights,
                                            MatrixRef<const double> samples,
                                            const WeightSpec &weightSpec,
                                            const SmoothingOptions &options,
                                            ThreadPoolInterface *pool) {
  return smoothingImpl(weights, samples, weightSpec, options, pool);
}
Expected<ScaleSearchResult> searchAwqScales(MatrixRef<const float> weights,
                                            ArrayRef<double> magnitudes,
                                            MatrixRef<const double> moment,
                                            const WeightSpec &spec, int steps,
                                            ThreadPoolInterface *pool) {
  return awqImpl(weights, magnitudes, moment, spec, steps, pool);
}
Expected<ScaleSearchResult> searchAwqScales(MatrixRef<const double> weights,
                                            ArrayRef<double> magnitudes,
                                            MatrixRef<const double> moment,
                                            const WeightSpec &spec, int steps,
                                            ThreadPoolInterface *pool) {
  return awqImpl(weights, magnitudes, moment, spec, steps, pool);
}

} // namespace compress::numerics
