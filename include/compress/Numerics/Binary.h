//===- Binary.h - One-bit and ternary values with scales --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices whose rows are cut in blocks; each block has a scale and elements of
// -1 and 1, or -1, 0 and 1. The last block of a row may be shorter.
//
// Signs are stored as rows of 1-bit fields in the order of BitPacking.h: bit 1
// means negative, the bits behind the last column are 0. Zeros of both signs
// count as positive, so there is no third state.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_BINARY_H
#define COMPRESS_NUMERICS_BINARY_H

#include "compress/Numerics/Matrix.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The scales of a row of `columns` elements in blocks of `block`.
constexpr int64_t getNumBlocks(int64_t columns, int64_t block) {
  return columns <= 0 ? 0 : (columns - 1) / block + 1;
}

/// Signs and scales of `values` (T: float or double). The scale of a block is
/// the mean of its magnitudes, which minimizes the squared error (Rastegari et
/// al.: XNOR-Net, ECCV 2016); it is summed in double, in order. `bits` receives
/// rows * getPackedRowBytes(columns, 1) bytes, `scales` a row of
/// getNumBlocks(columns, block) for each row.
///
/// Fails if a size does not match, if `block` is not positive, or if an element
/// is NaN or infinite; the message names it. `pool` may be null; the result
/// does not depend on it. Cost: one pass.
template <typename T>
llvm::Error binarize(MatrixRef<const T> values, int64_t block,
                     llvm::MutableArrayRef<uint8_t> bits,
                     llvm::MutableArrayRef<T> scales,
                     llvm::ThreadPoolInterface *pool = nullptr);

/// The inverse: scale or -scale for each element. Fails if a size does not
/// match or `block` is not positive.
template <typename T>
llvm::Error expandBinary(llvm::ArrayRef<uint8_t> bits, llvm::ArrayRef<T> scales,
                         int64_t block, MatrixRef<T> values);

/// The dot product of two vectors of -1 and 1, given as `count` sign bits each:
/// count - 2 * popcount(left xor right). Fails unless both have
/// getPackedRowBytes(count, 1) bytes. Bits behind the last one are ignored.
llvm::Expected<int64_t> computeBinaryDot(llvm::ArrayRef<uint8_t> left,
                                         llvm::ArrayRef<uint8_t> right,
                                         int64_t count);

/// How ternary blocks tell small elements from others.
enum class TernaryRule {
  /// Magnitudes above 0.7 times their mean are kept, which is near the optimum
  /// for normal and uniform data (Li, Liu: Ternary weight networks, 2016).
  Threshold,
  /// The split with the least squared error, found by sorting: O(n log n).
  Optimal
};

/// Ternary codes and scales of `values`: -1, 0 or 1 for each element, in row
/// order, ready for packBits with 2 bits. The scale of a block is the mean of
/// the magnitudes that are kept, 0 if none are. Fails as `binarize` does.
template <typename T>
llvm::Error ternarize(MatrixRef<const T> values, int64_t block,
                      TernaryRule rule, llvm::MutableArrayRef<int8_t> codes,
                      llvm::MutableArrayRef<T> scales,
                      llvm::ThreadPoolInterface *pool = nullptr);

/// The inverse: code times scale for each element. Fails if a size does not
/// match, if `block` is not positive, or on a code other than -1, 0 and 1.
template <typename T>
llvm::Error expandTernary(llvm::ArrayRef<int8_t> codes,
                          llvm::ArrayRef<T> scales, int64_t block,
                          MatrixRef<T> values);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_BINARY_H
