//===- CalibrationTest.cpp - Clipping thresholds from histograms ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Calibration.h"

#include "compress/Numerics/Affine.h"

#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace compress::numerics;
using Kind = Histogram::Kind;

namespace {

//===----------------------------------------------------------------------===//
// Figures of the reference tools; see Inputs/make-entropy-reference.py
//===----------------------------------------------------------------------===//

struct TensorRTFigure {
  unsigned bits;
  bool isUnsigned;
  int64_t firstBin, step;
  int64_t edge;
};

struct ONNXRuntimeFigure {
  int64_t levels;
  /// In single precision, and with the same code in double precision.
  int64_t singleLow, singleHigh;
  int64_t low, high;
};

struct ReferenceData {
  const char *name;
  std::vector<uint64_t> absolute;
  std::vector<TensorRTFigure> tensorRT;
  std::vector<uint64_t> signedCounts;
  std::vector<ONNXRuntimeFigure> onnxRuntime;
};

const std::vector<ReferenceData> &getReferenceData() {
  static const std::vector<ReferenceData> data = {
#include "Inputs/EntropyReference.inc"
  };
  return data;
}

HistogramView getAbsoluteView(llvm::ArrayRef<uint64_t> counts) {
  HistogramView view;
  view.counts = counts;
  view.low = 0.0;
  view.high = counts.size();
  return view;
}

HistogramView getSignedView(llvm::ArrayRef<uint64_t> counts) {
  HistogramView view;
  view.counts = counts;
  view.high = counts.size() / 2;
  view.low = view.lowEdge = -view.high;
  return view;
}

TEST(CalibrationTest, TensorRTEntropyEqualsTheReference) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(2));
  EXPECT_GE(getReferenceData().size(), 7u);
  for (const ReferenceData &data : getReferenceData())
    for (const TensorRTFigure &figure : data.tensorRT) {
      ThresholdSearch search;
      search.bits = figure.bits;
      search.isUnsigned = figure.isUnsigned;
      search.firstBin = figure.firstBin;
      search.step = figure.step;
      HistogramView view = getAbsoluteView(data.absolute);
      llvm::Expected<EntropyThreshold> result =
          computeTensorRTEntropyThreshold(view, search);
      ASSERT_TRUE(static_cast<bool>(result));
      EXPECT_EQ(result->lastBin, figure.edge)
          << data.name << ", " << figure.bits << " bits";
      EXPECT_EQ(result->range.high, figure.edge);
      EXPECT_EQ(result->range.low, -figure.edge);
      EntropyThreshold again = llvm::cantFail(
          computeTensorRTEntropyThreshold(view, search, &threads));
      EXPECT_EQ(again.lastBin, result->lastBin);
      EXPECT_EQ(again.divergence, result->divergence);
    }
}

// The tool itself computes in single precision: in one of the 21 searches its
// first two candidates are closer than the rounding error, and it takes the
// other one.
TEST(CalibrationTest, ONNXRuntimeEntropyEqualsTheReference) {
  int64_t numEqualInSingle = 0;
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(2));
  for (const ReferenceData &data : getReferenceData())
    for (const ONNXRuntimeFigure &figure : data.onnxRuntime) {
      HistogramView view = getSignedView(data.signedCounts);
      llvm::Expected<EntropyThreshold> result =
          computeONNXRuntimeEntropyThreshold(view, figure.levels);
      ASSERT_TRUE(static_cast<bool>(result));
      numEqualInSingle += result->firstBin == figure.singleLow &&
                          result->lastBin == figure.singleHigh;
      EXPECT_EQ(result->firstBin, figure.low)
          << data.name << ", " << figure.levels << " levels";
      EXPECT_EQ(result->lastBin, figure.high);
      EntropyThreshold again = llvm::cantFail(
          computeONNXRuntimeEntropyThreshold(view, figure.levels, &threads));
      EXPECT_EQ(again.firstBin, result->firstBin);
      EXPECT_EQ(again.divergence, result->divergence);
    }
  EXPECT_EQ(numEqualInSingle, 20);
}

//===----------------------------------------------------------------------===//
// Case 018: one outlier among normal numbers
//===----------------------------------------------------------------------===//

double getNormalQuantile(double probability) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) =
        middle;
  }
  return low;
}

std::vector<float> getBulk() {
  std::vector<float> bulk;
  for (int i = 0; i < 9999; ++i)
    bulk.push_back(getNormalQuantile((i + 0.5) / 9999));
  return bulk;
}

Histogram histogramOf(const std::vector<float> &values, Kind kind,
                      int64_t numBins) {
  Histogram histogram = llvm::cantFail(Histogram::create(kind, numBins));
  llvm::cantFail(histogram.add<float>(values));
  return histogram;
}

double getBulkError(const std::vector<float> &bulk, double threshold) {
  IntegerFormat format = {8, true, true};
  AffineParams params = chooseParams(-threshold, threshold, format, true);
  double error = 0;
  for (float value : bulk) {
    double difference =
        dequantize(quantize(value, params, format), params) - value;
    error += difference * difference;
  }
  return error / bulk.size();
}

TEST(CalibrationTest, OneOutlierDoesNotRuinTheRange) {
  std::vector<float> bulk = getBulk(), values = bulk;
  values.push_back(100.0f);
  EXPECT_GT(getBulkError(bulk, 100.0), 4e-2); // what min-max gives
  for (int64_t numBins : {2048, 8192}) {
    std::vector<double> thresholds;
    Histogram absolute = histogramOf(values, Kind::Absolute, numBins);
    thresholds.push_back(
        llvm::cantFail(computeTensorRTEntropyThreshold(absolute.getView()))
            .range.high);
    // As the tools bin: the range divided by the number of bins.
    std::vector<uint64_t> counts(numBins), signedCounts(numBins);
    for (float value : values) {
      ++counts[std::min<int64_t>(std::fabs(value) / 100 * numBins,
                                 numBins - 1)];
      ++signedCounts[std::min<int64_t>((value + 100) / 200 * numBins,
                                       numBins - 1)];
    }
    thresholds.push_back(
        llvm::cantFail(computeTensorRTEntropyThreshold(getAbsoluteView(counts)))
            .range.high *
        100 / numBins);
    Histogram signedHistogram = histogramOf(values, Kind::Signed, numBins);
    EntropyThreshold found = llvm::cantFail(
        computeONNXRuntimeEntropyThreshold(signedHistogram.getView()));
    // The low end is cut to the range seen, [-3.9, 100].
    EXPECT_LE(found.range.low, -3.0);
    EXPECT_EQ(found.range.low, values[0]);
    thresholds.push_back(found.range.high);
    thresholds.push_back(llvm::cantFail(computeONNXRuntimeEntropyThreshold(
                                            getSignedView(signedCounts)))
                             .range.high *
                         200 / numBins);
    for (double threshold : thresholds) {
      EXPECT_GE(threshold, 3.0) << numBins;
      EXPECT_LE(threshold, 20.0) << numBins;
      EXPECT_LT(getBulkError(bulk, threshold), 1e-2);
    }
  }
}

TEST(CalibrationTest, TooFewBinsForASearchAreRefused) {
  std::vector<float> values = getBulk();
  values.push_back(100.0f);
  Histogram absolute = histogramOf(values, Kind::Absolute, 128);
  Histogram signedHistogram = histogramOf(values, Kind::Signed, 128);
  llvm::Error error =
      computeTensorRTEntropyThreshold(absolute.getView()).takeError();
  EXPECT_NE(llvm::toString(std::move(error)).find("bins"), std::string::npos);
  error =
      computeONNXRuntimeEntropyThreshold(signedHistogram.getView()).takeError();
  EXPECT_NE(llvm::toString(std::move(error)).find("more bins"),
            std::string::npos);
  EXPECT_TRUE(
      llvm::errorToBool(computeMSEThreshold(absolute.getView()).takeError()));
}

//===----------------------------------------------------------------------===//
// Percentile and MSE
//===----------------------------------------------------------------------===//

TEST(CalibrationTest, PercentileKeepsItsShare) {
  std::vector<float> values = getBulk();
  Histogram absolute = histogramOf(values, Kind::Absolute, 4096);
  for (double percentile : {1.0, 50.0, 99.0, 99.9, 99.999, 100.0}) {
    double threshold = llvm::cantFail(
        computePercentileThreshold(absolute.getView(), percentile));
    auto getShare = [&](double limit) {
      return 100.0 *
             std::count_if(
                 values.begin(), values.end(),
                 [&](float value) { return std::fabs(value) < limit; }) /
             double(values.size());
    };
    double width = absolute.getBinWidth();
    double edge = std::ceil(threshold / width) * width;
    EXPECT_GE(getShare(edge), percentile);
    EXPECT_LT(getShare(edge - width), percentile);
  }
  EXPECT_EQ(
      llvm::cantFail(computePercentileThreshold(absolute.getView(), 100.0)),
      absolute.getMinMax().getAbsMax());
}

TEST(CalibrationTest, PercentileRangeOfSkewedData) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i)
    values.push_back(i * 0.01f - 1.0f); // [-1, 9)
  values[0] = -100.0f;
  values[999] = 900.0f;
  Histogram histogram = histogramOf(values, Kind::Signed, 8192);
  ClippingRange range =
      llvm::cantFail(computePercentileRange(histogram.getView(), 99.8));
  EXPECT_NEAR(range.low, -1.0, histogram.getBinWidth());
  EXPECT_NEAR(range.high, 9.0, histogram.getBinWidth());
  range = llvm::cantFail(computePercentileRange(histogram.getView(), 100.0));
  EXPECT_EQ(range.low, -100.0);
  EXPECT_EQ(range.high, 900.0);
}

/// The definition: every bin center quantized.
double computeMSEThresholdSimply(const HistogramView &view,
                                 const ThresholdSearch &search) {
  int64_t steps =
      (int64_t(1) << (search.bits - (search.isUnsigned ? 0 : 1))) - 1;
  double best = 0, bestError = std::numeric_limits<double>::infinity();
  for (size_t i = search.firstBin; i < view.counts.size(); i += search.step) {
    double threshold = (i + 0.5) * view.binWidth, scale = threshold / steps;
    double error = 0;
    for (size_t j = 0; j < view.counts.size(); ++j) {
      double center = (j + 0.5) * view.binWidth;
      double level = std::min(std::nearbyint(center / scale), double(steps));
      error +=
          view.counts[j] * (level * scale - center) * (level * scale - center);
    }
    if (error < bestError) {
      bestError = error;
      best = threshold;
    }
  }
  return best;
}

TEST(CalibrationTest, MSEByTheDefinition) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(2));
  for (const ReferenceData &data : getReferenceData()) {
    HistogramView view = getAbsoluteView(data.absolute);
    view.binWidth = 0.37;
    for (auto [bits, isUnsigned, step] :
         {std::make_tuple(8u, false, 7), std::make_tuple(4u, false, 3),
          std::make_tuple(3u, true, 1)}) {
      ThresholdSearch search;
      search.bits = bits;
      search.isUnsigned = isUnsigned;
      search.step = step;
      double threshold = llvm::cantFail(computeMSEThreshold(view, search));
      EXPECT_NEAR(threshold, computeMSEThresholdSimply(view, search), 1e-9)
          << data.name << ", " << bits << " bits";
      EXPECT_EQ(threshold,
                llvm::cantFail(computeMSEThreshold(view, search, &threads)));
    }
  }
}

//===----------------------------------------------------------------------===//
// Order, nothing observed, bad input
//===----------------------------------------------------------------------===//

// Case 093: 20 samples in three orders.
TEST(CalibrationTest, OrderOfSamplesDoesNotMatter) {
  std::mt19937 random(93);
  std::vector<std::vector<float>> samples(20);
  for (size_t i = 0; i < samples.size(); ++i) {
    std::normal_distribution<float> normal(0.1f * i, 1.0f + i);
    samples[i].resize(100 * i);
    for (float &value : samples[i])
      value = normal(random);
  }
  std::vector<std::vector<double>> tables;
  for (int order = 0; order < 3; ++order) {
    Histogram histogram = llvm::cantFail(Histogram::create(Kind::Signed, 4096));
    for (const std::vector<float> &sample : samples)
      llvm::cantFail(histogram.add<float>(sample));
    Histogram absolute = histogram.getAbsolute();
    HistogramView view = histogram.getView();
    EntropyThreshold entropy =
        llvm::cantFail(computeONNXRuntimeEntropyThreshold(view));
    tables.push_back(
        {entropy.range.low, entropy.range.high, entropy.divergence,
         llvm::cantFail(computeTensorRTEntropyThreshold(absolute.getView()))
             .range.high,
         llvm::cantFail(computeMSEThreshold(absolute.getView())),
         llvm::cantFail(computePercentileThreshold(absolute.getView(), 99.9)),
         histogram.getMinMax().low, histogram.getMinMax().high});
    std::shuffle(samples.begin(), samples.end(), random);
  }
  EXPECT_EQ(tables[1], tables[0]);
  EXPECT_EQ(tables[2], tables[0]);
}

// Case 068: samples of 3, 7, 0 and 5 rows of 4, and all of them at once.
TEST(CalibrationTest, SamplesOfDifferentSizes) {
  std::mt19937 random(68);
  std::normal_distribution<float> normal;
  std::vector<float> all;
  Histogram merged = llvm::cantFail(Histogram::create(Kind::Absolute, 512));
  for (int64_t rows : {3, 7, 0, 5}) {
    std::vector<float> sample(4 * rows);
    for (float &value : sample)
      value = normal(random);
    llvm::cantFail(merged.merge(histogramOf(sample, Kind::Absolute, 512)));
    all.insert(all.end(), sample.begin(), sample.end());
  }
  Histogram whole = histogramOf(all, Kind::Absolute, 512);
  EXPECT_EQ(merged.getMinMax(), whole.getMinMax());
  EXPECT_EQ(llvm::cantFail(computePercentileThreshold(merged.getView(), 90.0)),
            llvm::cantFail(computePercentileThreshold(whole.getView(), 90.0)));
  EXPECT_EQ(llvm::cantFail(computeMSEThreshold(merged.getView())),
            llvm::cantFail(computeMSEThreshold(whole.getView())));
  EXPECT_EQ(llvm::cantFail(computeTensorRTEntropyThreshold(merged.getView()))
                .range.high,
            llvm::cantFail(computeTensorRTEntropyThreshold(whole.getView()))
                .range.high);
}

// Case 125: no range is invented.
TEST(CalibrationTest, NothingObservedIsAnError) {
  Histogram histogram = llvm::cantFail(Histogram::create(Kind::Absolute, 2048));
  HistogramView view = histogram.getView();
  llvm::Error error = computePercentileThreshold(view, 99.0).takeError();
  EXPECT_NE(llvm::toString(std::move(error)).find("nothing was observed"),
            std::string::npos);
  EXPECT_TRUE(
      llvm::errorToBool(computePercentileRange(view, 99.0).takeError()));
  EXPECT_TRUE(llvm::errorToBool(computeMSEThreshold(view).takeError()));
  EXPECT_TRUE(
      llvm::errorToBool(computeTensorRTEntropyThreshold(view).takeError()));
  EXPECT_TRUE(
      llvm::errorToBool(computeONNXRuntimeEntropyThreshold(view).takeError()));
}

TEST(CalibrationTest, ZerosHaveTheThresholdZero) {
  std::vector<float> zeros(100, -0.0f);
  Histogram absolute = histogramOf(zeros, Kind::Absolute, 2048);
  HistogramView view = absolute.getView();
  EXPECT_EQ(llvm::cantFail(computePercentileThreshold(view, 99.0)), 0.0);
  EXPECT_EQ(llvm::cantFail(computeMSEThreshold(view)), 0.0);
  EXPECT_EQ(llvm::cantFail(computeTensorRTEntropyThreshold(view)).range.high,
            0.0);
  Histogram signedHistogram = histogramOf(zeros, Kind::Signed, 2048);
  EXPECT_EQ(llvm::cantFail(
                computeONNXRuntimeEntropyThreshold(signedHistogram.getView()))
                .range.high,
            0.0);
}

TEST(CalibrationTest, RefusesBadInput) {
  std::vector<uint64_t> counts(2048, 1);
  HistogramView view = getAbsoluteView(counts);
  for (double bad : {0.0, -1.0, 100.5, std::nan("")})
    EXPECT_TRUE(
        llvm::errorToBool(computePercentileThreshold(view, bad).takeError()));
  auto fails = [](const HistogramView &candidate,
                  const ThresholdSearch &search) {
    bool failed = llvm::errorToBool(
        computeTensorRTEntropyThreshold(candidate, search).takeError());
    EXPECT_EQ(failed, llvm::errorToBool(
                          computeMSEThreshold(candidate, search).takeError()));
    return failed;
  };
  ThresholdSearch good;
  EXPECT_FALSE(fails(view, good));
  for (unsigned bits : {0u, 1u, 17u, 4000000000u}) {
    ThresholdSearch search;
    search.bits = bits;
    EXPECT_TRUE(fails(view, search));
  }
  for (int64_t firstBin : {int64_t(-5), int64_t(0), int64_t(1025),
                           std::numeric_limits<int64_t>::max()}) {
    ThresholdSearch search;
    search.firstBin = firstBin;
    EXPECT_TRUE(fails(view, search));
  }
  ThresholdSearch noStep;
  noStep.step = 0;
  EXPECT_TRUE(fails(view, noStep));
  HistogramView bad = view;
  bad.binWidth = 0.0;
  EXPECT_TRUE(fails(bad, good));
  bad = view;
  bad.high = std::nan("");
  EXPECT_TRUE(fails(bad, good));
  EXPECT_TRUE(fails(getSignedView(counts), good));
  EXPECT_TRUE(llvm::errorToBool(
      computePercentileThreshold(getSignedView(counts), 99.0).takeError()));
  std::vector<uint64_t> huge(2048, uint64_t(1) << 60);
  EXPECT_TRUE(fails(getAbsoluteView(huge), good));
  for (int64_t levels : {int64_t(-1), int64_t(0), int64_t(1), int64_t(1025),
                         std::numeric_limits<int64_t>::max()})
    EXPECT_TRUE(llvm::errorToBool(
        computeONNXRuntimeEntropyThreshold(getSignedView(counts), levels)
            .takeError()));
  counts.push_back(1);
  EXPECT_TRUE(llvm::errorToBool(
      computeONNXRuntimeEntropyThreshold(getSignedView(counts)).takeError()));
}

} // namespace
