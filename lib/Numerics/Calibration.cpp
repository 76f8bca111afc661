//===- Calibration.cpp - Clipping thresholds from histograms --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Calibration.h"

#include "CalibrationCommon.h"

#include "compress/Numerics/Parallel.h"

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Error checkView(const HistogramView &view) {
  constexpr uint64_t limit = uint64_t(1) << 53;
  uint64_t total = 0;
  for (uint64_t count : view.counts) {
    if (count > limit - total)
      return createStringError("a histogram of more than 2^53 elements");
    total += count;
  }
  if (total == 0)
    return createStringError("nothing was observed: the histogram is empty");
  if (!(view.binWidth > 0) || !std::isfinite(view.binWidth) ||
      !std::isfinite(view.lowEdge))
    return createStringError(
        "a histogram with bins of width %g from %g on is none", view.binWidth,
        view.lowEdge);
  if (!std::isfinite(view.low) || !std::isfinite(view.high) ||
      view.low > view.high)
    return createStringError("a histogram of the range [%g, %g] is none",
                             view.low, view.high);
  return Error::success();
}

static Error checkAbsolute(const HistogramView &view) {
  if (view.lowEdge == 0.0)
    return Error::success();
  return createStringError("a threshold needs an absolute histogram, but this "
                           "one starts at %g",
                           view.lowEdge);
}

int64_t getMinSearchBins(int64_t firstBin, int64_t levels) {
  return 2 * std::max(firstBin, levels);
}

Error checkSearch(const HistogramView &view, const ThresholdSearch &search,
                  int64_t levels) {
  if (Error error = checkView(view))
    return error;
  if (Error error = checkAbsolute(view))
    return error;
  if (search.bits < 2 || search.bits > 16)
    return createStringError("the number of bits must be in [2, 16], but is %u",
                             search.bits);
  const int64_t numBins = view.counts.size();
  if (search.firstBin < 1 || search.firstBin > numBins || search.step < 1)
    return createStringError(
        "a search from bin %lld on in steps of %lld does not fit a histogram "
        "of %lld bins",
        static_cast<long long>(search.firstBin),
        static_cast<long long>(search.step), static_cast<long long>(numBins));
  const int64_t needed = getMinSearchBins(search.firstBin, levels);
  if (numBins < needed)
    return createStringError(
        "the search needs %lld bins or more, else there is little to choose "
        "from, but the histogram has %lld; collect it with more bins",
        static_cast<long long>(needed), static_cast<long long>(numBins));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Percentile
//===----------------------------------------------------------------------===//

static Error checkPercentile(double percentile) {
  if (percentile > 0 && percentile <= 100)
    return Error::success();
  return createStringError("the percentile must be in (0, 100], but is %g",
                           percentile);
}

/// The first bin up to which at least `target` elements were counted. The
/// target comes from a percentage: its rounding error must not ask for one
/// element more.
static int64_t findBin(ArrayRef<uint64_t> counts, double target) {
  target *= 1 - 1e-12;
  uint64_t sum = 0;
  for (int64_t i = 0, e = counts.size(); i < e; ++i) {
    sum += counts[i];
    if (sum > 0 && static_cast<double>(sum) >= target)
      return i;
  }
  return counts.size() - 1;
}

static double getTotal(ArrayRef<uint64_t> counts) {
  uint64_t sum = 0;
  for (uint64_t count : counts)
    sum += count;
  return static_cast<double>(sum);
}

Expected<double> computePercentileThreshold(const HistogramView &absolute,
                                            double percentile) {
  if (Error error = checkView(absolute))
    return std::move(error);
  if (Error error = checkAbsolute(absolute))
    return std::move(error);
  if (Error error = checkPercentile(percentile))
    return std::move(error);
  int64_t bin =
      findBin(absolute.counts, percentile / 100 * getTotal(absolute.counts));
  return std::min(absolute.getEdge(bin + 1), getAbsMax(absolute));
}

Expected<ClippingRange> computePercentileRange(const HistogramView &signedView,
                                               double percentile) {
  if (Error error = checkView(signedView))
    return std::move(error);
  if (Error error = checkPercentile(percentile))
    return std::move(error);
  const ArrayRef<uint64_t> counts = signedView.counts;
  const double kept = (100 + percentile) / 200 * getTotal(counts);
  const int64_t right = findBin(counts, kept);
  std::vector<uint64_t> mirrored(counts.rbegin(), counts.rend());
  const int64_t left =
      static_cast<int64_t>(counts.size()) - 1 - findBin(mirrored, kept);
  return ClippingRange{
      std::max(signedView.getEdge(left), signedView.low),
      std::min(signedView.getEdge(right + 1), signedView.high)};
}

//===----------------------------------------------------------------------===//
// Mean squared error
//===----------------------------------------------------------------------===//

namespace {
/// Sums over the bins below an index, of bin centers in units of half a bin
/// width: the center of bin j is 2j + 1.
struct MomentSums {
  std::vector<double> counts;
  std::vector<double> firsts;
  std::vector<double> seconds;

  explicit MomentSums(ArrayRef<uint64_t> bins)
      : counts(getPrefixSums<double>(
            bins.size(), [&](int64_t j) { return double(bins[j]); })),
        firsts(getPrefixSums<double>(
            bins.size(),
            [&](int64_t j) { return double(bins[j]) * (2 * j + 1); })),
        seconds(getPrefixSums<double>(bins.size(), [&](int64_t j) {
          return double(bins[j]) * (2 * j + 1) * (2 * j + 1);
        })) {}

  /// Squared error of the bins [begin, end) when all become `value`.
  double getError(int64_t begin, int64_t end, double value) const {
    return (seconds[end] - seconds[begin]) -
           2 * value * (firsts[end] - firsts[begin]) +
           value * value * (counts[end] - counts[begin]);
  }
};
} // namespace

/// The squared error with the center of bin `candidate` as threshold.
static double getSquaredError(const MomentSums &sums, int64_t numBins,
                              int64_t candidate, int64_t steps) {
  const int64_t threshold = 2 * candidate + 1;
  const double scale = static_cast<double>(threshold) / steps;
  double error = 0;
  int64_t begin = 0;
  for (int64_t level = 0; level < steps && begin < numBins; ++level) {
    // Bins up to the border (level + 1/2) * scale; on it both sides are equal.
    int64_t border = (2 * level + 1) * threshold / (2 * steps);
    int64_t end = std::min((border + 1) / 2, numBins);
    error += sums.getError(begin, end, level * scale);
    begin = end;
  }
  return error + sums.getError(begin, numBins, static_cast<double>(threshold));
}

Expected<double> computeMSEThreshold(const HistogramView &absolute,
                                     const ThresholdSearch &search,
                                     ThreadPoolInterface *pool) {
  if (Error error = checkView(absolute))
    return std::move(error);
  if (getAbsMax(absolute) == 0)
    return 0.0;
  if (Error error = checkSearch(absolute, search, 2))
    return std::move(error);
  const int64_t numBins = absolute.counts.size();
  const int64_t steps =
      (int64_t(1) << (search.bits - (search.isUnsigned ? 0 : 1))) - 1;
  const MomentSums sums(absolute.counts);
  std::vector<double> errors(
      getNumChunks(numBins - search.firstBin, search.step));
  forEachChunk(pool, errors.size(), 64,
               [&](int64_t, int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   errors[i] = getSquaredError(
                       sums, numBins, search.firstBin + i * search.step, steps);
               });
  int64_t best = llvm::min_element(errors) - errors.begin();
  double center =
      (search.firstBin + best * search.step + 0.5) * absolute.binWidth;
  return std::min(center, getAbsMax(absolute));
}

} // namespace compress::numerics
