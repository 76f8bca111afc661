//===- TileImages.cpp - Images as windows want them -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows read an image in place, unless it is to be quantized, or its channels
// are not whole steps of the kernel or have strides. Then each thread makes a
// copy of the image that it works on and slides all windows over that, while it
// is in a cache: no tensor of codes or of padded channels exists. Kernels that
// read rows in groups, as tile registers do, always get a copy, and one with
// the padding around it: then all rows of a line are at one distance.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::compress;

/// Dimensions that count images.
int64_t TileLowering::getNumImageDims() {
  return op.getOutRank() - 1 - op.getWindow()->getRank();
}

/// Lines of windows of an image: positions in front of the rows.
OpFoldResult TileLowering::getLinesOfImage() {
  OpFoldResult lines = at.constant(1);
  for (OpFoldResult size : ArrayRef(outerSizes).drop_front(getNumImageDims()))
    lines = at.mul(lines, size);
  return lines;
}

/// The sizes of `image` that are not of `images` images: of its lines, pixels
/// and channels.
static SmallVector<OpFoldResult> getSizesOfImage(OpBuilder &b, Location loc,
                                                 Value image, int64_t images) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, image);
  sizes.erase(sizes.begin(), sizes.begin() + images);
  return sizes;
}

void TileLowering::allocateImage() {
  TileLhs lhs = kernel.getLhs();
  auto type = cast<MemRefType>(op.getLhs().getType());
  int64_t images = getNumImageDims(), rank = type.getRank();
  SmallVector<OpFoldResult> sizes =
      getSizesOfImage(b, loc, op.getLhs(), images);
  OpFoldResult elements = at.constant(1);
  for (OpFoldResult size : sizes)
    elements = at.mul(elements, size);
  OpFoldResult padded = at.mul(steps, at.constant(shape.k));
  if (imagePadded) {
    WindowAttr window = *op.getWindow();
    SmallVector<OpFoldResult> outs =
        memref::getMixedSizes(b, loc, op.getOuts()[0]);
    std::optional<int64_t> inner = 1;
    for (int64_t d = window.getRank() - 1; d >= 0; --d) {
      // What windows read, and what the image has.
      int64_t reach = (window.getSizes()[d] - 1) * window.getDilations()[d] + 1;
      OpFoldResult last = at.sub(outs[images + d], at.constant(1));
      OpFoldResult read =
          at.add(at.mul(last, at.constant(window.getStrides()[d])),
                 at.constant(reach));
      sizes[d] =
          at.max(read, at.add(sizes[d], at.constant(window.getPads()[d])));
      // The rows of a group that are none are behind the last one.
      if (d == 0) {
        int64_t behind = (kRowsOfRegister - 1) * window.getStrides().back();
        if (inner)
          behind = llvm::divideCeil(behind, std::max<int64_t>(*inner, 1));
        sizes[0] = at.add(sizes[0], at.constant(behind));
      }
      std::optional<int64_t> known = getConstantIntValue(sizes[d]);
      inner = inner && known ? std::optional<int64_t>(*inner * *known)
                             : std::nullopt;
    }
  }
  sizes.back() = padded;
  image = allocate(sizes, lhs.element);
  int64_t imageRank = rank - images;
  imageLine = memref::CollapseShapeOp::create(
      b, loc, image, joinDims(0, imageRank, imageRank));
  imagePixels = image;
  if (imageRank > 2)
    imagePixels = memref::CollapseShapeOp::create(
        b, loc, image, joinDims(0, imageRank - 1, imageRank));
  // The padding stays when images change, unless its code does.
  if (imagePadded && !(op.getQuantize() && op.getQuantize()->getAsymmetric()))
    fillImage(arith::ConstantOp::create(b, loc, b.getZeroAttr(lhs.element)));
  if (!op.getQuantize())
    return;
  OpFoldResult one = at.constant(1);
  stageScales = allocate({one}, b.getF32Type());
  if (op.getQuantize()->getAsymmetric())
    stagePoints = allocate({one}, b.getI32Type());
  if (imagePadded || !getConstantIntValue(depth) ||
      getConstantIntValue(padded) != getConstantIntValue(depth))
    imageCodes = allocate({elements}, lhs.element);
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(
          type, joinDims(images, rank, rank)))
    imageElements = allocate({elements}, type.getElementType());
}

/// Sets all elements of the copy of an image.
void TileLowering::fillImage(Value code) {
  int64_t lanes = 64 * 8 / code.getType().getIntOrFloatBitWidth();
  OpFoldResult size = memref::getMixedSizes(b, loc, imageLine)[0];
  buildChunks(size, lanes, 4, [&](Value offset, int64_t width) {
    Value codes = vector::BroadcastOp::create(
        b, loc, VectorType::get(width, code.getType()), code);
    vector::StoreOp::create(b, loc, codes, imageLine, offset);
  });
}

/// Copies the lines of an image, one behind the other in `from`, to where they
/// are between their padding.
void TileLowering::buildPaddedLines(const TileLine &from) {
  Type element = kernel.getLhs().element;
  WindowAttr window = *op.getWindow();
  int64_t images = getNumImageDims(), rank = window.getRank();
  int64_t lanes = 64 * 8 / element.getIntOrFloatBitWidth();
  SmallVector<OpFoldResult> sizes =
      getSizesOfImage(b, loc, op.getLhs(), images);
  SmallVector<OpFoldResult> padded = memref::getMixedSizes(b, loc, image);
  auto copy = [&](OpFoldResult count, OpFoldResult source,
                  OpFoldResult target) {
    buildChunks(count, lanes, 1, [&](Value offset, int64_t width) {
      SmallVector<Value> indices(from.indices);
      indices.push_back(at.value(at.add(source, offset)));
      Value codes = vector::LoadOp::create(
          b, loc, VectorType::get(width, element), from.memref, indices);
      vector::StoreOp::create(b, loc, codes, imageLine,
                              at.value(at.add(target, offset)));
    });
  };
  std::optional<int64_t> channels = getConstantIntValue(sizes.back());
  bool areWhole = channels && channels == getConstantIntValue(padded.back());
  // `source` and `target`: pixels in front of those of dimension `dim`.
  auto copyDim = [&](auto &&self, int64_t dim, OpFoldResult source,
                     OpFoldResult target) -> void {
    OpFoldResult pad = at.constant(window.getPads()[dim]);
    source = at.mul(source, sizes[dim]);
    target = at.add(at.mul(target, padded[dim]), pad);
    if (dim + 1 == rank && areWhole)
      return copy(at.mul(sizes[dim], sizes.back()),
                  at.mul(source, sizes.back()), at.mul(target, padded.back()));
    buildFor(sizes[dim], at.constant(1), [&](Value index) {
      OpFoldResult first = at.add(source, index), to = at.add(target, index);
      if (dim + 1 == rank)
        return copy(sizes.back(), at.mul(first, sizes.back()),
                    at.mul(to, padded.back()));
      self(self, dim + 1, first, to);
    });
  };
  copyDim(copyDim, 0, at.constant(0), at.constant(0));
}

/// Copies the image that `outer` is in, element by element, into the line or
/// image `to`.
void TileLowering::buildCopiedImage(Value to) {
  bool isLine = cast<MemRefType>(to.getType()).getRank() == 1;
  int64_t images = getNumImageDims();
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, op.getLhs());
  SmallVector<Value> indices(outer.begin(), outer.begin() + images);
  auto copyDim = [&](auto &&self, size_t dim, OpFoldResult place) -> void {
    buildFor(sizes[dim], at.constant(1), [&](Value index) {
      indices.push_back(index);
      OpFoldResult here = at.add(at.mul(place, sizes[dim]), index);
      if (dim + 1 != sizes.size()) {
        self(self, dim + 1, here);
      } else {
        Value element = memref::LoadOp::create(b, loc, op.getLhs(), indices);
        SmallVector<Value> target(ArrayRef(indices).drop_front(images));
        if (isLine)
          target = {at.value(here)};
        memref::StoreOp::create(b, loc, element, to, target);
      }
      indices.pop_back();
    });
  };
  copyDim(copyDim, images, at.constant(0));
}

/// Copies pixels of `depth` channels, one behind the other in `from`, to where
/// each has whole steps of them.
void TileLowering::buildSpreadChannels(const TileLine &from) {
  Type element = kernel.getLhs().element;
  OpFoldResult padded = at.mul(steps, at.constant(shape.k));
  OpFoldResult pixels = memref::getMixedSizes(b, loc, imagePixels)[0];
  auto load = [&](OpFoldResult offset, int64_t width) -> Value {
    SmallVector<Value> indices(from.indices);
    indices.push_back(at.value(offset));
    return vector::LoadOp::create(b, loc, VectorType::get(width, element),
                                  from.memref, indices);
  };
  OpFoldResult done = at.constant(0);
  std::optional<int64_t> channels = getConstantIntValue(depth);
  if (channels && *channels > 0 && *channels < shape.k) {
    // Many pixels of few channels by one permutation.
    int64_t count = 64 * 8 / (shape.k * element.getIntOrFloatBitWidth());
    auto dense = VectorType::get(count * *channels, element);
    SmallVector<int64_t> places;
    for (int64_t pixel = 0; pixel < count; ++pixel)
      for (int64_t channel = 0; channel < shape.k; ++channel)
        places.push_back(channel < *channels ? pixel * *channels + channel
                                             : dense.getNumElements());
    OpFoldResult whole = at.mul(at.floorDiv(pixels, count), at.constant(count));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(dense));
    buildFor(whole, at.constant(count), [&](Value pixel) {
      Value codes =
          load(at.mul(pixel, at.constant(*channels)), dense.getNumElements());
      codes = vector::ShuffleOp::create(b, loc, codes, zeros, places);
      vector::StoreOp::create(b, loc, codes, imageLine,
                              at.value(at.mul(pixel, at.constant(shape.k))));
    });
    done = whole;
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  int64_t lanes = 64 * 8 / element.getIntOrFloatBitWidth();
  buildFor(at.sub(pixels, done), at.constant(1), [&](Value index) {
    Value pixel = at.value(at.add(done, index));
    buildChunks(depth, lanes, 1, [&](Value offset, int64_t width) {
      Value codes = load(at.add(at.mul(pixel, depth), offset), width);
      vector::StoreOp::create(b, loc, codes, imagePixels,
                              ValueRange{pixel, offset});
    });
    buildFor(at.sub(padded, depth), at.constant(1), [&](Value offset) {
      memref::StoreOp::create(
          b, loc, zero, imagePixels,
          ValueRange{pixel, at.value(at.add(depth, offset))});
    });
  });
}

/// Makes the copy of the image that `outer` is in.
void TileLowering::buildImage() {
  int64_t images = getNumImageDims();
  auto type = cast<MemRefType>(op.getLhs().getType());
  TileLine source{imageElements, {}};
  if (imageElements) {
    buildCopiedImage(imageElements);
  } else if (memref::CollapseShapeOp::isGuaranteedCollapsible(
                 type, joinDims(images, type.getRank(), type.getRank()))) {
    source.memref = op.getLhs();
    if (type.getRank() - images > 1)
      source.memref = memref::CollapseShapeOp::create(
          b, loc, op.getLhs(),
          joinDims(images, type.getRank(), type.getRank()));
    source.indices.assign(outer.begin(), outer.begin() + images);
  } else if (imagePadded) {
    SmallVector<OpFoldResult> sizes =
        getSizesOfImage(b, loc, op.getLhs(), images);
    SmallVector<OpFoldResult> offsets, strides(sizes.size(), at.constant(1));
    for (int64_t pad : op.getWindow()->getPads())
      offsets.push_back(at.constant(pad));
    offsets.push_back(at.constant(0));
    return buildCopiedImage(
        memref::SubViewOp::create(b, loc, image, offsets, sizes, strides));
  } else {
    // Channels behind the last one meet weights of zero, but are not to be
    // what memory had, of floats above all.
    OpFoldResult padded = at.mul(steps, at.constant(shape.k));
    if (getConstantIntValue(at.sub(padded, depth)) != 0)
      fillImage(arith::ConstantOp::create(
          b, loc, b.getZeroAttr(kernel.getLhs().element)));
    return buildCopiedImage(image);
  }
  if (op.getQuantize()) {
    OpFoldResult elements = at.constant(1);
    for (OpFoldResult size : getSizesOfImage(b, loc, op.getLhs(), images))
      elements = at.mul(elements, size);
    TileLine codes{imageCodes ? imageCodes : imageLine, {}};
    buildQuantizedRow(source, elements, codes, at.value(at.constant(0)));
    if (!imageCodes)
      return;
    source = codes;
    if (imagePadded && stagePoints) {
      Value point =
          memref::LoadOp::create(b, loc, stagePoints, at.value(at.constant(0)));
      fillImage(
          arith::TruncIOp::create(b, loc, kernel.getLhs().element, point));
    }
  }
  if (imagePadded)
    return buildPaddedLines(source);
  buildSpreadChannels(source);
}

/// Images outside: each is copied once, and stays in a cache for all panels.
void TileLowering::buildImageTask(OpFoldResult firstOuter, OpFoldResult outers,
                                  OpFoldResult firstPanel,
                                  OpFoldResult panels) {
  OpFoldResult lines = at.max(getLinesOfImage(), at.constant(1));
  OpFoldResult end = at.add(firstOuter, outers);
  auto divide = [&](OpFoldResult position, bool up) -> OpFoldResult {
    if (std::optional<int64_t> by = getConstantIntValue(lines))
      return up ? at.ceilDiv(position, *by) : at.floorDiv(position, *by);
    Value all = at.value(position), by = at.value(lines);
    if (up)
      return OpFoldResult(b.createOrFold<arith::CeilDivUIOp>(loc, all, by));
    return OpFoldResult(b.createOrFold<arith::DivUIOp>(loc, all, by));
  };
  OpFoldResult first = divide(firstOuter, /*up=*/false);
  OpFoldResult count = at.sub(divide(end, /*up=*/true), first);
  buildFor(count, at.constant(1), [&](Value index) {
    OpFoldResult start = at.mul(at.add(first, index), lines);
    setOuter(start);
    buildImage();
    OpFoldResult from = at.max(start, firstOuter);
    OpFoldResult to = at.min(at.add(start, lines), end);
    buildWindowTask(from, at.sub(to, from), firstPanel, panels);
  });
}
