//===- Contraction.h - Ops that are sums of products of two operands --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_ANALYSIS_CONTRACTION_H
#define COMPRESS_ANALYSIS_CONTRACTION_H

#include "compress/IR/Compress.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mlir::compress {

/// A `linalg` op on tensors that computes
///   out[f(i)] = init[f(i)] + sum over reduction loops of lhs[g(i)] * rhs[h(i)]
/// in floating point: named or generic matmuls, batched ones, matvecs,
/// convolutions of all layouts, depthwise, grouped. Recognized by its
/// interface, maps and body, never by its name. Inputs and products may be
/// widened; any other op in the body (a narrowing cast, an exponential) means
/// another sum.
struct Contraction {
  /// Null if `op` is not of this form.
  static std::optional<Contraction> match(linalg::LinalgOp op);

  linalg::LinalgOp op;
  /// Indexing maps of lhs, rhs and out.
  SmallVector<AffineMap, 3> maps;
  SmallVector<utils::IteratorType> iterators;

  unsigned getNumLoops() const { return iterators.size(); }
  bool isReduction(unsigned loop) const {
    return iterators[loop] == utils::IteratorType::reduction;
  }
  /// 0 and 1 are lhs and rhs, 2 is the initial value of the result.
  Value getOperand(unsigned side) const { return op->getOperand(side); }
  Location getLoc() const { return op->getLoc(); }
  /// The loop that alone indexes dimension `dim` of operand `side`, if so.
  std::optional<unsigned> getPlainLoop(unsigned side, unsigned dim) const;
  /// Whether `loop` occurs in the map of `side` at all.
  bool involves(unsigned side, unsigned loop) const;
  /// Whether every dimension of every operand that `loop` indexes is indexed
  /// by it alone, so that tiling the loop slices the operands.
  bool isSliceable(unsigned loop) const;
  /// Whether the initial value is known to be all zeros (of either sign: adding
  /// one changes no sum).
  bool hasZeroInit() const;
  /// Whether the type of the result shows that it has no elements.
  bool hasEmptyResult() const;
  /// The static size of `loop`, ShapedType::kDynamic if unknown.
  int64_t getStaticSize(unsigned loop) const;
};

/// Why `contraction` cannot be computed on the codes of its affine operands,
/// or nothing if it can (the portable exit).
std::optional<std::string> getPortableObstacle(const Contraction &contraction);

/// The strategy that `compress-select-strategy` gives to `op`, which has at
/// least one encoded input, with the reason where it is `decode`.
struct StrategyChoice {
  StrategyAttr strategy;
  std::string reason;
};
StrategyChoice chooseStrategy(linalg::LinalgOp op);

/// The longest loop over which tiles of all large encoded operands can be taken
/// one by one, slicing the other operands; a reduction if `wantReduction`.
std::optional<unsigned> chooseTiledLoop(const Contraction &contraction,
                                        bool wantReduction);

/// Whether `op` has inputs of encoded type.
bool hasEncodedInputs(linalg::LinalgOp op);

} // namespace mlir::compress

#endif // COMPRESS_ANALYSIS_CONTRACTION_H
