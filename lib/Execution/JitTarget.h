//===- JitTarget.h - The CPU that the JIT compiles for ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_EXECUTION_JITTARGET_H
#define COMPRESS_LIB_EXECUTION_JITTARGET_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace mlir::compress {

/// The code generator for `module`: for the CPU in the attributes of `entry`,
/// else for this machine. Emits an error at a function whose attributes name a
/// CPU or a feature that LLVM does not have, or one that this machine lacks.
FailureOr<std::unique_ptr<llvm::TargetMachine>>
createJitTargetMachine(ModuleOp module, LLVM::LLVMFuncOp entry,
                       unsigned optLevel);

} // namespace mlir::compress

#endif // COMPRESS_LIB_EXECUTION_JITTARGET_H
