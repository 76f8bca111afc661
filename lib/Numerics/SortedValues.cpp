//===- SortedValues.cpp - Distinct values with prefix sums ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortedValues.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using namespace llvm;

namespace compress::numerics {

/// Sorts by a radix sort over the bits, which is several times faster than
/// comparisons on millions of values. Zeros must not be negative.
template <typename T>
static void sortByRadix(std::vector<T> &values) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits signBit = Bits(1) << (8 * sizeof(T) - 1);
  constexpr unsigned digitBits = 11;
  constexpr size_t numDigits = size_t(1) << digitBits;
  std::vector<Bits> from(values.size()), to(values.size());
  for (auto [value, bits] : zip_equal(values, from)) {
    std::memcpy(&bits, &value, sizeof(T));
    // Now unsigned integers in the order of the values.
    bits ^= bits & signBit ? ~Bits(0) : signBit;
  }
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += digitBits) {
    std::vector<size_t> start(numDigits + 1);
    for (Bits bits : from)
      ++start[((bits >> shift) & (numDigits - 1)) + 1];
    for (size_t digit = 0; digit < numDigits; ++digit)
      start[digit + 1] += start[digit];
    for (Bits bits : from)
      to[start[(bits >> shift) & (numDigits - 1)]++] = bits;
    std::swap(from, to);
  }
  for (auto [value, bits] : zip_equal(values, from)) {
    bits ^= bits & signBit ? signBit : ~Bits(0);
    std::memcpy(&value, &bits, sizeof(T));
  }
}

namespace {
/// Values in ascending order, equal ones together, and their weights.
template <typename T>
struct Groups {
  std::vector<T> values;
  std::vector<double> weights;

  void add(T value, double weight) {
    if (values.empty() || values.back() != value) {
      values.push_back(value);
      weights.push_back(0.0);
    }
    weights.back() += weight;
  }
};
} // namespace

template <typename T>
static Groups<T> groupUnweighted(StridedSpan<const T> values, bool dropZeros) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (int64_t i = 0; i < values.size(); ++i)
    if (!dropZeros || values[i] != T(0))
      sorted.push_back(values[i] + T(0)); // -0 becomes 0.
  sortByRadix(sorted);
  Groups<T> groups;
  for (T value : sorted)
    groups.add(value, 1.0);
  return groups;
}

template <typename T>
static Groups<T> groupWeighted(StridedSpan<const T> values,
                               StridedSpan<const T> weights, bool dropZeros) {
  std::vector<std::pair<T, T>> sorted;
  for (int64_t i = 0; i < values.size(); ++i)
    if (weights[i] > T(0) && (!dropZeros || values[i] != T(0)))
      sorted.push_back({values[i] + T(0), weights[i]});
  // Pairs are ordered completely, so sums do not depend on the input's order.
  llvm::sort(sorted);
  Groups<T> groups;
  for (auto [value, weight] : sorted)
    groups.add(value, weight);
  return groups;
}

template <typename T>
SortedValues<T> SortedValues<T>::create(StridedSpan<const T> values,
                                        StridedSpan<const T> weights,
                                        bool dropZeros) {
  Groups<T> groups = weights.empty()
                         ? groupUnweighted(values, dropZeros)
                         : groupWeighted(values, weights, dropZeros);
  SortedValues result;
  result.values = std::move(groups.values);
  double weight = 0.0, sum = 0.0;
  for (auto [value, groupWeight] : zip_equal(result.values, groups.weights)) {
    weight += groupWeight;
    sum += groupWeight * value;
  }
  // Any center will do; a sum that overflows is not worth an error.
  if (weight > 0.0 && std::isfinite(sum / weight))
    result.center = sum / weight;
  result.weightBefore.reserve(result.size() + 1);
  result.momentBefore.reserve(result.size() + 1);
  weight = sum = 0.0;
  for (auto [value, groupWeight] : zip_equal(result.values, groups.weights)) {
    result.weightBefore.push_back(weight);
    result.momentBefore.push_back(sum);
    weight += groupWeight;
    sum += groupWeight * (value - result.center);
  }
  result.weightBefore.push_back(weight);
  result.momentBefore.push_back(sum);
  return result;
}

template struct SortedValues<float>;
template struct SortedValues<double>;

} // namespace compress::numerics
