//===- Unfold.cpp - Unfolding and mode products of tensors ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Unfold.h"
#include "Dense.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace compress::numerics {

template <typename T>
static Error checkTensor(const TensorRef<T> &tensor) {
  if (tensor.sizes.empty() || tensor.sizes.size() != tensor.strides.size())
    return createStringError("a tensor needs rank 1 or more and one stride "
                             "per dimension");
  int64_t count = 1;
  for (int64_t size : tensor.sizes)
    if (size <= 0 || MulOverflow(count, size, count))
      return createStringError("tensor sizes must be positive and their "
                               "product must fit 64 bits");
  if (!tensor.data)
    return createStringError("the tensor has no data");
  return Error::success();
}

template <typename T>
static Error checkMode(const TensorRef<T> &tensor, unsigned mode) {
  if (Error error = checkTensor(tensor))
    return error;
  if (mode >= tensor.sizes.size())
    return createStringError("mode %u is out of range for a tensor of rank "
                             "%llu",
                             mode, (unsigned long long)tensor.sizes.size());
  return Error::success();
}

/// Calls fn(tensorOffset, matrixRow, matrixColumn) for every element.
template <typename T, typename Fn>
static void forEachUnfolded(const TensorRef<T> &tensor, unsigned mode, Fn fn) {
  SmallVector<int64_t, 4> sizes(tensor.sizes), strides(tensor.strides);
  const int64_t size = sizes[mode], stride = strides[mode];
  sizes.erase(sizes.begin() + mode);
  strides.erase(strides.begin() + mode);
  int64_t column = 0;
  forEachOffset(sizes, strides, [&](int64_t offset) {
    for (int64_t i = 0; i < size; ++i)
      fn(offset + i * stride, i, column);
    ++column;
  });
}

template <typename T>
static Error checkUnfolded(const TensorRef<T> &tensor, unsigned mode,
                           int64_t rows, int64_t columns, bool hasData) {
  if (Error error = checkMode(tensor, mode))
    return error;
  const int64_t size = tensor.sizes[mode];
  if (!hasData || rows != size || columns != tensor.getNumElements() / size)
    return createStringError("the mode-%u unfolding is %lldx%lld, but the "
                             "matrix is %lldx%lld",
                             mode, (long long)size,
                             (long long)(tensor.getNumElements() / size),
                             (long long)rows, (long long)columns);
  return Error::success();
}

template <typename T>
static Error unfoldImpl(const TensorRef<const T> &tensor, unsigned mode,
                        MatrixRef<T> out) {
  if (Error error =
          checkUnfolded(tensor, mode, out.rows, out.columns, out.data))
    return error;
  forEachUnfolded(tensor, mode, [&](int64_t offset, int64_t i, int64_t j) {
    out(i, j) = tensor.data[offset];
  });
  return Error::success();
}

template <typename T>
static Error foldImpl(MatrixRef<const T> matrix, unsigned mode,
                      const TensorRef<T> &out) {
  if (Error error =
          checkUnfolded(out, mode, matrix.rows, matrix.columns, matrix.data))
    return error;
  forEachUnfolded(out, mode, [&](int64_t offset, int64_t i, int64_t j) {
    out.data[offset] = matrix(i, j);
  });
  return Error::success();
}

template <typename T>
static Expected<Tensor<T>> permuteImpl(const TensorRef<const T> &tensor,
                                       ArrayRef<unsigned> order) {
  if (Error error = checkTensor(tensor))
    return std::move(error);
  const size_t rank = tensor.sizes.size();
  SmallVector<char, 6> seen(rank, false);
  bool valid = order.size() == rank;
  for (size_t k = 0; valid && k < rank; ++k) {
    valid = order[k] < rank && !seen[order[k]];
    if (valid)
      seen[order[k]] = true;
  }
  if (!valid)
    return createStringError("the order of dimensions is no permutation of "
                             "the %llu dimensions",
                             (unsigned long long)rank);
  SmallVector<int64_t, 6> sizes, strides;
  for (unsigned k : order) {
    sizes.push_back(tensor.sizes[k]);
    strides.push_back(tensor.strides[k]);
  }
  Tensor<T> result(sizes);
  // Tiles of the last dimension and of that which is contiguous in the input:
  // whichever way one goes, the other side would miss the cache otherwise.
  size_t contiguous = rank - 1;
  for (size_t k = 0; k < rank; ++k)
    if (sizes[k] > 1 && std::abs(strides[k]) < std::abs(strides[contiguous]))
      contiguous = k;
  TensorRef<T> out = result.ref();
  if (contiguous == rank - 1) {
    T *to = out.data;
    forEachOffset(sizes, strides,
                  [&](int64_t offset) { *to++ = tensor.data[offset]; });
    return std::move(result);
  }
  SmallVector<int64_t, 6> outerSizes(sizes);
  const int64_t rows = sizes[contiguous], columns = sizes[rank - 1];
  const MatrixRef<const T> from(tensor.data, rows, columns, strides[contiguous],
                                strides[rank - 1]);
  const MatrixRef<T> to(out.data, rows, columns, out.strides[contiguous], 1);
  outerSizes[contiguous] = outerSizes[rank - 1] = 1;
  std::vector<int64_t> inOffsets, outOffsets;
  forEachOffset(outerSizes, strides,
                [&](int64_t offset) { inOffsets.push_back(offset); });
  forEachOffset(outerSizes, out.strides,
                [&](int64_t offset) { outOffsets.push_back(offset); });
  constexpr int64_t tile = 16;
  for (size_t outer = 0; outer < inOffsets.size(); ++outer) {
    const T *in = from.data + inOffsets[outer];
    T *dest = to.data + outOffsets[outer];
    for (int64_t i0 = 0; i0 < rows; i0 += tile)
      for (int64_t j0 = 0; j0 < columns; j0 += tile)
        for (int64_t i = i0; i < std::min(i0 + tile, rows); ++i)
          for (int64_t j = j0; j < std::min(j0 + tile, columns); ++j)
            dest[i * to.rowStride + j] =
                in[i * from.rowStride + j * from.columnStride];
  }
  return std::move(result);
}

template <typename T>
static Expected<Tensor<T>>
modeProductImpl(const TensorRef<const T> &tensor, unsigned mode,
                MatrixRef<const T> matrix, ThreadPoolInterface *pool) {
  if (Error error = checkMode(tensor, mode))
    return std::move(error);
  if (!matrix.data || matrix.rows <= 0 || matrix.columns != tensor.sizes[mode])
    return createStringError("a %lldx%lld matrix cannot multiply mode %u of "
                             "size %lld",
                             (long long)matrix.rows, (long long)matrix.columns,
                             mode, (long long)tensor.sizes[mode]);
  TensorRef<const T> dense(tensor.data, tensor.sizes);
  Tensor<T> copy;
  if (dense.strides != tensor.strides) {
    SmallVector<unsigned, 6> order;
    for (unsigned k = 0; k < tensor.sizes.size(); ++k)
      order.push_back(k);
    Expected<Tensor<T>> contiguous = permuteImpl(tensor, order);
    if (!contiguous)
      return contiguous.takeError();
    copy = std::move(*contiguous);
    dense.data = copy.data();
  }
  SmallVector<int64_t, 4> sizes(tensor.sizes);
  const int64_t n = sizes[mode], p = matrix.rows;
  int64_t outer = 1, inner = 1;
  for (size_t k = 0; k < sizes.size(); ++k)
    (k < mode ? outer : inner) *= k == mode ? 1 : sizes[k];
  sizes[mode] = p;
  Tensor<T> result(sizes);
  if (inner == 1) {
    detail::multiply(MatrixRef<const T>(dense.data, outer, n),
                     matrix.transposed(), MatrixRef<T>(result.data(), outer, p),
                     false, pool);
    return std::move(result);
  }
  for (int64_t o = 0; o < outer; ++o)
    detail::multiply(
        matrix, MatrixRef<const T>(dense.data + o * n * inner, n, inner),
        MatrixRef<T>(result.data() + o * p * inner, p, inner), false, pool);
  return std::move(result);
}

Error unfold(const TensorRef<const float> &tensor, unsigned mode,
             MatrixRef<float> out) {
  return unfoldImpl(tensor, mode, out);
}
Error unfold(const TensorRef<const double> &tensor, unsigned mode,
             MatrixRef<double> out) {
  return unfoldImpl(tensor, mode, out);
}
Error fold(MatrixRef<const float> matrix, unsigned mode,
           const TensorRef<float> &out) {
  return foldImpl(matrix, mode, out);
}
Error fold(MatrixRef<const double> matrix, unsigned mode,
           const TensorRef<double> &out) {
  return foldImpl(matrix, mode, out);
}
Expected<Tensor<float>> permute(const TensorRef<const float> &tensor,
                                ArrayRef<unsigned> order) {
  return permuteImpl(tensor, order);
}
Expected<Tensor<double>> permute(const TensorRef<const double> &tensor,
                                 ArrayRef<unsigned> order) {
  return permuteImpl(tensor, order);
}
Expected<Tensor<float>> modeProduct(const TensorRef<const float> &tensor,
                                    unsigned mode,
                                    MatrixRef<const float> matrix,
                                    ThreadPoolInterface *pool) {
  return modeProductImpl(tensor, mode, matrix, pool);
}
Expected<Tensor<double>> modeProduct(const TensorRef<const double> &tensor,
                                     unsigned mode,
                                     MatrixRef<const double> matrix,
                                     ThreadPoolInterface *pool) {
  return modeProductImpl(tensor, mode, matrix, pool);
}

} // namespace compress::numerics
