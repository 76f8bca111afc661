//===- LowerContractions.cpp - The pass compress-lower-contractions -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Contractions.h"
#include "compress/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSLOWERCONTRACTIONS
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// Says at the op that it takes the last resort, and why.
static void remarkDecoding(linalg::LinalgOp op, int64_t tile) {
  std::string reason = chooseStrategy(op).reason;
  InFlightDiagnostic remark = op.emitRemark();
  remark << "encoded operands are decoded " << (tile > 0 ? "by tiles" : "whole")
         << " and the op is computed in floating point";
  if (!reason.empty())
    remark << ": " << reason;
}

LogicalResult mlir::compress::lowerEncodedOp(RewriterBase &rewriter,
                                             linalg::LinalgOp op,
                                             StrategyAttr strategy) {
  rewriter.setInsertionPoint(op);
  if (strategy.getExit() == ContractionExit::Portable) {
    std::optional<Contraction> contraction = Contraction::match(op);
    if (!contraction)
      return op.emitOpError("cannot take the portable exit: it is not a sum of "
                            "products of two operands; use exit = decode");
    if (std::optional<std::string> obstacle = getPortableObstacle(*contraction))
      return op.emitOpError() << "cannot take the portable exit: " << *obstacle
                              << "; use exit = decode";
    FailureOr<Value> result =
        lowerAffineContraction(rewriter, *contraction, strategy.getTile());
    if (failed(result))
      return op.emitOpError("cannot take the portable exit: the result must be "
                            "of type f16, bf16, f32 or f64");
    rewriter.replaceOp(op, *result);
    return success();
  }
  if (strategy.getExit() == ContractionExit::Native) {
    std::optional<Contraction> contraction = Contraction::match(op);
    if (!contraction)
      return op.emitOpError("cannot take the native exit: it is not a sum of "
                            "products of two operands; use exit = decode");
    FailureOr<Value> result =
        lowerNativeContraction(rewriter, *contraction, strategy);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
  remarkDecoding(op, strategy.getTile());
  FailureOr<SmallVector<Value>> results =
      lowerByDecoding(rewriter, op, strategy.getTile());
  if (failed(results))
    return op.emitOpError("has an encoded operand that cannot be decoded");
  rewriter.replaceOp(op, *results);
  return success();
}

namespace {
struct CompressLowerContractions
    : mlir::compress::impl::CompressLowerContractionsBase<
          CompressLowerContractions> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      // Dense operands are a matter of tile kernels alone.
      auto strategy =
          op->getAttrOfType<StrategyAttr>(CompressDialect::kStrategyAttrName);
      if (hasEncodedInputs(op) ||
          (strategy && strategy.getExit() == ContractionExit::Native))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      auto strategy =
          op->getAttrOfType<StrategyAttr>(CompressDialect::kStrategyAttrName);
      if (!strategy)
        strategy = chooseStrategy(op).strategy;
      if (failed(lowerEncodedOp(rewriter, op, strategy)))
        return signalPassFailure();
    }
  }
};
} // namespace
