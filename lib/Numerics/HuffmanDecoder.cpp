//===- HuffmanDecoder.cpp - Reads entropy-coded byte streams --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The portable decoder looks up one symbol at a time, and eight segments in
// turn: each look-up depends on the one before it in its own segment only, so
// the processor overlaps the eight.
//
//===----------------------------------------------------------------------===//

#include "HuffmanBatch.h"
#include "KernelTarget.h"

#include "compress/Numerics/HuffmanStream.h"
#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Parallel.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace llvm;

namespace compress::numerics {

namespace {
/// A segment that is being decoded.
struct Cursor {
  uint64_t bit; // The position in the stream, in bits from its first byte.
  uint64_t end; // The byte behind the segment.
  uint8_t *out;
};
} // namespace

/// Segments that one call of decodeCursors advances together.
static constexpr unsigned kMaxCursors = 8;

/// The 57 to 64 bits from `bit` on, highest first; zeros behind the stream.
static COMPRESS_KERNEL uint64_t loadWindow(ArrayRef<uint8_t> bytes,
                                           uint64_t bit) {
  uint64_t byte = bit / 8;
  uint64_t window = 0;
  if (LLVM_LIKELY(byte + 8 <= bytes.size())) {
    window = support::endian::read64be(bytes.data() + byte);
  } else {
    for (unsigned i = 0; i < 8 && byte + i < bytes.size(); ++i)
      window |= uint64_t(bytes[byte + i]) << (56 - 8 * i);
  }
  return window << (bit % 8);
}

/// Decodes `count` (at most `perWindow` if the code's words fit so many times
/// in 57 bits) symbols of a segment.
static COMPRESS_KERNEL void decodeWindow(ArrayRef<uint8_t> bytes,
                                         const uint16_t *table, unsigned shift,
                                         Cursor &cursor, unsigned count) {
  uint64_t window = loadWindow(bytes, cursor.bit);
  uint8_t *out = cursor.out; // Bytes may alias the cursor, so keep a copy.
  unsigned total = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint16_t entry = table[window >> shift];
    window <<= entry & 15;
    out[i] = entry >> 8;
    total += entry;
  }
  cursor.out = out + count;
  // The lengths add up to at most 57, so the low byte does not overflow.
  cursor.bit += total & 255;
}

/// Decodes `numSymbols` symbols of each cursor's segment.
template <unsigned PerWindow>
static COMPRESS_KERNEL void
decodeCursors(ArrayRef<uint8_t> bytes, const uint16_t *table, unsigned shift,
              MutableArrayRef<Cursor> cursors, int64_t numSymbols) {
  for (int64_t i = 0; i < numSymbols / PerWindow; ++i)
    for (Cursor &cursor : cursors)
      decodeWindow(bytes, table, shift, cursor, PerWindow);
  for (Cursor &cursor : cursors)
    decodeWindow(bytes, table, shift, cursor, numSymbols % PerWindow);
}

static COMPRESS_KERNEL void decodeCursorsOfCode(ArrayRef<uint8_t> bytes,
                                                const uint16_t *table,
                                                unsigned maxLength,
                                                MutableArrayRef<Cursor> cursors,
                                                int64_t numSymbols) {
  unsigned shift = 64 - maxLength;
  if (maxLength <= 8)
    return decodeCursors<7>(bytes, table, shift, cursors, numSymbols);
  if (maxLength <= 11)
    return decodeCursors<5>(bytes, table, shift, cursors, numSymbols);
  if (maxLength <= 14)
    return decodeCursors<4>(bytes, table, shift, cursors, numSymbols);
  return decodeCursors<3>(bytes, table, shift, cursors, numSymbols);
}

#if COMPRESS_HAS_X86_KERNELS
/// With three-operand shifts that take the count from any register.
__attribute__((target("avx2,bmi2"))) static void
decodeCursorsBMI2(ArrayRef<uint8_t> bytes, const uint16_t *table,
                  unsigned maxLength, MutableArrayRef<Cursor> cursors,
                  int64_t numSymbols) {
  decodeCursorsOfCode(bytes, table, maxLength, cursors, numSymbols);
}
#endif

static void decodeCursorsDispatch(ArrayRef<uint8_t> bytes,
                                  const uint16_t *table, unsigned maxLength,
                                  MutableArrayRef<Cursor> cursors,
                                  int64_t numSymbols) {
#if COMPRESS_HAS_X86_KERNELS
  static const bool hasBMI2 = __builtin_cpu_supports("bmi2");
  if (getInstructionSet() >= InstructionSet::AVX2 && hasBMI2)
    return decodeCursorsBMI2(bytes, table, maxLength, cursors, numSymbols);
#endif
  decodeCursorsOfCode(bytes, table, maxLength, cursors, numSymbols);
}

/// Whether the segment ends where `cursor` stands, with zero padding.
static bool isAtEnd(ArrayRef<uint8_t> bytes, const Cursor &cursor) {
  if ((cursor.bit + 7) / 8 != cursor.end)
    return false;
  unsigned used = cursor.bit % 8;
  return !used || !(bytes[cursor.end - 1] & (255u >> used));
}

//===----------------------------------------------------------------------===//
// HuffmanDecoder
//===----------------------------------------------------------------------===//

HuffmanDecoder::HuffmanDecoder(const HuffmanCode &code)
    : code(code), table(size_t(1) << code.getMaxLength()) {
  unsigned maxLength = code.getMaxLength();
  for (uint8_t symbol : code.getSymbolsByRank()) {
    unsigned length = code.getLength(symbol);
    auto first = table.begin() + (code.getWord(symbol) << (maxLength - length));
    std::fill_n(first, size_t(1) << (maxLength - length),
                static_cast<uint16_t>(symbol << 8 | length));
  }
}

static Error reportDamage(int64_t segment) {
  return createStringError("segment %lld of the stream does not end with its "
                           "last symbol: the stream is damaged or belongs to "
                           "another code",
                           (long long)segment);
}

/// The first byte of a segment and the one behind it, if they make sense.
static Expected<std::pair<uint64_t, uint64_t>>
getSegmentBytes(ArrayRef<uint8_t> bytes, ArrayRef<uint32_t> restarts,
                int64_t segment) {
  if (segment < 0 || segment >= static_cast<int64_t>(restarts.size()))
    return createStringError("segment %lld of a stream that has %zu",
                             (long long)segment, restarts.size());
  uint64_t begin = restarts[segment];
  uint64_t end = segment + 1 < static_cast<int64_t>(restarts.size())
                     ? restarts[segment + 1]
                     : bytes.size();
  if (begin > end || end > bytes.size())
    return createStringError(
        "segment %lld takes bytes %llu to %llu of a stream "
        "of %zu bytes",
        (long long)segment, (unsigned long long)begin, (unsigned long long)end,
        bytes.size());
  return std::make_pair(begin, end);
}

Error HuffmanDecoder::decodeSegment(ArrayRef<uint8_t> bytes,
                                    ArrayRef<uint32_t> restarts,
                                    int64_t segment,
                                    MutableArrayRef<uint8_t> symbols) const {
  auto range = getSegmentBytes(bytes, restarts, segment);
  if (!range)
    return range.takeError();
  Cursor cursor{range->first * 8, range->second, symbols.data()};
  if (code.isConstant()) {
    std::fill(symbols.begin(), symbols.end(), code.getSymbolsByRank().front());
    return range->first == range->second ? Error::success()
                                         : reportDamage(segment);
  }
  decodeCursorsDispatch(bytes, table.data(), code.getMaxLength(), cursor,
                        symbols.size());
  return isAtEnd(bytes, cursor) ? Error::success() : reportDamage(segment);
}

namespace {
/// A sequence whose restart points are in order.
struct Sequence {
  ArrayRef<uint8_t> bytes;
  ArrayRef<uint32_t> restarts;
  int64_t segmentSymbols;
  MutableArrayRef<uint8_t> symbols;

  int64_t getNumSegments() const { return restarts.size(); }
  uint64_t getEnd(int64_t segment) const {
    return segment + 1 < getNumSegments() ? restarts[segment + 1]
                                          : bytes.size();
  }
  MutableArrayRef<uint8_t> getSymbols(int64_t segment) const {
    uint64_t begin = segment * segmentSymbols;
    return symbols.slice(
        begin, std::min<uint64_t>(segmentSymbols, symbols.size() - begin));
  }
};
} // namespace

static Error checkSequence(const Sequence &sequence) {
  if (sequence.segmentSymbols < 1)
    return createStringError("segments must have at least one symbol, but have "
                             "%lld",
                             (long long)sequence.segmentSymbols);
  int64_t expected =
      getNumSegments(sequence.symbols.size(), sequence.segmentSymbols);
  if (sequence.getNumSegments() != expected)
    return createStringError(
        "%zu symbols in segments of %lld need %lld restart "
        "points, but there are %lld",
        sequence.symbols.size(), (long long)sequence.segmentSymbols,
        (long long)expected, (long long)sequence.getNumSegments());
  uint64_t begin = expected ? sequence.restarts[0] : sequence.bytes.size();
  if (begin != 0)
    return createStringError("%s", expected
                                       ? "the first restart point must be 0"
                                       : "an empty sequence has no bytes");
  for (int64_t segment = 0; segment < expected; ++segment) {
    auto range = getSegmentBytes(sequence.bytes, sequence.restarts, segment);
    if (!range)
      return range.takeError();
  }
  return Error::success();
}

/// Decodes segments [first, last) eight at a time. Returns the first damaged
/// one, or `last`.
static int64_t decodeInterleaved(const HuffmanCode &code, const uint16_t *table,
                                 const Sequence &sequence, int64_t first,
                                 int64_t last) {
  while (first < last) {
    SmallVector<Cursor, kMaxCursors> cursors;
    int64_t numSymbols = sequence.getSymbols(first).size();
    for (int64_t segment = first;
         segment < last && cursors.size() < kMaxCursors; ++segment) {
      MutableArrayRef<uint8_t> out = sequence.getSymbols(segment);
      if (static_cast<int64_t>(out.size()) != numSymbols)
        break;
      cursors.push_back({uint64_t(sequence.restarts[segment]) * 8,
                         sequence.getEnd(segment), out.data()});
    }
    decodeCursorsDispatch(sequence.bytes, table, code.getMaxLength(), cursors,
                          numSymbols);
    for (const Cursor &cursor : cursors) {
      if (!isAtEnd(sequence.bytes, cursor))
        return first;
      ++first;
    }
  }
  return last;
}

/// Decodes 64 segments from `first` on with the vector kernel. Returns false if
/// they are damaged or do not meet the kernel's conditions.
static bool decodeBatch(const HuffmanCode &code, const Sequence &sequence,
                        int64_t first) {
  uint64_t base = sequence.restarts[first];
  uint64_t end = sequence.getEnd(first + detail::kHuffmanBatch - 1) +
                 detail::kHuffmanOverread;
  if (end > sequence.bytes.size() || end - base > INT32_MAX)
    return false;
  detail::HuffmanBatch batch;
  batch.bytes = sequence.bytes.data() + base;
  batch.numSymbols = sequence.segmentSymbols;
  batch.out = sequence.getSymbols(first).data();
  for (int64_t i = 0; i < detail::kHuffmanBatch; ++i)
    batch.ends[i] = static_cast<uint32_t>(sequence.getEnd(first + i) - base);
  return detail::decodeHuffmanBatch(code, batch);
}

Error HuffmanDecoder::decode(ArrayRef<uint8_t> bytes,
                             ArrayRef<uint32_t> restarts,
                             int64_t segmentSymbols,
                             MutableArrayRef<uint8_t> symbols,
                             ThreadPoolInterface *pool) const {
  Sequence sequence{bytes, restarts, segmentSymbols, symbols};
  if (Error error = checkSequence(sequence))
    return error;
  if (code.isConstant()) {
    std::fill(symbols.begin(), symbols.end(), code.getSymbolsByRank().front());
    return bytes.empty() ? Error::success() : reportDamage(0);
  }
  const bool useBatches = detail::canDecodeHuffmanBatch();
  const int64_t numFull = symbols.size() / segmentSymbols;
  std::atomic<int64_t> damaged{sequence.getNumSegments()};
  forEachChunk(
      pool, sequence.getNumSegments(), detail::kHuffmanBatch,
      [&](int64_t, int64_t first, int64_t last) {
        if (useBatches && first + detail::kHuffmanBatch <= numFull &&
            decodeBatch(code, sequence, first))
          return;
        int64_t bad =
            decodeInterleaved(code, table.data(), sequence, first, last);
        if (bad == last)
          return;
        int64_t known = damaged.load();
        while (bad < known && !damaged.compare_exchange_weak(known, bad)) {
        }
      });
  if (damaged.load() == sequence.getNumSegments())
    return Error::success();
  return reportDamage(damaged.load());
}

} // namespace compress::numerics
