//===- HuffmanStreamTest.cpp - Entropy-coded byte streams -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/HuffmanStream.h"

#include "compress/Numerics/InstructionSet.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

HuffmanCode makeCode(llvm::ArrayRef<uint8_t> symbols, unsigned maxLength) {
  std::vector<uint64_t> counts(256);
  cantFail(countSymbols(symbols, counts));
  std::vector<uint8_t> lengths(256);
  cantFail(computeHuffmanLengths(counts, maxLength, lengths));
  return cantFail(HuffmanCode::create(lengths));
}

std::vector<uint8_t> makeGaussian(size_t size, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> symbols(size);
  for (uint8_t &symbol : symbols) {
    double sum = -6; // Irwin-Hall: near enough to a Gaussian.
    for (int i = 0; i < 12; ++i)
      sum += random() / 4294967296.0;
    symbol = static_cast<uint8_t>(
        std::min(std::max(std::lround(128 + sum * sigma), 0l), 255l));
  }
  return symbols;
}

/// Runs `body` with each kind of decoder that this machine has.
template <typename Body>
void forEachInstructionSet(Body body) {
  for (InstructionSet set : {InstructionSet::Portable, InstructionSet::AVX2,
                             InstructionSet::AVX512}) {
    limitInstructionSet(set);
    SCOPED_TRACE(static_cast<int>(set));
    body();
  }
  limitInstructionSet(InstructionSet::AVX512);
}

void expectRoundTrip(llvm::ArrayRef<uint8_t> symbols, const HuffmanCode &code,
                     int64_t segmentSymbols) {
  HuffmanStream stream = cantFail(encodeHuffman(code, symbols, segmentSymbols));
  HuffmanDecoder decoder(code);
  forEachInstructionSet([&] {
    std::vector<uint8_t> decoded(symbols.size(), 0xCC);
    ASSERT_FALSE(errorToBool(decoder.decode(stream.bytes, stream.restarts,
                                            segmentSymbols, decoded)));
    ASSERT_EQ(llvm::ArrayRef<uint8_t>(decoded), symbols);
  });
}

TEST(HuffmanStreamTest, StoresWordsFromTheHighestBit) {
  // B = 0, A = 10, C = 110, D = 111.
  auto code = cantFail(HuffmanCode::create({2, 1, 3, 3}));
  HuffmanStream stream = cantFail(encodeHuffman(code, {0, 2, 1, 3, 1, 1}, 4));
  // 10 110 0 11|1 0000000, then 0 0 with padding.
  EXPECT_EQ(stream.bytes, (std::vector<uint8_t>{0xB3, 0x80, 0x00}));
  EXPECT_EQ(stream.restarts, (std::vector<uint32_t>{0, 2}));
}

TEST(HuffmanStreamTest, RoundTripsAllLimitsAndSpreads) {
  for (double sigma : {0.3, 2.5, 8.0, 20.0, 60.0}) {
    std::vector<uint8_t> symbols = makeGaussian(40000, sigma, 3);
    for (unsigned limit = 8; limit <= 15; ++limit)
      expectRoundTrip(symbols, makeCode(symbols, limit), 301);
  }
}

TEST(HuffmanStreamTest, RoundTripsCodesOfEveryShape) {
  // Codes with words of 1 to `longest` bits: all numbers of limits.
  for (unsigned longest = 1; longest <= 15; ++longest) {
    std::vector<uint8_t> lengths;
    for (unsigned length = 1; length <= longest; ++length)
      lengths.push_back(length);
    lengths.push_back(longest);
    auto code = cantFail(HuffmanCode::create(lengths));
    std::mt19937 random(longest);
    std::vector<uint8_t> symbols(64 * 70 + 13);
    for (uint8_t &symbol : symbols)
      symbol = random() % lengths.size();
    expectRoundTrip(symbols, code, 70);
  }
  // A flat code over all bytes.
  auto flat = cantFail(HuffmanCode::create(std::vector<uint8_t>(256, 8)));
  std::vector<uint8_t> symbols = makeGaussian(30000, 100, 5);
  expectRoundTrip(symbols, flat, 128);
}

TEST(HuffmanStreamTest, RoundTripsAllSizes) {
  std::vector<uint8_t> symbols = makeGaussian(9000, 12, 4);
  HuffmanCode code = makeCode(symbols, 12);
  for (int64_t segment : {1, 2, 7, 64, 100, 4032, 10000})
    for (size_t size : {0, 1, 2, 63, 64, 65, 127, 128, 129, 6400, 6473, 9000})
      expectRoundTrip(llvm::ArrayRef(symbols).take_front(size), code, segment);
}

TEST(HuffmanStreamTest, SizeIsNearTheEntropy) {
  std::vector<uint8_t> symbols = makeGaussian(1 << 20, 20, 6);
  HuffmanCode code = makeCode(symbols, kDefaultHuffmanLength);
  HuffmanStream stream = cantFail(encodeHuffman(code, symbols));
  std::vector<uint64_t> counts(256);
  cantFail(countSymbols(symbols, counts));
  double bits = 8.0 * (stream.bytes.size() + 4 * stream.restarts.size());
  EXPECT_GE(bits, getEncodedBits(code, counts));
  double average = bits / symbols.size();
  EXPECT_LE(average,
            1.0 * getEncodedBits(code, counts) / symbols.size() + 0.05);
  EXPECT_LE(average, computeEntropy(counts) + 1.0);
}

TEST(HuffmanStreamTest, OneSymbolTakesNoBytes) {
  for (size_t size : {0, 1, 1000}) {
    std::vector<uint8_t> symbols(size, 7);
    HuffmanCode code = makeCode(symbols, 12);
    EXPECT_EQ(cantFail(encodeHuffman(code, symbols, 100)).bytes.size(), 0u);
    expectRoundTrip(symbols, code, 100);
  }
  std::vector<uint8_t> rare(1000, 7);
  rare[421] = 9;
  HuffmanCode code = makeCode(rare, 12);
  EXPECT_EQ(cantFail(encodeHuffman(code, rare, 1000)).bytes.size(), 125u);
  expectRoundTrip(rare, code, 1000);
}

TEST(HuffmanStreamTest, ThreadsDoNotChangeAnything) {
  std::vector<uint8_t> symbols = makeGaussian(300000, 20, 8);
  HuffmanCode code = makeCode(symbols, 12);
  HuffmanStream alone = cantFail(encodeHuffman(code, symbols, 500));
  for (unsigned threads : {1u, 2u, 5u}) {
    llvm::StdThreadPool pool(llvm::hardware_concurrency(threads));
    HuffmanStream stream = cantFail(encodeHuffman(code, symbols, 500, &pool));
    EXPECT_EQ(stream.bytes, alone.bytes);
    EXPECT_EQ(stream.restarts, alone.restarts);
    std::vector<uint8_t> decoded(symbols.size());
    ASSERT_FALSE(errorToBool(HuffmanDecoder(code).decode(
        stream.bytes, stream.restarts, 500, decoded, &pool)));
    EXPECT_EQ(decoded, symbols);
  }
}

TEST(HuffmanStreamTest, SegmentsDecodeByThemselves) {
  std::vector<uint8_t> symbols = makeGaussian(1000, 20, 9);
  HuffmanCode code = makeCode(symbols, 12);
  HuffmanStream stream = cantFail(encodeHuffman(code, symbols, 300));
  HuffmanDecoder decoder(code);
  for (int64_t segment = 0; segment < 4; ++segment) {
    llvm::ArrayRef<uint8_t> expected =
        llvm::ArrayRef(symbols).drop_front(segment * 300);
    expected = expected.take_front(std::min<size_t>(300, expected.size()));
    std::vector<uint8_t> decoded(expected.size());
    ASSERT_FALSE(errorToBool(decoder.decodeSegment(
        stream.bytes, stream.restarts, segment, decoded)));
    EXPECT_EQ(llvm::ArrayRef<uint8_t>(decoded), expected);
  }
  std::vector<uint8_t> decoded(300);
  EXPECT_TRUE(errorToBool(
      decoder.decodeSegment(stream.bytes, stream.restarts, 4, decoded)));
  EXPECT_TRUE(errorToBool(
      decoder.decodeSegment(stream.bytes, stream.restarts, -1, decoded)));
}

TEST(HuffmanStreamTest, RefusesUncodedSymbols) {
  auto code = cantFail(HuffmanCode::create({1, 1}));
  EXPECT_EQ(toString(encodeHuffman(code, {0, 1, 1, 5, 6}).takeError()),
            "symbol 5 at position 3 has no code word");
  EXPECT_TRUE(errorToBool(encodeHuffman(code, {0, 1}, 0).takeError()));
  auto constant = cantFail(HuffmanCode::create({0, 1}));
  EXPECT_TRUE(errorToBool(encodeHuffman(constant, {1, 0}).takeError()));
}

TEST(HuffmanStreamTest, RefusesWrongRestartPoints) {
  std::vector<uint8_t> symbols = makeGaussian(64 * 40 + 100, 20, 10);
  HuffmanCode code = makeCode(symbols, 12);
  HuffmanStream stream = cantFail(encodeHuffman(code, symbols, 40));
  HuffmanDecoder decoder(code);
  auto message = [&](std::vector<uint32_t> restarts, size_t numSymbols,
                     int64_t segmentSymbols) {
    std::vector<uint8_t> decoded(numSymbols);
    return toString(
        decoder.decode(stream.bytes, restarts, segmentSymbols, decoded));
  };
  std::vector<uint32_t> good = stream.restarts;
  EXPECT_EQ(message(good, symbols.size(), 40), "");
  EXPECT_NE(message(good, symbols.size(), 0).find("at least one symbol"),
            std::string::npos);
  EXPECT_NE(message(good, symbols.size() + 40, 40).find("need 68 restart"),
            std::string::npos);
  EXPECT_NE(message({}, 0, 40).find("an empty sequence has no bytes"),
            std::string::npos);
  std::vector<uint32_t> bad = good;
  bad[0] = 1;
  EXPECT_EQ(message(bad, symbols.size(), 40),
            "the first restart point must be 0");
  bad = good;
  bad[5] = UINT32_MAX;
  EXPECT_NE(message(bad, symbols.size(), 40).find("segment 4 takes bytes"),
            std::string::npos);
  bad = good;
  ++bad[30];
  forEachInstructionSet([&] {
    EXPECT_NE(message(bad, symbols.size(), 40).find("damaged"),
              std::string::npos);
  });
}

/// Cuts, flips and replacements: the decoders agree on whether there is an
/// error, and on the symbols if there is none.
TEST(HuffmanStreamTest, DamagedStreamsAreHarmless) {
  std::vector<uint8_t> symbols = makeGaussian(64 * 20 + 7, 20, 13);
  HuffmanCode code = makeCode(symbols, 12);
  HuffmanStream stream = cantFail(encodeHuffman(code, symbols, 20));
  HuffmanDecoder decoder(code);
  std::mt19937 random(14);
  int numErrors = 0;
  for (int round = 0; round < 2000; ++round) {
    // A copy of the exact size, so that a sanitizer sees every access outside.
    std::vector<uint8_t> bytes = stream.bytes;
    std::vector<uint32_t> restarts = stream.restarts;
    if (round % 4 == 0)
      bytes.resize(random() % bytes.size());
    else if (round % 4 == 1)
      bytes[random() % bytes.size()] ^= 1u << random() % 8;
    else if (round % 4 == 2)
      restarts[random() % restarts.size()] = random() % (bytes.size() + 3);
    else
      for (uint8_t &byte : bytes)
        byte = random();
    bool failed[3];
    std::vector<uint8_t> results[3];
    int i = 0;
    forEachInstructionSet([&] {
      results[i].resize(symbols.size());
      failed[i] = errorToBool(decoder.decode(bytes, restarts, 20, results[i]));
      ++i;
    });
    EXPECT_EQ(failed[0], failed[1]);
    EXPECT_EQ(failed[0], failed[2]);
    if (!failed[0]) {
      EXPECT_EQ(results[0], results[1]);
      EXPECT_EQ(results[0], results[2]);
    }
    numErrors += failed[0];
  }
  EXPECT_GT(numErrors, 1000);
}

} // namespace
