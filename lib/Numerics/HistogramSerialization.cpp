//===- HistogramSerialization.cpp - Histograms as byte strings ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout, little-endian: the magic number "CHG1"; kind (1 byte); number of bins
// (4 bytes); exponent (4); lowest and highest element (8 each, f64); ULEB128
// numbers of finite, infinite and NaN elements; the bins' counts as ULEB128.
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Histogram.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace compress::numerics {

static constexpr StringRef magic = "CHG1";
static constexpr size_t headerBytes = 4 + 1 + 4 + 4 + 8 + 8;

void Histogram::serialize(SmallVectorImpl<char> &bytes) const {
  raw_svector_ostream stream(bytes);
  auto writeFixed = [&](auto value) {
    char buffer[sizeof(value)];
    support::endian::write(buffer, value, endianness::little);
    stream.write(buffer, sizeof(value));
  };
  stream << magic;
  writeFixed(static_cast<uint8_t>(kind));
  writeFixed(static_cast<uint32_t>(getNumBins()));
  writeFixed(static_cast<int32_t>(exponent));
  writeFixed(detail::bitCast<uint64_t>(minMax.low));
  writeFixed(detail::bitCast<uint64_t>(minMax.high));
  encodeULEB128(minMax.numFinite, stream);
  encodeULEB128(minMax.numInfinite, stream);
  encodeULEB128(minMax.numNaN, stream);
  for (uint64_t count : counts)
    encodeULEB128(count, stream);
}

/// Takes a number of at most 2^62 off the front of `bytes`; false if there is
/// none, or one that is longer than it need be.
static bool readCount(StringRef &bytes, uint64_t &value) {
  const uint8_t *start = bytes.bytes_begin();
  // 2^62 takes 9 bytes; beyond 10, decodeULEB128 would shift by 70 bits.
  const uint8_t *end = start + std::min<size_t>(bytes.size(), 9);
  unsigned length = 0;
  const char *error = nullptr;
  value = decodeULEB128(start, &length, end, &error);
  if (error || length != getULEB128Size(value) || value > uint64_t(1) << 62)
    return false;
  bytes = bytes.drop_front(length);
  return true;
}

int64_t Histogram::getBin(double value) const {
  const int64_t perSide = getBinsPerSide();
  const int64_t center = getNumBins() - perSide;
  int64_t bin = static_cast<int64_t>(std::ldexp(std::fabs(value), -exponent));
  return value < 0 && kind == Kind::Signed ? center - 1 - bin : center + bin;
}

const char *Histogram::findInconsistency() const {
  uint64_t total = 0;
  for (uint64_t count : counts) {
    if (count > (uint64_t(1) << 62) - total)
      return "counts exceed 2^62 elements";
    total += count;
  }
  if (total != static_cast<uint64_t>(minMax.numFinite))
    return "counts do not add up to the number of elements";
  if (!minMax.hasRange()) {
    const MinMax empty;
    if (minMax.low != empty.low || minMax.high != empty.high ||
        exponent != minExponent)
      return "an empty histogram has a range";
    return nullptr;
  }
  if (!std::isfinite(minMax.low) || !std::isfinite(minMax.high) ||
      minMax.low > minMax.high)
    return "the range is not one";
  if (exponent != chooseExponent(minMax.getAbsMax()))
    return "the bin width does not fit the range";
  if (counts[getBin(minMax.low)] == 0 || counts[getBin(minMax.high)] == 0)
    return "the bin of an end of the range is empty";
  int64_t first = getBin(minMax.low), last = getBin(minMax.high);
  if (kind == Kind::Absolute) {
    first = 0;
    last = getBin(minMax.getAbsMax());
  }
  for (int64_t i = 0, e = getNumBins(); i < e; ++i)
    if (counts[i] != 0 && (i < first || i > last))
      return "a bin outside the range is not empty";
  return nullptr;
}

Expected<Histogram> Histogram::deserialize(StringRef bytes) {
  auto fail = [](const char *reason) {
    return createStringError("not a serialized histogram: %s", reason);
  };
  if (bytes.size() < headerBytes || !bytes.starts_with(magic))
    return fail("wrong magic number or too short");
  const char *header = bytes.data() + magic.size();
  uint8_t kindByte = static_cast<uint8_t>(header[0]);
  if (kindByte > static_cast<uint8_t>(Kind::Signed))
    return fail("unknown kind");
  int64_t numBins = support::endian::read32le(header + 1);
  StringRef rest = bytes.drop_front(headerBytes);
  // Before anything is allocated: a bin takes a byte at least.
  if (numBins > static_cast<int64_t>(rest.size()))
    return fail("too short for its number of bins");
  Expected<Histogram> result = create(static_cast<Kind>(kindByte), numBins);
  if (!result)
    return result.takeError();
  result->exponent =
      static_cast<int32_t>(support::endian::read32le(header + 5));
  MinMax &minMax = result->minMax;
  minMax.low = detail::bitCast<double>(support::endian::read64le(header + 9));
  minMax.high = detail::bitCast<double>(support::endian::read64le(header + 17));
  uint64_t totals[3];
  for (uint64_t &total : totals)
    if (!readCount(rest, total))
      return fail("bad number of elements");
  minMax.numFinite = totals[0];
  minMax.numInfinite = totals[1];
  minMax.numNaN = totals[2];
  for (uint64_t &count : result->counts)
    if (!readCount(rest, count))
      return fail("bad count");
  if (!rest.empty())
    return fail("trailing bytes");
  if (const char *reason = result->findInconsistency())
    return fail(reason);
  return result;
}

} // namespace compress::numerics
