//===- HuffmanBench.cpp - Entropy coding ----------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "HuffmanData.h"
#include "compress/Numerics/HuffmanStream.h"

#include "llvm/Support/Error.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

HuffmanCode makeCode(const std::vector<uint8_t> &symbols) {
  std::vector<uint64_t> counts(kMaxHuffmanSymbols);
  std::vector<uint8_t> lengths(kMaxHuffmanSymbols);
  cantFail(countSymbols(symbols, counts));
  cantFail(computeHuffmanLengths(counts, kDefaultHuffmanLength, lengths));
  return cantFail(HuffmanCode::create(lengths));
}

/// Rates count the symbols, which have a byte each.
struct CoderRows {
  Row decode, encode;
  explicit CoderRows(const SymbolKind &kind)
      : decode(std::string("huffman.decode.") + kind.name, "16Mi",
               [=](State &state) {
                 std::vector<uint8_t> symbols = makeSymbols(kind);
                 const HuffmanCode code = makeCode(symbols);
                 HuffmanStream stream = cantFail(encodeHuffman(code, symbols));
                 const HuffmanDecoder decoder(code);
                 for (auto _ : state)
                   cantFail(decoder.decode(stream.bytes, stream.restarts,
                                           kDefaultSegmentSymbols, symbols,
                                           getPool()));
                 setBytes(state, symbols.size(),
                          symbols.size() + stream.bytes.size());
               }),
        encode(std::string("huffman.encode.") + kind.name, "16Mi",
               [=](State &state) {
                 const std::vector<uint8_t> symbols = makeSymbols(kind);
                 const HuffmanCode code = makeCode(symbols);
                 for (auto _ : state)
                   cantFail(encodeHuffman(code, symbols, kDefaultSegmentSymbols,
                                          getPool()));
                 setBytes(state, symbols.size());
               }) {}
};

CoderRows rows[] = {CoderRows(symbolKinds[0]), CoderRows(symbolKinds[1]),
                    CoderRows(symbolKinds[2])};

} // namespace
