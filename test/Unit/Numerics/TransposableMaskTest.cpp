//===- TransposableMaskTest.cpp - 2:4 masks that hold both ways -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/TransposableMask.h"
#include "compress/Numerics/InstructionSet.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace compress::numerics;
using llvm::ArrayRef;
using Mask = std::vector<uint8_t>;

namespace {

Mask select(const std::vector<float> &values, int64_t rows, int64_t columns,
            unsigned threads = 1) {
  Mask mask(values.size(), 9);
  llvm::cantFail(selectTransposable24(ArrayRef<float>(values), rows, columns,
                                      mask, threads));
  return mask;
}

/// The first best of all 2^16 masks, read as bits from the most significant
/// one, that keep two a row and a column.
Mask selectReference(const std::vector<float> &tile) {
  double largest = -1;
  Mask best(16);
  for (int bits = 0xFFFF; bits >= 0; --bits) {
    Mask mask(16);
    int rows[4] = {}, columns[4] = {};
    double sum = 0;
    for (int i = 0; i < 16; ++i) {
      mask[i] = bits >> (15 - i) & 1;
      rows[i / 4] += mask[i];
      columns[i % 4] += mask[i];
      sum += mask[i] * std::abs(static_cast<double>(tile[i]));
    }
    auto isTwo = [](int count) { return count == 2; };
    if (std::all_of(rows, rows + 4, isTwo) &&
        std::all_of(columns, columns + 4, isTwo) && sum > largest) {
      largest = sum;
      best = mask;
    }
  }
  return best;
}

TEST(TransposableMaskTest, EqualsTheBestOfAllMasks) {
  std::mt19937 random(1);
  for (InstructionSet limit : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
    limitInstructionSet(limit);
    for (int round = 0; round < 12; ++round) {
      // Small integers: sums are exact, and there are ties.
      std::vector<float> tile(16);
      for (float &value : tile)
        value = static_cast<int>(random() % (4 + 3 * round)) - 2.0f;
      EXPECT_EQ(select(tile, 4, 4), selectReference(tile));
    }
  }
  limitInstructionSet(InstructionSet::AVX512);
  EXPECT_EQ(select(std::vector<float>(16), 4, 4),
            (Mask{1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(TransposableMaskTest, KeepsTwoARowAndColumnOfEveryTile) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (auto [rows, columns] :
       {std::pair(64, 160), {3, 4}, {4, 3}, {1, 1}, {30, 71}, {0, 4}, {4, 0}}) {
    std::vector<float> values(rows * columns);
    for (float &value : values)
      value = normal(random);
    Mask mask = select(values, rows, columns);
    EXPECT_EQ(select(values, rows, columns, 4), mask);
    for (int r = 0; r < rows; r += 4)
      for (int c = 0; c < columns; c += 4) {
        bool full = r + 4 <= rows && c + 4 <= columns;
        for (int i = 0; i < 4; ++i) {
          int inRow = 0, inColumn = 0;
          for (int j = 0; j < 4; ++j) {
            if (r + i < rows && c + j < columns)
              inRow += mask[(r + i) * columns + c + j];
            if (r + j < rows && c + i < columns)
              inColumn += mask[(r + j) * columns + c + i];
          }
          if (full) {
            EXPECT_EQ(inRow, 2);
            EXPECT_EQ(inColumn, 2);
          }
          EXPECT_LE(inRow, 2);
          EXPECT_LE(inColumn, 2);
        }
      }
  }
}

TEST(TransposableMaskTest, KeepsNaNsAndInfinities) {
  std::vector<float> tile(16, 1000.0f);
  tile[1] = std::numeric_limits<float>::quiet_NaN();
  tile[6] = -std::numeric_limits<float>::infinity();
  Mask mask = select(tile, 4, 4);
  EXPECT_EQ(mask[1], 1);
  EXPECT_EQ(mask[6], 1);
}

TEST(TransposableMaskTest, ReadsOtherKindsAndSplats) {
  std::vector<double> values(20);
  std::vector<float> singles(20);
  for (int i = 0; i < 20; ++i)
    singles[i] = values[i] = i * 7 % 11;
  Mask mask(20);
  llvm::cantFail(selectTransposable24(ArrayRef<double>(values), 4, 5, mask));
  EXPECT_EQ(mask, select(singles, 4, 5));
  float one = 3;
  llvm::cantFail(
      selectTransposable24({FloatBuffer::F32, &one, 1, true}, 4, 5, mask));
  EXPECT_EQ(mask, select(std::vector<float>(20, 3.0f), 4, 5));
}

TEST(TransposableMaskTest, SaysWhatIsWrong) {
  std::vector<float> values(16);
  Mask mask(15);
  EXPECT_EQ(
      llvm::toString(selectTransposable24(ArrayRef<float>(values), 4, 4, mask)),
      "expected 16 mask elements, but got 15");
  mask.resize(20);
  EXPECT_EQ(
      llvm::toString(selectTransposable24(ArrayRef<float>(values), 4, 5, mask)),
      "expected 20 elements, but got 16");
  EXPECT_TRUE(
      errorToBool(selectTransposable24(ArrayRef<float>(values), -4, -4, mask)));
  EXPECT_TRUE(errorToBool(selectTransposable24(ArrayRef<float>(values),
                                               INT64_MAX, INT64_MAX, mask)));
}

} // namespace
