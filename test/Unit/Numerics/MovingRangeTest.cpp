//===- MovingRangeTest.cpp - Ranges that follow a stream of batches -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/MovingRange.h"

#include "compress/Numerics/Affine.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace compress::numerics;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quietNaN = std::numeric_limits<float>::quiet_NaN();

template <typename Estimate>
void update(Estimate &estimate, FloatRange batch) {
  ASSERT_FALSE(llvm::errorToBool(estimate.update(batch)));
}

// Case 020.
TEST(MovingRangeTest, AverageStartsFromTheFirstBatch) {
  MovingAverageRange average = llvm::cantFail(MovingAverageRange::create(0.1f));
  update(average, {-1, 2});
  EXPECT_EQ(llvm::cantFail(average.get()), (FloatRange{-1, 2}));
  update(average, {-3, 1});
  FloatRange range = llvm::cantFail(average.get());
  EXPECT_NEAR(range.low, -1.2, 1e-6);
  EXPECT_NEAR(range.high, 1.9, 1e-6);
  update(average, {-2, 6});
  range = llvm::cantFail(average.get());
  EXPECT_NEAR(range.low, -1.28, 1e-5 * 1.28);
  EXPECT_NEAR(range.high, 2.31, 1e-5 * 2.31);
  AffineParams params =
      chooseParams(range.low, range.high, {8, false, false}, false);
  EXPECT_NEAR(params.scale, 3.59 / 255, 1e-5 * 3.59 / 255);
  EXPECT_EQ(params.zeroPoint, 91);
}

TEST(MovingRangeTest, AverageOfOppositeExtremesStaysFinite) {
  MovingAverageRange average = llvm::cantFail(MovingAverageRange::create(0.5f));
  constexpr float largest = std::numeric_limits<float>::max();
  update(average, {-largest, -largest});
  update(average, {largest, largest});
  EXPECT_EQ(llvm::cantFail(average.get()), (FloatRange{0, 0}));
}

TEST(MovingRangeTest, WindowForgetsOldBatches) {
  WindowRange window = llvm::cantFail(WindowRange::create(3));
  update(window, {-9, 1});
  update(window, {-1, 7});
  EXPECT_EQ(llvm::cantFail(window.get()), (FloatRange{-9, 7}));
  update(window, {-2, 2});
  update(window, {0, 3});
  EXPECT_EQ(llvm::cantFail(window.get()), (FloatRange{-2, 7}));
  update(window, {1, 4});
  EXPECT_EQ(llvm::cantFail(window.get()), (FloatRange{-2, 4}));
  update(window, {2, 2});
  EXPECT_EQ(llvm::cantFail(window.get()), (FloatRange{0, 4}));
}

TEST(MovingRangeTest, DecayingExtremes) {
  DecayingRange range = llvm::cantFail(DecayingRange::create(0.5f));
  update(range, {-4, 8});
  update(range, {-3, 1});
  EXPECT_EQ(llvm::cantFail(range.get()), (FloatRange{-3, 4}));
  update(range, {2, 3}); // widened to include 0
  EXPECT_EQ(llvm::cantFail(range.get()), (FloatRange{-1.5, 3}));
}

// Cases 068 and 125: empty batches are ignored, and without any there is no
// range.
template <typename Estimate>
void checkEmptyAndBad(Estimate estimate) {
  MinMax empty;
  EXPECT_FALSE(llvm::errorToBool(estimate.update(empty)));
  empty.numNaN = 7;
  EXPECT_FALSE(llvm::errorToBool(estimate.update(empty)));
  llvm::Error error = estimate.get().takeError();
  EXPECT_NE(llvm::toString(std::move(error)).find("nothing was observed"),
            std::string::npos);
  MinMax batch;
  batch.low = -1.5;
  batch.high = 2.5;
  batch.numFinite = 10;
  EXPECT_FALSE(llvm::errorToBool(estimate.update(batch)));
  for (FloatRange bad : {FloatRange{quietNaN, 1}, FloatRange{-1, infinity},
                         FloatRange{-infinity, 0}, FloatRange{2, 1}})
    EXPECT_TRUE(llvm::errorToBool(estimate.update(bad)));
  EXPECT_FALSE(llvm::errorToBool(estimate.update(MinMax())));
  EXPECT_EQ(llvm::cantFail(estimate.get()), (FloatRange{-1.5f, 2.5f}));
}

TEST(MovingRangeTest, EmptyAndBadBatchesChangeNothing) {
  checkEmptyAndBad(llvm::cantFail(MovingAverageRange::create()));
  checkEmptyAndBad(llvm::cantFail(WindowRange::create(4)));
  checkEmptyAndBad(llvm::cantFail(DecayingRange::create()));
}

TEST(MovingRangeTest, DelayedScaleOfTheMaximum) {
  DelayedScale scale = llvm::cantFail(DelayedScale::create(448, 3));
  EXPECT_EQ(scale.getScale(), 1.0f);
  scale.update(0.0f); // a batch of zeros keeps it
  EXPECT_EQ(scale.getScale(), 1.0f);
  scale.update(2.0f);
  EXPECT_EQ(scale.getScale(), 224.0f);
  scale.update(1.0f);
  scale.update(1.0f);
  EXPECT_EQ(scale.getScale(), 224.0f);
  scale.update(1.0f);
  EXPECT_EQ(scale.getScale(), 448.0f);
  scale.update(infinity);
  scale.update(8.0f); // the infinity is still in the history
  scale.update(quietNaN);
  EXPECT_EQ(scale.getScale(), 448.0f);
  scale.update(8.0f);
  scale.update(8.0f);
  scale.update(8.0f);
  EXPECT_EQ(scale.getScale(), 56.0f);
}

TEST(MovingRangeTest, DelayedScaleOfTheLatestWithMargin) {
  DelayedScale scale = llvm::cantFail(
      DelayedScale::create(57344, 16, DelayedScale::Choice::Latest, 2));
  scale.update(7.0f);
  EXPECT_EQ(scale.getScale(), 2048.0f);
  scale.update(quietNaN);
  EXPECT_EQ(scale.getScale(), 2048.0f);
  scale.update(3.5f);
  EXPECT_EQ(scale.getScale(), 4096.0f);
  scale.update(1e-40f);
  EXPECT_EQ(scale.getScale(), std::numeric_limits<float>::max());
}

TEST(MovingRangeTest, RefusesBadOptions) {
  for (float bad : {0.0f, -0.1f, 1.5f, quietNaN})
    EXPECT_TRUE(llvm::errorToBool(MovingAverageRange::create(bad).takeError()));
  for (float bad : {-0.1f, 1.5f, quietNaN})
    EXPECT_TRUE(llvm::errorToBool(DecayingRange::create(bad).takeError()));
  for (int64_t bad : {int64_t(0), int64_t(-3), int64_t(1) << 40}) {
    EXPECT_TRUE(llvm::errorToBool(WindowRange::create(bad).takeError()));
    EXPECT_TRUE(llvm::errorToBool(DelayedScale::create(448, bad).takeError()));
  }
  for (float bad : {0.0f, infinity, quietNaN})
    EXPECT_TRUE(llvm::errorToBool(DelayedScale::create(bad).takeError()));
  EXPECT_TRUE(llvm::errorToBool(
      DelayedScale::create(448, 4, DelayedScale::Choice::Latest, 1000)
          .takeError()));
}

} // namespace
