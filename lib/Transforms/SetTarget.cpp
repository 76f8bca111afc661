//===- SetTarget.cpp - The pass compress-set-target -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Target.h"
#include "compress/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSSETTARGET
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;
using ::compress::target::TargetDescription;
namespace target = ::compress::target;

/// What the options change: `cpu`, or without it the target of `module`.
static llvm::Expected<TargetDescription> getStart(ModuleOp module,
                                                  StringRef cpu) {
  if (!cpu.empty())
    return target::describeCPU(cpu);
  auto existing =
      module->getAttrOfType<TargetAttr>(CompressDialect::kTargetAttrName);
  if (!existing)
    return target::detectHost();
  TargetDescription description = getDescription(existing);
  if (llvm::Error error = target::checkNames(description))
    return error;
  return description;
}

namespace {
struct CompressSetTarget
    : mlir::compress::impl::CompressSetTargetBase<CompressSetTarget> {
  using CompressSetTargetBase::CompressSetTargetBase;

  void runOnOperation() override {
    llvm::Expected<TargetDescription> description =
        getStart(getOperation(), cpu);
    if (!description)
      return fail(description.takeError());
    if (llvm::Error error = target::applyFeatures(*description, features))
      return fail(std::move(error));
    if (failed(replace(description->l1d, l1d)) ||
        failed(replace(description->l2, l2)) ||
        failed(replace(description->l3, l3)) ||
        failed(replace(description->cores, cores)))
      return signalPassFailure();
    getOperation()->setAttr(CompressDialect::kTargetAttrName,
                            getTargetAttr(&getContext(), *description));
    markAllAnalysesPreserved();
  }

private:
  void fail(llvm::Error error) {
    getOperation()->emitError("cannot set the target: ")
        << llvm::toString(std::move(error));
    signalPassFailure();
  }

  LogicalResult replace(int64_t &size, const Option<int64_t> &option) {
    if (option < 0)
      return getOperation()->emitError("cannot set the target: '")
             << option.getArgStr() << "' must not be negative, but is "
             << option.getValue();
    if (option > 0)
      size = option;
    return success();
  }
};
} // namespace
