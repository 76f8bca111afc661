//===- GroupedWeights.cpp - Weights with a scale per group of a row -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/GroupedWeights.h"
#include "Dense.h"
#include "GroupedWeightsUtils.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

Error checkSpec(const WeightSpec &spec) {
  if (spec.format.bits < 1 || spec.format.bits > 16)
    return createStringError("weights take 1 to 16 bits, but %u are asked for",
                             spec.format.bits);
  if (spec.format.getMax() <= 0)
    return createStringError("a format of %u bit needs unsigned codes; signed "
                             "ones have no positive value",
                             spec.format.bits);
  if (spec.groupSize < 0)
    return createStringError("the group size must not be negative, but is %lld",
                             (long long)spec.groupSize);
  return Error::success();
}

namespace detail {

template <typename T>
AffineParams chooseGroupParams(MatrixRef<const T> weights, int64_t row,
                               int64_t begin, int64_t end,
                               const WeightSpec &spec) {
  T low = weights(row, begin), high = low;
  for (int64_t j = begin + 1; j < end; ++j) {
    low = std::min(low, weights(row, j));
    high = std::max(high, weights(row, j));
  }
  // Scales are f32: a range beyond it ends at its ends.
  constexpr double limit = std::numeric_limits<float>::max();
  return chooseParams(
      static_cast<float>(std::clamp<double>(low, -limit, limit)),
      static_cast<float>(std::clamp<double>(high, -limit, limit)), spec.format,
      spec.symmetric, spec.scaleType);
}

template AffineParams chooseGroupParams(MatrixRef<const float>, int64_t,
                                        int64_t, int64_t, const WeightSpec &);
template AffineParams chooseGroupParams(MatrixRef<const double>, int64_t,
                                        int64_t, int64_t, const WeightSpec &);

Error checkMoment(MatrixRef<const double> moment, int64_t size) {
  if (Error error = checkFinite(moment, "the second moment of the inputs"))
    return error;
  if (moment.rows != size || moment.columns != size)
    return createStringError("the second moment of %lld inputs is a square "
                             "matrix of that size, but got %lldx%lld",
                             (long long)size, (long long)moment.rows,
                             (long long)moment.columns);
  for (int64_t i = 0; i < size; ++i) {
    if (moment(i, i) < 0)
      return createStringError("the second moment of the inputs has the "
                               "negative diagonal element %lld: %g",
                               (long long)i, moment(i, i));
    for (int64_t j = 0; j < i; ++j) {
      const double bound = std::sqrt(moment(i, i)) * std::sqrt(moment(j, j));
      if (std::abs(moment(i, j) - moment(j, i)) > 1e-6 * bound + 1e-300)
        return createStringError("the second moment of the inputs is not "
                                 "symmetric: elements (%lld, %lld) and "
                                 "(%lld, %lld) differ",
                                 (long long)i, (long long)j, (long long)j,
                                 (long long)i);
    }
  }
  return Error::success();
}

Error checkGrouped(const GroupedWeights &quantized, int64_t rows,
                   int64_t columns) {
  if (Error error = checkSpec(quantized.spec))
    return error;
  if (quantized.codes.rows() != rows || quantized.codes.columns() != columns ||
      quantized.params.rows() != rows ||
      quantized.params.columns() != quantized.spec.getNumGroups(columns))
    return createStringError(
        "the quantized weights are %lldx%lld with %lldx%lld parameters, but "
        "the weights are %lldx%lld",
        (long long)quantized.codes.rows(), (long long)quantized.codes.columns(),
        (long long)quantized.params.rows(),
        (long long)quantized.params.columns(), (long long)rows,
        (long long)columns);
  for (const AffineParams &params : quantized.params.elements())
    if (!(params.scale > 0) || !std::isfinite(params.scale))
      return createStringError("scales must be positive and finite, but one "
                               "is %g",
                               params.scale);
  return Error::success();
}

double getQuadraticError(MatrixRef<const double> difference,
                         MatrixRef<const double> moment,
                         ThreadPoolInterface *pool) {
  Matrix<double> product(difference.rows, difference.columns);
  multiply(difference, moment, product.ref(), false, pool);
  double sum = 0;
  for (int64_t i = 0; i < difference.rows; ++i) {
    double row = 0;
    for (int64_t j = 0; j < difference.columns; ++j)
      row += product(i, j) * difference(i, j);
    sum += row;
  }
  return std::max(sum, 0.0);
}

template <typename T>
Matrix<double> getDifference(const GroupedWeights &quantized,
                             MatrixRef<const T> reference) {
  Matrix<double> difference(reference.rows, reference.columns);
  for (int64_t i = 0; i < reference.rows; ++i)
    for (int64_t j = 0; j < reference.columns; ++j)
      difference(i, j) = quantized(i, j) - double(reference(i, j));
  return difference;
}

template Matrix<double> getDifference(const GroupedWeights &,
                                      MatrixRef<const float>);
template Matrix<double> getDifference(const GroupedWeights &,
                                      MatrixRef<const double>);

} // namespace detail

using namespace detail;

template <typename T>
static Expected<GroupedWeights> quantizeImpl(MatrixRef<const T> weights,
                                             const WeightSpec &spec) {
  if (Error error = checkSpec(spec))
    return std::move(error);
  if (Error error = checkFinite(weights, "the weight matrix"))
    return std::move(error);
  GroupedWeights result;
  result.spec = spec;
  result.codes = Matrix<int32_t>(weights.rows, weights.columns);
  const int64_t groups = spec.getNumGroups(weights.columns);
  const int64_t size = spec.getGroupSize(weights.columns);
  result.params = Matrix<AffineParams>(weights.rows, groups);
  for (int64_t i = 0; i < weights.rows; ++i)
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t begin = g * size;
      const int64_t end = std::min(weights.columns - begin, size) + begin;
      AffineParams params = chooseGroupParams(weights, i, begin, end, spec);
      result.params(i, g) = params;
      for (int64_t j = begin; j < end; ++j)
        result.codes(i, j) = quantize(weights(i, j), params, spec.format);
    }
  return std::move(result);
}

template <typename T>
static Error dequantizeImpl(const GroupedWeights &weights, MatrixRef<T> out) {
  if (Error error = checkGrouped(weights, out.rows, out.columns))
    return error;
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out(i, j) = static_cast<T>(weights(i, j));
  return Error::success();
}

template <typename T>
static Error accumulateImpl(MatrixRef<const T> samples,
                            MatrixRef<double> moment,
                            ThreadPoolInterface *pool) {
  if (Error error = checkFinite(samples, "the input samples"))
    return error;
  if (!moment.data || moment.rows != samples.columns ||
      moment.columns != samples.columns)
    return createStringError("samples of %lld inputs need a second moment of "
                             "that size squared, but got %lldx%lld",
                             (long long)samples.columns, (long long)moment.rows,
                             (long long)moment.columns);
  Matrix<double> wide = convert<double>(samples);
  Matrix<double> batch(samples.columns, samples.columns);
  gram(wide.ref(), batch.ref(), pool);
  for (int64_t i = 0; i < moment.rows; ++i)
    for (int64_t j = 0; j < moment.columns; ++j)
      moment(i, j) += batch(i, j);
  return Error::success();
}

template <typename T>
static Expected<double>
outputErrorImpl(const GroupedWeights &quantized, MatrixRef<const T> reference,
                MatrixRef<const double> moment, ThreadPoolInterface *pool) {
  if (Error error = checkFinite(reference, "the weight matrix"))
    return std::move(error);
  if (Error error = checkGrouped(quantized, reference.rows, reference.columns))
    return std::move(error);
  if (Error error = checkMoment(moment, reference.columns))
    return std::move(error);
  return getQuadraticError(getDifference(quantized, reference).ref(), moment,
                           pool);
}

Expected<GroupedWeights> quantizeNearest(MatrixRef<const float> weights,
                                         const WeightSpec &spec) {
  return quantizeImpl(weights, spec);
}
Expected<GroupedWeights> quantizeNearest(MatrixRef<const double> weights,
                                         const WeightSpec &spec) {
  return quantizeImpl(weights, spec);
}
Error dequantize(const GroupedWeights &weights, MatrixRef<float> out) {
  return dequantizeImpl(weights, out);
}
Error dequantize(const GroupedWeights &weights, MatrixRef<double> out) {
  return dequantizeImpl(weights, out);
}
Error accumulateSecondMoment(MatrixRef<const float> samples,
                             MatrixRef<double> moment,
                             ThreadPoolInterface *pool) {
  return accumulateImpl(samples, moment, pool);
}
Error accumulateSecondMoment(MatrixRef<const double> samples,
                             MatrixRef<double> moment,
                             ThreadPoolInterface *pool) {
  return accumulateImpl(samples, moment, pool);
}
Expected<double> getOutputError(const GroupedWeights &quantized,
                                MatrixRef<const float> reference,
                                MatrixRef<const double> moment,
                                ThreadPoolInterface *pool) {
  return outputErrorImpl(quantized, reference, moment, pool);
}
Expected<double> getOutputError(const GroupedWeights &quantized,
                                MatrixRef<const double> reference,
                                MatrixRef<const double> moment,
                                ThreadPoolInterface *pool) {
  return outputErrorImpl(quantized, reference, moment, pool);
}

} // namespace compress::numerics
