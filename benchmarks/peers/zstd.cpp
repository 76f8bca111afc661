//===- zstd.cpp - The Huffman coder of zstd -------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder that zstd has for literals is Huff0. The compressor is told to
// search for no matches and to code literals by Huffman in any case, so that
// decompression is entropy decoding and nothing else.
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "HuffmanData.h"

#include <cstdlib>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

using namespace compress::bench;

namespace {

size_t check(size_t result) {
  if (ZSTD_isError(result))
    std::abort();
  return result;
}

std::vector<uint8_t> compressLiterals(const std::vector<uint8_t> &symbols) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  check(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
                               ZSTD_minCLevel()));
  check(ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode,
                               ZSTD_lcm_huffman));
  std::vector<uint8_t> bytes(ZSTD_compressBound(symbols.size()));
  bytes.resize(check(ZSTD_compress2(context, bytes.data(), bytes.size(),
                                    symbols.data(), symbols.size())));
  ZSTD_freeCCtx(context);
  return bytes;
}

struct PeerRow {
  Row decode;
  explicit PeerRow(const SymbolKind &kind)
      : decode(
            std::string("huffman.decode.") + kind.name, "16Mi",
            [=](State &state) {
              std::vector<uint8_t> symbols = makeSymbols(kind);
              const std::vector<uint8_t> bytes = compressLiterals(symbols);
              for (auto _ : state)
                check(ZSTD_decompress(symbols.data(), symbols.size(),
                                      bytes.data(), bytes.size()));
              setBytes(state, symbols.size(), symbols.size() + bytes.size());
            },
            std::string("zstd ") + ZSTD_versionString()) {}
};

PeerRow rows[] = {PeerRow(symbolKinds[0]), PeerRow(symbolKinds[1]),
                  PeerRow(symbolKinds[2])};

} // namespace
