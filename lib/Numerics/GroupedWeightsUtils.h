//===- GroupedWeightsUtils.h - Checks and errors of quantized weights *- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: what the error-driven methods share.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_GROUPEDWEIGHTSUTILS_H
#define COMPRESS_LIB_NUMERICS_GROUPEDWEIGHTSUTILS_H

#include "compress/Numerics/GroupedWeights.h"

namespace compress::numerics::detail {

/// Parameters for the range of columns [begin, end) of one row.
template <typename T>
AffineParams chooseGroupParams(MatrixRef<const T> weights, int64_t row,
                               int64_t begin, int64_t end,
                               const WeightSpec &spec);

/// Fails unless `moment` is size x size, finite, symmetric to 1e-6 and has no
/// negative diagonal element.
llvm::Error checkMoment(MatrixRef<const double> moment, int64_t size);

/// Fails unless codes and parameters have the shapes of `weights`, and scales
/// are positive and finite.
llvm::Error checkGrouped(const GroupedWeights &quantized, int64_t rows,
                         int64_t columns);

/// trace(D H D^T).
double getQuadraticError(MatrixRef<const double> difference,
                         MatrixRef<const double> moment,
                         llvm::ThreadPoolInterface *pool);

/// quantized - reference.
template <typename T>
Matrix<double> getDifference(const GroupedWeights &quantized,
                             MatrixRef<const T> reference);

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_GROUPEDWEIGHTSUTILS_H
