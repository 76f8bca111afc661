//===- Histogram.cpp - Streaming, exactly mergeable histograms ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Histogram.h"

#include "StatisticsKernels.h"
#include "TileAccess.h"

#include "compress/Numerics/Parallel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

using namespace llvm;

namespace compress::numerics {

/// Consecutive equal bins would wait for each other's store; with several
/// tables in turn they do not. Few enough to stay in the first-level cache.
static constexpr int64_t numTables = 4;

/// Beyond this many bins, elements are counted without tables.
static constexpr int64_t maxBinsOfManyTables = 8192;

/// Elements that are ranged, then binned while they are in the cache.
static constexpr int64_t histogramTileSize = 32 * 1024;

/// Elements of a chunk of parallel work: large, because each pays for a
/// histogram of its own.
static constexpr int64_t histogramChunkSize = 1024 * 1024;

Expected<Histogram> Histogram::create(Kind kind, int64_t numBins) {
  if (numBins < 2 || numBins > maxBins)
    return createStringError(
        "a histogram needs 2 to %lld bins, but %lld are asked for",
        static_cast<long long>(maxBins), static_cast<long long>(numBins));
  if (kind == Kind::Signed && (numBins % 2 != 0 || numBins < 4))
    return createStringError(
        "a signed histogram needs an even number of bins, 4 or more, but %lld "
        "are asked for",
        static_cast<long long>(numBins));
  return Histogram(kind, numBins);
}

Histogram::Histogram(Kind kind, int64_t numBins)
    : kind(kind), counts(numBins) {}

int64_t Histogram::getBinsPerSide() const {
  return kind == Kind::Signed ? getNumBins() / 2 : getNumBins();
}

double Histogram::getBinWidth() const { return std::ldexp(1.0, exponent); }

int Histogram::chooseExponent(double absMax) const {
  const double bins = static_cast<double>(getBinsPerSide());
  if (absMax < std::ldexp(bins, minExponent))
    return minExponent;
  // absMax < 2^(top+1) and bins >= 2^bottom: 2^(top+1-bottom) is wide enough.
  int result = std::ilogb(absMax) + 1 - std::ilogb(bins);
  // The scaled numbers are far from overflow and, in this range, exact.
  while (result > minExponent && std::ldexp(absMax, 1 - result) < bins)
    --result;
  return result;
}

void Histogram::growTo(int newExponent) {
  if (newExponent <= exponent)
    return;
  // Wider than all bins together: everything falls in the bins at zero.
  const int shift = std::min(newExponent - exponent, 62);
  const int64_t perSide = getBinsPerSide();
  const int64_t center = getNumBins() - perSide;
  for (int64_t j = 1; j < perSide; ++j) {
    uint64_t count = std::exchange(counts[center + j], 0);
    counts[center + (j >> shift)] += count;
  }
  for (int64_t j = 1; j < center; ++j) {
    uint64_t count = std::exchange(counts[center - 1 - j], 0);
    counts[center - 1 - (j >> shift)] += count;
  }
  exponent = newExponent;
}

Error Histogram::merge(const Histogram &other) {
  if (kind != other.kind || getNumBins() != other.getNumBins())
    return createStringError(
        "histograms of different kinds or numbers of bins cannot be merged: "
        "%lld %s bins and %lld %s bins",
        static_cast<long long>(getNumBins()),
        kind == Kind::Signed ? "signed" : "absolute",
        static_cast<long long>(other.getNumBins()),
        other.kind == Kind::Signed ? "signed" : "absolute");
  constexpr int64_t limit = int64_t(1) << 62;
  const MinMax &mine = minMax, &others = other.minMax;
  if (mine.numFinite > limit - others.numFinite ||
      mine.numInfinite > limit - others.numInfinite ||
      mine.numNaN > limit - others.numNaN)
    return createStringError("histograms of more than 2^62 elements");
  growTo(other.exponent);
  const int shift = std::min(exponent - other.exponent, 62);
  const int64_t perSide = getBinsPerSide();
  const int64_t center = getNumBins() - perSide;
  for (int64_t j = 0; j < perSide; ++j)
    counts[center + (j >> shift)] += other.counts[center + j];
  for (int64_t j = 0; j < center; ++j)
    counts[center - 1 - (j >> shift)] += other.counts[center - 1 - j];
  minMax.merge(other.minMax);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// Tables for `count` elements: none, if they cost more than they save.
static int64_t getNumTables(int64_t count, int64_t numBins) {
  if (count < 4 * numTables * numBins || numBins > maxBinsOfManyTables)
    return 0;
  return numTables;
}

void Histogram::flushTables(std::vector<uint32_t> &tables) {
  // Each table ends with a bin for what is not counted.
  const int64_t numBins = getNumBins();
  for (size_t first = 0; first < tables.size(); first += numBins + 1)
    for (int64_t i = 0; i < numBins; ++i)
      counts[i] += tables[first + i];
  llvm::fill(tables, 0);
}

/// Bins that findBins can take: 2^-exponent and its products are finite.
template <typename T>
static bool canScale(int exponent) {
  return sizeof(T) == sizeof(double) || (exponent >= -126 && exponent <= 126);
}

static void findBins(const StatisticsKernels &kernels, const float *values,
                     int64_t count, double scale, int32_t center, bool isSigned,
                     int32_t skipped, int32_t *bins) {
  kernels.findBins32(values, count, static_cast<float>(scale), center, isSigned,
                     skipped, bins);
}
static void findBins(const StatisticsKernels &kernels, const double *values,
                     int64_t count, double scale, int32_t center, bool isSigned,
                     int32_t skipped, int32_t *bins) {
  kernels.findBins64(values, count, scale, center, isSigned, skipped, bins);
}

template <typename T>
void Histogram::addTile(const T *values, int64_t count,
                        std::vector<uint32_t> &tables) {
  const StatisticsKernels &kernels = getStatisticsKernels();
  const int64_t numBins = getNumBins();
  const int32_t center = numBins - getBinsPerSide();
  const bool isSigned = kind == Kind::Signed;
  const double scale = std::ldexp(1.0, -exponent);
  int32_t bins[tileSize];
  if (canScale<T>(exponent)) {
    findBins(kernels, values, count, scale, center, isSigned, numBins, bins);
  } else {
    double wide[tileSize];
    std::copy(values, values + count, wide);
    findBins(kernels, wide, count, scale, center, isSigned, numBins, bins);
  }
  if (tables.empty()) {
    for (int64_t i = 0; i < count; ++i)
      if (bins[i] != numBins)
        ++counts[bins[i]];
    return;
  }
  uint32_t *table0 = tables.data();
  uint32_t *table1 = table0 + (numBins + 1);
  uint32_t *table2 = table1 + (numBins + 1);
  uint32_t *table3 = table2 + (numBins + 1);
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    ++table0[bins[i]];
    ++table1[bins[i + 1]];
    ++table2[bins[i + 2]];
    ++table3[bins[i + 3]];
  }
  for (; i < count; ++i)
    ++table0[bins[i]];
}

template <typename T>
void Histogram::addChunk(StridedSpan<const T> values) {
  std::vector<uint32_t> tables(getNumTables(values.size(), getNumBins()) *
                               (getNumBins() + 1));
  ComputeType<T> buffer[tileSize];
  for (int64_t i = 0; i < values.size(); i += histogramTileSize) {
    StridedSpan<const T> part =
        values.slice(i, std::min(histogramTileSize, values.size() - i));
    // The chunk's caller checked the span.
    MinMax range = cantFail(computeMinMax<T>(part));
    minMax.merge(range);
    int needed = chooseExponent(minMax.getAbsMax());
    if (needed > exponent) {
      flushTables(tables);
      growTo(needed);
    }
    for (int64_t j = 0; j < part.size(); j += tileSize) {
      int64_t count = std::min(tileSize, part.size() - j);
      addTile(loadTile(part, j, count, buffer), count, tables);
    }
  }
  flushTables(tables);
}

template <typename T>
Error Histogram::add(StridedSpan<const T> values, ThreadPoolInterface *pool) {
  if (Error error = checkSpan(values, "the value span"))
    return error;
  if (!pool || values.size() <= histogramChunkSize) {
    // 32-bit counters in the tables hold a chunk, not every span.
    for (int64_t i = 0; i < values.size(); i += histogramChunkSize)
      addChunk(
          values.slice(i, std::min(histogramChunkSize, values.size() - i)));
    return Error::success();
  }
  std::mutex mutex;
  forEachChunk(pool, values.size(), histogramChunkSize,
               [&](int64_t, int64_t begin, int64_t end) {
                 Histogram part(kind, getNumBins());
                 part.addChunk(values.slice(begin, end - begin));
                 std::lock_guard<std::mutex> lock(mutex);
                 // Of the same kind and size.
                 cantFail(merge(part));
               });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

HistogramView Histogram::getView() const {
  const int64_t numBins = getNumBins();
  const int64_t perSide = getBinsPerSide();
  const int64_t center = numBins - perSide;
  int64_t used = perSide;
  while (used > 0 && counts[center + used - 1] == 0 &&
         (center == 0 || counts[center - used] == 0))
    --used;
  HistogramView view;
  view.binWidth = getBinWidth();
  int64_t first = center == 0 ? 0 : center - used;
  view.counts = ArrayRef<uint64_t>(counts).slice(first, center + used - first);
  view.lowEdge = (first - center) * view.binWidth;
  if (minMax.hasRange()) {
    view.low = minMax.low;
    view.high = minMax.high;
  }
  return view;
}

Histogram Histogram::getAbsolute() const {
  if (kind == Kind::Absolute)
    return *this;
  const int64_t perSide = getBinsPerSide();
  Histogram result(Kind::Absolute, perSide);
  result.exponent = exponent;
  for (int64_t j = 0; j < perSide; ++j)
    result.counts[j] = counts[perSide + j] + counts[perSide - 1 - j];
  result.minMax = minMax;
  return result;
}

bool Histogram::operator==(const Histogram &other) const {
  return kind == other.kind && exponent == other.exponent &&
         counts == other.counts && minMax == other.minMax;
}

template Error Histogram::add<float>(StridedSpan<const float>,
                                     ThreadPoolInterface *);
template Error Histogram::add<double>(StridedSpan<const double>,
                                      ThreadPoolInterface *);
template Error Histogram::add<Half>(StridedSpan<const Half>,
                                    ThreadPoolInterface *);
template Error Histogram::add<BFloat16>(StridedSpan<const BFloat16>,
                                        ThreadPoolInterface *);

} // namespace compress::numerics
