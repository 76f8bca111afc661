//===- UnstructuredSparsityTest.cpp - Element-wise sparse storage ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/UnstructuredSparsity.h"

#include "compress/Numerics/BitPacking.h"
#include "compress/Numerics/FloatTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

TEST(UnstructuredSparsityTest, NumberOfKeptElements) {
  EXPECT_EQ(cantFail(getNumKept(10, 0.0)), 10);
  EXPECT_EQ(cantFail(getNumKept(10, 1.0)), 0);
  EXPECT_EQ(cantFail(getNumKept(10, 0.3)), 7);
  EXPECT_EQ(cantFail(getNumKept(10, 0.25)), 8); // 2.5 rounds to 2.
  EXPECT_EQ(cantFail(getNumKept(10, 0.35)), 6); // 3.5 rounds to 4.
  EXPECT_EQ(cantFail(getNumKept(0, 0.5)), 0);
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {-0.1, 1.1, nan})
    EXPECT_TRUE(errorToBool(getNumKept(10, bad).takeError()));
  EXPECT_TRUE(errorToBool(getNumKept(-1, 0.5).takeError()));
}

/// The definition: sorted by magnitude, then by index.
template <typename T>
std::vector<uint8_t> selectSlowly(const std::vector<T> &values,
                                  int64_t numKept) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    auto left = std::abs(widen(values[a])), right = std::abs(widen(values[b]));
    return left != right ? left > right : a < b;
  });
  std::vector<uint8_t> mask(values.size());
  for (int64_t i = 0; i < numKept; ++i)
    mask[order[i]] = 1;
  return mask;
}

template <typename T>
void checkSelection(const std::vector<T> &values) {
  int64_t size = values.size();
  for (int64_t numKept :
       {int64_t(0), int64_t(1), size / 3, size / 2, size - 1, size}) {
    std::vector<uint8_t> mask(size, 7);
    ASSERT_FALSE(errorToBool(
        selectLargest<T>(StridedSpan<const T>(values), numKept, mask)));
    ASSERT_EQ(mask, selectSlowly(values, numKept));
  }
}

TEST(UnstructuredSparsityTest, KeepsExactlyTheLargest) {
  std::mt19937 random(1);
  for (size_t size : {1, 2, 10, 1000, 70000}) {
    std::vector<float> floats(size);
    std::vector<double> doubles(size);
    std::vector<Half> halves(size);
    std::vector<BFloat16> bfloats(size);
    for (size_t i = 0; i < size; ++i) {
      // Few different values: ties everywhere.
      floats[i] = static_cast<int>(random() % 41 - 20);
      doubles[i] = std::ldexp(random() / 4294967296.0 - 0.5, random() % 100);
      halves[i].bits = floatToHalf(floats[i]);
      bfloats[i].bits = floatToBFloat(random() / 4294967296.0f);
    }
    floats[size / 2] = -std::numeric_limits<float>::infinity();
    floats[size / 3] = -0.0f;
    checkSelection(floats);
    checkSelection(doubles);
    checkSelection(halves);
    checkSelection(bfloats);
  }
}

TEST(UnstructuredSparsityTest, ThreadsAndStrides) {
  std::mt19937 random(2);
  std::vector<float> values(300000);
  for (float &value : values)
    value = random() % 1000;
  std::vector<uint8_t> alone(values.size() / 3), threaded(alone.size());
  StridedSpan<const float> span(values.data(), alone.size(), 3);
  ASSERT_FALSE(errorToBool(selectLargest<float>(span, 50000, alone)));
  llvm::StdThreadPool pool(llvm::hardware_concurrency(3));
  ASSERT_FALSE(errorToBool(selectLargest<float>(span, 50000, threaded, &pool)));
  EXPECT_EQ(alone, threaded);
  EXPECT_EQ(llvm::count(alone, 1), 50000);
}

TEST(UnstructuredSparsityTest, SelectionRefusesBadInput) {
  std::vector<float> values = {1, std::numeric_limits<float>::quiet_NaN(), 2};
  std::vector<uint8_t> mask(3);
  StridedSpan<const float> span(values);
  EXPECT_EQ(toString(selectLargest<float>(span, 1, mask)),
            "element 1 is NaN and has no magnitude");
  values[1] = 0;
  EXPECT_TRUE(errorToBool(selectLargest<float>(span, 4, mask)));
  EXPECT_TRUE(errorToBool(selectLargest<float>(span, -1, mask)));
  mask.pop_back();
  EXPECT_TRUE(errorToBool(selectLargest<float>(span, 1, mask)));
}

TEST(UnstructuredSparsityTest, ValuesRoundTrip) {
  std::vector<uint8_t> mask = {1, 0, 0, 1, 1};
  for (unsigned bytes : {1u, 2u, 3u, 8u}) {
    std::vector<char> dense(5 * bytes), stored(3 * bytes), back(5 * bytes, 1);
    std::iota(dense.begin(), dense.end(), 10);
    ASSERT_FALSE(errorToBool(gatherMasked(dense, mask, bytes, stored)));
    ASSERT_FALSE(errorToBool(scatterMasked(stored, mask, bytes, back)));
    for (size_t i = 0; i < dense.size(); ++i)
      EXPECT_EQ(back[i], mask[i / bytes] ? dense[i] : 0);
    stored.pop_back();
    EXPECT_TRUE(errorToBool(gatherMasked(dense, mask, bytes, stored)));
    EXPECT_TRUE(errorToBool(scatterMasked(stored, mask, bytes, back)));
  }
  std::vector<char> dense(5), stored(4);
  mask[1] = 2; // Not a mask, though the sum of the bytes fits.
  mask[0] = 0;
  EXPECT_TRUE(errorToBool(gatherMasked(dense, mask, 1, stored)));
  EXPECT_TRUE(errorToBool(gatherMasked(dense, mask, 0, stored)));
}

TEST(UnstructuredSparsityTest, BitmapsAndRowsRoundTrip) {
  std::mt19937 random(3);
  for (int64_t columns : {1, 7, 8, 9, 30})
    for (int64_t rows : {0, 1, 5}) {
      std::vector<uint8_t> mask(rows * columns), back(mask.size(), 9);
      for (uint8_t &byte : mask)
        byte = random() % 3 == 0;
      std::vector<uint8_t> bitmap(rows * getPackedRowBytes(columns, 1));
      ASSERT_FALSE(errorToBool(packBits(mask, rows, columns, 1, bitmap)));
      ASSERT_FALSE(errorToBool(expandBitmap(bitmap, rows, columns, back)));
      EXPECT_EQ(back, mask);
      CsrPositions positions = cantFail(compressRows(mask, rows, columns));
      EXPECT_EQ(positions.rowStarts.size(), size_t(rows) + 1);
      std::fill(back.begin(), back.end(), 9);
      ASSERT_FALSE(errorToBool(expandRows(
          positions.rowStarts, positions.columns, rows, columns, back)));
      EXPECT_EQ(back, mask);
    }
  std::vector<uint8_t> mask = {0, 1, 1, 0, 0, 0, 1, 0, 1};
  CsrPositions positions = cantFail(compressRows(mask, 3, 3));
  EXPECT_EQ(positions.rowStarts, (std::vector<int64_t>{0, 2, 2, 4}));
  EXPECT_EQ(positions.columns, (std::vector<int32_t>{1, 2, 0, 2}));
}

TEST(UnstructuredSparsityTest, RefusesDamagedPositions) {
  std::vector<uint8_t> mask(9);
  auto fails = [&](std::vector<int64_t> starts, std::vector<int32_t> columns) {
    return errorToBool(expandRows(starts, columns, 3, 3, mask));
  };
  EXPECT_FALSE(fails({0, 2, 2, 4}, {1, 2, 0, 2}));
  EXPECT_TRUE(fails({0, 2, 4}, {1, 2, 0, 2}));
  EXPECT_TRUE(fails({1, 2, 2, 4}, {1, 2, 0, 2}));
  EXPECT_TRUE(fails({0, 2, 2, 5}, {1, 2, 0, 2}));
  EXPECT_TRUE(fails({0, 4, 2, 4}, {0, 1, 2, 2}));
  EXPECT_TRUE(fails({0, 9, 2, 4}, {0, 1, 2, 2}));
  EXPECT_TRUE(fails({0, -1, 2, 4}, {0, 1, 2, 2}));
  EXPECT_TRUE(fails({0, 2, 2, 4}, {1, 1, 0, 2}));
  EXPECT_TRUE(fails({0, 2, 2, 4}, {2, 1, 0, 2}));
  EXPECT_TRUE(fails({0, 2, 2, 4}, {1, 3, 0, 2}));
  EXPECT_TRUE(fails({0, 2, 2, 4}, {-1, 2, 0, 2}));
  EXPECT_TRUE(errorToBool(expandRows({0, 0}, {}, 1, -1, mask)));
  EXPECT_TRUE(errorToBool(expandRows({0, 0}, {}, 1, int64_t(1) << 40, mask)));
  EXPECT_TRUE(errorToBool(compressRows(mask, 2, 3).takeError()));
  std::vector<uint8_t> bitmap = {0x07, 0x0F};
  EXPECT_EQ(toString(expandBitmap(bitmap, 2, 3,
                                  llvm::MutableArrayRef(mask).take_front(6))),
            "row 1 of the bitmap has bits behind its last column");
}

} // namespace
