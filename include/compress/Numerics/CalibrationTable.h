//===- CalibrationTable.h - Statistics of named values ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What calibration runs have seen of each observed value. Tables merge in any
// order to the same bits, so samples can be run in any order, on several
// machines, or in batches of any size. docs/Calibration.md describes the file.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_CALIBRATIONTABLE_H
#define COMPRESS_NUMERICS_CALIBRATIONTABLE_H

#include "compress/Numerics/MinMax.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <string>

namespace compress::numerics {

/// A finite magnitude from here on (2^96, about 7.9e28) is hardly data: masks
/// are often the most negative number of a type.
constexpr double kMaskMagnitude = 79228162514264337593543950336.0;

/// What is known of the elements of one value.
struct ValueStatistics {
  MinMax all;
  /// The same without finite elements of magnitude kMaskMagnitude and above.
  MinMax unmasked;

  /// The number of elements, NaN and infinities included.
  int64_t getCount() const {
    return all.numFinite + all.numInfinite + all.numNaN;
  }
  int64_t getNumMasks() const { return all.numFinite - unmasked.numFinite; }

  /// Adds the elements of `values` (T: float, double, Half, BFloat16). Fails if
  /// the span has elements but no data.
  template <typename T>
  llvm::Error add(StridedSpan<const T> values);
  /// Adds what `other` has seen.
  void merge(const ValueStatistics &other);
};

/// Statistics by name.
struct CalibrationTable {
  std::map<std::string, ValueStatistics> values;

  void merge(const CalibrationTable &other);

  /// The content of a calibration file; names in order, numbers exact.
  llvm::json::Value toJSON() const;
  /// The table of a calibration file. Fails with the reason and the name of the
  /// value if it is none.
  static llvm::Expected<CalibrationTable> fromJSON(const llvm::json::Value &);
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_CALIBRATIONTABLE_H
