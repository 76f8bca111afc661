//===- InsertObservers.cpp - The pass compress-insert-observers -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecipeMatch.h"
#include "compress/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSINSERTOBSERVERS
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
struct CompressInsertObservers
    : mlir::compress::impl::CompressInsertObserversBase<
          CompressInsertObservers> {
  using CompressInsertObserversBase::CompressInsertObserversBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Recipe> rules = loadRecipe(module, recipe);
    if (failed(rules))
      return signalPassFailure();
    FailureOr<SmallVector<RecipeMatch, 0>> matches =
        matchRecipe(module, *rules);
    if (failed(matches))
      return signalPassFailure();
    llvm::DenseSet<Value> observed;
    for (const RecipeMatch &match : *matches) {
      Value value = match.operand->get();
      if (match.calibrationName.empty() || !observed.insert(value).second)
        continue;
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      ObserveOp::create(builder, match.operand->getOwner()->getLoc(), value,
                        match.calibrationName);
    }
  }
};
} // namespace
