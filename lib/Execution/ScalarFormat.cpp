//===- ScalarFormat.cpp - Text form of one element ------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APFloat does the conversions: it rounds once and knows the special values,
// and nothing here is on a path where its cost matters.
//
//===----------------------------------------------------------------------===//

#include "ScalarFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace compress::execution;

static float bitsToFloat(const fltSemantics &semantics, uint16_t bits) {
  APFloat value(semantics, APInt(16, bits));
  bool losesInfo = false;
  (void)value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
  return value.convertToFloat();
}

static uint16_t doubleToBits(const fltSemantics &semantics, double number) {
  APFloat value(number);
  bool losesInfo = false;
  (void)value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

float compress::execution::halfBitsToFloat(uint16_t bits) {
  return bitsToFloat(APFloat::IEEEhalf(), bits);
}

uint16_t compress::execution::doubleToHalfBits(double value) {
  return doubleToBits(APFloat::IEEEhalf(), value);
}

float compress::execution::bfloatBitsToFloat(uint16_t bits) {
  return bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t compress::execution::doubleToBFloatBits(double value) {
  return doubleToBits(APFloat::BFloat(), value);
}

template <typename T>
static T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

/// Prints with rising precision until the text reads back as `value`, where
/// `same` compares a double with it after rounding to the printed type.
template <typename Same>
static void printShortest(raw_ostream &os, double value, Same same) {
  if (std::isnan(value)) {
    os << "nan";
    return;
  }
  if (std::isinf(value)) {
    os << (value < 0 ? "-inf" : "inf");
    return;
  }
  char text[40];
  // Integers in full: the shortest text of 65504 as f16 would be 6.55e+04.
  if (std::fabs(value) < 1e7 && value == std::trunc(value)) {
    snprintf(text, sizeof(text), "%.0f", value);
    os << text;
    return;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (same(std::strtod(text, nullptr)))
      break;
  }
  os << text;
}

void compress::execution::printScalar(raw_ostream &os, ElementKind kind,
                                      const void *data) {
  switch (kind) {
  case ElementKind::Bool:
    os << (load<uint8_t>(data) ? "true" : "false");
    return;
  case ElementKind::I8:
    os << static_cast<int>(load<int8_t>(data));
    return;
  case ElementKind::I16:
    os << load<int16_t>(data);
    return;
  case ElementKind::I32:
    os << load<int32_t>(data);
    return;
  case ElementKind::I64:
    os << load<int64_t>(data);
    return;
  case ElementKind::U8:
    os << static_cast<unsigned>(load<uint8_t>(data));
    return;
  case ElementKind::U16:
    os << load<uint16_t>(data);
    return;
  case ElementKind::U32:
    os << load<uint32_t>(data);
    return;
  case ElementKind::U64:
    os << load<uint64_t>(data);
    return;
  case ElementKind::F16: {
    uint16_t bits = load<uint16_t>(data);
    printShortest(os, halfBitsToFloat(bits),
                  [&](double text) { return doubleToHalfBits(text) == bits; });
    return;
  }
  case ElementKind::BF16: {
    uint16_t bits = load<uint16_t>(data);
    printShortest(os, bfloatBitsToFloat(bits), [&](double text) {
      return doubleToBFloatBits(text) == bits;
    });
    return;
  }
  case ElementKind::F32: {
    float value = load<float>(data);
    printShortest(os, value, [&](double text) {
      return static_cast<float>(text) == value;
    });
    return;
  }
  case ElementKind::F64: {
    double value = load<double>(data);
    printShortest(os, value, [&](double text) { return text == value; });
    return;
  }
  }
}

void compress::execution::storeFloat(ElementKind kind, double value,
                                     void *data) {
  switch (kind) {
  case ElementKind::F16: {
    uint16_t bits = doubleToHalfBits(value);
    std::memcpy(data, &bits, sizeof(bits));
    return;
  }
  case ElementKind::BF16: {
    uint16_t bits = doubleToBFloatBits(value);
    std::memcpy(data, &bits, sizeof(bits));
    return;
  }
  case ElementKind::F32: {
    float single = static_cast<float>(value);
    std::memcpy(data, &single, sizeof(single));
    return;
  }
  default:
    std::memcpy(data, &value, sizeof(value));
    return;
  }
}
