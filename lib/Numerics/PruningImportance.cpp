//===- PruningImportance.cpp - Importance of channels ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/PruningImportance.h"
#include "compress/Numerics/Parallel.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

template <typename T>
static Error checkWeights(const TensorRef<const T> &weights, unsigned dim) {
  if (Error error = checkFinite(weights, "the weight tensor"))
    return error;
  if (dim >= weights.sizes.size())
    return createStringError("dimension %u is out of range for weights of rank "
                             "%llu",
                             dim, (unsigned long long)weights.sizes.size());
  return Error::success();
}

/// The sizes or strides without dimension `dim`.
static SmallVector<int64_t, 4> without(ArrayRef<int64_t> values, unsigned dim) {
  SmallVector<int64_t, 4> rest(values);
  rest.erase(rest.begin() + dim);
  return rest;
}

template <typename T>
static Expected<std::vector<double>> normImpl(const TensorRef<const T> &weights,
                                              unsigned dim, ChannelNorm norm) {
  if (Error error = checkWeights(weights, dim))
    return std::move(error);
  std::vector<double> importance(weights.sizes[dim]);
  const SmallVector<int64_t, 4> sizes = without(weights.sizes, dim);
  const SmallVector<int64_t, 4> strides = without(weights.strides, dim);
  for (int64_t c = 0; c < weights.sizes[dim]; ++c) {
    const T *channel = weights.data + c * weights.strides[dim];
    double sum = 0;
    forEachOffset(sizes, strides, [&](int64_t offset) {
      const double value = channel[offset];
      sum += norm == ChannelNorm::L1 ? std::abs(value) : value * value;
    });
    importance[c] = norm == ChannelNorm::L1 ? sum : std::sqrt(sum);
  }
  return importance;
}

template <typename T>
static Expected<std::vector<double>>
taylorImpl(const TensorRef<const T> &weights,
           const TensorRef<const T> &gradients, unsigned dim, TaylorForm form) {
  if (Error error = checkWeights(weights, dim))
    return std::move(error);
  if (Error error = checkFinite(gradients, "the gradient tensor"))
    return std::move(error);
  if (weights.sizes != gradients.sizes)
    return createStringError("weights and gradients have different sizes");
  const int64_t channels = weights.sizes[dim];
  std::vector<double> importance(channels);
  const SmallVector<int64_t, 4> sizes = without(weights.sizes, dim);
  std::vector<int64_t> offsets;
  for (int64_t c = 0; c < channels; ++c) {
    const T *gradient = gradients.data + c * gradients.strides[dim];
    if (c == 0)
      forEachOffset(sizes, without(gradients.strides, dim),
                    [&](int64_t offset) { offsets.push_back(offset); });
    const T *weight = weights.data + c * weights.strides[dim];
    size_t position = 0;
    double sum = 0;
    forEachOffset(sizes, without(weights.strides, dim), [&](int64_t offset) {
      const double product =
          double(weight[offset]) * double(gradient[offsets[position++]]);
      sum += form == TaylorForm::MagnitudeOfSum ? product : product * product;
    });
    importance[c] = std::abs(sum);
  }
  return importance;
}

template <typename T>
static Expected<std::vector<double>>
geometricMedianImpl(const TensorRef<const T> &weights, unsigned dim,
                    ThreadPoolInterface *pool) {
  if (Error error = checkWeights(weights, dim))
    return std::move(error);
  const int64_t channels = weights.sizes[dim];
  const int64_t elements = weights.getNumElements() / channels;
  std::vector<double> rows(channels * elements);
  for (int64_t c = 0; c < channels; ++c) {
    double *out = &rows[c * elements];
    const T *channel = weights.data + c * weights.strides[dim];
    forEachOffset(without(weights.sizes, dim), without(weights.strides, dim),
                  [&](int64_t offset) { *out++ = channel[offset]; });
  }
  // Each channel sums over all others itself, in the same order for every
  // number of threads.
  std::vector<double> importance(channels);
  forEachChunk(pool, channels, 8, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      for (int64_t other = 0; other < channels; ++other) {
        const double *x = &rows[c * elements], *y = &rows[other * elements];
        double lanes[8] = {}, sum = 0;
        int64_t k = 0;
        for (; k + 8 <= elements; k += 8)
          for (int lane = 0; lane < 8; ++lane) {
            const double difference = x[k + lane] - y[k + lane];
            lanes[lane] += difference * difference;
          }
        for (; k < elements; ++k)
          sum += (x[k] - y[k]) * (x[k] - y[k]);
        for (double lane : lanes)
          sum += lane;
        importance[c] += std::sqrt(sum);
      }
  });
  return importance;
}

template <typename T>
static Expected<std::vector<double>>
batchNormImpl(StridedSpan<const T> scales) {
  if (Error error = checkSpan(scales, "the batch-norm scales"))
    return std::move(error);
  std::vector<double> importance(scales.size());
  for (int64_t c = 0; c < scales.size(); ++c) {
    if (!std::isfinite(scales[c]))
      return createStringError("batch-norm scale %lld is NaN or infinite",
                               (long long)c);
    importance[c] = std::abs(double(scales[c]));
  }
  return importance;
}

static double getDivisor(ArrayRef<double> member, Normalization normalization) {
  double sum = 0, largest = 0;
  for (double value : member) {
    sum += value;
    largest = std::max(largest, value);
  }
  double divisor = 1;
  switch (normalization) {
  case Normalization::None:
    break;
  case Normalization::Sum:
    divisor = sum;
    break;
  case Normalization::Mean:
    divisor = sum / member.size();
    break;
  case Normalization::Max:
    divisor = largest;
    break;
  }
  return divisor > 0 ? divisor : 1;
}

static void accumulate(double &total, double value, Aggregation aggregation) {
  switch (aggregation) {
  case Aggregation::Sum:
  case Aggregation::Mean:
    total += value;
    break;
  case Aggregation::Max:
    total = std::max(total, value);
    break;
  case Aggregation::Product:
    total *= value;
    break;
  case Aggregation::L2:
    total += value * value;
    break;
  }
}

Expected<std::vector<double>>
aggregateImportance(ArrayRef<std::vector<double>> members,
                    Aggregation aggregation, Normalization normalization) {
  if (members.empty())
    return createStringError("a group needs at least one member");
  const size_t channels = members.front().size();
  std::vector<double> total(channels,
                            aggregation == Aggregation::Product ? 1.0 : 0.0);
  for (size_t m = 0; m < members.size(); ++m) {
    if (members[m].size() != channels)
      return createStringError("member %llu of the group has %llu channels, "
                               "but the first has %llu",
                               (unsigned long long)m,
                               (unsigned long long)members[m].size(),
                               (unsigned long long)channels);
    for (double value : members[m])
      if (!(value >= 0) || !std::isfinite(value))
        return createStringError("importances must be finite and not negative, "
                                 "but member %llu has %g",
                                 (unsigned long long)m, value);
    const double divisor = getDivisor(members[m], normalization);
    for (size_t c = 0; c < channels; ++c)
      accumulate(total[c], members[m][c] / divisor, aggregation);
  }
  for (double &value : total) {
    if (aggregation == Aggregation::Mean)
      value /= members.size();
    else if (aggregation == Aggregation::L2)
      value = std::sqrt(value);
  }
  return total;
}

Expected<std::vector<int64_t>> selectChannels(ArrayRef<double> importance,
                                              int64_t keep) {
  const int64_t channels = importance.size();
  if (keep < 1 || keep > channels)
    return createStringError("the number of channels to keep must be in "
                             "[1, %lld], but is %lld",
                             (long long)channels, (long long)keep);
  std::vector<int64_t> order(channels);
  for (int64_t c = 0; c < channels; ++c) {
    if (std::isnan(importance[c]))
      return createStringError("the importance of channel %lld is NaN",
                               (long long)c);
    order[c] = c;
  }
  llvm::sort(order, [&](int64_t x, int64_t y) {
    return importance[x] != importance[y] ? importance[x] > importance[y]
                                          : x < y;
  });
  order.resize(keep);
  llvm::sort(order);
  return order;
}

Expected<int64_t> getChannelsToKeep(int64_t channels, double fraction,
                                    int64_t multiple) {
  if (channels < 1 || multiple < 1)
    return createStringError("channels and multiple must be positive, but are "
                             "%lld and %lld",
                             (long long)channels, (long long)multiple);
  if (!(fraction > 0 && fraction <= 1))
    return createStringError("the fraction to keep must be in (0, 1], but is "
                             "%g",
                             fraction);
  if (multiple >= channels)
    return channels;
  const double wanted = std::nearbyint(fraction * channels / multiple);
  const int64_t kept = std::max<int64_t>(1, static_cast<int64_t>(wanted));
  return std::min(kept * multiple, channels);
}

Expected<std::vector<double>>
getNormImportance(const TensorRef<const float> &weights, unsigned dim,
                  ChannelNorm norm) {
  return normImpl(weights, dim, norm);
}
Expected<std::vector<double>>
getNormImportance(const TensorRef<const double> &weights, unsigned dim,
                  ChannelNorm norm) {
  return normImpl(weights, dim, norm);
}
Expected<std::vector<double>>
getTaylorImportance(const TensorRef<const float> &weights,
                    const TensorRef<const float> &gradients, unsigned dim,
                    TaylorForm form) {
  return taylorImpl(weights, gradients, dim, form);
}
Expected<std::vector<double>>
getTaylorImportance(const TensorRef<const double> &weights,
                    const TensorRef<const double> &gradients, unsigned dim,
                    TaylorForm form) {
  return taylorImpl(weights, gradients, dim, form);
}
Expected<std::vector<double>>
getGeometricMedianImportance(const TensorRef<const float> &weights,
                             unsigned dim, ThreadPoolInterface *pool) {
  return geometricMedianImpl(weights, dim, pool);
}
Expected<std::vector<double>>
getGeometricMedianImportance(const TensorRef<const double> &weights,
                             unsigned dim, ThreadPoolInterface *pool) {
  return geometricMedianImpl(weights, dim, pool);
}
Expected<std::vector<double>>
getBatchNormImportance(StridedSpan<const float> scales) {
  return batchNormImpl(scales);
}
Expected<std::vector<double>>
getBatchNormImportance(StridedSpan<const double> scales) {
  return batchNormImpl(scales);
}

} // namespace compress::numerics
