//===- NativeContraction.h - Contractions that tile kernels do --*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_ANALYSIS_NATIVECONTRACTION_H
#define COMPRESS_ANALYSIS_NATIVECONTRACTION_H

#include "compress/Analysis/Contraction.h"
#include "compress/IR/Target.h"

namespace mlir::compress {

/// A dimension of a sliding window: its loop over positions (a dimension of the
/// result) and its loop over taps.
struct WindowDim {
  unsigned rowLoop = 0, tapLoop = 0;
  int64_t stride = 1, dilation = 1;
};

/// The roles of a contraction's loops and operands for a tile kernel.
struct NativeForm {
  /// The operands that the kernel takes as its left (rows) and right one
  /// (columns, packed): 0 and 1 or swapped.
  unsigned lhs = 0, rhs = 1;
  /// Loops of both operands and the result, of lhs and result, of rhs and
  /// result, and the reductions; each in the order of the result or of lhs.
  SmallVector<unsigned> batch, rows, columns, depth;
  /// For a convolution: the spatial dimensions, outermost first. `depth` holds
  /// the channels alone then. Windows of one tap at every position are none.
  SmallVector<WindowDim> window;
  /// The loops over taps, also where there is only one.
  SmallVector<unsigned> taps;
};

/// Rows from which on it pays to expand panels: what selection counts on, and
/// the lowering does.
constexpr int64_t kExpandedRows = 48;

/// The form of `contraction`, or nothing, with the reason in `reason`.
std::optional<NativeForm> getNativeForm(const Contraction &contraction,
                                        std::string &reason);

/// Whether `kernel` computes `contraction`, which has `form`; if not, `reason`
/// says why. For kernels that were chosen by hand.
bool canCompute(TileKernelAttrInterface kernel, const Contraction &contraction,
                const NativeForm &form, std::string &reason);

/// The kernel and threads with which `contraction` is computed fastest on
/// `target`; null, with the reason, if no kernel can.
StrategyAttr chooseNativeStrategy(const Contraction &contraction,
                                  TargetAttr target, std::string &reason);

} // namespace mlir::compress

#endif // COMPRESS_ANALYSIS_NATIVECONTRACTION_H
