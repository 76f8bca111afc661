//===- FactorCostTest.cpp - Cost of factorized layers ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/FactorCost.h"
#include "MatrixTesting.h"

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

ConvolutionShape makeShape() {
  ConvolutionShape shape;
  shape.batch = 2;
  shape.inputChannels = 16;
  shape.outputChannels = 32;
  shape.kernelHeight = 3;
  shape.kernelWidth = 5;
  shape.inputHeight = 20;
  shape.inputWidth = 24;
  shape.outputHeight = 10;
  shape.outputWidth = 12;
  return shape;
}

TEST(FactorCostTest, CountsParametersAndOperations) {
  LayerCost matrix = take(getMatrixCost(512, 256, 7));
  EXPECT_EQ(matrix.parameters, 131072);
  EXPECT_EQ(matrix.flops, 2 * 131072 * 7);
  ChainCost split = take(getLowRankCost(512, 256, 170, 7));
  EXPECT_EQ(split.total.parameters, 130560);
  EXPECT_LT(split.total.parameters, matrix.parameters);
  EXPECT_EQ(take(getLowRankCost(512, 256, 171, 7)).total.parameters, 131328);

  ConvolutionShape shape = makeShape();
  LayerCost dense = take(getConvolutionCost(shape));
  EXPECT_EQ(dense.parameters, 16 * 32 * 15);
  EXPECT_EQ(dense.flops, 2 * 2 * 120 * (16 * 32 * 15));
}

TEST(FactorCostTest, TuckerChain) {
  ChainCost chain = take(getTucker2Cost(makeShape(), 4, 6));
  ASSERT_EQ(chain.stages.size(), 3u);
  // S R3 + k^2 R3 R4 + R4 T.
  EXPECT_EQ(chain.total.parameters, 16 * 4 + 15 * 4 * 6 + 6 * 32);
  EXPECT_EQ(chain.stages[0].flops, 2 * 2 * 480 * (16 * 4));
  EXPECT_EQ(chain.stages[1].flops, 2 * 2 * 120 * (15 * 4 * 6));
  EXPECT_EQ(chain.stages[2].flops, 2 * 2 * 120 * (6 * 32));
  ChainCost half = take(getTucker2Cost(makeShape(), 0, 6));
  ASSERT_EQ(half.stages.size(), 2u);
  EXPECT_EQ(half.total.parameters, 15 * 16 * 6 + 6 * 32);
}

TEST(FactorCostTest, CPChain) {
  ChainCost chain = take(getCPCost(makeShape(), 7));
  ASSERT_EQ(chain.stages.size(), 4u);
  EXPECT_EQ(chain.total.parameters, 16 * 7 + 3 * 7 + 5 * 7 + 7 * 32);
  EXPECT_EQ(chain.stages[1].flops, 2 * 2 * (10 * 24) * 21);
  EXPECT_EQ(chain.stages[2].flops, 2 * 2 * (10 * 12) * 35);
}

TEST(FactorCostTest, RefusesBadSizesAndOverflow) {
  EXPECT_NE(messageOf(getMatrixCost(0, 4, 1)).find("positive"),
            std::string::npos);
  EXPECT_NE(messageOf(getLowRankCost(4, 4, -1, 1)).find("positive"),
            std::string::npos);
  ConvolutionShape shape = makeShape();
  shape.inputChannels = int64_t(1) << 40;
  shape.outputChannels = int64_t(1) << 40;
  EXPECT_NE(messageOf(getConvolutionCost(shape)).find("64 bits"),
            std::string::npos);
}

} // namespace
