//===- Matrix.h - Strided views and owned dense arrays ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The array types of the factorization and error-driven algorithms: views with
// a stride per dimension, in elements, so that transposed, sliced and
// channels-last data needs no copy; and owned row-major arrays for results.
// Views of read-only data have a const element type.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_MATRIX_H
#define COMPRESS_NUMERICS_MATRIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace compress::numerics {

/// A rows x columns view of `data`; element (i, j) is at
/// data[i * rowStride + j * columnStride].
template <typename T>
struct MatrixRef {
  T *data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t rowStride = 0;
  int64_t columnStride = 1;

  MatrixRef() = default;
  /// A contiguous row-major matrix.
  MatrixRef(T *data, int64_t rows, int64_t columns)
      : data(data), rows(rows), columns(columns), rowStride(columns) {}
  MatrixRef(T *data, int64_t rows, int64_t columns, int64_t rowStride,
            int64_t columnStride)
      : data(data), rows(rows), columns(columns), rowStride(rowStride),
        columnStride(columnStride) {}

  operator MatrixRef<const T>() const {
    return {data, rows, columns, rowStride, columnStride};
  }
  T &operator()(int64_t row, int64_t column) const {
    return data[row * rowStride + column * columnStride];
  }
  MatrixRef transposed() const {
    return {data, columns, rows, columnStride, rowStride};
  }
  /// The `numRows` x `numColumns` part that starts at (row, column).
  MatrixRef block(int64_t row, int64_t column, int64_t numRows,
                  int64_t numColumns) const {
    return {data + row * rowStride + column * columnStride, numRows, numColumns,
            rowStride, columnStride};
  }
};

/// An owned row-major matrix; elements start as zero.
template <typename T>
class Matrix {
public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t columns)
      : numRows(rows), numColumns(columns), values(rows * columns) {}

  int64_t rows() const { return numRows; }
  int64_t columns() const { return numColumns; }
  T *data() { return values.data(); }
  const T *data() const { return values.data(); }
  T &operator()(int64_t row, int64_t column) {
    return values[row * numColumns + column];
  }
  const T &operator()(int64_t row, int64_t column) const {
    return values[row * numColumns + column];
  }
  MatrixRef<T> ref() { return {values.data(), numRows, numColumns}; }
  MatrixRef<const T> ref() const {
    return {values.data(), numRows, numColumns};
  }
  llvm::ArrayRef<T> elements() const { return values; }
  llvm::MutableArrayRef<T> elements() { return values; }

private:
  int64_t numRows = 0;
  int64_t numColumns = 0;
  std::vector<T> values;
};

/// An N-d view; element (i0, i1, ...) is at data[sum of ik * strides[k]].
template <typename T>
struct TensorRef {
  T *data = nullptr;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;

  TensorRef() = default;
  /// A contiguous row-major tensor.
  TensorRef(T *data, llvm::ArrayRef<int64_t> sizes)
      : data(data), sizes(sizes), strides(sizes.size()) {
    int64_t stride = 1;
    for (size_t k = sizes.size(); k-- > 0; stride *= sizes[k])
      strides[k] = stride;
  }
  TensorRef(T *data, llvm::ArrayRef<int64_t> sizes,
            llvm::ArrayRef<int64_t> strides)
      : data(data), sizes(sizes), strides(strides) {}

  operator TensorRef<const T>() const { return {data, sizes, strides}; }
  int64_t getRank() const { return sizes.size(); }
  int64_t getNumElements() const {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  }
};

/// An owned row-major N-d array; elements start as zero.
template <typename T>
class Tensor {
public:
  Tensor() = default;
  explicit Tensor(llvm::ArrayRef<int64_t> sizes) : dims(sizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    values.resize(count);
  }

  llvm::ArrayRef<int64_t> sizes() const { return dims; }
  int64_t size(unsigned mode) const { return dims[mode]; }
  T *data() { return values.data(); }
  const T *data() const { return values.data(); }
  TensorRef<T> ref() { return {values.data(), dims}; }
  TensorRef<const T> ref() const { return {values.data(), dims}; }
  llvm::ArrayRef<T> elements() const { return values; }
  llvm::MutableArrayRef<T> elements() { return values; }

private:
  llvm::SmallVector<int64_t, 4> dims;
  std::vector<T> values;
};

/// Fails, naming `what` and the first offender, unless `matrix` is non-empty
/// and all its elements are finite. One pass over the data.
llvm::Error checkFinite(MatrixRef<const float> matrix, const char *what);
llvm::Error checkFinite(MatrixRef<const double> matrix, const char *what);

/// The same for a tensor of rank 1 or more whose sizes and strides agree in
/// number.
llvm::Error checkFinite(const TensorRef<const float> &tensor, const char *what);
llvm::Error checkFinite(const TensorRef<const double> &tensor,
                        const char *what);

/// Calls `fn(offset)` with the element offset of every position of a tensor of
/// these sizes and strides, in row-major order of the indices.
template <typename Fn>
void forEachOffset(llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides, Fn &&fn) {
  for (int64_t size : sizes)
    if (size <= 0)
      return;
  llvm::SmallVector<int64_t, 6> index(sizes.size());
  int64_t offset = 0;
  while (true) {
    fn(offset);
    size_t k = sizes.size();
    while (k > 0) {
      --k;
      offset += strides[k];
      if (++index[k] < sizes[k])
        break;
      offset -= strides[k] * sizes[k];
      index[k] = 0;
      if (k == 0)
        return;
    }
    if (sizes.empty())
      return;
  }
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_MATRIX_H
