//===- BlockLayoutTest.cpp - Elements that share parameters ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BlockLayout.h"

#include "gtest/gtest.h"

using namespace compress::numerics;
using Sizes = llvm::SmallVector<int64_t>;

namespace {

std::string messageOf(llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> block) {
  llvm::Expected<BlockLayout> layout = BlockLayout::get(shape, block);
  return layout ? "" : llvm::toString(layout.takeError());
}

TEST(BlockLayoutTest, RoundsUpToWholeBlocks) {
  BlockLayout layout = llvm::cantFail(BlockLayout::get({4, 70}, {1, 32}));
  EXPECT_EQ(layout.getPaddedShape(), (Sizes{4, 96}));
  EXPECT_EQ(layout.getGridShape(), (Sizes{4, 3}));
  EXPECT_EQ(layout.getNumElements(), 280);
  EXPECT_EQ(layout.getNumPaddedElements(), 384);
  EXPECT_EQ(layout.getNumGroups(), 12);
}

TEST(BlockLayoutTest, WholeDimensionsHaveNoGridDimension) {
  BlockLayout layout =
      llvm::cantFail(BlockLayout::get({4, 70}, {kWholeDim, 32}));
  EXPECT_EQ(layout.getPaddedShape(), (Sizes{4, 96}));
  EXPECT_EQ(layout.getGridShape(), (Sizes{3}));
  layout = llvm::cantFail(BlockLayout::get({4, 70}, {}));
  EXPECT_EQ(layout.getPaddedShape(), (Sizes{4, 70}));
  EXPECT_TRUE(layout.getGridShape().empty());
  EXPECT_EQ(layout.getNumGroups(), 1);
  // A block that is written out keeps its dimension.
  layout = llvm::cantFail(BlockLayout::get({4, 70}, {4, 70}));
  EXPECT_EQ(layout.getGridShape(), (Sizes{1, 1}));
  // A block larger than its dimension is one ragged block.
  layout = llvm::cantFail(BlockLayout::get({3}, {32}));
  EXPECT_EQ(layout.getPaddedShape(), (Sizes{32}));
  EXPECT_EQ(layout.getNumGroups(), 1);
}

TEST(BlockLayoutTest, ScalarsAndEmptyTensors) {
  BlockLayout layout = llvm::cantFail(BlockLayout::get({}, {}));
  EXPECT_EQ(layout.getNumElements(), 1);
  EXPECT_EQ(layout.getNumGroups(), 1);
  layout = llvm::cantFail(BlockLayout::get({0, 8}, {1, 4}));
  EXPECT_EQ(layout.getNumGroups(), 0);
  EXPECT_EQ(layout.getNumPaddedElements(), 0);
  layout = llvm::cantFail(BlockLayout::get({0, 8}, {kWholeDim, 4}));
  EXPECT_EQ(layout.getNumGroups(), 2);
  EXPECT_EQ(layout.getNumPaddedElements(), 0);
}

TEST(BlockLayoutTest, RefusesWhatIsNoLayout) {
  EXPECT_EQ(messageOf({4, 4}, {1}),
            "expected one block size for each of 2 dimensions, but got 1");
  EXPECT_EQ(messageOf({4, -1}, {1, 1}), "dimension 1 has the negative size -1");
  EXPECT_EQ(messageOf({4, 4}, {1, 0}),
            "block size of dimension 1 must be at least 1 or the whole "
            "dimension, but is 0");
  EXPECT_NE(messageOf({4, 4}, {1, -2}), "");
  EXPECT_NE(messageOf({int64_t(1) << 40, int64_t(1) << 40}, {}), "");
  EXPECT_NE(messageOf({4, 4}, {int64_t(1) << 40, int64_t(1) << 40}), "");
  EXPECT_NE(messageOf({4}, {INT64_MAX}), "");
  EXPECT_NE(messageOf({INT64_MAX}, {2}), "");
  // An empty tensor whose other sizes cannot be multiplied.
  EXPECT_NE(messageOf({0, int64_t(1) << 40, int64_t(1) << 40}, {}), "");
}

TEST(BlockLayoutTest, SlabsTileTheTensor) {
  BlockLayout layout = llvm::cantFail(BlockLayout::get({10, 5}, {4, 2}));
  int64_t element = 0, padded = 0, group = 0;
  for (auto [begin, end] : {std::pair(0, 4), {4, 8}, {8, 10}}) {
    RowSlab slab = llvm::cantFail(layout.getRowSlab(begin, end));
    EXPECT_EQ(slab.firstElement, element);
    EXPECT_EQ(slab.firstPaddedElement, padded);
    EXPECT_EQ(slab.firstGroup, group);
    element += slab.layout.getNumElements();
    padded += slab.layout.getNumPaddedElements();
    group += slab.layout.getNumGroups();
  }
  EXPECT_EQ(element, layout.getNumElements());
  EXPECT_EQ(padded, layout.getNumPaddedElements());
  EXPECT_EQ(group, layout.getNumGroups());
  EXPECT_FALSE(static_cast<bool>(layout.verify()));
  for (auto [begin, end] :
       {std::pair(1, 4), {0, 6}, {8, 12}, {8, 4}, {-4, 4}}) {
    llvm::Expected<RowSlab> slab = layout.getRowSlab(begin, end);
    EXPECT_FALSE(static_cast<bool>(slab)) << begin;
    llvm::consumeError(slab.takeError());
  }
  llvm::Expected<RowSlab> slab =
      llvm::cantFail(BlockLayout::get({}, {})).getRowSlab(0, 0);
  EXPECT_FALSE(static_cast<bool>(slab));
  llvm::consumeError(slab.takeError());
}

} // namespace
