//===- RankSelectionTest.cpp - Ranks by energy, budget and EVBMF ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/RankSelection.h"
#include "MatrixTesting.h"
#include "compress/Numerics/Svd.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

/// Signal of the given rank plus normal noise.
Matrix<double> plant(int64_t rows, int64_t columns, int64_t rank, double signal,
                     double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix<double> u(rows, rank), v(rank, columns);
  for (double &value : u.elements())
    value = normal(random);
  for (double &value : v.elements())
    value = normal(random) * signal;
  Matrix<double> result = naiveProduct<double, double>(u.ref(), v.ref());
  for (double &value : result.elements())
    value += noise * normal(random);
  return result;
}

TEST(RankSelectionTest, EvbmfFindsSignalInNoise) {
  for (auto [rows, columns] :
       {std::pair(60, 200), std::pair(200, 60), std::pair(128, 128)})
    for (int64_t rank : {1, 3, 7})
      for (unsigned seed = 1; seed <= 3; ++seed) {
        Matrix<double> a = plant(rows, columns, rank, 1.0, 0.5, seed);
        EXPECT_EQ(take(chooseRankEvbmf(a.ref())), rank)
            << rows << "x" << columns << " seed " << seed;
      }
}

TEST(RankSelectionTest, EvbmfEstimatesTheNoise) {
  Matrix<double> a = plant(100, 400, 3, 1.0, 0.3, 11);
  Svd<double> svd = take(truncatedSvd(a.ref(), 100));
  EvbmfResult result = take(estimateRankEvbmf(svd.values, 100, 400));
  EXPECT_EQ(result.rank, 3);
  EXPECT_NEAR(result.noiseVariance, 0.09, 0.005);
  // The same numbers in other units give the same rank.
  for (double &value : svd.values)
    value *= 1e-200;
  EXPECT_EQ(take(estimateRankEvbmf(svd.values, 400, 100)).rank, 3);
}

TEST(RankSelectionTest, EvbmfOnNoiseAloneAndWithoutNoise) {
  Matrix<double> noise = plant(80, 160, 1, 0.0, 1.0, 3);
  Svd<double> svd = take(truncatedSvd(noise.ref(), 80));
  EXPECT_EQ(take(estimateRankEvbmf(svd.values, 80, 160)).rank, 0);
  EXPECT_EQ(take(chooseRankEvbmf(noise.ref())), 1);
  Matrix<double> exact = plant(50, 90, 3, 1.0, 0.0, 4);
  EXPECT_EQ(take(chooseRankEvbmf(exact.ref())), 3);
  Matrix<double> zero(20, 30);
  EXPECT_EQ(take(chooseRankEvbmf(zero.ref())), 1);
  Matrix<double> scalar(1, 1);
  scalar(0, 0) = 2;
  EXPECT_EQ(take(chooseRankEvbmf(scalar.ref())), 1);
}

TEST(RankSelectionTest, LowRankBreakEven) {
  EXPECT_EQ(getBreakEvenRank(512, 256), 170);
  EXPECT_LT(170 * (512 + 256), 512 * 256);
  EXPECT_GT(171 * (512 + 256), 512 * 256);
  // Equal is no gain: 2 (4 + 4) = 16.
  EXPECT_EQ(getBreakEvenRank(4, 4), 1);
  EXPECT_EQ(getBreakEvenRank(1, 100), 0);
  EXPECT_EQ(getBreakEvenRank(0, 5), 0);
  EXPECT_EQ(getBreakEvenRank(int64_t(1) << 40, int64_t(1) << 40), 0);

  // Zero, rank 3 and random weights at 99 % of the energy.
  Matrix<double> zero(512, 256);
  Svd<double> svd = take(truncatedSvd(zero.ref(), 256));
  EXPECT_EQ(take(rankForEnergy(svd.values, svd.totalEnergy, 0.99)), 1);
  Matrix<double> rank3 = plant(512, 256, 3, 1.0, 0.0, 5);
  svd = take(truncatedSvd(rank3.ref(), 256));
  EXPECT_EQ(take(rankForEnergy(svd.values, svd.totalEnergy, 0.9999999)), 3);
  Matrix<double> noise = plant(512, 256, 1, 0.0, 1.0, 6);
  svd = take(truncatedSvd(noise.ref(), 256));
  EXPECT_GT(take(rankForEnergy(svd.values, svd.totalEnergy, 0.99)),
            getBreakEvenRank(512, 256));
}

TEST(RankSelectionTest, BudgetsAreKeptAndUsed) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    int64_t rows = 1 + random() % 300, columns = 1 + random() % 300;
    int64_t budget = random() % 100000, vectors = 1 + random() % 9;
    int64_t r = rankForParameters(rows, columns, budget);
    EXPECT_LE(r * (rows + columns), budget);
    if (r < std::min(rows, columns))
      EXPECT_GT((r + 1) * (rows + columns), budget);
    r = rankForFlops(rows, columns, vectors, budget);
    EXPECT_LE(2 * r * vectors * (rows + columns), budget);
    if (r < std::min(rows, columns))
      EXPECT_GT(2 * (r + 1) * vectors * (rows + columns), budget);
  }
}

TEST(RankSelectionTest, EnergyIsSmallestSufficient) {
  std::vector<double> values = {3, 2, 1, 0};
  EXPECT_EQ(take(rankForEnergy(values, 14, 9.0 / 14)), 1);
  EXPECT_EQ(take(rankForEnergy(values, 14, 9.1 / 14)), 2);
  EXPECT_EQ(take(rankForEnergy(values, 14, 1)), 3);
  // A truncated list does not reach the total.
  EXPECT_EQ(take(rankForEnergy({3, 2}, 14, 1)), 2);
}

TEST(RankSelectionTest, LimitsHold) {
  RankLimits limits;
  limits.multiple = 8;
  EXPECT_EQ(take(limitRank(11, 64, 64, limits)), 8);
  EXPECT_EQ(take(limitRank(12, 64, 64, limits)), 16);
  EXPECT_EQ(take(limitRank(0, 64, 64, limits)), 1);
  EXPECT_EQ(take(limitRank(63, 62, 64, limits)), 62);
  limits.floor = 8;
  EXPECT_EQ(take(limitRank(0, 64, 64, limits)), 8);
  EXPECT_EQ(take(limitRank(0, 5, 64, limits)), 5);
  limits.cap = 24;
  EXPECT_EQ(take(limitRank(60, 64, 64, limits)), 24);
  limits.cap = 4;
  EXPECT_NE(messageOf(limitRank(3, 64, 64, limits)).find("floor"),
            std::string::npos);
  limits = {};
  limits.multiple = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(take(limitRank(5, 64, 64, limits)), 1);
  limits.multiple = 0;
  EXPECT_NE(messageOf(limitRank(3, 64, 64, limits)).find("multiple"),
            std::string::npos);
}

TEST(RankSelectionTest, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(messageOf(rankForEnergy({3, nan}, 9, 0.5)).find("number 1"),
            std::string::npos);
  EXPECT_NE(messageOf(rankForEnergy({1, 2}, 5, 0.5)).find("descending"),
            std::string::npos);
  for (double fraction : {0.0, -1.0, 1.5, nan})
    EXPECT_NE(messageOf(rankForEnergy({1}, 1, fraction)).find("fraction"),
              std::string::npos);
  EXPECT_NE(messageOf(rankForEnergy({}, 1, 1)).find("no singular values"),
            std::string::npos);
  EXPECT_NE(messageOf(estimateRankEvbmf({3, 2}, 3, 5)).find("all are needed"),
            std::string::npos);
  Matrix<float> a(3, 3);
  a(1, 1) = std::numeric_limits<float>::infinity();
  EXPECT_NE(messageOf(chooseRankEvbmf(a.ref())).find("(1, 1)"),
            std::string::npos);
}

} // namespace
