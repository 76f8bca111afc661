//===- BlockScalingTest.cpp - Minifloat blocks with shared scales: MX, NVFP4
//===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BlockScaling.h"

#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/MinMax.h"

#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <vector>

using namespace compress::numerics;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quietNaN = std::numeric_limits<float>::quiet_NaN();
constexpr MXElement allElements[] = {MXElement::E4M3FN, MXElement::E5M2,
                                     MXElement::E3M2,   MXElement::E2M3,
                                     MXElement::E2M1,   MXElement::Int8};
constexpr MXScaleMode allModes[] = {MXScaleMode::Floor, MXScaleMode::RCeil,
                                    MXScaleMode::Ceil, MXScaleMode::Even};

struct InstructionSetGuard {
  ~InstructionSetGuard() { limitInstructionSet(InstructionSet::AVX512); }
};

struct ElementTraits {
  int largestExponent;
  int mantissaBits;
  double largest;
};

ElementTraits getElementTraits(MXElement element) {
  switch (element) {
  case MXElement::E4M3FN:
    return {8, 3, 448};
  case MXElement::E5M2:
    return {15, 2, 57344};
  case MXElement::E3M2:
    return {4, 2, 28};
  case MXElement::E2M3:
    return {2, 3, 7.5};
  case MXElement::E2M1:
    return {2, 1, 6};
  case MXElement::Int8:
    return {0, 6, 127.0 / 64};
  }
  return {};
}

MinifloatFormat getFormat(MXElement element) {
  constexpr MinifloatFormat formats[] = {
      MinifloatFormat::E4M3FN, MinifloatFormat::E5M2, MinifloatFormat::E3M2,
      MinifloatFormat::E2M3, MinifloatFormat::E2M1};
  return formats[static_cast<int>(element)];
}

/// One element by the definition: v / X in f64, rounded.
uint8_t encodeElement(double value, MXElement element) {
  if (element != MXElement::Int8)
    return encodeMinifloat(value, getFormat(element));
  double scaled = std::fmax(-127.0, std::fmin(127.0, value * 64));
  return static_cast<uint8_t>(static_cast<int8_t>(std::nearbyint(scaled)));
}

double decodeElement(uint8_t code, MXElement element) {
  if (element != MXElement::Int8)
    return decodeMinifloat(code, getFormat(element));
  return static_cast<int8_t>(code) / 64.0;
}

template <typename T>
struct Encoded {
  std::vector<uint8_t> codes;
  std::vector<uint8_t> scales;
  std::vector<T> decoded;
};

template <typename T>
Encoded<T> roundTripMX(const std::vector<T> &values, int64_t lines,
                       MXElement element, MXScaleMode mode = MXScaleMode::Floor,
                       int64_t blockSize = mxBlockSize) {
  const int64_t size = values.size() / lines;
  const int64_t blocks = getNumBlocks(size, blockSize);
  Encoded<T> result;
  result.codes.resize(values.size());
  result.scales.resize(lines * blocks);
  result.decoded.resize(values.size());
  StridedLines<uint8_t> codes(result.codes.data(), lines, size);
  StridedLines<uint8_t> scales(result.scales.data(), lines, blocks);
  EXPECT_FALSE(llvm::errorToBool(
      quantizeMX<T>(StridedLines<const T>(values.data(), lines, size), element,
                    mode, codes, scales, blockSize)));
  EXPECT_FALSE(llvm::errorToBool(dequantizeMX<T>(
      codes, scales, element,
      StridedLines<T>(result.decoded.data(), lines, size), blockSize)));
  return result;
}

template <typename T>
std::vector<T> getRandom(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> exponent(-20, 20);
  std::vector<T> values(count);
  for (T &value : values)
    value = std::ldexp(normal(random), exponent(random));
  return values;
}

//===----------------------------------------------------------------------===//
// MX scales
//===----------------------------------------------------------------------===//

TEST(BlockScalingTest, MXScaleOfSeven) {
  EXPECT_EQ(chooseMXScale(7, MXElement::E2M1, MXScaleMode::Floor), 127);
  EXPECT_EQ(chooseMXScale(7, MXElement::E2M1, MXScaleMode::RCeil), 128);
  EXPECT_EQ(chooseMXScale(7, MXElement::E2M1, MXScaleMode::Even), 128);
  EXPECT_EQ(chooseMXScale(7, MXElement::E2M1, MXScaleMode::Ceil), 128);
  EXPECT_EQ(chooseMXScale(6, MXElement::E2M1, MXScaleMode::RCeil), 127);
  EXPECT_EQ(chooseMXScale(6.5, MXElement::E2M1, MXScaleMode::Even), 127);
  EXPECT_EQ(chooseMXScale(4, MXElement::E2M1, MXScaleMode::Ceil), 127);
}

TEST(BlockScalingTest, MXScalesByTheFormulas) {
  std::mt19937 random(1);
  for (MXElement element : allElements) {
    ElementTraits traits = getElementTraits(element);
    for (int trial = 0; trial < 20000; ++trial) {
      // Few mantissa bits, so that borders are met.
      double absMax = std::ldexp(1.0 + (random() % 256) / 256.0,
                                 static_cast<int>(random() % 200) - 100);
      int top = std::ilogb(absMax);
      double step = std::ldexp(1.0, top - traits.mantissaBits);
      double rounded = std::floor(absMax / step + 0.5) * step;
      const int expected[] = {
          top - traits.largestExponent,
          static_cast<int>(std::ceil(std::log2(absMax / traits.largest))),
          static_cast<int>(std::ceil(std::log2(absMax))) -
              traits.largestExponent,
          std::ilogb(rounded) - traits.largestExponent};
      for (int mode = 0; mode < 4; ++mode)
        ASSERT_EQ(chooseMXScale(absMax, element, allModes[mode]) - 127,
                  std::max(-127, expected[mode]))
            << absMax << " mode " << mode;
    }
  }
}

TEST(BlockScalingTest, MXScaleLimits) {
  for (MXElement element : allElements)
    for (MXScaleMode mode : allModes) {
      EXPECT_EQ(chooseMXScale(0.0, element, mode), 0);
      EXPECT_EQ(chooseMXScale(5e-324, element, mode), 0);
      EXPECT_EQ(chooseMXScale(infinity, element, mode), 255);
      EXPECT_EQ(chooseMXScale(quietNaN, element, mode), 255);
      EXPECT_EQ(chooseMXScale(1e300, element, mode), 255);
      EXPECT_LT(chooseMXScale(std::numeric_limits<float>::max(), element, mode),
                255);
    }
}

//===----------------------------------------------------------------------===//
// MX blocks
//===----------------------------------------------------------------------===//

template <typename T>
void checkMXAgainstDefinition() {
  InstructionSetGuard guard;
  constexpr int64_t lines = 5;
  for (int64_t size : {1, 31, 32, 33, 100, 2100})
    for (int64_t blockSize : {int64_t(16), int64_t(32), int64_t(7)})
      for (MXElement element : allElements)
        for (MXScaleMode mode : allModes) {
          std::vector<T> values = getRandom<T>(lines * size, size);
          limitInstructionSet(InstructionSet::AVX512);
          Encoded<T> result =
              roundTripMX(values, lines, element, mode, blockSize);
          const int64_t blocks = getNumBlocks(size, blockSize);
          for (int64_t line = 0; line < lines; ++line)
            for (int64_t b = 0; b < blocks; ++b) {
              int64_t begin = line * size + b * blockSize;
              int64_t end = std::min(begin + blockSize, (line + 1) * size);
              double absMax = 0;
              for (int64_t i = begin; i < end; ++i)
                absMax = std::fmax(absMax, std::fabs(double(values[i])));
              uint8_t scale = chooseMXScale(absMax, element, mode);
              ASSERT_EQ(result.scales[line * blocks + b], scale);
              for (int64_t i = begin; i < end; ++i) {
                uint8_t code = encodeElement(
                    std::ldexp(double(values[i]), 127 - scale), element);
                ASSERT_EQ(result.codes[i], code);
                ASSERT_EQ(
                    result.decoded[i],
                    T(std::ldexp(decodeElement(code, element), scale - 127)));
              }
            }
          for (InstructionSet set :
               {InstructionSet::Portable, InstructionSet::AVX2}) {
            limitInstructionSet(set);
            ASSERT_EQ(
                roundTripMX(values, lines, element, mode, blockSize).codes,
                result.codes);
          }
        }
}

TEST(BlockScalingTest, MXOfFloatByTheDefinition) {
  checkMXAgainstDefinition<float>();
}

TEST(BlockScalingTest, MXOfDoubleByTheDefinition) {
  checkMXAgainstDefinition<double>();
}

// The largest element stays in its binade, so the floor of its logarithm does.
TEST(BlockScalingTest, MXIsIdempotent) {
  for (MXElement element : allElements) {
    std::vector<float> values = getRandom<float>(32 * 500, 15);
    Encoded<float> once = roundTripMX(values, 1, element);
    Encoded<float> twice = roundTripMX(once.decoded, 1, element);
    EXPECT_EQ(twice.scales, once.scales);
    EXPECT_EQ(twice.codes, once.codes);
  }
}

// Case 005, as a block whose scale is 1.
TEST(BlockScalingTest, MXFP4Midpoints) {
  std::vector<float> values = {0.25f, 0.75f,  1.25f, 1.75f, 2.5f, 3.5f,
                               5.0f,  -0.25f, -5.0f, 6.5f,  7.0f};
  values.resize(32);
  Encoded<float> result = roundTripMX(values, 1, MXElement::E2M1);
  EXPECT_EQ(result.scales[0], 127);
  std::vector<float> expected = {0, 1, 1, 2, 2, 4, 4, -0.0f, -4, 6, 6};
  expected.resize(32);
  EXPECT_EQ(result.decoded, expected);
}

// Case 077: Inf, NaN, the largest number, zeros, negative zeros; and a plain
// block in front of and behind each.
TEST(BlockScalingTest, MXSpecialBlocksStayApart) {
  for (MXElement element : allElements) {
    std::vector<float> values(11 * 32, 1.0f);
    std::fill_n(values.begin() + 1 * 32, 32, 0.5f);
    values[1 * 32 + 5] = infinity;
    values[3 * 32 + 31] = quietNaN;
    values[5 * 32] = -3.4e38f;
    std::fill_n(values.begin() + 7 * 32, 32, 0.0f);
    std::fill_n(values.begin() + 9 * 32, 32, -0.0f);
    Encoded<float> result = roundTripMX(values, 1, element);
    int largestExponent = getElementTraits(element).largestExponent;
    EXPECT_EQ(result.scales[1], 255);
    EXPECT_EQ(result.scales[3], 255);
    EXPECT_EQ(result.scales[5], 127 - largestExponent + 127);
    EXPECT_EQ(result.scales[7], 0);
    EXPECT_EQ(result.scales[9], 0);
    for (int64_t i = 0; i < 32; ++i) {
      EXPECT_TRUE(std::isnan(result.decoded[32 + i]));
      EXPECT_TRUE(std::isnan(result.decoded[3 * 32 + i]));
      EXPECT_EQ(result.codes[32 + i], 0);
      EXPECT_EQ(result.decoded[7 * 32 + i], 0.0f);
      EXPECT_EQ(result.decoded[9 * 32 + i], 0.0f);
      for (int64_t block = 0; block < 11; block += 2)
        EXPECT_EQ(result.decoded[block * 32 + i], 1.0f);
    }
    EXPECT_TRUE(std::isfinite(result.decoded[5 * 32]));
  }
}

// Case 076.
TEST(BlockScalingTest, MXOfDenormalRanges) {
  auto roundTrip = [](float absMax) {
    std::vector<float> values(32, 0.0f);
    values[3] = absMax;
    return roundTripMX(values, 1, MXElement::E4M3FN);
  };
  Encoded<float> result = roundTrip(1e-39f);
  EXPECT_EQ(result.scales[0], 0);
  EXPECT_NEAR(decodeMinifloat(result.codes[3], MinifloatFormat::E4M3FN), 0.170,
              0.01);
  result = roundTrip(2.8e-36f);
  EXPECT_EQ(result.scales[0], 0);
  EXPECT_EQ(result.decoded[3], std::ldexp(448.0f, -127));
  for (float absMax : {1e-40f, 2.8e-36f, 1e-45f})
    for (MXElement element : allElements) {
      std::vector<float> values(32, absMax);
      Encoded<float> block = roundTripMX(values, 1, element);
      EXPECT_NE(block.scales[0], 255);
      EXPECT_LE(std::fabs(block.decoded[7] - absMax), absMax);
    }
}

TEST(BlockScalingTest, MXColumnsPaddingAndThreads) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(3));
  constexpr int64_t rows = 70, columns = 1500, padded = 96, blocks = 3;
  std::vector<float> values = getRandom<float>(rows * columns, 4);
  std::vector<float> transposed(rows * columns);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      transposed[c * rows + r] = values[r * columns + c];
  Encoded<float> expected = roundTripMX(transposed, columns, MXElement::E3M2);
  // Blocks along the columns of `values`, codes padded and transposed as well.
  std::vector<uint8_t> codes(padded * columns, 0xEE), scales(blocks * columns);
  StridedLines<uint8_t> codeLines(codes.data(), columns, padded, 1, columns);
  StridedLines<uint8_t> scaleLines(scales.data(), columns, blocks, 1, columns);
  ASSERT_FALSE(llvm::errorToBool(quantizeMX<float>(
      StridedLines<const float>(values.data(), columns, rows, 1, columns),
      MXElement::E3M2, MXScaleMode::Floor, codeLines, scaleLines, 32,
      &threads)));
  std::vector<float> decoded(rows * columns);
  ASSERT_FALSE(llvm::errorToBool(dequantizeMX<float>(
      codeLines, scaleLines, MXElement::E3M2,
      StridedLines<float>(decoded.data(), columns, rows, 1, columns), 32,
      &threads)));
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < padded; ++r)
      ASSERT_EQ(codes[r * columns + c],
                r < rows ? expected.codes[c * rows + r] : 0);
    for (int64_t r = 0; r < rows; ++r)
      ASSERT_EQ(decoded[r * columns + c], expected.decoded[c * rows + r]);
    for (int64_t b = 0; b < blocks; ++b)
      ASSERT_EQ(scales[b * columns + c], expected.scales[c * blocks + b]);
  }
}

TEST(BlockScalingTest, MXOfSixteenBitTypes) {
  std::vector<float> values = getRandom<float>(64, 8);
  std::vector<BFloat16> bfloats;
  for (float &value : values) {
    bfloats.push_back(narrow<BFloat16>(value));
    value = widen(bfloats.back());
  }
  Encoded<float> expected = roundTripMX(values, 1, MXElement::E5M2);
  Encoded<BFloat16> result = roundTripMX(bfloats, 1, MXElement::E5M2);
  EXPECT_EQ(result.codes, expected.codes);
  EXPECT_EQ(result.scales, expected.scales);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(widen(result.decoded[i]), expected.decoded[i]);
  // Half rounds: 1.5 * 2^-24 is a tie between its smallest two numbers.
  std::vector<uint8_t> codes(32, 3), scales = {127 - 24};
  std::vector<Half> halves(32);
  ASSERT_FALSE(llvm::errorToBool(dequantizeMX<Half>(
      StridedLines<const uint8_t>(codes.data(), 1, 32),
      StridedLines<const uint8_t>(scales.data(), 1, 1), MXElement::E2M1,
      StridedLines<Half>(halves.data(), 1, 32))));
  EXPECT_EQ(halves[0].bits, 2);
}

//===----------------------------------------------------------------------===//
// NVFP4
//===----------------------------------------------------------------------===//

TEST(BlockScalingTest, NVFP4TensorScale) {
  EXPECT_EQ(llvm::cantFail(chooseNVFP4TensorScale(2688.0)), 1.0f);
  EXPECT_EQ(llvm::cantFail(chooseNVFP4TensorScale(0.0)), 1.0f);
  EXPECT_EQ(llvm::cantFail(chooseNVFP4TensorScale(1e-44)), 0x1p-120f);
  for (double bad : {double(infinity), double(quietNaN), -1.0, 1e300})
    EXPECT_TRUE(llvm::errorToBool(chooseNVFP4TensorScale(bad).takeError()));
}

TEST(BlockScalingTest, NVFP4BlockScale) {
  const uint8_t smallestNormal = 0x08, largest = 0x7E, one = 0x38;
  EXPECT_EQ(chooseNVFP4BlockScale(6.0f, 1.0f), one);
  EXPECT_EQ(chooseNVFP4BlockScale(2688.0f, 1.0f), largest);
  EXPECT_EQ(chooseNVFP4BlockScale(1e9f, 1.0f), largest);
  EXPECT_EQ(chooseNVFP4BlockScale(0.0f, 1.0f), smallestNormal);
  EXPECT_EQ(chooseNVFP4BlockScale(6.0 * 1.0625, 1.0f), one); // a tie to even
  EXPECT_EQ(chooseNVFP4BlockScale(6.0 * 1.1875, 1.0f), one + 2);
  EXPECT_EQ(chooseNVFP4BlockScale(infinity, 1.0f), 0x7F);
  EXPECT_EQ(chooseNVFP4BlockScale(double(quietNaN), 1.0f), 0x7F);
}

template <typename T>
void checkNVFP4AgainstDefinition() {
  InstructionSetGuard guard;
  constexpr int64_t lines = 3, size = 1100, blocks = 69;
  std::vector<T> values = getRandom<T>(lines * size, 77);
  double absMax = llvm::cantFail(computeMinMax<T>(values)).getAbsMax();
  float tensorScale = llvm::cantFail(chooseNVFP4TensorScale(absMax));
  for (InstructionSet set : {InstructionSet::Portable, InstructionSet::AVX2,
                             InstructionSet::AVX512}) {
    limitInstructionSet(set);
    std::vector<uint8_t> codes(values.size()), scales(lines * blocks);
    std::vector<T> decoded(values.size());
    StridedLines<uint8_t> codeLines(codes.data(), lines, size);
    StridedLines<uint8_t> scaleLines(scales.data(), lines, blocks);
    ASSERT_FALSE(llvm::errorToBool(
        quantizeNVFP4<T>(StridedLines<const T>(values.data(), lines, size),
                         tensorScale, codeLines, scaleLines)));
    ASSERT_FALSE(llvm::errorToBool(
        dequantizeNVFP4<T>(codeLines, scaleLines, tensorScale,
                           StridedLines<T>(decoded.data(), lines, size))));
    for (int64_t i = 0; i < lines * size; ++i) {
      int64_t line = i / size, block = i % size / 16;
      T blockMax = 0;
      for (int64_t j = block * 16; j < std::min<int64_t>(size, block * 16 + 16);
           ++j)
        blockMax = std::max(blockMax, std::fabs(values[line * size + j]));
      uint8_t scale = scales[line * blocks + block];
      ASSERT_EQ(scale, chooseNVFP4BlockScale(blockMax, tensorScale));
      float s = decodeMinifloat(scale, MinifloatFormat::E4M3FN);
      T factor = T(s) * tensorScale;
      ASSERT_EQ(codes[i],
                encodeMinifloat(values[i] / factor, MinifloatFormat::E2M1));
      double element = decodeMinifloat(codes[i], MinifloatFormat::E2M1);
      ASSERT_EQ(decoded[i], T(element * s * tensorScale));
      // At most half of the largest step of E2M1, and what the scale's own
      // rounding saturates away.
      if (s > 0x1p-6f) {
        ASSERT_LE(std::fabs(decoded[i] - values[i]), 1.4 * factor);
      }
    }
  }
}

TEST(BlockScalingTest, NVFP4OfFloatByTheDefinition) {
  checkNVFP4AgainstDefinition<float>();
}

TEST(BlockScalingTest, NVFP4OfDoubleByTheDefinition) {
  checkNVFP4AgainstDefinition<double>();
}

TEST(BlockScalingTest, NVFP4NaNStaysInItsBlock) {
  std::vector<float> values(48, 3.0f);
  values[20] = quietNaN;
  std::vector<uint8_t> codes(48), scales(3);
  std::vector<float> decoded(48);
  StridedLines<uint8_t> codeLines(codes.data(), 1, 48);
  StridedLines<uint8_t> scaleLines(scales.data(), 1, 3);
  ASSERT_FALSE(llvm::errorToBool(
      quantizeNVFP4<float>(StridedLines<const float>(values.data(), 1, 48),
                           3.0f / 2688, codeLines, scaleLines)));
  ASSERT_FALSE(llvm::errorToBool(
      dequantizeNVFP4<float>(codeLines, scaleLines, 3.0f / 2688,
                             StridedLines<float>(decoded.data(), 1, 48))));
  for (int64_t i = 0; i < 48; ++i)
    EXPECT_EQ(std::isnan(decoded[i]), i / 16 == 1);
  EXPECT_NEAR(decoded[0], 3.0f, 1e-6);
}

//===----------------------------------------------------------------------===//
// Bad input
//===----------------------------------------------------------------------===//

TEST(BlockScalingTest, RefusesBadInput) {
  std::vector<float> values(64);
  std::vector<uint8_t> codes(64), scales(4);
  StridedLines<const float> in(values.data(), 2, 32);
  StridedLines<uint8_t> goodCodes(codes.data(), 2, 32);
  StridedLines<uint8_t> goodScales(scales.data(), 2, 1);
  auto fails = [&](StridedLines<uint8_t> codeLines,
                   StridedLines<uint8_t> scaleLines, int64_t blockSize) {
    bool failed = llvm::errorToBool(
        quantizeMX<float>(in, MXElement::E2M1, MXScaleMode::Floor, codeLines,
                          scaleLines, blockSize));
    EXPECT_EQ(failed, llvm::errorToBool(quantizeNVFP4<float>(
                          in, 1.0f, codeLines, scaleLines, blockSize)));
    EXPECT_EQ(failed,
              llvm::errorToBool(dequantizeMX<float>(
                  codeLines, scaleLines, MXElement::E2M1,
                  StridedLines<float>(values.data(), 2, 32), blockSize)));
    return failed;
  };
  EXPECT_FALSE(fails(goodCodes, goodScales, 32));
  EXPECT_TRUE(fails(goodCodes, goodScales, 0));
  EXPECT_TRUE(fails(goodCodes, goodScales, 16));
  EXPECT_TRUE(fails(goodCodes, goodScales, 4096));
  EXPECT_TRUE(fails({codes.data(), 1, 32}, goodScales, 32));
  EXPECT_TRUE(fails({codes.data(), 2, 31}, goodScales, 32));
  EXPECT_TRUE(fails(goodCodes, {scales.data(), 2, 2}, 32));
  EXPECT_TRUE(fails({nullptr, 2, 32}, goodScales, 32));
  for (float bad : {0.0f, -1.0f, infinity, quietNaN, 1e-44f})
    EXPECT_TRUE(llvm::errorToBool(
        quantizeNVFP4<float>(in, bad, goodCodes, goodScales, 32)));
}

} // namespace
