//===- TwoLevelScales.h - Scales that are quantized themselves --*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small blocks need many scales, so the scales of neighbouring blocks can be
// stored as small integers with one float for all of them:
//
//   scale[g] = code[g] * super[group of g]        (product rounded to f32)
//
// with codes of 4 to 8 bits that are never 0. The super groups are groups of a
// BlockLayout over the grid of the scales.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_TWOLEVELSCALES_H
#define COMPRESS_NUMERICS_TWOLEVELSCALES_H

#include "compress/Numerics/AffineTensor.h"

namespace compress::numerics {

/// How scales are stored on two levels.
struct TwoLevel {
  /// Unsigned, 4 to 8 bits. The code 0 is not used.
  IntegerFormat code = {8, false, false};
  ScaleType superType = ScaleType::F16;
  /// Its shape is the grid shape of the values' layout.
  BlockLayout layout;

  /// Fails if `code` or `layout` is not as above.
  llvm::Error verify() const;
};

/// For each super group: super = its largest scale / largest code, rounded to
/// `superType` (see roundScale, never 0), and for each scale in it
/// code = clamp(round_half_even(scale / super), 1, largest code), one less
/// where the product would overflow. `scales` must be positive and finite, one
/// for each element of the layout; `supers` one for each group; codes lie like
/// the scales, without padding. O(scales).
llvm::Error chooseTwoLevel(llvm::ArrayRef<float> scales, const TwoLevel &levels,
                           llvm::MutableArrayRef<float> supers,
                           llvm::MutableArrayRef<uint8_t> codes);

/// The scales that codes and supers stand for. Fails if a code is 0 or too
/// large, a super not positive and finite, or a product infinite.
llvm::Error expandTwoLevel(llvm::ArrayRef<uint8_t> codes,
                           llvm::ArrayRef<float> supers, const TwoLevel &levels,
                           llvm::MutableArrayRef<float> scales);

/// chooseTensorParams with scales on two levels: f32 scales from the range of
/// each group, then chooseTwoLevel, then zero points for the scales as stored,
/// which `scales` receives. `zeroPoints` may be empty if `symmetric`.
llvm::Error chooseTwoLevelTensorParams(
    FloatBuffer values, const BlockLayout &layout, IntegerFormat format,
    bool symmetric, const TwoLevel &levels, llvm::MutableArrayRef<float> supers,
    llvm::MutableArrayRef<uint8_t> codes, llvm::MutableArrayRef<float> scales,
    llvm::MutableArrayRef<int32_t> zeroPoints, Threads threads = {});

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_TWOLEVELSCALES_H
