//===- CompressDialect.cpp - The compress dialect -------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/IR/EncodingRules.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::compress;

#include "compress/IR/CompressDialect.cpp.inc"
#include "compress/IR/CompressEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compress/IR/CompressAttrs.cpp.inc"

namespace {
struct CompressInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  /// All ops are functions of their operands; observation may be repeated.
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

/// Encodings are long and occur on every type: print them as aliases.
struct CompressAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    if (auto affine = dyn_cast<AffineAttr>(attribute)) {
      os << "affine_" << affine.getStorage();
      return AliasResult::OverridableAlias;
    }
    if (auto nm = dyn_cast<NMAttr>(attribute)) {
      os << "nm_" << nm.getN() << "_" << nm.getM() << "_";
      return AliasResult::OverridableAlias;
    }
    if (isa<TargetAttr>(attribute)) {
      os << "target";
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void CompressDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compress/IR/CompressAttrs.cpp.inc"
      >();
}

void CompressDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compress/IR/CompressOps.cpp.inc"
      >();
  addInterfaces<CompressInlinerInterface, CompressAsmInterface>();
  addBytecodeInterface();
}

Operation *CompressDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  if (auto encoded = dyn_cast<EncodedAttr>(value))
    return encoded.getType() == type ? ConstantOp::create(builder, loc, encoded)
                                     : nullptr;
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Discardable attributes of ops that this project gives a meaning.
static bool isKnownAttribute(StringRef name) {
  return llvm::is_contained({StringRef(CompressDialect::kStrictAttrName),
                             StringRef(CompressDialect::kEncodedAttrName),
                             StringRef(CompressDialect::kComponentAttrName),
                             StringRef(CompressDialect::kStrategyAttrName),
                             StringRef(CompressDialect::kRecipeAttrName),
                             StringRef(CompressDialect::kCalibrationAttrName),
                             StringRef(CompressDialect::kTargetAttrName),
                             StringRef(CompressDialect::kSignatureAttrName),
                              StringRef(CompressDialect::kThreadsAttrName)},
                            name);
}

LogicalResult
CompressDialect::verifyOperationAttribute(Operation *op,
                                          NamedAttribute attribute) {
  if (attribute.getName() == kStrictAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError()
             << "attribute '" << kStrictAttrName
             << "' must be a unit attribute, but is " << attribute.getValue()
             << "; to switch the check off leave the attribute out";
    return verifyEncodingRules(op);
  }
  if (attribute.getName() == kStrategyAttrName &&
      !isa<StrategyAttr>(attribute.getValue()))
    return op->emitOpError()
           << "attribute '" << kStrategyAttrName
           << "' must be a #compress.strategy, but is " << attribute.getValue();
  if (attribute.getName() == kCalibrationAttrName &&
      (!isa<StringAttr>(attribute.getValue()) || !isa<EncodeOp>(op)))
    return op->emitOpError() << "attribute '" << kCalibrationAttrName
                             << "' must be a string on compress.encode, but is "
                             << attribute.getValue();
  if (attribute.getName() == kTargetAttrName &&
      (!isa<TargetAttr>(attribute.getValue()) || !isa<ModuleOp>(op)))
    return op->emitOpError() << "attribute '" << kTargetAttrName
                             << "' must be a #compress.target on a "
                                "builtin.module, but is "
                             << attribute.getValue();
  if (attribute.getName() == kThreadsAttrName) {
    auto threads = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForallOp>(op) || !threads ||
        !threads.getType().isSignlessInteger(64))
      return op->emitOpError() << "attribute '" << kThreadsAttrName
                               << "' must be an i64 on scf.forall, but is "
                               << attribute.getValue();
  }
  // A misspelt compress.strict would leave the check off in silence.
  if (!isKnownAttribute(attribute.getName()))
    return op->emitOpError()
           << "unknown attribute '" << attribute.getName().getValue()
           << "': the compress dialect has compress.strict, compress.recipe, "
              "compress.strategy, compress.calibration, compress.target, "
              "compress.signature, compress.threads, compress.encoded and "
              "compress.component";
  return success();
}

LogicalResult CompressDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned argIndex, NamedAttribute attribute) {
  if (attribute.getName() != kEncodedAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || argIndex >= function.getNumArguments())
    return success();
  Type type = function.getArgumentTypes()[argIndex];
  if (isEncoded(type))
    return success();
  return op->emitOpError()
         << "argument #" << argIndex << " is marked '" << kEncodedAttrName
         << "', but has type " << type
         << ": a pass replaced an encoded tensor by a dense one; run "
            "compress-expand-encodings before it";
}
