//===- CompressFolds.cpp - Folds that obey the five rules -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What is not here matters as much: decode(encode(x)) is never x (rule 3),
// encode has no folder, and decode does not fold constants (that would bring
// the uncompressed tensor back).

#include "compress/IR/Compress.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::compress;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// What is known of component `index` of `e` in type `type`: an operand of the
/// op that made `e`.
static Value getMadeFrom(Value e, int64_t index, Type type) {
  Value part;
  if (auto assemble = e.getDefiningOp<AssembleOp>()) {
    part = assemble.getComponents()[index];
  } else if (auto quantize = e.getDefiningOp<QuantizeOp>()) {
    SmallVector<unsigned> params =
        getEncoding(e.getType()).getParameterComponents(quantize.getType());
    for (auto [param, value] : llvm::zip_equal(params, quantize.getParams()))
      if (param == index)
        part = value;
  }
  return part && part.getType() == type ? part : Value();
}

/// Whether two values are the same one or equal constants.
static bool isSameValue(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  Attribute left, right;
  return matchPattern(lhs, m_Constant(&left)) &&
         matchPattern(rhs, m_Constant(&right)) && left == right;
}

/// assemble(component(e, 0), component(e, 1), ...) -> e, where a component may
/// also be the very value that `e` was made from.
OpFoldResult AssembleOp::fold(FoldAdaptor) {
  auto first = getComponents().front().getDefiningOp<ComponentOp>();
  if (!first)
    return {};
  Value whole = first.getEncoded();
  if (whole.getType() != getType())
    return {};
  for (auto [i, part] : llvm::enumerate(getComponents())) {
    auto component = part.getDefiningOp<ComponentOp>();
    if (component && component.getEncoded() == whole &&
        component.getComponentIndex() == static_cast<int64_t>(i))
      continue;
    Value madeFrom = getMadeFrom(whole, i, part.getType());
    if (!madeFrom || !isSameValue(madeFrom, part))
      return {};
  }
  return whole;
}

/// component(assemble(..., c, ...)) -> c, component(quantize(x, s)) -> s and
/// component(constant) -> constant, where the form (logical or storage) is the
/// wanted one.
OpFoldResult ComponentOp::fold(FoldAdaptor adaptor) {
  int64_t index = getComponentIndex();
  if (index < 0)
    return {};
  if (auto constant = dyn_cast_or_null<EncodedAttr>(adaptor.getEncoded())) {
    Attribute component = constant.getComponents()[index];
    if (cast<TypedAttr>(component).getType() == getType())
      return component;
    return {};
  }
  return getMadeFrom(getEncoded(), index, getType());
}

/// convert to the same type, and back to the type that it came from.
OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getEncoded().getType() == getType())
    return getEncoded();
  auto before = getEncoded().getDefiningOp<ConvertOp>();
  if (before && before.getEncoded().getType() == getType())
    return before.getEncoded();
  return {};
}

/// Whether `e` is known to hold only codes that quantization makes. A narrow
/// format leaves out the lowest code, but components may come from anywhere.
static bool hasOnlyQuantizedCodes(Value e) {
  auto affine =
      dyn_cast<AffineAttr>(cast<RankedTensorType>(e.getType()).getEncoding());
  if (affine && !affine.getFormat().narrow)
    return true;
  return isa_and_nonnull<QuantizeOp, EncodeOp>(e.getDefiningOp());
}

/// quantize(decode(e), parameters of e) -> e, for f32 and f64: there the
/// decoded number divided by its scale rounds back to the same code.
OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  auto decode = getInput().getDefiningOp<DecodeOp>();
  if (!decode || decode.getEncoded().getType() != getType())
    return {};
  Value e = decode.getEncoded();
  Type elementType = getType().getElementType();
  if ((!elementType.isF32() && !elementType.isF64()) ||
      !hasOnlyQuantizedCodes(e))
    return {};
  SmallVector<unsigned> indices =
      getEncoding(getType()).getParameterComponents(getType());
  // The very SSA values with which `e` was made, or components of `e`.
  auto made = e.getDefiningOp<QuantizeOp>();
  for (auto [i, param] : llvm::enumerate(getParams())) {
    if (made && made.getParams()[i] == param)
      continue;
    auto component = param.getDefiningOp<ComponentOp>();
    if (!component || component.getEncoded() != e ||
        component.getComponentIndex() != static_cast<int64_t>(indices[i]))
      return {};
  }
  return e;
}
