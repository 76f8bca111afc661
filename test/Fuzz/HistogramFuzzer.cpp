//===- HistogramFuzzer.cpp - Histograms from arbitrary bytes --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a length (2 bytes) and two byte strings, the first of that
// length. Each is read as a serialized histogram, and as float data. Whatever
// they are, nothing may crash, what is accepted must be written back as it
// was, and merging must not depend on the order.
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Histogram.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace compress::numerics;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static std::string serialize(const Histogram &histogram) {
  llvm::SmallVector<char> bytes;
  histogram.serialize(bytes);
  return std::string(bytes.begin(), bytes.end());
}

/// The histogram in `bytes`; an empty one if there is none.
static Histogram read(llvm::StringRef bytes) {
  llvm::Expected<Histogram> histogram = Histogram::deserialize(bytes);
  if (!histogram) {
    llvm::consumeError(histogram.takeError());
    return llvm::cantFail(Histogram::create(Histogram::Kind::Signed, 16));
  }
  require(serialize(*histogram) == bytes);
  return *histogram;
}

static std::vector<float> getFloats(llvm::StringRef bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

static void checkMerge(const Histogram &first, const Histogram &second) {
  Histogram forwards = first, backwards = second;
  bool failed = llvm::errorToBool(forwards.merge(second));
  require(llvm::errorToBool(backwards.merge(first)) == failed);
  if (failed)
    return;
  require(forwards == backwards);
  require(read(serialize(forwards)) == forwards);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  size_t length = data[0] | data[1] << 8;
  llvm::StringRef first = bytes.drop_front(2).take_front(length);
  llvm::StringRef second = bytes.drop_front(2).drop_front(first.size());
  checkMerge(read(first), read(second));

  std::vector<float> head = getFloats(first), tail = getFloats(second);
  std::vector<float> all = tail;
  all.insert(all.end(), head.begin(), head.end());
  for (Histogram::Kind kind :
       {Histogram::Kind::Absolute, Histogram::Kind::Signed}) {
    Histogram of = llvm::cantFail(Histogram::create(kind, 16));
    Histogram ofHead = of, ofTail = of;
    llvm::cantFail(of.add<float>(all));
    llvm::cantFail(ofHead.add<float>(head));
    llvm::cantFail(ofTail.add<float>(tail));
    checkMerge(ofHead, ofTail);
    llvm::cantFail(ofHead.merge(ofTail));
    require(ofHead == of);
  }
  return 0;
}
