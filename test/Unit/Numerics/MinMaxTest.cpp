//===- MinMaxTest.cpp - Smallest and largest element ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/MinMax.h"

#include "compress/Numerics/InstructionSet.h"

#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace compress::numerics;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quietNaN = std::numeric_limits<float>::quiet_NaN();

struct InstructionSetGuard {
  ~InstructionSetGuard() { limitInstructionSet(InstructionSet::AVX512); }
};

template <typename T>
MinMax compute(StridedSpan<const T> values,
               llvm::ThreadPoolInterface *pool = nullptr) {
  llvm::Expected<MinMax> result = computeMinMax<T>(values, pool);
  EXPECT_TRUE(static_cast<bool>(result));
  return result ? *result : MinMax();
}

/// The definition, element by element.
template <typename T>
MinMax computeSimply(const std::vector<T> &values) {
  MinMax result;
  for (T element : values) {
    double value = widen(element);
    if (std::isnan(value)) {
      ++result.numNaN;
    } else if (std::isinf(value)) {
      ++result.numInfinite;
    } else {
      ++result.numFinite;
      if (value < result.low || (value == result.low && std::signbit(value)))
        result.low = value;
      if (value > result.high || (value == result.high && !std::signbit(value)))
        result.high = value;
    }
  }
  return result;
}

template <typename T>
std::vector<T> getRandomBits(int64_t count, unsigned seed, bool withSpecials) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  while (static_cast<int64_t>(values.size()) < count) {
    uint64_t bits = random();
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    if (withSpecials || std::isfinite(widen(value)))
      values.push_back(value);
  }
  return values;
}

template <typename T>
void checkType() {
  InstructionSetGuard guard;
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(3));
  for (int64_t count : {1, 2, 31, 1023, 1025, 70000, 140001})
    for (bool withSpecials : {false, true}) {
      std::vector<T> values = getRandomBits<T>(count, count, withSpecials);
      MinMax expected = computeSimply(values);
      for (InstructionSet set : {InstructionSet::Portable, InstructionSet::AVX2,
                                 InstructionSet::AVX512}) {
        limitInstructionSet(set);
        EXPECT_EQ(compute<T>(values), expected) << count;
        EXPECT_EQ(compute<T>(values, &threads), expected) << count;
      }
      std::vector<T> every;
      for (int64_t i = 0; i < count; i += 3)
        every.push_back(values[i]);
      EXPECT_EQ(compute<T>(StridedSpan<const T>(values.data(), every.size(), 3),
                           &threads),
                computeSimply(every));
    }
}

TEST(MinMaxTest, Float) { checkType<float>(); }
TEST(MinMaxTest, Double) { checkType<double>(); }
TEST(MinMaxTest, Half) { checkType<Half>(); }
TEST(MinMaxTest, BFloat16) { checkType<BFloat16>(); }

TEST(MinMaxTest, OneBadElementIsCountedAndDoesNoHarm) {
  std::vector<float> values(200000, 0.5f);
  values[3] = -2.0f;
  values[150000] = 7.0f;
  values[70000] = quietNaN;
  values[70001] = -infinity;
  MinMax result = compute<float>(values);
  EXPECT_EQ(result.low, -2.0);
  EXPECT_EQ(result.high, 7.0);
  EXPECT_EQ(result.numNaN, 1);
  EXPECT_EQ(result.numInfinite, 1);
  EXPECT_EQ(result.numFinite, 199998);
  EXPECT_EQ(result.getAbsMax(), 7.0);
}

TEST(MinMaxTest, NothingFiniteIsNoRange) {
  EXPECT_FALSE(compute<float>(StridedSpan<const float>()).hasRange());
  std::vector<float> values = {quietNaN, infinity, -infinity};
  MinMax result = compute<float>(values);
  EXPECT_FALSE(result.hasRange());
  EXPECT_EQ(result.getAbsMax(), 0.0);
  EXPECT_EQ(result.numInfinite, 2);
}

TEST(MinMaxTest, MergesInAnyOrder) {
  std::vector<float> values = getRandomBits<float>(997, 1, true);
  std::vector<MinMax> parts;
  for (int64_t i = 0; i < 997; i += 200)
    parts.push_back(compute<float>(StridedSpan<const float>(
        values.data() + i, std::min<int64_t>(200, 997 - i))));
  parts.push_back(MinMax());
  std::vector<int> order = {0, 1, 2, 3, 4, 5};
  do {
    MinMax merged;
    for (int index : order)
      merged.merge(parts[index]);
    ASSERT_EQ(merged, computeSimply(values));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(MinMaxTest, ChannelsAlongRowsAndColumns) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(2));
  for (bool withSpecials : {false, true}) {
    constexpr int64_t rows = 70, columns = 1300;
    std::vector<float> values =
        getRandomBits<float>(rows * columns, 9, withSpecials);
    std::vector<MinMax> ofRows(rows), ofColumns(columns);
    ASSERT_FALSE(llvm::errorToBool(computeChannelMinMax<float>(
        StridedSpan<const float>(values.data(), columns), columns, ofRows,
        &threads)));
    ASSERT_FALSE(llvm::errorToBool(computeChannelMinMax<float>(
        StridedSpan<const float>(values.data(), rows, columns), 1, ofColumns,
        &threads)));
    for (int64_t r = 0; r < rows; ++r)
      EXPECT_EQ(ofRows[r], computeSimply(std::vector<float>(
                               values.begin() + r * columns,
                               values.begin() + (r + 1) * columns)));
    for (int64_t c = 0; c < columns; ++c) {
      std::vector<float> column;
      for (int64_t r = 0; r < rows; ++r)
        column.push_back(values[r * columns + c]);
      EXPECT_EQ(ofColumns[c], computeSimply(column));
    }
    std::vector<MinMax> all(1);
    ASSERT_FALSE(llvm::errorToBool(computeChannelMinMax<float>(
        StridedSpan<const float>(values), 0, all, &threads)));
    EXPECT_EQ(all[0], computeSimply(values));
  }
  std::vector<MinMax> none(4);
  ASSERT_FALSE(llvm::errorToBool(
      computeChannelMinMax<float>(StridedSpan<const float>(), 1, none)));
  EXPECT_FALSE(none[3].hasRange());
}

TEST(MinMaxTest, RefusesElementsWithoutData) {
  StridedSpan<const float> bad(nullptr, 3);
  EXPECT_TRUE(llvm::errorToBool(computeMinMax<float>(bad).takeError()));
  std::vector<MinMax> results(2);
  EXPECT_TRUE(llvm::errorToBool(computeChannelMinMax<float>(bad, 3, results)));
}

} // namespace
