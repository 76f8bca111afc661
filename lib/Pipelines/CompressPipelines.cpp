//===- CompressPipelines.cpp - From annotated models to linalg and LLVM ---===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/CompressPipelines.h"

#include "PipelineRegistration.h"

#include "compress/Check/Passes.h"
#include "compress/Conversion/Passes.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Down to linalg and, if `native`, the tile kernels of the module's target.
static void buildToLinalg(OpPassManager &pm, bool native) {
  using namespace compress;
  pm.addPass(createCompressVerify());
  // A recipe on the module is followed; whoever wants to record what observers
  // see has lowered them before.
  pm.addPass(createCompressAnnotate());
  pm.addPass(createCompressLowerObserve());
  // Quantization becomes explicit before constants are encoded: a fake
  // quantizer on a weight is one more constant to encode.
  pm.addPass(createCompressIntegrateQDQ());
  pm.addPass(createCompressFoldEncode());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  CompressSelectStrategyOptions selection;
  selection.native = native;
  pm.addPass(createCompressSelectStrategy(selection));
  pm.addPass(createCompressLowerContractions());
  pm.addPass(createCompressExpandEncodings());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void compress::buildCompressToLinalgPipeline(OpPassManager &pm) {
  buildToLinalg(pm, /*native=*/false);
}

void compress::buildCompressToLLVMPipeline(OpPassManager &pm,
                                           const LinalgToLLVMOptions &options) {
  addSetTargetPass(pm, options);
  buildToLinalg(pm, /*native=*/true);
  pm.addPass(createCompressLowerChecks());
  buildLinalgToLLVMPipeline(pm, options);
}

static void buildWithoutOptions(OpPassManager &pm,
                                const compress::NoPipelineOptions &) {
  compress::buildCompressToLinalgPipeline(pm);
}

void compress::registerCompressPipelines() {
  registerModulePipeline<NoPipelineOptions>(
      "compress-to-linalg",
      "Lower encoded values and their ops to linalg on plain tensors",
      buildWithoutOptions);
  registerModulePipeline<LinalgToLLVMOptions>(
      "compress-to-llvm",
      "Lower encoded values and their ops to the LLVM dialect",
      buildCompressToLLVMPipeline);
}
