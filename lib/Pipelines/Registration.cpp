//===- Registration.cpp - Everything that a tool registers ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Registration.h"

#include "compress/Check/Check.h"
#include "compress/Check/Passes.h"
#include "compress/Conversion/Passes.h"
#include "compress/IR/Compress.h"
#include "compress/Pipelines/CompressPipelines.h"
#include "compress/Pipelines/LinalgToLLVM.h"
#include "compress/Pipelines/Passes.h"
#include "compress/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void mlir::compress::registerAllCompressDialects(DialectRegistry &registry) {
  registry.insert<CompressDialect, check::CompressCheckDialect>();
}

void mlir::compress::registerAllCompressPasses() {
  registerCompressCheckPasses();
  registerCompressConversionPasses();
  registerCompressTransformsPasses();
  registerCompressPipelinesPasses();
  registerCompressPipelines();
  registerLinalgToLLVMPipeline();
}
