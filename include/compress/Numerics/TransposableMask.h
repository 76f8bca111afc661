//===- TransposableMask.h - 2:4 masks that hold both ways -------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks that are 2:4 along rows and along columns, so that the transposed
// weight of a backward pass is 2:4 sparse too. In each tile of 4x4 elements two
// of every row and of every column are kept: 90 patterns, of which the one
// with the largest sum of kept magnitudes is found by trying all.
//
// Source: Hubara et al., "Accelerated Sparse Neural Training: A Provable and
// Efficient Method to Find N:M Transposable Masks" (2021), for the problem.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_TRANSPOSABLEMASK_H
#define COMPRESS_NUMERICS_TRANSPOSABLEMASK_H

#include "compress/Numerics/FloatBuffer.h"
#include "compress/Numerics/Threads.h"

#include "llvm/Support/Error.h"

namespace compress::numerics {

/// Writes 1 for kept and 0 for dropped elements of a row-major matrix to
/// `mask`. Ragged tiles at the right and lower borders are filled up with zeros
/// for the choice, so their rows and columns keep at most two. Magnitudes are
/// added in f64, those of a row first; magnitudes above 2^300 count as that,
/// NaN as 2^310. Of patterns with equal sums the one wins whose kept positions
/// come first in row-major order. About 20 additions an element, in vectors
/// over tiles; the result does not depend on `threads`. Fails if a size does
/// not match.
llvm::Error selectTransposable24(FloatBuffer values, int64_t rows,
                                 int64_t columns,
                                 llvm::MutableArrayRef<uint8_t> mask,
                                 Threads threads = {});

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_TRANSPOSABLEMASK_H
