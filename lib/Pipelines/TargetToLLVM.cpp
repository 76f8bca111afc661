//===- TargetToLLVM.cpp - Function attributes of the CPU to compile for ---===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-target-to-llvm, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "EnableTileRegisters.h"
#include "compress/IR/Target.h"
#include "compress/Pipelines/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::compress {
#define GEN_PASS_DEF_TARGETTOLLVMPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;
using ::compress::target::TargetDescription;
namespace target = ::compress::target;

/// Handles the functions of `module`, those of nested modules without a target
/// of their own included.
static LogicalResult convertModule(ModuleOp module, TargetAttr attr) {
  TargetDescription description = getDescription(attr);
  if (llvm::Error error = target::checkNames(description))
    return module.emitError("cannot compile for its target: ")
           << llvm::toString(std::move(error));
  addTileRegisterRequest(module);
  auto cpu = StringAttr::get(module.getContext(), description.cpu);
  std::vector<std::string> names = target::getCodeGenFeatures(description);
  SmallVector<StringRef> refs(names.begin(), names.end());
  LLVM::TargetFeaturesAttr features;
  if (!refs.empty())
    features = LLVM::TargetFeaturesAttr::get(module.getContext(), refs);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Other symbol tables are for other machines, such as GPUs.
    if (op != module && op->hasTrait<OpTrait::SymbolTable>() &&
        !isa<ModuleOp>(op))
      return WalkResult::skip();
    auto func = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!func || func.isExternal() || func.getTargetCpuAttr() ||
        func.getTargetFeaturesAttr())
      return WalkResult::advance();
    func.setTargetCpuAttr(cpu);
    if (features)
      func.setTargetFeaturesAttr(features);
    return WalkResult::skip();
  });
  module->removeAttr(CompressDialect::kTargetAttrName);
  return success();
}

LogicalResult mlir::compress::convertTargetToLLVM(ModuleOp module) {
  // Inner modules first: what they set stays.
  WalkResult result = module.walk([](ModuleOp inner) {
    auto attr =
        inner->getAttrOfType<TargetAttr>(CompressDialect::kTargetAttrName);
    return WalkResult(attr ? convertModule(inner, attr) : success());
  });
  return failure(result.wasInterrupted());
}

namespace {
struct TargetToLLVMPass
    : mlir::compress::impl::TargetToLLVMPassBase<TargetToLLVMPass> {
  void runOnOperation() override {
    if (failed(convertTargetToLLVM(getOperation())))
      signalPassFailure();
  }
};
} // namespace
