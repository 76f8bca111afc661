//===- ExponentSplit.h - Exponent bytes of bf16 and f32 ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights use few of the 256 exponents, and their signs and mantissas are next
// to random: taken apart, the exponents are entropy-coded to under 3 bits and
// the rest is stored as it is, without loss (Zhang et al.: 70% size, 100%
// accuracy, lossless LLM compression with dynamic-length float, 2025).
//
// The rest of an element is its sign followed by its mantissa: 8 bits of bf16,
// 24 bits of f32, the low byte first.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_EXPONENTSPLIT_H
#define COMPRESS_NUMERICS_EXPONENTSPLIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace compress::numerics {

/// Splits the bits of bf16 or f32 elements. `exponents` receives a byte for
/// each element, `rest` one (bf16) or three (f32). Every bit pattern is split,
/// NaN payloads included. Fails if a size does not match. Cost: one pass.
llvm::Error splitExponents(llvm::ArrayRef<uint16_t> bfloats,
                           llvm::MutableArrayRef<uint8_t> exponents,
                           llvm::MutableArrayRef<uint8_t> rest);
llvm::Error splitExponents(llvm::ArrayRef<uint32_t> floats,
                           llvm::MutableArrayRef<uint8_t> exponents,
                           llvm::MutableArrayRef<uint8_t> rest);

/// The inverse of splitExponents. Fails if a size does not match.
llvm::Error joinExponents(llvm::ArrayRef<uint8_t> exponents,
                          llvm::ArrayRef<uint8_t> rest,
                          llvm::MutableArrayRef<uint16_t> bfloats);
llvm::Error joinExponents(llvm::ArrayRef<uint8_t> exponents,
                          llvm::ArrayRef<uint8_t> rest,
                          llvm::MutableArrayRef<uint32_t> floats);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_EXPONENTSPLIT_H
