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

/// The rows of `op`, those of all row dimensions; dynamic if they are not
/// known.
int64_t getNumRows(TileContractOp op);

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
