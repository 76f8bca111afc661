//===- SelectStrategy.cpp - The pass compress-select-strategy -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/NativeContraction.h"
#include "compress/Transforms/Passes.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSSELECTSTRATEGY
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// The native strategy of a sum of products, if there is one.
static StrategyAttr chooseNative(linalg::LinalgOp op) {
  std::optional<Contraction> contraction = Contraction::match(op);
  std::string reason;
  if (!contraction)
    return {};
  TargetAttr target = getTarget(op);
  if (target.getVectorBits() <= 128)
    return {};
  StrategyAttr strategy = chooseNativeStrategy(*contraction, target, reason);
  if (!strategy && hasEncodedInputs(op))
    op.emitRemark() << "no tile kernel computes this: " << reason;
  return strategy;
}

namespace {
struct CompressSelectStrategy
    : mlir::compress::impl::CompressSelectStrategyBase<CompressSelectStrategy> {
  using Base =
      mlir::compress::impl::CompressSelectStrategyBase<CompressSelectStrategy>;
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([&](linalg::LinalgOp op) {
      // What somebody chose by hand stays.
      if (op->hasAttr(CompressDialect::kStrategyAttrName))
        return;
      if (native)
        if (StrategyAttr strategy = chooseNative(op)) {
          op->setAttr(CompressDialect::kStrategyAttrName, strategy);
          return;
        }
      if (hasEncodedInputs(op))
        op->setAttr(CompressDialect::kStrategyAttrName,
                    chooseStrategy(op).strategy);
    });
  }
};
} // namespace
