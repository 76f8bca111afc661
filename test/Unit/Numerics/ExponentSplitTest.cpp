//===- ExponentSplitTest.cpp - Exponent bytes of bf16 and f32 -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/ExponentSplit.h"

#include "compress/Numerics/HalfFloat.h"
#include "compress/Numerics/HuffmanStream.h"
#include "gtest/gtest.h"

#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

TEST(ExponentSplitTest, FieldsAreWhereTheyShouldBe) {
  // -1.5: sign 1, exponent 127, the highest mantissa bit.
  std::vector<uint8_t> exponents(1), rest(1);
  std::vector<uint16_t> bfloats = {0xBFC0};
  ASSERT_FALSE(errorToBool(splitExponents(bfloats, exponents, rest)));
  EXPECT_EQ(exponents[0], 127);
  EXPECT_EQ(rest[0], 0xC0);
  std::vector<uint32_t> floats = {0xBFC00201};
  rest.resize(3);
  ASSERT_FALSE(errorToBool(splitExponents(floats, exponents, rest)));
  EXPECT_EQ(exponents[0], 127);
  EXPECT_EQ(rest, (std::vector<uint8_t>{0x01, 0x02, 0xC0}));
}

TEST(ExponentSplitTest, EveryBitPatternRoundTrips) {
  std::vector<uint16_t> bfloats(65536), back(65536);
  for (unsigned i = 0; i < 65536; ++i)
    bfloats[i] = i;
  std::vector<uint8_t> exponents(65536), rest(65536);
  ASSERT_FALSE(errorToBool(splitExponents(bfloats, exponents, rest)));
  ASSERT_FALSE(errorToBool(joinExponents(exponents, rest, back)));
  EXPECT_EQ(back, bfloats);
  std::mt19937 random(1);
  std::vector<uint32_t> floats(65536), floatsBack(65536);
  for (uint32_t &bits : floats)
    bits = random();
  rest.resize(3 * 65536);
  ASSERT_FALSE(errorToBool(splitExponents(floats, exponents, rest)));
  ASSERT_FALSE(errorToBool(joinExponents(exponents, rest, floatsBack)));
  EXPECT_EQ(floatsBack, floats);
  EXPECT_TRUE(errorToBool(splitExponents(bfloats, exponents, rest)));
  rest.pop_back();
  EXPECT_TRUE(errorToBool(splitExponents(floats, exponents, rest)));
  EXPECT_TRUE(errorToBool(joinExponents(exponents, rest, floatsBack)));
}

/// What the split is for: weights in bf16 lose about 30 % of their size.
TEST(ExponentSplitTest, ExponentsOfWeightsAreCompressible) {
  std::mt19937 random(2);
  std::vector<uint16_t> bfloats(200000);
  for (uint16_t &bits : bfloats) {
    float sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += random() / 4294967296.0f;
    bits = floatToBFloat(sum * 0.02f);
  }
  std::vector<uint8_t> exponents(bfloats.size()), rest(bfloats.size());
  ASSERT_FALSE(errorToBool(splitExponents(bfloats, exponents, rest)));
  std::vector<uint64_t> counts(256);
  cantFail(countSymbols(exponents, counts));
  std::vector<uint8_t> lengths(256);
  cantFail(computeHuffmanLengths(counts, kDefaultHuffmanLength, lengths));
  auto code = cantFail(HuffmanCode::create(lengths));
  HuffmanStream stream = cantFail(encodeHuffman(code, exponents));
  double bits = 8.0 * (stream.bytes.size() + 4 * stream.restarts.size()) /
                exponents.size();
  EXPECT_LE(bits, computeEntropy(counts) + 1);
  EXPECT_LE((8 + bits) / 16, 0.7);
  std::vector<uint8_t> decoded(exponents.size());
  ASSERT_FALSE(errorToBool(HuffmanDecoder(code).decode(
      stream.bytes, stream.restarts, kDefaultSegmentSymbols, decoded)));
  std::vector<uint16_t> back(bfloats.size());
  ASSERT_FALSE(errorToBool(joinExponents(decoded, rest, back)));
  EXPECT_EQ(back, bfloats);
}

} // namespace
