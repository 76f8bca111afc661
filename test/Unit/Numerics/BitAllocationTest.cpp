//===- BitAllocationTest.cpp - Choosing formats under a budget ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BitAllocation.h"
#include "MatrixTesting.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

/// The smallest error over all allocations, and its smallest cost.
AllocationChoice bruteForce(llvm::ArrayRef<AllocationItem> items,
                            int64_t budget) {
  AllocationChoice best{0, std::numeric_limits<double>::infinity()};
  std::vector<unsigned> index(items.size());
  while (true) {
    AllocationChoice total;
    for (size_t i = 0; i < items.size(); ++i) {
      total.cost += items[i][index[i]].cost;
      total.error += items[i][index[i]].error;
    }
    if (total.cost <= budget &&
        (total.error < best.error ||
         (total.error == best.error && total.cost < best.cost)))
      best = total;
    size_t i = 0;
    while (i < items.size() && ++index[i] == items[i].size())
      index[i++] = 0;
    if (i == items.size())
      return best;
  }
}

std::vector<AllocationItem> randomItems(std::mt19937 &random, int count,
                                        int maxChoices, int maxCost,
                                        bool integerErrors) {
  std::vector<AllocationItem> items(count);
  for (AllocationItem &item : items) {
    item.resize(1 + random() % maxChoices);
    for (AllocationChoice &choice : item) {
      choice.cost = random() % maxCost;
      choice.error = integerErrors ? random() % 20 : random() / 4294967296.0;
    }
  }
  return items;
}

int64_t cheapest(llvm::ArrayRef<AllocationItem> items) {
  int64_t sum = 0;
  for (const AllocationItem &item : items) {
    int64_t low = item[0].cost;
    for (const AllocationChoice &choice : item)
      low = std::min(low, choice.cost);
    sum += low;
  }
  return sum;
}

TEST(BitAllocationTest, EqualsBruteForceOnSmallInstances) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<AllocationItem> items =
        randomItems(random, 1 + trial % 7, 4, trial % 3 ? 1000 : 6, trial % 2);
    int64_t budget = cheapest(items) + random() % 1500;
    AllocationChoice best = bruteForce(items, budget);
    AllocationResult result = take(allocateBudget(items, budget));
    EXPECT_TRUE(result.isOptimal);
    EXPECT_EQ(result.error, best.error) << "trial " << trial;
    EXPECT_EQ(result.cost, best.cost) << "trial " << trial;
    EXPECT_LE(result.cost, budget);
    EXPECT_EQ(result.lowerBound, result.error);
  }
}

TEST(BitAllocationTest, RelaxationIsFeasibleAndBounded) {
  std::mt19937 random(9);
  AllocationOptions relaxed;
  relaxed.maxStates = 0;
  double gap = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<AllocationItem> items =
        randomItems(random, 1 + trial % 6, 4, 200, false);
    int64_t budget = cheapest(items) + random() % 400;
    double best = bruteForce(items, budget).error;
    AllocationResult result = take(allocateBudget(items, budget, relaxed));
    EXPECT_LE(result.cost, budget);
    EXPECT_GE(result.error, best - 1e-12);
    EXPECT_LE(result.lowerBound, best + 1e-12);
    gap += result.error - best;
  }
  EXPECT_LT(gap / 200, 0.05);
}

TEST(BitAllocationTest, LargeInstancesComeCloseToTheBound) {
  // 500 layers of 10^4 to 10^7 weights at 2, 3, 4, 6 or 8 bits whose error
  // falls fourfold a bit, 4 bits a weight on average.
  std::mt19937 random(2);
  std::vector<AllocationItem> items;
  int64_t elements = 0;
  for (int layer = 0; layer < 500; ++layer) {
    int64_t count =
        static_cast<int64_t>(std::pow(10, 4 + 3 * (random() / 4294967296.0)));
    double sensitivity = std::pow(10, 4 * (random() / 4294967296.0));
    elements += count;
    std::vector<double> errors;
    for (unsigned bits : {2u, 3u, 4u, 6u, 8u})
      errors.push_back(sensitivity * std::pow(4.0, -double(bits)));
    items.push_back(take(makeBitChoices(count, {2, 3, 4, 6, 8}, errors)));
  }
  AllocationResult result = take(allocateBudget(items, 4 * elements));
  EXPECT_LE(result.cost, 4 * elements);
  EXPECT_GE(result.error, result.lowerBound);
  EXPECT_LT(result.error, 1.01 * result.lowerBound);
  double uniform = 0;
  for (const AllocationItem &item : items)
    uniform += item[2].error;
  EXPECT_LT(result.error, 0.5 * uniform);
  AllocationResult again = take(allocateBudget(items, 4 * elements));
  EXPECT_EQ(result.choices, again.choices);
}

TEST(BitAllocationTest, ErrorFallsWithTheBudget) {
  std::mt19937 random(3);
  std::vector<AllocationItem> items = randomItems(random, 12, 5, 100, false);
  double last = std::numeric_limits<double>::infinity();
  for (int64_t budget = cheapest(items); budget < 1300; budget += 10) {
    AllocationResult result = take(allocateBudget(items, budget));
    EXPECT_LE(result.error, last);
    last = result.error;
  }
}

TEST(BitAllocationTest, TiesAreSettled) {
  // Equal layers: the earlier ones get the bits.
  AllocationItem item = {{1, 4.0}, {2, 1.0}};
  AllocationResult result = take(allocateBudget({item, item, item, item}, 6));
  EXPECT_EQ(result.cost, 6);
  EXPECT_EQ(result.error, 10);
  AllocationResult again = take(allocateBudget({item, item, item, item}, 6));
  EXPECT_EQ(result.choices, again.choices);
  // Of equal errors the cheaper one is taken.
  result =
      take(allocateBudget({AllocationItem{{5, 1.0}, {3, 1.0}, {4, 1.0}}}, 100));
  EXPECT_EQ(result.choices, std::vector<unsigned>{1});
}

TEST(BitAllocationTest, EdgesAndErrors) {
  AllocationResult empty = take(allocateBudget({}, 0));
  EXPECT_TRUE(empty.isOptimal);
  EXPECT_EQ(empty.error, 0);
  AllocationItem item = {{10, 1.0}, {20, 0.0}};
  EXPECT_EQ(take(allocateBudget({item}, 10)).choices, std::vector<unsigned>{0});
  EXPECT_NE(messageOf(allocateBudget({item, item}, 19)).find("costs 20"),
            std::string::npos);
  EXPECT_NE(messageOf(allocateBudget({AllocationItem{}}, 5)).find("no choice"),
            std::string::npos);
  EXPECT_NE(messageOf(allocateBudget({AllocationItem{{-1, 0.0}}}, 5))
                .find("negative"),
            std::string::npos);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity()})
    EXPECT_NE(
        messageOf(allocateBudget({AllocationItem{{1, bad}}}, 5)).find("NaN"),
        std::string::npos);
  const int64_t huge = std::numeric_limits<int64_t>::max();
  AllocationItem large = {{huge, 0.0}};
  EXPECT_NE(messageOf(allocateBudget({large, large}, huge)).find("64 bits"),
            std::string::npos);
  EXPECT_NE(messageOf(makeBitChoices(huge, {4}, {0.1})).find("64 bits"),
            std::string::npos);
  EXPECT_NE(messageOf(makeBitChoices(5, {4, 8}, {0.1})).find("as many"),
            std::string::npos);
  EXPECT_NE(messageOf(makeBitChoices(0, {4}, {0.1})).find("one weight"),
            std::string::npos);
}

} // namespace
