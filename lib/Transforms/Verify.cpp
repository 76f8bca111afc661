//===- Verify.cpp - The pass compress-verify ------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/EncodingRules.h"
#include "compress/Transforms/Passes.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSVERIFY
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
struct CompressVerify
    : mlir::compress::impl::CompressVerifyBase<CompressVerify> {
  void runOnOperation() override {
    if (failed(verifyEncodingRules(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
