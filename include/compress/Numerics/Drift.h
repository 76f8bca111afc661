//===- Drift.h - How far data has moved from calibration --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures of the difference between the data that a range was calibrated on
// and the data that is seen now. They tell when to calibrate again.
//
// Both histograms are brought to one coarse grid first: the bins of the coarser
// one, joined in pairs until each sign has at most `maxBins` of them in use.
// Counts become proportions with a pseudo-count for every bin,
//
//   p = (count + pseudoCount) / (total + pseudoCount * bins),
//
// so that an empty bin gives a large but finite divergence.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_DRIFT_H
#define COMPRESS_NUMERICS_DRIFT_H

#include "compress/Numerics/Histogram.h"

namespace compress::numerics {

struct DriftOptions {
  /// At least 2.
  int64_t maxBins = 64;
  /// Positive.
  double pseudoCount = 0.5;
};

struct Drift {
  /// KL(current || reference): sum of c log(c / r), in nats.
  double divergence = 0.0;
  /// Population stability index: sum of (c - r) log(c / r). By custom, below
  /// 0.1 is no change and above 0.25 is a large one.
  double stabilityIndex = 0.0;
  /// |log2(current / reference)| of the largest magnitudes: 1 means doubled or
  /// halved; infinite if one of them is 0 and the other is not.
  double maxShift = 0.0;
  /// The share of current elements in bins beyond the reference's last one in
  /// use (of that sign): what the calibrated range would clip.
  double outsideShare = 0.0;
};

/// Compares `current` with `reference`. Fails if they are of different kinds or
/// numbers of bins, if one of them has no elements, or on bad options. O(bins).
llvm::Expected<Drift> measureDrift(const Histogram &reference,
                                   const Histogram &current,
                                   const DriftOptions &options = {});

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_DRIFT_H
