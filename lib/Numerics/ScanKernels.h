//===- ScanKernels.h - One pass over a row of input -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: the largest magnitude and the sum of squares of
// contiguous elements, in one pass at the speed of memory.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_SCANKERNELS_H
#define COMPRESS_LIB_NUMERICS_SCANKERNELS_H

#include <cstdint>

namespace compress::numerics::detail {

struct Scan {
  /// NaN or infinite if an element is.
  double largest = 0;
  /// In f64; of no use if `largest` is not finite.
  double squares = 0;
};

Scan scanRow(const float *data, int64_t count);
Scan scanRow(const double *data, int64_t count);

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_SCANKERNELS_H
