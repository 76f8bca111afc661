//===- Calibration.h - Clipping thresholds from histograms ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that turn a histogram into the range that a quantizer should cover.
// They look at counts only, never at data again, and their results depend on
// neither the number of threads nor the order in which data was observed (see
// Histogram.h; pass its getView()).
//
// All of them fail on a histogram without elements ("nothing was observed"):
// no range is made up for a tensor that was never seen. If all elements are
// zero, the threshold is 0, for which Affine.h chooses the scale 1.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_CALIBRATION_H
#define COMPRESS_NUMERICS_CALIBRATION_H

#include "compress/Numerics/Histogram.h"

namespace compress::numerics {

/// The values that a quantizer covers; others saturate.
struct ClippingRange {
  double low = 0.0;
  double high = 0.0;
};

/// The number of bins above which entropy and MSE searches make sense: twice
/// `firstBin` and twice the number of levels. With about as many bins as levels
/// there is one candidate, the whole range, and outliers win.
int64_t getMinSearchBins(int64_t firstBin, int64_t levels);

//===----------------------------------------------------------------------===//
// Percentile
//===----------------------------------------------------------------------===//

/// From an absolute histogram: the smallest edge that at least `percentile`
/// percent of the magnitudes are not above, at most the largest magnitude seen.
/// (ONNX Runtime and TensorRT take the lower edge of the same bin, which clips
/// that bin's elements, too.) `percentile` is in (0, 100]. O(bins).
llvm::Expected<double> computePercentileThreshold(const HistogramView &absolute,
                                                  double percentile);

/// From a signed histogram: the narrowest range of edges that leaves at most
/// (100 - percentile) / 2 percent out on each side, within the range seen.
llvm::Expected<ClippingRange>
computePercentileRange(const HistogramView &signedView, double percentile);

//===----------------------------------------------------------------------===//
// Mean squared error
//===----------------------------------------------------------------------===//

/// Candidates of a search over an absolute histogram.
struct ThresholdSearch {
  /// Of the integers that magnitudes are quantized to: 2^(bits-1) - 1 steps for
  /// signed, 2^bits - 1 for unsigned ones. 2 to 16.
  unsigned bits = 8;
  bool isUnsigned = false;
  /// The first candidate, as a number of bins, and how far apart they are.
  int64_t firstBin = 128;
  int64_t step = 1;
};

/// The threshold t, among the centers of the bins `firstBin`, `firstBin` +
/// `step`, ..., with the least squared error of quantizing with the scale
/// t / steps, every element counted at its bin's center; the smallest of equal
/// ones (the rule of NVIDIA's Model Optimizer). Level by level with prefix
/// sums: O(candidates * levels). Fails if the histogram has fewer bins than
/// getMinSearchBins(firstBin, 2).
llvm::Expected<double>
computeMSEThreshold(const HistogramView &absolute,
                    const ThresholdSearch &search = {},
                    llvm::ThreadPoolInterface *pool = nullptr);

//===----------------------------------------------------------------------===//
// Entropy
//===----------------------------------------------------------------------===//

/// What an entropy search found.
struct EntropyThreshold {
  ClippingRange range;
  /// The histogram's bins that the range covers, before it was cut to the range
  /// seen: [firstBin, lastBin).
  int64_t firstBin = 0;
  int64_t lastBin = 0;
  /// The divergence, in nats.
  double divergence = 0.0;
};

/// The search of TensorRT (Migacz: 8-bit Inference with TensorRT, GTC 2017) in
/// the form of NVIDIA's Model Optimizer, on an absolute histogram. Bin 0 counts
/// as bin 1 does. For i = firstBin, firstBin + step, ... bins: P are the first
/// i bins, the last one with all counts above; Q are the first i bins merged
/// to 2^(bits-1) levels (2^bits if unsigned), each spread evenly over its
/// non-empty bins; the candidate is edge i, its score KL(P || Q), infinite
/// where Q is zero and P is not. The last of equal candidates wins.
///
/// An outlier behind a gap of empty bins makes all candidates within the gap
/// infinite. If no other candidate is left but the whole range, the search has
/// failed; it is repeated with 0.0001 for Q in an empty last bin (the original
/// returns the whole range, outlier and all).
///
/// Sums over bins come from prefix sums: O(candidates * levels) instead of
/// O(candidates * bins). Fails if there are fewer bins than getMinSearchBins.
llvm::Expected<EntropyThreshold>
computeTensorRTEntropyThreshold(const HistogramView &absolute,
                                const ThresholdSearch &search = {},
                                llvm::ThreadPoolInterface *pool = nullptr);

/// The search of ONNX Runtime (from MXNet), on a signed histogram of n bins.
/// For i = levels/2, ... n/2: P are the bins [n/2 - i, min(n/2 + i + 1, n)),
/// the outer ones with all counts beyond them; Q are the same bins without the
/// outliers, merged to `levels` groups of equal size (the last one also counts
/// the rest), and each spread over its group as the integer quotient by the
/// number of non-empty bins; both are smoothed, zeros become 0.0001 at the cost
/// of the others; the score is KL(P || Q). The first of equal candidates wins,
/// and the range is cut to the range seen.
///
/// The original computes in f32, this in f64: near-equal candidates may be
/// ordered differently. Candidates that the original refuses (more than 10000
/// empty bins to a non-empty one) lose here. O(candidates * levels). Fails if
/// n is odd or below 2 * levels, or if `levels` is below 2.
llvm::Expected<EntropyThreshold>
computeONNXRuntimeEntropyThreshold(const HistogramView &signedView,
                                   int64_t levels = 128,
                                   llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_CALIBRATION_H
