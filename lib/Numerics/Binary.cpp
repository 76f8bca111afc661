//===- Binary.cpp - One-bit and ternary values with scales ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Binary.h"

#include "compress/Numerics/BitPacking.h"
#include "compress/Numerics/Parallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks a matrix against `numElements` stored elements (or bytes) and its
/// scales.
template <typename T>
static Error checkSizes(MatrixRef<const T> values, int64_t block,
                        uint64_t expected, uint64_t stored, uint64_t scales) {
  if (values.rows < 0 || values.columns < 0)
    return createStringError("negative number of rows or columns");
  if (!values.data && values.rows && values.columns)
    return createStringError("the matrix has elements but no data");
  if (block < 1)
    return createStringError("the block size must be positive, but is %lld",
                             (long long)block);
  if (stored != expected)
    return createStringError("expected %llu bytes of codes, but got %llu",
                             (unsigned long long)expected,
                             (unsigned long long)stored);
  uint64_t numScales =
      uint64_t(values.rows) * getNumBlocks(values.columns, block);
  if (scales != numScales)
    return createStringError("expected %llu scales, but got %llu",
                             (unsigned long long)numScales,
                             (unsigned long long)scales);
  return Error::success();
}

template <typename T>
static uint64_t getBinaryBytes(MatrixRef<T> values) {
  return uint64_t(values.rows) * getPackedRowBytes(values.columns, 1);
}

template <typename T>
static uint64_t getNumElements(MatrixRef<T> values) {
  return uint64_t(values.rows) * uint64_t(values.columns);
}

/// Names the first element that is not finite, if there is one.
template <typename T>
static Error checkFinite(MatrixRef<const T> values, ThreadPoolInterface *pool) {
  std::vector<int64_t> bad(values.rows, -1);
  forEachChunk(pool, values.rows, 1, [&](int64_t row, int64_t, int64_t) {
    for (int64_t column = values.columns; column-- > 0;)
      if (!std::isfinite(values(row, column)))
        bad[row] = column;
  });
  for (auto [row, column] : enumerate(bad))
    if (column >= 0)
      return createStringError("element (%zu, %lld) is not finite", row,
                               (long long)column);
  return Error::success();
}

/// Calls body(row, block, first column, last column) for all blocks, rows in
/// parallel.
template <typename T, typename Body>
static void forEachBlock(MatrixRef<T> values, int64_t block,
                         ThreadPoolInterface *pool, Body body) {
  const int64_t numBlocks = getNumBlocks(values.columns, block);
  forEachChunk(pool, values.rows, 1, [&](int64_t row, int64_t, int64_t) {
    for (int64_t b = 0; b < numBlocks; ++b) {
      int64_t first = b * block;
      body(row, row * numBlocks + b, first,
           first + std::min(block, values.columns - first));
    }
  });
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

template <typename T>
Error binarize(MatrixRef<const T> values, int64_t block,
               MutableArrayRef<uint8_t> bits, MutableArrayRef<T> scales,
               ThreadPoolInterface *pool) {
  if (Error error = checkSizes<T>(values, block, getBinaryBytes(values),
                                  bits.size(), scales.size()))
    return error;
  if (Error error = checkFinite(values, pool))
    return error;
  std::fill(bits.begin(), bits.end(), 0);
  const int64_t rowBytes = getPackedRowBytes(values.columns, 1);
  forEachBlock(values, block, pool,
               [&](int64_t row, int64_t index, int64_t first, int64_t last) {
                 double sum = 0.0;
                 uint8_t *rowBits = bits.data() + row * rowBytes;
                 for (int64_t column = first; column < last; ++column) {
                   T value = values(row, column);
                   sum += std::abs(value);
                   rowBits[column / 8] |= (value < T(0)) << (column % 8);
                 }
                 scales[index] = static_cast<T>(sum / (last - first));
               });
  return Error::success();
}

template <typename T>
Error expandBinary(ArrayRef<uint8_t> bits, ArrayRef<T> scales, int64_t block,
                   MatrixRef<T> values) {
  if (Error error = checkSizes<T>(values, block, getBinaryBytes(values),
                                  bits.size(), scales.size()))
    return error;
  const int64_t rowBytes = getPackedRowBytes(values.columns, 1);
  forEachBlock(values, block, nullptr,
               [&](int64_t row, int64_t index, int64_t first, int64_t last) {
                 const uint8_t *rowBits = bits.data() + row * rowBytes;
                 for (int64_t column = first; column < last; ++column) {
                   bool isNegative = rowBits[column / 8] >> (column % 8) & 1;
                   values(row, column) =
                       isNegative ? -scales[index] : scales[index];
                 }
               });
  return Error::success();
}

Expected<int64_t> computeBinaryDot(ArrayRef<uint8_t> left,
                                   ArrayRef<uint8_t> right, int64_t count) {
  if (count < 0)
    return createStringError("negative number of elements");
  uint64_t numBytes = getPackedRowBytes(count, 1);
  if (left.size() != numBytes || right.size() != numBytes)
    return createStringError(
        "%lld sign bits take %llu bytes, but there are %zu "
        "and %zu",
        (long long)count, (unsigned long long)numBytes, left.size(),
        right.size());
  int64_t numDifferent = 0;
  int64_t i = 0;
  for (; i + 8 <= count / 8; i += 8)
    numDifferent += llvm::popcount(support::endian::read64le(&left[i]) ^
                                   support::endian::read64le(&right[i]));
  for (; i < count / 8; ++i)
    numDifferent += llvm::popcount<unsigned>(left[i] ^ right[i]);
  if (count % 8)
    numDifferent += llvm::popcount<unsigned>((left[i] ^ right[i]) &
                                             ((1u << count % 8) - 1));
  return count - 2 * numDifferent;
}

//===----------------------------------------------------------------------===//
// Ternary
//===----------------------------------------------------------------------===//

/// The smallest magnitude that is kept. `magnitudes` may be reordered.
template <typename T>
static double getTernaryThreshold(std::vector<T> &magnitudes,
                                  TernaryRule rule) {
  if (rule == TernaryRule::Threshold) {
    double sum = 0.0;
    for (T magnitude : magnitudes)
      sum += magnitude;
    // Above the threshold is what counts, so take the next number.
    return std::nextafter(0.7 * sum / magnitudes.size(),
                          std::numeric_limits<double>::infinity());
  }
  // With the m largest kept at their mean, the error is the sum of all squares
  // less (sum of the m largest)^2 / m.
  std::sort(magnitudes.begin(), magnitudes.end(), std::greater<T>());
  double sum = 0.0, best = 0.0, threshold = magnitudes.front();
  for (auto [index, magnitude] : enumerate(magnitudes)) {
    sum += magnitude;
    double gain = sum * sum / (index + 1);
    if (gain > best) {
      best = gain;
      threshold = magnitude;
    }
  }
  return threshold;
}

template <typename T>
Error ternarize(MatrixRef<const T> values, int64_t block, TernaryRule rule,
                MutableArrayRef<int8_t> codes, MutableArrayRef<T> scales,
                ThreadPoolInterface *pool) {
  if (Error error = checkSizes<T>(values, block, getNumElements(values),
                                  codes.size(), scales.size()))
    return error;
  if (Error error = checkFinite(values, pool))
    return error;
  forEachBlock(values, block, pool,
               [&](int64_t row, int64_t index, int64_t first, int64_t last) {
                 std::vector<T> magnitudes;
                 for (int64_t column = first; column < last; ++column)
                   magnitudes.push_back(std::abs(values(row, column)));
                 double threshold = getTernaryThreshold(magnitudes, rule);
                 double sum = 0.0;
                 int64_t numKept = 0;
                 for (int64_t column = first; column < last; ++column) {
                   T value = values(row, column);
                   // A zero is never kept, not even where all are zero.
                   bool isKept = value != T(0) && std::abs(value) >= threshold;
                   sum += isKept ? std::abs(value) : T(0);
                   numKept += isKept;
                   codes[row * values.columns + column] =
                       isKept ? (value < T(0) ? -1 : 1) : 0;
                 }
                 scales[index] = numKept ? static_cast<T>(sum / numKept) : T(0);
               });
  return Error::success();
}

template <typename T>
Error expandTernary(ArrayRef<int8_t> codes, ArrayRef<T> scales, int64_t block,
                    MatrixRef<T> values) {
  if (Error error = checkSizes<T>(values, block, getNumElements(values),
                                  codes.size(), scales.size()))
    return error;
  for (auto [position, code] : enumerate(codes))
    if (code < -1 || code > 1)
      return createStringError("code %d at position %zu is not ternary",
                               int(code), position);
  forEachBlock(values, block, nullptr,
               [&](int64_t row, int64_t index, int64_t first, int64_t last) {
                 for (int64_t column = first; column < last; ++column) {
                   int8_t code = codes[row * values.columns + column];
                   values(row, column) = code == 0  ? T(0)
                                         : code < 0 ? -scales[index]
                                                    : scales[index];
                 }
               });
  return Error::success();
}

#define COMPRESS_INSTANTIATE(T)                                                \
  template Error binarize(MatrixRef<const T>, int64_t,                         \
                          MutableArrayRef<uint8_t>, MutableArrayRef<T>,        \
                          ThreadPoolInterface *);                              \
  template Error expandBinary(ArrayRef<uint8_t>, ArrayRef<T>, int64_t,         \
                              MatrixRef<T>);                                   \
  template Error ternarize(MatrixRef<const T>, int64_t, TernaryRule,           \
                           MutableArrayRef<int8_t>, MutableArrayRef<T>,        \
                           ThreadPoolInterface *);                             \
  template Error expandTernary(ArrayRef<int8_t>, ArrayRef<T>, int64_t,         \
                               MatrixRef<T>);
COMPRESS_INSTANTIATE(float)
COMPRESS_INSTANTIATE(double)
#undef COMPRESS_INSTANTIATE

} // namespace compress::numerics
