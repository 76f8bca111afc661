//===- TileAccess.h - Contiguous tiles of strided data ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels read and write contiguous arrays of float or double. These functions
// give them such a tile of a strided span of any element type, without a copy
// where the span is one already.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_TILEACCESS_H
#define COMPRESS_LIB_NUMERICS_TILEACCESS_H

#include "compress/Numerics/FloatTypes.h"
#include "compress/Numerics/StridedSpan.h"

namespace compress::numerics {

/// Elements of a tile: with its buffers, a few pages of the first-level cache.
constexpr int64_t tileSize = 1024;

/// Elements of a chunk of parallel work.
constexpr int64_t parallelChunkSize = 64 * tileSize;

/// The elements [begin, begin + count) of `span`, widened; in `buffer` (at
/// least `count` elements) unless they can be read in place.
template <typename T>
const ComputeType<T> *loadTile(StridedSpan<const T> span, int64_t begin,
                               int64_t count, ComputeType<T> *buffer) {
  const T *start = span.data() + begin * span.stride();
  if constexpr (std::is_same_v<T, ComputeType<T>>)
    if (span.isContiguous())
      return start;
  if (span.isContiguous()) {
    for (int64_t i = 0; i < count; ++i)
      buffer[i] = widen(start[i]);
    return buffer;
  }
  for (int64_t i = 0; i < count; ++i)
    buffer[i] = widen(start[i * span.stride()]);
  return buffer;
}

/// Where a tile of `span` is to be written: in place if possible, else
/// `buffer`, from which storeTile takes it.
template <typename T>
T *getTileTarget(StridedSpan<T> span, int64_t begin, T *buffer) {
  return span.isContiguous() ? span.data() + begin * span.stride() : buffer;
}

/// Converts and copies `count` elements of `tile` to `span` from `begin` on;
/// nothing to do if they are there already.
template <typename T, typename From>
void storeTile(StridedSpan<T> span, int64_t begin, int64_t count,
               const From *tile) {
  T *start = span.data() + begin * span.stride();
  if (static_cast<const void *>(start) == static_cast<const void *>(tile))
    return;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, From>)
      start[i * span.stride()] = tile[i];
    else
      start[i * span.stride()] = narrow<T>(tile[i]);
  }
}

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_TILEACCESS_H
