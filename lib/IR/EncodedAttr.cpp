//===- EncodedAttr.cpp - Constants of encoded types -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::compress;

/// Finds out whether `component` can be the constant of a component of logical
/// type `type`.
static LogicalResult
verifyComponent(Attribute component, const EncodingComponent &expected,
                function_ref<InFlightDiagnostic()> emitError) {
  if (isa<IndexType>(expected.type)) {
    auto size = dyn_cast_or_null<IntegerAttr>(component);
    if (size && size.getType().isIndex() && !size.getValue().isNegative())
      return success();
    emitError() << "component '" << expected.name
                << "' must be a non-negative integer of type index, but is "
                << component;
    return failure();
  }
  auto typed = dyn_cast_or_null<TypedAttr>(component);
  bool known = isEncoded(expected.type)
                   ? isa_and_nonnull<EncodedAttr>(component)
                   : isa_and_nonnull<DenseIntOrFPElementsAttr,
                                     DenseResourceElementsAttr>(component);
  if (known && (typed.getType() == expected.type ||
                typed.getType() == getStorageType(expected.type)))
    return success();
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "component '" << expected.name
             << "' must be a constant of type " << expected.type;
  if (getStorageType(expected.type) != expected.type)
    diagnostic << " or " << getStorageType(expected.type);
  if (typed)
    diagnostic << ", but has type " << typed.getType();
  return failure();
}

/// Whether all sizes of `type` are known: a constant has no dynamic ones, but
/// its type may (the components then tell).
static LogicalResult
verifyStaticComponents(ArrayRef<EncodingComponent> components,
                       function_ref<InFlightDiagnostic()> emitError) {
  for (const EncodingComponent &component : components)
    if (auto tensor = dyn_cast<RankedTensorType>(component.type);
        tensor && !tensor.hasStaticShape()) {
      emitError() << "component '" << component.name
                  << "' of a constant must have a static shape, but has type "
                  << tensor;
      return failure();
    }
  return success();
}

LogicalResult EncodedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<Attribute> components,
                                  RankedTensorType type) {
  CompressionEncodingAttrInterface encoding =
      type ? getEncoding(type) : CompressionEncodingAttrInterface();
  if (!encoding) {
    emitError() << "the type of #compress.encoded must be an encoded tensor, "
                   "but is "
                << type;
    return failure();
  }
  if (failed(verifyEncodedType(type, emitError)))
    return failure();
  SmallVector<EncodingComponent> expected;
  if (failed(encoding.getComponents(type, expected)))
    return failure();
  if (failed(verifyStaticComponents(expected, emitError)))
    return failure();
  if (expected.size() != components.size()) {
    emitError() << type << " has " << expected.size() << " components, but got "
                << components.size();
    return failure();
  }
  for (auto [component, wanted] : llvm::zip_equal(components, expected))
    if (failed(verifyComponent(component, wanted, emitError)))
      return failure();
  return encoding.verifyConstant(type, components, emitError);
}

Attribute EncodedAttr::parse(AsmParser &parser, Type type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Attribute> components;
  auto parseComponent = [&]() -> ParseResult {
    return parser.parseAttribute(components.emplace_back());
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseComponent) ||
      parser.parseGreater())
    return {};
  if (!type && parser.parseColonType(type))
    return {};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    parser.emitError(loc)
        << "the type of #compress.encoded must be an encoded tensor, but is "
        << type;
    return {};
  }
  auto emitError = [&] { return parser.emitError(loc); };
  return EncodedAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                                 parser.getContext(), ArrayRef(components),
                                 tensor);
}

void EncodedAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getComponents(), printer);
  printer << "]>";
}

LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ContractionExit exit, int64_t tile,
                                   TileKernelAttrInterface kernel,
                                   int64_t threads) {
  if (tile < 0)
    return emitError() << "'tile' must not be negative, but is " << tile;
  if ((exit == ContractionExit::Native) != static_cast<bool>(kernel))
    return emitError() << "'kernel' must be given for exit = native, and only "
                          "for that";
  if (threads < 1)
    return emitError() << "'threads' must be positive, but is " << threads;
  return success();
}
