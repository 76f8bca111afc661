//===- NativeOperand.cpp - The rows of the left operand -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeContraction.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::compress;

/// `value` with its dimensions in the order of `loops`, the last
/// `form.depth.size()` of them as one.
Value NativeLowering::orderDims(Value value, unsigned side,
                                ArrayRef<unsigned> loops) {
  SmallVector<int64_t> permutation;
  for (unsigned loop : loops)
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[side].getResults()))
      if (expr.isFunctionOfDim(loop))
        permutation.push_back(dim);
  auto type = cast<RankedTensorType>(value.getType());
  if (!llvm::is_sorted(permutation)) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    SmallVector<OpFoldResult> ordered;
    for (int64_t dim : permutation)
      ordered.push_back(sizes[dim]);
    Value empty =
        tensor::EmptyOp::create(b, loc, ordered, type.getElementType());
    value = linalg::TransposeOp::create(b, loc, value, empty, permutation)
                ->getResult(0);
  }
  int64_t rank = permutation.size();
  int64_t depth = form.depth.size();
  if (depth == 1)
    return value;
  if (depth == 0) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    sizes.push_back(b.getIndexAttr(1));
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank; ++dim)
      groups.push_back({dim});
    groups.back().push_back(rank);
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    shape.push_back(1);
    return tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), value,
        groups, sizes);
  }
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim > rank - depth)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Whether the window can do what `pad` does: skip taps outside of an image of
/// known sizes. Sets `pads` if so.
bool NativeLowering::takePads(tensor::PadOp pad) {
  RankedTensorType source = pad.getSourceType();
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  SmallVector<int64_t> before(form.window.size());
  for (auto [dim, expr] :
       llvm::enumerate(contraction.maps[form.lhs].getResults())) {
    if (ShapedType::isDynamic(low[dim]) || ShapedType::isDynamic(high[dim]) ||
        low[dim] < 0 || high[dim] < 0)
      return false;
    auto *window =
        llvm::find_if(form.window, [&, expr = expr](const WindowDim &spatial) {
          return expr.isFunctionOfDim(spatial.rowLoop);
        });
    if (window != form.window.end()) {
      if (source.isDynamicDim(dim) ||
          ShapedType::isDynamic(contraction.getStaticSize(window->rowLoop)))
        return false;
      before[window - form.window.begin()] = low[dim];
    } else if (low[dim] != 0 || high[dim] != 0) {
      return false;
    }
  }
  pads = std::move(before);
  return true;
}

/// Whether the op quantizes `value` itself: dynamically, f32, and with one
/// scale for each row, or for each image if there is a window.
bool NativeLowering::isQuantizedByRow(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto encode = value.getDefiningOp<EncodeOp>();
  AffineAttr encoding = dyn_cast_or_null<AffineAttr>(type.getEncoding());
  if (!encode || !encoding || !type.getElementType().isF32() ||
      !isa<MinMaxAttr>(encode.getCalibrator()) || encoding.isTwoLevel() ||
      form.depth.empty() || kernel.getLhs().element.isF32())
    return false;
  for (auto [dim, expr] :
       llvm::enumerate(contraction.maps[form.lhs].getResults())) {
    // What all elements of a row or image are in: products and windows.
    auto involves = [expr = expr](unsigned loop) {
      return expr.isFunctionOfDim(loop);
    };
    bool isInner = llvm::any_of(form.depth, involves);
    for (const WindowDim &window : form.window)
      isInner |= involves(window.rowLoop);
    int64_t block = encoding.getBlockSize(dim);
    bool whole = block == AffineAttr::kWholeDim ||
                 (!type.isDynamicDim(dim) && type.getDimSize(dim) <= block);
    bool one = block == 1 || type.getDimSize(dim) == 1;
    if (isInner ? !whole : !one)
      return false;
  }
  return true;
}

/// The integer that all elements of `value` are, if it is known.
static std::optional<int32_t> getConstantCode(Value value, bool isSigned) {
  APInt code;
  if (!value || !matchPattern(value, m_ConstantInt(&code)))
    return std::nullopt;
  return isSigned ? code.getSExtValue() : code.getZExtValue();
}

/// Takes a padding in front of the image into the window, so that nobody makes
/// the padded image. What is not a padding with zeros, or with their code,
/// stays.
void NativeLowering::foldPadding() {
  Value value = contraction.getOperand(form.lhs);
  if (form.window.empty())
    return;
  AffineAttr encoding = getAffine(form.lhs);
  auto isZero = [](tensor::PadOp pad) {
    Value padding = pad ? pad.getConstantPaddingValue() : Value();
    return padding && matchPattern(padding, m_AnyZeroFloat());
  };
  if (!encoding) {
    auto pad = value.getDefiningOp<tensor::PadOp>();
    if (isZero(pad) && takePads(pad))
      image = pad.getSource();
    return;
  }
  auto type = cast<RankedTensorType>(value.getType());
  bool byRow = isQuantizedByRow(value);
  if ((!byRow && !encoding.getGridDims(type.getRank()).empty()) ||
      encoding.isTwoLevel())
    return;
  bool isSigned = encoding.getFormat().isSigned;
  auto typeOf = [&](tensor::PadOp pad) {
    return type.clone(pad.getSourceType().getShape());
  };
  // Kernels that read rows in groups get images with a padding of zeros, or of
  // the zero point where the lowering knows that.
  bool padsWithZeros = kernel.getScratchElements() != 0;
  std::optional<int32_t> code;
  if (auto assemble = value.getDefiningOp<AssembleOp>()) {
    auto pad = assemble.getComponents()[0].getDefiningOp<tensor::PadOp>();
    if (pad)
      code = getConstantCode(pad.getConstantPaddingValue(), isSigned);
    if (!code || (padsWithZeros && *code != 0) || !takePads(pad))
      return;
    SmallVector<Value> components(assemble.getComponents());
    components[0] = pad.getSource();
    image = AssembleOp::create(b, loc, typeOf(pad), components);
  } else if (auto op = value.getDefiningOp<QuantizeOp>()) {
    auto pad = op.getInput().getDefiningOp<tensor::PadOp>();
    code = 0;
    if (encoding.getAsymmetric())
      code = getConstantCode(op.getParams()[1], isSigned);
    if (!code || (padsWithZeros && *code != 0) || !isZero(pad) ||
        !takePads(pad))
      return;
    image = QuantizeOp::create(b, loc, typeOf(pad), pad.getSource(),
                               op.getParams());
  } else if (auto op = value.getDefiningOp<EncodeOp>()) {
    // Ranges contain zero anyway.
    auto pad = op.getInput().getDefiningOp<tensor::PadOp>();
    if ((encoding.getAsymmetric() && !byRow) ||
        !isa<MinMaxAttr>(op.getCalibrator()) || !isZero(pad) || !takePads(pad))
      return;
    code = 0;
    image = EncodeOp::create(b, loc, typeOf(pad), pad.getSource(),
                             op.getRangeAttr());
  } else {
    return;
  }
  padCode = *code + kernel.getLhs().shift;
  // The lowering has the zero points, and multiplies by them.
  if (byRow && encoding.getAsymmetric())
    padCode = 1;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The dense left operand: floats, codes, or floats that the op quantizes.
FailureOr<Value> NativeLowering::buildLhs() {
  Value value = getOperand(form.lhs);
  if (AffineAttr encoding = getAffine(form.lhs)) {
    if (isQuantizedByRow(value)) {
      quantize = encoding;
      value = value.getDefiningOp<EncodeOp>().getInput();
    } else {
      // Codes fill whole blocks; those beyond the end are no rows.
      auto type = cast<RankedTensorType>(value.getType());
      bool fills = false;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        fills |= encoding.hasSizeComponent(type, dim) ||
                 (!type.isDynamicDim(dim) && encoding.getBlockSize(dim) > 1 &&
                  type.getDimSize(dim) % encoding.getBlockSize(dim) != 0);
      SmallVector<OpFoldResult> sizes;
      if (fills)
        sizes = encoding.getLogicalSizes(b, loc, value);
      value = getStorageComponent(b, loc, value, AffineAttr::kValues);
      if (fills)
        value = buildSliceTo(b, loc, value, sizes);
    }
  }
  if (form.window.empty()) {
    SmallVector<unsigned> loops(form.batch);
    llvm::append_range(loops, form.rows);
    llvm::append_range(loops, form.depth);
    value = orderDims(value, form.lhs, loops);
    // A vector is one row.
    if (form.rows.empty()) {
      auto type = cast<RankedTensorType>(value.getType());
      int64_t rank = type.getRank();
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
      sizes.insert(sizes.end() - 1, b.getIndexAttr(1));
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.end() - 1, 1);
      SmallVector<ReassociationIndices> groups;
      for (int64_t dim = 0; dim < rank; ++dim)
        groups.push_back({dim});
      groups.back() = {rank - 1, rank};
      value = tensor::ExpandShapeOp::create(
          b, loc, RankedTensorType::get(shape, type.getElementType()), value,
          groups, sizes);
    }
    return value;
  }
  // An image: images, spatial dimensions, channels.
  SmallVector<unsigned> loops(form.rows);
  llvm::append_range(loops, form.depth);
  value = orderDims(value, form.lhs, loops);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  TileLhs lhs = kernel.getLhs();
  Type element = lhs.element;
  if (lhs.shift && !quantize) {
    AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
    value = buildElementwise(
        b, loc, value, identity, sizes, element,
        [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
          return arith::AddIOp::create(
              nb, nl, args[0],
              arith::ConstantOp::create(
                  nb, nl, IntegerAttr::get(element, APInt(8, lhs.shift))));
        });
  }
  return value;
}

WindowAttr NativeLowering::getWindow() {
  if (form.window.empty())
    return {};
  SmallVector<int64_t> sizes, strides, dilations;
  for (const WindowDim &dim : form.window) {
    sizes.push_back(contraction.getStaticSize(dim.tapLoop));
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
  }
  SmallVector<int64_t> before(pads);
  before.resize(sizes.size());
  return WindowAttr::get(b.getContext(), sizes, strides, dilations, before);
}
