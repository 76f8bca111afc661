//===- Unfold.h - Unfolding and mode products of tensors --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The N-d operations of tensor decompositions. The mode-k unfolding of a
// tensor is the matrix with dimension k as rows and all other dimensions, in
// their order and the last fastest, as columns (as a transposition to the
// front and a reshape give it).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_UNFOLD_H
#define COMPRESS_NUMERICS_UNFOLD_H

#include "compress/Numerics/Matrix.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The mode-`mode` unfolding of `tensor`, written to `out` (size of the mode x
/// product of the others). Fails if the mode or a shape does not fit.
llvm::Error unfold(const TensorRef<const float> &tensor, unsigned mode,
                   MatrixRef<float> out);
llvm::Error unfold(const TensorRef<const double> &tensor, unsigned mode,
                   MatrixRef<double> out);

/// The inverse of unfold.
llvm::Error fold(MatrixRef<const float> matrix, unsigned mode,
                 const TensorRef<float> &out);
llvm::Error fold(MatrixRef<const double> matrix, unsigned mode,
                 const TensorRef<double> &out);

/// A row-major copy with the dimensions in the order `order` (dimension k of
/// the result is dimension order[k] of `tensor`). Fails unless `order` is a
/// permutation.
llvm::Expected<Tensor<float>> permute(const TensorRef<const float> &tensor,
                                      llvm::ArrayRef<unsigned> order);
llvm::Expected<Tensor<double>> permute(const TensorRef<const double> &tensor,
                                       llvm::ArrayRef<unsigned> order);

/// tensor x_mode matrix: dimension `mode` of size n becomes p by the p x n
/// `matrix`. 2 p * (number of elements) operations. Fails on shapes that do not
/// fit.
llvm::Expected<Tensor<float>>
modeProduct(const TensorRef<const float> &tensor, unsigned mode,
            MatrixRef<const float> matrix,
            llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<Tensor<double>>
modeProduct(const TensorRef<const double> &tensor, unsigned mode,
            MatrixRef<const double> matrix,
            llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_UNFOLD_H
