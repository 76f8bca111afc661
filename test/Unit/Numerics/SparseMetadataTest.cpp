//===- SparseMetadataTest.cpp - Metadata of sparse MMA instructions -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/SparseMetadata.h"
#include "compress/Numerics/NMSparsity.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace compress::numerics;
using llvm::ArrayRef;
using Bytes = std::vector<uint8_t>;

namespace {

Bytes pack(SparseForm form, int64_t rows, int64_t groups, Bytes indices) {
  Bytes metadata(rows * getMetadataRowBytes(groups));
  llvm::cantFail(packSparseMetadata(form, rows, groups, indices, metadata));
  Bytes back(indices.size());
  llvm::cantFail(unpackSparseMetadata(form, rows, groups, metadata, back));
  EXPECT_EQ(back, indices);
  return metadata;
}

/// 2:4 metadata of one row of weights.
Bytes packRow(std::vector<float> row) {
  NMLayout layout = llvm::cantFail(
      NMLayout::get(2, 4, {static_cast<int64_t>(row.size())}, 0));
  Bytes indices(layout.getNumStored());
  llvm::cantFail(selectNM(ArrayRef<float>(row), layout, indices));
  return pack(SparseForm::TwoOfFour, 1, layout.getNumGroups(), indices);
}

TEST(SparseMetadataTest, FirstIndexIsInTheLowBits) {
  EXPECT_EQ(
      pack(SparseForm::TwoOfFour, 3, 2, {0, 1, 0, 2, 1, 2, 0, 3, 1, 3, 2, 3}),
      (Bytes{0x84, 0xC9, 0xED}));
  EXPECT_EQ(packRow({5, 0, 0, 7, 0, 9, 0, 0}), (Bytes{0x9C}));
  // One value and none: (2, 3), (2, 3), (2, 3), (0, 2).
  EXPECT_EQ(packRow({0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0}),
            (Bytes{0xEE, 0x8E}));
}

TEST(SparseMetadataTest, RowsStartOnBytes) {
  EXPECT_EQ(pack(SparseForm::TwoOfFour, 2, 1, {0, 1, 1, 3}),
            (Bytes{0xE4, 0xED}));
  EXPECT_EQ(pack(SparseForm::TwoOfFour, 0, 3, {}), Bytes{});
  EXPECT_EQ(pack(SparseForm::TwoOfFour, 3, 0, {}), Bytes{});
}

TEST(SparseMetadataTest, OneOfTwoAndPairs) {
  EXPECT_EQ(pack(SparseForm::OneOfTwo, 1, 4, {0, 1, 1, 0}),
            (Bytes{0xE4, 0x4E}));
  EXPECT_EQ(pack(SparseForm::FourOfEightPairs, 1, 2, {0, 1, 4, 5, 2, 3, 6, 7}),
            (Bytes{0xD8}));
}

TEST(SparseMetadataTest, RowOf32) {
  const std::vector<float> row = {0, 5, 0, 7, 1, 2, 0, 0, 0, 0, 3,
                                  4, 9, 0, 0, 8, 0, 0, 0, 6, 0, 0,
                                  0, 0, 2, 0, 3, 0, 0, 1, 1, 0};
  Bytes metadata = packRow(row);
  // Little-endian: the low nibbles come first. Groups 4 and 5 have fewer than
  // two values and may have any legal code.
  ASSERT_EQ(metadata.size(), 4u);
  EXPECT_EQ(metadata[0], 0x4D);
  EXPECT_EQ(metadata[1], 0xCE);
  EXPECT_EQ(metadata[3], 0x98);
  NMLayout layout = llvm::cantFail(NMLayout::get(2, 4, {32}, 0));
  Bytes indices(16);
  llvm::cantFail(
      unpackSparseMetadata(SparseForm::TwoOfFour, 1, 8, metadata, indices));
  std::vector<float> stored(16), back(32);
  auto bytes = [](auto &values) {
    return llvm::MutableArrayRef<char>(reinterpret_cast<char *>(values.data()),
                                       values.size() * 4);
  };
  std::vector<float> copy = row;
  llvm::cantFail(gatherNM(bytes(copy), layout, 4, indices, bytes(stored)));
  llvm::cantFail(scatterNM(bytes(stored), layout, 4, indices, bytes(back)));
  EXPECT_EQ(back, row);
}

TEST(SparseMetadataTest, SelectionsAlwaysHaveCodes) {
  std::mt19937 random(4);
  for (auto [form, n, m, unit] : {std::tuple(SparseForm::TwoOfFour, 2u, 4u, 1u),
                                  {SparseForm::OneOfTwo, 1u, 2u, 1u},
                                  {SparseForm::FourOfEightPairs, 4u, 8u, 2u}}) {
    NMLayout layout = llvm::cantFail(NMLayout::get(n, m, {50, 72}, 1, unit));
    std::vector<float> weights(50 * 72);
    for (float &weight : weights)
      weight = static_cast<int>(random() % 5) - 2.0f;
    Bytes indices(layout.getNumStored());
    llvm::cantFail(selectNM(ArrayRef<float>(weights), layout, indices));
    pack(form, 50, layout.getNumGroups(), indices);
  }
}

TEST(SparseMetadataTest, RefusesUndefinedCodesAndPositions) {
  for (SparseForm form : {SparseForm::TwoOfFour, SparseForm::OneOfTwo,
                          SparseForm::FourOfEightPairs}) {
    for (unsigned code = 0; code < 16; ++code) {
      bool legal = form == SparseForm::OneOfTwo
                       ? code == 0x4 || code == 0xE
                       : code == 0x4 || code == 0x8 || code == 0x9 ||
                             code == 0xC || code == 0xD || code == 0xE;
      Bytes metadata = {static_cast<uint8_t>(0xE0 | code)};
      Bytes indices(getStoredPerGroup(form));
      EXPECT_EQ(
          errorToBool(unpackSparseMetadata(form, 1, 1, metadata, indices)),
          !legal)
          << code;
    }
  }
  auto packFails = [](SparseForm form, Bytes indices) {
    Bytes metadata(1);
    return errorToBool(packSparseMetadata(form, 1, 1, indices, metadata));
  };
  EXPECT_TRUE(packFails(SparseForm::TwoOfFour, {1, 1}));
  EXPECT_TRUE(packFails(SparseForm::TwoOfFour, {2, 1}));
  EXPECT_TRUE(packFails(SparseForm::TwoOfFour, {2, 4}));
  EXPECT_TRUE(packFails(SparseForm::TwoOfFour, {2}));
  EXPECT_TRUE(packFails(SparseForm::OneOfTwo, {2}));
  EXPECT_TRUE(packFails(SparseForm::FourOfEightPairs, {0, 1, 3, 4}));
  EXPECT_TRUE(packFails(SparseForm::FourOfEightPairs, {0, 2, 4, 5}));
  EXPECT_FALSE(packFails(SparseForm::FourOfEightPairs, {0, 1, 4, 5}));
}

} // namespace
