//===- HostArray.cpp - Dense arrays on the host ---------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory and printing of HostArray; see NpyFile.h for the file form.
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/NpyFile.h"

#include "ScalarFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace compress::execution;

namespace {
struct KindInfo {
  unsigned bytes;
  StringRef name;
  StringRef descriptor;
};
} // namespace

static const KindInfo &getInfo(ElementKind kind) {
  // In the order of ElementKind.
  static const KindInfo infos[] = {
      {1, "bool", "|b1"}, {1, "i8", "|i1"},   {2, "i16", "<i2"},
      {4, "i32", "<i4"},  {8, "i64", "<i8"},  {1, "u8", "|u1"},
      {2, "u16", "<u2"},  {4, "u32", "<u4"},  {8, "u64", "<u8"},
      {2, "f16", "<f2"},  {2, "bf16", "<V2"}, {4, "f32", "<f4"},
      {8, "f64", "<f8"}};
  return infos[static_cast<unsigned>(kind)];
}

unsigned compress::execution::getElementBytes(ElementKind kind) {
  return getInfo(kind).bytes;
}

StringRef compress::execution::getElementName(ElementKind kind) {
  return getInfo(kind).name;
}

StringRef compress::execution::getNpyDescriptor(ElementKind kind) {
  return getInfo(kind).descriptor;
}

Expected<int64_t> compress::execution::getElementCount(ArrayRef<int64_t> shape,
                                                       unsigned elementBytes) {
  int64_t bytesWithoutZeros = elementBytes;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return createStringError("the shape has the negative size " +
                               Twine(size));
    if (size == 0) {
      empty = true;
      continue;
    }
    if (MulOverflow(bytesWithoutZeros, size, bytesWithoutZeros))
      return createStringError("the shape needs more bytes than 64 bits count");
  }
  return empty ? 0 : bytesWithoutZeros / static_cast<int64_t>(elementBytes);
}

void HostArray::FreeDeleter::operator()(void *memory) const {
  std::free(memory);
}

Expected<HostArray> HostArray::create(ElementKind kind,
                                      ArrayRef<int64_t> shape) {
  Expected<int64_t> count = getElementCount(shape, getElementBytes(kind));
  if (!count)
    return count.takeError();
  HostArray array;
  array.kind = kind;
  array.shape.assign(shape.begin(), shape.end());
  array.numElements = *count;
  // At least one cache line, so that the pointer of an empty array is valid;
  // aligned_alloc wants a multiple of the alignment.
  constexpr size_t alignment = 64;
  size_t bytes = array.getNumBytes();
  if (bytes > std::numeric_limits<size_t>::max() - alignment)
    return createStringError("not enough memory for " + array.getTypeString());
  size_t padded = alignTo(std::max<size_t>(bytes, 1), alignment);
  array.data.reset(std::aligned_alloc(alignment, padded));
  if (!array.data)
    return createStringError("not enough memory for " + array.getTypeString());
  std::memset(array.data.get(), 0, padded);
  return array;
}

Expected<HostArray> HostArray::clone() const {
  Expected<HostArray> copy = create(kind, shape);
  if (copy)
    std::memcpy(copy->getData(), getData(), getNumBytes());
  return copy;
}

std::string HostArray::getTypeString() const {
  std::string result;
  for (int64_t size : shape)
    result += std::to_string(size) + "x";
  return result + getElementName(kind).str();
}

static void printDimension(raw_ostream &os, const HostArray &array,
                           unsigned dim, int64_t &element) {
  if (dim == array.getShape().size()) {
    unsigned bytes = getElementBytes(array.getKind());
    printScalar(os, array.getKind(), array.getBytes().data() + element * bytes);
    ++element;
    return;
  }
  os << '[';
  for (int64_t i = 0, e = array.getShape()[dim]; i < e; ++i) {
    if (i)
      os << ", ";
    printDimension(os, array, dim + 1, element);
  }
  os << ']';
}

void HostArray::print(raw_ostream &os) const {
  if (numElements == 0 && !shape.empty()) {
    // A list of 2^40 empty lists says no more than this.
    os << "[]";
    return;
  }
  int64_t element = 0;
  printDimension(os, *this, 0, element);
}
