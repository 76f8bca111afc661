//===- TwoLevelScalesTest.cpp - Scales on two levels ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/TwoLevelScales.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace compress::numerics;
using llvm::ArrayRef;
using llvm::MutableArrayRef;

namespace {

TEST(TwoLevelScalesTest, LargestScaleGetsTheLargestCode) {
  TwoLevel levels;
  levels.code = {4, false, false};
  levels.superType = ScaleType::F32;
  levels.layout = llvm::cantFail(BlockLayout::get({2, 5}, {1, 4}));
  std::vector<float> scales = {1.5f, 0.75f, 0.125f, 0.01f, 3.0f,
                               30,   30,    30,     1,     0.5f};
  std::vector<float> supers(4), back(10);
  std::vector<uint8_t> codes(10);
  llvm::cantFail(chooseTwoLevel(scales, levels, supers, codes));
  // 0.125 / 0.1 is nearest to 1; 0.01 would be code 0 and gets 1; 0.75 / 0.1
  // is halfway between 7 and 8 or next to it, as the f32 quotient says.
  EXPECT_EQ(supers, (std::vector<float>{1.5f / 15, 3.0f / 15, 2, 0.5f / 15}));
  uint8_t half = std::nearbyint(0.75f / (1.5f / 15));
  EXPECT_EQ(codes,
            (std::vector<uint8_t>{15, half, 1, 1, 15, 15, 15, 15, 1, 15}));
  llvm::cantFail(expandTwoLevel(codes, supers, levels, back));
  for (size_t i = 0; i < back.size(); ++i)
    EXPECT_EQ(back[i], codes[i] * supers[i / 5 * 2 + i % 5 / 4]);
}

TEST(TwoLevelScalesTest, SupersAreNumbersOfTheirTypeAndScalesStayUsable) {
  std::mt19937 random(1);
  for (ScaleType type : {ScaleType::F32, ScaleType::F16, ScaleType::BF16})
    for (unsigned bits : {4u, 6u, 8u})
      for (int exponent : {-126, -60, -20, -3, 0, 10, 127}) {
        TwoLevel levels;
        levels.code = {bits, false, false};
        levels.superType = type;
        levels.layout = llvm::cantFail(BlockLayout::get({6, 8}, {1, 8}));
        std::vector<float> scales(48), supers(6), back(48);
        std::vector<uint8_t> codes(48);
        for (float &scale : scales)
          scale = std::ldexp(1.0f + (random() >> 9) * 0x1p-23f, exponent);
        scales[7] = std::ldexp(0x1.FFFFFEp0f, exponent);
        llvm::cantFail(chooseTwoLevel(scales, levels, supers, codes));
        llvm::cantFail(expandTwoLevel(codes, supers, levels, back));
        for (size_t i = 0; i < scales.size(); ++i) {
          float super = supers[i / 8];
          EXPECT_EQ(super, roundScale(super, type));
          EXPECT_GT(back[i], 0);
          // Where the super scale is not at an end of its type, the nearest
          // code is at most half a step away, or saturated by the rounding of
          // the super scale.
          if (super > getSmallestScale(type) && exponent > -20 &&
              exponent <= 10)
            EXPECT_LE(std::abs(back[i] - scales[i]),
                      0.5f * super + 0.005f * scales[i]);
        }
      }
}

TEST(TwoLevelScalesTest, ZeroPointsFitTheStoredScales) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal(0.5f, 1.0f);
  std::vector<float> values(4 * 64);
  for (float &value : values)
    value = normal(random);
  BlockLayout layout = llvm::cantFail(BlockLayout::get({4, 64}, {1, 16}));
  TwoLevel levels;
  levels.code = {6, false, false};
  levels.layout =
      llvm::cantFail(BlockLayout::get(layout.getGridShape(), {1, kWholeDim}));
  IntegerFormat format = {4, false, false};
  std::vector<float> supers(4), scales(16), lows(16), highs(16);
  std::vector<uint8_t> scaleCodes(16);
  std::vector<int32_t> zeroPoints(16);
  llvm::cantFail(chooseTwoLevelTensorParams(ArrayRef<float>(values), layout,
                                            format, false, levels, supers,
                                            scaleCodes, scales, zeroPoints));
  llvm::cantFail(
      updateGroupRanges(ArrayRef<float>(values), layout, lows, highs));
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(scales[i], scaleCodes[i] * supers[i / 4]);
    EXPECT_EQ(zeroPoints[i],
              std::clamp<int>(std::nearbyint(-lows[i] / scales[i]), 0, 15));
  }
  // Per-tensor scales have a grid without dimensions.
  layout = llvm::cantFail(BlockLayout::get({4, 64}, {}));
  levels.layout = llvm::cantFail(BlockLayout::get({}, {}));
  llvm::cantFail(
      chooseTwoLevelTensorParams(ArrayRef<float>(values), layout, format, true,
                                 levels, MutableArrayRef(supers).take_front(1),
                                 MutableArrayRef(scaleCodes).take_front(1),
                                 MutableArrayRef(scales).take_front(1), {}));
  EXPECT_EQ(scaleCodes[0], 63);
}

TEST(TwoLevelScalesTest, SaysWhatIsWrong) {
  TwoLevel levels;
  levels.layout = llvm::cantFail(BlockLayout::get({4}, {2}));
  std::vector<float> scales = {1, 2, 3, 4}, supers(2);
  std::vector<uint8_t> codes(4);
  auto choose = [&] {
    return llvm::toString(chooseTwoLevel(scales, levels, supers, codes));
  };
  EXPECT_EQ(choose(), "");
  scales[2] = 0;
  EXPECT_EQ(choose(), "scale 2 must be positive and finite, but is 0");
  scales[2] = 1;
  levels.code.isSigned = true;
  EXPECT_EQ(choose(), "scale codes must be unsigned integers of 4 to 8 bits, "
                      "not signed ones of 8");
  levels.code = {3, false, false};
  EXPECT_NE(choose(), "");
  levels.code = {4, false, false};
  supers.push_back(1);
  EXPECT_EQ(choose(), "expected 2 super scales, but got 3");
  supers.pop_back();
  supers[1] = 0x1p126f;
  codes = {1, 0, 1, 1};
  auto expand = [&] {
    return llvm::toString(expandTwoLevel(codes, supers, levels, scales));
  };
  EXPECT_EQ(expand(), "scale code 1 is 0, which is outside of [1, 15]");
  codes[1] = 16;
  EXPECT_NE(expand(), "");
  codes[1] = 15;
  codes[3] = 15;
  EXPECT_EQ(expand(), "scale 3 overflows f32");
  codes[3] = 3;
  EXPECT_EQ(expand(), "");
}

} // namespace
