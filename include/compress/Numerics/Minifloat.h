//===- Minifloat.h - FP8, FP6, FP4 and E8M0 numbers -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion between f16/bf16/f32/f64 values and the codes of floating-point
// formats of 8 bits and below (OFP8: OCP 8-bit Floating Point Specification;
// FP6, FP4, E8M0: OCP Microscaling Formats Specification 1.0; FNUZ: Noune et
// al., 8-bit Numerical Formats for Deep Neural Networks, 2022). Decoding and
// round-half-even encoding agree with llvm::APFloat on every code and tie,
// except where APFloat is not defined or returns a wrong kind of number (an
// infinity for a format without one, negative numbers and the NaN of E8M0).
//
//   format     bias  max      smallest  Inf  NaN codes
//   E4M3FN      7    448      2^-9      no   S.1111.111
//   E5M2       15    57344    2^-16     yes  S.11111.{01,10,11}
//   E4M3FNUZ    8    240      2^-10     no   0x80 (no negative zero)
//   E5M2FNUZ   16    57344    2^-17     no   0x80 (no negative zero)
//   E3M2        3    28       2^-4      no   none
//   E2M3        1    7.5      2^-3      no   none
//   E2M1        1    6        2^-1      no   none
//   E8M0      127    2^127    2^-127    no   0xFF (no sign, no zero)
//
// Rules of encoding:
//  * A finite value is rounded once. One that rounds to more than the largest
//    finite number becomes that number if `saturate` is set or if the format
//    has neither Inf nor NaN; else Inf (E5M2) or NaN.
//  * +-Inf: as ONNX says. Saturating: the largest finite number, but NaN for
//    the FNUZ formats; not saturating: Inf, else NaN. The formats with neither
//    saturate.
//  * NaN stays NaN, with its sign where the NaN has one. The formats without
//    NaN refuse it or store zero, as NaNPolicy says; they never store a large
//    number.
//  * -0 stays -0 where the format has it, else it becomes 0.
//  * E8M0: 0 and everything up to the smallest number become 2^-127; negative
//    numbers become NaN.
//
// A code takes one byte, in its low bits; packBits makes denser rows of it.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_MINIFLOAT_H
#define COMPRESS_NUMERICS_MINIFLOAT_H

#include "compress/Numerics/FloatTypes.h"
#include "compress/Numerics/StridedSpan.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The formats; see the head of the file.
enum class MinifloatFormat : uint8_t {
  E4M3FN,
  E5M2,
  E4M3FNUZ,
  E5M2FNUZ,
  E3M2,
  E2M3,
  E2M1,
  E8M0
};

/// What sets a format apart.
struct MinifloatTraits {
  llvm::StringRef name;
  unsigned exponentBits;
  unsigned mantissaBits;
  int bias;
  bool hasSign;
  bool hasInfinity;
  bool hasNaN;
  /// The only NaN is the code of negative zero.
  bool isUnsignedZero;
  /// Code and value of the largest finite number.
  uint8_t largestCode;
  float largest;
  /// floor(log2(largest)): what the MX specification calls emax.
  int largestExponent;

  unsigned getBits() const {
    return exponentBits + mantissaBits + (hasSign ? 1 : 0);
  }
  unsigned getNumCodes() const { return 1u << getBits(); }
};

/// The traits of `format`.
const MinifloatTraits &getTraits(MinifloatFormat format);

enum class MinifloatRounding {
  /// To the nearest number, ties to the even code. E8M0: ties to the larger.
  NearestEven,
  /// To one of the two neighbours, to the upper one with the probability of
  /// the distance to the lower one, resolved to at least 2^-20. Not for E8M0.
  Stochastic
};

/// What becomes of a NaN in a format that has none.
enum class NaNPolicy {
  /// encodeMinifloat fails and names the first such element.
  Refuse,
  /// It becomes +0.
  Zero
};

struct MinifloatOptions {
  bool saturate = true;
  MinifloatRounding rounding = MinifloatRounding::NearestEven;
  NaNPolicy nanPolicy = NaNPolicy::Refuse;
  /// For stochastic rounding: element i uses getRandomWord(seed, firstIndex+i).
  uint64_t seed = 0;
  uint64_t firstIndex = 0;
};

/// Encodes `values` into as many `codes` (T: float, double, Half, BFloat16).
/// Uses the calling thread and those of `pool`; the codes do not depend on
/// their number. Fails if sizes differ, if `options` do not fit the format, or
/// on a NaN that NaNPolicy::Refuse refuses (the codes are unspecified then).
template <typename T>
llvm::Error encodeMinifloat(StridedSpan<const T> values, MinifloatFormat format,
                            const MinifloatOptions &options,
                            StridedSpan<uint8_t> codes,
                            llvm::ThreadPoolInterface *pool = nullptr);

/// Decodes `codes` into as many `values`. Exact for float, double and BFloat16;
/// Half rounds what it cannot hold (E8M0 only). Bits of a code above the
/// format's are ignored. Fails if sizes differ.
template <typename T>
llvm::Error decodeMinifloat(StridedSpan<const uint8_t> codes,
                            MinifloatFormat format, StridedSpan<T> values,
                            llvm::ThreadPoolInterface *pool = nullptr);

/// One value, half to even; NaN becomes +0 where the format has none.
uint8_t encodeMinifloat(float value, MinifloatFormat format,
                        bool saturate = true);
uint8_t encodeMinifloat(double value, MinifloatFormat format,
                        bool saturate = true);

/// One code.
float decodeMinifloat(uint8_t code, MinifloatFormat format);

/// How a positive number becomes a power of two (ONNX Cast to E8M0).
enum class E8M0Rounding { Up, Down, NearestTiesUp };

/// Encodes `values` as E8M0; with `saturate`, too large numbers and +Inf become
/// 2^127, else NaN. Otherwise as encodeMinifloat.
template <typename T>
llvm::Error encodeE8M0(StridedSpan<const T> values, E8M0Rounding rounding,
                       bool saturate, StridedSpan<uint8_t> codes,
                       llvm::ThreadPoolInterface *pool = nullptr);

/// One value.
uint8_t encodeE8M0(double value, E8M0Rounding rounding, bool saturate = true);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_MINIFLOAT_H
