//===- SelectStrategy.cpp - The pass compress-select-strategy -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/Contraction.h"
#include "compress/Transforms/Passes.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSSELECTSTRATEGY
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
struct CompressSelectStrategy
    : mlir::compress::impl::CompressSelectStrategyBase<CompressSelectStrategy> {
  void runOnOperation() override {
    getOperation()->walk([&](linalg::LinalgOp op) {
      // What somebody chose by hand stays.
      if (hasEncodedInputs(op) &&
          !op->hasAttr(CompressDialect::kStrategyAttrName))
        op->setAttr(CompressDialect::kStrategyAttrName,
                    chooseStrategy(op).strategy);
    });
  }
};
} // namespace
