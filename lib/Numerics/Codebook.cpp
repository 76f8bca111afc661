//===- Codebook.cpp - Nearest entries of tables of values -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Codebook.h"

#include "KernelTarget.h"
#include "VectorLanes.h"

#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Parallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Named tables
//===----------------------------------------------------------------------===//

ArrayRef<float> getNamedCodebook(NamedCodebook name) {
  static constexpr float nf4[16] = {
      -1.0f,           -0.69619280099f, -0.52507305145f, -0.39491748809f,
      -0.28444138169f, -0.18477343023f, -0.09105003625f, 0.0f,
      0.07958029956f,  0.16093020141f,  0.24611230195f,  0.33791524172f,
      0.44070982933f,  0.56261700392f,  0.72295683622f,  1.0f};
  static constexpr float fp4[16] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,
                                    4.0f,  6.0f,  -0.0f, -0.5f, -1.0f, -1.5f,
                                    -2.0f, -3.0f, -4.0f, -6.0f};
  return name == NamedCodebook::NF4 ? ArrayRef(nf4) : ArrayRef(fp4);
}

std::optional<NamedCodebook> parseNamedCodebook(StringRef name) {
  return StringSwitch<std::optional<NamedCodebook>>(name)
      .Case("nf4", NamedCodebook::NF4)
      .Case("fp4", NamedCodebook::FP4)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Midpoints
//===----------------------------------------------------------------------===//

/// The error of the rounded sum `sum` = a + b (Knuth's TwoSum): exact.
static double getSumError(double a, double b, double sum) {
  double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

float getLowerMidpoint(float low, float high) {
  double sum = static_cast<double>(low) + high;
  double error = getSumError(low, high, sum);
  double middle = sum / 2;
  float result = static_cast<float>(middle);
  if (result > middle || (result == middle && error < 0))
    result = std::nextafter(result, -std::numeric_limits<float>::infinity());
  return result;
}

double getLowerMidpoint(double low, double high) {
  // Halves are exact except for subnormal numbers, sums except for huge ones.
  constexpr double huge = std::numeric_limits<double>::max() / 4;
  bool halveFirst = low < -huge || high > huge;
  double a = halveFirst ? low / 2 : low;
  double b = halveFirst ? high / 2 : high;
  double sum = a + b;
  double error = getSumError(a, b, sum);
  double result = halveFirst ? sum : sum / 2;
  double twice = halveFirst ? result : result * 2;
  if (twice > sum || (twice == sum && error < 0))
    result = std::nextafter(result, -std::numeric_limits<double>::infinity());
  return result;
}

//===----------------------------------------------------------------------===//
// NearestEntry
//===----------------------------------------------------------------------===//

template <typename T>
static Error checkEntries(ArrayRef<T> entries) {
  if (entries.empty() || entries.size() > kMaxCodebookEntries)
    return createStringError(
        "a codebook has 1 to %u entries, but there are %zu",
        kMaxCodebookEntries, entries.size());
  for (auto [index, entry] : enumerate(entries))
    if (!std::isfinite(entry))
      return createStringError("codebook entry %zu is not finite", index);
  return Error::success();
}

template <typename T>
Expected<NearestEntry<T>> NearestEntry<T>::create(ArrayRef<T> entries,
                                                  ZeroAssignment zero) {
  if (Error error = checkEntries(entries))
    return std::move(error);
  NearestEntry result;
  SmallVector<unsigned> order(entries.size());
  std::iota(order.begin(), order.end(), 0u);
  if (zero == ZeroAssignment::Reserved) {
    const T *found = find_if(entries, [](T entry) { return entry == T(0); });
    if (found == entries.end())
      return createStringError("zero is reserved, but no codebook entry is 0");
    result.reservedZero = found - entries.begin();
    erase_if(order, [&](unsigned index) { return entries[index] == T(0); });
    if (order.empty())
      return createStringError(
          "zero is reserved, but the codebook has no other "
          "entry");
  }
  // By value, then by index; only the first of equal entries is used. Zeros of
  // both signs are equal.
  sort(order, [&](unsigned left, unsigned right) {
    return std::pair(entries[left], left) < std::pair(entries[right], right);
  });
  order.erase(llvm::unique(order,
                           [&](unsigned left, unsigned right) {
                             return entries[left] == entries[right];
                           }),
              order.end());
  for (auto [position, index] : enumerate(order)) {
    if (position)
      result.thresholds.push_back(
          getLowerMidpoint(entries[order[position - 1]], entries[index]));
    result.indexOf.push_back(index);
  }
  result.indexOfNaN = result.find(T(0));
  return result;
}

template <typename T>
unsigned NearestEntry<T>::find(T value) const {
  if (value == T(0) && reservedZero)
    return *reservedZero;
  if (std::isnan(value))
    return indexOfNaN;
  // The number of thresholds below the value.
  auto above = std::lower_bound(thresholds.begin(), thresholds.end(), value);
  return indexOf[above - thresholds.begin()];
}

/// Codebooks up to this size are searched by comparing with all thresholds.
static constexpr size_t kMaxLinearEntries = 32;

/// The positions of `count` values among `thresholds`, of which there are
/// fewer than kMaxLinearEntries. NaN counts as 0.
template <typename T>
static COMPRESS_KERNEL void findPositions(const T *values, int64_t count,
                                          ArrayRef<T> thresholds,
                                          uint8_t *positions) {
  using Lanes = VectorLanes<T>;
  for (int64_t i = 0; i < count; i += Lanes::count) {
    int64_t left = std::min<int64_t>(count - i, Lanes::count);
    typename Lanes::Vector x = Lanes::load(values + i, left, T(0));
    x = x == x ? x : Lanes::splat(T(0));
    typename Lanes::Integers position = {};
    for (T threshold : thresholds)
      position -= x > Lanes::splat(threshold);
    Lanes::storeBytes(position, positions + i, left);
  }
}

#if COMPRESS_HAS_X86_KERNELS
template <typename T>
COMPRESS_TARGET_AVX2 static void
findPositionsAVX2(const T *values, int64_t count, ArrayRef<T> thresholds,
                  uint8_t *positions) {
  findPositions(values, count, thresholds, positions);
}
template <typename T>
COMPRESS_TARGET_AVX512 static void
findPositionsAVX512(const T *values, int64_t count, ArrayRef<T> thresholds,
                    uint8_t *positions) {
  findPositions(values, count, thresholds, positions);
}
#endif

template <typename T>
static void findPositionsDispatch(const T *values, int64_t count,
                                  ArrayRef<T> thresholds, uint8_t *positions) {
#if COMPRESS_HAS_X86_KERNELS
  InstructionSet set = getInstructionSet();
  if (set == InstructionSet::AVX512)
    return findPositionsAVX512(values, count, thresholds, positions);
  if (set == InstructionSet::AVX2)
    return findPositionsAVX2(values, count, thresholds, positions);
#endif
  findPositions(values, count, thresholds, positions);
}

template <typename T>
Error NearestEntry<T>::assign(StridedSpan<const T> values,
                              MutableArrayRef<uint8_t> indices,
                              ThreadPoolInterface *pool) const {
  if (Error error = checkSpan(values, "values"))
    return error;
  if (static_cast<uint64_t>(values.size()) != indices.size())
    return createStringError("%lld values, but room for %zu indices",
                             (long long)values.size(), indices.size());
  const bool isLinear = indexOf.size() <= kMaxLinearEntries && !reservedZero &&
                        values.isContiguous();
  forEachChunk(pool, values.size(), 1 << 16,
               [&](int64_t, int64_t begin, int64_t end) {
                 if (!isLinear) {
                   for (int64_t i = begin; i < end; ++i)
                     indices[i] = find(values[i]);
                   return;
                 }
                 findPositionsDispatch<T>(values.data() + begin, end - begin,
                                          thresholds, indices.data() + begin);
                 for (uint8_t &index : indices.slice(begin, end - begin))
                   index = indexOf[index];
               });
  return Error::success();
}

template <typename T>
Error lookUpEntries(ArrayRef<uint8_t> indices, ArrayRef<T> entries,
                    StridedSpan<T> values) {
  if (Error error = checkSpan(values, "values"))
    return error;
  if (static_cast<uint64_t>(values.size()) != indices.size())
    return createStringError("%zu indices, but room for %lld values",
                             indices.size(), (long long)values.size());
  for (auto [position, index] : enumerate(indices)) {
    if (index >= entries.size())
      return createStringError("index %u at position %zu is outside a codebook "
                               "of %zu entries",
                               unsigned(index), position, entries.size());
    values[position] = entries[index];
  }
  return Error::success();
}

template class NearestEntry<float>;
template class NearestEntry<double>;
template Error lookUpEntries(ArrayRef<uint8_t>, ArrayRef<float>,
                             StridedSpan<float>);
template Error lookUpEntries(ArrayRef<uint8_t>, ArrayRef<double>,
                             StridedSpan<double>);

} // namespace compress::numerics
