//===- PanelsTest.cpp - Matrices packed for tile kernels ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every test reads packed panels at the positions that Panels.h gives, and
// compares with the matrix.

#include "compress/Numerics/Panels.h"
#include "compress/Numerics/HalfFloat.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <random>

using namespace compress::numerics;

namespace {

template <typename T>
T readAt(const std::vector<char> &bytes, int64_t offset) {
  EXPECT_GE(offset, 0);
  EXPECT_LE(offset + static_cast<int64_t>(sizeof(T)),
            static_cast<int64_t>(bytes.size()));
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::vector<char> makeBytes(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> bytes(count);
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  return bytes;
}

/// A matrix whose columns are rows in memory, taps inside them.
PanelMatrix makeMatrix(const std::vector<char> &data, int64_t columns,
                       int64_t taps, int64_t depth) {
  PanelMatrix matrix;
  matrix.columns = columns;
  matrix.taps = taps;
  matrix.depth = depth;
  matrix.data = data.data();
  matrix.columnStride = taps * depth;
  matrix.tapStride = depth;
  matrix.depthStride = 1;
  return matrix;
}

int64_t ceilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }

//===----------------------------------------------------------------------===//
// Dot products of four
//===----------------------------------------------------------------------===//

void expectIntPanels(const PanelMatrix &matrix, int64_t width,
                     int32_t headFactor) {
  SCOPED_TRACE(testing::Message()
               << matrix.columns << " columns, " << matrix.taps << " taps, "
               << matrix.depth << " deep, width " << width);
  std::vector<char> packed = packIntPanels(matrix, width, headFactor);
  int64_t steps = ceilDiv(matrix.depth, 4);
  int64_t panels = ceilDiv(matrix.columns, width);
  int64_t panelBytes = 4 * width + matrix.taps * steps * 4 * width;
  ASSERT_EQ(static_cast<int64_t>(packed.size()), panels * panelBytes);
  for (int64_t column = 0; column < panels * width; ++column) {
    bool inside = column < matrix.columns;
    int64_t panel = column / width * panelBytes, inner = column % width;
    int64_t sum = 0;
    for (int64_t tap = 0; tap < matrix.taps; ++tap)
      for (int64_t k = 0; k < 4 * steps; ++k) {
        int32_t expected =
            inside && k < matrix.depth ? matrix.code(column, tap, k) : 0;
        int64_t at = panel + 4 * width + (tap * steps + k / 4) * 4 * width +
                     4 * inner + k % 4;
        ASSERT_EQ(readAt<int8_t>(packed, at), expected)
            << "column " << column << " tap " << tap << " product " << k;
        sum += expected;
      }
    ASSERT_EQ(readAt<int32_t>(packed, panel + 4 * inner), sum * headFactor)
        << "column " << column;
  }
}

TEST(PanelsTest, IntPanelsOfOneMatrix) {
  // Two columns of three products, four columns wide.
  std::vector<char> data = {1, 2, 3, -4, 5, -6};
  std::vector<char> packed =
      packIntPanels(makeMatrix(data, 2, 1, 3), /*width=*/4, -128);
  std::vector<int8_t> codes(16);
  ASSERT_EQ(packed.size(), 32u);
  std::memcpy(codes.data(), packed.data() + 16, 16);
  EXPECT_EQ(codes, (std::vector<int8_t>{1, 2, 3, 0, -4, 5, -6, 0, 0, 0, 0, 0, 0,
                                        0, 0, 0}));
  EXPECT_EQ(readAt<int32_t>(packed, 0), -128 * 6);
  EXPECT_EQ(readAt<int32_t>(packed, 4), -128 * -5);
  EXPECT_EQ(readAt<int32_t>(packed, 8), 0);
}

TEST(PanelsTest, IntPanelsOfOddSizesAndTaps) {
  unsigned seed = 0;
  for (int64_t columns : {0, 1, 3, 7, 8, 9, 17, 33})
    for (int64_t taps : {1, 2, 9})
      for (int64_t depth : {0, 1, 3, 4, 5, 13, 16})
        for (int64_t width : {4, 8, 16}) {
          std::vector<char> data = makeBytes(columns * taps * depth, ++seed);
          expectIntPanels(makeMatrix(data, columns, taps, depth), width, -128);
        }
}

TEST(PanelsTest, IntPanelsReadAnyStrides) {
  // Products outermost, then taps, then every third of the columns.
  std::vector<char> data = makeBytes(13 * 2 * 30, 1);
  PanelMatrix matrix = makeMatrix(data, 10, 2, 13);
  matrix.columnStride = 3;
  matrix.tapStride = 30;
  matrix.depthStride = 60;
  expectIntPanels(matrix, 8, 0);
  // One code for all: a splat.
  matrix.columnStride = matrix.tapStride = matrix.depthStride = 0;
  expectIntPanels(matrix, 8, -128);
}

TEST(PanelsTest, IntHeadsAreModulo32Bits) {
  std::vector<char> data(1 << 18, static_cast<char>(-128));
  std::vector<char> packed =
      packIntPanels(makeMatrix(data, 1, 1, 1 << 18), 4, -128);
  // 2^18 * 2^7 * 2^7 is 2^32.
  EXPECT_EQ(readAt<int32_t>(packed, 0), 0);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename T>
void expectFloatPanels(int64_t columns, int64_t taps, int64_t depth,
                       int64_t width, int64_t group) {
  SCOPED_TRACE(testing::Message()
               << columns << " columns, " << taps << " taps, " << depth
               << " deep, width " << width << ", group " << group);
  std::vector<T> values(columns * taps * depth);
  std::iota(values.begin(), values.end(), T(1));
  std::vector<char> data(values.size() * sizeof(T));
  if (!data.empty())
    std::memcpy(data.data(), values.data(), data.size());
  // Taps outermost, products inside, as filters are stored.
  PanelMatrix matrix = makeMatrix(data, columns, taps, depth);
  matrix.elementBytes = sizeof(T);
  matrix.columnStride = 1;
  matrix.tapStride = depth * columns;
  matrix.depthStride = columns;
  std::vector<char> packed = packFloatPanels(matrix, width, group);
  int64_t steps = ceilDiv(depth, group), panels = ceilDiv(columns, width);
  int64_t panelSize = taps * steps * width * group;
  ASSERT_EQ(packed.size(), panels * panelSize * sizeof(T));
  for (int64_t column = 0; column < panels * width; ++column)
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t k = 0; k < steps * group; ++k) {
        T expected = column < columns && k < depth
                         ? values[(tap * depth + k) * columns + column]
                         : T(0);
        int64_t at = column / width * panelSize +
                     (tap * steps + k / group) * width * group +
                     column % width * group + k % group;
        ASSERT_EQ(readAt<T>(packed, at * sizeof(T)), expected)
            << "column " << column << " tap " << tap << " product " << k;
      }
}

TEST(PanelsTest, FloatPanels) {
  for (int64_t columns : {0, 1, 5, 8, 17})
    for (int64_t taps : {1, 3})
      for (int64_t depth : {0, 1, 2, 7}) {
        expectFloatPanels<float>(columns, taps, depth, 8, 1);
        // Pairs of 16 bits, as bf16 products take them.
        expectFloatPanels<uint16_t>(columns, taps, depth, 16, 2);
      }
}

//===----------------------------------------------------------------------===//
// Block scales
//===----------------------------------------------------------------------===//

struct BlockCase {
  int64_t columns, depth, width, block;
  unsigned codeBits, bits;
  bool isSigned, halfScales, zeroPoints;
};

/// The code of a product in a block, as an unsigned number.
int32_t readCode(const std::vector<char> &packed, int64_t codes,
                 const BlockPanelFormat &format, int64_t column, int64_t k) {
  if (format.bits == 8)
    return readAt<uint8_t>(packed, codes + k / 4 * 4 * format.width +
                                       4 * column + k % 4);
  uint8_t byte = readAt<uint8_t>(packed, codes + k / 8 * 4 * format.width +
                                             4 * column + k % 4);
  return k % 8 < 4 ? byte & 15 : byte >> 4;
}

void expectBlockPanels(const BlockCase &test) {
  SCOPED_TRACE(testing::Message()
               << test.columns << " columns, " << test.depth << " deep, width "
               << test.width << ", block " << test.block << ", "
               << test.codeBits << " bits in " << test.bits
               << (test.isSigned ? ", signed" : ", unsigned")
               << (test.halfScales ? ", half scales" : "")
               << (test.zeroPoints ? ", zero points" : ""));
  std::mt19937 random(test.columns * 1000 + test.depth);
  int32_t low = test.isSigned ? -(1 << (test.codeBits - 1)) : 0;
  auto makeCode = [&] {
    return low + static_cast<int32_t>(random() % (1u << test.codeBits));
  };
  std::vector<char> data(test.columns * test.depth);
  for (char &code : data)
    code = static_cast<char>(makeCode());
  int64_t blocks = ceilDiv(test.depth, test.block);
  // Scales of a block follow each other, one for each column.
  std::vector<float> scales(test.columns * blocks);
  std::vector<int32_t> points(scales.size());
  for (size_t i = 0; i < scales.size(); ++i) {
    scales[i] = 0.5f + static_cast<float>(i) / 8;
    points[i] = makeCode();
  }
  PanelMatrix matrix = makeMatrix(data, test.columns, 1, test.depth);
  matrix.isSigned = test.isSigned;
  matrix.scales = scales.data();
  matrix.zeroPoints = test.zeroPoints ? points.data() : nullptr;
  matrix.scaleColumnStride = 1;
  matrix.scaleBlockStride = test.columns;
  BlockPanelFormat format;
  format.width = test.width;
  format.block = test.block;
  format.bits = test.bits;
  format.halfScales = test.halfScales;
  format.zeroPoints = test.zeroPoints;
  format.shift = test.bits == 4 ? 8 : 128;

  std::vector<char> packed = packBlockPanels(matrix, format);
  int64_t scaleBytes = test.width * (test.halfScales ? 2 : 4);
  int64_t pointBytes = test.zeroPoints ? test.width * 4 : 0;
  int64_t blockBytes =
      scaleBytes + pointBytes + test.width * test.block * test.bits / 8;
  EXPECT_EQ(format.getBlockBytes(), blockBytes);
  int64_t panels = ceilDiv(test.columns, test.width);
  ASSERT_EQ(static_cast<int64_t>(packed.size()), panels * blocks * blockBytes);
  int32_t shift = test.isSigned ? format.shift : 0;
  for (int64_t column = 0; column < panels * test.width; ++column)
    for (int64_t block = 0; block < blocks; ++block) {
      bool inside = column < test.columns;
      int64_t inner = column % test.width;
      int64_t start = (column / test.width * blocks + block) * blockBytes;
      int64_t group = block * test.columns + column;
      float scale =
          test.halfScales
              ? halfToFloat(readAt<uint16_t>(packed, start + 2 * inner))
              : readAt<float>(packed, start + 4 * inner);
      ASSERT_EQ(scale, inside ? scales[group] : 0.0f);
      // What the kernel takes away from each code.
      int32_t zero = format.shift;
      if (test.zeroPoints) {
        int64_t at = start + scaleBytes + 4 * inner;
        zero = readAt<int16_t>(packed, at);
        ASSERT_EQ(readAt<int16_t>(packed, at + 2), 0);
        if (inside) {
          ASSERT_EQ(zero, points[group] + shift);
        }
      }
      for (int64_t k = 0; k < test.block; ++k) {
        int64_t depth = block * test.block + k;
        int32_t code =
            readCode(packed, start + scaleBytes + pointBytes, format, inner, k);
        // Products beyond the end are those of a zero.
        int32_t expected = inside && depth < test.depth
                               ? matrix.code(column, 0, depth) + shift
                               : (inside ? zero : code);
        ASSERT_EQ(code, expected)
            << "column " << column << " product " << depth;
      }
    }
}

TEST(PanelsTest, BlockPanelsOfHalfBytes) {
  for (int64_t columns : {0, 1, 5, 8, 19})
    for (int64_t depth : {0, 1, 8, 31, 40, 64})
      for (int64_t block : {8, 16, 32})
        for (unsigned codeBits : {2u, 3u, 4u})
          for (bool isSigned : {false, true})
            for (bool halfScales : {false, true})
              // Unsigned codes without a zero point have one of zero.
              for (bool zeroPoints : {false, true})
                if (isSigned || zeroPoints)
                  expectBlockPanels({columns, depth, 8, block, codeBits, 4,
                                     isSigned, halfScales, zeroPoints});
}

TEST(PanelsTest, BlockPanelsOfBytes) {
  for (int64_t columns : {1, 16, 17})
    for (int64_t depth : {1, 40, 129})
      for (int64_t block : {8, 64, 128})
        for (unsigned codeBits : {5u, 8u})
          for (bool isSigned : {false, true})
            for (bool zeroPoints : {false, true})
              if (isSigned || zeroPoints)
                expectBlockPanels({columns, depth, 16, block, codeBits, 8,
                                   isSigned, false, zeroPoints});
}

TEST(PanelsTest, UnsignedCodesWithoutZeroPoints) {
  std::vector<char> data = {15, 0, 7, 9, 1};
  std::vector<float> scales = {2.0f};
  PanelMatrix matrix = makeMatrix(data, 1, 1, 5);
  matrix.isSigned = false;
  matrix.scales = scales.data();
  BlockPanelFormat format;
  format.width = 4;
  format.block = 8;
  format.zeroPoints = true;
  std::vector<char> packed = packBlockPanels(matrix, format);
  ASSERT_EQ(packed.size(), 16u + 16u + 16u);
  EXPECT_EQ(readAt<int16_t>(packed, 16), 0);
  // Products 0 to 3 in the low halves, 4 to 7 in the high ones.
  EXPECT_EQ(readAt<uint8_t>(packed, 32), 0x1F);
  EXPECT_EQ(readAt<uint8_t>(packed, 33), 0x00);
  EXPECT_EQ(readAt<uint8_t>(packed, 34), 0x07);
  EXPECT_EQ(readAt<uint8_t>(packed, 35), 0x09);
}

} // namespace
