//===- Matrix.cpp - Strided views and owned dense arrays ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Matrix.h"
#include "Scaling.h"
#include "ScanKernels.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

template <typename T>
static Error checkMatrixImpl(MatrixRef<const T> matrix, const char *what) {
  if (matrix.rows <= 0 || matrix.columns <= 0)
    return createStringError(
        "%s must have at least one row and one column, but is %lldx%lld", what,
        (long long)matrix.rows, (long long)matrix.columns);
  if (!matrix.data)
    return createStringError("%s has no data", what);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    if (matrix.columnStride == 1 &&
        std::isfinite(detail::scanRow(&matrix(i, 0), matrix.columns).largest))
      continue;
    for (int64_t j = 0; j < matrix.columns; ++j)
      if (!std::isfinite(matrix(i, j)))
        return createStringError(
            "%s is not finite: element (%lld, %lld) is %f; remove NaN and "
            "infinite values first",
            what, (long long)i, (long long)j, (double)matrix(i, j));
  }
  return Error::success();
}

template <typename T>
static Error checkTensorImpl(const TensorRef<const T> &tensor,
                             const char *what) {
  if (tensor.sizes.empty() || tensor.sizes.size() != tensor.strides.size())
    return createStringError("%s must have rank 1 or more and one stride per "
                             "dimension",
                             what);
  for (int64_t size : tensor.sizes)
    if (size <= 0)
      return createStringError("%s has a dimension of size %lld; every size "
                               "must be positive",
                               what, (long long)size);
  if (!tensor.data)
    return createStringError("%s has no data", what);
  int64_t position = 0, bad = -1;
  forEachOffset(tensor.sizes, tensor.strides, [&](int64_t offset) {
    if (bad < 0 && !std::isfinite(tensor.data[offset]))
      bad = position;
    ++position;
  });
  if (bad >= 0)
    return createStringError("%s is not finite: its element %lld in row-major "
                             "order is NaN or infinite; remove such values "
                             "first",
                             what, (long long)bad);
  return Error::success();
}

Error checkFinite(MatrixRef<const float> matrix, const char *what) {
  return checkMatrixImpl(matrix, what);
}
Error checkFinite(MatrixRef<const double> matrix, const char *what) {
  return checkMatrixImpl(matrix, what);
}
Error checkFinite(const TensorRef<const float> &tensor, const char *what) {
  return checkTensorImpl(tensor, what);
}
Error checkFinite(const TensorRef<const double> &tensor, const char *what) {
  return checkTensorImpl(tensor, what);
}

namespace detail {

static double toScale(double largest) {
  return largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

template <typename T>
static Expected<double> findScaleImpl(MatrixRef<const T> matrix,
                                      const char *what, double *energy) {
  Scan total;
  bool known = matrix.columnStride == 1 && matrix.data;
  for (int64_t i = 0; known && i < matrix.rows && matrix.columns > 0; ++i) {
    const Scan row = scanRow(&matrix(i, 0), matrix.columns);
    known = std::isfinite(row.largest);
    total.largest = std::max(total.largest, row.largest);
    total.squares += row.squares;
  }
  if (!known || matrix.rows <= 0 || matrix.columns <= 0) {
    if (Error error = checkMatrixImpl(matrix, what))
      return std::move(error);
    total = {};
    for (int64_t i = 0; i < matrix.rows; ++i)
      for (int64_t j = 0; j < matrix.columns; ++j) {
        const double value = std::abs(double(matrix(i, j)));
        total.largest = std::max(total.largest, value);
        total.squares += value * value;
      }
  }
  if (energy)
    *energy = total.squares;
  return toScale(total.largest);
}

template <typename T>
static Expected<double> findScaleImpl(const TensorRef<const T> &tensor,
                                      const char *what) {
  if (Error error = checkTensorImpl(tensor, what))
    return std::move(error);
  double largest = 0;
  forEachOffset(tensor.sizes, tensor.strides, [&](int64_t offset) {
    largest = std::max<double>(largest, std::abs(tensor.data[offset]));
  });
  return toScale(largest);
}

Expected<double> findScale(MatrixRef<const float> matrix, const char *what,
                           double *energy) {
  return findScaleImpl(matrix, what, energy);
}
Expected<double> findScale(MatrixRef<const double> matrix, const char *what,
                           double *energy) {
  return findScaleImpl(matrix, what, energy);
}
Expected<double> findScale(const TensorRef<const float> &tensor,
                           const char *what) {
  return findScaleImpl(tensor, what);
}
Expected<double> findScale(const TensorRef<const double> &tensor,
                           const char *what) {
  return findScaleImpl(tensor, what);
}

} // namespace detail

} // namespace compress::numerics
