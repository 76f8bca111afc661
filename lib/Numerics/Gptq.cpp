//===- Gptq.cpp - Column-wise error feedback ------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Gptq.h"
#include "Dense.h"
#include "GroupedWeightsUtils.h"
#include "compress/Numerics/Parallel.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

using namespace detail;

/// Columns in the order of work: by falling diagonal, or as they are.
static std::vector<int64_t> makeOrder(MatrixRef<const double> moment,
                                      bool sorted) {
  std::vector<int64_t> order(moment.rows);
  for (int64_t i = 0; i < moment.rows; ++i)
    order[i] = i;
  if (sorted)
    llvm::sort(order, [&](int64_t x, int64_t y) {
      return moment(x, x) != moment(y, y) ? moment(x, x) > moment(y, y) : x < y;
    });
  return order;
}

/// The upper triangular U with U^T U = (H + damping)^-1, columns in `order`.
///
/// With J the reversal of the order and J H J = L L^T, it is U = J L^-1 J: one
/// factorization and one triangular inverse instead of an inverse and a second
/// factorization.
static Expected<Matrix<double>> factorInverse(MatrixRef<const double> moment,
                                              ArrayRef<int64_t> order,
                                              double &damping,
                                              ThreadPoolInterface *pool) {
  const int64_t n = moment.rows;
  double mean = 0;
  for (int64_t i = 0; i < n; ++i)
    mean += moment(i, i) / n;
  if (!(mean > 0))
    mean = 1;
  Matrix<double> factor(n, n);
  for (;; damping = std::max(damping * 10, 1e-12)) {
    if (damping > 1)
      return createStringError("the second moment of the inputs is not "
                               "positive semidefinite: damping by its whole "
                               "mean diagonal does not help");
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        factor(i, j) = moment(order[n - 1 - i], order[n - 1 - j]);
    for (int64_t i = 0; i < n; ++i) {
      // An input that is always zero is independent of all others.
      if (factor(i, i) == 0)
        factor(i, i) = mean;
      factor(i, i) += damping * mean;
    }
    if (choleskyLower(factor.ref(), 1e-14 * mean, pool))
      break;
  }
  invertLower(factor.ref(), pool);
  Matrix<double> upper(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j)
      upper(i, j) = factor(n - 1 - i, n - 1 - j);
  return std::move(upper);
}

namespace {

/// The feedback over the rows [rowBegin, rowEnd).
template <typename T>
class RowFeedback {
public:
  RowFeedback(MatrixRef<const T> weights, ArrayRef<int64_t> order,
              const Matrix<double> &upper, const GptqOptions &options,
              bool dynamicGroups, GroupedWeights &result, int64_t rowBegin,
              int64_t rowEnd)
      : order(order), upper(upper), options(options),
        dynamicGroups(dynamicGroups), result(result), rowBegin(rowBegin),
        rows(rowEnd - rowBegin), columns(weights.columns),
        groupSize(result.spec.getGroupSize(weights.columns)),
        current(rows, columns) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        current(i, j) = weights(rowBegin + i, order[j]);
  }

  void run() {
    for (int64_t begin = 0; begin < columns;) {
      int64_t end = std::min(columns - begin, options.blockSize) + begin;
      // A group that starts within a block and ends behind it would be ranged
      // on columns that have not been compensated yet.
      if (dynamicGroups && end < columns) {
        int64_t start = (end - 1) / groupSize * groupSize;
        if (start > begin && start + groupSize > end)
          end = start;
      }
      runBlock(begin, end);
      begin = end;
    }
  }

private:
  void runBlock(int64_t begin, int64_t end) {
    Matrix<double> errors(rows, end - begin);
    for (int64_t i = 0; i < rows; ++i) {
      double *row = &current(i, 0);
      for (int64_t j = begin; j < end; ++j) {
        if (dynamicGroups && j % groupSize == 0)
          chooseGroup(i, j);
        const int64_t column = order[j];
        AffineParams params = result.getParams(rowBegin + i, column);
        int32_t code =
            quantize(static_cast<T>(row[j]), params, result.spec.format);
        result.codes(rowBegin + i, column) = code;
        const double *factors = &upper(j, 0);
        const double error = (row[j] - dequantize(code, params)) / factors[j];
        errors(i, j - begin) = -error;
        for (int64_t k = j + 1; k < end; ++k)
          row[k] -= error * factors[k];
      }
    }
    if (end < columns)
      multiply(errors.ref(),
               upper.ref().block(begin, end, end - begin, columns - end),
               current.ref().block(0, end, rows, columns - end), true);
  }

  /// Columns are in their own order here.
  void chooseGroup(int64_t i, int64_t begin) {
    const int64_t end = std::min(columns - begin, groupSize) + begin;
    result.params(rowBegin + i, begin / groupSize) =
        chooseGroupParams<double>(current.ref(), i, begin, end, result.spec);
  }

  ArrayRef<int64_t> order;
  const Matrix<double> &upper;
  const GptqOptions &options;
  const bool dynamicGroups;
  GroupedWeights &result;
  const int64_t rowBegin, rows, columns, groupSize;
  Matrix<double> current;
};
} // namespace

template <typename T>
static Expected<GptqResult>
quantizeImpl(MatrixRef<const T> weights, MatrixRef<const double> moment,
             const WeightSpec &spec, const GptqOptions &options,
             ThreadPoolInterface *pool) {
  if (!(options.damping >= 0 && options.damping <= 1))
    return createStringError("the damping must be in [0, 1], but is %g",
                             options.damping);
  if (options.blockSize < 1)
    return createStringError("the block size must be 1 or more, but is %lld",
                             (long long)options.blockSize);
  Expected<GroupedWeights> nearest = quantizeNearest(weights, spec);
  if (!nearest)
    return nearest.takeError();
  if (Error error = checkMoment(moment, weights.columns))
    return std::move(error);

  GptqResult result;
  result.damping = options.damping;
  std::vector<int64_t> order = makeOrder(moment, options.activationOrder);
  Expected<Matrix<double>> upper =
      factorInverse(moment, order, result.damping, pool);
  if (!upper)
    return upper.takeError();
  result.weights = *nearest;
  constexpr int64_t chunkRows = 56;
  forEachChunk(
      pool, weights.rows, chunkRows, [&](int64_t, int64_t begin, int64_t end) {
        RowFeedback<T>(weights, order, *upper, options,
                       !options.activationOrder, result.weights, begin, end)
            .run();
      });
  result.nearestError =
      getQuadraticError(getDifference(*nearest, weights).ref(), moment, pool);
  result.error = getQuadraticError(getDifference(result.weights, weights).ref(),
                                   moment, pool);
  if (!(result.error <= result.nearestError)) {
    result.weights = std::move(*nearest);
    result.error = result.nearestError;
    result.keptNearest = true;
  }
  return std::move(result);
}

Expected<GptqResult> quantizeGptq(MatrixRef<const float> weights,
                                  MatrixRef<const double> moment,
                                  const WeightSpec &spec,
                                  const GptqOptions &options,
                                  ThreadPoolInterface *pool) {
  return quantizeImpl(weights, moment, spec, options, pool);
}
Expected<GptqResult> quantizeGptq(MatrixRef<const double> weights,
                                  MatrixRef<const double> moment,
                                  const WeightSpec &spec,
                                  const GptqOptions &options,
                                  ThreadPoolInterface *pool) {
  return quantizeImpl(weights, moment, spec, options, pool);
}

} // namespace compress::numerics
