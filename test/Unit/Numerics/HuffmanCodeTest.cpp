//===- HuffmanCodeTest.cpp - Optimal length-limited prefix codes ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/HuffmanCode.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <random>

using namespace compress::numerics;

namespace {

std::vector<uint8_t> getLengths(llvm::ArrayRef<uint64_t> counts,
                                unsigned maxLength) {
  std::vector<uint8_t> lengths(counts.size(), 99);
  llvm::cantFail(computeHuffmanLengths(counts, maxLength, lengths));
  return lengths;
}

uint64_t getCost(llvm::ArrayRef<uint64_t> counts,
                 llvm::ArrayRef<uint8_t> lengths) {
  uint64_t bits = 0;
  for (auto [count, length] : llvm::zip_equal(counts, lengths))
    bits += count * length;
  return bits;
}

/// The cost of an unlimited Huffman code: the sum of all merged weights.
uint64_t getUnlimitedCost(llvm::ArrayRef<uint64_t> counts) {
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> heap;
  for (uint64_t count : counts)
    if (count)
      heap.push(count);
  uint64_t cost = 0;
  while (heap.size() > 1) {
    uint64_t weight = heap.top();
    heap.pop();
    weight += heap.top();
    heap.pop();
    heap.push(weight);
    cost += weight;
  }
  return cost;
}

/// The least cost over all non-increasing length sequences that fill the code
/// space, for counts in ascending order.
uint64_t searchBestCost(llvm::ArrayRef<uint64_t> counts, unsigned maxLength,
                        unsigned longest, unsigned space) {
  if (counts.empty())
    return space == 0 ? 0 : UINT64_MAX / 2;
  uint64_t best = UINT64_MAX / 2;
  for (unsigned length = 1; length <= longest; ++length) {
    unsigned part = 1u << (maxLength - length);
    if (part <= space)
      best = std::min(best, counts[0] * length +
                                searchBestCost(counts.drop_front(), maxLength,
                                               length, space - part));
  }
  return best;
}

TEST(HuffmanCodeTest, LengthsAreOptimalUnderEveryLimit) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    std::vector<uint64_t> counts(2 + random() % 7);
    for (uint64_t &count : counts)
      count = 1 + random() % (1u << (1 + random() % 12));
    llvm::sort(counts);
    for (unsigned limit = 3; limit <= 8; ++limit) {
      uint64_t best = searchBestCost(counts, limit, limit, 1u << limit);
      std::vector<uint8_t> lengths = getLengths(counts, limit);
      EXPECT_EQ(getCost(counts, lengths), best) << "limit " << limit;
      EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), limit);
    }
  }
}

TEST(HuffmanCodeTest, EqualsHuffmanWhereTheLimitDoesNotBind) {
  std::mt19937 random(12);
  for (int round = 0; round < 20; ++round) {
    std::vector<uint64_t> counts(256);
    for (uint64_t &count : counts)
      count = random() % 3 ? 50 + random() % 100 : 0;
    std::vector<uint8_t> lengths = getLengths(counts, 15);
    EXPECT_EQ(getCost(counts, lengths), getUnlimitedCost(counts));
    EXPECT_EQ(toString(verifyHuffmanLengths(lengths)), "");
  }
}

TEST(HuffmanCodeTest, FibonacciCountsRunIntoTheLimit) {
  std::vector<uint64_t> counts = {1, 1};
  while (counts.size() < 40)
    counts.push_back(counts[counts.size() - 1] + counts[counts.size() - 2]);
  for (unsigned limit : {6u, 8u, 12u, 15u}) {
    std::vector<uint8_t> lengths = getLengths(counts, limit);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), limit);
    EXPECT_EQ(toString(verifyHuffmanLengths(lengths)), "");
    EXPECT_GT(getCost(counts, lengths), getUnlimitedCost(counts));
  }
}

/// Deep Compression's kind of histogram: weights in 256 bins.
TEST(HuffmanCodeTest, WeightHistogramsStayNearTheEntropy) {
  for (double sigma : {2.5, 8.0, 20.0}) {
    std::vector<uint64_t> counts(256);
    for (int i = 0; i < 256; ++i) {
      double z = (i - 128) / sigma;
      counts[i] = std::llround(1e7 * std::exp(-z * z / 2));
    }
    double total = std::accumulate(counts.begin(), counts.end(), uint64_t(0));
    double average =
        getCost(counts, getLengths(counts, kDefaultHuffmanLength)) / total;
    double entropy = computeEntropy(counts);
    EXPECT_GE(average, entropy);
    EXPECT_LE(average, entropy + 0.1);
    EXPECT_LE(average, getUnlimitedCost(counts) / total + 0.05);
  }
}

TEST(HuffmanCodeTest, WordsAreCanonical) {
  // Lengths 2, 1, 3, 3 by symbol: B = 0, A = 10, C = 110, D = 111.
  auto code = llvm::cantFail(HuffmanCode::create({2, 1, 3, 3}));
  EXPECT_EQ(code.getWord(1), 0b0u);
  EXPECT_EQ(code.getWord(0), 0b10u);
  EXPECT_EQ(code.getWord(2), 0b110u);
  EXPECT_EQ(code.getWord(3), 0b111u);
  EXPECT_EQ(code.getSymbolsByRank(), (llvm::ArrayRef<uint8_t>{1, 0, 2, 3}));
  EXPECT_EQ(code.getMinLength(), 1u);
  EXPECT_EQ(code.getMaxLength(), 3u);
  EXPECT_EQ(code.getNumOfLength(3), 2u);
  EXPECT_EQ(code.getFirstWord(3), 0b110u);
  EXPECT_EQ(code.getFirstRank(3), 2u);
  EXPECT_EQ(code.getLength(4), 0u);
}

TEST(HuffmanCodeTest, OneSymbolAndNone) {
  EXPECT_EQ(getLengths({0, 0, 1000}, 12), (std::vector<uint8_t>{0, 0, 1}));
  EXPECT_EQ(getLengths({0, 0}, 12), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(getLengths({5}, 1), (std::vector<uint8_t>{1}));
  EXPECT_EQ(getLengths({999, 1}, 12), (std::vector<uint8_t>{1, 1}));
  EXPECT_TRUE(llvm::cantFail(HuffmanCode::create({0, 1})).isConstant());
  EXPECT_FALSE(llvm::cantFail(HuffmanCode::create({1, 1})).isConstant());
}

TEST(HuffmanCodeTest, RefusesLengthsThatAreNoCode) {
  auto message = [](std::vector<uint8_t> lengths) {
    return toString(verifyHuffmanLengths(lengths));
  };
  EXPECT_EQ(message({0, 0, 0}), "no symbol has a code: all code lengths are 0");
  EXPECT_EQ(message({1, 1, 1}),
            "the code lengths describe an over-subscribed code: the Kraft sum "
            "is 49152/32768, but must be 1");
  EXPECT_NE(message({1, 2}).find("an incomplete code"), std::string::npos);
  EXPECT_EQ(message({0, 2}), "a single symbol must have code length 1");
  EXPECT_EQ(message({1, 16}),
            "the code length of symbol 1 is 16, more than 15");
  EXPECT_NE(message({}).find("1 to 256 code lengths"), std::string::npos);
  EXPECT_NE(message(std::vector<uint8_t>(257, 8)).find("there are 257"),
            std::string::npos);
  // 32-bit sums of 256 such lengths do not wrap around to 1 either.
  EXPECT_NE(message(std::vector<uint8_t>(256, 1)).find("over-subscribed"),
            std::string::npos);
}

TEST(HuffmanCodeTest, RefusesBadCounts) {
  auto message = [](std::vector<uint64_t> counts, unsigned limit, size_t room) {
    std::vector<uint8_t> lengths(room);
    return toString(computeHuffmanLengths(counts, limit, lengths));
  };
  EXPECT_NE(message({1, 1}, 0, 2).find("must be in [1, 15]"),
            std::string::npos);
  EXPECT_NE(message({1, 1}, 16, 2).find("must be in [1, 15]"),
            std::string::npos);
  EXPECT_NE(message({1, 1, 1}, 1, 3).find("raise the limit"),
            std::string::npos);
  EXPECT_NE(message({1, 1}, 4, 3).find("2 counts"), std::string::npos);
  EXPECT_NE(message({}, 4, 0).find("1 to 256 symbols"), std::string::npos);
  EXPECT_NE(message({UINT64_MAX, 2}, 4, 2).find("2^58"), std::string::npos);
}

TEST(HuffmanCodeTest, CountsSymbols) {
  std::vector<uint64_t> counts = {1, 0, 0};
  ASSERT_FALSE(llvm::errorToBool(countSymbols({0, 2, 2, 2, 1, 2, 0}, counts)));
  EXPECT_EQ(counts, (std::vector<uint64_t>{3, 1, 4}));
  EXPECT_EQ(toString(countSymbols({0, 3}, counts)),
            "symbol 3 is outside an alphabet of 3");
  EXPECT_EQ(counts, (std::vector<uint64_t>{3, 1, 4}));
}

} // namespace
