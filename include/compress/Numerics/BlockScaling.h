//===- BlockScaling.h - Minifloat blocks with shared scales: MX, NVFP4 -*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two formats in which neighbouring small elements share a scale.
//
// MX (OCP Microscaling Formats Specification 1.0): blocks of 32 elements, a
// scale X = 2^e per block stored as E8M0, elements saturate(RNE(v / X)). The
// element types are minifloats without infinities in use, or 8-bit integers in
// units of 2^-6. With amax the largest magnitude of the block:
//
//   Floor  e = floor(log2(amax)) - emax                  (the specification)
//   RCeil  e = ceil(log2(amax / largest element))        (nothing saturates)
//   Ceil   e = ceil(log2(amax)) - emax
//   Even   e = floor(log2(round(amax))) - emax, amax rounded to the element's
//          number of mantissa bits, ties away from zero
//
// e is at least -127, and at most 127 unless even Floor asks for more, which
// only f64 data can do: then the scale is NaN. A block with a NaN or an
// infinity has the scale NaN and codes of zero: it decodes to NaN as a whole,
// and no other block is touched. A block of zeros has the scale 2^-127.
//
// NVFP4: blocks of 16 E2M1 elements, an E4M3 scale s per block, and a positive
// f32 scale g per tensor:
//
//   g = amax of the tensor / (448 * 6)        s = E4M3(amax of the block / 6/g)
//   element = E2M1(v / (s * g))               v ~ element * s * g
//
// s is clamped to [2^-6, 448] (normal numbers), g to at least 2^-120, so that
// s * g is a normal f32 number; g is 1 for a tensor of zeros. NaN or infinity
// in a block makes its s NaN, as in MX.
//
// Data is passed as lines (rows, columns, fibres) that are cut in blocks from
// their start on; the last block of a line may be ragged.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_BLOCKSCALING_H
#define COMPRESS_NUMERICS_BLOCKSCALING_H

#include "compress/Numerics/Minifloat.h"
#include "compress/Numerics/StridedSpan.h"

namespace compress::numerics {

/// `numLines` lines of `lineSize` elements; element i of line l is at
/// data[l * lineStride + i * elementStride].
template <typename T>
struct StridedLines {
  T *data = nullptr;
  int64_t numLines = 0;
  int64_t lineSize = 0;
  int64_t lineStride = 0;
  int64_t elementStride = 1;

  StridedLines() = default;
  StridedLines(T *data, int64_t numLines, int64_t lineSize, int64_t lineStride,
               int64_t elementStride)
      : data(data), numLines(numLines), lineSize(lineSize),
        lineStride(lineStride), elementStride(elementStride) {}
  /// The rows of a contiguous row-major matrix.
  StridedLines(T *data, int64_t numLines, int64_t lineSize)
      : StridedLines(data, numLines, lineSize, lineSize, 1) {}
  template <typename U, typename = std::enable_if_t<
                            std::is_same_v<const U, T> && !std::is_const_v<U>>>
  StridedLines(const StridedLines<U> &other)
      : StridedLines(other.data, other.numLines, other.lineSize,
                     other.lineStride, other.elementStride) {}

  StridedSpan<T> getLine(int64_t line) const {
    return {data + line * lineStride, lineSize, elementStride};
  }
};

/// Number of blocks that a line is cut into.
constexpr int64_t getNumBlocks(int64_t lineSize, int64_t blockSize) {
  return (lineSize + blockSize - 1) / blockSize;
}

/// The largest block size of the functions below.
constexpr int64_t maxScalingBlock = 1024;

//===----------------------------------------------------------------------===//
// MX
//===----------------------------------------------------------------------===//

constexpr int64_t mxBlockSize = 32;

/// The element types of MX. Int8 codes are two's complement, in [-127, 127].
enum class MXElement : uint8_t { E4M3FN, E5M2, E3M2, E2M3, E2M1, Int8 };

enum class MXScaleMode : uint8_t { Floor, RCeil, Ceil, Even };

/// The E8M0 code of the scale of a block whose largest magnitude is `absMax`;
/// 255 (NaN) if that is NaN or infinite.
uint8_t chooseMXScale(double absMax, MXElement element,
                      MXScaleMode mode = MXScaleMode::Floor);

/// Encodes `values`. `scales` has as many lines, of getNumBlocks elements, and
/// `codes` has as many lines, either as long as those of `values` or padded to
/// whole blocks; padding gets the code of zero. Fails if sizes do not match or
/// `blockSize` is not in [1, maxScalingBlock]. T: float, double, Half,
/// BFloat16.
template <typename T>
llvm::Error quantizeMX(StridedLines<const T> values, MXElement element,
                       MXScaleMode mode, StridedLines<uint8_t> codes,
                       StridedLines<uint8_t> scales,
                       int64_t blockSize = mxBlockSize,
                       llvm::ThreadPoolInterface *pool = nullptr);

/// values = element * scale, rounded once to T (exact unless it overflows T, or
/// T is Half). Sizes as in quantizeMX.
template <typename T>
llvm::Error dequantizeMX(StridedLines<const uint8_t> codes,
                         StridedLines<const uint8_t> scales, MXElement element,
                         StridedLines<T> values,
                         int64_t blockSize = mxBlockSize,
                         llvm::ThreadPoolInterface *pool = nullptr);

//===----------------------------------------------------------------------===//
// NVFP4
//===----------------------------------------------------------------------===//

constexpr int64_t nvfp4BlockSize = 16;

/// The scale g of a tensor whose largest finite magnitude is `absMax`. Fails
/// if `absMax` is NaN, infinite or negative.
llvm::Expected<float> chooseNVFP4TensorScale(double absMax);

/// The E4M3 code of the scale s of a block, under a tensor scale; NaN if
/// `absMax` is NaN or infinite. The quotients are computed in f32 for the first
/// form and in f64 for the second.
uint8_t chooseNVFP4BlockScale(float absMax, float tensorScale);
uint8_t chooseNVFP4BlockScale(double absMax, float tensorScale);

/// Encodes `values` under `tensorScale`; sizes as in quantizeMX. The quotient
/// v / (s * g) is computed in f32, in f64 for f64 data. Fails if sizes do not
/// match or `tensorScale` is not a finite number >= 2^-120.
template <typename T>
llvm::Error quantizeNVFP4(StridedLines<const T> values, float tensorScale,
                          StridedLines<uint8_t> codes,
                          StridedLines<uint8_t> scales,
                          int64_t blockSize = nvfp4BlockSize,
                          llvm::ThreadPoolInterface *pool = nullptr);

/// values = element * s * g, rounded once to T (for Half: to f32, then to f16).
template <typename T>
llvm::Error dequantizeNVFP4(StridedLines<const uint8_t> codes,
                            StridedLines<const uint8_t> scales,
                            float tensorScale, StridedLines<T> values,
                            int64_t blockSize = nvfp4BlockSize,
                            llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_BLOCKSCALING_H
