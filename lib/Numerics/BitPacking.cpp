//===- BitPacking.cpp - Sub-byte integer fields in bytes ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BitPacking.h"

#include "llvm/Support/Endian.h"

#include <algorithm>

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

//===----------------------------------------------------------------------===//
// Eight fields at a time
//===----------------------------------------------------------------------===//

// Eight fields of `bits` bits are `bits` bytes, so groups of eight start on
// bytes. They are moved together or apart in one 64-bit word: pairs of fields,
// then pairs of pairs, then halves.

constexpr uint64_t kBytes = 0x00FF00FF00FF00FF;
constexpr uint64_t kHalves = 0x0000FFFF0000FFFF;
constexpr uint64_t kWords = 0x00000000FFFFFFFF;

/// `byte` in all eight bytes.
static constexpr uint64_t repeat(uint8_t byte) {
  return byte * UINT64_C(0x0101010101010101);
}

/// The stream of the eight fields at `fields` in the low bits.
template <unsigned bits>
static uint64_t packEight(const uint8_t *fields) {
  uint64_t x = support::endian::read64le(fields) & repeat((1u << bits) - 1);
  x = (x & kBytes) | ((x & ~kBytes) >> (8 - bits));
  x = (x & kHalves) | ((x & ~kHalves) >> (16 - 2 * bits));
  return (x & kWords) | ((x & ~kWords) >> (32 - 4 * bits));
}

/// Writes eight fields from the low bits of `stream`; `sign` is the sign bit of
/// a field, or 0.
template <unsigned bits>
static void unpackEight(uint64_t stream, uint8_t sign, uint8_t *fields) {
  constexpr uint64_t four = (uint64_t(1) << (4 * bits)) - 1;
  constexpr uint64_t two = ((uint64_t(1) << (2 * bits)) - 1) * 0x100000001;
  constexpr uint64_t one = ((uint64_t(1) << bits) - 1) * 0x1000100010001;
  uint64_t x = (stream & four) | ((stream >> (4 * bits) & four) << 32);
  x = (x & two) | ((x >> (2 * bits) & two) << 16);
  x = (x & one) | ((x >> bits & one) << 8);
  // (field ^ sign) - sign in every byte; the high bits keep borrows apart.
  x = (((x ^ repeat(sign)) | repeat(0x80)) - repeat(sign)) ^ repeat(0x80);
  support::endian::write64le(fields, x);
}

template <unsigned bits>
static void packRow(const uint8_t *fields, int64_t columns, uint8_t *packed) {
  for (; columns >= 8; columns -= 8, fields += 8, packed += bits) {
    uint64_t stream = packEight<bits>(fields);
    for (unsigned i = 0; i < bits; ++i)
      packed[i] = static_cast<uint8_t>(stream >> (8 * i));
  }
  uint8_t rest[8] = {};
  std::copy_n(fields, columns, rest);
  uint64_t stream = packEight<bits>(rest);
  for (int64_t i = 0, bytes = getPackedRowBytes(columns, bits); i < bytes; ++i)
    packed[i] = static_cast<uint8_t>(stream >> (8 * i));
}

template <unsigned bits>
static void unpackRow(const uint8_t *packed, int64_t columns, uint8_t sign,
                      uint8_t *fields) {
  for (; columns >= 8; columns -= 8, fields += 8, packed += bits) {
    uint64_t stream = 0;
    for (unsigned i = 0; i < bits; ++i)
      stream |= static_cast<uint64_t>(packed[i]) << (8 * i);
    unpackEight<bits>(stream, sign, fields);
  }
  uint64_t stream = 0;
  for (int64_t i = 0, bytes = getPackedRowBytes(columns, bits); i < bytes; ++i)
    stream |= static_cast<uint64_t>(packed[i]) << (8 * i);
  uint8_t rest[8];
  unpackEight<bits>(stream, sign, rest);
  std::copy_n(rest, columns, fields);
}

/// The functions for a width in [1, 7].
using PackFn = void (*)(const uint8_t *, int64_t, uint8_t *);
using UnpackFn = void (*)(const uint8_t *, int64_t, uint8_t, uint8_t *);
static constexpr PackFn kPackRow[] = {packRow<1>, packRow<2>, packRow<3>,
                                      packRow<4>, packRow<5>, packRow<6>,
                                      packRow<7>};
static constexpr UnpackFn kUnpackRow[] = {
    unpackRow<1>, unpackRow<2>, unpackRow<3>, unpackRow<4>,
    unpackRow<5>, unpackRow<6>, unpackRow<7>};

Error packBits(ArrayRef<uint8_t> fields, int64_t rows, int64_t columns,
               unsigned bits, MutableArrayRef<uint8_t> packed) {
  if (Error error =
          checkSizes(fields.size(), packed.size(), rows, columns, bits))
    return error;
  const PackFn pack = kPackRow[bits - 1];
  const int64_t rowBytes = getPackedRowBytes(columns, bits);
  for (int64_t row = 0; row < rows; ++row)
    pack(fields.data() + row * columns, columns,
         packed.data() + row * rowBytes);
  return Error::success();
}

Error unpackBits(ArrayRef<uint8_t> packed, int64_t rows, int64_t columns,
                 unsigned bits, bool isSigned,
                 MutableArrayRef<uint8_t> fields) {
  if (Error error =
          checkSizes(fields.size(), packed.size(), rows, columns, bits))
    return error;
  const UnpackFn unpack = kUnpackRow[bits - 1];
  const uint8_t sign = isSigned ? 1u << (bits - 1) : 0;
  const int64_t rowBytes = getPackedRowBytes(columns, bits);
  for (int64_t row = 0; row < rows; ++row)
    unpack(packed.data() + row * rowBytes, columns, sign,
           fields.data() + row * columns);
  return Error::success();
}

} // namespace compress::numerics
