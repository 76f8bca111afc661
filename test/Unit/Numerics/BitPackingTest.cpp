//===- BitPackingTest.cpp - Sub-byte integer fields in bytes --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BitPacking.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace compress::numerics;

namespace {

TEST(BitPackingTest, FourBitsStartInTheLowNibble) {
  std::vector<uint8_t> fields = {1, 0xFE /*-2*/, 3, 0xFC /*-4*/, 7};
  std::vector<uint8_t> packed(3);
  ASSERT_FALSE(static_cast<bool>(packBits(fields, 1, 5, 4, packed)));
  EXPECT_EQ(packed, (std::vector<uint8_t>{0xE1, 0xC3, 0x07}));
}

TEST(BitPackingTest, RoundTripsEveryWidthAndRaggedRows) {
  std::mt19937 random(7);
  for (unsigned bits = 1; bits <= 7; ++bits)
    for (int64_t columns : {0, 1, 2, 3, 7, 8, 9, 31, 40}) {
      std::vector<uint8_t> fields(3 * columns), back(fields.size());
      for (uint8_t &field : fields)
        field = random();
      std::vector<uint8_t> packed(3 * getPackedRowBytes(columns, bits));
      for (bool isSigned : {false, true}) {
        ASSERT_FALSE(
            static_cast<bool>(packBits(fields, 3, columns, bits, packed)));
        ASSERT_FALSE(static_cast<bool>(
            unpackBits(packed, 3, columns, bits, isSigned, back)));
        for (size_t i = 0; i < fields.size(); ++i) {
          int shifted = static_cast<int8_t>(fields[i] << (8 - bits));
          uint8_t expected = isSigned ? shifted >> (8 - bits)
                                      : (fields[i] & ((1u << bits) - 1));
          EXPECT_EQ(back[i], expected) << bits << " bits, field " << i;
        }
      }
    }
}

TEST(BitPackingTest, BitOfTheStreamIsTheBitOfTheField) {
  std::mt19937 random(8);
  for (unsigned bits = 1; bits <= 7; ++bits)
    for (int64_t columns : {1, 5, 8, 13, 64, 100}) {
      std::vector<uint8_t> fields(2 * columns);
      for (uint8_t &field : fields)
        field = random();
      const int64_t rowBytes = getPackedRowBytes(columns, bits);
      std::vector<uint8_t> packed(2 * rowBytes, 0xFF);
      ASSERT_FALSE(
          static_cast<bool>(packBits(fields, 2, columns, bits, packed)));
      for (int64_t bit = 0; bit < 2 * 8 * rowBytes; ++bit) {
        int64_t inRow = bit % (8 * rowBytes), field = inRow / bits;
        int expected = field < columns
                           ? fields[bit / (8 * rowBytes) * columns + field] >>
                                     (inRow % bits) &
                                 1
                           : 0;
        EXPECT_EQ(packed[bit / 8] >> (bit % 8) & 1, expected);
      }
    }
}

TEST(BitPackingTest, RefusesWrongSizes) {
  std::vector<uint8_t> fields(5), packed(3);
  EXPECT_TRUE(errorToBool(packBits(fields, 1, 5, 0, packed)));
  EXPECT_TRUE(errorToBool(packBits(fields, 1, 5, 8, packed)));
  EXPECT_TRUE(errorToBool(packBits(fields, 1, 6, 4, packed)));
  EXPECT_TRUE(errorToBool(packBits(fields, 2, 5, 4, packed)));
  EXPECT_TRUE(errorToBool(unpackBits(packed, 1, 7, 4, false, fields)));
}

} // namespace
