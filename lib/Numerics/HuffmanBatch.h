//===- HuffmanBatch.h - Decoding 64 segments at a time ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the Huffman decoder and its AVX-512 VBMI2 kernel.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_HUFFMANBATCH_H
#define COMPRESS_LIB_NUMERICS_HUFFMANBATCH_H

#include "compress/Numerics/HuffmanCode.h"

#include <cstdint>

namespace compress::numerics::detail {

/// The number of segments that a batch decodes.
constexpr int64_t kHuffmanBatch = 64;

/// The bytes behind a position that a batch may read.
constexpr uint64_t kHuffmanOverread = 9;

/// 64 segments of `numSymbols` symbols each, decoded to consecutive rows of
/// `out`. Segment s takes bytes [ends[s - 1], ends[s]) of `bytes`, the first
/// one starts at byte 0.
///
/// The caller guarantees: `ends` ascend, ends[63] + kHuffmanOverread bytes may
/// be read and are less than 2^31, and the code is not constant.
struct HuffmanBatch {
  const uint8_t *bytes;
  uint32_t ends[kHuffmanBatch];
  int64_t numSymbols;
  uint8_t *out;
};

/// Whether decodeHuffmanBatch runs on this machine, and may.
bool canDecodeHuffmanBatch();

/// Decodes a batch. Returns whether all segments end where they should, with
/// zero padding; if not, `out` has unspecified contents. Reads and writes
/// nothing else, whatever the bytes are.
bool decodeHuffmanBatch(const HuffmanCode &code, const HuffmanBatch &batch);

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_HUFFMANBATCH_H
