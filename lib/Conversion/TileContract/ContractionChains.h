//===- ContractionChains.h - When chains of products pay --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions of compress-fuse-contraction-chains (ContractionChains.cpp);
// what chains are and how they are rewritten is in FuseContractionChains.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_CONVERSION_TILECONTRACT_CONTRACTIONCHAINS_H
#define COMPRESS_LIB_CONVERSION_TILECONTRACT_CONTRACTIONCHAINS_H

#include "compress/IR/Compress.h"

namespace mlir::compress {

/// The dimensions in front of `op`, one of the chain `ops`, that are cut into
/// blocks: those of rows, or of images if the chain has windows, whose lines
/// need their neighbours. Called rows in either case.
int64_t getRowDims(ArrayRef<TileContractOp> ops, TileContractOp op);

/// `value` as a result and the reshapes between, each of which leaves the
/// leading `rowDims` dimensions as they are.
struct ChainPath {
  Value root;
  /// The one of the root first.
  SmallVector<Operation *> steps;

  ChainPath(Value value, int64_t rowDims);
};

/// How a chain is computed.
struct ChainPlan {
  /// Rows of a block.
  int64_t rows = 0;
  /// Threads that share the blocks.
  int64_t threads = 1;
  /// If the number of rows is known at run time only: fewer than these are
  /// computed without blocks.
  int64_t fewRows = 0;
};

/// Whether the panels of `ops` stay in the second cache beside enough rows for
/// a block; `reason` says why not.
bool fitsCache(ArrayRef<TileContractOp> ops, std::string &reason);

/// The plan for `ops`, of which `inside` are the results that nothing else
/// uses, or none, with the reason, if they are better computed one after the
/// other. `rows` are those of a block if they are given, else 0.
std::optional<ChainPlan> planChain(ArrayRef<TileContractOp> ops,
                                   ArrayRef<OpResult> inside, int64_t rows,
                                   std::string &reason);

} // namespace mlir::compress

#endif // COMPRESS_LIB_CONVERSION_TILECONTRACT_CONTRACTIONCHAINS_H
