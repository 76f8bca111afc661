//===- EnableTileRegisters.h - Permission for tile registers ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_PIPELINES_ENABLETILEREGISTERS_H
#define COMPRESS_LIB_PIPELINES_ENABLETILEREGISTERS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::compress {

/// Gives a module in the LLVM dialect that uses the tile registers of AMX a
/// constructor that asks the operating system for them, as Linux demands of
/// every process.
void addTileRegisterRequest(ModuleOp module);

} // namespace mlir::compress

#endif // COMPRESS_LIB_PIPELINES_ENABLETILEREGISTERS_H
