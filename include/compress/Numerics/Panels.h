//===- Panels.h - Matrices packed for tile kernels --------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts in which the right operand of a contraction is read by the inner
// kernels of a CPU: one contiguous panel for every `width` columns, in which
// the elements of one step follow each other, so that a kernel reads one stream
// and never shuffles. Columns beyond the last and products beyond the end of a
// tap are zeros.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_PANELS_H
#define COMPRESS_NUMERICS_PANELS_H

#include <cstdint>
#include <vector>

namespace compress::numerics {

/// A matrix of `columns` columns, each of `taps` runs of `depth` elements (one
/// run for a matrix product, one for each position of the window of a
/// convolution). Strides count elements, so that any layout can be described.
struct PanelMatrix {
  int64_t columns = 0, taps = 1, depth = 0;
  /// Integer codes of 8 bits, or floats; of `elementBytes` bytes each.
  const char *data = nullptr;
  unsigned elementBytes = 1;
  int64_t columnStride = 0, tapStride = 0, depthStride = 0;
  /// Whether codes are signed.
  bool isSigned = true;
  /// Block scales and zero points (null: none), with the strides of a column
  /// and of a block of `depth`. Only for packBlockPanels, with one tap.
  const float *scales = nullptr;
  const int32_t *zeroPoints = nullptr;
  int64_t scaleColumnStride = 0, scaleBlockStride = 0;

  int64_t offset(int64_t column, int64_t tap, int64_t k) const {
    return column * columnStride + tap * tapStride + k * depthStride;
  }
  /// The code at a position.
  int32_t code(int64_t column, int64_t tap, int64_t k) const {
    char value = data[offset(column, tap, k)];
    return isSigned ? static_cast<int32_t>(static_cast<int8_t>(value))
                    : static_cast<int32_t>(static_cast<uint8_t>(value));
  }
};

/// Panels for dot products of four: for each panel `width` i32, the sums of the
/// columns times `headFactor`, then for every four products `width x 4` codes.
/// Each tap is filled up to a multiple of `step` products, itself one of 4.
/// Codes must be of 8 bits and fit signed ones.
std::vector<char> packIntPanels(const PanelMatrix &matrix, int64_t width,
                                int32_t headFactor, int64_t step = 4);

/// Panels of floats of `elementBytes` bytes: for every `group` products `width
/// x group` elements.
std::vector<char> packFloatPanels(const PanelMatrix &matrix, int64_t width,
                                  int64_t group);

/// How block-scaled panels are made.
struct BlockPanelFormat {
  int64_t width = 0, block = 0;
  /// 4: two codes a byte, the low half product j, the high half product j + 4
  /// of each eight. 8: a byte each.
  unsigned bits = 4;
  /// Scales as f16 (their values must be f16 numbers), else f32.
  bool halfScales = false;
  /// Whether each column has a pair of i16 (zero point, 0) after the scales.
  bool zeroPoints = false;
  /// Added to signed codes and zero points; 8, 128 or none.
  int32_t shift = 8;

  int64_t getScaleBytes() const { return width * (halfScales ? 2 : 4); }
  int64_t getPointBytes() const { return zeroPoints ? width * 4 : 0; }
  int64_t getBlockBytes() const {
    return getScaleBytes() + getPointBytes() + width * block * bits / 8;
  }
};

/// Panels with block scales: for each block of `format.block` products `width`
/// scales, zero points, and the codes made unsigned by the shift. Products
/// beyond the end have the code of zero; columns beyond the end scales of zero.
/// `format.block` must be a multiple of 8.
std::vector<char> packBlockPanels(const PanelMatrix &matrix,
                                  const BlockPanelFormat &format);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_PANELS_H
