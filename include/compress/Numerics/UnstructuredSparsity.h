//===- UnstructuredSparsity.h - Element-wise sparse storage -----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements of a tensor are kept is a mask: a byte for each element in row
// order, 1 for kept and 0 for dropped. The kept values are stored in the same
// order. Masks are stored as bitmaps (rows of 1-bit fields in the order of
// BitPacking.h, the bits behind the last column 0) or as compressed sparse
// rows.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_UNSTRUCTUREDSPARSITY_H
#define COMPRESS_NUMERICS_UNSTRUCTUREDSPARSITY_H

#include "compress/Numerics/StridedSpan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// How many of `size` elements are kept at a sparsity: size less the half-even
/// rounded product of sparsity and size. Fails if `sparsity` is not in [0, 1]
/// or `size` is negative.
llvm::Expected<int64_t> getNumKept(int64_t size, double sparsity);

/// Keeps exactly the `numKept` elements of the largest magnitudes, of equal
/// magnitudes those with the lowest indices. T: float, double, Half, BFloat16.
/// Infinities are kept first. Fails on NaN (the message names the first), if
/// `numKept` is not in [0, size], or if `mask` does not have one byte for each
/// element. `pool` may be null; the result does not depend on it. Cost: a
/// radix selection of one pass for each 11 bits of a magnitude and two more.
template <typename T>
llvm::Error selectLargest(StridedSpan<const T> values, int64_t numKept,
                          llvm::MutableArrayRef<uint8_t> mask,
                          llvm::ThreadPoolInterface *pool = nullptr);

/// Copies the kept elements, of `elementBytes` bytes each, from `dense` to
/// `stored`. Fails if a size does not match the mask, or on a mask byte
/// above 1.
llvm::Error gatherMasked(llvm::ArrayRef<char> dense,
                         llvm::ArrayRef<uint8_t> mask, unsigned elementBytes,
                         llvm::MutableArrayRef<char> stored);

/// The inverse: dropped elements become zero bytes. Fails as gatherMasked does.
llvm::Error scatterMasked(llvm::ArrayRef<char> stored,
                          llvm::ArrayRef<uint8_t> mask, unsigned elementBytes,
                          llvm::MutableArrayRef<char> dense);

/// The mask of a bitmap. Fails if a size does not match or if a bit behind the
/// last column of a row is set. The inverse is packBits with 1 bit.
llvm::Error expandBitmap(llvm::ArrayRef<uint8_t> bitmap, int64_t rows,
                         int64_t columns, llvm::MutableArrayRef<uint8_t> mask);

/// Compressed sparse rows: the columns kept in row r, ascending, are
/// columns[rowStarts[r], rowStarts[r + 1]).
struct CsrPositions {
  std::vector<int64_t> rowStarts;
  std::vector<int32_t> columns;
};

/// The positions that a mask keeps. Fails if the size does not match, on a mask
/// byte above 1, or for more than 2^31 - 1 columns.
llvm::Expected<CsrPositions> compressRows(llvm::ArrayRef<uint8_t> mask,
                                          int64_t rows, int64_t columns);

/// The mask of compressed rows. Does not trust them: fails unless there are
/// rows + 1 starts from 0 to columnIndices.size() that do not decrease, and the
/// columns of each row ascend and are in [0, columns).
llvm::Error expandRows(llvm::ArrayRef<int64_t> rowStarts,
                       llvm::ArrayRef<int32_t> columnIndices, int64_t rows,
                       int64_t columns, llvm::MutableArrayRef<uint8_t> mask);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_UNSTRUCTUREDSPARSITY_H
