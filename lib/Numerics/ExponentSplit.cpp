//===- ExponentSplit.cpp - Exponent bytes of bf16 and f32 -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/ExponentSplit.h"

using namespace llvm;

namespace compress::numerics {

static Error checkSizes(size_t count, size_t exponents, size_t rest,
                        size_t restBytes) {
  if (exponents == count && rest == count * restBytes)
    return Error::success();
  return createStringError("%zu elements have %zu exponent bytes and %zu other "
                           "bytes, but there is room for %zu and %zu",
                           count, count, count * restBytes, exponents, rest);
}

Error splitExponents(ArrayRef<uint16_t> bfloats,
                     MutableArrayRef<uint8_t> exponents,
                     MutableArrayRef<uint8_t> rest) {
  if (Error error =
          checkSizes(bfloats.size(), exponents.size(), rest.size(), 1))
    return error;
  for (size_t i = 0; i < bfloats.size(); ++i) {
    uint16_t bits = bfloats[i];
    exponents[i] = static_cast<uint8_t>(bits >> 7);
    rest[i] = static_cast<uint8_t>((bits >> 8 & 0x80) | (bits & 0x7F));
  }
  return Error::success();
}

Error splitExponents(ArrayRef<uint32_t> floats,
                     MutableArrayRef<uint8_t> exponents,
                     MutableArrayRef<uint8_t> rest) {
  if (Error error = checkSizes(floats.size(), exponents.size(), rest.size(), 3))
    return error;
  for (size_t i = 0; i < floats.size(); ++i) {
    uint32_t bits = floats[i];
    exponents[i] = static_cast<uint8_t>(bits >> 23);
    rest[3 * i] = static_cast<uint8_t>(bits);
    rest[3 * i + 1] = static_cast<uint8_t>(bits >> 8);
    rest[3 * i + 2] =
        static_cast<uint8_t>((bits >> 24 & 0x80) | (bits >> 16 & 0x7F));
  }
  return Error::success();
}

Error joinExponents(ArrayRef<uint8_t> exponents, ArrayRef<uint8_t> rest,
                    MutableArrayRef<uint16_t> bfloats) {
  if (Error error =
          checkSizes(bfloats.size(), exponents.size(), rest.size(), 1))
    return error;
  for (size_t i = 0; i < bfloats.size(); ++i)
    bfloats[i] = static_cast<uint16_t>((rest[i] & 0x80) << 8 |
                                       exponents[i] << 7 | (rest[i] & 0x7F));
  return Error::success();
}

Error joinExponents(ArrayRef<uint8_t> exponents, ArrayRef<uint8_t> rest,
                    MutableArrayRef<uint32_t> floats) {
  if (Error error = checkSizes(floats.size(), exponents.size(), rest.size(), 3))
    return error;
  for (size_t i = 0; i < floats.size(); ++i) {
    uint32_t high = rest[3 * i + 2];
    floats[i] = (high & 0x80) << 24 | uint32_t(exponents[i]) << 23 |
                (high & 0x7F) << 16 | uint32_t(rest[3 * i + 1]) << 8 |
                rest[3 * i];
  }
  return Error::success();
}

} // namespace compress::numerics
