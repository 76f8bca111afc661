//===- Drift.cpp - How far data has moved from calibration ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Drift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace llvm;

namespace compress::numerics {

namespace {

/// The counts of one sign, from zero outwards.
using Side = std::vector<double>;

/// A histogram on a grid of wider bins.
struct CoarseHistogram {
  Side positive;
  Side negative; // empty for absolute histograms
};

} // namespace

/// Number of bins up to the last one that is not empty.
static int64_t getUsed(const Side &side) {
  int64_t used = side.size();
  while (used > 0 && side[used - 1] == 0)
    --used;
  return used;
}

/// Joins 2^shift neighbours.
static Side joinBins(const Side &side, int shift) {
  shift = std::min(shift, 62);
  Side result(side.empty() ? 0 : ((side.size() - 1) >> shift) + 1);
  for (size_t j = 0; j < side.size(); ++j)
    result[j >> shift] += side[j];
  return result;
}

static CoarseHistogram joinBins(const CoarseHistogram &histogram, int shift) {
  return {joinBins(histogram.positive, shift),
          joinBins(histogram.negative, shift)};
}

/// `histogram` on the grid of width 2^exponent.
static CoarseHistogram getCoarse(const Histogram &histogram, int exponent) {
  const bool isSigned = histogram.getKind() == Histogram::Kind::Signed;
  const ArrayRef<uint64_t> counts = histogram.getCounts();
  const size_t center = isSigned ? counts.size() / 2 : 0;
  CoarseHistogram result;
  result.positive.assign(counts.begin() + center, counts.end());
  result.negative.assign(counts.rend() - center, counts.rend());
  return joinBins(result, exponent - histogram.getExponent());
}

/// Cuts or extends to `size` bins; what is cut off is empty.
static void resize(CoarseHistogram &histogram, int64_t positive,
                   int64_t negative) {
  histogram.positive.resize(positive);
  histogram.negative.resize(negative);
}

static Error checkDrift(const Histogram &reference, const Histogram &current,
                        const DriftOptions &options) {
  if (reference.getKind() != current.getKind() ||
      reference.getNumBins() != current.getNumBins())
    return createStringError("histograms of different kinds or numbers of bins "
                             "cannot be compared");
  if (!reference.getMinMax().hasRange())
    return createStringError("the reference histogram is empty");
  if (!current.getMinMax().hasRange())
    return createStringError("the current histogram is empty");
  if (options.maxBins < 2)
    return createStringError("at least 2 bins are needed, but %lld are allowed",
                             static_cast<long long>(options.maxBins));
  if (!(options.pseudoCount > 0) || !std::isfinite(options.pseudoCount))
    return createStringError("the pseudo-count must be positive, but is %g",
                             options.pseudoCount);
  return Error::success();
}

static double getMaxShift(double reference, double current) {
  if (reference == current)
    return 0.0;
  if (reference == 0.0 || current == 0.0)
    return std::numeric_limits<double>::infinity();
  return std::fabs(std::log2(current) - std::log2(reference));
}

/// Elements of `current` in bins behind the last one in use in `reference`.
static double countOutside(const Side &reference, const Side &current) {
  double outside = 0;
  for (size_t j = getUsed(reference); j < current.size(); ++j)
    outside += current[j];
  return outside;
}

Expected<Drift> measureDrift(const Histogram &reference,
                             const Histogram &current,
                             const DriftOptions &options) {
  if (Error error = checkDrift(reference, current, options))
    return std::move(error);
  const int exponent = std::max(reference.getExponent(), current.getExponent());
  CoarseHistogram old = getCoarse(reference, exponent);
  CoarseHistogram now = getCoarse(current, exponent);
  const double oldTotal = reference.getMinMax().numFinite;
  const double nowTotal = current.getMinMax().numFinite;
  Drift drift;
  drift.maxShift = getMaxShift(reference.getMinMax().getAbsMax(),
                               current.getMinMax().getAbsMax());
  drift.outsideShare = (countOutside(old.positive, now.positive) +
                        countOutside(old.negative, now.negative)) /
                       nowTotal;
  int64_t positive = std::max(getUsed(old.positive), getUsed(now.positive));
  int64_t negative = std::max(getUsed(old.negative), getUsed(now.negative));
  int shift = 0;
  while ((std::max(positive, negative) - 1) >> shift >= options.maxBins)
    ++shift;
  resize(old, positive, negative);
  resize(now, positive, negative);
  old = joinBins(old, shift);
  now = joinBins(now, shift);
  const double numBins = old.positive.size() + old.negative.size();
  auto addSide = [&](const Side &oldSide, const Side &nowSide) {
    for (size_t j = 0; j < oldSide.size(); ++j) {
      double r = (oldSide[j] + options.pseudoCount) /
                 (oldTotal + options.pseudoCount * numBins);
      double c = (nowSide[j] + options.pseudoCount) /
                 (nowTotal + options.pseudoCount * numBins);
      double ratio = std::log(c / r);
      drift.divergence += c * ratio;
      drift.stabilityIndex += (c - r) * ratio;
    }
  };
  addSide(old.positive, now.positive);
  addSide(old.negative, now.negative);
  return drift;
}

} // namespace compress::numerics
