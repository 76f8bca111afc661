//===- MovingRange.cpp - Ranges that follow a stream of batches -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/MovingRange.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

static constexpr int64_t maxHistory = int64_t(1) << 20;

static Error checkRange(FloatRange range) {
  if (std::isfinite(range.low) && std::isfinite(range.high) &&
      range.low <= range.high)
    return Error::success();
  return createStringError("a batch of the range [%g, %g] is none", range.low,
                           range.high);
}

static Error makeUnseenError() {
  return createStringError("nothing was observed: no batch had a range");
}

/// Passes the range of a batch on, if it has one.
template <typename Estimate>
static Error updateFrom(Estimate &estimate, const MinMax &batch) {
  if (!batch.hasRange())
    return Error::success();
  return estimate.update(FloatRange{static_cast<float>(batch.low),
                                    static_cast<float>(batch.high)});
}

//===----------------------------------------------------------------------===//
// MovingAverageRange
//===----------------------------------------------------------------------===//

Expected<MovingAverageRange> MovingAverageRange::create(float constant) {
  if (!(constant > 0.0f && constant <= 1.0f))
    return createStringError(
        "the averaging constant must be in (0, 1], but is %g", constant);
  return MovingAverageRange(constant);
}

static float moveTowards(float average, float value, float constant) {
  float difference = value - average;
  if (std::isfinite(difference))
    return average + constant * difference;
  return average - constant * average + constant * value;
}

Error MovingAverageRange::update(FloatRange batch) {
  if (Error error = checkRange(batch))
    return error;
  if (!range) {
    range = batch;
    return Error::success();
  }
  range->low = moveTowards(range->low, batch.low, constant);
  range->high = moveTowards(range->high, batch.high, constant);
  return Error::success();
}

Error MovingAverageRange::update(const MinMax &batch) {
  return updateFrom(*this, batch);
}

Expected<FloatRange> MovingAverageRange::get() const {
  if (!range)
    return makeUnseenError();
  return *range;
}

//===----------------------------------------------------------------------===//
// WindowRange
//===----------------------------------------------------------------------===//

static Error checkHistory(int64_t length) {
  if (length >= 1 && length <= maxHistory)
    return Error::success();
  return createStringError("the history must be 1 to %lld batches long, not "
                           "%lld",
                           static_cast<long long>(maxHistory),
                           static_cast<long long>(length));
}

Expected<WindowRange> WindowRange::create(int64_t window) {
  if (Error error = checkHistory(window))
    return std::move(error);
  return WindowRange(window);
}

Error WindowRange::update(FloatRange batch) {
  if (Error error = checkRange(batch))
    return error;
  if (static_cast<int64_t>(history.size()) < window) {
    history.push_back(batch);
    return Error::success();
  }
  history[next] = batch;
  next = (next + 1) % window;
  return Error::success();
}

Error WindowRange::update(const MinMax &batch) {
  return updateFrom(*this, batch);
}

Expected<FloatRange> WindowRange::get() const {
  if (history.empty())
    return makeUnseenError();
  FloatRange result = history.front();
  for (const FloatRange &range : history) {
    result.low = std::min(result.low, range.low);
    result.high = std::max(result.high, range.high);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// DecayingRange
//===----------------------------------------------------------------------===//

Expected<DecayingRange> DecayingRange::create(float decay) {
  if (!(decay >= 0.0f && decay <= 1.0f))
    return createStringError("the decay must be in [0, 1], but is %g", decay);
  return DecayingRange(decay);
}

Error DecayingRange::update(FloatRange batch) {
  if (Error error = checkRange(batch))
    return error;
  FloatRange widened = {std::min(batch.low, 0.0f), std::max(batch.high, 0.0f)};
  if (range) {
    widened.low = std::min(widened.low, decay * range->low);
    widened.high = std::max(widened.high, decay * range->high);
  }
  range = widened;
  return Error::success();
}

Error DecayingRange::update(const MinMax &batch) {
  return updateFrom(*this, batch);
}

Expected<FloatRange> DecayingRange::get() const {
  if (!range)
    return makeUnseenError();
  return *range;
}

//===----------------------------------------------------------------------===//
// DelayedScale
//===----------------------------------------------------------------------===//

Expected<DelayedScale> DelayedScale::create(float largest,
                                            int64_t historyLength,
                                            Choice choice, int margin) {
  if (!(largest > 0.0f) || !std::isfinite(largest))
    return createStringError(
        "the largest number must be positive and finite, but is %g", largest);
  if (Error error = checkHistory(historyLength))
    return std::move(error);
  if (margin < -64 || margin > 64)
    return createStringError("the margin must be in [-64, 64], but is %d",
                             margin);
  return DelayedScale(largest, historyLength, choice, margin);
}

void DelayedScale::update(float absMax) {
  history[next] = absMax;
  next = (next + 1) % static_cast<int64_t>(history.size());
  float chosen = absMax;
  if (choice == Choice::Maximum)
    for (float past : history)
      // NaN wins, and then changes nothing.
      chosen = past > chosen || std::isnan(past) ? past : chosen;
  if (!std::isfinite(chosen) || chosen <= 0.0f)
    return;
  float updated = std::ldexp(largest / chosen, -margin);
  scale = std::isinf(updated) ? std::numeric_limits<float>::max() : updated;
}

} // namespace compress::numerics
