//===- EntropyCalibration.cpp - Thresholds of least divergence ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both searches compare the distribution of the bins with its quantized image
// for every candidate threshold. The divergence of two unnormalized
// distributions p and q with the sums T and Z is
//
//   KL = (sum p log p - sum p log q) / T - log T + log Z.
//
// q is constant on each level's bins, so the second sum has one term per level,
// whose weight is a difference of prefix sums; the first sum is a difference of
// prefix sums, too.
//
//===----------------------------------------------------------------------===//

#include "CalibrationCommon.h"

#include "compress/Numerics/Calibration.h"
#include "compress/Numerics/Parallel.h"

#include <limits>

using namespace llvm;

namespace compress::numerics {

static constexpr double infinite = std::numeric_limits<double>::infinity();

/// What an empty bin of a smoothed distribution gets.
static constexpr double smoothing = 0.0001;

/// Candidates that a thread scores at a time.
static constexpr int64_t candidateChunk = 32;

/// score(i) for i in [0, count), on the threads of `pool`.
static std::vector<double> scoreAll(ThreadPoolInterface *pool, int64_t count,
                                    function_ref<double(int64_t)> score) {
  std::vector<double> scores(count);
  forEachChunk(pool, count, candidateChunk,
               [&](int64_t, int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   scores[i] = score(i);
               });
  return scores;
}

//===----------------------------------------------------------------------===//
// TensorRT
//===----------------------------------------------------------------------===//

namespace {

/// The histogram of a TensorRT search, and its sums over the bins below an
/// index.
class TensorRTScorer {
public:
  TensorRTScorer(ArrayRef<uint64_t> counts, int64_t levels)
      : bins(counts.begin(), counts.end()), levels(levels) {
    bins[0] = bins[1];
    const int64_t count = bins.size();
    sums = getPrefixSums<uint64_t>(count, [&](int64_t j) { return bins[j]; });
    nonEmpty = getPrefixSums<int64_t>(
        count, [&](int64_t j) { return bins[j] != 0 ? 1 : 0; });
    entropy = getPrefixSums<double>(
        count, [&](int64_t j) { return xLogX(static_cast<double>(bins[j])); });
  }

  /// The divergence of clipping to the first `size` bins. `emptyValue` is what
  /// Q has in an empty last bin that P has the tail in.
  double score(int64_t size, double emptyValue) const {
    const double total = static_cast<double>(sums.back());
    const double kept = static_cast<double>(sums[size]);
    const double tail = total - kept;
    const double last = static_cast<double>(bins[size - 1]);
    if (kept == 0 || (last == 0 && tail > 0 && emptyValue == 0))
      return infinite;
    double cross = 0;
    double lastLevel = 0;
    int64_t begin = 0;
    for (int64_t level = 0; level < levels; ++level) {
      // Bin j belongs to the level floor(j * levels / size).
      int64_t end = ((level + 1) * size + levels - 1) / levels;
      uint64_t sum = sums[end] - sums[begin];
      if (sum != 0) {
        double spread = static_cast<double>(sum) /
                        static_cast<double>(nonEmpty[end] - nonEmpty[begin]);
        lastLevel = std::log(spread);
        cross += static_cast<double>(sum) * lastLevel;
      }
      begin = end;
    }
    // The last bin, if it counts, is in the last level that does.
    if (tail > 0)
      cross += tail * (last > 0 ? lastLevel : std::log(emptyValue));
    double own = entropy[size] - xLogX(last) + xLogX(last + tail);
    return roundDivergence((own - cross) / total - std::log(total) +
                           std::log(kept));
  }

  /// Whether clipping to the first `size` bins clips nothing.
  bool isWhole(int64_t size) const { return sums[size] == sums.back(); }

private:
  std::vector<uint64_t> bins;
  int64_t levels;
  std::vector<uint64_t> sums;
  std::vector<int64_t> nonEmpty;
  std::vector<double> entropy;
};

} // namespace

Expected<EntropyThreshold>
computeTensorRTEntropyThreshold(const HistogramView &absolute,
                                const ThresholdSearch &search,
                                ThreadPoolInterface *pool) {
  if (Error error = checkView(absolute))
    return std::move(error);
  EntropyThreshold result;
  if (getAbsMax(absolute) == 0)
    return result;
  // Before the shift: checkSearch has the message.
  const unsigned bits = std::min(search.bits, 16u);
  const int64_t levels = int64_t(1)
                         << (std::max(bits, 1u) - (search.isUnsigned ? 0 : 1));
  if (Error error = checkSearch(absolute, search, levels))
    return std::move(error);
  const TensorRTScorer scorer(absolute.counts, levels);
  const int64_t numBins = absolute.counts.size();
  const int64_t numCandidates = (numBins - search.firstBin) / search.step + 1;
  auto getSize = [&](int64_t i) { return search.firstBin + i * search.step; };
  std::vector<double> scores = scoreAll(pool, numCandidates, [&](int64_t i) {
    return scorer.score(getSize(i), /*emptyValue=*/0);
  });
  bool hasChoice = false;
  for (int64_t i = 0; i < numCandidates; ++i)
    hasChoice |= scores[i] != infinite && !scorer.isWhole(getSize(i));
  if (!hasChoice)
    scores = scoreAll(pool, numCandidates, [&](int64_t i) {
      return scorer.score(getSize(i), smoothing);
    });
  // The last of equal ones.
  int64_t best = scores.size() - 1;
  for (int64_t i = best - 1; i >= 0; --i)
    if (scores[i] < scores[best])
      best = i;
  result.lastBin = getSize(best);
  result.divergence = scores[best];
  result.range.high =
      std::min(absolute.getEdge(result.lastBin), getAbsMax(absolute));
  result.range.low = -result.range.high;
  return result;
}

//===----------------------------------------------------------------------===//
// ONNX Runtime
//===----------------------------------------------------------------------===//

/// Up to this cost per non-empty bin, the sum of (b - e) log(b - e) over bins
/// is computed from a series in e/b <= e of so many terms: the rest is below
/// the rounding error.
static constexpr double maxSeriesCost = 1.0 / 16;
static constexpr int seriesTerms = 10;

namespace {

/// The histogram of an ONNX Runtime search, and its sums over the bins below an
/// index.
class ONNXRuntimeScorer {
public:
  ONNXRuntimeScorer(ArrayRef<uint64_t> counts, int64_t levels)
      : bins(counts), levels(levels) {
    const int64_t count = bins.size();
    sums = getPrefixSums<uint64_t>(count, [&](int64_t j) { return bins[j]; });
    nonEmpty = getPrefixSums<int64_t>(
        count, [&](int64_t j) { return bins[j] != 0 ? 1 : 0; });
    entropy = getPrefixSums<double>(
        count, [&](int64_t j) { return xLogX(static_cast<double>(bins[j])); });
    logs = getPrefixSums<double>(count, [&](int64_t j) {
      return bins[j] != 0 ? std::log(static_cast<double>(bins[j])) : 0.0;
    });
    for (int power = 1; power < seriesTerms; ++power)
      inverses.push_back(getPrefixSums<double>(count, [&](int64_t j) {
        return bins[j] != 0 ? std::pow(static_cast<double>(bins[j]), -power)
                            : 0.0;
      }));
  }

  /// The divergence of clipping to the bins [begin, end).
  double score(int64_t begin, int64_t end) const;

private:
  /// A candidate: its bins, its counts with outliers in the outer bins.
  struct Window {
    int64_t begin, end;
    uint64_t first, last;
    /// How much more counts and non-empty bins there are than in `bins`.
    uint64_t left, right;
    int64_t leftNonEmpty, rightNonEmpty;
    /// What smoothing takes from a non-empty bin of P.
    double cost;
  };

  /// The counts of P, not smoothed, of the window's bins [from, to).
  double getSum(const Window &window, int64_t from, int64_t to) const;
  int64_t getNonEmpty(const Window &window, int64_t from, int64_t to) const;
  /// Sum of (b - cost) log(b - cost) over the non-empty bins of [from, to).
  double getSmoothedEntropy(int64_t from, int64_t to, double cost) const;
  /// Sum of p log q over the window, and the sum of q; infinity if q cannot be
  /// smoothed.
  double getCrossEntropy(const Window &window, double &quantizedSum) const;

  ArrayRef<uint64_t> bins;
  int64_t levels;
  std::vector<uint64_t> sums;
  std::vector<int64_t> nonEmpty;
  std::vector<double> entropy;
  std::vector<double> logs;
  /// inverses[k - 1]: of the counts to the power of -k.
  std::vector<std::vector<double>> inverses;
};

} // namespace

double ONNXRuntimeScorer::getSum(const Window &window, int64_t from,
                                 int64_t to) const {
  uint64_t sum = sums[to] - sums[from];
  if (from == window.begin && from < to)
    sum += window.left;
  if (to == window.end && from < to)
    sum += window.right;
  return static_cast<double>(sum);
}

int64_t ONNXRuntimeScorer::getNonEmpty(const Window &window, int64_t from,
                                       int64_t to) const {
  int64_t count = nonEmpty[to] - nonEmpty[from];
  if (from == window.begin && from < to)
    count += window.leftNonEmpty;
  if (to == window.end && from < to)
    count += window.rightNonEmpty;
  return count;
}

double ONNXRuntimeScorer::getSmoothedEntropy(int64_t from, int64_t to,
                                             double cost) const {
  if (to <= from)
    return 0.0;
  if (cost > maxSeriesCost) {
    double sum = 0;
    for (int64_t j = from; j < to; ++j)
      if (bins[j] != 0)
        sum += xLogX(static_cast<double>(bins[j]) - cost);
    return sum;
  }
  // (b-e) log(b-e) = (b-e) log b - e + sum over k >= 2 of
  // e^k b^(1-k) / (k (k-1)).
  double sum = entropy[to] - entropy[from] - cost * (logs[to] - logs[from]) -
               cost * static_cast<double>(nonEmpty[to] - nonEmpty[from]);
  double power = cost;
  for (int k = 2; k <= seriesTerms; ++k) {
    power *= cost;
    const std::vector<double> &inverse = inverses[k - 2];
    sum += power * (inverse[to] - inverse[from]) / (k * (k - 1));
  }
  return sum;
}

double ONNXRuntimeScorer::getCrossEntropy(const Window &window,
                                          double &quantizedSum) const {
  const int64_t size = window.end - window.begin;
  const int64_t perLevel = size / levels;
  const int64_t rest = window.begin + levels * perLevel;
  // The value of Q on each level's bins.
  std::vector<uint64_t> values(levels);
  int64_t filled = 0;
  quantizedSum = 0;
  for (int64_t level = 0; level < levels; ++level) {
    int64_t from = window.begin + level * perLevel;
    int64_t to = from + perLevel;
    uint64_t sum = sums[to] - sums[from];
    if (level == levels - 1)
      sum += sums[window.end] - sums[rest];
    int64_t spread = getNonEmpty(window, from, to);
    values[level] = spread != 0 ? sum / spread : 0;
    if (values[level] != 0)
      filled += perLevel;
    quantizedSum += static_cast<double>(values[level]) * perLevel;
  }
  if (filled == 0)
    return infinite;
  const double cost = smoothing * (size - filled) / filled;
  if (cost >= 1)
    return infinite;
  auto getWeight = [&](int64_t from, int64_t to) {
    int64_t count = getNonEmpty(window, from, to);
    return getSum(window, from, to) - window.cost * count +
           smoothing * (to - from - count);
  };
  double cross = 0;
  for (int64_t level = 0; level < levels; ++level) {
    int64_t from = window.begin + level * perLevel;
    double value = values[level] != 0
                       ? static_cast<double>(values[level]) - cost
                       : smoothing;
    cross += getWeight(from, from + perLevel) * std::log(value);
  }
  return cross + getWeight(rest, window.end) * std::log(smoothing);
}

double ONNXRuntimeScorer::score(int64_t begin, int64_t end) const {
  Window window;
  window.begin = begin;
  window.end = end;
  window.left = sums[begin];
  window.right = sums.back() - sums[end];
  window.first = bins[begin] + window.left;
  window.last = bins[end - 1] + window.right;
  window.leftNonEmpty = bins[begin] == 0 && window.first != 0 ? 1 : 0;
  window.rightNonEmpty = bins[end - 1] == 0 && window.last != 0 ? 1 : 0;
  const int64_t count = getNonEmpty(window, begin, end);
  if (count == 0)
    return infinite;
  const int64_t empty = end - begin - count;
  window.cost = smoothing * empty / count;
  if (window.cost >= 1)
    return infinite;
  double own = getSmoothedEntropy(begin + 1, end - 1, window.cost) +
               empty * xLogX(smoothing);
  for (uint64_t outer : {window.first, window.last})
    if (outer != 0)
      own += xLogX(static_cast<double>(outer) - window.cost);
  double quantizedSum = 0;
  double cross = getCrossEntropy(window, quantizedSum);
  if (cross == infinite)
    return infinite;
  const double total = static_cast<double>(sums.back());
  return roundDivergence((own - cross) / total - std::log(total) +
                         std::log(quantizedSum));
}

Expected<EntropyThreshold>
computeONNXRuntimeEntropyThreshold(const HistogramView &signedView,
                                   int64_t levels, ThreadPoolInterface *pool) {
  if (Error error = checkView(signedView))
    return std::move(error);
  EntropyThreshold result;
  if (getAbsMax(signedView) == 0)
    return result;
  const int64_t numBins = signedView.counts.size();
  if (levels < 2)
    return createStringError("the number of levels must be 2 or more, but is "
                             "%lld",
                             static_cast<long long>(levels));
  if (numBins % 2 != 0)
    return createStringError("the search needs an even number of bins around "
                             "zero, but the histogram has %lld",
                             static_cast<long long>(numBins));
  if (levels > numBins / 2)
    return createStringError(
        "the search needs at least twice as many bins as the %lld levels, else "
        "there is little to choose from, but the histogram has %lld; collect "
        "it with more bins",
        static_cast<long long>(levels), static_cast<long long>(numBins));
  const int64_t center = numBins / 2;
  const ONNXRuntimeScorer scorer(signedView.counts, levels);
  auto getWindow = [&](int64_t i) {
    int64_t half = levels / 2 + i;
    return std::make_pair(center - half, std::min(center + half + 1, numBins));
  };
  std::vector<double> scores =
      scoreAll(pool, center - levels / 2 + 1, [&](int64_t i) {
        auto [begin, end] = getWindow(i);
        return scorer.score(begin, end);
      });
  int64_t best = llvm::min_element(scores) - scores.begin();
  std::tie(result.firstBin, result.lastBin) = getWindow(best);
  result.divergence = scores[best];
  result.range.low =
      std::max(signedView.getEdge(result.firstBin), signedView.low);
  result.range.high =
      std::min(signedView.getEdge(result.lastBin), signedView.high);
  return result;
}

} // namespace compress::numerics
