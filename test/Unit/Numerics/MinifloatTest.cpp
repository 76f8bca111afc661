//===- MinifloatTest.cpp - FP8, FP6, FP4 and E8M0 numbers -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Minifloat.h"

#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Random.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace compress::numerics;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr MinifloatFormat signedFormats[] = {
    MinifloatFormat::E4M3FN,   MinifloatFormat::E5M2, MinifloatFormat::E4M3FNUZ,
    MinifloatFormat::E5M2FNUZ, MinifloatFormat::E3M2, MinifloatFormat::E2M3,
    MinifloatFormat::E2M1};
constexpr InstructionSet allSets[] = {
    InstructionSet::Portable, InstructionSet::AVX2, InstructionSet::AVX512};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quietNaN = std::numeric_limits<float>::quiet_NaN();

/// Restores the free choice of kernels.
struct InstructionSetGuard {
  ~InstructionSetGuard() { limitInstructionSet(InstructionSet::AVX512); }
};

const llvm::fltSemantics &getSemantics(MinifloatFormat format) {
  switch (format) {
  case MinifloatFormat::E4M3FN:
    return APFloat::Float8E4M3FN();
  case MinifloatFormat::E5M2:
    return APFloat::Float8E5M2();
  case MinifloatFormat::E4M3FNUZ:
    return APFloat::Float8E4M3FNUZ();
  case MinifloatFormat::E5M2FNUZ:
    return APFloat::Float8E5M2FNUZ();
  case MinifloatFormat::E3M2:
    return APFloat::Float6E3M2FN();
  case MinifloatFormat::E2M3:
    return APFloat::Float6E2M3FN();
  case MinifloatFormat::E2M1:
    return APFloat::Float4E2M1FN();
  case MinifloatFormat::E8M0:
    return APFloat::Float8E8M0FNU();
  }
  return APFloat::IEEEsingle();
}

uint8_t encodeByAPFloat(APFloat value, MinifloatFormat format) {
  bool losesInfo;
  value.convert(getSemantics(format), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

APFloat decodeByAPFloat(uint8_t code, MinifloatFormat format) {
  APFloat value(getSemantics(format), APInt(getTraits(format).getBits(), code));
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

uint32_t getBits(float value) { return detail::bitCast<uint32_t>(value); }

template <typename T>
std::vector<uint8_t> encode(const std::vector<T> &values,
                            MinifloatFormat format,
                            MinifloatOptions options = {},
                            llvm::ThreadPoolInterface *pool = nullptr) {
  std::vector<uint8_t> codes(values.size(), 0xAA);
  EXPECT_FALSE(llvm::errorToBool(
      encodeMinifloat<T>(values, format, options, codes, pool)));
  return codes;
}

/// What APFloat defines: finite numbers everywhere, infinities and NaN only in
/// formats that have at least one of them.
bool isDefinedByAPFloat(double value, MinifloatFormat format) {
  return std::isfinite(value) || getTraits(format).hasNaN;
}

/// Every number, every midpoint, their neighbours in T, the border to overflow
/// and the special values.
template <typename T>
std::vector<T> getCriticalValues(MinifloatFormat format) {
  const MinifloatTraits &traits = getTraits(format);
  std::vector<T> values;
  auto addWithNeighbours = [&](double center) {
    T value = static_cast<T>(center);
    T limit = std::numeric_limits<T>::infinity();
    for (T candidate :
         {value, std::nextafter(value, limit), std::nextafter(value, -limit)})
      if (isDefinedByAPFloat(candidate, format)) {
        values.push_back(candidate);
        values.push_back(-candidate);
      }
  };
  for (unsigned code = 0; code <= traits.largestCode; ++code) {
    double value = decodeByAPFloat(code, format).convertToFloat();
    double step = traits.largest;
    if (code < traits.largestCode)
      step = decodeByAPFloat(code + 1, format).convertToFloat() - value;
    else
      step = value - decodeByAPFloat(code - 1, format).convertToFloat();
    addWithNeighbours(value);
    addWithNeighbours(value + step / 2);
    addWithNeighbours(value + step / 4);
    addWithNeighbours(value + step);
  }
  addWithNeighbours(std::numeric_limits<T>::max());
  addWithNeighbours(std::numeric_limits<T>::denorm_min());
  if (traits.hasNaN)
    for (T special : {std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN()})
      values.insert(values.end(), {special, -special});
  return values;
}

TEST(MinifloatTest, TraitsMatchTheCodes) {
  for (MinifloatFormat format : signedFormats) {
    const MinifloatTraits &traits = getTraits(format);
    APFloat largest = APFloat::getLargest(getSemantics(format));
    EXPECT_EQ(largest.bitcastToAPInt().getZExtValue(), traits.largestCode);
    EXPECT_EQ(largest.convertToFloat(), traits.largest);
    EXPECT_EQ(std::ilogb(traits.largest), traits.largestExponent);
  }
}

TEST(MinifloatTest, DecodesEveryCodeAsAPFloat) {
  InstructionSetGuard guard;
  for (InstructionSet set : allSets) {
    limitInstructionSet(set);
    for (MinifloatFormat format : signedFormats) {
      const unsigned numCodes = getTraits(format).getNumCodes();
      std::vector<uint8_t> codes(numCodes);
      for (unsigned code = 0; code < numCodes; ++code)
        codes[code] = code;
      std::vector<float> values(numCodes);
      ASSERT_FALSE(
          llvm::errorToBool(decodeMinifloat<float>(codes, format, values)));
      for (unsigned code = 0; code < numCodes; ++code) {
        uint32_t expected =
            decodeByAPFloat(code, format).bitcastToAPInt().getZExtValue();
        EXPECT_EQ(getBits(values[code]), expected)
            << getTraits(format).name.str() << " code " << code;
        EXPECT_EQ(getBits(decodeMinifloat(code, format)), expected);
      }
    }
  }
}

template <typename T>
void checkEncodeAgainstAPFloat() {
  InstructionSetGuard guard;
  for (MinifloatFormat format : signedFormats) {
    std::vector<T> values = getCriticalValues<T>(format);
    MinifloatOptions keepOverflow;
    keepOverflow.saturate = false;
    for (InstructionSet set : allSets) {
      limitInstructionSet(set);
      std::vector<uint8_t> codes = encode(values, format, keepOverflow);
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(codes[i], encodeByAPFloat(APFloat(values[i]), format))
            << getTraits(format).name.str() << " of " << values[i];
    }
  }
}

TEST(MinifloatTest, EncodesFloatTiesAndNeighboursAsAPFloat) {
  checkEncodeAgainstAPFloat<float>();
}

TEST(MinifloatTest, EncodesDoubleTiesAndNeighboursAsAPFloat) {
  checkEncodeAgainstAPFloat<double>();
}

TEST(MinifloatTest, SaturatingEncodeClampsFirst) {
  for (MinifloatFormat format : signedFormats) {
    const MinifloatTraits &traits = getTraits(format);
    std::vector<float> values = getCriticalValues<float>(format);
    std::vector<uint8_t> codes = encode(values, format);
    for (size_t i = 0; i < values.size(); ++i) {
      if (traits.isUnsignedZero && std::isinf(values[i])) {
        EXPECT_EQ(codes[i], 0x80);
        continue;
      }
      float clamped = values[i];
      if (!std::isnan(clamped))
        clamped =
            std::fmax(std::fmin(clamped, traits.largest), -traits.largest);
      ASSERT_EQ(codes[i], encodeByAPFloat(APFloat(clamped), format))
          << traits.name.str() << " of " << values[i];
    }
  }
}

TEST(MinifloatTest, EncodesRandomBitsAsAPFloat) {
  std::mt19937 random(20);
  MinifloatOptions keepOverflow;
  keepOverflow.saturate = false;
  for (MinifloatFormat format : signedFormats) {
    const MinifloatTraits &traits = getTraits(format);
    std::vector<float> values;
    while (values.size() < 100000) {
      uint32_t bits = random();
      // Three of four in the format's own range.
      if (values.size() % 4 != 0)
        bits = (bits & 0x807FFFFF) |
               (127 - traits.bias - traits.mantissaBits - 3 +
                (random() % ((1u << traits.exponentBits) + 8)))
                   << 23;
      float value = detail::bitCast<float>(bits);
      if (isDefinedByAPFloat(value, format))
        values.push_back(value);
    }
    std::vector<uint8_t> codes = encode(values, format, keepOverflow);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(codes[i], encodeByAPFloat(APFloat(values[i]), format))
          << traits.name.str() << " of " << values[i];
  }
}

TEST(MinifloatTest, EncodesEverySixteenBitNumberAsAPFloat) {
  MinifloatOptions keepOverflow;
  keepOverflow.saturate = false;
  keepOverflow.nanPolicy = NaNPolicy::Zero;
  std::vector<Half> halves(0x10000);
  std::vector<BFloat16> bfloats(0x10000);
  for (unsigned i = 0; i < 0x10000; ++i) {
    halves[i].bits = i;
    bfloats[i].bits = i;
  }
  for (MinifloatFormat format : signedFormats) {
    std::vector<uint8_t> ofHalves = encode(halves, format, keepOverflow);
    std::vector<uint8_t> ofBFloats = encode(bfloats, format, keepOverflow);
    for (unsigned i = 0; i < 0x10000; ++i) {
      APFloat half(APFloat::IEEEhalf(), APInt(16, i));
      APFloat bfloat(APFloat::BFloat(), APInt(16, i));
      // The sign of a NaN is kept, its payload is not part of the contract
      // beyond what single precision shows.
      if (half.isFinite() || (half.isInfinity() && getTraits(format).hasNaN))
        ASSERT_EQ(ofHalves[i], encodeByAPFloat(half, format)) << i;
      if (bfloat.isFinite() ||
          (bfloat.isInfinity() && getTraits(format).hasNaN))
        ASSERT_EQ(ofBFloats[i], encodeByAPFloat(bfloat, format)) << i;
    }
  }
}

TEST(MinifloatTest, CodesRoundTripThroughEveryType) {
  for (MinifloatFormat format : signedFormats) {
    const MinifloatTraits &traits = getTraits(format);
    std::vector<uint8_t> codes;
    for (unsigned code = 0; code < traits.getNumCodes(); ++code)
      if (!std::isnan(decodeMinifloat(code, format)))
        codes.push_back(code);
    MinifloatOptions keepOverflow;
    keepOverflow.saturate = false;
    auto check = [&](auto element) {
      using T = decltype(element);
      std::vector<T> values(codes.size());
      ASSERT_FALSE(
          llvm::errorToBool(decodeMinifloat<T>(codes, format, values)));
      EXPECT_EQ(encode(values, format, keepOverflow), codes)
          << traits.name.str();
    };
    check(float());
    check(double());
    check(Half());
    check(BFloat16());
  }
}

TEST(MinifloatTest, EncodingIsMonotone) {
  std::mt19937 random(38);
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i)
    values.push_back(std::ldexp(static_cast<int32_t>(random()),
                                static_cast<int>(random() % 50) - 65));
  std::sort(values.begin(), values.end());
  for (MinifloatFormat format : signedFormats) {
    std::vector<float> decoded(values.size());
    ASSERT_FALSE(llvm::errorToBool(
        decodeMinifloat<float>(encode(values, format), format, decoded)));
    EXPECT_TRUE(std::is_sorted(decoded.begin(), decoded.end()))
        << getTraits(format).name.str();
  }
}

// Case 037, and the acceptance vectors of E4M3FN and E5M2.
TEST(MinifloatTest, OverflowModes) {
  std::vector<float> values = {448,    464,       465,      500,
                               1000,   -1000,     infinity, quietNaN,
                               0x1p-9, 0x1.8p-10, 0x1p-10,  -0.0f};
  MinifloatOptions keepOverflow;
  keepOverflow.saturate = false;
  EXPECT_EQ(encode(values, MinifloatFormat::E4M3FN),
            (std::vector<uint8_t>{0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe, 0x7e,
                                  0x7f, 0x01, 0x01, 0x00, 0x80}));
  EXPECT_EQ(encode(values, MinifloatFormat::E4M3FN, keepOverflow),
            (std::vector<uint8_t>{0x7e, 0x7e, 0x7f, 0x7f, 0x7f, 0xff, 0x7f,
                                  0x7f, 0x01, 0x01, 0x00, 0x80}));
  std::vector<float> border = {61439, 61440, infinity};
  EXPECT_EQ(encode(border, MinifloatFormat::E5M2, keepOverflow),
            (std::vector<uint8_t>{0x7b, 0x7c, 0x7c}));
  EXPECT_EQ(encode(border, MinifloatFormat::E5M2),
            (std::vector<uint8_t>{0x7b, 0x7b, 0x7b}));
}

// Case 005.
TEST(MinifloatTest, E2M1TiesGoToEvenCodes) {
  std::vector<float> values = {0.25f, 0.75f,  1.25f, 1.75f, 2.5f, 3.5f,
                               5.0f,  -0.25f, -5.0f, 6.5f,  7.0f};
  std::vector<uint8_t> codes = encode(values, MinifloatFormat::E2M1);
  std::vector<float> decoded(codes.size());
  ASSERT_FALSE(llvm::errorToBool(
      decodeMinifloat<float>(codes, MinifloatFormat::E2M1, decoded)));
  EXPECT_EQ(decoded,
            (std::vector<float>{0, 1, 1, 2, 2, 4, 4, -0.0f, -4, 6, 6}));
  EXPECT_TRUE(std::signbit(decoded[7]));
}

TEST(MinifloatTest, FormatsWithoutNaNRefuseOrZeroIt) {
  std::vector<float> values(3000, 1.0f);
  values[2999] = -quietNaN;
  values[1500] = quietNaN;
  std::vector<uint8_t> codes(values.size());
  for (MinifloatFormat format :
       {MinifloatFormat::E3M2, MinifloatFormat::E2M3, MinifloatFormat::E2M1}) {
    llvm::Error error = encodeMinifloat<float>(values, format, {}, codes);
    ASSERT_TRUE(static_cast<bool>(error));
    EXPECT_NE(llvm::toString(std::move(error)).find("element 1500 is NaN"),
              std::string::npos);
    MinifloatOptions zero;
    zero.nanPolicy = NaNPolicy::Zero;
    codes = encode(values, format, zero);
    EXPECT_EQ(codes[1500], 0);
    EXPECT_EQ(codes[2999], 0);
    EXPECT_EQ(codes[1499], codes[0]);
  }
}

TEST(MinifloatTest, NaNStaysNaN) {
  for (MinifloatFormat format :
       {MinifloatFormat::E4M3FN, MinifloatFormat::E5M2,
        MinifloatFormat::E4M3FNUZ, MinifloatFormat::E5M2FNUZ,
        MinifloatFormat::E8M0})
    for (bool saturate : {false, true}) {
      // Payloads that rounding would carry into infinity or zero.
      for (uint32_t bits : {0x7FC00000u, 0x7F800001u, 0x7FFFFFFFu, 0xFFFFFFFFu})
        EXPECT_TRUE(std::isnan(decodeMinifloat(
            encodeMinifloat(detail::bitCast<float>(bits), format, saturate),
            format)))
            << getTraits(format).name.str() << " " << bits;
      EXPECT_TRUE(std::isnan(decodeMinifloat(
          encodeMinifloat(std::numeric_limits<double>::quiet_NaN(), format,
                          saturate),
          format)));
    }
}

//===----------------------------------------------------------------------===//
// E8M0
//===----------------------------------------------------------------------===//

TEST(MinifloatTest, E8M0DecodesPowersOfTwo) {
  InstructionSetGuard guard;
  std::vector<uint8_t> codes(256);
  for (unsigned code = 0; code < 256; ++code)
    codes[code] = code;
  for (InstructionSet set : allSets) {
    limitInstructionSet(set);
    std::vector<float> values(256);
    ASSERT_FALSE(llvm::errorToBool(
        decodeMinifloat<float>(codes, MinifloatFormat::E8M0, values)));
    for (unsigned code = 0; code < 255; ++code)
      EXPECT_EQ(values[code], std::ldexp(1.0f, static_cast<int>(code) - 127));
    EXPECT_TRUE(std::isnan(values[255]));
  }
}

TEST(MinifloatTest, E8M0AgreesWithAPFloatOnPositiveNumbers) {
  std::vector<float> values;
  for (int exponent = -130; exponent < 128; ++exponent)
    for (float mantissa :
         {1.0f, 1.25f, 0x1.7ffffep0f, 1.5f, 0x1.800002p0f, 0x1.fffffep0f})
      values.push_back(std::ldexp(mantissa, exponent));
  MinifloatOptions keepOverflow;
  keepOverflow.saturate = false;
  std::vector<uint8_t> codes =
      encode(values, MinifloatFormat::E8M0, keepOverflow);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(codes[i],
              encodeByAPFloat(APFloat(values[i]), MinifloatFormat::E8M0))
        << values[i];
}

TEST(MinifloatTest, E8M0Rounding) {
  struct Vector {
    double value;
    uint8_t up, down, nearest;
  };
  const Vector vectors[] = {{1.0, 127, 127, 127},
                            {1.25, 128, 127, 127},
                            {1.5, 128, 127, 128},
                            {1.0 + 0x1p-52, 128, 127, 127},
                            {1.5 - 0x1p-52, 128, 127, 127},
                            {0x1p-127, 0, 0, 0},
                            {0x1.000002p-127, 1, 0, 0},
                            {0x1.8p-127, 1, 0, 1},
                            {0x1p-140, 0, 0, 0},
                            {1e-300, 0, 0, 0},
                            {0.0, 0, 0, 0},
                            {-0.0, 0, 0, 0},
                            {0x1p127, 254, 254, 254},
                            {0x1.8p127, 254, 254, 254},
                            {infinity, 254, 254, 254},
                            {-1.0, 255, 255, 255},
                            {quietNaN, 255, 255, 255}};
  for (const Vector &vector : vectors) {
    EXPECT_EQ(encodeE8M0(vector.value, E8M0Rounding::Up), vector.up);
    EXPECT_EQ(encodeE8M0(vector.value, E8M0Rounding::Down), vector.down);
    EXPECT_EQ(encodeE8M0(vector.value, E8M0Rounding::NearestTiesUp),
              vector.nearest)
        << vector.value;
    std::vector<double> values(70, vector.value);
    std::vector<uint8_t> codes(70);
    ASSERT_FALSE(llvm::errorToBool(
        encodeE8M0<double>(values, E8M0Rounding::Up, true, codes)));
    EXPECT_EQ(codes, std::vector<uint8_t>(70, vector.up));
  }
  EXPECT_EQ(encodeE8M0(0x1.8p127, E8M0Rounding::Up, false), 255);
  EXPECT_EQ(encodeE8M0(0x1.8p127, E8M0Rounding::Down, false), 254);
  EXPECT_EQ(encodeE8M0(1e300, E8M0Rounding::Down, false), 254);
  EXPECT_EQ(encodeE8M0(infinity, E8M0Rounding::Down, false), 255);
}

//===----------------------------------------------------------------------===//
// Stochastic rounding
//===----------------------------------------------------------------------===//

TEST(MinifloatTest, StochasticRoundingKeepsNumbersAndSpecials) {
  for (MinifloatFormat format : signedFormats)
    for (bool saturate : {false, true}) {
      std::vector<float> values;
      for (unsigned code = 0; code <= getTraits(format).largestCode; ++code)
        for (float sign : {1.0f, -1.0f})
          values.push_back(sign * decodeMinifloat(code, format));
      if (getTraits(format).hasNaN)
        values.insert(values.end(), {infinity, -infinity, quietNaN});
      MinifloatOptions nearest;
      nearest.saturate = saturate;
      MinifloatOptions stochastic = nearest;
      stochastic.rounding = MinifloatRounding::Stochastic;
      stochastic.seed = 3;
      EXPECT_EQ(encode(values, format, stochastic),
                encode(values, format, nearest));
    }
}

TEST(MinifloatTest, StochasticRoundingIsUnbiased) {
  constexpr int64_t count = 40000;
  for (MinifloatFormat format : signedFormats) {
    const MinifloatTraits &traits = getTraits(format);
    for (unsigned code :
         {0u, 1u, traits.largestCode / 2u, traits.largestCode - 1u}) {
      float low = decodeMinifloat(code, format);
      float high = decodeMinifloat(code + 1, format);
      for (float fraction : {0.125f, 0.5f, 0.9f}) {
        std::vector<float> values(count, -(low + fraction * (high - low)));
        MinifloatOptions options;
        options.rounding = MinifloatRounding::Stochastic;
        options.seed = code + 17;
        std::vector<uint8_t> codes = encode(values, format, options);
        int64_t numHigh = 0;
        for (uint8_t result : codes) {
          float value = -decodeMinifloat(result, format);
          ASSERT_TRUE(value == low || value == high);
          numHigh += value == high;
        }
        // Five standard deviations.
        double tolerance =
            5 * std::sqrt(fraction * (1 - fraction) / double(count));
        EXPECT_NEAR(double(numHigh) / count, fraction, tolerance);
      }
    }
  }
}

TEST(MinifloatTest, StochasticRoundingDependsOnSeedAndIndexOnly) {
  InstructionSetGuard guard;
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(2));
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> values(200001);
  for (float &value : values)
    value = normal(random);
  MinifloatOptions options;
  options.rounding = MinifloatRounding::Stochastic;
  options.seed = 0x123456789ABCDEF0ull;
  std::vector<uint8_t> codes = encode(values, MinifloatFormat::E4M3FN, options);
  EXPECT_EQ(encode(values, MinifloatFormat::E4M3FN, options, &threads), codes);
  for (InstructionSet set : allSets) {
    limitInstructionSet(set);
    EXPECT_EQ(encode(values, MinifloatFormat::E4M3FN, options), codes);
  }
  // A part that starts anywhere.
  std::vector<float> tail(values.begin() + 1001, values.end());
  options.firstIndex = 1001;
  EXPECT_EQ(encode(tail, MinifloatFormat::E4M3FN, options),
            std::vector<uint8_t>(codes.begin() + 1001, codes.end()));
  options.firstIndex = 0;
  ++options.seed;
  EXPECT_NE(encode(values, MinifloatFormat::E4M3FN, options), codes);
  // The kernel's generator is the documented one: with one bit of fraction
  // left above a number, the top bit of the word decides.
  std::vector<float> ties(100, 1.0625f);
  std::vector<uint8_t> rounded = encode(ties, MinifloatFormat::E4M3FN, options);
  for (size_t i = 0; i < ties.size(); ++i)
    EXPECT_EQ(rounded[i], 0x38 + (getRandomWord(options.seed, i) >> 31));
}

//===----------------------------------------------------------------------===//
// Strides, threads, bad input
//===----------------------------------------------------------------------===//

TEST(MinifloatTest, StridesAndThreadsDoNotChangeCodes) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(3));
  std::mt19937 random(6);
  constexpr int64_t count = 150007;
  std::vector<double> values(3 * count);
  for (double &value : values)
    value = std::ldexp(static_cast<int32_t>(random()), -33);
  std::vector<double> gathered;
  for (int64_t i = 0; i < count; ++i)
    gathered.push_back(values[3 * i + 1]);
  std::vector<uint8_t> expected = encode(gathered, MinifloatFormat::E3M2);
  std::vector<uint8_t> codes(2 * count, 0xEE);
  ASSERT_FALSE(llvm::errorToBool(encodeMinifloat<double>(
      StridedSpan<const double>(values.data() + 1, count, 3),
      MinifloatFormat::E3M2, {}, StridedSpan<uint8_t>(codes.data(), count, 2),
      &threads)));
  std::vector<double> decoded(count), back(3 * count, 7.0);
  ASSERT_FALSE(llvm::errorToBool(decodeMinifloat<double>(
      expected, MinifloatFormat::E3M2, decoded, &threads)));
  ASSERT_FALSE(llvm::errorToBool(decodeMinifloat<double>(
      StridedSpan<const uint8_t>(codes.data(), count, 2), MinifloatFormat::E3M2,
      StridedSpan<double>(back.data() + 2, count, 3), &threads)));
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(codes[2 * i], expected[i]);
    ASSERT_EQ(codes[2 * i + 1], 0xEE);
    ASSERT_EQ(back[3 * i + 2], decoded[i]);
    ASSERT_EQ(back[3 * i], 7.0);
  }
}

TEST(MinifloatTest, RefusesBadInput) {
  std::vector<float> values(3);
  std::vector<uint8_t> codes(4);
  EXPECT_TRUE(llvm::errorToBool(
      encodeMinifloat<float>(values, MinifloatFormat::E5M2, {}, codes)));
  EXPECT_TRUE(llvm::errorToBool(
      decodeMinifloat<float>(codes, MinifloatFormat::E5M2, values)));
  EXPECT_TRUE(llvm::errorToBool(
      encodeE8M0<float>(values, E8M0Rounding::Up, true, codes)));
  EXPECT_TRUE(llvm::errorToBool(encodeMinifloat<float>(
      StridedSpan<const float>(nullptr, 4), MinifloatFormat::E5M2, {}, codes)));
  MinifloatOptions stochastic;
  stochastic.rounding = MinifloatRounding::Stochastic;
  codes.resize(3);
  EXPECT_TRUE(llvm::errorToBool(encodeMinifloat<float>(
      values, MinifloatFormat::E8M0, stochastic, codes)));
  // Nothing to do is no error.
  EXPECT_FALSE(llvm::errorToBool(
      encodeMinifloat<float>(StridedSpan<const float>(), MinifloatFormat::E5M2,
                             {}, StridedSpan<uint8_t>())));
}

} // namespace
