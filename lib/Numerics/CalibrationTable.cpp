//===- CalibrationTable.cpp - Statistics of named values ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/CalibrationTable.h"

#include <cmath>

using namespace llvm;

namespace compress::numerics {

/// The elements of a span one by one, without the masks.
template <typename T>
static MinMax computeUnmasked(StridedSpan<const T> values) {
  MinMax result;
  for (int64_t i = 0; i < values.size(); ++i) {
    double value = widen(values[i]);
    if (std::isnan(value)) {
      ++result.numNaN;
    } else if (std::isinf(value)) {
      ++result.numInfinite;
    } else if (std::fabs(value) < kMaskMagnitude) {
      ++result.numFinite;
      // -0 counts as less than +0.
      if (value < result.low || (value == result.low && std::signbit(value)))
        result.low = value;
      if (value > result.high || (value == result.high && !std::signbit(value)))
        result.high = value;
    }
  }
  return result;
}

template <typename T>
Error ValueStatistics::add(StridedSpan<const T> values) {
  Expected<MinMax> seen = computeMinMax<T>(values);
  if (!seen)
    return seen.takeError();
  bool hasMasks = seen->hasRange() && seen->getAbsMax() >= kMaskMagnitude;
  all.merge(*seen);
  unmasked.merge(hasMasks ? computeUnmasked<T>(values) : *seen);
  return Error::success();
}

template Error ValueStatistics::add<float>(StridedSpan<const float>);
template Error ValueStatistics::add<double>(StridedSpan<const double>);
template Error ValueStatistics::add<Half>(StridedSpan<const Half>);
template Error ValueStatistics::add<BFloat16>(StridedSpan<const BFloat16>);

void ValueStatistics::merge(const ValueStatistics &other) {
  all.merge(other.all);
  unmasked.merge(other.unmasked);
}

void CalibrationTable::merge(const CalibrationTable &other) {
  for (const auto &[name, statistics] : other.values)
    values[name].merge(statistics);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no sign of zero that readers keep.
static double dropZeroSign(double value) { return value + 0.0; }

static json::Value toJSON(const ValueStatistics &statistics) {
  json::Object object{{"count", statistics.getCount()},
                      {"nan", statistics.all.numNaN},
                      {"inf", statistics.all.numInfinite}};
  if (statistics.all.hasRange()) {
    object["min"] = dropZeroSign(statistics.all.low);
    object["max"] = dropZeroSign(statistics.all.high);
  }
  if (int64_t masks = statistics.getNumMasks()) {
    object["masks"] = masks;
    if (statistics.unmasked.hasRange()) {
      object["unmasked_min"] = dropZeroSign(statistics.unmasked.low);
      object["unmasked_max"] = dropZeroSign(statistics.unmasked.high);
    }
  }
  return object;
}

json::Value CalibrationTable::toJSON() const {
  json::Object tensors;
  for (const auto &[name, statistics] : values)
    tensors[name] = numerics::toJSON(statistics);
  return json::Object{{"version", 1}, {"tensors", std::move(tensors)}};
}

namespace {
/// Reads the entry of one value.
class StatisticsReader {
public:
  StatisticsReader(StringRef name, const json::Object &object)
      : name(name), object(object) {}

  Expected<ValueStatistics> read();

private:
  Error makeError(const Twine &message) const {
    return createStringError("tensor '" + name + "': " + message);
  }
  /// A count; 0 if it is not there.
  Expected<int64_t> readCount(StringRef key) const;
  Error readRange(StringRef lowKey, StringRef highKey, MinMax &range) const;

  StringRef name;
  const json::Object &object;
};
} // namespace

Expected<int64_t> StatisticsReader::readCount(StringRef key) const {
  const json::Value *value = object.get(key);
  if (!value)
    return 0;
  std::optional<int64_t> count = value->getAsInteger();
  if (!count || *count < 0)
    return makeError("'" + key + "' must be a number of elements");
  return *count;
}

Error StatisticsReader::readRange(StringRef lowKey, StringRef highKey,
                                  MinMax &range) const {
  if (!range.hasRange())
    return Error::success();
  std::optional<double> low = object.getNumber(lowKey);
  std::optional<double> high = object.getNumber(highKey);
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) ||
      *low > *high)
    return makeError("has finite elements, so it needs finite numbers '" +
                     lowKey + "' and '" + highKey + "', in this order");
  range.low = *low;
  range.high = *high;
  return Error::success();
}

Expected<ValueStatistics> StatisticsReader::read() {
  static constexpr StringLiteral keys[] = {
      "count", "nan",   "inf",          "min",
      "max",   "masks", "unmasked_min", "unmasked_max"};
  for (const auto &entry : object)
    if (!is_contained(keys, StringRef(entry.first)))
      return makeError("unknown key '" + StringRef(entry.first) + "'");
  if (!object.get("count"))
    return makeError("has no 'count'");
  int64_t counts[4];
  for (auto [i, key] : enumerate(ArrayRef<StringLiteral>{
           StringLiteral("count"), StringLiteral("nan"), StringLiteral("inf"),
           StringLiteral("masks")})) {
    Expected<int64_t> count = readCount(key);
    if (!count)
      return count.takeError();
    counts[i] = *count;
  }
  ValueStatistics statistics;
  // Each is at most 2^63 - 1, so no difference overflows.
  statistics.all.numNaN = counts[1];
  statistics.all.numInfinite = counts[2];
  statistics.all.numFinite = counts[0] - counts[1];
  if (statistics.all.numFinite < counts[2])
    return makeError("counts more NaN and infinities than elements");
  statistics.all.numFinite -= counts[2];
  statistics.unmasked = statistics.all;
  statistics.unmasked.numFinite -= counts[3];
  if (statistics.unmasked.numFinite < 0)
    return makeError("counts more masks than finite elements");
  if (Error error = readRange("min", "max", statistics.all))
    return std::move(error);
  if (!counts[3]) {
    statistics.unmasked = statistics.all;
    return statistics;
  }
  if (Error error =
          readRange("unmasked_min", "unmasked_max", statistics.unmasked))
    return std::move(error);
  return statistics;
}

Expected<CalibrationTable> CalibrationTable::fromJSON(const json::Value &root) {
  const json::Object *object = root.getAsObject();
  const json::Object *tensors = object ? object->getObject("tensors") : nullptr;
  if (!tensors)
    return createStringError("a calibration table must be an object with a "
                             "'version' and 'tensors'");
  if (object->getInteger("version") != 1)
    return createStringError("'version' must be 1; other versions are not "
                             "known");
  CalibrationTable table;
  // Sorted, so that of several errors always the same one is reported.
  std::map<std::string, const json::Value *> sorted;
  for (const auto &entry : *tensors)
    sorted[StringRef(entry.first).str()] = &entry.second;
  for (const auto &[name, value] : sorted) {
    const json::Object *entry = value->getAsObject();
    if (!entry)
      return createStringError("tensor '" + name + "' must be an object");
    Expected<ValueStatistics> statistics =
        StatisticsReader(name, *entry).read();
    if (!statistics)
      return statistics.takeError();
    table.values[name] = *statistics;
  }
  return table;
}

} // namespace compress::numerics
