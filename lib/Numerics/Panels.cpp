//===- Panels.cpp - Matrices packed for tile kernels ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Panels.h"

#include "compress/Numerics/HalfFloat.h"

#include <algorithm>
#include <cstring>

namespace compress::numerics {

static int64_t ceilDiv(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

/// Products whose codes are moved together: with the columns of a panel they
/// stay in the first cache, whichever of the two is contiguous in the matrix.
static constexpr int64_t kRun = 64;

/// Calls `body(first, last)` for runs of products [first, last).
template <typename Body>
static void forRuns(int64_t depth, Body body) {
  for (int64_t first = 0; first < depth; first += kRun)
    body(first, std::min(first + kRun, depth));
}

std::vector<char> packIntPanels(const PanelMatrix &matrix, int64_t width,
                                int32_t headFactor, int64_t step) {
  const int64_t steps = ceilDiv(matrix.depth, step) * (step / 4);
  const int64_t panelBytes = 4 * width * (1 + matrix.taps * steps);
  const int64_t panels = ceilDiv(matrix.columns, width);
  std::vector<char> packed(panels * panelBytes);
  std::vector<uint32_t> sums(width);
  for (int64_t index = 0; index < panels; ++index) {
    char *panel = packed.data() + index * panelBytes;
    const int64_t firstColumn = index * width;
    const int64_t columns = std::min(width, matrix.columns - firstColumn);
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t tap = 0; tap < matrix.taps; ++tap)
      forRuns(matrix.depth, [&](int64_t first, int64_t last) {
        for (int64_t column = 0; column < columns; ++column) {
          char *out = panel + 4 * (width * (1 + tap * steps) + column);
          const char *in =
              matrix.data + matrix.offset(firstColumn + column, tap, 0);
          int32_t sum = 0;
          for (int64_t k = first; k < last; ++k) {
            const char code = in[k * matrix.depthStride];
            out[k / 4 * 4 * width + k % 4] = code;
            sum += static_cast<int8_t>(code);
          }
          sums[column] += static_cast<uint32_t>(sum);
        }
      });
    for (uint32_t &sum : sums)
      sum *= static_cast<uint32_t>(headFactor);
    std::memcpy(panel, sums.data(), 4 * width);
  }
  return packed;
}

std::vector<char> packFloatPanels(const PanelMatrix &matrix, int64_t width,
                                  int64_t group) {
  const int64_t size = matrix.elementBytes;
  const int64_t steps = ceilDiv(matrix.depth, group);
  const int64_t stepBytes = group * width * size;
  const int64_t panelBytes = stepBytes * matrix.taps * steps;
  const int64_t panels = ceilDiv(matrix.columns, width);
  std::vector<char> packed(panels * panelBytes);
  for (int64_t index = 0; index < panels; ++index)
    for (int64_t tap = 0; tap < matrix.taps; ++tap)
      forRuns(matrix.depth, [&](int64_t first, int64_t last) {
        char *panel =
            packed.data() + index * panelBytes + tap * steps * stepBytes;
        const int64_t firstColumn = index * width;
        const int64_t columns = std::min(width, matrix.columns - firstColumn);
        for (int64_t column = 0; column < columns; ++column)
          for (int64_t k = first; k < last; ++k)
            std::memcpy(panel + k / group * stepBytes +
                            (column * group + k % group) * size,
                        matrix.data +
                            matrix.offset(firstColumn + column, tap, k) * size,
                        size);
      });
  return packed;
}

/// Writes one code of a block.
static void putCode(char *codes, const BlockPanelFormat &format, int64_t column,
                    int64_t k, uint8_t code) {
  if (format.bits == 8) {
    codes[k / 4 * 4 * format.width + column * 4 + k % 4] =
        static_cast<char>(code);
    return;
  }
  char &byte = codes[k / 8 * 4 * format.width + column * 4 + k % 4];
  const unsigned shift = k % 8 / 4 * 4;
  byte = static_cast<char>((static_cast<uint8_t>(byte) & ~(15u << shift)) |
                           (code & 15u) << shift);
}

std::vector<char> packBlockPanels(const PanelMatrix &matrix,
                                  const BlockPanelFormat &format) {
  const int64_t blocks = ceilDiv(matrix.depth, format.block);
  const int64_t blockBytes = format.getBlockBytes();
  const int64_t panels = ceilDiv(matrix.columns, format.width);
  const int32_t shift = matrix.isSigned ? format.shift : 0;
  std::vector<char> packed(panels * blocks * blockBytes);
  for (int64_t column = 0; column < panels * format.width; ++column) {
    const bool inside = column < matrix.columns;
    const int64_t inner = column % format.width;
    for (int64_t block = 0; block < blocks; ++block) {
      char *out =
          packed.data() + (column / format.width * blocks + block) * blockBytes;
      char *codes = out + format.getScaleBytes() + format.getPointBytes();
      const int64_t at =
          column * matrix.scaleColumnStride + block * matrix.scaleBlockStride;
      // Without zero points the kernel takes away the shift from every code.
      int32_t zero = format.zeroPoints ? 0 : format.shift;
      if (inside) {
        const float scale = matrix.scales[at];
        const uint16_t half = floatToHalf(scale);
        if (format.halfScales)
          std::memcpy(out + 2 * inner, &half, 2);
        else
          std::memcpy(out + 4 * inner, &scale, 4);
        if (format.zeroPoints) {
          zero = (matrix.zeroPoints ? matrix.zeroPoints[at] : 0) + shift;
          const int16_t pair[2] = {static_cast<int16_t>(zero), 0};
          std::memcpy(out + format.getScaleBytes() + 4 * inner, pair, 4);
        }
      }
      for (int64_t k = 0; k < format.block; ++k) {
        const int64_t depth = block * format.block + k;
        const int32_t code = inside && depth < matrix.depth
                                 ? matrix.code(column, 0, depth) + shift
                                 : zero;
        putCode(codes, format, inner, k, static_cast<uint8_t>(code));
      }
    }
  }
  return packed;
}

} // namespace compress::numerics
