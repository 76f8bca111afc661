//===- PruningImportanceTest.cpp - Importance of channels -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/PruningImportance.h"
#include "MatrixTesting.h"

#include "llvm/Support/ThreadPool.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

template <typename T>
TensorRef<const T> constRef(const Tensor<T> &tensor) {
  return tensor.ref();
}

using Doubles = std::vector<double>;

TEST(PruningImportanceTest, NormsOfEveryDimension) {
  // [[1 -2] [3 4]] [[0 5] [-6 7]] as 2x2x2.
  Tensor<float> weights({2, 2, 2});
  const float values[] = {1, -2, 3, 4, 0, 5, -6, 7};
  std::copy(values, values + 8, weights.elements().begin());
  EXPECT_EQ(take(getNormImportance(constRef(weights), 0, ChannelNorm::L1)),
            (Doubles{10, 18}));
  EXPECT_EQ(take(getNormImportance(constRef(weights), 1, ChannelNorm::L1)),
            (Doubles{8, 20}));
  EXPECT_EQ(take(getNormImportance(constRef(weights), 2, ChannelNorm::L1)),
            (Doubles{10, 18}));
  Doubles l2 = take(getNormImportance(constRef(weights), 0, ChannelNorm::L2));
  EXPECT_DOUBLE_EQ(l2[0], std::sqrt(30.0));
  EXPECT_DOUBLE_EQ(l2[1], std::sqrt(110.0));
  // The same tensor with its dimensions stored the other way round.
  std::vector<float> reversed(8);
  for (int i = 0; i < 8; ++i)
    reversed[(i & 1) * 4 + (i & 2) + (i >> 2)] = values[i];
  TensorRef<const float> view(reversed.data(), {2, 2, 2}, {1, 2, 4});
  EXPECT_EQ(take(getNormImportance(view, 1, ChannelNorm::L1)),
            (Doubles{8, 20}));
}

TEST(PruningImportanceTest, TaylorFollowsTheLoss) {
  Tensor<double> weights({2, 2}), gradients({2, 2});
  const double w[] = {1, 2, 3, -4}, g[] = {1, 1, -1, 0.5};
  std::copy(w, w + 4, weights.elements().begin());
  std::copy(g, g + 4, gradients.elements().begin());
  EXPECT_EQ(take(getTaylorImportance(constRef(weights), constRef(gradients), 0,
                                     TaylorForm::MagnitudeOfSum)),
            (Doubles{3, 5}));
  EXPECT_EQ(take(getTaylorImportance(constRef(weights), constRef(gradients), 1,
                                     TaylorForm::SumOfSquares)),
            (Doubles{10, 8}));
  TensorRef<const double> transposed(gradients.data(), {2, 2}, {1, 2});
  EXPECT_EQ(take(getTaylorImportance(constRef(weights), transposed, 0,
                                     TaylorForm::MagnitudeOfSum)),
            (Doubles{1, 1}));
  // A loss linear in the weights loses exactly this when a channel goes.
  Tensor<double> large = randomTensor<double>({5, 7}, 1);
  Tensor<double> slope = randomTensor<double>({5, 7}, 2);
  Doubles importance = take(getTaylorImportance(
      constRef(large), constRef(slope), 0, TaylorForm::MagnitudeOfSum));
  for (int c = 0; c < 5; ++c) {
    double loss = 0, without = 0;
    for (int i = 0; i < 35; ++i) {
      double term = large.elements()[i] * slope.elements()[i];
      loss += term;
      without += i / 7 == c ? 0 : term;
    }
    EXPECT_NEAR(importance[c], std::abs(loss - without), 1e-12);
  }
}

TEST(PruningImportanceTest, GeometricMedianFindsTheRedundantChannel) {
  // Channel 2 is the mean of the others; it is not the smallest.
  Tensor<double> weights({4, 2});
  const double values[] = {0, 3, 3, 0, 3, 3, 6, 6};
  std::copy(values, values + 8, weights.elements().begin());
  Doubles importance = take(getGeometricMedianImportance(constRef(weights), 0));
  EXPECT_EQ(std::min_element(importance.begin(), importance.end()) -
                importance.begin(),
            2);
  EXPECT_DOUBLE_EQ(importance[2], 3 + 3 + std::sqrt(18.0));
  // Threads and precision do not change the order of sums.
  Tensor<float> large = randomTensor<float>({70, 6, 3, 3}, 4);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(3));
  EXPECT_EQ(take(getGeometricMedianImportance(constRef(large), 1)),
            take(getGeometricMedianImportance(constRef(large), 1, &pool)));
  EXPECT_EQ(take(getGeometricMedianImportance(constRef(large), 0)),
            take(getGeometricMedianImportance(constRef(large), 0, &pool)));
}

TEST(PruningImportanceTest, BatchNormScales) {
  std::vector<float> scales = {0.5f, 9, -2, 9, 0};
  EXPECT_EQ(take(getBatchNormImportance(
                StridedSpan<const float>(scales.data(), 3, 2))),
            (Doubles{0.5, 2, 0}));
}

TEST(PruningImportanceTest, GroupsAreAggregated) {
  std::vector<Doubles> members = {{1, 3}, {20, 10}};
  auto aggregate = [&](Aggregation aggregation, Normalization normalization) {
    return take(aggregateImportance(members, aggregation, normalization));
  };
  EXPECT_EQ(aggregate(Aggregation::Sum, Normalization::None),
            (Doubles{21, 13}));
  EXPECT_EQ(aggregate(Aggregation::Mean, Normalization::None),
            (Doubles{10.5, 6.5}));
  EXPECT_EQ(aggregate(Aggregation::Max, Normalization::None),
            (Doubles{20, 10}));
  EXPECT_EQ(aggregate(Aggregation::Product, Normalization::None),
            (Doubles{20, 30}));
  EXPECT_DOUBLE_EQ(aggregate(Aggregation::L2, Normalization::None)[0],
                   std::sqrt(401.0));
  // Divided by its mean, each member counts alike.
  Doubles mean = aggregate(Aggregation::Sum, Normalization::Mean);
  EXPECT_DOUBLE_EQ(mean[0], 0.5 + 4.0 / 3);
  EXPECT_DOUBLE_EQ(mean[1], 1.5 + 2.0 / 3);
  EXPECT_DOUBLE_EQ(aggregate(Aggregation::Sum, Normalization::Max)[0],
                   1.0 / 3 + 1);
  EXPECT_DOUBLE_EQ(aggregate(Aggregation::Sum, Normalization::Sum)[1],
                   0.75 + 1.0 / 3);
  members = {{0, 0}, {1, 3}};
  EXPECT_EQ(aggregate(Aggregation::Sum, Normalization::Mean),
            (Doubles{0.5, 1.5}));
}

TEST(PruningImportanceTest, SelectionKeepsTheLargest) {
  EXPECT_EQ(take(selectChannels({1, 5, 3, 5, 2}, 2)),
            (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(take(selectChannels({1, 5, 3, 5, 2}, 3)),
            (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(take(selectChannels({4, 4, 4}, 2)), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(take(getChannelsToKeep(64, 0.5)), 32);
  EXPECT_EQ(take(getChannelsToKeep(64, 0.3, 8)), 16);
  EXPECT_EQ(take(getChannelsToKeep(64, 0.01, 8)), 8);
  EXPECT_EQ(take(getChannelsToKeep(60, 1, 8)), 60);
  EXPECT_EQ(take(getChannelsToKeep(5, 0.5, 8)), 5);
  EXPECT_EQ(take(getChannelsToKeep(10, 0.01)), 1);
}

TEST(PruningImportanceTest, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor<double> weights({2, 3}), other({3, 2});
  EXPECT_NE(messageOf(getNormImportance(constRef(weights), 2, ChannelNorm::L1))
                .find("dimension 2"),
            std::string::npos);
  EXPECT_NE(messageOf(getTaylorImportance(constRef(weights), constRef(other), 0,
                                          TaylorForm::SumOfSquares))
                .find("different sizes"),
            std::string::npos);
  weights.elements()[4] = nan;
  EXPECT_NE(messageOf(getGeometricMedianImportance(constRef(weights), 0))
                .find("element 4"),
            std::string::npos);
  EXPECT_NE(messageOf(aggregateImportance({Doubles{1, 2}, Doubles{1}},
                                          Aggregation::Sum))
                .find("member 1"),
            std::string::npos);
  EXPECT_NE(messageOf(aggregateImportance({Doubles{1, nan}}, Aggregation::Sum))
                .find("finite"),
            std::string::npos);
  EXPECT_NE(messageOf(aggregateImportance({}, Aggregation::Sum)).find("member"),
            std::string::npos);
  EXPECT_NE(messageOf(selectChannels({1, nan}, 1)).find("channel 1"),
            std::string::npos);
  EXPECT_NE(messageOf(selectChannels({1, 2}, 0)).find("[1, 2]"),
            std::string::npos);
  EXPECT_NE(messageOf(getChannelsToKeep(4, 1.5)).find("fraction"),
            std::string::npos);
  std::vector<double> scales = {1, nan};
  EXPECT_NE(messageOf(getBatchNormImportance(StridedSpan<const double>(scales)))
                .find("scale 1"),
            std::string::npos);
}

} // namespace
