//===- HuffmanBatch.cpp - Decoding 64 segments at a time ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Huffman decoder without table look-ups in memory. Each of 64 segments has
// one 16-bit lane, in one of two vectors, that holds its next 16 bits W. In a
// canonical code with the short words first, the length of the next word is
// determined by how many of the limits
//
//   limit(l) = (last word of length l, plus 1) << (16 - l)
//
// W reaches, and the rank of its symbol is
//
//   (W - ((firstWord(l) - firstRank(l)) << (16 - l))) >> (16 - l)
//
// where the subtrahend is picked by a permutation of a register by the length.
// Behind W stand the three words that follow it; VBMI2's double shifts move all
// of them. 64 bits, of which at most 7 are lost to the position within a byte,
// hold several symbols; then eight gathers load the next 64 bits. Ranks become
// symbols by byte permutations on the way through the transposition of 16 x 16
// blocks that brings the symbols of a segment together.
//
//===----------------------------------------------------------------------===//

#include "HuffmanBatch.h"
#include "KernelTarget.h"

#include "compress/Numerics/InstructionSet.h"

#if COMPRESS_HAS_X86_KERNELS
#include <algorithm>
#include <cstring>
#include <immintrin.h>
#endif

namespace compress::numerics::detail {

#if COMPRESS_HAS_X86_KERNELS

#define COMPRESS_TARGET_VBMI2                                                  \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,"       \
                        "avx512vbmi2")))
#define COMPRESS_VBMI2_INLINE                                                  \
  COMPRESS_TARGET_VBMI2 __attribute__((always_inline)) static inline

namespace {

/// Steps whose ranks are kept until they are transposed.
constexpr int64_t kSteps = 64;
/// Symbols of a segment that are kept until they are written. Writing few lines
/// of each of 64 segments at a time would defeat the caches: the segments'
/// addresses often agree in the bits that pick a cache set.
constexpr int64_t kRow = 128;
constexpr int64_t kMaxPerWindow = 7;

/// The code, as the kernel wants it. Lengths are kept as 16 - length.
struct alignas(64) Tables {
  /// Entry j, in all lanes: the largest window of at most minLength + j bits,
  /// and 16 - (minLength + j).
  uint16_t largest[kMaxHuffmanLength][32];
  uint16_t shift[kMaxHuffmanLength][32];
  /// Indexed by 16 - length: the subtrahend above.
  uint16_t base[32];
  uint8_t symbols[kMaxHuffmanSymbols];
  unsigned numSymbolVectors;

  explicit Tables(const HuffmanCode &code);
};

/// Where the 64 segments stand. Gather lanes: vector v of half h holds the
/// segments of its bytes in the order of getSegmentOfLane.
struct alignas(64) Positions {
  uint32_t bytes[2][2][16];
  uint16_t bits[2][32];
};

} // namespace

Tables::Tables(const HuffmanCode &code) {
  std::memset(this, 0, sizeof(*this));
  const unsigned minLength = code.getMinLength();
  for (unsigned j = 0; j < kMaxHuffmanLength; ++j) {
    unsigned length = minLength + j;
    // Nothing exceeds the largest window, so these entries count nothing.
    uint16_t value = 0xFFFF;
    if (length < code.getMaxLength())
      value = ((code.getFirstWord(length) + code.getNumOfLength(length))
               << (16 - length)) -
              1;
    std::fill_n(largest[j], 32, value);
    std::fill_n(shift[j], 32, 16 - length);
  }
  for (unsigned length = minLength; length <= code.getMaxLength(); ++length)
    base[16 - length] = (code.getFirstWord(length) - code.getFirstRank(length))
                        << (16 - length);
  std::memcpy(symbols, code.getSymbolsByRank().data(), code.getNumCoded());
  numSymbolVectors = code.getNumCoded() <= 64    ? 1
                     : code.getNumCoded() <= 128 ? 2
                                                 : 4;
}

/// The segment in lane `lane` of gather vector `vector` of `half`. Follows from
/// the shuffles of refill and consume: word lane w of a half has the segment
/// 2w + half, so that interleaved halves give the segments in order.
static int64_t getSegmentOfLane(int half, int vector, int lane) {
  int inGroup = lane % 4;
  int word = lane / 4 * 8 + inGroup % 2 + inGroup / 2 * 4 + vector * 2;
  return 2 * word + half;
}

/// Eight segments' next eight bytes, as big-endian words: dword p of a 128-bit
/// lane has word p of its two segments.
COMPRESS_VBMI2_INLINE __m512i gatherWords(const uint8_t *bytes,
                                          __m256i offsets) {
  const __m512i order = _mm512_broadcast_i32x4(
      _mm_setr_epi8(1, 0, 9, 8, 3, 2, 11, 10, 5, 4, 13, 12, 7, 6, 15, 14));
  return _mm512_shuffle_epi8(_mm512_i32gather_epi64(offsets, bytes, 1), order);
}

/// Loads the next 64 bits of the 32 segments of a half and drops the bits of
/// the first byte that are done: planes[p] gets words p.
COMPRESS_VBMI2_INLINE void refill(const uint8_t *bytes, __m512i offsets0,
                                  __m512i offsets1, __m512i bit,
                                  __m512i planes[4]) {
  __m512i a = gatherWords(bytes, _mm512_castsi512_si256(offsets0));
  __m512i b = gatherWords(bytes, _mm512_extracti64x4_epi64(offsets0, 1));
  __m512i c = gatherWords(bytes, _mm512_castsi512_si256(offsets1));
  __m512i d = gatherWords(bytes, _mm512_extracti64x4_epi64(offsets1, 1));
  __m512i ac01 = _mm512_unpacklo_epi32(a, c);
  __m512i ac23 = _mm512_unpackhi_epi32(a, c);
  __m512i bd01 = _mm512_unpacklo_epi32(b, d);
  __m512i bd23 = _mm512_unpackhi_epi32(b, d);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  __m512i words[4] = {_mm512_permutex2var_epi64(ac01, even, bd01),
                      _mm512_permutex2var_epi64(ac01, odd, bd01),
                      _mm512_permutex2var_epi64(ac23, even, bd23),
                      _mm512_permutex2var_epi64(ac23, odd, bd23)};
  for (int p = 0; p < 3; ++p)
    planes[p] = _mm512_shldv_epi16(words[p], words[p + 1], bit);
  planes[3] = _mm512_sllv_epi16(words[3], bit);
}

/// Decodes the next symbol of 32 segments: returns their ranks and sets `shift`
/// to 16 - length.
template <unsigned NumLimits>
COMPRESS_VBMI2_INLINE __m512i decodeStep(const Tables &tables, __m512i window,
                                         __m512i base, __m512i &shift) {
  shift = _mm512_load_si512(tables.shift[0]);
#pragma GCC unroll 16
  for (unsigned j = 0; j < NumLimits; ++j) {
    __mmask32 isLonger =
        _mm512_cmpgt_epu16_mask(window, _mm512_load_si512(tables.largest[j]));
    shift = _mm512_mask_mov_epi16(shift, isLonger,
                                  _mm512_load_si512(tables.shift[j + 1]));
  }
  __m512i subtrahend = _mm512_permutexvar_epi16(shift, base);
  return _mm512_srlv_epi16(_mm512_sub_epi16(window, subtrahend), shift);
}

/// Moves the words in planes[0, numPlanes] on by 16 - shift bits; what comes
/// behind plane `numPlanes` is not needed.
COMPRESS_VBMI2_INLINE void advance(__m512i planes[4], int numPlanes,
                                   __m512i shift) {
#pragma GCC unroll 4
  for (int p = 0; p < numPlanes; ++p)
    planes[p] = _mm512_shrdv_epi16(
        p < 3 ? planes[p + 1] : _mm512_setzero_si512(), planes[p], shift);
}

/// Moves 32 segments on by `consumed` bits, but not beyond `limit` bytes.
COMPRESS_VBMI2_INLINE void consume(__m512i consumed, __m512i limit,
                                   __m512i &offsets0, __m512i &offsets1,
                                   __m512i &bit) {
  const __m512i order0 = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 1, -1, -1, 2, 3, -1, -1, 8, 9, -1, -1, 10, 11, -1, -1));
  const __m512i order1 = _mm512_broadcast_i32x4(_mm_setr_epi8(
      4, 5, -1, -1, 6, 7, -1, -1, 12, 13, -1, -1, 14, 15, -1, -1));
  __m512i position = _mm512_add_epi16(bit, consumed);
  bit = _mm512_and_si512(position, _mm512_set1_epi16(7));
  __m512i numBytes = _mm512_srli_epi16(position, 3);
  offsets0 = _mm512_min_epu32(
      limit, _mm512_add_epi32(offsets0, _mm512_shuffle_epi8(numBytes, order0)));
  offsets1 = _mm512_min_epu32(
      limit, _mm512_add_epi32(offsets1, _mm512_shuffle_epi8(numBytes, order1)));
}

/// The symbols of 64 ranks.
COMPRESS_VBMI2_INLINE __m512i lookUp(const __m512i *symbols,
                                     unsigned numVectors, __m512i ranks) {
  __m512i result = _mm512_permutexvar_epi8(ranks, symbols[0]);
  if (numVectors == 1)
    return result;
  __mmask64 bit6 = _mm512_movepi8_mask(_mm512_add_epi8(ranks, ranks));
  result = _mm512_mask_permutexvar_epi8(result, bit6, ranks, symbols[1]);
  if (numVectors == 2)
    return result;
  __mmask64 bit7 = _mm512_movepi8_mask(ranks);
  __m512i upper = _mm512_permutexvar_epi8(ranks, symbols[2]);
  upper = _mm512_mask_permutexvar_epi8(upper, bit6, ranks, symbols[3]);
  return _mm512_mask_mov_epi8(result, bit7, upper);
}

/// Brings 16 steps of 64 segments from steps[step][segment] to
/// rows[segment][step], as symbols.
template <unsigned NumVectors>
COMPRESS_VBMI2_INLINE void transposeBlock(const __m512i *symbols,
                                          const uint8_t *steps, uint8_t *rows) {
  __m512i r[16], t[16];
  for (int i = 0; i < 16; ++i)
    r[i] = lookUp(symbols, NumVectors,
                  _mm512_load_si512(steps + i * kHuffmanBatch));
  // Four perfect shuffles of the 256 bytes of each 128-bit column.
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) {
      t[2 * i] = _mm512_unpacklo_epi8(r[i], r[i + 8]);
      t[2 * i + 1] = _mm512_unpackhi_epi8(r[i], r[i + 8]);
    }
    for (int i = 0; i < 16; ++i)
      r[i] = t[i];
  }
  for (int i = 0; i < 16; ++i) {
    auto *row = reinterpret_cast<__m128i *>(rows + i * kRow);
    constexpr int64_t next = 16 * kRow / sizeof(__m128i);
    _mm_store_si128(row, _mm512_castsi512_si128(r[i]));
    _mm_store_si128(row + next, _mm512_extracti32x4_epi32(r[i], 1));
    _mm_store_si128(row + 2 * next, _mm512_extracti32x4_epi32(r[i], 2));
    _mm_store_si128(row + 3 * next, _mm512_extracti32x4_epi32(r[i], 3));
  }
}

/// transposeBlock of 64 steps.
template <unsigned NumVectors>
COMPRESS_TARGET_VBMI2 static void
transposeSteps(const Tables &tables, const uint8_t *steps, uint8_t *rows) {
  __m512i symbols[4];
  for (int i = 0; i < 4; ++i)
    symbols[i] = _mm512_load_si512(tables.symbols + 64 * i);
  for (int64_t step = 0; step < kSteps; step += 16)
    transposeBlock<NumVectors>(symbols, steps + step * kHuffmanBatch,
                               rows + step);
}

namespace {
/// Collects ranks step by step and writes them out as symbols of segments.
class SymbolWriter {
public:
  SymbolWriter(const Tables &tables, const HuffmanBatch &batch)
      : tables(tables), batch(batch) {}

  /// Where the ranks of the step `offset` steps from now go.
  uint8_t *getStep(int64_t offset) {
    return steps + (numSteps + offset) * kHuffmanBatch;
  }
  /// Moves on by `count` steps, at most kMaxPerWindow. Returns whether that
  /// filled the rows, which happens every kRow steps.
  bool finishSteps(int64_t count) {
    numSteps += count;
    if (numSteps < kSteps)
      return false;
    transpose();
    numSteps -= kSteps;
    std::memcpy(steps, steps + kSteps * kHuffmanBatch,
                numSteps * kHuffmanBatch);
    return rowSymbols == kRow;
  }
  /// Asks for the lines of `segment` that the row after the current one will
  /// fill.
  void prefetch(int64_t segment) const {
    const uint8_t *to = batch.out + segment * batch.numSymbols + written + kRow;
    for (int64_t line = 0; line < kRow; line += 64)
      __builtin_prefetch(to + line, /*rw=*/1);
  }
  void finishSegments() {
    int64_t left = numSteps;
    if (left)
      transpose();
    // The last transposition counted kSteps symbols a segment.
    if (left)
      rowSymbols += left - kSteps;
    writeRows();
  }

private:
  void transpose() {
    if (rowSymbols == kRow)
      writeRows();
    uint8_t *to = rows + rowSymbols;
    if (tables.numSymbolVectors == 1)
      transposeSteps<1>(tables, steps, to);
    else if (tables.numSymbolVectors == 2)
      transposeSteps<2>(tables, steps, to);
    else
      transposeSteps<4>(tables, steps, to);
    rowSymbols += kSteps;
  }
  void writeRows() {
    for (int64_t segment = 0; segment < kHuffmanBatch; ++segment) {
      uint8_t *to = batch.out + segment * batch.numSymbols + written;
      std::memcpy(to, rows + segment * kRow, rowSymbols);
    }
    written += rowSymbols;
    rowSymbols = 0;
  }

  alignas(64) uint8_t steps[(kSteps + kMaxPerWindow) * kHuffmanBatch];
  alignas(64) uint8_t rows[kHuffmanBatch * kRow];
  const Tables &tables;
  const HuffmanBatch &batch;
  int64_t numSteps = 0;
  int64_t rowSymbols = 0;
  int64_t written = 0;
};
} // namespace

namespace {
/// Where the 64 segments stand, in registers.
struct State {
  __m512i offsets[2][2];
  __m512i bit[2];
};
} // namespace

/// Decodes PerWindow symbols of each segment, from words of at most MaxLength
/// bits, and moves on.
template <unsigned MaxLength, unsigned NumLimits, int PerWindow>
COMPRESS_VBMI2_INLINE void decodeWindow(const Tables &tables, __m512i base,
                                        __m512i limit, const uint8_t *bytes,
                                        State &state, SymbolWriter &writer) {
  __m512i planes[2][4], shifts[2];
  for (int half = 0; half < 2; ++half) {
    refill(bytes, state.offsets[half][0], state.offsets[half][1],
           state.bit[half], planes[half]);
    shifts[half] = _mm512_setzero_si512();
  }
#pragma GCC unroll 8
  for (int i = 0; i < PerWindow; ++i) {
    __m512i ranks[2];
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      __m512i shift;
      ranks[half] = decodeStep<NumLimits>(tables, planes[half][0], base, shift);
      shifts[half] = _mm512_add_epi16(shifts[half], shift);
      advance(planes[half], ((PerWindow - 1 - i) * MaxLength + 15) / 16, shift);
    }
    __m512i both = _mm512_or_si512(ranks[0], _mm512_slli_epi16(ranks[1], 8));
    _mm512_store_si512(writer.getStep(i), both);
  }
  const __m512i taken = _mm512_set1_epi16(16 * PerWindow);
  for (int half = 0; half < 2; ++half)
    consume(_mm512_sub_epi16(taken, shifts[half]), limit,
            state.offsets[half][0], state.offsets[half][1], state.bit[half]);
}

namespace {
/// Asks for the bytes that the segments will need, and the lines that they will
/// fill: the processor does not foresee so many streams. The requests of a row
/// are spread over its windows, more at a time would wait for one another.
class Prefetcher {
public:
  Prefetcher(const HuffmanBatch &batch, const SymbolWriter &writer)
      : batch(batch), writer(writer) {}

  /// Starts over with the segments at `state`.
  COMPRESS_TARGET_VBMI2 void restart(const State &state) {
    std::memcpy(offsets, state.offsets, sizeof(offsets));
    next = 0;
  }
  /// Called for each of the kRow / PerWindow windows of a row.
  template <int PerWindow>
  void request() {
    constexpr int64_t segments = (kHuffmanBatch * PerWindow + kRow - 1) / kRow;
    for (int64_t i = 0; i < segments && next < kHuffmanBatch; ++i, ++next) {
      writer.prefetch(next);
      const uint8_t *from = batch.bytes + offsets[next];
      // A row takes at most 128 bytes where a symbol takes 8 bits; the bytes
      // before were asked for with the rows before.
      for (int64_t line = 2; line < 4; ++line)
        __builtin_prefetch(from + 64 * line);
    }
  }

private:
  const HuffmanBatch &batch;
  const SymbolWriter &writer;
  alignas(64) uint32_t offsets[kHuffmanBatch];
  int64_t next = 0;
};
} // namespace

/// Decodes a batch whose code has words of at most MaxLength bits and at most
/// NumLimits + 1 different lengths.
template <unsigned MaxLength, unsigned NumLimits>
COMPRESS_TARGET_VBMI2 static void decodeSegments(const Tables &tables,
                                                 const HuffmanBatch &batch,
                                                 Positions &positions) {
  constexpr int perWindow = 57 / MaxLength;
  static_assert(perWindow <= kMaxPerWindow, "step buffer too small");
  const __m512i base = _mm512_load_si512(tables.base);
  // A damaged segment stops one byte behind the batch, where no segment ends.
  const __m512i limit = _mm512_set1_epi32(batch.ends[kHuffmanBatch - 1] + 1);
  State state;
  std::memcpy(state.offsets, positions.bytes, sizeof(state.offsets));
  std::memcpy(state.bit, positions.bits, sizeof(state.bit));
  SymbolWriter writer(tables, batch);
  Prefetcher prefetcher(batch, writer);
  prefetcher.restart(state);
  int64_t done = 0;
  for (; done + perWindow <= batch.numSymbols; done += perWindow) {
    decodeWindow<MaxLength, NumLimits, perWindow>(tables, base, limit,
                                                  batch.bytes, state, writer);
    prefetcher.request<perWindow>();
    if (writer.finishSteps(perWindow))
      prefetcher.restart(state);
  }
  for (; done < batch.numSymbols; ++done) {
    decodeWindow<MaxLength, NumLimits, 1>(tables, base, limit, batch.bytes,
                                          state, writer);
    writer.finishSteps(1);
  }
  writer.finishSegments();
  std::memcpy(positions.bytes, state.offsets, sizeof(state.offsets));
  std::memcpy(positions.bits, state.bit, sizeof(state.bit));
}

/// Picks the instance for the code: few limits are compared where few will do.
static void decodeSegmentsOfCode(const HuffmanCode &code, const Tables &tables,
                                 const HuffmanBatch &batch,
                                 Positions &positions) {
  const unsigned maxLength = code.getMaxLength();
  const unsigned numLimits = maxLength - code.getMinLength();
#define COMPRESS_DECODE_IF(MaxLength, NumLimits)                               \
  if (maxLength <= MaxLength && numLimits <= NumLimits)                        \
    return decodeSegments<MaxLength, NumLimits>(tables, batch, positions);
  COMPRESS_DECODE_IF(8, 3)
  COMPRESS_DECODE_IF(8, 5)
  COMPRESS_DECODE_IF(8, 7)
  COMPRESS_DECODE_IF(11, 4)
  COMPRESS_DECODE_IF(11, 6)
  COMPRESS_DECODE_IF(11, 8)
  COMPRESS_DECODE_IF(11, 10)
  COMPRESS_DECODE_IF(14, 6)
  COMPRESS_DECODE_IF(14, 8)
  COMPRESS_DECODE_IF(14, 10)
  COMPRESS_DECODE_IF(14, 13)
  COMPRESS_DECODE_IF(15, 14)
#undef COMPRESS_DECODE_IF
}

bool canDecodeHuffmanBatch() {
  static const bool isSupported = __builtin_cpu_supports("avx512vbmi") &&
                                  __builtin_cpu_supports("avx512vbmi2");
  return isSupported && getInstructionSet() >= InstructionSet::AVX512;
}

bool decodeHuffmanBatch(const HuffmanCode &code, const HuffmanBatch &batch) {
  const Tables tables(code);
  Positions positions;
  std::memset(positions.bits, 0, sizeof(positions.bits));
  for (int half = 0; half < 2; ++half)
    for (int v = 0; v < 2; ++v)
      for (int lane = 0; lane < 16; ++lane) {
        int64_t segment = getSegmentOfLane(half, v, lane);
        positions.bytes[half][v][lane] = segment ? batch.ends[segment - 1] : 0;
      }
  decodeSegmentsOfCode(code, tables, batch, positions);
  bool isIntact = true;
  for (int half = 0; half < 2; ++half)
    for (int v = 0; v < 2; ++v)
      for (int lane = 0; lane < 16; ++lane) {
        int64_t segment = getSegmentOfLane(half, v, lane);
        uint32_t byte = positions.bytes[half][v][lane];
        unsigned bit = positions.bits[half][segment / 2];
        isIntact &= byte + (bit != 0) == batch.ends[segment];
        if (isIntact && bit)
          isIntact = !(batch.bytes[byte] & (255u >> bit));
      }
  return isIntact;
}

#else // COMPRESS_HAS_X86_KERNELS

bool canDecodeHuffmanBatch() { return false; }

bool decodeHuffmanBatch(const HuffmanCode &, const HuffmanBatch &) {
  return false;
}

#endif // COMPRESS_HAS_X86_KERNELS

} // namespace compress::numerics::detail
