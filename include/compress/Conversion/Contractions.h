//===- Contractions.h - Lowering of contractions with encoded operands --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CONVERSION_CONTRACTIONS_H
#define COMPRESS_CONVERSION_CONTRACTIONS_H

#include "compress/Analysis/Contraction.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {

/// The portable exit of a contraction whose encoded operands are affine: codes
/// are multiplied and summed, scales applied to the sums.
///
/// * integer x integer: exact in i32 where the bound of the sum is proved, else
///   in chunks of proved length that are summed in i64. Zero points enter by
///   sums over one operand, not per product. Where no scale varies along a
///   reduction, the result is the f64 product of sum and scales, rounded once.
/// * integer x float: codes minus zero point times the float operand, in f32
///   (f64 if the float operand or the result is f64).
///
/// Reductions along which scales vary become loops over their blocks, whose
/// sums are scaled and added in the result type, f32 at least. `tile` > 0
/// bounds how many elements of a reduction are unpacked at a time where no
/// scale varies.
///
/// New ops go to the rewriter's insertion point. Returns the value that
/// replaces the result; getPortableObstacle must be nothing.
FailureOr<Value> lowerAffineContraction(RewriterBase &rewriter,
                                        const Contraction &contraction,
                                        int64_t tile);

/// The exact integer sums of a contraction of two affine operands whose scales
/// do not vary along a reduction, zero points applied: a tensor of i32 or i64
/// shaped as the result. The initial value of the op is left out. Fails if a
/// scale varies along a reduction or an operand is dense.
FailureOr<Value> buildIntegerSums(RewriterBase &rewriter,
                                  const Contraction &contraction, int64_t tile);

/// The result of `contraction` by the tile kernel of `strategy` (exit =
/// native), as a compress.tile_contract. Reports where it cannot.
FailureOr<Value> lowerNativeContraction(RewriterBase &rewriter,
                                        const Contraction &contraction,
                                        StrategyAttr strategy);

/// Any linalg op with encoded inputs: they are decoded (by tiles of about
/// `tile` elements of one loop where op and encodings allow that and `tile` >
/// 0, else whole), and the op is applied to the decoded numbers. Returns the
/// values that replace the results.
FailureOr<SmallVector<Value>>
lowerByDecoding(RewriterBase &rewriter, linalg::LinalgOp op, int64_t tile);

/// Lowers `op` by `strategy`. Reports at `op` why it cannot.
LogicalResult lowerEncodedOp(RewriterBase &rewriter, linalg::LinalgOp op,
                             StrategyAttr strategy);

} // namespace mlir::compress

#endif // COMPRESS_CONVERSION_CONTRACTIONS_H
