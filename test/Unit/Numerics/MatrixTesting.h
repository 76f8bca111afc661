//===- MatrixTesting.h - Helpers for the tests on matrices ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded input and plain reference loops, independent of the library's own.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TEST_UNIT_NUMERICS_MATRIXTESTING_H
#define COMPRESS_TEST_UNIT_NUMERICS_MATRIXTESTING_H

#include "compress/Numerics/Matrix.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

namespace compress::numerics::testing {

/// Uniform in [-1, 1).
template <typename T>
Matrix<T> randomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  Matrix<T> matrix(rows, columns);
  for (T &value : matrix.elements())
    value = static_cast<T>(random() / 2147483648.0 - 1);
  return matrix;
}

template <typename T>
Tensor<T> randomTensor(llvm::ArrayRef<int64_t> sizes, unsigned seed) {
  std::mt19937 random(seed);
  Tensor<T> tensor(sizes);
  for (T &value : tensor.elements())
    value = static_cast<T>(random() / 2147483648.0 - 1);
  return tensor;
}

/// a * b by the definition, in f64.
template <typename A, typename B>
Matrix<double> naiveProduct(MatrixRef<const A> a, MatrixRef<const B> b) {
  Matrix<double> c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j)
        c(i, j) += double(a(i, k)) * double(b(k, j));
  return c;
}

/// Frobenius norm of a - b (of a alone without b).
template <typename A, typename B>
double distance(llvm::ArrayRef<A> a, llvm::ArrayRef<B> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += (double(a[i]) - double(b[i])) * (double(a[i]) - double(b[i]));
  return std::sqrt(sum);
}
template <typename A>
double norm(llvm::ArrayRef<A> a) {
  double sum = 0;
  for (A value : a)
    sum += double(value) * double(value);
  return std::sqrt(sum);
}

/// Largest deviation of q^T q from the identity.
template <typename T>
double orthogonalityError(const Matrix<T> &q) {
  double worst = 0;
  for (int64_t i = 0; i < q.columns(); ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double dot = 0;
      for (int64_t k = 0; k < q.rows(); ++k)
        dot += double(q(k, i)) * double(q(k, j));
      worst = std::max(worst, std::abs(dot - (i == j)));
    }
  return worst;
}

template <typename T>
bool allFinite(llvm::ArrayRef<T> values) {
  for (T value : values)
    if (!std::isfinite(value))
      return false;
  return true;
}

/// The value, or a failed test and an empty one.
template <typename T>
T take(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return T();
}

/// The message of the error that `value` must be.
template <typename T>
std::string messageOf(llvm::Expected<T> value) {
  if (!value)
    return llvm::toString(value.takeError());
  ADD_FAILURE() << "expected an error";
  return "";
}

} // namespace compress::numerics::testing

#endif // COMPRESS_TEST_UNIT_NUMERICS_MATRIXTESTING_H
