//===- Matrix.cpp - Strided views and owned dense arrays ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Matrix.h"
#include "Scaling.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;

namespace compress::numerics {

/// The largest magnitude of `count` contiguous elements; infinite or NaN if
/// one of them is. Compares the bits without the sign as integers, which orders
/// magnitudes (NaN last) and becomes vector code.
template <typename T>
static T getMaxMagnitude(const T *data, int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  const Bits magnitude = std::numeric_limits<Bits>::max();
  Bits largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i, sizeof(T));
    bits &= magnitude;
    largest = bits > largest ? bits : largest;
  }
  T value;
  std::memcpy(&value, &largest, sizeof(T));
  return value;
}

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
        std::isfinite(getMaxMagnitude(matrix.data + i * matrix.rowStride,
                                      matrix.columns)))
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
                                      const char *what) {
  double largest = 0;
  bool known = matrix.columnStride == 1 && matrix.data;
  for (int64_t i = 0; known && i < matrix.rows; ++i) {
    double row =
        getMaxMagnitude(matrix.data + i * matrix.rowStride, matrix.columns);
    known = std::isfinite(row);
    largest = std::max(largest, row);
  }
  if (known && matrix.rows > 0 && matrix.columns > 0)
    return toScale(largest);
  if (Error error = checkMatrixImpl(matrix, what))
    return std::move(error);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j)
      largest = std::max<double>(largest, std::abs(matrix(i, j)));
  return toScale(largest);
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

Expected<double> findScale(MatrixRef<const float> matrix, const char *what) {
  return findScaleImpl(matrix, what);
}
Expected<double> findScale(MatrixRef<const double> matrix, const char *what) {
  return findScaleImpl(matrix, what);
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
