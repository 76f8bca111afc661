//===- ArgumentSource.cpp - Arrays from files, constants, a seed ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/ArgumentSource.h"

#include "ScalarFormat.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::compress;
using ::compress::execution::ElementKind;
using ::compress::execution::getElementBytes;
using ::compress::execution::getElementName;
using ::compress::execution::HostArray;
using ::compress::execution::readNpyFile;
using ::compress::execution::storeFloat;

static bool isFloatKind(ElementKind kind) {
  return kind == ElementKind::F16 || kind == ElementKind::BF16 ||
         kind == ElementKind::F32 || kind == ElementKind::F64;
}

static bool isUnsignedKind(ElementKind kind) {
  return kind == ElementKind::U8 || kind == ElementKind::U16 ||
         kind == ElementKind::U32 || kind == ElementKind::U64;
}

/// The bits of one pseudo-random number: the SplitMix64 sequence of Steele, Lea
/// and Flood (OOPSLA 2014), which is counted, so any position is O(1).
static uint64_t getRandomBits(uint64_t seed, uint64_t position) {
  uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

void mlir::compress::fillRandom(const HostType &type, uint64_t seed,
                                HostArray &array) {
  ElementKind kind = array.getKind();
  unsigned bytes = getElementBytes(kind);
  bool isNarrowFloat = kind == ElementKind::U8 &&
                       isa<FloatType>(getElementTypeOrSelf(type.type));
  uint8_t *data = array.getBytes().data();
  for (int64_t i = 0; i < array.getNumElements(); ++i, data += bytes) {
    uint64_t bits = getRandomBits(seed, i);
    if (isFloatKind(kind)) {
      // 53 bits of mantissa, so that every double in the grid is as likely.
      storeFloat(kind, static_cast<double>(bits >> 11) * 0x1p-52 - 1.0, data);
      continue;
    }
    auto value = static_cast<int64_t>(bits >> 56);
    if (kind == ElementKind::Bool)
      value &= 1;
    else if (isNarrowFloat)
      value &= 0x3f;
    else if (!isUnsignedKind(kind))
      value -= 128;
    std::memcpy(data, &value, bytes);
  }
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Parses `3x4`; the empty text is the shape of a scalar.
static llvm::Expected<SmallVector<int64_t>> parseShape(StringRef text) {
  SmallVector<int64_t> shape;
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return llvm::createStringError("'" + text +
                                     "' is not a shape such as 3x4");
    shape.push_back(size);
  }
  return shape;
}

/// The shape for `type` that `text` gives; without one, that of the type.
static llvm::Expected<SmallVector<int64_t>>
chooseShape(const HostType &type, std::optional<StringRef> text) {
  if (!text) {
    if (ShapedType::isDynamicShape(type.shape))
      return llvm::createStringError(
          "type " + printType(type.type) +
          " has dynamic sizes; give them, as in random:3x4");
    return llvm::to_vector_of<int64_t>(type.shape);
  }
  return parseShape(*text);
}

static llvm::Error fillWithInteger(StringRef text, HostArray &array) {
  ElementKind kind = array.getKind();
  unsigned bytes = getElementBytes(kind);
  unsigned width = kind == ElementKind::Bool ? 1 : 8 * bytes;
  bool isUnsigned = isUnsignedKind(kind) || kind == ElementKind::Bool;
  APInt value;
  bool negative = text.consume_front("-");
  if (text.getAsInteger(10, value))
    return llvm::createStringError("'" + text + "' is not an integer");
  value = value.zext(value.getBitWidth() + 65);
  if (negative)
    value.negate();
  if (isUnsigned ? !value.isNonNegative() || !value.isIntN(width)
                 : !value.isSignedIntN(width))
    return llvm::createStringError("the value does not fit " +
                                   getElementName(kind));
  uint64_t bits = value.trunc(64).getZExtValue();
  uint8_t *data = array.getBytes().data();
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    std::memcpy(data + i * bytes, &bits, bytes);
  return llvm::Error::success();
}

static llvm::Error fillWithFloat(StringRef text, HostArray &array) {
  double value;
  if (text.empty() || !llvm::to_float(text, value))
    return llvm::createStringError("'" + text + "' is not a number");
  unsigned bytes = getElementBytes(array.getKind());
  uint8_t *data = array.getBytes().data();
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    storeFloat(array.getKind(), value, data + i * bytes);
  return llvm::Error::success();
}

llvm::Expected<HostArray> mlir::compress::makeArgument(const HostType &type,
                                                       StringRef source,
                                                       uint64_t seed) {
  StringRef rest = source;
  bool isRandom = rest == "random" || rest.starts_with("random:");
  bool isFill = rest.starts_with("fill=");
  if (!isRandom && !isFill)
    return readNpyFile(source);
  rest = rest.drop_front(isFill ? 5 : 6);
  auto [value, shapeText] = rest.split(':');
  std::optional<StringRef> givenShape;
  if (rest.contains(':'))
    givenShape = shapeText;
  auto shape = chooseShape(type, givenShape);
  if (!shape)
    return shape.takeError();
  auto array = HostArray::create(type.kind, *shape);
  if (!array)
    return array.takeError();
  if (isRandom)
    fillRandom(type, seed, *array);
  else if (llvm::Error error = isFloatKind(type.kind)
                                   ? fillWithFloat(value, *array)
                                   : fillWithInteger(value, *array))
    return llvm::Expected<HostArray>(std::move(error));
  return array;
}
