//===- ExpandDynamicReshapes.cpp - Several unknown sizes of one
//------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-expand-dynamic-reshapes, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {
#define GEN_PASS_DEF_EXPANDDYNAMICRESHAPESPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;

/// Whether more than one dimension that one is expanded to is dynamic.
static bool hasSeveralUnknowns(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(), [&](const auto &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return op.getResultType().isDynamicDim(dim);
           }) > 1;
  });
}

static void expand(RewriterBase &b, memref::ExpandShapeOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  auto [knownStrides, knownOffset] = op.getResultType().getStridesAndOffset();
  for (auto [position, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = source.getConstifiedMixedStrides()[position];
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = ShapedType::isDynamic(knownStrides[dim])
                         ? stride
                         : OpFoldResult(b.getIndexAttr(knownStrides[dim]));
      stride = compress::buildMul(b, loc, stride, sizes[dim]);
    }
  }
  b.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), op.getSrc(), source.getConstifiedMixedOffset(),
      sizes, strides);
}

namespace {
struct ExpandDynamicReshapesPass
    : compress::impl::ExpandDynamicReshapesPassBase<ExpandDynamicReshapesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasSeveralUnknowns(op))
        expand(rewriter, op);
    });
  }
};
} // namespace
