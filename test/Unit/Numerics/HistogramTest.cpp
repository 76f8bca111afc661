//===- HistogramTest.cpp - Streaming, exactly mergeable histograms --------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Histogram.h"

#include "compress/Numerics/InstructionSet.h"

#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace compress::numerics;
using Kind = Histogram::Kind;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quietNaN = std::numeric_limits<float>::quiet_NaN();

struct InstructionSetGuard {
  ~InstructionSetGuard() { limitInstructionSet(InstructionSet::AVX512); }
};

Histogram create(Kind kind, int64_t numBins) {
  return llvm::cantFail(Histogram::create(kind, numBins));
}

template <typename T>
void add(Histogram &histogram, const std::vector<T> &values,
         llvm::ThreadPoolInterface *pool = nullptr) {
  ASSERT_FALSE(llvm::errorToBool(histogram.add<T>(values, pool)));
}

void merge(Histogram &histogram, const Histogram &other) {
  ASSERT_FALSE(llvm::errorToBool(histogram.merge(other)));
}

template <typename T>
Histogram histogramOf(const std::vector<T> &values, Kind kind, int64_t numBins,
                      llvm::ThreadPoolInterface *pool = nullptr) {
  Histogram result = create(kind, numBins);
  add(result, values, pool);
  return result;
}

/// The definition: the exponent from the largest magnitude, then every element
/// by division.
template <typename T>
void checkAgainstDefinition(const std::vector<T> &values, Kind kind,
                            int64_t numBins) {
  const int64_t perSide = kind == Kind::Signed ? numBins / 2 : numBins;
  double absMax = 0;
  for (T element : values)
    if (std::isfinite(widen(element)))
      absMax = std::fmax(absMax, std::fabs(double(widen(element))));
  int exponent = Histogram::minExponent;
  while (std::floor(std::ldexp(absMax, -exponent)) >= double(perSide))
    ++exponent;
  std::vector<uint64_t> expected(numBins);
  for (T element : values) {
    double value = widen(element);
    if (!std::isfinite(value))
      continue;
    int64_t bin = std::ldexp(std::fabs(value), -exponent);
    if (kind == Kind::Absolute)
      ++expected[bin];
    else
      ++expected[value < 0 ? perSide - 1 - bin : perSide + bin];
  }
  Histogram histogram = histogramOf(values, kind, numBins);
  EXPECT_EQ(histogram.getExponent(), exponent);
  EXPECT_EQ(histogram.getCounts().vec(), expected);
}

template <typename T>
std::vector<T> getNormal(int64_t count, unsigned seed, double scale) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, scale);
  std::vector<T> values(count);
  for (T &value : values) {
    if constexpr (std::is_same_v<T, double>)
      value = normal(random);
    else
      value = narrow<T>(float(normal(random)));
  }
  return values;
}

TEST(HistogramTest, CountsByTheDefinition) {
  for (Kind kind : {Kind::Absolute, Kind::Signed})
    for (int64_t numBins : {4, 100, 2048, 10000})
      for (double scale : {1e-42, 1e-38, 1.0, 3e4, 1e37}) {
        checkAgainstDefinition(getNormal<float>(3001, 1, scale), kind, numBins);
        checkAgainstDefinition(getNormal<double>(3001, 2, scale), kind,
                               numBins);
        checkAgainstDefinition(getNormal<BFloat16>(3001, 3, scale), kind,
                               numBins);
        checkAgainstDefinition(getNormal<Half>(3001, 4, 1.0), kind, numBins);
      }
  // The whole range of doubles, and borders of bins.
  checkAgainstDefinition<double>({1e308, -1.7e308, 5e-324, 1e-300, 0.0},
                                 Kind::Signed, 64);
  checkAgainstDefinition<double>({5e-324, -1e-310, 1e-303}, Kind::Signed, 64);
  checkAgainstDefinition<float>({0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -4.0f, 4.0f},
                                Kind::Signed, 8);
  checkAgainstDefinition<float>({1e-45f, -1e-45f}, Kind::Signed, 8);
}

TEST(HistogramTest, SpecialsAreCountedApart) {
  std::vector<float> values = getNormal<float>(100000, 5, 1.0);
  values[7] = quietNaN;
  values[5000] = infinity;
  values[99999] = -infinity;
  values[4] = -quietNaN;
  checkAgainstDefinition(values, Kind::Signed, 512);
  Histogram histogram = histogramOf(values, Kind::Absolute, 2048);
  EXPECT_EQ(histogram.getMinMax().numNaN, 2);
  EXPECT_EQ(histogram.getMinMax().numInfinite, 2);
  EXPECT_EQ(histogram.getMinMax().numFinite, 99996);
}

/// Six batches of very different ranges: empty, zero, tiny, large, special.
std::vector<std::vector<float>> getBatches() {
  std::vector<std::vector<float>> batches = {
      {},
      {0.0f, -0.0f, 0.0f},
      getNormal<float>(1000, 11, 1e-3),
      getNormal<float>(1500, 12, 40.0),
      {1e-40f, -1e-44f, quietNaN, -infinity, 3.0f},
      {-1e30f, 5.0f}};
  return batches;
}

// Cases 068 and 093: every order of six batches, added and merged.
TEST(HistogramTest, EveryOrderGivesTheSameBits) {
  std::vector<std::vector<float>> batches = getBatches();
  std::vector<float> all;
  for (const std::vector<float> &batch : batches)
    all.insert(all.end(), batch.begin(), batch.end());
  for (Kind kind : {Kind::Absolute, Kind::Signed}) {
    Histogram expected = histogramOf(all, kind, 256);
    std::vector<Histogram> parts;
    for (const std::vector<float> &batch : batches)
      parts.push_back(histogramOf(batch, kind, 256));
    std::vector<int> order(batches.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      Histogram streamed = create(kind, 256), merged = create(kind, 256);
      for (int index : order) {
        add(streamed, batches[index]);
        merge(merged, parts[index]);
      }
      ASSERT_TRUE(streamed == expected);
      ASSERT_TRUE(merged == expected);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(HistogramTest, EveryTreeOfMergesGivesTheSameBits) {
  std::vector<std::vector<float>> batches = getBatches();
  std::mt19937 random(3);
  for (Kind kind : {Kind::Absolute, Kind::Signed}) {
    Histogram expected = create(kind, 64);
    for (const std::vector<float> &batch : batches)
      add(expected, batch);
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<Histogram> parts;
      for (const std::vector<float> &batch : batches)
        parts.push_back(histogramOf(batch, kind, 64));
      while (parts.size() > 1) {
        std::shuffle(parts.begin(), parts.end(), random);
        merge(parts[0], parts.back());
        parts.pop_back();
      }
      ASSERT_TRUE(parts[0] == expected);
    }
  }
}

TEST(HistogramTest, ThreadsStridesAndKernelsDoNotMatter) {
  InstructionSetGuard guard;
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(3));
  // Ranges grow along the data, so that chunks differ.
  std::vector<float> values = getNormal<float>(2500000, 21, 1.0);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] *= 1.0f + i * 1e-5f;
  for (Kind kind : {Kind::Absolute, Kind::Signed}) {
    Histogram expected = histogramOf(values, kind, 2048);
    EXPECT_TRUE(histogramOf(values, kind, 2048, &threads) == expected);
    for (InstructionSet set : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
      limitInstructionSet(set);
      EXPECT_TRUE(histogramOf(values, kind, 2048) == expected);
    }
    std::vector<float> odd;
    for (size_t i = 1; i < values.size(); i += 2)
      odd.push_back(values[i]);
    Histogram strided = create(kind, 2048);
    ASSERT_FALSE(llvm::errorToBool(strided.add<float>(
        StridedSpan<const float>(values.data() + 1, odd.size(), 2), &threads)));
    EXPECT_TRUE(strided == histogramOf(odd, kind, 2048));
  }
}

TEST(HistogramTest, SignedFoldsToAbsolute) {
  std::vector<float> values = getNormal<float>(5000, 31, 7.0);
  values.push_back(-8.0f); // on a border
  EXPECT_TRUE(histogramOf(values, Kind::Signed, 1024).getAbsolute() ==
              histogramOf(values, Kind::Absolute, 512));
}

TEST(HistogramTest, ViewsLeaveOutEmptyEnds) {
  Histogram absolute =
      histogramOf<float>({0.5f, -2.5f, 2.0f}, Kind::Absolute, 8);
  // 2.5 < 8 * 2^-1.
  EXPECT_EQ(absolute.getExponent(), -1);
  HistogramView view = absolute.getView();
  EXPECT_EQ(view.counts.vec(), (std::vector<uint64_t>{0, 1, 0, 0, 1, 1}));
  EXPECT_EQ(view.lowEdge, 0.0);
  EXPECT_EQ(view.getEdge(5), 2.5);
  EXPECT_EQ(view.low, -2.5);
  Histogram both = histogramOf<float>({0.5f, -2.5f, 2.0f}, Kind::Signed, 16);
  view = both.getView();
  EXPECT_EQ(view.lowEdge, -3.0);
  EXPECT_EQ(view.counts.vec(),
            (std::vector<uint64_t>{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}));
  EXPECT_TRUE(create(Kind::Signed, 16).getView().counts.empty());
}

TEST(HistogramTest, RefusesBadInput) {
  for (int64_t numBins : {-1, 0, 1, 1 << 25})
    EXPECT_TRUE(llvm::errorToBool(
        Histogram::create(Kind::Absolute, numBins).takeError()));
  EXPECT_TRUE(
      llvm::errorToBool(Histogram::create(Kind::Signed, 7).takeError()));
  Histogram histogram = create(Kind::Absolute, 8);
  EXPECT_TRUE(llvm::errorToBool(histogram.merge(create(Kind::Absolute, 16))));
  EXPECT_TRUE(llvm::errorToBool(histogram.merge(create(Kind::Signed, 8))));
  EXPECT_TRUE(llvm::errorToBool(
      histogram.add<float>(StridedSpan<const float>(nullptr, 1))));
}

//===----------------------------------------------------------------------===//
// Serialization
//===----------------------------------------------------------------------===//

TEST(HistogramTest, SerializedHistogramsRoundTrip) {
  std::vector<Histogram> histograms = {create(Kind::Signed, 4)};
  for (const std::vector<float> &batch : getBatches())
    for (Kind kind : {Kind::Absolute, Kind::Signed})
      histograms.push_back(histogramOf(batch, kind, 128));
  histograms.push_back(
      histogramOf<double>({1.7e308, -5e-324}, Kind::Signed, 32));
  for (const Histogram &histogram : histograms) {
    llvm::SmallVector<char> bytes;
    histogram.serialize(bytes);
    llvm::Expected<Histogram> back =
        Histogram::deserialize(llvm::StringRef(bytes.data(), bytes.size()));
    ASSERT_TRUE(static_cast<bool>(back));
    EXPECT_TRUE(*back == histogram);
  }
}

TEST(HistogramTest, DamagedBytesAreRefusedOrConsistent) {
  Histogram histogram =
      histogramOf(getNormal<float>(3000, 41, 2.0), Kind::Signed, 64);
  llvm::SmallVector<char> bytes;
  histogram.serialize(bytes);
  llvm::StringRef text(bytes.data(), bytes.size());
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_TRUE(llvm::errorToBool(
        Histogram::deserialize(text.take_front(length)).takeError()));
  EXPECT_TRUE(llvm::errorToBool(
      Histogram::deserialize((text + "x").str()).takeError()));
  // A number of endless zeros.
  EXPECT_TRUE(llvm::errorToBool(
      Histogram::deserialize((text.take_front(29) + std::string(99, '\x80') +
                              std::string(1, '\0') + text.drop_front(30))
                                 .str())
          .takeError()));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = text.str();
      damaged[i] ^= 1 << bit;
      llvm::Expected<Histogram> result = Histogram::deserialize(damaged);
      if (!result) {
        llvm::consumeError(result.takeError());
        continue;
      }
      // What is accepted is what some histogram writes.
      llvm::SmallVector<char> again;
      result->serialize(again);
      EXPECT_EQ(std::string(again.begin(), again.end()), damaged);
    }
}

} // namespace
