//===- TridiagonalKernels.cpp - Inner loops of the eigensolver ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TridiagonalKernels.h"
#include "Targets.h"

namespace compress::numerics::detail {

/// `group` rows at a time share the loads of w, v and u.
template <typename T, int lanes, int group>
static COMPRESS_KERNEL void
updateGroup(T *a, int64_t stride, int64_t n, const T *left, const T *right,
            const T *w, const T *v, const T *u, T *out) {
  using Vector = typename VectorOf<T, lanes>::Type;
  Vector acc[group];
  for (int r = 0; r < group; ++r)
    acc[r] = Vector{};
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    Vector wj = *reinterpret_cast<const Vector *>(w + j);
    Vector vj = *reinterpret_cast<const Vector *>(v + j);
    Vector uj = *reinterpret_cast<const Vector *>(u + j);
    for (int r = 0; r < group; ++r) {
      Vector *row = reinterpret_cast<Vector *>(a + r * stride + j);
      Vector value = *row - left[r] * wj - right[r] * vj;
      *row = value;
      acc[r] += value * uj;
    }
  }
  for (int r = 0; r < group; ++r) {
    T sum = 0;
    for (int lane = 0; lane < lanes; ++lane)
      sum += acc[r][lane];
    for (int64_t k = j; k < n; ++k) {
      T &value = a[r * stride + k];
      value = value - left[r] * w[k] - right[r] * v[k];
      sum += value * u[k];
    }
    out[r] = sum;
  }
}

template <typename T, int lanes>
static COMPRESS_KERNEL void
updateRows(T *a, int64_t stride, int64_t rows, int64_t n, const T *left,
           const T *right, const T *w, const T *v, const T *u, T *out) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4)
    updateGroup<T, lanes, 4>(a + r * stride, stride, n, left + r, right + r, w,
                             v, u, out + r);
  for (; r < rows; ++r)
    updateGroup<T, lanes, 1>(a + r * stride, stride, n, left + r, right + r, w,
                             v, u, out + r);
}

#if COMPRESS_HAS_X86_KERNELS
template <typename T>
static COMPRESS_TARGET_FMA512 void
updateRows512(T *a, int64_t stride, int64_t rows, int64_t n, const T *left,
              const T *right, const T *w, const T *v, const T *u, T *out) {
  updateRows<T, 64 / sizeof(T)>(a, stride, rows, n, left, right, w, v, u, out);
}
template <typename T>
static COMPRESS_TARGET_FMA256 void
updateRows256(T *a, int64_t stride, int64_t rows, int64_t n, const T *left,
              const T *right, const T *w, const T *v, const T *u, T *out) {
  updateRows<T, 32 / sizeof(T)>(a, stride, rows, n, left, right, w, v, u, out);
}
#endif

template <typename T>
static void dispatchUpdate(T *a, int64_t stride, int64_t rows, int64_t n,
                           const T *left, const T *right, const T *w,
                           const T *v, const T *u, T *out) {
#if COMPRESS_HAS_X86_KERNELS
  switch (getFusedInstructionSet()) {
  case InstructionSet::AVX512:
    return updateRows512(a, stride, rows, n, left, right, w, v, u, out);
  case InstructionSet::AVX2:
    return updateRows256(a, stride, rows, n, left, right, w, v, u, out);
  case InstructionSet::Portable:
    break;
  }
#endif
  updateRows<T, 16 / sizeof(T)>(a, stride, rows, n, left, right, w, v, u, out);
}

using Doubles = VectorOf<double, 8>::Type;
using Longs = VectorOf<int64_t, 8>::Type;

static COMPRESS_KERNEL void countLanes(const double *diagonal,
                                       const double *squares, int64_t n,
                                       double tiny, const double *shifts,
                                       int64_t *counts) {
  // Two chains of dependent divisions hide half of each other's latency.
  constexpr int chains = shiftsAtOnce / 8;
  const Doubles floor = Doubles{} - tiny;
  Doubles shift[chains], pivot[chains];
  Longs below[chains];
  for (int c = 0; c < chains; ++c) {
    shift[c] = *reinterpret_cast<const Doubles *>(shifts + 8 * c);
    pivot[c] = Doubles{} + 1;
    below[c] = Longs{};
  }
  for (int64_t i = 0; i < n; ++i) {
    const double square = i ? squares[i] : 0.0;
    for (int c = 0; c < chains; ++c) {
      pivot[c] = diagonal[i] - shift[c] - square / pivot[c];
      // A pivot within (-tiny, tiny) counts as -tiny.
      const Longs small = (pivot[c] > floor) & (pivot[c] < -floor);
      pivot[c] = small ? floor : pivot[c];
      below[c] -= pivot[c] < 0.0;
    }
  }
  for (int c = 0; c < chains; ++c)
    *reinterpret_cast<Longs *>(counts + 8 * c) = below[c];
}

#if COMPRESS_HAS_X86_KERNELS
static COMPRESS_TARGET_FMA512 void
countLanes512(const double *diagonal, const double *squares, int64_t n,
              double tiny, const double *shifts, int64_t *counts) {
  countLanes(diagonal, squares, n, tiny, shifts, counts);
}
#endif

void updateAndDot(float *a, int64_t stride, int64_t rows, int64_t n,
                  const float *left, const float *right, const float *w,
                  const float *v, const float *u, float *out) {
  dispatchUpdate(a, stride, rows, n, left, right, w, v, u, out);
}
void updateAndDot(double *a, int64_t stride, int64_t rows, int64_t n,
                  const double *left, const double *right, const double *w,
                  const double *v, const double *u, double *out) {
  dispatchUpdate(a, stride, rows, n, left, right, w, v, u, out);
}

void countBelow(const double *diagonal, const double *squares, int64_t n,
                double tiny, const double shifts[shiftsAtOnce],
                int64_t counts[shiftsAtOnce]) {
#if COMPRESS_HAS_X86_KERNELS
  if (getFusedInstructionSet() == InstructionSet::AVX512)
    return countLanes512(diagonal, squares, n, tiny, shifts, counts);
#endif
  countLanes(diagonal, squares, n, tiny, shifts, counts);
}

} // namespace compress::numerics::detail
