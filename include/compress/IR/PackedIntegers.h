//===- PackedIntegers.h - IR that packs and unpacks sub-byte integers --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_PACKEDINTEGERS_H
#define COMPRESS_IR_PACKEDINTEGERS_H

#include "compress/IR/Encoding.h"

namespace mlir::compress {

/// Unpacks the tile [offsets, offsets + sizes) of a component stored as bytes
/// into a tensor of one integer a byte, sign- or zero-extended to i8.
/// `logicalType` is tensor<...xiN>. For N > 8 it is a slice of `packed`,
/// extended to i16.
/// The whole component is the tile at 0.
Value buildUnpackTile(OpBuilder &builder, Location loc, Value packed,
                      RankedTensorType logicalType, bool isSigned,
                      ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes);

/// Packs a tensor of one integer a byte (low bits count) to the storage form
/// of integers of `bits` bits. Returns `unpacked` itself for 8 bits and more.
Value buildPack(OpBuilder &builder, Location loc, Value unpacked,
                unsigned bits);

} // namespace mlir::compress

#endif // COMPRESS_IR_PACKEDINTEGERS_H
