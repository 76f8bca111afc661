//===- ScalarFormat.h - Text form of one element ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between bits, doubles and text, shared by the array printer and
// the runtime functions of JIT-compiled code.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_EXECUTION_SCALARFORMAT_H
#define COMPRESS_LIB_EXECUTION_SCALARFORMAT_H

#include "compress/Execution/NpyFile.h"

namespace compress::execution {

/// The value of the IEEE binary16 number with these bits; exact.
float halfBitsToFloat(uint16_t bits);

/// The nearest binary16 number, ties to even, overflow to infinity.
uint16_t doubleToHalfBits(double value);

/// The value of the bfloat16 number with these bits; exact.
float bfloatBitsToFloat(uint16_t bits);

/// The nearest bfloat16 number, ties to even, overflow to infinity. One
/// rounding, also from double.
uint16_t doubleToBFloatBits(double value);

/// Prints the element at `data` (any alignment): integers in decimal, floats
/// with the fewest digits that read back as the same number.
void printScalar(llvm::raw_ostream &os, ElementKind kind, const void *data);

/// Writes `value`, rounded to nearest even, to `data` as a float of `kind`,
/// which is one of F16, BF16, F32, F64.
void storeFloat(ElementKind kind, double value, void *data);

} // namespace compress::execution

#endif // COMPRESS_LIB_EXECUTION_SCALARFORMAT_H
