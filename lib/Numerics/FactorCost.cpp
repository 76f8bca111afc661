//===- FactorCost.cpp - Cost of factorized layers -------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/FactorCost.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace compress::numerics {

/// The product of positive numbers.
static Expected<int64_t> multiplyAll(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size <= 0)
      return createStringError("sizes and ranks of a layer must be positive, "
                               "but one is %lld",
                               (long long)size);
    if (MulOverflow(product, size, product))
      return createStringError("the cost of the layer does not fit 64 bits");
  }
  return product;
}

/// A stage with prod(weights) parameters, each used at prod(positions) places.
static Expected<LayerCost> getStage(ArrayRef<int64_t> weights,
                                    ArrayRef<int64_t> positions) {
  Expected<int64_t> parameters = multiplyAll(weights);
  if (!parameters)
    return parameters.takeError();
  SmallVector<int64_t, 8> all(positions);
  all.push_back(*parameters);
  all.push_back(2);
  Expected<int64_t> flops = multiplyAll(all);
  if (!flops)
    return flops.takeError();
  return LayerCost{*parameters, *flops};
}

static Error addStage(ChainCost &chain, Expected<LayerCost> stage) {
  if (!stage)
    return stage.takeError();
  if (AddOverflow(chain.total.parameters, stage->parameters,
                  chain.total.parameters) ||
      AddOverflow(chain.total.flops, stage->flops, chain.total.flops))
    return createStringError("the cost of the chain does not fit 64 bits");
  chain.stages.push_back(*stage);
  return Error::success();
}

Expected<LayerCost> getMatrixCost(int64_t rows, int64_t columns,
                                  int64_t vectors) {
  return getStage({rows, columns}, {vectors});
}

Expected<ChainCost> getLowRankCost(int64_t rows, int64_t columns, int64_t rank,
                                   int64_t vectors) {
  ChainCost chain;
  if (Error error = addStage(chain, getMatrixCost(rank, columns, vectors)))
    return std::move(error);
  if (Error error = addStage(chain, getMatrixCost(rows, rank, vectors)))
    return std::move(error);
  return chain;
}

Expected<LayerCost> getConvolutionCost(const ConvolutionShape &shape) {
  return getStage({shape.inputChannels, shape.kernelHeight, shape.kernelWidth,
                   shape.outputChannels},
                  {shape.batch, shape.outputHeight, shape.outputWidth});
}

Expected<ChainCost> getTucker2Cost(const ConvolutionShape &shape,
                                   int64_t inputRank, int64_t outputRank) {
  ChainCost chain;
  if (inputRank != 0)
    if (Error error = addStage(chain, getStage({shape.inputChannels, inputRank},
                                               {shape.batch, shape.inputHeight,
                                                shape.inputWidth})))
      return std::move(error);
  ConvolutionShape core = shape;
  if (inputRank != 0)
    core.inputChannels = inputRank;
  if (outputRank != 0)
    core.outputChannels = outputRank;
  if (Error error = addStage(chain, getConvolutionCost(core)))
    return std::move(error);
  if (outputRank != 0)
    if (Error error = addStage(
            chain,
            getStage({outputRank, shape.outputChannels},
                     {shape.batch, shape.outputHeight, shape.outputWidth})))
      return std::move(error);
  return chain;
}

Expected<ChainCost> getCPCost(const ConvolutionShape &shape, int64_t rank) {
  ChainCost chain;
  if (Error error = addStage(
          chain, getStage({shape.inputChannels, rank},
                          {shape.batch, shape.inputHeight, shape.inputWidth})))
    return std::move(error);
  if (Error error = addStage(
          chain, getStage({shape.kernelHeight, rank},
                          {shape.batch, shape.outputHeight, shape.inputWidth})))
    return std::move(error);
  if (Error error = addStage(chain, getStage({shape.kernelWidth, rank},
                                             {shape.batch, shape.outputHeight,
                                              shape.outputWidth})))
    return std::move(error);
  if (Error error = addStage(chain, getStage({rank, shape.outputChannels},
                                             {shape.batch, shape.outputHeight,
                                              shape.outputWidth})))
    return std::move(error);
  return chain;
}

} // namespace compress::numerics
