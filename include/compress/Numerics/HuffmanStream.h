//===- HuffmanStream.h - Entropy-coded byte streams -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a sequence of symbols is stored: it is cut in segments of
// `segmentSymbols` symbols, the last of which may be shorter. Each segment is a
// bit stream of its own that starts on a byte: its code words one behind the
// other, first bit in the highest bit of the first byte, zero bits up to the
// end of the last byte. The segments follow one another without gaps;
// `restarts[s]` is the byte at which segment s starts. Any segment can be
// decoded by itself, and many at a time, which is where the decoder's speed
// comes from.
//
// A sequence of one symbol only (HuffmanCode::isConstant) and an empty one have
// no bytes.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_HUFFMANSTREAM_H
#define COMPRESS_NUMERICS_HUFFMANSTREAM_H

#include "compress/Numerics/HuffmanCode.h"

#include <vector>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The segment size to take without reasons for another one: restart points
/// and padding cost 0.01 bits a symbol. No power of two, so that segments that
/// are decoded together do not compete for the same cache lines.
constexpr int64_t kDefaultSegmentSymbols = 4032;

/// The number of segments, and so of restart points, of `numSymbols` symbols.
constexpr int64_t getNumSegments(int64_t numSymbols, int64_t segmentSymbols) {
  return numSymbols <= 0 ? 0 : (numSymbols - 1) / segmentSymbols + 1;
}

/// An encoded sequence; see the head of the file.
struct HuffmanStream {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> restarts;
};

/// The size that encodeHuffman gives `bytes` of symbols with these counts, in
/// bits, without restart points and padding.
uint64_t getEncodedBits(const HuffmanCode &code,
                        llvm::ArrayRef<uint64_t> counts);

/// Encodes `symbols`. Fails if a symbol has no code word (the message names the
/// first), if `segmentSymbols` is not positive, or if the stream would not stay
/// below 4 GiB. `pool` may be null; the result does not depend on it. Cost:
/// about 2 ns a symbol and thread.
llvm::Expected<HuffmanStream>
encodeHuffman(const HuffmanCode &code, llvm::ArrayRef<uint8_t> symbols,
              int64_t segmentSymbols = kDefaultSegmentSymbols,
              llvm::ThreadPoolInterface *pool = nullptr);

/// Decodes streams of one code. Immutable, so threads may share it.
///
/// Streams are not trusted: whatever the bytes and restart points hold, nothing
/// outside the given arrays is touched and the time is bounded by the number of
/// symbols asked for. The result is an error if a segment does not end with its
/// last symbol, or wrong symbols if the damage happens to leave a valid stream.
class HuffmanDecoder {
public:
  explicit HuffmanDecoder(const HuffmanCode &code);

  const HuffmanCode &getCode() const { return code; }

  /// Decodes a whole sequence of symbols.size() symbols. Fails if the number or
  /// the order of the restart points is wrong or if a segment is damaged; then
  /// `symbols` has unspecified contents. `pool` may be null; the result does
  /// not depend on it. With 64 segments and more, an x86 processor with AVX-512
  /// VBMI2 decodes 64 at a time, one a byte lane.
  llvm::Error decode(llvm::ArrayRef<uint8_t> bytes,
                     llvm::ArrayRef<uint32_t> restarts, int64_t segmentSymbols,
                     llvm::MutableArrayRef<uint8_t> symbols,
                     llvm::ThreadPoolInterface *pool = nullptr) const;

  /// Decodes segment `segment` of a sequence, of symbols.size() symbols. Checks
  /// the two restart points that it reads.
  llvm::Error decodeSegment(llvm::ArrayRef<uint8_t> bytes,
                            llvm::ArrayRef<uint32_t> restarts, int64_t segment,
                            llvm::MutableArrayRef<uint8_t> symbols) const;

private:
  HuffmanCode code;
  /// For each value of the next maxLength bits: the symbol in the high byte,
  /// the length of its word in the low one.
  std::vector<uint16_t> table;
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_HUFFMANSTREAM_H
