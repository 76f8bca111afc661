//===- Passes.h - Passes of the lowering to LLVM ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, options and registration of the passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_PIPELINES_PASSES_H
#define COMPRESS_PIPELINES_PASSES_H

#include "compress/Pipelines/Threading.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace affine {
class AffineDialect;
} // namespace affine
namespace arith {
class ArithDialect;
} // namespace arith
namespace bufferization {
class BufferizationDialect;
} // namespace bufferization
namespace func {
class FuncDialect;
} // namespace func
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace math {
class MathDialect;
} // namespace math
namespace memref {
class MemRefDialect;
} // namespace memref
namespace omp {
class OpenMPDialect;
} // namespace omp
namespace scf {
class SCFDialect;
} // namespace scf
namespace tensor {
class TensorDialect;
} // namespace tensor

namespace compress {

/// The attribute on functions that holds their type from before
/// bufferization, see compress-prepare-entry-points.
inline constexpr llvm::StringLiteral signatureAttrName = "compress.signature";

/// What compress-target-to-llvm does, for `module` and the modules in it. Emits
/// an error if LLVM does not know the target's CPU or one of its features.
LogicalResult convertTargetToLLVM(ModuleOp module);

#define GEN_PASS_DECL
#include "compress/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compress/Pipelines/Passes.h.inc"

} // namespace compress
} // namespace mlir

#endif // COMPRESS_PIPELINES_PASSES_H
