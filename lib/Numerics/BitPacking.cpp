//===- BitPacking.cpp - Sub-byte integer fields in bytes ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BitPacking.h"

using namespace llvm;

namespace compress::numerics {

static Error checkSizes(uint64_t fields, uint64_t packed, int64_t rows,
                        int64_t columns, unsigned bits) {
  if (bits < 1 || bits > 7)
    return createStringError("field width must be in [1, 7] bits, but is %u",
                             bits);
  if (rows < 0 || columns < 0)
    return createStringError("negative number of rows or columns");
  uint64_t expected = static_cast<uint64_t>(rows) * columns;
  if (fields != expected)
    return createStringError("expected %llu fields, but got %llu",
                             (unsigned long long)expected,
                             (unsigned long long)fields);
  uint64_t expectedBytes = rows * getPackedRowBytes(columns, bits);
  if (packed != expectedBytes)
    return createStringError("expected %llu packed bytes, but got %llu",
                             (unsigned long long)expectedBytes,
                             (unsigned long long)packed);
  return Error::success();
}

Error packBits(ArrayRef<uint8_t> fields, int64_t rows, int64_t columns,
               unsigned bits, MutableArrayRef<uint8_t> packed) {
  if (Error error =
          checkSizes(fields.size(), packed.size(), rows, columns, bits))
    return error;
  const uint32_t mask = (1u << bits) - 1;
  const uint8_t *in = fields.data();
  uint8_t *out = packed.data();
  for (int64_t row = 0; row < rows; ++row) {
    uint32_t window = 0;
    unsigned filled = 0;
    for (int64_t column = 0; column < columns; ++column) {
      window |= (*in++ & mask) << filled;
      filled += bits;
      if (filled >= 8) {
        *out++ = static_cast<uint8_t>(window);
        window >>= 8;
        filled -= 8;
      }
    }
    if (filled)
      *out++ = static_cast<uint8_t>(window);
  }
  return Error::success();
}

Error unpackBits(ArrayRef<uint8_t> packed, int64_t rows, int64_t columns,
                 unsigned bits, bool isSigned,
                 MutableArrayRef<uint8_t> fields) {
  if (Error error =
          checkSizes(fields.size(), packed.size(), rows, columns, bits))
    return error;
  const uint32_t mask = (1u << bits) - 1;
  const uint8_t sign = isSigned ? 1u << (bits - 1) : 0;
  const uint8_t *in = packed.data();
  uint8_t *out = fields.data();
  for (int64_t row = 0; row < rows; ++row) {
    uint32_t window = 0;
    unsigned filled = 0;
    for (int64_t column = 0; column < columns; ++column) {
      if (filled < bits) {
        window |= static_cast<uint32_t>(*in++) << filled;
        filled += 8;
      }
      uint8_t field = window & mask;
      *out++ = static_cast<uint8_t>((field ^ sign) - sign);
      window >>= bits;
      filled -= bits;
    }
  }
  return Error::success();
}

} // namespace compress::numerics
