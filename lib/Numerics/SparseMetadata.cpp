//===- SparseMetadata.cpp - Metadata of sparse MMA instructions -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/SparseMetadata.h"

using namespace llvm;

namespace compress::numerics {

static Error verifySizes(SparseForm form, int64_t rows, int64_t groups,
                         uint64_t indices, uint64_t metadata) {
  if (rows < 0 || groups < 0)
    return createStringError("negative number of rows or groups");
  uint64_t expected =
      static_cast<uint64_t>(rows) * groups * getStoredPerGroup(form);
  if (indices != expected)
    return createStringError("expected %llu positions, but got %llu",
                             static_cast<unsigned long long>(expected),
                             static_cast<unsigned long long>(indices));
  expected = static_cast<uint64_t>(rows) * getMetadataRowBytes(groups);
  if (metadata != expected)
    return createStringError("expected %llu bytes of metadata, but got %llu",
                             static_cast<unsigned long long>(expected),
                             static_cast<unsigned long long>(metadata));
  return Error::success();
}

static constexpr uint8_t kUndefined = 0xFF;

/// The code of the ascending pair (first, second).
static uint8_t encodePair(unsigned first, unsigned second) {
  if (first >= second || second > 3)
    return kUndefined;
  return first | second << 2;
}

/// The code of the group whose positions are at `at`, or kUndefined.
static uint8_t encodeGroup(SparseForm form, const uint8_t *at) {
  switch (form) {
  case SparseForm::TwoOfFour:
    return encodePair(at[0], at[1]);
  case SparseForm::OneOfTwo:
    return at[0] == 0 ? 0x4 : at[0] == 1 ? 0xE : kUndefined;
  case SparseForm::FourOfEightPairs:
    if (at[0] % 2 != 0 || at[1] != at[0] + 1 || at[2] % 2 != 0 ||
        at[3] != at[2] + 1)
      return kUndefined;
    return encodePair(at[0] / 2, at[2] / 2);
  }
  return kUndefined;
}

/// Writes the positions that `code` names; false if there are none.
static bool decodeGroup(SparseForm form, uint8_t code, uint8_t *at) {
  const uint8_t first = code & 3, second = code >> 2;
  if (encodePair(first, second) != code)
    return false;
  switch (form) {
  case SparseForm::TwoOfFour:
    at[0] = first;
    at[1] = second;
    return true;
  case SparseForm::OneOfTwo:
    at[0] = code == 0xE ? 1 : 0;
    return code == 0x4 || code == 0xE;
  case SparseForm::FourOfEightPairs:
    at[0] = 2 * first;
    at[1] = 2 * first + 1;
    at[2] = 2 * second;
    at[3] = 2 * second + 1;
    return true;
  }
  return false;
}

Error packSparseMetadata(SparseForm form, int64_t rows, int64_t groups,
                         ArrayRef<uint8_t> indices,
                         MutableArrayRef<uint8_t> metadata) {
  if (Error error =
          verifySizes(form, rows, groups, indices.size(), metadata.size()))
    return error;
  const uint8_t *in = indices.data();
  uint8_t *out = metadata.data();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < groups; group += 2, ++out) {
      *out = 0xE0;
      for (int64_t i = group; i < group + 2 && i < groups; ++i) {
        uint8_t code = encodeGroup(form, in);
        if (code == kUndefined)
          return createStringError(
              "the positions of group %lld in row %lld have no metadata code",
              static_cast<long long>(i), static_cast<long long>(row));
        *out = i == group ? code | 0xE0 : (*out & 0x0F) | code << 4;
        in += getStoredPerGroup(form);
      }
    }
  return Error::success();
}

Error unpackSparseMetadata(SparseForm form, int64_t rows, int64_t groups,
                           ArrayRef<uint8_t> metadata,
                           MutableArrayRef<uint8_t> indices) {
  if (Error error =
          verifySizes(form, rows, groups, indices.size(), metadata.size()))
    return error;
  uint8_t *out = indices.data();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < groups; ++group) {
      uint8_t byte = metadata[row * getMetadataRowBytes(groups) + group / 2];
      uint8_t code = group % 2 ? byte >> 4 : byte & 0x0F;
      if (!decodeGroup(form, code, out))
        return createStringError(
            "group %lld in row %lld has the undefined metadata code 0x%x",
            static_cast<long long>(group), static_cast<long long>(row), code);
      out += getStoredPerGroup(form);
    }
  return Error::success();
}

} // namespace compress::numerics
