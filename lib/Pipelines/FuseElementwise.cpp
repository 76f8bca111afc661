//===- FuseElementwise.cpp - Fusion that repeats no work ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-fuse-elementwise, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::compress {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;

/// How often `consumer` reads each element that `operand` indexes: the trip
/// count of the loops that its indexing map does not depend on. std::nullopt if
/// that is not known.
static std::optional<int64_t> getReadsPerElement(linalg::LinalgOp consumer,
                                                 OpOperand &operand) {
  AffineMap map = consumer.getMatchingIndexingMap(&operand);
  // A window, as in convolutions, reads elements repeatedly too: only plain
  // dimensions are counted exactly.
  if (!map.isProjectedPermutation())
    return std::nullopt;
  int64_t reads = 1;
  for (auto [dim, range] : llvm::enumerate(consumer.getStaticLoopRanges())) {
    if (map.isFunctionOfDim(dim))
      continue;
    if (ShapedType::isDynamic(range))
      return std::nullopt;
    if (llvm::MulOverflow(reads, range, reads))
      return std::nullopt;
  }
  return reads;
}

/// Whether `consumer` may compute elements of `producer` as often as it reads
/// them. A producer that reads what its output held before must not: once fused
/// it still updates that output in place, each time anew.
static bool isRepeatable(Operation *producer, linalg::LinalgOp consumer,
                         OpOperand &operand) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(producer);
  if (!linalgOp || consumer.getMatchingIndexingMap(&operand).isPermutation())
    return true;
  return llvm::none_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
    return linalgOp.payloadUsesValueFromOperand(&init);
  });
}

namespace {
struct FuseElementwisePass
    : compress::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (maxRecompute < 1)
      return emitError(UnknownLoc::get(context))
             << "compress-fuse-elementwise: option 'max-recompute' is "
             << maxRecompute.getValue() << ", it must be 1 or more";
    return success();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    int64_t limit = maxRecompute;
    auto control = [limit](OpOperand *operand) {
      Operation *producer = operand->get().getDefiningOp();
      auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
      if (!producer || !producer->hasOneUse() || !consumer)
        return false;
      if (!isRepeatable(producer, consumer, *operand))
        return false;
      std::optional<int64_t> reads = getReadsPerElement(consumer, *operand);
      return reads && *reads <= limit;
    };
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, control);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};
} // namespace
