//===- Scaling.h - Power-of-two scaling of input ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library. Squares of very small or very large elements leave
// the range of their type; dividing by a power of two first costs no bits.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_SCALING_H
#define COMPRESS_LIB_NUMERICS_SCALING_H

#include "compress/Numerics/Matrix.h"

namespace compress::numerics::detail {

/// The power of two p with max |x| / p in [1, 2), or 1 if all elements are
/// zero. Fails, naming `what`, on empty input, NaN and infinity. One pass.
/// `energy` receives the sum of squares as they are, which for extreme
/// magnitudes is not finite, or 0.
llvm::Expected<double> findScale(MatrixRef<const float> matrix,
                                 const char *what, double *energy = nullptr);
llvm::Expected<double> findScale(MatrixRef<const double> matrix,
                                 const char *what, double *energy = nullptr);
llvm::Expected<double> findScale(const TensorRef<const float> &tensor,
                                 const char *what);
llvm::Expected<double> findScale(const TensorRef<const double> &tensor,
                                 const char *what);

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_SCALING_H
