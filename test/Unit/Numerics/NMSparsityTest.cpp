//===- NMSparsityTest.cpp - N:M structured sparsity -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/NMSparsity.h"
#include "compress/Numerics/HalfFloat.h"
#include "compress/Numerics/InstructionSet.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace compress::numerics;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using Bytes = std::vector<uint8_t>;

namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();
const float inf = std::numeric_limits<float>::infinity();

template <typename T>
ArrayRef<char> asBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}
template <typename T>
MutableArrayRef<char> asBytes(std::vector<T> &values) {
  return {reinterpret_cast<char *>(values.data()), values.size() * sizeof(T)};
}

Bytes select(FloatBuffer values, const NMLayout &layout, unsigned threads = 1) {
  Bytes indices(layout.getNumStored());
  llvm::cantFail(selectNM(values, layout, indices, threads));
  return indices;
}

Bytes selectRow(std::vector<float> row, unsigned n = 2, unsigned m = 4,
                unsigned unit = 1) {
  NMLayout layout = llvm::cantFail(
      NMLayout::get(n, m, {static_cast<int64_t>(row.size())}, 0, unit));
  return select(ArrayRef<float>(row), layout);
}

TEST(NMSparsityTest, KeepsTheLargestMagnitudes) {
  EXPECT_EQ(selectRow({1, -4, 3, 2}), (Bytes{1, 2}));
  EXPECT_EQ(selectRow({5, 0, 0, 7}), (Bytes{0, 3}));
  EXPECT_EQ(selectRow({1, -4, 3, 2}, 1, 4), (Bytes{1}));
  EXPECT_EQ(selectRow({1, -4}, 1, 2), (Bytes{1}));
  EXPECT_EQ(selectRow({1, 2, 3, 4, 5, 6, 7, 8}, 4, 8), (Bytes{4, 5, 6, 7}));
}

TEST(NMSparsityTest, TiesGoToTheLowestIndexAndNaNComesFirst) {
  EXPECT_EQ(selectRow({1, 1, 1, 1}), (Bytes{0, 1}));
  EXPECT_EQ(selectRow({-2, 2, 2, -2}), (Bytes{0, 1}));
  EXPECT_EQ(selectRow({nan, 1, 2, 3}), (Bytes{0, 3}));
  EXPECT_EQ(selectRow({inf, 1, -inf, nan}), (Bytes{0, 3}));
  EXPECT_EQ(selectRow({1, -nan, 2, nan}), (Bytes{1, 3}));
  EXPECT_EQ(selectRow({inf, inf, nan, 3}), (Bytes{0, 2}));
}

TEST(NMSparsityTest, FillsUpFromTheEnd) {
  EXPECT_EQ(selectRow({0, 0, 0, 0}), (Bytes{2, 3}));
  EXPECT_EQ(selectRow({0, -0.0f, -0.0f, 0}), (Bytes{2, 3}));
  EXPECT_EQ(selectRow({9, 0, 0, 0}), (Bytes{0, 2}));
  EXPECT_EQ(selectRow({0, 9, 0, 0}), (Bytes{1, 2}));
  EXPECT_EQ(selectRow({0, 0, 9, 0}), (Bytes{2, 3}));
  EXPECT_EQ(selectRow({0, 0, 0, 9}), (Bytes{2, 3}));
  EXPECT_EQ(selectRow({0, 0}, 1, 2), (Bytes{1}));
  EXPECT_EQ(selectRow({0, 0, 0, 0, 0, 0, 3, 0}, 4, 8), (Bytes{4, 5, 6, 7}));
  EXPECT_EQ(selectRow({0, 3, 0, 0, 0, 0, 0, 0}, 4, 8), (Bytes{1, 4, 5, 6}));
}

TEST(NMSparsityTest, RaggedGroupsCountAsPaddedWithZeros) {
  EXPECT_EQ(selectRow({1, 2, 3, 4, 5, 6}), (Bytes{2, 3, 0, 1}));
  EXPECT_EQ(selectRow({1, 2, 3, 4, 5}), (Bytes{2, 3, 0, 2}));
  EXPECT_EQ(selectRow({1, 2, 3, 4, 5, 7, 6}), (Bytes{2, 3, 1, 2}));
  EXPECT_EQ(selectRow({}), Bytes{});
}

TEST(NMSparsityTest, KeepsUnitsTogether) {
  // Pair sums 3, 3, 5, 4.
  EXPECT_EQ(selectRow({1, 2, -3, 0, 5, 0, 2, 2}, 4, 8, 2), (Bytes{4, 5, 6, 7}));
  EXPECT_EQ(selectRow({1, 2, -3, 0, 3, 0, 2, 1}, 4, 8, 2), (Bytes{0, 1, 2, 3}));
  EXPECT_EQ(selectRow({0, 0, 0, 1, 0, 0, 0, 0}, 4, 8, 2), (Bytes{2, 3, 4, 5}));
  EXPECT_EQ(selectRow({0, nan, 9, 9, 8, 8, 0, 0, 7}, 4, 8, 2),
            (Bytes{0, 1, 2, 3, 0, 1, 4, 5}));
}

/// Selection, one group at a time, by sorting.
Bytes selectReference(const std::vector<double> &values,
                      const NMLayout &layout) {
  Bytes indices(layout.getNumStored());
  for (int64_t o = 0; o < layout.outer; ++o)
    for (int64_t g = 0; g < layout.getNumGroups(); ++g)
      for (int64_t i = 0; i < layout.inner; ++i) {
        std::vector<double> keys(layout.m);
        for (unsigned p = 0; p < layout.m && g * layout.m + p < layout.size;
             ++p) {
          double value =
              values[(o * layout.size + g * layout.m + p) * layout.inner + i];
          keys[p] = std::isnan(value)   ? 1e308
                    : std::isinf(value) ? 1e307
                                        : std::abs(value);
        }
        std::vector<int> order(layout.m);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) {
          return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
        });
        std::vector<bool> kept(layout.m);
        unsigned count = 0;
        for (unsigned r = 0; r < layout.n; ++r)
          if (keys[order[r]] > 0) {
            kept[order[r]] = true;
            ++count;
          }
        for (unsigned p = layout.m - layout.n; count < layout.n; ++p)
          if (!kept[p]) {
            kept[p] = true;
            ++count;
          }
        unsigned r = 0;
        for (unsigned p = 0; p < layout.m; ++p)
          if (kept[p])
            indices[(o * layout.getStoredSize() + g * layout.n + r++) *
                        layout.inner +
                    i] = p;
      }
  return indices;
}

struct Case {
  llvm::SmallVector<int64_t> shape;
  int64_t dim;
};

const Case cases[] = {{{64}, 0},         {{7}, 0},          {{5, 40}, 1},
                      {{40, 5}, 0},      {{41, 70}, 0},     {{9, 43}, 1},
                      {{4, 6, 3, 3}, 1}, {{3, 3, 8, 2}, 2}, {{0, 8}, 1},
                      {{8, 0}, 0},       {{300, 260}, 1}};

constexpr InstructionSet sets[] = {
    InstructionSet::Portable, InstructionSet::AVX2, InstructionSet::AVX512};

TEST(NMSparsityTest, EqualsSortingForAllKindsShapesAndPatterns) {
  const std::pair<unsigned, unsigned> patterns[] = {
      {2, 4}, {1, 2}, {1, 4}, {4, 8}, {3, 5}, {1, 16}, {15, 16}, {8, 16}};
  unsigned seed = 0;
  for (InstructionSet limit : sets) {
    limitInstructionSet(limit);
    for (const Case &test : cases)
      for (auto [n, m] : patterns) {
        NMLayout layout =
            llvm::cantFail(NMLayout::get(n, m, test.shape, test.dim));
        std::mt19937 random(++seed);
        const float special[] = {nan, -nan, inf, -inf, 0.0f, -0.0f};
        std::vector<double> numbers(layout.getNumElements());
        std::vector<float> singles(numbers.size());
        std::vector<uint16_t> halves(numbers.size()), bfloats(numbers.size());
        for (size_t i = 0; i < numbers.size(); ++i) {
          // Few distinct values, so that there are ties.
          float value = random() % 9 == 0
                            ? special[random() % 6]
                            : static_cast<int>(random() % 13) - 6.0f;
          numbers[i] = singles[i] = value;
          halves[i] = floatToHalf(value);
          bfloats[i] = floatToBFloat(value);
        }
        const int64_t count = numbers.size();
        Bytes expected = selectReference(numbers, layout);
        EXPECT_EQ(select(ArrayRef<double>(numbers), layout), expected);
        EXPECT_EQ(select(ArrayRef<float>(singles), layout, 3), expected);
        EXPECT_EQ(select({FloatBuffer::F16, halves.data(), count}, layout),
                  expected);
        EXPECT_EQ(select({FloatBuffer::BF16, bfloats.data(), count}, layout),
                  expected);
      }
  }
  limitInstructionSet(InstructionSet::AVX512);
}

TEST(NMSparsityTest, ScatterUndoesGatherForEveryElementSize) {
  auto check = [](auto element) {
    using Element = decltype(element);
    for (const Case &test : cases) {
      NMLayout layout =
          llvm::cantFail(NMLayout::get(2, 4, test.shape, test.dim));
      std::mt19937_64 random(3);
      std::vector<float> weights(layout.getNumElements());
      std::vector<Element> dense(weights.size()), back(weights.size(), 77);
      for (size_t i = 0; i < weights.size(); ++i) {
        dense[i] = random() % 7;
        weights[i] = static_cast<float>(dense[i]);
      }
      Bytes indices = select(ArrayRef<float>(weights), layout);
      std::vector<Element> stored(layout.getNumStored(), 77);
      llvm::cantFail(gatherNM(asBytes(std::as_const(dense)), layout,
                              sizeof(Element), indices, asBytes(stored), 2));
      llvm::cantFail(scatterNM(asBytes(std::as_const(stored)), layout,
                               sizeof(Element), indices, asBytes(back), 2));
      int64_t group = 0;
      std::vector<int> kept(layout.outer * layout.getNumGroups() *
                            layout.inner);
      for (size_t i = 0; i < back.size(); ++i) {
        EXPECT_TRUE(back[i] == dense[i] || back[i] == 0);
        int64_t inner = i % layout.inner, at = i / layout.inner % layout.size;
        group = (i / layout.inner / layout.size * layout.getNumGroups() +
                 at / layout.m) *
                    layout.inner +
                inner;
        kept[group] += back[i] != 0;
      }
      for (int count : kept)
        EXPECT_LE(count, 2);
      // What is kept is 2:4 already, so doing it again changes nothing.
      for (size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<float>(back[i]);
      std::vector<Element> again(stored.size()), twice(back.size());
      indices = select(ArrayRef<float>(weights), layout);
      llvm::cantFail(gatherNM(asBytes(std::as_const(back)), layout,
                              sizeof(Element), indices, asBytes(again)));
      llvm::cantFail(scatterNM(asBytes(std::as_const(again)), layout,
                               sizeof(Element), indices, asBytes(twice)));
      EXPECT_EQ(twice, back);
    }
  };
  check(uint8_t());
  check(uint16_t());
  check(uint32_t());
  check(uint64_t());
}

TEST(NMSparsityTest, SplatEqualsExpanded) {
  NMLayout layout = llvm::cantFail(NMLayout::get(2, 4, {3, 10}, 1));
  std::vector<float> all(30, -2.0f);
  EXPECT_EQ(select({FloatBuffer::F32, all.data(), 1, /*splat=*/true}, layout),
            select(ArrayRef<float>(all), layout));
}

TEST(NMSparsityTest, SaysWhatIsWrong) {
  auto message = [](llvm::Expected<NMLayout> layout) {
    return layout ? "" : llvm::toString(layout.takeError());
  };
  EXPECT_EQ(message(NMLayout::get(4, 4, {8}, 0)),
            "4:4 is no pattern of structured sparsity: 1 <= N < M <= 16");
  EXPECT_NE(message(NMLayout::get(0, 4, {8}, 0)), "");
  EXPECT_NE(message(NMLayout::get(2, 17, {8}, 0)), "");
  EXPECT_EQ(message(NMLayout::get(2, 4, {8}, 1)),
            "dimension 1 is not in [0, 1)");
  EXPECT_NE(message(NMLayout::get(2, 4, {8, -1}, 0)), "");
  EXPECT_NE(message(NMLayout::get(3, 8, {8}, 0, 2)), "");
  EXPECT_NE(message(NMLayout::get(2, 4, {8}, 0, 0)), "");
  EXPECT_NE(
      message(NMLayout::get(2, 4, {int64_t(1) << 40, int64_t(1) << 40, 4}, 2)),
      "");
  NMLayout layout = llvm::cantFail(NMLayout::get(2, 4, {8}, 0));
  std::vector<float> values(7), dense(8), stored(4);
  Bytes indices = {0, 1, 2, 3};
  EXPECT_EQ(llvm::toString(selectNM(ArrayRef<float>(values), layout, indices)),
            "expected 8 elements, but got 7");
  auto scatter = [&](unsigned bytes) {
    return llvm::toString(scatterNM(asBytes(std::as_const(stored)), layout,
                                    bytes, indices, asBytes(dense)));
  };
  EXPECT_EQ(scatter(4), "");
  EXPECT_EQ(scatter(3), "elements must have 1, 2, 4 or 8 bytes, not 3");
  EXPECT_NE(scatter(8), "");
  for (Bytes bad : {Bytes{1, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 4}}) {
    indices = bad;
    EXPECT_EQ(scatter(4),
              "the positions of a group must be ascending and below 4");
  }
}

} // namespace
