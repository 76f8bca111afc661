//===- MovingRange.h - Ranges that follow a stream of batches ---*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates of the range of a tensor from one batch after another: moving
// average, window and decaying extremes, and the delayed scales of FP8
// training. They are order-dependent by definition: a calibration run feeds
// batches in a fixed order. The first batch is taken as it is; an estimate
// never starts from zero or from an infinity. All arithmetic is in f32, in the
// order written here.
//
// Batches without finite elements change nothing (MinMax::hasRange is false);
// ranges that are none (NaN, infinite, low above high) are errors and change
// nothing either. Before the first batch there is no estimate: get fails.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_MOVINGRANGE_H
#define COMPRESS_NUMERICS_MOVINGRANGE_H

#include "compress/Numerics/MinMax.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace compress::numerics {

/// The values in [low, high].
struct FloatRange {
  float low = 0.0f;
  float high = 0.0f;

  bool operator==(const FloatRange &other) const {
    return low == other.low && high == other.high;
  }
};

/// Exponential moving average: v <- v + c (new - v) for both ends, where a
/// difference that overflows is split: v - c v + c new.
class MovingAverageRange {
public:
  /// Fails if `constant` is not in (0, 1].
  static llvm::Expected<MovingAverageRange> create(float constant = 0.01f);

  llvm::Error update(FloatRange batch);
  llvm::Error update(const MinMax &batch);
  llvm::Expected<FloatRange> get() const;

private:
  explicit MovingAverageRange(float constant) : constant(constant) {}

  float constant;
  std::optional<FloatRange> range;
};

/// The union of the ranges of the last `window` batches.
class WindowRange {
public:
  /// Fails if `window` is not in [1, 2^20].
  static llvm::Expected<WindowRange> create(int64_t window);

  llvm::Error update(FloatRange batch);
  llvm::Error update(const MinMax &batch);
  /// O(window).
  llvm::Expected<FloatRange> get() const;

private:
  explicit WindowRange(int64_t window) : window(window) {}

  int64_t window;
  /// At most `window` ranges; `next` is the oldest one when it is full.
  std::vector<FloatRange> history;
  int64_t next = 0;
};

/// Extremes that fade: low <- min(new low, d low), high <- max(new high,
/// d high), after each batch was widened to include 0.
class DecayingRange {
public:
  /// Fails if `decay` is not in [0, 1].
  static llvm::Expected<DecayingRange> create(float decay = 0.99f);

  llvm::Error update(FloatRange batch);
  llvm::Error update(const MinMax &batch);
  llvm::Expected<FloatRange> get() const;

private:
  explicit DecayingRange(float decay) : decay(decay) {}

  float decay;
  std::optional<FloatRange> range;
};

/// The factor that values are multiplied by before they are converted to FP8,
/// from the largest magnitudes of past batches (the delayed scaling recipe of
/// NVIDIA's Transformer Engine):
///
///   scale = (largest / amax) / 2^margin
///
/// with amax the maximum, or the latest, of a history that starts with zeros.
/// An amax that is zero, infinite or NaN leaves the scale as it is; a scale
/// that overflows becomes the largest finite f32 number. It starts as 1.
class DelayedScale {
public:
  enum class Choice { Maximum, Latest };

  /// `largest` is the format's largest number (448 for E4M3FN). Fails if it is
  /// not positive and finite, if `historyLength` is not in [1, 2^20], or if
  /// `margin` is not in [-64, 64].
  static llvm::Expected<DelayedScale> create(float largest,
                                             int64_t historyLength = 1024,
                                             Choice choice = Choice::Maximum,
                                             int margin = 0);

  /// Puts the largest magnitude of a batch, any f32 number, in the history and
  /// updates the scale.
  void update(float absMax);
  float getScale() const { return scale; }

private:
  DelayedScale(float largest, int64_t historyLength, Choice choice, int margin)
      : largest(largest), choice(choice), margin(margin),
        history(historyLength) {}

  float largest;
  Choice choice;
  int margin;
  std::vector<float> history;
  int64_t next = 0;
  float scale = 1.0f;
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_MOVINGRANGE_H
