//===- FloatBuffer.h - Raw data of float tensors ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of the little-endian bytes in which constants hold floating-point
// tensors, so that a weight is read where it lies and never widened as a
// whole. The data need not be aligned.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_FLOATBUFFER_H
#define COMPRESS_NUMERICS_FLOATBUFFER_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace compress::numerics {

/// Elements of a float tensor in row-major order.
struct FloatBuffer {
  enum Kind { F16, BF16, F32, F64 };

  Kind kind = F32;
  /// Little-endian, `size` elements.
  const void *data = nullptr;
  /// Number of stored elements: those of the tensor, or 1 for a splat.
  int64_t size = 0;
  /// One element is stored and stands for all elements of the tensor.
  bool splat = false;

  FloatBuffer() = default;
  FloatBuffer(Kind kind, const void *data, int64_t size, bool splat = false)
      : kind(kind), data(data), size(size), splat(splat) {}
  FloatBuffer(llvm::ArrayRef<float> values)
      : FloatBuffer(F32, values.data(), values.size()) {}
  FloatBuffer(llvm::ArrayRef<double> values)
      : FloatBuffer(F64, values.data(), values.size()) {}

  static constexpr int64_t getElementBytes(Kind kind) {
    return kind == F64 ? 8 : kind == F32 ? 4 : 2;
  }

  /// The elements [begin, begin + count). A splat stays as it is. The caller
  /// keeps within `size`.
  FloatBuffer slice(int64_t begin, int64_t count) const {
    if (splat)
      return *this;
    return {kind,
            static_cast<const char *>(data) + begin * getElementBytes(kind),
            count};
  }
};

/// The same for results; there are no splats to write.
struct MutableFloatBuffer {
  FloatBuffer::Kind kind = FloatBuffer::F32;
  void *data = nullptr;
  int64_t size = 0;

  MutableFloatBuffer() = default;
  MutableFloatBuffer(FloatBuffer::Kind kind, void *data, int64_t size)
      : kind(kind), data(data), size(size) {}
  MutableFloatBuffer(llvm::MutableArrayRef<float> values)
      : MutableFloatBuffer(FloatBuffer::F32, values.data(), values.size()) {}
  MutableFloatBuffer(llvm::MutableArrayRef<double> values)
      : MutableFloatBuffer(FloatBuffer::F64, values.data(), values.size()) {}
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_FLOATBUFFER_H
