//===- BitPackingBench.cpp - Sub-byte integer fields in bytes -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/BitPacking.h"

#include "llvm/Support/Error.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

constexpr int64_t rows = 4096, columns = 4096;

/// Rates count the fields, which have a byte each.
struct WidthRows {
  Row pack, unpack;
  explicit WidthRows(unsigned bits)
      : pack("bits.pack." + std::to_string(bits), "4096x4096",
             [=](State &state) {
               std::vector<uint8_t> fields(rows * columns, 5);
               std::vector<uint8_t> packed(rows *
                                           getPackedRowBytes(columns, bits));
               for (auto _ : state)
                 cantFail(packBits(fields, rows, columns, bits, packed));
               setBytes(state, fields.size(), fields.size() + packed.size());
             }),
        unpack("bits.unpack." + std::to_string(bits), "4096x4096",
               [=](State &state) {
                 std::vector<uint8_t> fields(rows * columns);
                 std::vector<uint8_t> packed(
                     rows * getPackedRowBytes(columns, bits), 0xA5);
                 for (auto _ : state)
                   cantFail(unpackBits(packed, rows, columns, bits,
                                       /*isSigned=*/true, fields));
                 setBytes(state, fields.size(), fields.size() + packed.size());
               }) {}
};

WidthRows two(2);
WidthRows three(3);
WidthRows four(4);

} // namespace
