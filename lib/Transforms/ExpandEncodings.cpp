//===- ExpandEncodings.cpp - The pass compress-expand-encodings -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExpandEncodings.h for how it works.
//
//===----------------------------------------------------------------------===//

#include "ExpandEncodings.h"

#include "compress/IR/EncodingRules.h"
#include "compress/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSEXPANDENCODINGS
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

static bool mentionsEncoded(Type type) {
  return type
      .walk([](Type inner) {
        return isEncoded(inner) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the op, its block arguments or an attribute with a meaning to it
/// mention an encoded type.
static bool mentionsEncoded(Operation *op) {
  auto isMentioned = [](Type type) { return mentionsEncoded(type); };
  if (isa_and_nonnull<CompressDialect>(op->getDialect()))
    return !isa<ObserveOp, TileContractOp, YieldOp>(op);
  if (llvm::any_of(op->getOperandTypes(), isMentioned) ||
      llvm::any_of(op->getResultTypes(), isMentioned))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isMentioned))
        return true;
  for (NamedAttribute attribute : op->getAttrs()) {
    if (op->getName().getRegisteredInfo() &&
        !op->getInherentAttr(attribute.getName()))
      continue;
    WalkResult result = attribute.getValue().walk([](Type type) {
      return isEncoded(type) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

static bool anyMentionsEncoded(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return mentionsEncoded(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The value that the component op `component` stands for, now that every
/// encoded value is assembled; null if it is not.
static Value resolve(ComponentOp component) {
  Value whole = component.getEncoded();
  while (auto inner = whole.getDefiningOp<ComponentOp>()) {
    whole = resolve(inner);
    if (!whole)
      return {};
  }
  auto assemble = whole.getDefiningOp<AssembleOp>();
  int64_t index = component.getComponentIndex();
  return assemble && index >= 0 ? assemble.getComponents()[index] : Value();
}

/// Step 3: cancels components against assembles.
static LogicalResult cancelComponents(IRRewriter &rewriter, Operation *root) {
  SmallVector<ComponentOp> components;
  root->walk([&](ComponentOp op) { components.push_back(op); });
  for (ComponentOp component : components) {
    Value value = resolve(component);
    if (!value)
      return component.emitOpError()
             << "cannot be expanded: nothing assembles its operand";
    rewriter.replaceAllUsesWith(component.getResult(), value);
  }
  for (ComponentOp component : llvm::reverse(components))
    component->dropAllReferences();
  SmallVector<AssembleOp> assembles;
  root->walk([&](AssembleOp op) { assembles.push_back(op); });
  for (AssembleOp assemble : assembles)
    assemble->dropAllReferences();
  for (ComponentOp component : components)
    rewriter.eraseOp(component);
  for (AssembleOp assemble : assembles) {
    if (!assemble->use_empty())
      return (*assemble->user_begin())->emitOpError()
             << "reads an encoded value that cannot be expanded";
    rewriter.eraseOp(assemble);
  }
  return success();
}

/// Erases what has become dead, such as sizes and masks that builders computed
/// and nobody needs, bottom up.
static void eraseDeadOps(IRRewriter &rewriter, Region &region) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOpTriviallyDead(&op)) {
        rewriter.eraseOp(&op);
        continue;
      }
      for (Region &nested : op.getRegions())
        eraseDeadOps(rewriter, nested);
    }
}

namespace {
struct CompressExpandEncodings
    : mlir::compress::impl::CompressExpandEncodingsBase<
          CompressExpandEncodings> {
  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(verifyEncodingRules(root)))
      return signalPassFailure();
    if (!anyMentionsEncoded(root)) {
      markAllAnalysesPreserved();
      return;
    }
    IRRewriter rewriter(&getContext());
    // In unreachable code a value may be its own operand.
    (void)eraseUnreachableBlocks(rewriter, root->getRegions());
    if (failed(expand::checkForwarders(root)) ||
        failed(expand::lowerOps(rewriter, root)) ||
        failed(expand::expandGlobals(rewriter, root)))
      return signalPassFailure();
    expand::expandForwarders(rewriter, root);
    if (failed(cancelComponents(rewriter, root)))
      return signalPassFailure();
    for (Region &region : root->getRegions())
      eraseDeadOps(rewriter, region);
    if (failed(verifyNothingLeft(root)))
      signalPassFailure();
  }

  static LogicalResult verifyNothingLeft(Operation *root) {
    WalkResult result = root->walk([](Operation *op) -> WalkResult {
      if (!mentionsEncoded(op))
        return WalkResult::advance();
      return op->emitOpError()
             << "mentions an encoded type in a way that cannot be expanded";
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
