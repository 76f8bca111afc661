//===- DriftTest.cpp - How far data has moved from calibration ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Drift.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <vector>

using namespace compress::numerics;
using Kind = Histogram::Kind;

namespace {

Histogram histogramOf(const std::vector<float> &values,
                      Kind kind = Kind::Signed, int64_t numBins = 512) {
  Histogram histogram = llvm::cantFail(Histogram::create(kind, numBins));
  llvm::cantFail(histogram.add<float>(values));
  return histogram;
}

std::vector<float> getNormal(unsigned seed, float mean, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(20000);
  for (float &value : values)
    value = normal(random);
  return values;
}

TEST(DriftTest, SameDataHasNone) {
  for (Kind kind : {Kind::Absolute, Kind::Signed}) {
    Histogram histogram = histogramOf(getNormal(1, 0, 1), kind);
    Drift drift = llvm::cantFail(measureDrift(histogram, histogram));
    EXPECT_EQ(drift.divergence, 0.0);
    EXPECT_EQ(drift.stabilityIndex, 0.0);
    EXPECT_EQ(drift.maxShift, 0.0);
    EXPECT_EQ(drift.outsideShare, 0.0);
  }
}

TEST(DriftTest, OtherSamplesOfTheSameDistributionHaveLittle) {
  Drift drift = llvm::cantFail(measureDrift(histogramOf(getNormal(1, 0, 1)),
                                            histogramOf(getNormal(2, 0, 1))));
  EXPECT_GT(drift.divergence, 0.0);
  EXPECT_LT(drift.stabilityIndex, 0.1);
  EXPECT_LT(drift.maxShift, 0.5);
}

TEST(DriftTest, GrowsWithTheShift) {
  Histogram reference = histogramOf(getNormal(1, 0, 1));
  Drift previous;
  for (float shift : {0.25f, 0.5f, 1.0f, 2.0f, 4.0f}) {
    Drift drift = llvm::cantFail(
        measureDrift(reference, histogramOf(getNormal(2, shift, 1))));
    EXPECT_GT(drift.divergence, previous.divergence);
    EXPECT_GT(drift.stabilityIndex, previous.stabilityIndex);
    EXPECT_GE(drift.stabilityIndex, drift.divergence);
    // Of two normal distributions: shift^2 / 2 nats.
    if (shift <= 1.0f) {
      EXPECT_NEAR(drift.divergence, shift * shift / 2,
                  0.1 * shift * shift + 0.01);
    }
    previous = drift;
  }
  EXPECT_GT(previous.stabilityIndex, 0.25);
  EXPECT_GT(previous.outsideShare, 0.2);
}

TEST(DriftTest, ByTheDefinition) {
  // Bins of width 1: reference 0 0 1 3 | current 0 2 2 3.
  Histogram reference =
      histogramOf({0.5f, 0.5f, 1.5f, 3.5f}, Kind::Absolute, 4);
  Histogram current = histogramOf({0.5f, 2.5f, 2.5f, 3.5f}, Kind::Absolute, 4);
  Drift drift = llvm::cantFail(measureDrift(reference, current));
  const double r[] = {2.5, 1.5, 0.5, 1.5}, c[] = {1.5, 0.5, 2.5, 1.5};
  double divergence = 0, index = 0;
  for (int i = 0; i < 4; ++i) {
    divergence += c[i] / 6 * std::log(c[i] / r[i]);
    index += (c[i] - r[i]) / 6 * std::log(c[i] / r[i]);
  }
  EXPECT_NEAR(drift.divergence, divergence, 1e-12);
  EXPECT_NEAR(drift.stabilityIndex, index, 1e-12);
  // In two bins: reference 3 1, current 1 3.
  DriftOptions coarse;
  coarse.maxBins = 2;
  drift = llvm::cantFail(measureDrift(reference, current, coarse));
  EXPECT_NEAR(drift.divergence,
              1.5 / 5 * std::log(1.5 / 3.5) + 3.5 / 5 * std::log(3.5 / 1.5),
              1e-12);
}

TEST(DriftTest, WidthsAreBroughtToOneGrid) {
  Histogram small = histogramOf({1.0f, 1.5f, -1.0f});
  Histogram large = histogramOf({8.0f, 12.0f, -8.0f, 0.5f});
  Drift drift = llvm::cantFail(measureDrift(small, large));
  EXPECT_EQ(drift.maxShift, 3.0);
  EXPECT_EQ(drift.outsideShare, 0.75);
  drift = llvm::cantFail(measureDrift(large, small));
  EXPECT_EQ(drift.maxShift, 3.0);
  EXPECT_EQ(drift.outsideShare, 0.0);
  // Zeros on one side: the widest possible distance of exponents.
  Histogram zeros = histogramOf({0.0f, 0.0f});
  drift = llvm::cantFail(measureDrift(zeros, large));
  EXPECT_TRUE(std::isinf(drift.maxShift));
  EXPECT_TRUE(std::isfinite(drift.divergence));
  EXPECT_EQ(llvm::cantFail(measureDrift(zeros, zeros)).maxShift, 0.0);
}

TEST(DriftTest, RefusesBadInput) {
  Histogram good = histogramOf({1.0f});
  Histogram empty = histogramOf({});
  EXPECT_TRUE(llvm::errorToBool(measureDrift(good, empty).takeError()));
  EXPECT_TRUE(llvm::errorToBool(measureDrift(empty, good).takeError()));
  EXPECT_TRUE(llvm::errorToBool(
      measureDrift(good, histogramOf({1.0f}, Kind::Absolute)).takeError()));
  EXPECT_TRUE(llvm::errorToBool(
      measureDrift(good, histogramOf({1.0f}, Kind::Signed, 64)).takeError()));
  DriftOptions options;
  options.maxBins = 1;
  EXPECT_TRUE(llvm::errorToBool(measureDrift(good, good, options).takeError()));
  options = {};
  options.pseudoCount = 0.0;
  EXPECT_TRUE(llvm::errorToBool(measureDrift(good, good, options).takeError()));
}

} // namespace
