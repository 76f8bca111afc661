//===- JitLibraries.h - What compiled code links to -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: the shared libraries of JIT-compiled code, and the
// check that its functions are defined somewhere.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_EXECUTION_JITLIBRARIES_H
#define COMPRESS_LIB_EXECUTION_JITLIBRARIES_H

#include "compress/Execution/RuntimeSymbols.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::compress {

/// Loads the libraries at `paths`, and OpenMP's if `module` needs it and none
/// of them brought it. Emits an error at `loc` or at the op that needs it.
LogicalResult loadLibraries(ModuleOp module, Location loc,
                            ArrayRef<std::string> paths);

/// Emits an error for a function that is called but defined nowhere: the linker
/// of the JIT would name it, but not its place in the IR.
LogicalResult
checkResolvable(ModuleOp module,
                const ::compress::execution::RuntimeSymbols &symbols);

} // namespace mlir::compress

#endif // COMPRESS_LIB_EXECUTION_JITLIBRARIES_H
