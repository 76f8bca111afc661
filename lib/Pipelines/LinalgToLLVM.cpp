//===- LinalgToLLVM.cpp - From linalg on tensors to LLVM ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the passes; LinalgToLLVM.h says what it promises.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/LinalgToLLVM.h"

#include "PipelineRegistration.h"
#include "compress/Conversion/Passes.h"
#include "compress/Pipelines/Passes.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// tosa becomes linalg, tensor, arith and scf; other IR passes through.
static void addTosaPasses(OpPassManager &pm) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(tosa::createTosaOptionalDecompositionsPass());
  func.addPass(tosa::createTosaMakeBroadcastablePass());
  func.addPass(tosa::createTosaToLinalgNamed());
  func.addPass(tosa::createTosaMakeBroadcastablePass());
  func.addPass(tosa::createTosaToLinalg());
  func.addPass(createTosaToTensorPass());
  func.addPass(createTosaToArithPass());
  func.addPass(createTosaToSCFPass());
}

/// Named ops become generics, ops without bufferization are decomposed, and
/// elementwise chains fuse, also into the contractions before them.
static void addTensorPasses(OpPassManager &pm,
                            const compress::LinalgToLLVMOptions &options) {
  pm.addPass(compress::createPrepareEntryPointsPass());
  addTosaPasses(pm);
  addCleanup(pm);
  pm.addPass(compress::createCompressLegalizeNarrowIntegers());
  pm.addPass(compress::createDecomposeTensorOpsPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  compress::FuseElementwisePassOptions fusion;
  fusion.maxRecompute = options.maxRecompute;
  pm.addPass(compress::createFuseElementwisePass(fusion));
  // Sizes of tensors that only others need do not keep these alive.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanup(pm);
  // Behind it, so that what follows a contraction is one op.
  pm.addPass(compress::createCompressFuseTileEpilogues());
  addCleanup(pm);
  // Behind it, so that contractions follow each other.
  compress::CompressFuseContractionChainsOptions chains;
  chains.rows = options.chainRows;
  pm.addPass(compress::createCompressFuseContractionChains(chains));
  addCleanup(pm);
}

static void addBufferizationPasses(OpPassManager &pm,
                                   compress::Threading threading) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanup(pm);
  // What is below runs on sequential loops as it does on loops for threads, but
  // hoists buffers out of the former only.
  compress::LowerParallelLoopsPassOptions sequential;
  sequential.threading = threading;
  sequential.keepMarked = true;
  pm.addPass(compress::createLowerParallelLoopsPass(sequential));
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferHoistingPass());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(pm);
}

void compress::buildLinalgToLoopsPipeline(OpPassManager &pm,
                                          const LinalgToLLVMOptions &options) {
  addTensorPasses(pm, options);
  addBufferizationPasses(pm, options.threading);
  pm.addPass(createCompressOutlineTileContracts());
  pm.addPass(createCompressLowerTileContracts());
  LowerLinalgToVectorizableLoopsPassOptions loops;
  loops.relaxReductions = options.relaxReductions;
  pm.addPass(createLowerLinalgToVectorizableLoopsPass(loops));
  pm.addPass(createLoopInvariantCodeMotionPass());
  addCleanup(pm);
}

/// Rewrites of ops that have no direct LLVM counterpart.
static void addExpansionPasses(OpPassManager &pm,
                               compress::Threading threading) {
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  // After the passes that put buffers into loop bodies, and before those that
  // turn loops into branches.
  compress::LowerParallelLoopsPassOptions parallel;
  parallel.threading = threading;
  pm.addPass(compress::createLowerParallelLoopsPass(parallel));
  pm.addPass(memref::createExpandReallocPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(compress::createExpandDynamicReshapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  // The metadata expansion leaves affine.apply behind.
  pm.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeF8E8M0 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(createSCFToControlFlowPass());
}

/// One conversion for each dialect, then the casts between them.
static void addLLVMConversions(OpPassManager &pm,
                               compress::Threading threading) {
  ConvertMathToLLVMPassOptions math;
  // log1p(x) as log(1 + x) is wrong for small x.
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToFuncs());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  if (threading == compress::Threading::OpenMP)
    pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(pm);
}

void compress::buildLoopsToLLVMPipeline(OpPassManager &pm,
                                        const LinalgToLLVMOptions &options) {

  addExpansionPasses(pm, options.threading);
  pm.addPass(createVerifyByteAddressablePass());
  addCleanup(pm);
  addLLVMConversions(pm, options.threading);
  // Last, because these passes make functions too.
  pm.addPass(createTargetToLLVMPass());
}

void compress::addSetTargetPass(OpPassManager &pm,
                                const LinalgToLLVMOptions &options) {
  CompressSetTargetOptions target;
  target.cpu = options.targetCPU;
  target.features = options.targetFeatures;
  target.cores = options.threads;
  pm.addPass(createCompressSetTarget(target));
}

void compress::buildLinalgToLLVMPipeline(OpPassManager &pm,
                                         const LinalgToLLVMOptions &options) {
  addSetTargetPass(pm, options);
  buildLinalgToLoopsPipeline(pm, options);
  if (!options.stopAtLoops)
    buildLoopsToLLVMPipeline(pm, options);
}

void compress::registerLinalgToLLVMPipeline() {
  registerModulePipeline<LinalgToLLVMOptions>(
      "compress-linalg-to-llvm",
      "Lower linalg on tensors, and everything below it, to the LLVM dialect",
      buildLinalgToLLVMPipeline);
}
