//===- CompressOps.cpp - Verifiers of the dialect's ops -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::compress;

#define GET_OP_CLASSES
#include "compress/IR/CompressOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// Verifies the encoding of `type` on behalf of `op`.
static LogicalResult verifyEncoded(Operation *op, RankedTensorType type) {
  return verifyEncodedType(type, [&] { return op->emitOpError(); });
}

/// The dense type must be the encoded one without its encoding.
static LogicalResult verifyDenseOf(Operation *op, Type dense, StringRef what,
                                   RankedTensorType encoded) {
  if (dense == getDecodedType(encoded))
    return success();
  return op->emitOpError() << "(C1) " << what << " must have type "
                           << getDecodedType(encoded) << ", which " << encoded
                           << " encodes, but has type " << dense;
}

/// Whether a value of type `given` can be the component of logical type
/// `wanted`: its logical or storage type, sizes compatible.
static bool isComponentType(Type given, Type wanted) {
  auto matches = [](Type lhs, Type rhs) {
    if (lhs == rhs)
      return true;
    auto left = dyn_cast<RankedTensorType>(lhs);
    auto right = dyn_cast<RankedTensorType>(rhs);
    return left && right && left.getElementType() == right.getElementType() &&
           left.getEncoding() == right.getEncoding() &&
           succeeded(verifyCompatibleShape(left, right));
  };
  return matches(given, wanted) || matches(given, getStorageType(wanted));
}

/// Names the types that a component may have.
static void printTypes(InFlightDiagnostic &diagnostic,
                       const EncodingComponent &component) {
  diagnostic << component.type;
  if (getStorageType(component.type) != component.type)
    diagnostic << " or " << getStorageType(component.type);
}

/// Checks parameter components against those of `encoded`.
static LogicalResult verifyParams(Operation *op, RankedTensorType encoded,
                                  TypeRange params, StringRef what) {
  CompressionEncodingAttrInterface encoding = getEncoding(encoded);
  if (!encoding.canEncodeAtRuntime())
    return op->emitOpError()
           << "(C2) values cannot be encoded at run time as " << encoded
           << ": encode a constant with compress.encode";
  SmallVector<EncodingComponent> components;
  if (failed(encoding.getComponents(encoded, components)))
    return failure();
  SmallVector<unsigned> indices = encoding.getParameterComponents(encoded);
  if (indices.size() != params.size())
    return op->emitOpError()
           << "(C3) expected " << indices.size() << " " << what << " for "
           << encoded << ", but got " << params.size();
  for (auto [index, type] : llvm::zip_equal(indices, params)) {
    if (isComponentType(type, components[index].type))
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError() << "(C3) " << what << " '"
                                                      << components[index].name
                                                      << "' must have type ";
    printTypes(diagnostic, components[index]);
    return diagnostic << ", but has type " << type;
  }
  return success();
}

static CalibratorAttrInterface
getCalibratorOr(MLIRContext *context,
                std::optional<CalibratorAttrInterface> given) {
  return given.value_or(MinMaxAttr::get(context));
}

//===----------------------------------------------------------------------===//
// Making and taking apart
//===----------------------------------------------------------------------===//

LogicalResult DecodeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  if (operands.size() != 1 || !isEncoded(operands[0].getType()))
    return failure();
  types.push_back(
      getDecodedType(cast<RankedTensorType>(operands[0].getType())));
  return success();
}

/// The verifier has a better message.
bool DecodeOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult DecodeOp::verify() {
  RankedTensorType encoded = getEncoded().getType();
  if (failed(verifyEncoded(*this, encoded)))
    return failure();
  return verifyDenseOf(*this, getType(), "result", encoded);
}

LogicalResult AssembleOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifyEncoded(*this, type)))
    return failure();
  SmallVector<EncodingComponent> components;
  if (failed(getEncoding(type).getComponents(type, components)))
    return failure();
  if (components.size() != getNumOperands())
    return emitOpError() << "(C1) " << type << " has " << components.size()
                         << " components, but got " << getNumOperands()
                         << " operands";
  for (auto [component, given] :
       llvm::zip_equal(components, getOperandTypes())) {
    if (isComponentType(given, component.type))
      continue;
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "(C2) component '" << component.name
                                    << "' must have type ";
    printTypes(diagnostic, component);
    return diagnostic << ", but has type " << given;
  }
  return success();
}

int64_t ComponentOp::getComponentIndex() {
  RankedTensorType type = getEncoded().getType();
  SmallVector<EncodingComponent> components;
  if (failed(getEncoding(type).getComponents(type, components)))
    return -1;
  for (auto [i, component] : llvm::enumerate(components))
    if (component.name == getName())
      return i;
  return -1;
}

LogicalResult ComponentOp::verify() {
  RankedTensorType type = getEncoded().getType();
  if (failed(verifyEncoded(*this, type)))
    return failure();
  SmallVector<EncodingComponent> components;
  if (failed(getEncoding(type).getComponents(type, components)))
    return failure();
  int64_t index = getComponentIndex();
  if (index < 0) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "(C1) " << type << " has no component '"
                                    << getName() << "'; it has ";
    llvm::interleaveComma(components, diagnostic,
                          [&](const EncodingComponent &component) {
                            diagnostic << "'" << component.name << "'";
                          });
    return diagnostic;
  }
  if (getType() == components[index].type ||
      getType() == getStorageType(components[index].type))
    return success();
  InFlightDiagnostic diagnostic = emitOpError() << "(C2) component '"
                                                << getName() << "' has type ";
  printTypes(diagnostic, components[index]);
  return diagnostic << ", but the result has type " << getType();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}

LogicalResult ConvertOp::verify() {
  RankedTensorType from = getEncoded().getType(), to = getType();
  if (failed(verifyEncoded(*this, from)) || failed(verifyEncoded(*this, to)))
    return failure();
  if (getDecodedType(from) != getDecodedType(to))
    return emitOpError() << "(C1) must not change shape or element type, but "
                            "converts "
                         << getDecodedType(from) << " to "
                         << getDecodedType(to);
  if (from == to || getEncoding(to).isLosslessFrom(to, from))
    return success();
  return emitOpError()
         << "(C2) not every value of " << from
         << " can be represented exactly in " << to
         << "; a lossy change is compress.decode followed by compress.encode";
}

//===----------------------------------------------------------------------===//
// Lossy ops and observation
//===----------------------------------------------------------------------===//

CalibratorAttrInterface EncodeOp::getCalibrator() {
  return getCalibratorOr(getContext(), getRange());
}

LogicalResult EncodeOp::verify() {
  if (failed(verifyEncoded(*this, getType())))
    return failure();
  return verifyDenseOf(*this, getInput().getType(), "operand", getType());
}

CalibratorAttrInterface ChooseParamsOp::getCalibrator() {
  return getCalibratorOr(getContext(), getRange());
}

LogicalResult ChooseParamsOp::verify() {
  auto encoded = cast<RankedTensorType>(getEncodedType());
  if (failed(verifyEncoded(*this, encoded)) ||
      failed(verifyDenseOf(*this, getInput().getType(), "operand", encoded)))
    return failure();
  return verifyParams(*this, encoded, getResultTypes(), "results");
}

LogicalResult QuantizeOp::verify() {
  RankedTensorType encoded = getType();
  if (failed(verifyEncoded(*this, encoded)) ||
      failed(verifyDenseOf(*this, getInput().getType(), "operand", encoded)))
    return failure();
  return verifyParams(*this, encoded, getParams().getTypes(), "parameters");
}

CalibratorAttrInterface FakeQuantOp::getCalibrator() {
  return getCalibratorOr(getContext(), getRange());
}

LogicalResult FakeQuantOp::verify() {
  auto encoded = cast<RankedTensorType>(getEncodedType());
  if (failed(verifyEncoded(*this, encoded)) ||
      failed(verifyDenseOf(*this, getInput().getType(), "operand", encoded)))
    return failure();
  if (getParams().empty() && getEncoding(encoded).canEncodeAtRuntime())
    return success();
  if (!getParams().empty() && getRange())
    return emitOpError("(C3) has both parameters and a range: give one");
  return verifyParams(*this, encoded, getParams().getTypes(), "parameters");
}

LogicalResult ObserveOp::verify() {
  if (getName().empty())
    return emitOpError("needs a name under which to record");
  if (isSupportedFloat(getInput().getType().getElementType()))
    return success();
  return emitOpError() << "observes f16, bf16, f32 and f64 tensors, but got "
                       << getInput().getType();
}
