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

using namespace mlir;
using namespace mlir::compress;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// assemble(component(e, 0), component(e, 1), ...) -> e
OpFoldResult AssembleOp::fold(FoldAdaptor) {
  Value whole;
  for (auto [i, part] : llvm::enumerate(getComponents())) {
    auto component = part.getDefiningOp<ComponentOp>();
    if (!component || component.getComponentIndex() != static_cast<int64_t>(i))
      return {};
    if (whole && whole != component.getEncoded())
      return {};
    whole = component.getEncoded();
  }
  if (whole && whole.getType() == getType())
    return whole;
  return {};
}

/// component(assemble(..., c, ...)) -> c and component(constant) -> constant,
/// where the form (logical or storage) is the wanted one.
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
  auto assemble = getEncoded().getDefiningOp<AssembleOp>();
  if (!assemble)
    return {};
  Value component = assemble.getComponents()[index];
  if (component.getType() == getType())
    return component;
  return {};
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
