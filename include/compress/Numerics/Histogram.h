//===- Histogram.h - Streaming, exactly mergeable histograms ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Histograms of data whose range is not known beforehand. The bin width is a
// power of two, 2^e, and bins start at zero, so a wider grid's bins are unions
// of a narrower grid's: when a larger element arrives, counts of neighbouring
// bins are added up and nothing is lost. The exponent is the smallest that
// holds the largest magnitude seen. So the histogram is a function of the set
// of elements alone: however they are cut in batches, in whatever order these
// are added and partial histograms merged, on however many threads, the result
// has the same bits as one histogram of all elements.
//
// Bins: an absolute histogram counts |x| in bin j if j*2^e <= |x| < (j+1)*2^e,
// for 0 <= j < bins. A signed one of 2h bins counts x >= 0 in bin h + j and
// x < 0 in bin h - 1 - j, with the same j: it is symmetric, and adding its
// halves gives the absolute histogram of h bins. Because widths double, the
// largest element lies in the upper half of the bins: 4096 bins resolve like
// 2048 to 4096 bins that were fitted to the data.
//
// NaN and infinities are counted apart (see MinMax).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_HISTOGRAM_H
#define COMPRESS_NUMERICS_HISTOGRAM_H

#include "compress/Numerics/MinMax.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace compress::numerics {

/// Counts over bins of one width, however they came about: what threshold
/// searches and drift measures work on.
struct HistogramView {
  llvm::ArrayRef<uint64_t> counts;
  double binWidth = 1.0;
  /// The lower edge of the first bin: 0, or -counts.size()/2 * binWidth.
  double lowEdge = 0.0;
  /// The range of the counted elements.
  double low = 0.0;
  double high = 0.0;

  double getEdge(int64_t bin) const { return lowEdge + bin * binWidth; }
};

class Histogram {
public:
  enum class Kind : uint8_t { Absolute, Signed };

  /// Bins are never narrower than 2^minExponent; elements below that are too
  /// small for any use of a histogram and share the first bins.
  static constexpr int minExponent = -1000;
  static constexpr int64_t defaultBins = 4096;
  static constexpr int64_t maxBins = int64_t(1) << 24;

  /// An empty histogram. Fails if `numBins` is not in [2, maxBins] or, for a
  /// signed histogram, odd or below 4.
  static llvm::Expected<Histogram> create(Kind kind,
                                          int64_t numBins = defaultBins);

  /// Counts `values` (T: float, double, Half, BFloat16), on the calling thread
  /// and those of `pool`. One pass over the data. Fails if the span has
  /// elements but no data; nothing is counted then.
  template <typename T>
  llvm::Error add(StridedSpan<const T> values,
                  llvm::ThreadPoolInterface *pool = nullptr);

  /// Counts what `other` has counted. Fails if kind or number of bins differ
  /// (or if there were 2^62 elements); nothing changes then.
  llvm::Error merge(const Histogram &other);

  Kind getKind() const { return kind; }
  int64_t getNumBins() const { return counts.size(); }
  /// e: the bin width is 2^e.
  int getExponent() const { return exponent; }
  double getBinWidth() const;
  llvm::ArrayRef<uint64_t> getCounts() const { return counts; }
  /// The exact range and the numbers of finite, infinite and NaN elements.
  const MinMax &getMinMax() const { return minMax; }

  /// All bins but the outermost empty ones: the view of an absolute histogram
  /// ends with the last bin that is not empty, one of a signed histogram is cut
  /// on both sides by the same number of bins. Valid until the next change.
  HistogramView getView() const;

  /// The absolute histogram of half as many bins, of a signed one; a copy of an
  /// absolute one.
  Histogram getAbsolute() const;

  /// Appends a byte string from which deserialize makes an equal histogram. It
  /// does not depend on the machine. Counts are variable-length: an empty bin
  /// takes a byte.
  void serialize(llvm::SmallVectorImpl<char> &bytes) const;

  /// Fails, naming what is wrong, unless `bytes` is exactly what serialize
  /// makes of some histogram.
  static llvm::Expected<Histogram> deserialize(llvm::StringRef bytes);

  bool operator==(const Histogram &other) const;

private:
  Histogram(Kind kind, int64_t numBins);

  /// The number of bins for each sign.
  int64_t getBinsPerSide() const;
  /// The smallest exponent with which `absMax` falls in a bin.
  int chooseExponent(double absMax) const;
  /// Widens the bins to 2^newExponent, if they are narrower.
  void growTo(int newExponent);
  /// Counts one chunk without threads.
  template <typename T>
  void addChunk(StridedSpan<const T> values);
  template <typename T>
  void addTile(const T *values, int64_t count, std::vector<uint32_t> &tables);
  void flushTables(std::vector<uint32_t> &tables);
  /// The bin of a finite number within the bins' range.
  int64_t getBin(double value) const;
  /// What is wrong with counts, exponent and range as a whole, or null.
  const char *findInconsistency() const;

  Kind kind;
  int exponent = minExponent;
  std::vector<uint64_t> counts;
  MinMax minMax;
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_HISTOGRAM_H
