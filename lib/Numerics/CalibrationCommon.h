//===- CalibrationCommon.h - What threshold searches share ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of histograms, and prefix sums over their bins.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_CALIBRATIONCOMMON_H
#define COMPRESS_LIB_NUMERICS_CALIBRATIONCOMMON_H

#include "compress/Numerics/Calibration.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace compress::numerics {

/// Fails if `view` has no elements, too many to be counted in f64 without
/// error, or bins that are none.
llvm::Error checkView(const HistogramView &view);

/// Fails if a search by `search` (with `levels` levels) in `view` is not
/// possible or, for want of bins, senseless.
llvm::Error checkSearch(const HistogramView &view,
                        const ThresholdSearch &search, int64_t levels);

/// The largest magnitude seen.
inline double getAbsMax(const HistogramView &view) {
  return std::max(std::fabs(view.low), std::fabs(view.high));
}

/// sums[i] is the sum of term(j) for j < i.
template <typename Sum, typename Term>
std::vector<Sum> getPrefixSums(int64_t count, Term term) {
  std::vector<Sum> sums(count + 1, Sum(0));
  for (int64_t i = 0; i < count; ++i)
    sums[i + 1] = sums[i] + term(i);
  return sums;
}

/// x log x, continued to 0.
inline double xLogX(double x) { return x > 0 ? x * std::log(x) : 0.0; }

/// Divergences that differ from zero by rounding only are zero, so that rules
/// for ties apply to them.
inline double roundDivergence(double divergence) {
  return divergence < 1e-12 ? 0.0 : divergence;
}

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_CALIBRATIONCOMMON_H
