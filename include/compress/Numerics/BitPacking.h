//===- BitPacking.h - Sub-byte integer fields in bytes ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How fields of 1 to 7 bits are stored: a row is one little-endian bit stream.
// Field j of a row takes bits [j*bits, (j+1)*bits), where bit b of the stream
// is bit b%8 of byte b/8. Every row starts on a byte; the bits behind its last
// field are zero. For 4 bits this is "element 0 in the low nibble", the order
// of ONNX int4.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_BITPACKING_H
#define COMPRESS_NUMERICS_BITPACKING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace compress::numerics {

/// Bytes that a row of `count` fields of `bits` bits takes: ceil(count*bits/8).
constexpr int64_t getPackedRowBytes(int64_t count, unsigned bits) {
  return (count * bits + 7) / 8;
}

/// Packs `rows` rows of `columns` fields. `fields` holds one field a byte
/// (row-major, rows*columns bytes; only the low `bits` bits of each are read,
/// so two's complement values need no masking); `packed` receives
/// rows*getPackedRowBytes(columns, bits) bytes. Fails if `bits` is not in
/// [1, 7] or if a size does not match.
llvm::Error packBits(llvm::ArrayRef<uint8_t> fields, int64_t rows,
                     int64_t columns, unsigned bits,
                     llvm::MutableArrayRef<uint8_t> packed);

/// The inverse of packBits: one field a byte, sign-extended to 8 bits if
/// `isSigned`, else zero-extended. Fails as packBits does.
llvm::Error unpackBits(llvm::ArrayRef<uint8_t> packed, int64_t rows,
                       int64_t columns, unsigned bits, bool isSigned,
                       llvm::MutableArrayRef<uint8_t> fields);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_BITPACKING_H
