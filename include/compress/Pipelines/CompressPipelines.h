//===- CompressPipelines.h - From annotated models to linalg and LLVM --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_PIPELINES_COMPRESSPIPELINES_H
#define COMPRESS_PIPELINES_COMPRESSPIPELINES_H

#include "compress/Pipelines/LinalgToLLVM.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::compress {

/// Adds the passes, for a `builtin.module`, that take a model with encoded
/// values, or with quantization of any form that compress-integrate-qdq knows,
/// to plain `linalg` on tensors: the exit into another compiler. Nothing of the
/// compress dialect is left but `compress.observe`. Modules without any pass
/// through unchanged but for canonicalization.
void buildCompressToLinalgPipeline(OpPassManager &pm);

/// The same, and on to the LLVM dialect (see buildLinalgToLLVMPipeline).
void buildCompressToLLVMPipeline(OpPassManager &pm,
                                 const LinalgToLLVMOptions &options);

/// Registers `compress-to-linalg` and `compress-to-llvm`.
void registerCompressPipelines();

} // namespace mlir::compress

#endif // COMPRESS_PIPELINES_COMPRESSPIPELINES_H
