//===- JitTarget.cpp - The CPU that the JIT compiles for ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitTarget.h"

#include "compress/Target/HostTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>

using namespace mlir;
using ::compress::target::TargetDescription;
namespace target = ::compress::target;

namespace {
/// What the attributes of a function say.
struct FunctionTarget {
  explicit FunctionTarget(LLVM::LLVMFuncOp func)
      : cpu(func.getTargetCpu().value_or("")) {
    if (LLVM::TargetFeaturesAttr attr = func.getTargetFeaturesAttr())
      for (StringAttr feature : attr.getFeatures())
        features.push_back(feature.str());
  }

  bool isGiven() const { return !cpu.empty() || !features.empty(); }
  bool operator==(const FunctionTarget &other) const {
    return cpu == other.cpu && features == other.features;
  }

  std::string cpu;
  /// With their signs.
  std::vector<std::string> features;
};
} // namespace

/// LLVM itself only warns of features that it does not know.
static LogicalResult checkFeatures(LLVM::LLVMFuncOp func,
                                   const FunctionTarget &given,
                                   const llvm::TargetMachine &machine) {
  auto known = machine.getMCSubtargetInfo()->getAllProcessorFeatures();
  for (const std::string &feature : given.features) {
    StringRef name = StringRef(feature).drop_front();
    if (llvm::none_of(known,
                      [&](const auto &entry) { return name == entry.Key; }))
      return func.emitOpError() << "is compiled for a CPU with '" << feature
                                << "', which is not a feature of "
                                << machine.getTargetTriple().str();
  }
  return success();
}

/// Code for features that are not here would end in an illegal instruction.
static LogicalResult checkRunsHere(LLVM::LLVMFuncOp func,
                                   const FunctionTarget &given) {
  llvm::Expected<TargetDescription> description =
      target::describeCPU(given.cpu.empty() ? "host" : StringRef(given.cpu));
  if (!description)
    return func.emitOpError("cannot be compiled: ")
           << llvm::toString(description.takeError());
  // The rest tunes the code, which any machine can run.
  std::vector<std::string> changes = given.features;
  llvm::erase_if(changes, [](StringRef feature) {
    return !target::isKnownFeature(feature.drop_front());
  });
  if (llvm::Error error =
          target::applyFeatures(*description, llvm::join(changes, ",")))
    return func.emitOpError("cannot be compiled: ")
           << llvm::toString(std::move(error));
  std::vector<std::string> missing =
      target::getFeaturesMissingHere(description->features);
  if (missing.empty())
    return success();
  return func.emitOpError("cannot run on this machine: it is compiled for ")
         << (given.cpu.empty() ? "a CPU" : "the CPU '" + given.cpu + "'")
         << " with features that are missing here: "
         << llvm::join(missing, ", ")
         << "; lower it for another CPU, or without these features";
}

static LogicalResult checkFunctions(ModuleOp module,
                                    const llvm::TargetMachine &machine) {
  // Most often all functions have the same.
  SmallVector<FunctionTarget> checked;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    FunctionTarget given(func);
    if (func.isExternal() || !given.isGiven() ||
        llvm::is_contained(checked, given))
      continue;
    if (failed(checkFeatures(func, given, machine)) ||
        failed(checkRunsHere(func, given)))
      return failure();
    checked.push_back(std::move(given));
  }
  return success();
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
mlir::compress::createJitTargetMachine(ModuleOp module, LLVM::LLVMFuncOp entry,
                                       unsigned optLevel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto fail = [&](llvm::Error error) {
    return entry.emitError("cannot generate code for this machine: ")
           << llvm::toString(std::move(error));
  };
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return fail(builder.takeError());
  FunctionTarget given(entry);
  // detectHost has listed the features one by one.
  builder->setFeatures("");
  if (given.isGiven()) {
    if (!given.cpu.empty())
      builder->setCPU(given.cpu);
    builder->addFeatures(given.features);
  } else {
    TargetDescription host = target::detectHost();
    builder->setCPU(host.cpu);
    builder->addFeatures(target::getCodeGenFeatures(host));
  }
  builder->setCodeGenOptLevel(
      static_cast<llvm::CodeGenOptLevel>(std::min(optLevel, 3u)));
  auto machine = builder->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());
  if (failed(checkFunctions(module, **machine)))
    return failure();
  return std::move(*machine);
}
