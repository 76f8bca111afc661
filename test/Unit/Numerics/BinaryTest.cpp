//===- BinaryTest.cpp - One-bit and ternary values with scales ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Binary.h"

#include "compress/Numerics/BitPacking.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

TEST(BinaryTest, ZeroIsPositiveAndScalesAreMeanMagnitudes) {
  for (float zero : {0.0f, -0.0f}) {
    std::vector<float> values = {0.3f, -0.3f, 0.6f,   zero,
                                 -1,   0.5f,  -0.25f, 0.25f};
    std::vector<uint8_t> bits(2, 0xFF);
    std::vector<float> scales(2), back(8);
    ASSERT_FALSE(
        errorToBool(binarize<float>({values.data(), 2, 4}, 4, bits, scales)));
    // Rows of four bits and four bits of zero padding.
    EXPECT_EQ(bits, (std::vector<uint8_t>{0b0010, 0b0101}));
    EXPECT_FLOAT_EQ(scales[0], 0.3f);
    EXPECT_FLOAT_EQ(scales[1], 0.5f);
    ASSERT_FALSE(
        errorToBool(expandBinary<float>(bits, scales, 4, {back.data(), 2, 4})));
    float a = scales[0];
    EXPECT_EQ(back, (std::vector<float>{a, -a, a, a, -.5f, .5f, -.5f, .5f}));
  }
}

TEST(BinaryTest, RefusesValuesThatHaveNoSign) {
  for (double bad : {std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity()}) {
    std::vector<double> values = {1, 2, 3, 4, bad, 6}, scales(2);
    std::vector<uint8_t> bits(2);
    std::vector<int8_t> codes(6);
    MatrixRef<const double> matrix(values.data(), 2, 3);
    EXPECT_EQ(toString(binarize<double>(matrix, 3, bits, scales)),
              "element (1, 1) is not finite");
    EXPECT_EQ(toString(ternarize<double>(matrix, 3, TernaryRule::Threshold,
                                         codes, scales)),
              "element (1, 1) is not finite");
  }
}

TEST(BinaryTest, RaggedBlocksAndStrides) {
  std::mt19937 random(1);
  std::vector<float> storage(7 * 19);
  for (float &value : storage)
    value = static_cast<int>(random() % 201 - 100) / 8.0f;
  // The transpose of a 7x19 matrix.
  MatrixRef<const float> values(storage.data(), 19, 7, 1, 19);
  std::vector<uint8_t> bits(19), threadedBits(19);
  std::vector<float> scales(19 * 3), threadedScales(19 * 3);
  ASSERT_FALSE(errorToBool(binarize<float>(values, 3, bits, scales)));
  llvm::StdThreadPool pool(llvm::hardware_concurrency(3));
  ASSERT_FALSE(errorToBool(
      binarize<float>(values, 3, threadedBits, threadedScales, &pool)));
  EXPECT_EQ(bits, threadedBits);
  EXPECT_EQ(scales, threadedScales);
  for (int64_t row = 0; row < 19; ++row) {
    for (int64_t column = 0; column < 7; ++column)
      EXPECT_EQ(bits[row] >> column & 1, values(row, column) < 0);
    EXPECT_EQ(bits[row] >> 7, 0);
    EXPECT_EQ(scales[row * 3 + 2], std::abs(values(row, 6)));
  }
  EXPECT_TRUE(errorToBool(binarize<float>(values, 0, bits, scales)));
  EXPECT_TRUE(errorToBool(binarize<float>(values, 4, bits, scales)));
  bits.pop_back();
  EXPECT_TRUE(errorToBool(binarize<float>(values, 3, bits, scales)));
}

TEST(BinaryTest, DotProducts) {
  std::vector<uint8_t> plus(4, 0), minus(4, 0xFF);
  EXPECT_EQ(cantFail(computeBinaryDot(plus, minus, 32)), -32);
  EXPECT_EQ(cantFail(computeBinaryDot(minus, minus, 32)), 32);
  // Bits behind the last do not count.
  EXPECT_EQ(cantFail(computeBinaryDot(plus, minus, 27)), -27);
  std::mt19937 random(2);
  for (int64_t count : {0, 1, 7, 8, 63, 64, 65, 200}) {
    std::vector<uint8_t> left(getPackedRowBytes(count, 1)), right(left.size());
    for (size_t i = 0; i < left.size(); ++i) {
      left[i] = random();
      right[i] = random();
    }
    int64_t expected = 0;
    for (int64_t i = 0; i < count; ++i)
      expected += ((left[i / 8] ^ right[i / 8]) >> i % 8 & 1) ? -1 : 1;
    EXPECT_EQ(cantFail(computeBinaryDot(left, right, count)), expected);
  }
  EXPECT_TRUE(errorToBool(computeBinaryDot(plus, minus, 33).takeError()));
  EXPECT_TRUE(errorToBool(computeBinaryDot(plus, minus, -1).takeError()));
}

double getError(const std::vector<double> &values,
                const std::vector<int8_t> &codes, double scale) {
  double error = 0;
  for (size_t i = 0; i < values.size(); ++i)
    error += std::pow(values[i] - codes[i] * scale, 2);
  return error;
}

TEST(BinaryTest, OptimalTernaryIsNotWorseThanAnyThreshold) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values(1 + random() % 12), scale(1);
    for (double &value : values)
      value = static_cast<int>(random() % 41 - 20) / 4.0;
    MatrixRef<const double> matrix(values.data(), 1, values.size());
    std::vector<int8_t> codes(values.size());
    ASSERT_FALSE(errorToBool(ternarize<double>(
        matrix, values.size(), TernaryRule::Optimal, codes, scale)));
    double best = getError(values, codes, scale[0]);
    for (double threshold : values) {
      double sum = 0, count = 0;
      std::vector<int8_t> other(values.size());
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i] && std::abs(values[i]) >= std::abs(threshold)) {
          other[i] = values[i] < 0 ? -1 : 1;
          sum += std::abs(values[i]);
          ++count;
        }
      EXPECT_LE(best, getError(values, other, count ? sum / count : 0) + 1e-9);
    }
    std::vector<double> back(values.size());
    ASSERT_FALSE(errorToBool(expandTernary<double>(
        codes, scale, values.size(), {back.data(), 1, (int64_t)back.size()})));
    for (size_t i = 0; i < back.size(); ++i)
      EXPECT_EQ(back[i], codes[i] * scale[0]);
  }
}

TEST(BinaryTest, TernaryThresholdIsSevenTenthsOfTheMean) {
  // The mean magnitude is 1, so 0.7 is not kept and 0.75 is.
  std::vector<double> values = {0.7, -0.75, 1.55, -1, 0, -0.0, 3}, scale(1);
  std::vector<int8_t> codes(7);
  MatrixRef<const double> matrix(values.data(), 1, 7);
  ASSERT_FALSE(errorToBool(
      ternarize<double>(matrix, 7, TernaryRule::Threshold, codes, scale)));
  EXPECT_EQ(codes, (std::vector<int8_t>{0, -1, 1, -1, 0, 0, 1}));
  EXPECT_EQ(scale[0], (0.75 + 1.55 + 1 + 3) / 4);
  std::vector<double> zeros(7);
  for (TernaryRule rule : {TernaryRule::Threshold, TernaryRule::Optimal}) {
    ASSERT_FALSE(errorToBool(
        ternarize<double>({zeros.data(), 1, 7}, 7, rule, codes, scale)));
    EXPECT_EQ(codes, std::vector<int8_t>(7));
    EXPECT_EQ(scale[0], 0.0);
  }
  codes[3] = 2;
  EXPECT_EQ(
      toString(expandTernary<double>(codes, scale, 7, {zeros.data(), 1, 7})),
      "code 2 at position 3 is not ternary");
}

} // namespace
