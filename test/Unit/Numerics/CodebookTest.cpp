//===- CodebookTest.cpp - Nearest entries of tables of values -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Codebook.h"

#include "compress/Numerics/InstructionSet.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The definition, with exact distances: differences of such floats are exact
/// in long double.
unsigned findSlowly(llvm::ArrayRef<float> entries, float value) {
  if (std::isnan(value))
    value = 0;
  unsigned best = 0;
  for (unsigned i = 1; i < entries.size(); ++i) {
    long double distance = std::abs((long double)value - entries[i]);
    long double bestDistance = std::abs((long double)value - entries[best]);
    if (distance < bestDistance ||
        (distance == bestDistance && entries[i] < entries[best]))
      best = i;
  }
  return best;
}

TEST(CodebookTest, NormalFloatTableIsMadeOfNormalQuantiles) {
  llvm::ArrayRef<float> table = getNamedCodebook(NamedCodebook::NF4);
  ASSERT_EQ(table.size(), 16u);
  // The inverse of the normal distribution function, by bisection.
  auto quantile = [](double p) {
    double low = -10, high = 10;
    for (int i = 0; i < 100; ++i) {
      double middle = (low + high) / 2;
      (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
    }
    return low;
  };
  const double offset = 0.9677083;
  const double scale = quantile(offset);
  // Eight steps from 1/2 to the offset upwards, seven downwards.
  for (int i = 0; i <= 8; ++i) {
    double p = 0.5 + (offset - 0.5) * i / 8;
    EXPECT_NEAR(table[7 + i], quantile(p) / scale, 1e-6) << i;
  }
  for (int i = 0; i <= 7; ++i) {
    double p = 0.5 + (offset - 0.5) * i / 7;
    EXPECT_NEAR(table[7 - i], -quantile(p) / scale, 1e-6) << i;
  }
  EXPECT_EQ(table[7], 0.0f);
  EXPECT_EQ(table[0], -1.0f);
  EXPECT_EQ(table[15], 1.0f);
  EXPECT_FLOAT_EQ(table[1], -0.6961928f);
  EXPECT_FLOAT_EQ(table[14], 0.7229568f);
}

TEST(CodebookTest, FourBitFloatTableFollowsTheCodes) {
  llvm::ArrayRef<float> table = getNamedCodebook(NamedCodebook::FP4);
  ASSERT_EQ(table.size(), 16u);
  for (int code = 0; code < 16; ++code) {
    int exponent = code >> 1 & 3, mantissa = code & 1;
    float magnitude =
        exponent ? std::ldexp(2 + mantissa, exponent - 2) : 0.5f * mantissa;
    EXPECT_EQ(table[code], code & 8 ? -magnitude : magnitude);
  }
  auto nearest = cantFail(NearestEntry<float>::create(table));
  EXPECT_EQ(nearest.find(0.0f), 0u);
  EXPECT_EQ(nearest.find(-0.0f), 0u);
  EXPECT_EQ(nearest.find(-0.1f), 0u);
  EXPECT_EQ(nearest.find(-0.3f), 9u);
  EXPECT_EQ(nearest.find(100.0f), 7u);
  EXPECT_EQ(nearest.find(-kInfinity), 15u);
}

TEST(CodebookTest, NamesAreParsed) {
  EXPECT_EQ(parseNamedCodebook("nf4"), NamedCodebook::NF4);
  EXPECT_EQ(parseNamedCodebook("fp4"), NamedCodebook::FP4);
  EXPECT_EQ(parseNamedCodebook("NF4"), std::nullopt);
}

TEST(CodebookTest, TiesGoDownAndEqualEntriesToTheFirst) {
  auto nearest = cantFail(NearestEntry<float>::create({3, 1, 1, -1}));
  EXPECT_EQ(nearest.find(2.0f), 1u);
  EXPECT_EQ(nearest.find(std::nextafter(2.0f, 3.0f)), 0u);
  EXPECT_EQ(nearest.find(0.0f), 3u);
  EXPECT_EQ(nearest.find(1.0f), 1u);
  EXPECT_EQ(nearest.find(kInfinity), 0u);
  EXPECT_EQ(nearest.find(-kInfinity), 3u);
  EXPECT_EQ(nearest.find(kNaN), 3u); // As 0.
}

TEST(CodebookTest, MidpointsAreExact) {
  // Midpoints that no float has: the next lower one.
  float next = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(getLowerMidpoint(1.0f, next), 1.0f);
  EXPECT_EQ(getLowerMidpoint(-next, -1.0f), -next);
  EXPECT_EQ(getLowerMidpoint(-1.0f, 1e-40f), -0.5f);
  EXPECT_EQ(getLowerMidpoint(1.0, std::nextafter(1.0, 2.0)), 1.0);
  EXPECT_EQ(getLowerMidpoint(1.0, 1e-300), 0.5);
  EXPECT_EQ(getLowerMidpoint(-1e-300, 1.0), std::nextafter(0.5, 0.0));
  double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(getLowerMidpoint(largest, largest), largest);
  EXPECT_EQ(getLowerMidpoint(-largest, largest), 0.0);
  double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(getLowerMidpoint(0.0, tiny), 0.0);
  EXPECT_EQ(getLowerMidpoint(-tiny, 0.0), -tiny);
}

TEST(CodebookTest, AssignsTheNearestOnEveryProcessor) {
  std::mt19937 random(5);
  for (unsigned numEntries : {1, 2, 3, 15, 16, 17, 31, 32, 33, 100, 256}) {
    std::vector<float> entries(numEntries);
    for (float &entry : entries)
      entry = static_cast<int>(random() % 2001 - 1000) / 64.0f;
    std::vector<float> values = {kNaN, kInfinity, -kInfinity, 0.0f, -0.0f};
    for (unsigned i = 0; i < 1000; ++i)
      values.push_back(static_cast<int>(random() % 4001 - 2000) / 128.0f);
    auto nearest = cantFail(NearestEntry<float>::create(entries));
    for (InstructionSet set : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
      limitInstructionSet(set);
      std::vector<uint8_t> indices(values.size(), 0xCC);
      ASSERT_FALSE(errorToBool(nearest.assign(values, indices)));
      for (size_t i = 0; i < values.size(); ++i) {
        float value = std::min(std::max(values[i], -1e9f), 1e9f);
        ASSERT_EQ(entries[indices[i]], entries[findSlowly(entries, value)])
            << values[i];
        ASSERT_EQ(indices[i], nearest.find(values[i]));
      }
    }
    limitInstructionSet(InstructionSet::AVX512);
  }
}

TEST(CodebookTest, StridesDoublesAndThreads) {
  std::vector<double> entries = {-1, 0, 0.25, 1}, values(400000);
  std::mt19937 random(6);
  for (double &value : values)
    value = random() / 2147483648.0 - 1;
  auto nearest = cantFail(NearestEntry<double>::create(entries));
  std::vector<uint8_t> all(values.size()), threaded(values.size());
  llvm::StdThreadPool pool(llvm::hardware_concurrency(3));
  ASSERT_FALSE(errorToBool(nearest.assign(values, all)));
  ASSERT_FALSE(errorToBool(nearest.assign(values, threaded, &pool)));
  EXPECT_EQ(all, threaded);
  std::vector<uint8_t> backwards(values.size() / 2);
  StridedSpan<const double> everyOther(values.data() + values.size() - 1,
                                       backwards.size(), -2);
  ASSERT_FALSE(errorToBool(nearest.assign(everyOther, backwards)));
  for (size_t i = 0; i < backwards.size(); ++i)
    ASSERT_EQ(backwards[i], all[all.size() - 1 - 2 * i]);
}

TEST(CodebookTest, ReservedZeroIsForZerosOnly) {
  std::vector<float> entries = {-1, 0, 0.5f, 1};
  auto nearest =
      cantFail(NearestEntry<float>::create(entries, ZeroAssignment::Reserved));
  EXPECT_EQ(nearest.find(0.0f), 1u);
  EXPECT_EQ(nearest.find(-0.0f), 1u);
  EXPECT_EQ(nearest.find(kNaN), 1u);
  EXPECT_EQ(nearest.find(1e-30f), 2u);
  EXPECT_EQ(nearest.find(-0.3f), 0u);
  EXPECT_EQ(nearest.find(-0.25f), 0u); // A tie of -1 and 0.5.
  EXPECT_EQ(nearest.find(-0.2f), 2u);
  std::vector<uint8_t> indices(3);
  std::vector<float> values = {0.0f, -0.01f, -0.9f};
  ASSERT_FALSE(errorToBool(nearest.assign(values, indices)));
  EXPECT_EQ(indices, (std::vector<uint8_t>{1, 2, 0}));
}

TEST(CodebookTest, RefusesBadTablesAndSizes) {
  auto fails = [](std::vector<float> entries, ZeroAssignment zero) {
    return errorToBool(NearestEntry<float>::create(entries, zero).takeError());
  };
  EXPECT_TRUE(fails({}, ZeroAssignment::Nearest));
  EXPECT_TRUE(fails(std::vector<float>(257), ZeroAssignment::Nearest));
  EXPECT_TRUE(fails({1, kNaN}, ZeroAssignment::Nearest));
  EXPECT_TRUE(fails({1, kInfinity}, ZeroAssignment::Nearest));
  EXPECT_TRUE(fails({1, 2}, ZeroAssignment::Reserved));
  EXPECT_TRUE(fails({0, -0.0f}, ZeroAssignment::Reserved));
  auto nearest = cantFail(NearestEntry<float>::create({1, 2}));
  std::vector<float> values(3);
  std::vector<uint8_t> indices(2);
  EXPECT_TRUE(errorToBool(nearest.assign(values, indices)));
}

TEST(CodebookTest, LooksUpEntriesAndRefusesIndicesOutside) {
  std::vector<float> values(3);
  ASSERT_FALSE(errorToBool(
      lookUpEntries<float>({1, 0, 1}, {5, 6}, StridedSpan<float>(values))));
  EXPECT_EQ(values, (std::vector<float>{6, 5, 6}));
  EXPECT_EQ(toString(lookUpEntries<float>({1, 0, 2}, {5, 6},
                                          StridedSpan<float>(values))),
            "index 2 at position 2 is outside a codebook of 2 entries");
  EXPECT_TRUE(errorToBool(
      lookUpEntries<float>({1, 0}, {5, 6}, StridedSpan<float>(values))));
}

} // namespace
