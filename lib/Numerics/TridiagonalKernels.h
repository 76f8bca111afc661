//===- TridiagonalKernels.h - Inner loops of the eigensolver ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: the two loops that take the time of the symmetric
// eigensolver, compiled for several processors.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_TRIDIAGONALKERNELS_H
#define COMPRESS_LIB_NUMERICS_TRIDIAGONALKERNELS_H

#include <cstdint>

namespace compress::numerics::detail {

/// For each of `rows` rows r of a (stride apart, `n` elements):
///   row -= left[r] * w + right[r] * v   and then   out[r] = dot(row, u).
/// One pass over the matrix for the update of one Householder step and the
/// matrix-vector product of the next.
void updateAndDot(float *a, int64_t stride, int64_t rows, int64_t n,
                  const float *left, const float *right, const float *w,
                  const float *v, const float *u, float *out);
void updateAndDot(double *a, int64_t stride, int64_t rows, int64_t n,
                  const double *left, const double *right, const double *w,
                  const double *v, const double *u, double *out);

/// Shifts that countBelow takes at once.
constexpr int shiftsAtOnce = 16;

/// Number of eigenvalues below each of the shifts of the tridiagonal matrix
/// with `n` diagonal elements and squared off-diagonal elements
/// `squares[1..n)` (Sturm sequence). `tiny` > 0 replaces pivots below it.
void countBelow(const double *diagonal, const double *squares, int64_t n,
                double tiny, const double shifts[shiftsAtOnce],
                int64_t counts[shiftsAtOnce]);

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_TRIDIAGONALKERNELS_H
