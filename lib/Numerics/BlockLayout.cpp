//===- BlockLayout.cpp - Elements that share parameters -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BlockLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace compress::numerics {

Expected<BlockLayout> BlockLayout::get(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> block) {
  BlockLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  if (block.empty())
    layout.block.assign(shape.size(), kWholeDim);
  else
    layout.block.assign(block.begin(), block.end());
  if (Error error = layout.verify())
    return std::move(error);
  return layout;
}

/// Whether the product of `sizes` stays below 2^62; a size of 0 makes it 0, but
/// the others must still be representable together for strides.
static bool isCountable(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (MulOverflow(product, std::max<int64_t>(size, 1), product) ||
        product > (int64_t(1) << 62))
      return false;
  return true;
}

Error BlockLayout::verify() const {
  if (shape.size() != block.size())
    return createStringError(
        "expected one block size for each of %zu dimensions, but got %zu",
        shape.size(), block.size());
  for (auto [dim, sizes] : enumerate(zip_equal(shape, block))) {
    auto [size, blockSize] = sizes;
    if (size < 0)
      return createStringError("dimension %zu has the negative size %lld", dim,
                               static_cast<long long>(size));
    if (blockSize < 1 && blockSize != kWholeDim)
      return createStringError(
          "block size of dimension %zu must be at least 1 or the whole "
          "dimension, but is %lld",
          dim, static_cast<long long>(blockSize));
    if (blockSize > (int64_t(1) << 61) || size > (int64_t(1) << 61))
      return createStringError("dimension %zu is too large", dim);
  }
  if (!isCountable(shape) || !isCountable(getPaddedShape()))
    return createStringError("the tensor has more than 2^62 elements");
  return Error::success();
}

SmallVector<int64_t> BlockLayout::getPaddedShape() const {
  SmallVector<int64_t> padded(shape);
  for (auto [size, blockSize] : zip(padded, block))
    if (blockSize != kWholeDim)
      size = divideCeilSigned(size, blockSize) * blockSize;
  return padded;
}

SmallVector<int64_t> BlockLayout::getGridShape() const {
  SmallVector<int64_t> grid;
  for (auto [size, blockSize] : zip(shape, block))
    if (blockSize != kWholeDim)
      grid.push_back(divideCeilSigned(size, blockSize));
  return grid;
}

static int64_t multiply(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

int64_t BlockLayout::getNumElements() const { return multiply(shape); }

int64_t BlockLayout::getNumPaddedElements() const {
  return multiply(getPaddedShape());
}

int64_t BlockLayout::getNumGroups() const { return multiply(getGridShape()); }

Expected<RowSlab> BlockLayout::getRowSlab(int64_t begin, int64_t end) const {
  if (shape.empty())
    return createStringError("a scalar has no rows to take a slab of");
  if (begin < 0 || begin > end || end > shape[0])
    return createStringError(
        "rows [%lld, %lld) are not in [0, %lld)", static_cast<long long>(begin),
        static_cast<long long>(end), static_cast<long long>(shape[0]));
  const bool whole = block[0] == kWholeDim;
  if (!whole &&
      (begin % block[0] != 0 || (end % block[0] != 0 && end != shape[0])))
    return createStringError(
        "rows [%lld, %lld) are not whole blocks of %lld rows",
        static_cast<long long>(begin), static_cast<long long>(end),
        static_cast<long long>(block[0]));
  RowSlab slab;
  slab.layout = *this;
  slab.layout.shape[0] = end - begin;
  slab.firstElement = begin * multiply(ArrayRef(shape).drop_front());
  slab.firstPaddedElement =
      begin * multiply(ArrayRef(getPaddedShape()).drop_front());
  if (!whole)
    slab.firstGroup =
        begin / block[0] * multiply(ArrayRef(getGridShape()).drop_front());
  return slab;
}

} // namespace compress::numerics
