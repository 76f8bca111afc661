//===- StorageReport.cpp - What the constants of a module take ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/StorageReport.h"

#include "compress/IR/Compress.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;

/// Bytes of one constant component, or nothing if it is of no tensor type.
static std::optional<int64_t> getStoredBytes(Attribute constant) {
  if (auto encoded = dyn_cast<EncodedAttr>(constant)) {
    int64_t bytes = 0;
    for (Attribute component : encoded.getComponents())
      // Sizes are part of the program, not of the data.
      bytes += getStoredBytes(component).value_or(0);
    return bytes;
  }
  auto elements = dyn_cast<ElementsAttr>(constant);
  if (!elements || !elements.getShapedType().hasStaticShape() ||
      !elements.getElementType().isIntOrIndexOrFloat())
    return std::nullopt;
  // Sub-byte integers in logical form count as they will be stored.
  auto type =
      dyn_cast<RankedTensorType>(getStorageType(elements.getShapedType()));
  if (!type)
    return std::nullopt;
  int64_t elementBytes =
      type.getElementType().isIndex()
          ? int64_t(sizeof(int64_t))
          : int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  return type.getNumElements() * elementBytes;
}

/// The name of a named location, else file and line, else nothing.
static std::string getLocationText(Location loc) {
  if (auto named = loc->findInstanceOf<NameLoc>())
    return named.getName().str();
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

LogicalResult mlir::compress::writeStorageReport(Operation *root,
                                                 raw_ostream &os) {
  llvm::json::Array constants;
  int64_t stored = 0, dense = 0;
  WalkResult result = root->walk([&](Operation *op) {
    Attribute value;
    if (auto global = dyn_cast<ml_program::GlobalOp>(op))
      value = global.getValueAttr();
    else if (!op->hasTrait<OpTrait::ConstantLike>() ||
             !matchPattern(op, m_Constant(&value)))
      return WalkResult::advance();
    auto typed = dyn_cast_or_null<TypedAttr>(value);
    auto type = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
    if (!type)
      return WalkResult::advance();
    std::optional<int64_t> bytes = getStoredBytes(value);
    if (!bytes || !type.hasStaticShape()) {
      op->emitOpError() << "has a constant of type " << type
                        << ", whose size cannot be told";
      return WalkResult::interrupt();
    }
    int64_t denseBytes =
        type.getNumElements() *
        int64_t(llvm::divideCeil(type.getElementType().isIndex()
                                     ? 64
                                     : type.getElementTypeBitWidth(),
                                 8));
    std::string typeText;
    llvm::raw_string_ostream(typeText) << type;
    constants.push_back(
        llvm::json::Object{{"location", getLocationText(op->getLoc())},
                           {"type", typeText},
                           {"stored_bytes", *bytes},
                           {"dense_bytes", denseBytes}});
    stored += *bytes;
    dense += denseBytes;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  llvm::json::Value report(
      llvm::json::Object{{"constants", std::move(constants)},
                         {"stored_bytes", stored},
                         {"dense_bytes", dense}});
  os << llvm::formatv("{0:2}", report) << "\n";
  return success();
}
