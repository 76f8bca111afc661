//===- LinalgToLLVM.h - From linalg on tensors to LLVM ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plain lowering for CPUs, without tile kernels: bufferization, loops in an
// order that LLVM vectorizes, and the conversions to the LLVM dialect. It knows
// no compressed types; those are expanded before.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_PIPELINES_LINALGTOLLVM_H
#define COMPRESS_PIPELINES_LINALGTOLLVM_H

#include "compress/Pipelines/Threading.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir::compress {

/// Options of `compress-linalg-to-llvm`.
struct LinalgToLLVMOptions : public PassPipelineOptions<LinalgToLLVMOptions> {
  /// Most often the element of a fused elementwise producer may be computed.
  PassOptions::Option<int64_t> maxRecompute{
      *this, "max-recompute",
      llvm::cl::desc("Most often a fused producer's element may be computed "
                     "(1 or more)"),
      llvm::cl::init(4)};
  /// The option `rows` of compress-fuse-contraction-chains.
  PassOptions::Option<int64_t> chainRows{
      *this, "chain-rows",
      llvm::cl::desc("Rows for which chains of contractions are computed at a "
                     "time (0: chosen, where it pays; -1: all)"),
      llvm::cl::init(0)};
  /// Float accumulations get `reassoc` and `contract`, so that reductions
  /// vectorize; off gives the sequential order of the loops.
  PassOptions::Option<bool> relaxReductions{
      *this, "relax-reductions",
      llvm::cl::desc("Let float reductions be reassociated and contracted"),
      llvm::cl::init(true)};
  /// What `scf.forall` loops with `compress.threads` become.
  PassOptions::Option<Threading> threading{
      *this, "threading",
      llvm::cl::desc("How loops marked with compress.threads run"),
      llvm::cl::init(Threading::Pool),
      llvm::cl::values(
          clEnumValN(Threading::Pool, "pool", "on the runtime's thread pool"),
          clEnumValN(Threading::OpenMP, "openmp", "on OpenMP's threads"),
          clEnumValN(Threading::None, "none", "sequentially"))};
  /// The CPU to compile for; see compress-set-target, which gets these three.
  PassOptions::Option<std::string> targetCPU{
      *this, "target-cpu",
      llvm::cl::desc("CPU to compile for, or 'host' (default: the module's "
                     "target, else host)"),
      llvm::cl::init("")};
  PassOptions::Option<std::string> targetFeatures{
      *this, "target-features",
      llvm::cl::desc("CPU features to add or remove, e.g. +avx2,-fma"),
      llvm::cl::init("")};
  /// Stored as the cores of the target.
  PassOptions::Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc("Threads to use (1: none are made; 0: as many as the "
                     "target has cores)"),
      llvm::cl::init(0)};
  /// Stops in front of the LLVM dialect, with buffers and loops.
  PassOptions::Option<bool> stopAtLoops{
      *this, "stop-at-loops",
      llvm::cl::desc("Stop at loops over memrefs, before the LLVM dialect"),
      llvm::cl::init(false)};
};

/// Adds compress-set-target with the options that it has here.
void addSetTargetPass(OpPassManager &pm, const LinalgToLLVMOptions &options);

/// Adds the passes, for a `builtin.module`, that lower tosa, func, linalg,
/// tensor, memref, scf, cf, affine, arith, math, vector, complex, index, ub and
/// ml_program to the LLVM dialect. IR that is partly or wholly lowered already
/// passes through. They begin with compress-set-target and end with
/// compress-target-to-llvm.
///
/// Calling convention of what comes out: memrefs are expanded descriptors with
/// the identity layout; a function never writes to the tensor arguments of a
/// public function, never frees an argument, and the caller owns each returned
/// buffer, which is its own `malloc` allocation.
void buildLinalgToLLVMPipeline(OpPassManager &pm,
                               const LinalgToLLVMOptions &options);

/// The first half of it: ends with loops over memrefs, deallocations included.
void buildLinalgToLoopsPipeline(OpPassManager &pm,
                                const LinalgToLLVMOptions &options);

/// The second half: from loops and memrefs to the LLVM dialect.
void buildLoopsToLLVMPipeline(OpPassManager &pm,
                              const LinalgToLLVMOptions &options);

/// Registers the pipeline `compress-linalg-to-llvm`.
void registerLinalgToLLVMPipeline();

} // namespace mlir::compress

#endif // COMPRESS_PIPELINES_LINALGTOLLVM_H
