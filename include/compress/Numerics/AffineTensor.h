//===- AffineTensor.h - Affine quantization of tensors ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Affine.h applied to whole tensors with one scale (and zero point) for each
// group of a BlockLayout. The results are those of the scalar functions, bit
// for bit, on every InstructionSet and for every number of threads.
//
// Groups lie in row-major order of the grid. Codes lie in row-major order of
// the padded shape, one a byte for formats of up to 8 bits and one in 16 bits
// for wider ones, as two's complement or unsigned bits; packBits makes fields
// of them. Padding has the code of 0.0, the group's zero point.
//
// All functions take O(elements) time and no memory that grows with the
// tensor. They fail, without writing anything, if a buffer does not have the
// size that the layout asks for, if the format is not one of 1 to 16 bits, or
// if a parameter is none: scales must be positive and finite, zero points codes
// of the format. Work on a tensor piece by piece with BlockLayout::getRowSlab.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_AFFINETENSOR_H
#define COMPRESS_NUMERICS_AFFINETENSOR_H

#include "compress/Numerics/Affine.h"
#include "compress/Numerics/BlockLayout.h"
#include "compress/Numerics/FloatBuffer.h"
#include "compress/Numerics/Threads.h"

namespace compress::numerics {

/// Fails unless `format` has 1 to 16 bits.
llvm::Error verifyFormat(IntegerFormat format);

/// Fails unless there are `numGroups` scales, all positive and finite, and as
/// many zero points (or none), all codes of `format`.
llvm::Error verifyParams(llvm::ArrayRef<float> scales,
                         llvm::ArrayRef<int32_t> zeroPoints, int64_t numGroups,
                         IntegerFormat format);

/// Widens lows[g] and highs[g] to the least and greatest finite value of group
/// g. Start with 0 in both: ranges always include 0. f64 values are rounded to
/// f32, those beyond its range to its largest numbers. Accumulates, so the
/// slabs of a tensor whose dimension 0 is whole can be given one by one.
llvm::Error updateGroupRanges(FloatBuffer values, const BlockLayout &layout,
                              llvm::MutableArrayRef<float> lows,
                              llvm::MutableArrayRef<float> highs,
                              Threads threads = {});

/// chooseParams for each group. `zeroPoints` may be empty if `symmetric`.
llvm::Error chooseGroupParams(llvm::ArrayRef<float> lows,
                              llvm::ArrayRef<float> highs, IntegerFormat format,
                              bool symmetric, ScaleType scaleType,
                              llvm::MutableArrayRef<float> scales,
                              llvm::MutableArrayRef<int32_t> zeroPoints);

/// The zero points of an asymmetric format for scales that are given, as
/// chooseParams derives them: clamp(round_half_even(qmin - low / s)).
llvm::Error chooseZeroPoints(llvm::ArrayRef<float> lows,
                             llvm::ArrayRef<float> scales, IntegerFormat format,
                             llvm::MutableArrayRef<int32_t> zeroPoints);

/// Parameters from the least and greatest finite value of each group (see
/// chooseParams). `zeroPoints` may be empty if `symmetric`.
llvm::Error chooseTensorParams(FloatBuffer values, const BlockLayout &layout,
                               IntegerFormat format, bool symmetric,
                               ScaleType scaleType,
                               llvm::MutableArrayRef<float> scales,
                               llvm::MutableArrayRef<int32_t> zeroPoints,
                               Threads threads = {});

/// Codes of all elements. Empty `zeroPoints` mean 0 everywhere.
llvm::Error quantizeTensor(FloatBuffer values, const BlockLayout &layout,
                           IntegerFormat format, llvm::ArrayRef<float> scales,
                           llvm::ArrayRef<int32_t> zeroPoints,
                           llvm::MutableArrayRef<int8_t> codes,
                           Threads threads = {});
llvm::Error quantizeTensor(FloatBuffer values, const BlockLayout &layout,
                           IntegerFormat format, llvm::ArrayRef<float> scales,
                           llvm::ArrayRef<int32_t> zeroPoints,
                           llvm::MutableArrayRef<int16_t> codes,
                           Threads threads = {});

/// The denoted numbers (q - zp) * s of the elements (not of the padding),
/// rounded once, half to even, to the type of `values`. Codes are taken as they
/// are, also those that a narrow or sub-byte format does not have.
llvm::Error dequantizeTensor(llvm::ArrayRef<int8_t> codes,
                             const BlockLayout &layout, IntegerFormat format,
                             llvm::ArrayRef<float> scales,
                             llvm::ArrayRef<int32_t> zeroPoints,
                             MutableFloatBuffer values, Threads threads = {});
llvm::Error dequantizeTensor(llvm::ArrayRef<int16_t> codes,
                             const BlockLayout &layout, IntegerFormat format,
                             llvm::ArrayRef<float> scales,
                             llvm::ArrayRef<int32_t> zeroPoints,
                             MutableFloatBuffer values, Threads threads = {});

/// dequantizeTensor of quantizeTensor without codes in between: what inference
/// will compute with. `result` may be of another kind, or the very data of
/// `values` if it is of the same.
llvm::Error fakeQuantizeTensor(FloatBuffer values, const BlockLayout &layout,
                               IntegerFormat format,
                               llvm::ArrayRef<float> scales,
                               llvm::ArrayRef<int32_t> zeroPoints,
                               MutableFloatBuffer result, Threads threads = {});

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_AFFINETENSOR_H
