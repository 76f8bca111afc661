//===- EpilogueFusion.h - Elementwise ops behind tile kernels ---*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compress-fuse-tile-epilogues is made of: which elementwise ops an
// epilogue can have (FuseTileEpilogues.cpp), operands of a consumer behind
// reshapes as operands of the contraction before them (EpilogueOperands.cpp),
// and quantization without divisions (EpilogueCodes.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_CONVERSION_TILECONTRACT_EPILOGUEFUSION_H
#define COMPRESS_LIB_CONVERSION_TILECONTRACT_EPILOGUEFUSION_H

#include "compress/IR/Compress.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {

/// A tensor and, for each of its dimensions, the dimension of an iteration
/// space that indexes it. Without a builder only the shape is followed, to find
/// out whether what is asked for is possible.
struct EpilogueOperand {
  Value value;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> dims;

  AffineMap getMap(int64_t rank, MLIRContext *context) const;
};

/// `value`, indexed by `map` of which each result is a dimension or 0, with a
/// dimension for each of the former. std::nullopt if `map` is not like that.
std::optional<EpilogueOperand> makeEpilogueOperand(OpBuilder *b, Location loc,
                                                   Value value, AffineMap map);

/// `operand`, indexed by what the reshape or cast `step` makes, as indexed by
/// what it takes; `sourceSizes` are the sizes of the latter, if they are known.
/// Fails if its elements are not one box there.
LogicalResult moveBefore(OpBuilder *b, Location loc, Operation *step,
                         ArrayRef<OpFoldResult> sourceSizes,
                         EpilogueOperand &operand);

/// `step` on `value`, which differs from its operand in the element type.
Value applyStep(OpBuilder &b, Operation *step, Value value);

/// Whether `op` is a reshape or cast that consumers are moved through.
bool isEpilogueStep(Operation *op);

/// Replaces the divisions by constant scales of quantization in the epilogue of
/// `op` by products with their inverses, where that gives the same codes. The
/// target must have fused products.
void multiplyByInverseScales(RewriterBase &b, TileContractOp op);

} // namespace mlir::compress

#endif // COMPRESS_LIB_CONVERSION_TILECONTRACT_EPILOGUEFUSION_H
