//===- LowerTileContracts.cpp - The pass compress-lower-tile-contracts ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "compress/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSLOWERTILECONTRACTS
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
struct CompressLowerTileContracts
    : mlir::compress::impl::CompressLowerTileContractsBase<
          CompressLowerTileContracts> {
  void runOnOperation() override {
    SmallVector<TileContractOp> ops;
    getOperation()->walk([&](TileContractOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (TileContractOp op : ops) {
      if (!op.isMemrefForm()) {
        op.emitOpError("is on tensors; bufferize it first (the pipeline "
                       "compress-linalg-to-llvm does)");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      op = collapseRows(rewriter, op);
      rewriter.setInsertionPoint(op);
      if (failed(TileLowering(rewriter, op).run()))
        return signalPassFailure();
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
