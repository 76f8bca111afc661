//===- ExpandEncodingsGlobals.cpp - Globals of encoded type ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step 2 of compress-expand-encodings for `ml_program`: one global a leaf.
//
//===----------------------------------------------------------------------===//

#include "ExpandEncodings.h"

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::compress;
using namespace mlir::compress::expand;

namespace {
/// An op that accesses a global, by a symbol that may be nested.
struct GlobalAccess {
  Operation *op;
  SymbolRefAttr symbol;
};

struct EncodedGlobal {
  SmallVector<GlobalAccess> accesses;
  /// The names of its leaves' globals.
  SmallVector<StringAttr> leaves;
};
} // namespace

/// Appends the constants of the leaves of `constant`, in storage form.
static LogicalResult
appendLeafConstants(EncodedAttr constant,
                    function_ref<InFlightDiagnostic()> emitError,
                    SmallVectorImpl<Attribute> &leaves) {
  FailureOr<SmallVector<TypedAttr>> parts =
      getStorageConstants(constant, emitError);
  if (failed(parts))
    return failure();
  for (TypedAttr part : *parts) {
    if (auto nested = dyn_cast<EncodedAttr>(part)) {
      if (failed(appendLeafConstants(nested, emitError, leaves)))
        return failure();
    } else {
      leaves.push_back(part);
    }
  }
  return success();
}

/// The initial values of the leaves of `global`, null where it has none.
static FailureOr<SmallVector<Attribute>>
getInitialValues(ml_program::GlobalOp global,
                 ArrayRef<EncodingComponent> leaves) {
  SmallVector<Attribute> values;
  Attribute initial = global.getValueAttr();
  if (auto encoded = dyn_cast_or_null<EncodedAttr>(initial)) {
    if (failed(appendLeafConstants(
            encoded, [&] { return global.emitOpError(); }, values)))
      return failure();
    if (encoded.getType() == global.getType())
      return values;
    // A type that says less of the shape has sizes that the constant lacks.
    return global.emitOpError()
           << "cannot be expanded: the type of the initial value, "
           << encoded.getType() << ", must be the type of the global";
  }
  if (initial && !isa<ml_program::ExternAttr>(initial))
    return global.emitOpError()
           << "cannot be expanded: its initial value must be a "
              "#compress.encoded or #ml_program.extern, but is "
           << initial;
  for (const EncodingComponent &leaf : leaves)
    values.push_back(
        initial ? ml_program::ExternAttr::get(global.getContext(), leaf.type)
                : Attribute());
  return values;
}

static LogicalResult splitGlobal(IRRewriter &b, ml_program::GlobalOp global,
                                 SymbolTable &table, EncodedGlobal &split) {
  SmallVector<EncodingComponent> leaves =
      getLeavesOf(cast<RankedTensorType>(global.getType()));
  FailureOr<SmallVector<Attribute>> values = getInitialValues(global, leaves);
  if (failed(values))
    return failure();
  b.setInsertionPoint(global);
  for (auto [leaf, value] : llvm::zip_equal(leaves, *values)) {
    StringAttr name = b.getStringAttr(global.getSymName() + "." + leaf.name);
    auto created = ml_program::GlobalOp::create(
        b, global.getLoc(), name, TypeAttr::get(leaf.type),
        global.getIsMutableAttr(), value, global.getSymVisibilityAttr());
    // The first leaf keeps the attributes of the whole.
    if (split.leaves.empty())
      created->setDiscardableAttrs(global->getDiscardableAttrDictionary());
    // Renames it if the name is taken.
    split.leaves.push_back(table.insert(created));
  }
  return success();
}

/// `symbol` with its last part replaced by `name`.
static SymbolRefAttr renameLeaf(SymbolRefAttr symbol, StringAttr name) {
  SmallVector<FlatSymbolRefAttr> nested(symbol.getNestedReferences());
  if (nested.empty())
    return FlatSymbolRefAttr::get(name);
  nested.back() = FlatSymbolRefAttr::get(name);
  return SymbolRefAttr::get(symbol.getRootReference(), nested);
}

static void expandAccess(IRRewriter &b, const GlobalAccess &access,
                         ArrayRef<StringAttr> names) {
  Operation *op = access.op;
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
    SmallVector<Value> leaves;
    buildLeaves(b, loc, store.getValue(), leaves);
    for (auto [name, leaf] : llvm::zip_equal(names, leaves))
      ml_program::GlobalStoreOp::create(b, loc, renameLeaf(access.symbol, name),
                                        leaf);
    b.eraseOp(op);
    return;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> leaves;
  for (auto [name, leaf] : llvm::zip_equal(names, getLeavesOf(type))) {
    SymbolRefAttr symbol = renameLeaf(access.symbol, name);
    if (isa<ml_program::GlobalLoadConstOp>(op))
      leaves.push_back(
          ml_program::GlobalLoadConstOp::create(b, loc, leaf.type, symbol));
    else
      leaves.push_back(
          ml_program::GlobalLoadOp::create(b, loc, leaf.type, symbol));
  }
  b.replaceOp(op, buildFromLeaves(b, loc, type, leaves));
}

LogicalResult mlir::compress::expand::expandGlobals(IRRewriter &b,
                                                    Operation *root) {
  llvm::MapVector<Operation *, EncodedGlobal> globals;
  root->walk([&](ml_program::GlobalOp global) {
    if (isEncoded(global.getType()))
      globals[global];
  });
  if (globals.empty())
    return success();

  SymbolTableCollection tables;
  WalkResult result = root->walk([&](Operation *op) -> WalkResult {
    std::optional<SymbolTable::UseRange> uses =
        op->getNumRegions() == 0 ? SymbolTable::getSymbolUses(op)
                                 : std::nullopt;
    if (!uses)
      return WalkResult::advance();
    for (SymbolTable::SymbolUse use : *uses) {
      auto *found =
          globals.find(tables.lookupNearestSymbolFrom(op, use.getSymbolRef()));
      if (found == globals.end())
        continue;
      if (!isa<ml_program::GlobalLoadOp, ml_program::GlobalLoadConstOp,
               ml_program::GlobalStoreOp>(op))
        return op->emitOpError()
               << "refers to global " << use.getSymbolRef()
               << " of encoded type, which only ml_program.global_load, "
                  "global_load_const and global_store may do";
      found->second.accesses.push_back({op, use.getSymbolRef()});
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();

  for (auto &[op, split] : globals) {
    SymbolTable &table =
        tables.getSymbolTable(SymbolTable::getNearestSymbolTable(op));
    if (failed(splitGlobal(b, cast<ml_program::GlobalOp>(op), table, split)))
      return failure();
    for (const GlobalAccess &access : split.accesses)
      expandAccess(b, access, split.leaves);
    table.erase(op);
  }
  return success();
}
