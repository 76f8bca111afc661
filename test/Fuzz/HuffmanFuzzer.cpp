//===- HuffmanFuzzer.cpp - Fuzz target of the Huffman coder ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input gives code lengths (as they are, or as counts from which lengths
// are computed), the sizes, and the stream: raw, or encoded from symbols and
// then changed in places. Whatever comes, all decoders must stay within the
// buffers and agree; what was not changed must decode to what was encoded.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"

#include "compress/Numerics/HuffmanStream.h"
#include "compress/Numerics/InstructionSet.h"

#include <optional>

using namespace compress;
using namespace compress::numerics;
using namespace llvm;

static std::optional<HuffmanCode> takeCode(fuzz::FuzzInput &input) {
  std::vector<uint8_t> lengths(1 + input.takeByte());
  if (input.takeByte() % 4 == 0) {
    ArrayRef<uint8_t> raw = input.takeBytes(lengths.size());
    std::copy(raw.begin(), raw.end(), lengths.begin());
  } else {
    unsigned maxLength = 1 + input.takeByte() % kMaxHuffmanLength;
    std::vector<uint64_t> counts(lengths.size());
    for (uint64_t &count : counts) {
      uint8_t byte = input.takeByte();
      count = uint64_t(byte & 7) << (byte >> 3);
    }
    if (errorToBool(computeHuffmanLengths(counts, maxLength, lengths)))
      return std::nullopt;
    fuzz::check(!errorToBool(verifyHuffmanLengths(lengths)),
                "computed lengths are no code");
  }
  Expected<HuffmanCode> code = HuffmanCode::create(lengths);
  if (!code) {
    consumeError(code.takeError());
    return std::nullopt;
  }
  return *code;
}

/// Decodes with every kind of decoder; nothing if they refuse the stream.
static std::optional<std::vector<uint8_t>>
decodeAll(const HuffmanCode &code, ArrayRef<uint8_t> bytes,
          ArrayRef<uint32_t> restarts, int64_t segmentSymbols,
          size_t numSymbols) {
  const fuzz::GuardedBytes guarded(bytes);
  const HuffmanDecoder decoder(code);
  std::optional<std::vector<uint8_t>> results[3];
  for (int i = 0; i < 3; ++i) {
    limitInstructionSet(static_cast<InstructionSet>(i));
    std::vector<uint8_t> symbols(numSymbols);
    if (!errorToBool(
            decoder.decode(guarded.get(), restarts, segmentSymbols, symbols)))
      results[i] = std::move(symbols);
    fuzz::check(results[i] == results[0], "the decoders disagree");
  }
  return results[0];
}

static void fuzzRawStream(fuzz::FuzzInput &input, const HuffmanCode &code) {
  int64_t segmentSymbols = 1 + input.takeUpTo(200);
  size_t numSymbols = input.takeUpTo(20000);
  int64_t numSegments = getNumSegments(numSymbols, segmentSymbols);
  uint8_t form = input.takeByte();
  ArrayRef<uint8_t> steps = input.takeBytes(form % 2 ? numSegments : 0);
  ArrayRef<uint8_t> bytes = input.takeRest();
  std::vector<uint32_t> restarts(numSegments);
  uint32_t position = 0;
  for (int64_t segment = 0; segment < numSegments; ++segment) {
    restarts[segment] = position;
    position += segment < int64_t(steps.size())
                    ? steps[segment] % 16
                    : uint32_t(bytes.size() / (numSegments + 1));
  }
  decodeAll(code, bytes, restarts, segmentSymbols, numSymbols);
}

static void fuzzEncodedStream(fuzz::FuzzInput &input, const HuffmanCode &code) {
  int64_t segmentSymbols = 1 + input.takeUpTo(100);
  size_t numSymbols = input.takeUpTo(8000);
  uint8_t numChanges = input.takeByte() % 4;
  std::vector<std::pair<uint32_t, uint8_t>> changes;
  for (unsigned i = 0; i < numChanges; ++i) {
    uint32_t place = input.takeUpTo(65535);
    changes.push_back({place, input.takeByte()});
  }
  ArrayRef<uint8_t> seeds = input.takeRest();
  std::vector<uint8_t> symbols(numSymbols);
  for (size_t i = 0; i < numSymbols; ++i) {
    uint8_t seed = seeds.empty() ? 0 : seeds[i % seeds.size()] + i / 251;
    symbols[i] = code.getSymbolsByRank()[seed % code.getNumCoded()];
  }
  HuffmanStream stream = cantFail(encodeHuffman(code, symbols, segmentSymbols));
  for (auto [place, value] : changes)
    if (place % 2 && !stream.restarts.empty())
      stream.restarts[place / 2 % stream.restarts.size()] += int8_t(value);
    else if (!stream.bytes.empty())
      stream.bytes[place / 2 % stream.bytes.size()] ^= value;
  auto decoded = decodeAll(code, stream.bytes, stream.restarts, segmentSymbols,
                           numSymbols);
  if (changes.empty())
    fuzz::check(decoded == symbols, "the round trip changed symbols");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::FuzzInput input(data, size);
  uint8_t form = input.takeByte();
  std::optional<HuffmanCode> code = takeCode(input);
  if (!code)
    return 0;
  if (form % 2)
    fuzzRawStream(input, *code);
  else
    fuzzEncodedStream(input, *code);
  return 0;
}
