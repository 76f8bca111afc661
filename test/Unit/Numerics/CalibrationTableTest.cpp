//===- CalibrationTableTest.cpp - Tests of CalibrationTable.h -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/CalibrationTable.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace compress::numerics;

namespace {

std::string print(const CalibrationTable &table) {
  return llvm::formatv("{0:2}", table.toJSON()).str();
}

CalibrationTable makeTable(const std::string &name,
                           const std::vector<float> &values) {
  CalibrationTable table;
  EXPECT_FALSE(table.values[name].add<float>(values));
  return table;
}

CalibrationTable parse(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  EXPECT_TRUE(bool(json));
  llvm::Expected<CalibrationTable> table = CalibrationTable::fromJSON(*json);
  EXPECT_TRUE(bool(table));
  return *table;
}

std::string parseError(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  EXPECT_TRUE(bool(json));
  llvm::Expected<CalibrationTable> table = CalibrationTable::fromJSON(*json);
  return table ? "no error" : llvm::toString(table.takeError());
}

// Twenty samples in three orders, in one table or in several that are written,
// read and merged: the same bits.
TEST(CalibrationTableTest, OrderDoesNotMatter) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.3f, 4.0f);
  std::vector<std::vector<float>> samples(20);
  for (size_t i = 0; i < samples.size(); ++i) {
    // Sample 4 is empty.
    samples[i].resize(i == 4 ? 0 : 1 + random() % 100);
    for (float &value : samples[i])
      value = normal(random);
  }
  samples[3][0] = std::numeric_limits<float>::quiet_NaN();
  samples[5][0] = -std::numeric_limits<float>::max();
  samples[6][0] = std::numeric_limits<float>::infinity();

  std::string expected;
  for (unsigned order = 0; order < 3; ++order) {
    CalibrationTable direct, merged;
    for (const std::vector<float> &sample : samples) {
      EXPECT_FALSE(direct.values["x"].add<float>(sample));
      merged.merge(parse(print(makeTable("x", sample))));
    }
    EXPECT_EQ(print(direct), print(merged));
    if (order == 0)
      expected = print(direct);
    EXPECT_EQ(print(direct), expected);
    std::shuffle(samples.begin(), samples.end(), random);
  }
}

TEST(CalibrationTableTest, ConcatenationIsMerge) {
  std::vector<float> a = {1.5f, -2.0f, 0.0f}, b = {}, c = {7.0f, -0.25f};
  std::vector<float> all = {1.5f, -2.0f, 0.0f, 7.0f, -0.25f};
  CalibrationTable merged = makeTable("x", a);
  merged.merge(makeTable("x", b));
  merged.merge(makeTable("x", c));
  EXPECT_EQ(print(merged), print(makeTable("x", all)));
  EXPECT_EQ(merged.values["x"].getCount(), 5);
}

TEST(CalibrationTableTest, MasksAreCountedApart) {
  float lowest = std::numeric_limits<float>::lowest();
  CalibrationTable table = makeTable("x", {lowest, 0.0f, 1.0f, lowest});
  const ValueStatistics &x = table.values["x"];
  EXPECT_EQ(x.getNumMasks(), 2);
  EXPECT_EQ(x.all.low, lowest);
  EXPECT_EQ(x.unmasked.low, 0.0);
  EXPECT_EQ(x.unmasked.high, 1.0);
  ValueStatistics back = parse(print(table)).values["x"];
  EXPECT_EQ(back.all, x.all);
  EXPECT_EQ(back.unmasked, x.unmasked);
}

TEST(CalibrationTableTest, NumbersAreExact) {
  ValueStatistics statistics;
  std::vector<double> values = {-1.0 / 3, 5e-324, 0.1,
                                std::numeric_limits<double>::max()};
  EXPECT_FALSE(statistics.add<double>(values));
  CalibrationTable table;
  table.values["x"] = statistics;
  EXPECT_EQ(parse(print(table)).values["x"].all, statistics.all);
}

TEST(CalibrationTableTest, HalvesAndStrides) {
  std::vector<Half> halves = {{0x3C00}, {0xC000}, {0x7E00}, {0x7C00}};
  ValueStatistics statistics;
  EXPECT_FALSE(statistics.add<Half>(halves));
  EXPECT_EQ(statistics.all.low, -2.0);
  EXPECT_EQ(statistics.all.high, 1.0);
  EXPECT_EQ(statistics.all.numNaN, 1);
  EXPECT_EQ(statistics.all.numInfinite, 1);
  std::vector<BFloat16> wide = {{0x3F80}, {0x4000}, {0x4040}, {0x4080}};
  ValueStatistics strided;
  EXPECT_FALSE(strided.add<BFloat16>({wide.data(), 2, 2}));
  EXPECT_EQ(strided.all.low, 1.0);
  EXPECT_EQ(strided.all.high, 3.0);
}

TEST(CalibrationTableTest, BadFilesAreRefused) {
  EXPECT_EQ(parseError("[]"), "a calibration table must be an object with a "
                              "'version' and 'tensors'");
  EXPECT_EQ(parseError(R"({"version": 2, "tensors": {}})"),
            "'version' must be 1; other versions are not known");
  auto entry = [](llvm::StringRef text) {
    return parseError(
        ("{\"version\": 1, \"tensors\": {\"x\": " + text + "}}").str());
  };
  EXPECT_EQ(entry("3"), "tensor 'x' must be an object");
  EXPECT_EQ(entry("{}"), "tensor 'x': has no 'count'");
  EXPECT_EQ(entry(R"({"count": -1})"),
            "tensor 'x': 'count' must be a number of elements");
  EXPECT_EQ(entry(R"({"count": 1, "mean": 0})"),
            "tensor 'x': unknown key 'mean'");
  EXPECT_EQ(entry(R"({"count": 2, "nan": 1, "inf": 2})"),
            "tensor 'x': counts more NaN and infinities than elements");
  EXPECT_EQ(entry(R"({"count": 1, "min": 0, "max": 1, "masks": 2})"),
            "tensor 'x': counts more masks than finite elements");
  EXPECT_EQ(entry(R"({"count": 1, "min": 2, "max": 1})"),
            "tensor 'x': has finite elements, so it needs finite numbers 'min' "
            "and 'max', in this order");
  EXPECT_EQ(entry(R"({"count": 0})"), "no error");
}

} // namespace
