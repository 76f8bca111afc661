//===- PackedIntegers.cpp - IR that packs and unpacks sub-byte integers ---===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/PackedIntegers.h"

#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::compress;

/// Sign- or zero-extends the low `bits` bits of an i8 or i16.
static Value buildExtendField(OpBuilder &b, Location loc, Value field,
                              unsigned bits, bool isSigned) {
  Type type = field.getType();
  if (!isSigned)
    return arith::AndIOp::create(b, loc, field,
                                 buildInt(b, loc, type, (1 << bits) - 1));
  Value shift = buildInt(b, loc, type, type.getIntOrFloatBitWidth() - bits);
  return arith::ShRSIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, field, shift), shift);
}

static Value buildExtractSlice(OpBuilder &b, Location loc, Value source,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  auto zero = [](OpFoldResult value) { return isConstantIntValue(value, 0); };
  if (llvm::all_of(offsets, zero))
    return buildSliceTo(b, loc, source, sizes);
  return buildSlice(b, loc, source, offsets, sizes);
}

/// Fields of 1, 2 or 4 bits where the tile covers whole bytes: a slice of the
/// bytes, then [..., bytes] -> [..., bytes, fields of a byte] -> [..., fields],
/// which vectorizes.
static Value buildUnpackWholeBytes(OpBuilder &b, Location loc, Value packed,
                                   unsigned bits, bool isSigned,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  int64_t perByte = 8 / bits, rank = sizes.size();
  SmallVector<OpFoldResult> byteOffsets(offsets), byteSizes(sizes);
  byteOffsets.back() = buildFloorDiv(b, loc, offsets.back(), perByte);
  byteSizes.back() = buildFloorDiv(b, loc, sizes.back(), perByte);
  Value bytes = buildExtractSlice(b, loc, packed, byteOffsets, byteSizes);
  SmallVector<OpFoldResult> splitSizes(byteSizes);
  splitSizes.push_back(b.getIndexAttr(perByte));
  AffineMap byteMap =
      AffineMap::getMultiDimIdentityMap(rank + 1, b.getContext())
          .getMajorSubMap(rank);
  Value fields = buildElementwise(
      b, loc, bytes, byteMap, splitSizes, b.getI8Type(),
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value field = linalg::IndexOp::create(nb, nl, rank);
        Value shift = arith::IndexCastOp::create(
            nb, nl, nb.getI8Type(),
            arith::MulIOp::create(
                nb, nl, field, arith::ConstantIndexOp::create(nb, nl, bits)));
        Value low = arith::ShRUIOp::create(nb, nl, args[0], shift);
        return buildExtendField(nb, nl, low, bits, isSigned);
      });
  SmallVector<int64_t> blocks(rank, 1);
  blocks.back() = perByte;
  return buildMergeBlocks(b, loc, fields, blocks);
}

/// Any width and any alignment: each field is read from the one or two bytes
/// that hold it.
static Value buildUnpackFields(OpBuilder &b, Location loc, Value packed,
                               unsigned bits, bool isSigned,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  int64_t rank = sizes.size();
  SmallVector<Value> base;
  for (OpFoldResult offset : offsets)
    base.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
  Value rowBytes, one, eight, width;
  if (rank) {
    rowBytes = getValueOrCreateConstantIndexOp(
        b, loc, tensor::getMixedSize(b, loc, packed, rank - 1));
    one = arith::ConstantIndexOp::create(b, loc, 1);
    eight = arith::ConstantIndexOp::create(b, loc, 8);
    width = arith::ConstantIndexOp::create(b, loc, bits);
  }
  return buildElementwise(
      b, loc, {}, {}, sizes, b.getI8Type(),
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        if (!rank)
          return buildExtendField(
              nb, nl, tensor::ExtractOp::create(nb, nl, packed, ValueRange()),
              bits, isSigned);
        SmallVector<Value> index;
        for (int64_t d = 0; d < rank; ++d)
          index.push_back(arith::AddIOp::create(
              nb, nl, base[d], linalg::IndexOp::create(nb, nl, d)));
        Value bit = arith::MulIOp::create(nb, nl, index.back(), width);
        Value first = arith::DivUIOp::create(nb, nl, bit, eight);
        Value within = arith::RemUIOp::create(nb, nl, bit, eight);
        // The second byte is read within the row even where the field does
        // not reach it; its bits are then masked out.
        Value last = arith::SubIOp::create(nb, nl, rowBytes, one);
        Value second = arith::MinUIOp::create(
            nb, nl, arith::AddIOp::create(nb, nl, first, one), last);
        Type i16 = nb.getI16Type();
        auto load = [&](Value position) -> Value {
          index.back() = position;
          return arith::ExtUIOp::create(
              nb, nl, i16, tensor::ExtractOp::create(nb, nl, packed, index));
        };
        Value low = load(first), high = load(second);
        high = arith::ShLIOp::create(nb, nl, high, buildInt(nb, nl, i16, 8));
        Value word = arith::OrIOp::create(nb, nl, low, high);
        word = arith::ShRUIOp::create(
            nb, nl, word, arith::IndexCastOp::create(nb, nl, i16, within));
        Value byte = arith::TruncIOp::create(nb, nl, nb.getI8Type(), word);
        return buildExtendField(nb, nl, byte, bits, isSigned);
      });
}

/// Whether `value` is statically a multiple of `by`.
static bool isMultipleOf(OpFoldResult value, int64_t by) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  if (constant)
    return *constant % by == 0;
  auto apply = cast<Value>(value).getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(by);
}

Value mlir::compress::buildUnpackTile(OpBuilder &b, Location loc, Value packed,
                                      RankedTensorType logicalType,
                                      bool isSigned,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  unsigned bits = logicalType.getElementTypeBitWidth();
  if (bits >= 8) {
    Value slice = buildExtractSlice(b, loc, packed, offsets, sizes);
    if (bits == 8 || bits >= 16)
      return slice;
    return buildElementwise(
        b, loc, slice, b.getMultiDimIdentityMap(sizes.size()), sizes,
        b.getI16Type(), [&](OpBuilder &nb, Location nl, ValueRange args) {
          return buildExtendField(nb, nl, args[0], bits, isSigned);
        });
  }
  if (8 % bits == 0 && !sizes.empty() &&
      isMultipleOf(offsets.back(), 8 / bits) &&
      isMultipleOf(sizes.back(), 8 / bits))
    return buildUnpackWholeBytes(b, loc, packed, bits, isSigned, offsets,
                                 sizes);
  return buildUnpackFields(b, loc, packed, bits, isSigned, offsets, sizes);
}

/// The bits of field number `column` of a row that fall into the byte whose
/// first bit is bit `byteBit` of the row; zero if the field is behind the row.
static Value buildFieldInByte(OpBuilder &b, Location loc, Value unpacked,
                              SmallVector<Value> index, Value column,
                              Value columns, Value byteBit, unsigned bits) {
  Type i16 = b.getI16Type();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value inRow =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column, columns);
  // Read within the row in any case.
  index.back() = arith::MinUIOp::create(
      b, loc, column, arith::SubIOp::create(b, loc, columns, one));
  Value field = arith::ExtUIOp::create(
      b, loc, i16, tensor::ExtractOp::create(b, loc, unpacked, index));
  field = arith::AndIOp::create(b, loc, field,
                                buildInt(b, loc, i16, (1 << bits) - 1));
  field =
      arith::SelectOp::create(b, loc, inRow, field, buildInt(b, loc, i16, 0));
  // Position of the field in the byte, in (-8, 8): shift up by 8 more, then
  // take the upper byte.
  Value fieldBit = arith::MulIOp::create(
      b, loc, column, arith::ConstantIndexOp::create(b, loc, bits));
  Value shift = arith::SubIOp::create(
      b, loc,
      arith::AddIOp::create(b, loc, fieldBit,
                            arith::ConstantIndexOp::create(b, loc, 8)),
      byteBit);
  Value shifted = arith::ShLIOp::create(
      b, loc, arith::ExtUIOp::create(b, loc, b.getI32Type(), field),
      arith::IndexCastOp::create(b, loc, b.getI32Type(), shift));
  Value upper = arith::ShRUIOp::create(b, loc, shifted,
                                       buildInt(b, loc, b.getI32Type(), 8));
  return arith::TruncIOp::create(b, loc, b.getI8Type(), upper);
}

/// Any width: each byte gathers the fields that reach into it.
static Value buildPackFields(OpBuilder &b, Location loc, Value unpacked,
                             unsigned bits,
                             SmallVector<OpFoldResult> byteSizes) {
  int64_t rank = byteSizes.size();
  Value columns = getValueOrCreateConstantIndexOp(
      b, loc, tensor::getMixedSize(b, loc, unpacked, rank - 1));
  // A byte meets at most this many fields.
  unsigned reach = llvm::divideCeil(8 - 1, bits) + 1;
  return buildElementwise(
      b, loc, {}, {}, byteSizes, b.getI8Type(),
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        SmallVector<Value> index;
        for (int64_t d = 0; d < rank; ++d)
          index.push_back(linalg::IndexOp::create(nb, nl, d));
        Value byteBit = arith::MulIOp::create(
            nb, nl, index.back(), arith::ConstantIndexOp::create(nb, nl, 8));
        Value first = arith::DivUIOp::create(
            nb, nl, byteBit, arith::ConstantIndexOp::create(nb, nl, bits));
        Value byte;
        for (unsigned i = 0; i < reach; ++i) {
          Value column = arith::AddIOp::create(
              nb, nl, first, arith::ConstantIndexOp::create(nb, nl, i));
          // The last field may lie wholly behind the byte; its shift, below
          // 8 + 8 + bits, then moves it out of the byte that is kept.
          Value part = buildFieldInByte(nb, nl, unpacked, index, column,
                                        columns, byteBit, bits);
          byte = byte ? arith::OrIOp::create(nb, nl, byte, part).getResult()
                      : part;
        }
        return byte;
      });
}

/// Fields of 1, 2 or 4 bits that fill whole bytes:
/// [..., fields] -> [..., bytes, fields of a byte], or-reduced over the last.
static Value buildPackWholeBytes(OpBuilder &b, Location loc, Value unpacked,
                                 unsigned bits,
                                 ArrayRef<OpFoldResult> byteSizes) {
  int64_t perByte = 8 / bits, rank = byteSizes.size();
  SmallVector<int64_t> blocks(rank, 1);
  blocks.back() = perByte;
  Value split = buildSplitBlocks(b, loc, unpacked, blocks);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank + 1, b.getContext());
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Value empty = tensor::EmptyOp::create(b, loc, byteSizes, b.getI8Type());
  Value zeros =
      linalg::FillOp::create(b, loc, buildInt(b, loc, b.getI8Type(), 0), empty)
          .getResult(0);
  return buildGeneric(
      b, loc, split, zeros, {identity, identity.getMajorSubMap(rank)},
      iterators, [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value field = arith::AndIOp::create(
            nb, nl, args[0], buildInt(nb, nl, nb.getI8Type(), (1 << bits) - 1));
        Value position = linalg::IndexOp::create(nb, nl, rank);
        Value shift = arith::IndexCastOp::create(
            nb, nl, nb.getI8Type(),
            arith::MulIOp::create(
                nb, nl, position,
                arith::ConstantIndexOp::create(nb, nl, bits)));
        return arith::OrIOp::create(
            nb, nl, args[1], arith::ShLIOp::create(nb, nl, field, shift));
      });
}

Value mlir::compress::buildPack(OpBuilder &b, Location loc, Value unpacked,
                                unsigned bits) {
  if (bits >= 8)
    return unpacked;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, unpacked);
  if (sizes.empty())
    return buildElementwise(
        b, loc, unpacked, b.getMultiDimIdentityMap(0), sizes, b.getI8Type(),
        [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
          return arith::AndIOp::create(
              nb, nl, args[0],
              buildInt(nb, nl, nb.getI8Type(), (1 << bits) - 1));
        });
  bool wholeBytes = 8 % bits == 0 && isMultipleOf(sizes.back(), 8 / bits);
  SmallVector<OpFoldResult> byteSizes(sizes);
  byteSizes.back() =
      buildCeilDiv(b, loc, buildMul(b, loc, sizes.back(), bits), 8);
  if (wholeBytes)
    return buildPackWholeBytes(b, loc, unpacked, bits, byteSizes);
  return buildPackFields(b, loc, unpacked, bits, byteSizes);
}
