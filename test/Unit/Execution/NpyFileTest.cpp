//===- NpyFileTest.cpp - Tests of .npy files ------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/NpyFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace llvm;
using namespace compress::execution;

namespace {

/// A file of the given version around `header`, which is not padded.
std::string makeFile(StringRef header, StringRef data, unsigned version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  char length[4];
  support::endian::write32le(length, static_cast<uint32_t>(header.size()));
  file.append(length, version == 1 ? 2 : 4);
  return file + header.str() + data.str();
}

std::string makeHeader(StringRef descriptor, StringRef shape,
                       StringRef fortran = "False") {
  return ("{'descr': '" + descriptor + "', 'fortran_order': " + fortran +
          ", 'shape': " + shape + ", }\n")
      .str();
}

/// The message of a failed parse; empty if it succeeds.
std::string getError(StringRef bytes) {
  Expected<HostArray> array = parseNpy(bytes);
  return array ? "" : toString(array.takeError());
}

std::string print(const HostArray &array) {
  std::string text;
  raw_string_ostream os(text);
  array.print(os);
  return text;
}

HostArray parse(StringRef bytes) {
  Expected<HostArray> array = parseNpy(bytes);
  EXPECT_TRUE(static_cast<bool>(array)) << getError(bytes);
  return std::move(*array);
}

TEST(NpyFile, ReadsEveryKind) {
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementKind::F64); ++i) {
    auto kind = static_cast<ElementKind>(i);
    std::string data(2 * getElementBytes(kind), '\1');
    std::string file =
        makeFile(makeHeader(getNpyDescriptor(kind), "(2,)"), data);
    HostArray array = parse(file);
    EXPECT_EQ(array.getKind(), kind);
    EXPECT_EQ(array.getShape(), ArrayRef<int64_t>({2}));
    EXPECT_EQ(StringRef(static_cast<char *>(array.getData()), data.size()),
              data);
  }
}

TEST(NpyFile, ReadsVersionsTwoAndThree) {
  for (unsigned version : {2, 3}) {
    HostArray array = parse(makeFile(makeHeader("<i2", "(1, 2)"),
                                     StringRef("\1\0\2\0", 4), version));
    EXPECT_EQ(print(array), "[[1, 2]]");
  }
}

TEST(NpyFile, AcceptsWhatWritersDo) {
  // No trailing comma, other quotes and spaces, keys in any order, '=' order.
  EXPECT_EQ(getError(makeFile("{\"shape\":(2),'fortran_order':False,"
                              "'descr':'|u1'}",
                              "ab")),
            "");
  EXPECT_EQ(getError(makeFile(makeHeader("<u1", "(2L,)"), "ab")), "");
  // numpy.save of a scalar.
  HostArray scalar = parse(makeFile(makeHeader("|i1", "()"), "\5"));
  EXPECT_EQ(scalar.getShape().size(), 0u);
  EXPECT_EQ(print(scalar), "5");
}

TEST(NpyFile, TransposesFortranOrder) {
  HostArray array =
      parse(makeFile(makeHeader("|i1", "(2, 3)", "True"), "\1\4\2\5\3\6"));
  EXPECT_EQ(print(array), "[[1, 2, 3], [4, 5, 6]]");
  // Rank 3: element (i, j, k) is at i + 2j + 4k.
  HostArray cube = parse(makeFile(makeHeader("|i1", "(2, 2, 2)", "True"),
                                  StringRef("\0\1\2\3\4\5\6\7", 8)));
  EXPECT_EQ(print(cube), "[[[0, 4], [2, 6]], [[1, 5], [3, 7]]]");
}

TEST(NpyFile, RoundTrips) {
  const SmallVector<int64_t> shapes[] = {{}, {0}, {3, 0}, {7}, {2, 3, 4}};
  for (ArrayRef<int64_t> shape : shapes) {
    auto array = HostArray::create(ElementKind::F32, shape);
    ASSERT_TRUE(static_cast<bool>(array));
    for (uint8_t &byte : array->getBytes())
      byte = static_cast<uint8_t>(&byte - array->getBytes().data());
    std::string file = serializeNpy(*array);
    HostArray copy = parse(file);
    EXPECT_EQ(copy.getShape(), array->getShape());
    EXPECT_EQ(copy.getBytes(), array->getBytes());
    // The data is aligned to 64 bytes in the file, as the format asks.
    EXPECT_EQ((file.size() - array->getNumBytes()) % 64, 0u);
  }
}

TEST(NpyFile, PrintsShortestNumbers) {
  auto array = HostArray::create(ElementKind::F32, {4});
  ASSERT_TRUE(static_cast<bool>(array));
  float values[] = {0.1f, -0.0f, 16777216.0f, 1.0f / 3};
  std::memcpy(array->getData(), values, sizeof(values));
  EXPECT_EQ(print(*array), "[0.1, -0, 16777216, 0.33333334]");
}

TEST(NpyFile, RefusesBadFiles) {
  std::string good = makeFile(makeHeader("<f4", "(2,)"), std::string(8, 'x'));
  auto expectError = [](StringRef bytes, StringRef reason) {
    std::string error = getError(bytes);
    EXPECT_TRUE(StringRef(error).contains(reason))
        << "got '" << error << "', expected '" << reason.str() << "'";
  };
  expectError("", "not a .npy file");
  expectError("PK\3\4", "not a .npy file");
  expectError("\x93NUMPY", "within its version");
  expectError(StringRef("\x93NUMPY\4\0", 8), "version 4.0");
  expectError(StringRef("\x93NUMPY\1\0\5", 9), "within its header length");
  expectError(StringRef(good).take_front(20), "within its header");
  expectError(StringRef(good).drop_back(), "8 bytes of data, but 7 follow");
  expectError(good + "x", "8 bytes of data, but 9 follow");
  auto header = [](StringRef text) { return makeFile(text, ""); };
  expectError(header("[1, 2]"), "not a dictionary");
  expectError(header("{'descr': '<f4'}"), "must all be there");
  expectError(header("{'descr': '<f4', 'descr': '<f4'}"), "repeated");
  expectError(header("{'other': 1}"), "'other' is unknown");
  expectError(header("{'descr' '<f4'}"), "':' is missing");
  expectError(header("{'descr': '<f4"), "does not end");
  expectError(header(makeHeader("<f4", "(1,)") + "x"), "behind the dictionary");
  expectError(header(makeHeader(">f4", "(1,)")), "big-endian");
  expectError(header(makeHeader("<c8", "(1,)")), "'<c8' is not supported");
  expectError(header(makeHeader("|O", "(1,)")), "'|O' is not supported");
  expectError(header("{'descr': [('a', '<f4')], }"), "structured");
  expectError(header(makeHeader("<f4", "(1,)", "Maybe")), "neither True nor");
  expectError(header(makeHeader("<f4", "[1]")), "not a tuple");
  expectError(header(makeHeader("<f4", "(-1,)")), "not a size");
  expectError(header(makeHeader("<f4", "(1 2)")), "does not end");
  expectError(header(makeHeader("<f4", "(99999999999999999999,)")),
              "not a size");
  expectError(makeFile(makeHeader("|b1", "(1,)"), "\2"), "not 0 or 1");
}

TEST(NpyFile, RefusesSizesThatOverflow) {
  for (StringRef shape :
       {"(4611686018427387904, 4)", "(9223372036854775807,)",
        "(4294967296, 4294967296)", "(0, 4611686018427387904, 4)"})
    EXPECT_TRUE(StringRef(getError(makeFile(makeHeader("<f8", shape), "")))
                    .contains("64 bits"));
  // Claims that fit are compared with the file before memory is asked for.
  EXPECT_TRUE(
      StringRef(getError(makeFile(makeHeader("<f8", "(1099511627776,)"), "")))
          .contains("but 0 follow"));
}

TEST(NpyFile, SurvivesMutations) {
  // Whatever the bytes: an error with a reason, or an array that is consistent.
  std::string good =
      makeFile(makeHeader("<f4", "(3, 2)"), std::string(24, 'x'));
  std::mt19937 random(7);
  unsigned accepted = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (unsigned change = 0; change <= round % 3; ++change) {
      size_t position = random() % bytes.size();
      switch (random() % 3) {
      case 0:
        bytes[position] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(position, 1 + random() % 4);
        break;
      default:
        bytes.insert(position, 1, "0123456789()',{}:<L"[random() % 19]);
      }
      if (bytes.empty())
        break;
    }
    Expected<HostArray> array = parseNpy(bytes);
    if (!array) {
      EXPECT_FALSE(toString(array.takeError()).empty());
      continue;
    }
    ++accepted;
    int64_t count = 1;
    for (int64_t size : array->getShape())
      count *= size;
    EXPECT_EQ(count, array->getNumElements());
    EXPECT_LE(array->getNumBytes(), bytes.size());
  }
  // Changes of the data and of spaces are no errors.
  EXPECT_GT(accepted, 100u);
}

TEST(NpyFile, NamesTheFile) {
  Expected<HostArray> array = readNpyFile("/nonexistent/x.npy");
  ASSERT_FALSE(static_cast<bool>(array));
  EXPECT_TRUE(
      StringRef(toString(array.takeError())).contains("'/nonexistent/x.npy'"));
}

} // namespace
