//===- RuntimeSymbolsTest.cpp - Tests of the runtime functions ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/RuntimeSymbols.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace compress::execution;

namespace {

template <typename Function>
Function *get(StringRef name) {
  static RuntimeSymbols symbols = [] {
    RuntimeSymbols table;
    registerRuntimeSymbols(table);
    return table;
  }();
  void *address = symbols.lookup(name);
  EXPECT_NE(address, nullptr) << name.str();
  return reinterpret_cast<Function *>(address);
}

uint16_t bitsOf(_Float16 value) { return bit_cast<uint16_t>(value); }

TEST(RuntimeSymbols, HalfRoundsTiesToEven) {
  auto *trunc = get<_Float16(float)>("__truncsfhf2");
  EXPECT_EQ(bitsOf(trunc(1.0f)), 0x3c00);
  EXPECT_EQ(bitsOf(trunc(1.0f + 0x1p-11f)), 0x3c00);     // tie, down to even
  EXPECT_EQ(bitsOf(trunc(1.0f + 3 * 0x1p-11f)), 0x3c02); // tie, up to even
  EXPECT_EQ(bitsOf(trunc(65519.0f)), 0x7bff);
  EXPECT_EQ(bitsOf(trunc(65520.0f)), 0x7c00); // overflow
  EXPECT_EQ(bitsOf(trunc(0x1p-24f)), 0x0001); // least denormal
  EXPECT_EQ(bitsOf(trunc(0x1p-25f)), 0x0000); // tie with zero
  EXPECT_EQ(bitsOf(trunc(-0.0f)), 0x8000);
  EXPECT_EQ(bitsOf(trunc(NAN)) & 0x7e00, 0x7e00);
}

TEST(RuntimeSymbols, DoubleIsRoundedOnce) {
  // Above the tie by less than an f32 can show: rounding twice gives 1.
  double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(bitsOf(get<_Float16(double)>("__truncdfhf2")(value)), 0x3c01);
  double wide = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(bitsOf(get<_Float16(double)>("__truncdfbf2")(wide)), 0x3f81);
}

TEST(RuntimeSymbols, HalfExtendsExactly) {
  auto *trunc = get<_Float16(float)>("__truncsfhf2");
  auto *extend = get<float(_Float16)>("__extendhfsf2");
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = bit_cast<_Float16>(static_cast<uint16_t>(bits));
    float value = extend(half);
    if (std::isnan(value))
      continue;
    EXPECT_EQ(bitsOf(trunc(value)), bits);
  }
}

TEST(RuntimeSymbols, BFloatIsTheUpperHalf) {
  auto *trunc = get<_Float16(float)>("__truncsfbf2");
  auto *extend = get<float(_Float16)>("__extendbfsf2");
  EXPECT_EQ(bitsOf(trunc(1.0f + 0x1p-8f)), 0x3f80);     // tie, down to even
  EXPECT_EQ(bitsOf(trunc(1.0f + 3 * 0x1p-8f)), 0x3f82); // tie, up to even
  EXPECT_EQ(bitsOf(trunc(3.4e38f)), 0x7f80);
  EXPECT_EQ(extend(bit_cast<_Float16>(uint16_t(0x4049))), 3.140625f);
}

TEST(RuntimeSymbols, LaterEntriesWin) {
  RuntimeSymbols symbols;
  registerRuntimeSymbols(symbols);
  void (*own)() = [] {};
  symbols.add("printNewline", own);
  EXPECT_EQ(symbols.lookup("printNewline"), reinterpret_cast<void *>(own));
  EXPECT_EQ(symbols.lookup("no such name"), nullptr);
}

TEST(RuntimeSymbols, CopiesStridedMemrefs) {
  struct Descriptor {
    int32_t *allocated;
    int32_t *aligned;
    int64_t offset;
    int64_t sizes[2];
    int64_t strides[2];
  };
  struct Unranked {
    int64_t rank;
    void *descriptor;
  };
  auto *copy = get<void(int64_t, Unranked *, Unranked *)>("memrefCopy");
  int32_t source[] = {0, 1, 2, 3, 4, 5, 6, 7};
  int32_t target[6] = {};
  // The transpose of the 2x3 block that starts at element 1, of rows of 4.
  Descriptor from{source, source, 1, {3, 2}, {1, 4}};
  Descriptor to{target, target, 0, {3, 2}, {2, 1}};
  Unranked fromUnranked{2, &from}, toUnranked{2, &to};
  copy(sizeof(int32_t), &fromUnranked, &toUnranked);
  EXPECT_EQ(ArrayRef<int32_t>(target), ArrayRef<int32_t>({1, 5, 2, 6, 3, 7}));
  // Without elements nothing is touched; of rank 0 there is one element.
  from.sizes[0] = to.sizes[0] = 0;
  target[0] = 42;
  copy(sizeof(int32_t), &fromUnranked, &toUnranked);
  EXPECT_EQ(target[0], 42);
  Unranked fromScalar{0, &from}, toScalar{0, &to};
  copy(sizeof(int32_t), &fromScalar, &toScalar);
  EXPECT_EQ(target[0], 1);
}

} // namespace
