//===- UnstructuredSparsity.cpp - Element-wise sparse storage -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/UnstructuredSparsity.h"

#include "compress/Numerics/BitPacking.h"
#include "compress/Numerics/FloatTypes.h"
#include "compress/Numerics/Parallel.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

Expected<int64_t> getNumKept(int64_t size, double sparsity) {
  if (size < 0)
    return createStringError("negative number of elements");
  if (!(sparsity >= 0.0 && sparsity <= 1.0))
    return createStringError("the sparsity must be in [0, 1], but is %g",
                             sparsity);
  // nearbyint rounds half to even in the default rounding mode.
  double numDropped = std::nearbyint(sparsity * static_cast<double>(size));
  return size - std::min(static_cast<int64_t>(numDropped), size);
}

namespace {
/// The elements' magnitudes as unsigned integers in the same order: the bits
/// without the sign.
template <typename T>
class Magnitudes {
public:
  using Bits = std::conditional_t<
      sizeof(T) == 2, uint16_t,
      std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  /// Bits of a magnitude.
  static constexpr unsigned width = 8 * sizeof(T) - 1;

  explicit Magnitudes(StridedSpan<const T> values) : values(values) {}
  int64_t size() const { return values.size(); }
  Bits operator[](int64_t index) const {
    Bits bits;
    std::memcpy(&bits, &values[index], sizeof(bits));
    return bits & (std::numeric_limits<Bits>::max() >> 1);
  }
  bool isNaN(int64_t index) const {
    auto value = widen(values[index]);
    return value != value;
  }

private:
  StridedSpan<const T> values;
};

/// A magnitude, and how many elements of exactly that magnitude are kept beside
/// all larger ones.
template <typename Bits>
struct Cut {
  Bits magnitude;
  int64_t numEqual;
};
} // namespace

static constexpr int64_t kChunk = 1 << 16;
static constexpr unsigned kDigitBits = 11;

/// How many magnitudes that start with the bits of `prefix` above `high` have
/// each digit, which is bits [low, high).
template <typename T>
static std::vector<int64_t> countDigits(const Magnitudes<T> &magnitudes,
                                        typename Magnitudes<T>::Bits prefix,
                                        unsigned high, unsigned low,
                                        ThreadPoolInterface *pool) {
  const size_t numDigits = size_t(1) << (high - low);
  std::vector<std::vector<int64_t>> chunks(
      getNumChunks(magnitudes.size(), kChunk));
  forEachChunk(pool, magnitudes.size(), kChunk,
               [&](int64_t chunk, int64_t begin, int64_t end) {
                 std::vector<int64_t> &counts = chunks[chunk];
                 counts.resize(numDigits);
                 for (int64_t i = begin; i < end; ++i) {
                   uint64_t magnitude = magnitudes[i];
                   if (magnitude >> high == uint64_t(prefix) >> high)
                     ++counts[(magnitude >> low) & (numDigits - 1)];
                 }
               });
  std::vector<int64_t> total(numDigits);
  for (const std::vector<int64_t> &chunk : chunks)
    for (auto [sum, count] : zip_equal(total, chunk))
      sum += count;
  return total;
}

/// The magnitude of the `rank`-th largest element (from 1), by radix selection.
template <typename T>
static Cut<typename Magnitudes<T>::Bits>
findCut(const Magnitudes<T> &magnitudes, int64_t rank,
        ThreadPoolInterface *pool) {
  typename Magnitudes<T>::Bits prefix = 0;
  for (unsigned high = Magnitudes<T>::width; high > 0;) {
    unsigned low = high - std::min(high, kDigitBits);
    std::vector<int64_t> counts =
        countDigits(magnitudes, prefix, high, low, pool);
    uint64_t digit = counts.size() - 1;
    for (; digit > 0 && rank > counts[digit]; --digit)
      rank -= counts[digit];
    prefix |= digit << low;
    high = low;
  }
  return {prefix, rank};
}

template <typename T>
static Error checkNoNaN(const Magnitudes<T> &magnitudes,
                        ThreadPoolInterface *pool) {
  std::vector<int64_t> first(getNumChunks(magnitudes.size(), kChunk), -1);
  forEachChunk(pool, magnitudes.size(), kChunk,
               [&](int64_t chunk, int64_t begin, int64_t end) {
                 for (int64_t i = end; i-- > begin;)
                   if (magnitudes.isNaN(i))
                     first[chunk] = i;
               });
  for (int64_t index : first)
    if (index >= 0)
      return createStringError("element %lld is NaN and has no magnitude",
                               (long long)index);
  return Error::success();
}

template <typename T>
Error selectLargest(StridedSpan<const T> values, int64_t numKept,
                    MutableArrayRef<uint8_t> mask, ThreadPoolInterface *pool) {
  if (Error error = checkSpan(values, "values"))
    return error;
  if (static_cast<uint64_t>(values.size()) != mask.size())
    return createStringError("%lld values, but a mask of %zu bytes",
                             (long long)values.size(), mask.size());
  if (numKept < 0 || numKept > values.size())
    return createStringError("cannot keep %lld of %lld elements",
                             (long long)numKept, (long long)values.size());
  const Magnitudes<T> magnitudes(values);
  if (Error error = checkNoNaN(magnitudes, pool))
    return error;
  std::fill(mask.begin(), mask.end(), 0);
  if (numKept == 0)
    return Error::success();
  auto cut = findCut(magnitudes, numKept, pool);
  // Of the elements at the cut the first ones are kept, so each chunk must know
  // how many the chunks before it have.
  std::vector<int64_t> numEqual(getNumChunks(values.size(), kChunk));
  forEachChunk(pool, values.size(), kChunk,
               [&](int64_t chunk, int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   mask[i] = magnitudes[i] > cut.magnitude;
                   numEqual[chunk] += magnitudes[i] == cut.magnitude;
                 }
               });
  int64_t left = cut.numEqual;
  for (int64_t chunk = 0; left > 0; ++chunk) {
    int64_t end = std::min(values.size(), (chunk + 1) * kChunk);
    for (int64_t i = chunk * kChunk; i < end && left && numEqual[chunk]; ++i)
      if (magnitudes[i] == cut.magnitude) {
        mask[i] = 1;
        --left;
      }
  }
  return Error::success();
}

template Error selectLargest(StridedSpan<const float>, int64_t,
                             MutableArrayRef<uint8_t>, ThreadPoolInterface *);
template Error selectLargest(StridedSpan<const double>, int64_t,
                             MutableArrayRef<uint8_t>, ThreadPoolInterface *);
template Error selectLargest(StridedSpan<const Half>, int64_t,
                             MutableArrayRef<uint8_t>, ThreadPoolInterface *);
template Error selectLargest(StridedSpan<const BFloat16>, int64_t,
                             MutableArrayRef<uint8_t>, ThreadPoolInterface *);

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// The number of kept elements.
static Expected<int64_t> countMask(ArrayRef<uint8_t> mask) {
  int64_t count = 0;
  uint8_t all = 0;
  for (uint8_t byte : mask) {
    count += byte;
    all |= byte;
  }
  if (all > 1)
    return createStringError("mask bytes must be 0 or 1");
  return count;
}

static Error checkMasked(size_t denseBytes, ArrayRef<uint8_t> mask,
                         unsigned elementBytes, size_t storedBytes) {
  if (elementBytes < 1)
    return createStringError("elements must have at least one byte");
  if (denseBytes % elementBytes || denseBytes / elementBytes != mask.size())
    return createStringError("a mask of %zu elements of %u bytes does not fit "
                             "%zu dense bytes",
                             mask.size(), elementBytes, denseBytes);
  Expected<int64_t> count = countMask(mask);
  if (!count)
    return count.takeError();
  if (storedBytes != uint64_t(*count) * elementBytes)
    return createStringError("the mask keeps %lld elements of %u bytes, but "
                             "there are %zu stored bytes",
                             (long long)*count, elementBytes, storedBytes);
  return Error::success();
}

Error gatherMasked(ArrayRef<char> dense, ArrayRef<uint8_t> mask,
                   unsigned elementBytes, MutableArrayRef<char> stored) {
  if (Error error =
          checkMasked(dense.size(), mask, elementBytes, stored.size()))
    return error;
  char *to = stored.data();
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) {
      std::memcpy(to, dense.data() + i * elementBytes, elementBytes);
      to += elementBytes;
    }
  return Error::success();
}

Error scatterMasked(ArrayRef<char> stored, ArrayRef<uint8_t> mask,
                    unsigned elementBytes, MutableArrayRef<char> dense) {
  if (Error error =
          checkMasked(dense.size(), mask, elementBytes, stored.size()))
    return error;
  std::fill(dense.begin(), dense.end(), 0);
  const char *from = stored.data();
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) {
      std::memcpy(dense.data() + i * elementBytes, from, elementBytes);
      from += elementBytes;
    }
  return Error::success();
}

Error expandBitmap(ArrayRef<uint8_t> bitmap, int64_t rows, int64_t columns,
                   MutableArrayRef<uint8_t> mask) {
  if (Error error =
          unpackBits(bitmap, rows, columns, 1, /*isSigned=*/false, mask))
    return error;
  if (columns % 8 == 0)
    return Error::success();
  const int64_t rowBytes = getPackedRowBytes(columns, 1);
  for (int64_t row = 0; row < rows; ++row)
    if (bitmap[(row + 1) * rowBytes - 1] >> (columns % 8))
      return createStringError(
          "row %lld of the bitmap has bits behind its last "
          "column",
          (long long)row);
  return Error::success();
}

static Error checkShape(int64_t rows, int64_t columns, size_t maskSize) {
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  if (rows < 0 || columns < 0 || columns > limit)
    return createStringError("%lld rows of %lld columns cannot be compressed",
                             (long long)rows, (long long)columns);
  if (columns ? maskSize % columns || maskSize / columns != uint64_t(rows)
              : maskSize != 0)
    return createStringError("a mask of %zu bytes does not fit %lld rows of "
                             "%lld columns",
                             maskSize, (long long)rows, (long long)columns);
  return Error::success();
}

Expected<CsrPositions> compressRows(ArrayRef<uint8_t> mask, int64_t rows,
                                    int64_t columns) {
  if (Error error = checkShape(rows, columns, mask.size()))
    return error;
  Expected<int64_t> count = countMask(mask);
  if (!count)
    return count.takeError();
  CsrPositions positions;
  positions.columns.reserve(*count);
  positions.rowStarts.reserve(rows + 1);
  positions.rowStarts.push_back(0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column)
      if (mask[row * columns + column])
        positions.columns.push_back(static_cast<int32_t>(column));
    positions.rowStarts.push_back(positions.columns.size());
  }
  return positions;
}

Error expandRows(ArrayRef<int64_t> rowStarts, ArrayRef<int32_t> columnIndices,
                 int64_t rows, int64_t columns, MutableArrayRef<uint8_t> mask) {
  if (Error error = checkShape(rows, columns, mask.size()))
    return error;
  if (rowStarts.size() != uint64_t(rows) + 1)
    return createStringError(
        "%lld rows need %lld row starts, but there are %zu", (long long)rows,
        (long long)rows + 1, rowStarts.size());
  if (rowStarts.front() != 0 ||
      rowStarts.back() != static_cast<int64_t>(columnIndices.size()))
    return createStringError("the row starts must go from 0 to the number of "
                             "columns stored, %zu",
                             columnIndices.size());
  std::fill(mask.begin(), mask.end(), 0);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t begin = rowStarts[row], end = rowStarts[row + 1];
    if (begin > end || end > rowStarts.back())
      return createStringError("the row starts decrease behind row %lld",
                               (long long)row);
    int64_t previous = -1;
    for (int64_t column : columnIndices.slice(begin, end - begin)) {
      if (column <= previous || column >= columns)
        return createStringError("column %lld of row %lld is out of order or "
                                 "outside of %lld columns",
                                 (long long)column, (long long)row,
                                 (long long)columns);
      mask[row * columns + column] = 1;
      previous = column;
    }
  }
  return Error::success();
}

} // namespace compress::numerics
