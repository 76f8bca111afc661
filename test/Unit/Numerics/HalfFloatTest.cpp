//===- HalfFloatTest.cpp - f16 and bf16 conversions -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/HalfFloat.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace compress::numerics;
using llvm::APFloat;

namespace {

uint16_t narrowReference(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

float widenReference(uint16_t bits, const llvm::fltSemantics &semantics) {
  APFloat value(semantics, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

bool isNaN(uint16_t bits, uint16_t infinity) {
  return (bits & 0x7FFF) > infinity;
}

void checkNarrowing(double value) {
  float single = static_cast<float>(value);
  if (std::isnan(value)) {
    EXPECT_TRUE(isNaN(doubleToHalf(value), 0x7C00));
    EXPECT_TRUE(isNaN(doubleToBFloat(value), 0x7F80));
    EXPECT_TRUE(isNaN(floatToHalf(single), 0x7C00));
    EXPECT_TRUE(isNaN(floatToBFloat(single), 0x7F80));
    return;
  }
  EXPECT_EQ(doubleToHalf(value),
            narrowReference(APFloat(value), APFloat::IEEEhalf()))
      << value;
  EXPECT_EQ(doubleToBFloat(value),
            narrowReference(APFloat(value), APFloat::BFloat()))
      << value;
  EXPECT_EQ(floatToHalf(single),
            narrowReference(APFloat(single), APFloat::IEEEhalf()))
      << value;
  EXPECT_EQ(floatToBFloat(single),
            narrowReference(APFloat(single), APFloat::BFloat()))
      << value;
}

TEST(HalfFloatTest, WidensEveryCodeAndComesBack) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    uint16_t bits = code;
    float half = halfToFloat(bits), bfloat = bfloatToFloat(bits);
    if (isNaN(bits, 0x7C00)) {
      EXPECT_TRUE(std::isnan(half));
    } else {
      EXPECT_EQ(half, widenReference(bits, APFloat::IEEEhalf()));
      EXPECT_EQ(floatToHalf(half), bits);
      EXPECT_EQ(doubleToHalf(half), bits);
    }
    if (isNaN(bits, 0x7F80)) {
      EXPECT_TRUE(std::isnan(bfloat));
    } else {
      EXPECT_EQ(bfloat, widenReference(bits, APFloat::BFloat()));
      EXPECT_EQ(floatToBFloat(bfloat), bits);
      EXPECT_EQ(doubleToBFloat(bfloat), bits);
    }
  }
}

TEST(HalfFloatTest, NarrowsTiesAndTheirNeighboursAsAPFloatDoes) {
  for (unsigned code = 0; code < 0x7FFF; ++code)
    for (double sign : {-1.0, 1.0}) {
      double halfTie = 0.5 * (static_cast<double>(halfToFloat(code)) +
                              halfToFloat(code + 1));
      double bfloatTie = 0.5 * (static_cast<double>(bfloatToFloat(code)) +
                                bfloatToFloat(code + 1));
      for (double tie : {halfTie, bfloatTie}) {
        checkNarrowing(sign * tie);
        checkNarrowing(sign * std::nextafter(tie, 0.0));
        checkNarrowing(sign * std::nextafter(tie, HUGE_VAL));
      }
    }
}

TEST(HalfFloatTest, NarrowsRandomBitsAsAPFloatDoes) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    checkNarrowing(detail::bitCast<double>(random()));
    checkNarrowing(
        detail::bitCast<float>(static_cast<uint32_t>(random() >> 32)));
  }
}

} // namespace
