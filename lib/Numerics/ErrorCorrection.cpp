//===- ErrorCorrection.cpp - Making up for quantization errors ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/ErrorCorrection.h"
#include "Dense.h"
#include "GroupedWeightsUtils.h"
#include "compress/Numerics/Parallel.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

using namespace detail;

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Coordinate descent on one row; `difference` is its quantized - reference and
/// `gradient` that times the moment. Returns the number of sweeps.
template <typename T>
static int descend(MatrixRef<const T> reference, MatrixRef<const double> moment,
                   int64_t row, int maxSweeps, MutableArrayRef<double> gradient,
                   GroupedWeights &weights, int64_t &changes) {
  const int64_t n = reference.columns;
  const IntegerFormat format = weights.spec.format;
  for (int sweep = 0; sweep < maxSweeps; ++sweep) {
    bool moved = false;
    for (int64_t j = 0; j < n; ++j) {
      const AffineParams params = weights.getParams(row, j);
      const double exact = double(reference(row, j)) / params.scale;
      int32_t &code = weights.codes(row, j);
      const double offset = code - params.zeroPoint;
      // The neighbour on the other side of the weight.
      const int32_t other = offset <= exact ? code + 1 : code - 1;
      if (other < format.getMin() || other > format.getMax() ||
          std::abs(other - params.zeroPoint - exact) >= 1)
        continue;
      const double step = double(other - code) * params.scale;
      const double change = 2 * step * gradient[j] + step * step * moment(j, j);
      // Not within the rounding of the terms: it would go to and fro.
      if (!(change < -1e-12 * (std::abs(step * gradient[j]) +
                               step * step * moment(j, j))))
        continue;
      code = other;
      ++changes;
      moved = true;
      for (int64_t k = 0; k < n; ++k)
        gradient[k] += step * moment(j, k);
    }
    if (!moved)
      return sweep + 1;
  }
  return maxSweeps;
}

template <typename T>
static Expected<CorrectionResult>
refineRoundingImpl(MatrixRef<const T> reference, MatrixRef<const double> moment,
                   GroupedWeights &weights, int maxSweeps,
                   ThreadPoolInterface *pool) {
  if (Error error = checkFinite(reference, "the weight matrix"))
    return std::move(error);
  if (Error error = checkGrouped(weights, reference.rows, reference.columns))
    return std::move(error);
  if (Error error = checkMoment(moment, reference.columns))
    return std::move(error);
  if (maxSweeps < 0)
    return createStringError("the number of sweeps must not be negative");
  CorrectionResult result;
  Matrix<double> difference = getDifference(weights, reference);
  Matrix<double> gradients(reference.rows, reference.columns);
  multiply(difference.ref(), moment, gradients.ref(), false, pool);
  result.errorBefore = getQuadraticError(difference.ref(), moment, pool);
  const GroupedWeights before = weights;
  std::vector<int> sweeps(reference.rows);
  std::vector<int64_t> changes(reference.rows);
  forEachChunk(
      pool, reference.rows, 8, [&](int64_t, int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
          sweeps[row] = descend(reference, moment, row, maxSweeps,
                                gradients.elements().slice(
                                    row * reference.columns, reference.columns),
                                weights, changes[row]);
      });
  for (int64_t row = 0; row < reference.rows; ++row) {
    result.iterations = std::max(result.iterations, sweeps[row]);
    result.changes += changes[row];
  }
  result.error =
      getQuadraticError(getDifference(weights, reference).ref(), moment, pool);
  if (result.error > result.errorBefore) { // of rounding size only
    weights = before;
    result.error = result.errorBefore;
    result.changes = 0;
  }
  return result;
}

Expected<CorrectionResult> refineRounding(MatrixRef<const float> reference,
                                          MatrixRef<const double> moment,
                                          GroupedWeights &weights,
                                          int maxSweeps,
                                          ThreadPoolInterface *pool) {
  return refineRoundingImpl(reference, moment, weights, maxSweeps, pool);
}
Expected<CorrectionResult> refineRounding(MatrixRef<const double> reference,
                                          MatrixRef<const double> moment,
                                          GroupedWeights &weights,
                                          int maxSweeps,
                                          ThreadPoolInterface *pool) {
  return refineRoundingImpl(reference, moment, weights, maxSweeps, pool);
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

namespace {

/// One group of one row.
template <typename T>
class GroupFit {
public:
  GroupFit(MatrixRef<const T> reference, ArrayRef<double> columnWeights,
           GroupedWeights &weights, int64_t row, int64_t group)
      : reference(reference), columnWeights(columnWeights), weights(weights),
        row(row), begin(group * weights.spec.getGroupSize(reference.columns)),
        end(std::min(reference.columns,
                     begin + weights.spec.getGroupSize(reference.columns))),
        params(weights.params(row, group)), codes(end - begin) {
    for (int64_t j = begin; j < end; ++j)
      codes[j - begin] = weights.codes(row, j);
  }

  void run(int maxIterations, CorrectionResult &result) {
    double best = getError(params, codes);
    result.errorBefore += best;
    AffineParams current = params;
    std::vector<int32_t> trial = codes;
    for (int step = 0; step < maxIterations; ++step) {
      const double scale = fitScale(current, trial);
      if (!(scale > 0))
        break;
      current.scale =
          roundScale(static_cast<float>(scale), weights.spec.scaleType);
      // The codes as they are, then those that are nearest now.
      bool better = keepIfBetter(current, trial, best);
      for (int64_t j = begin; j < end; ++j)
        trial[j - begin] =
            quantize(reference(row, j), current, weights.spec.format);
      better |= keepIfBetter(current, trial, best);
      if (!better)
        break;
      result.iterations = std::max(result.iterations, step + 1);
    }
    result.error += best;
    for (int64_t j = begin; j < end; ++j) {
      result.changes += weights.codes(row, j) != codes[j - begin];
      weights.codes(row, j) = codes[j - begin];
    }
  }

private:
  double getWeight(int64_t column) const {
    return columnWeights.empty() ? 1.0 : columnWeights[column];
  }

  double getError(AffineParams candidate, ArrayRef<int32_t> values) const {
    double sum = 0;
    for (int64_t j = begin; j < end; ++j) {
      double difference =
          dequantize(values[j - begin], candidate) - reference(row, j);
      sum += getWeight(j) * difference * difference;
    }
    return sum;
  }

  double fitScale(AffineParams current, ArrayRef<int32_t> values) const {
    double product = 0, squares = 0;
    for (int64_t j = begin; j < end; ++j) {
      const double centered = values[j - begin] - current.zeroPoint;
      product += getWeight(j) * reference(row, j) * centered;
      squares += getWeight(j) * centered * centered;
    }
    return squares > 0 ? product / squares : 0.0;
  }

  bool keepIfBetter(AffineParams candidate, ArrayRef<int32_t> values,
                    double &best) {
    const double error = getError(candidate, values);
    if (!(error < best))
      return false;
    best = error;
    params = candidate;
    codes.assign(values.begin(), values.end());
    return true;
  }

  MatrixRef<const T> reference;
  ArrayRef<double> columnWeights;
  GroupedWeights &weights;
  int64_t row, begin, end;
  AffineParams &params;
  std::vector<int32_t> codes;
};

} // namespace

template <typename T>
static Expected<CorrectionResult>
refineScalesImpl(MatrixRef<const T> reference, ArrayRef<double> columnWeights,
                 GroupedWeights &weights, int maxIterations) {
  if (Error error = checkFinite(reference, "the weight matrix"))
    return std::move(error);
  if (Error error = checkGrouped(weights, reference.rows, reference.columns))
    return std::move(error);
  if (!columnWeights.empty() &&
      columnWeights.size() != static_cast<size_t>(reference.columns))
    return createStringError("there are %llu column weights for %lld columns",
                             (unsigned long long)columnWeights.size(),
                             (long long)reference.columns);
  for (double weight : columnWeights)
    if (!(weight >= 0) || !std::isfinite(weight))
      return createStringError("column weights must be finite and not "
                               "negative, but one is %g",
                               weight);
  CorrectionResult result;
  for (int64_t row = 0; row < reference.rows; ++row)
    for (int64_t group = 0; group < weights.params.columns(); ++group)
      GroupFit<T>(reference, columnWeights, weights, row, group)
          .run(maxIterations, result);
  return result;
}

Expected<CorrectionResult> refineScales(MatrixRef<const float> reference,
                                        ArrayRef<double> columnWeights,
                                        GroupedWeights &weights,
                                        int maxIterations) {
  return refineScalesImpl(reference, columnWeights, weights, maxIterations);
}
Expected<CorrectionResult> refineScales(MatrixRef<const double> reference,
                                        ArrayRef<double> columnWeights,
                                        GroupedWeights &weights,
                                        int maxIterations) {
  return refineScalesImpl(reference, columnWeights, weights, maxIterations);
}

//===----------------------------------------------------------------------===//
// Bias
//===----------------------------------------------------------------------===//

template <typename T>
static Error
correctBiasImpl(MatrixRef<const T> reference, MatrixRef<const T> quantized,
                StridedSpan<const T> meanInput, StridedSpan<T> bias) {
  if (Error error = checkFinite(reference, "the weight matrix"))
    return error;
  if (Error error = checkFinite(quantized, "the quantized weight matrix"))
    return error;
  if (Error error = checkSpan(meanInput, "the mean input"))
    return error;
  if (Error error = checkSpan(bias, "the bias"))
    return error;
  if (quantized.rows != reference.rows ||
      quantized.columns != reference.columns ||
      meanInput.size() != reference.columns || bias.size() != reference.rows)
    return createStringError(
        "weights of %lldx%lld need quantized weights of that shape, %lld mean "
        "inputs and %lld biases, but got %lldx%lld, %lld and %lld",
        (long long)reference.rows, (long long)reference.columns,
        (long long)reference.columns, (long long)reference.rows,
        (long long)quantized.rows, (long long)quantized.columns,
        (long long)meanInput.size(), (long long)bias.size());
  for (int64_t j = 0; j < meanInput.size(); ++j)
    if (!std::isfinite(meanInput[j]))
      return createStringError("mean input %lld is not finite", (long long)j);
  for (int64_t i = 0; i < bias.size(); ++i)
    if (!std::isfinite(bias[i]))
      return createStringError("bias %lld is not finite", (long long)i);
  for (int64_t i = 0; i < reference.rows; ++i) {
    double shift = 0;
    for (int64_t j = 0; j < reference.columns; ++j)
      shift += (double(quantized(i, j)) - double(reference(i, j))) *
               double(meanInput[j]);
    bias[i] = static_cast<T>(double(bias[i]) - shift);
  }
  return Error::success();
}

Error correctBias(MatrixRef<const float> reference,
                  MatrixRef<const float> quantized,
                  StridedSpan<const float> meanInput, StridedSpan<float> bias) {
  return correctBiasImpl(reference, quantized, meanInput, bias);
}
Error correctBias(MatrixRef<const double> reference,
                  MatrixRef<const double> quantized,
                  StridedSpan<const double> meanInput,
                  StridedSpan<double> bias) {
  return correctBiasImpl(reference, quantized, meanInput, bias);
}

//===----------------------------------------------------------------------===//
// Residual
//===----------------------------------------------------------------------===//

template <typename T>
static Expected<ResidualFactors<T>>
factorizeResidualImpl(MatrixRef<const T> weights, const WeightSpec &spec,
                      int64_t rank, int iterations, ThreadPoolInterface *pool) {
  if (iterations < 1)
    return createStringError("the residual takes at least one iteration, but "
                             "%d are asked for",
                             iterations);
  Expected<GroupedWeights> quantized = quantizeNearest(weights, spec);
  if (!quantized)
    return quantized.takeError();
  ResidualFactors<T> best;
  Matrix<T> branch(weights.rows, weights.columns),
      target(weights.rows, weights.columns);
  for (int step = 0; step < iterations; ++step) {
    if (step > 0) {
      for (int64_t i = 0; i < weights.rows; ++i)
        for (int64_t j = 0; j < weights.columns; ++j)
          target(i, j) = weights(i, j) - branch(i, j);
      quantized = quantizeNearest(MatrixRef<const T>(target.ref()), spec);
      if (!quantized)
        return quantized.takeError();
    }
    Matrix<double> residual = getDifference(*quantized, weights);
    if (step == 0)
      best.nearestError =
          std::sqrt(squaredNorm(std::as_const(residual).elements()));
    for (int64_t i = 0; i < weights.rows; ++i)
      for (int64_t j = 0; j < weights.columns; ++j)
        target(i, j) = static_cast<T>(-residual(i, j));
    Expected<Svd<T>> svd =
        truncatedSvd(MatrixRef<const T>(target.ref()), rank, pool);
    if (!svd)
      return svd.takeError();
    if (Error error = reconstruct(*svd, branch.ref(), pool))
      return std::move(error);
    for (size_t k = 0; k < residual.elements().size(); ++k)
      residual.elements()[k] += branch.elements()[k];
    const double error =
        std::sqrt(squaredNorm(std::as_const(residual).elements()));
    if (step == 0 || error < best.error) {
      best.error = error;
      best.quantized = std::move(*quantized);
      best.branch = std::move(*svd);
    }
  }
  return std::move(best);
}

Expected<ResidualFactors<float>>
factorizeResidual(MatrixRef<const float> weights, const WeightSpec &spec,
                  int64_t rank, int iterations, ThreadPoolInterface *pool) {
  return factorizeResidualImpl(weights, spec, rank, iterations, pool);
}
Expected<ResidualFactors<double>>
factorizeResidual(MatrixRef<const double> weights, const WeightSpec &spec,
                  int64_t rank, int iterations, ThreadPoolInterface *pool) {
  return factorizeResidualImpl(weights, spec, rank, iterations, pool);
}

} // namespace compress::numerics
