//===- FactorCost.h - Cost of factorized layers -----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters and operations of a layer and of the chain of smaller layers that
// a factorization makes of it. A multiply and an add count as two operations;
// biases are left out, for they do not change. All functions fail on sizes
// that are not positive and on products beyond 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_FACTORCOST_H
#define COMPRESS_NUMERICS_FACTORCOST_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace compress::numerics {

struct LayerCost {
  int64_t parameters = 0;
  int64_t flops = 0;
};

/// The stages of a chain, first to last, and their sum.
struct ChainCost {
  llvm::SmallVector<LayerCost, 4> stages;
  LayerCost total;
};

/// A 2-d convolution; spatial sizes are those of one image.
struct ConvolutionShape {
  int64_t batch = 1;
  int64_t inputChannels = 1, outputChannels = 1;
  int64_t kernelHeight = 1, kernelWidth = 1;
  int64_t inputHeight = 1, inputWidth = 1;
  int64_t outputHeight = 1, outputWidth = 1;
};

/// rows x columns weights times `vectors` vectors.
llvm::Expected<LayerCost> getMatrixCost(int64_t rows, int64_t columns,
                                        int64_t vectors);

/// The two factors of a rank-r split: r * columns, then rows * r.
llvm::Expected<ChainCost> getLowRankCost(int64_t rows, int64_t columns,
                                         int64_t rank, int64_t vectors);

/// The convolution as it is.
llvm::Expected<LayerCost> getConvolutionCost(const ConvolutionShape &shape);

/// 1x1 to `inputRank` channels at the input resolution, the kernel's window
/// between the ranks (with stride and dilation) and 1x1 to the output channels
/// at the output resolution. A rank of 0 leaves that mode, and its stage, out.
llvm::Expected<ChainCost> getTucker2Cost(const ConvolutionShape &shape,
                                         int64_t inputRank, int64_t outputRank);

/// 1x1 to `rank` channels at the input resolution, depthwise kernelHeight x 1
/// (output height, input width), depthwise 1 x kernelWidth (output size), 1x1
/// to the output channels.
llvm::Expected<ChainCost> getCPCost(const ConvolutionShape &shape,
                                    int64_t rank);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_FACTORCOST_H
