//===- HuffmanEncoder.cpp - Writes entropy-coded byte streams -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/HuffmanStream.h"

#include "compress/Numerics/Parallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <optional>

using namespace llvm;

namespace compress::numerics {

uint64_t getEncodedBits(const HuffmanCode &code, ArrayRef<uint64_t> counts) {
  uint64_t bits = 0;
  if (!code.isConstant())
    for (auto [symbol, count] :
         enumerate(counts.take_front(kMaxHuffmanSymbols)))
      bits += count * code.getLength(symbol);
  return bits;
}

/// The bytes of a segment, or nothing if a symbol has no code word.
static std::optional<uint64_t> measureSegment(const HuffmanCode &code,
                                              ArrayRef<uint8_t> symbols) {
  uint64_t bits = 0;
  bool allCoded = true;
  for (uint8_t symbol : symbols) {
    unsigned length = code.getLength(symbol);
    bits += length;
    allCoded &= length != 0;
  }
  if (!allCoded)
    return std::nullopt;
  return code.isConstant() ? 0 : (bits + 7) / 8;
}

/// Writes a segment to [out, end), which has exactly the measured size.
static void writeSegment(const HuffmanCode &code, ArrayRef<uint8_t> symbols,
                         uint8_t *out, uint8_t *end) {
  uint64_t window = 0; // The low `filled` bits wait to be written.
  unsigned filled = 0;
  auto add = [&](uint8_t symbol) {
    unsigned length = code.getLength(symbol);
    window = window << length | code.getWord(symbol);
    filled += length;
  };
  size_t i = 0;
  // Without branches, at most 7 + 3 * 15 bits at a time; writes beyond what is
  // done yet stay within the segment and are overwritten.
  for (; i + 3 <= symbols.size() && end - out >= 8; i += 3) {
    for (size_t j = 0; j < 3; ++j)
      add(symbols[i + j]);
    support::endian::write64be(out, window << (64 - filled));
    out += filled / 8;
    filled %= 8;
  }
  for (; i < symbols.size(); ++i) {
    add(symbols[i]);
    for (; filled >= 8; filled -= 8)
      *out++ = static_cast<uint8_t>(window >> (filled - 8));
  }
  if (filled)
    *out = static_cast<uint8_t>(window << (8 - filled));
}

static Error reportUncodedSymbol(const HuffmanCode &code,
                                 ArrayRef<uint8_t> symbols) {
  const uint8_t *first =
      find_if(symbols, [&](uint8_t symbol) { return !code.getLength(symbol); });
  return createStringError("symbol %u at position %zu has no code word",
                           unsigned(*first), size_t(first - symbols.begin()));
}

Expected<HuffmanStream> encodeHuffman(const HuffmanCode &code,
                                      ArrayRef<uint8_t> symbols,
                                      int64_t segmentSymbols,
                                      ThreadPoolInterface *pool) {
  if (segmentSymbols < 1)
    return createStringError("segments must have at least one symbol, but have "
                             "%lld",
                             (long long)segmentSymbols);
  int64_t numSegments = getNumSegments(symbols.size(), segmentSymbols);
  std::vector<std::optional<uint64_t>> sizes(numSegments);
  forEachChunk(pool, symbols.size(), segmentSymbols,
               [&](int64_t segment, int64_t begin, int64_t end) {
                 sizes[segment] =
                     measureSegment(code, symbols.slice(begin, end - begin));
               });
  HuffmanStream stream;
  stream.restarts.reserve(numSegments);
  uint64_t numBytes = 0;
  for (std::optional<uint64_t> size : sizes) {
    if (!size)
      return reportUncodedSymbol(code, symbols);
    stream.restarts.push_back(static_cast<uint32_t>(numBytes));
    numBytes += *size;
    if (numBytes > UINT32_MAX)
      return createStringError("the encoded stream exceeds 4 GiB; split the "
                               "tensor");
  }
  stream.bytes.resize(numBytes);
  if (numBytes)
    forEachChunk(pool, symbols.size(), segmentSymbols,
                 [&](int64_t segment, int64_t begin, int64_t end) {
                   uint8_t *out =
                       stream.bytes.data() + stream.restarts[segment];
                   writeSegment(code, symbols.slice(begin, end - begin), out,
                                out + *sizes[segment]);
                 });
  return stream;
}

} // namespace compress::numerics
