//===- Compiled.cpp - Kernels that this project compiles ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the module of a case in this process, with `compress-to-llvm` as it
// is registered, and calls it.
//
//===----------------------------------------------------------------------===//

#include "ModuleText.h"
#include "Server.h"

#include "compress/Execution/JitRunner.h"
#include "compress/Execution/RuntimeSymbols.h"
#include "compress/Pipelines/Registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <malloc.h>

using namespace mlir;
using ::compress::bench::Bytes;
using ::compress::bench::Case;
using ::compress::bench::Kernel;
using ::compress::bench::Prepared;
using ::compress::execution::ElementKind;
using ::compress::execution::HostArray;
using mlir::compress::JitOptions;
using mlir::compress::JitRunner;

namespace {

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Two codes a byte, the first in the low bits.
std::vector<char> packNibbles(ArrayRef<uint8_t> codes) {
  std::vector<char> packed(codes.size() / 2);
  for (size_t i = 0; i < packed.size(); ++i)
    packed[i] = (codes[2 * i] & 15) | (codes[2 * i + 1] & 15) << 4;
  return packed;
}

std::vector<char> toHalf(ArrayRef<float> values) {
  std::vector<char> bytes(values.size() * sizeof(uint16_t));
  for (auto [i, value] : llvm::enumerate(values)) {
    APFloat half(value);
    bool losesInfo = false;
    half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
    uint16_t bits = half.bitcastToAPInt().getZExtValue();
    std::memcpy(&bytes[i * sizeof(bits)], &bits, sizeof(bits));
  }
  return bytes;
}

/// Gives the resource `key` of `context` the bytes.
void setResource(MLIRContext &context, StringRef key, std::vector<char> bytes) {
  auto *builtin = context.getLoadedDialect<BuiltinDialect>();
  auto &manager =
      builtin->getRegisteredInterface<ResourceBlobManagerDialectInterface>()
          ->getBlobManager();
  manager.update(key, HeapAsmResourceBlob::allocateAndCopyWithAlign(
                          bytes, /*align=*/64, /*dataIsMutable=*/false));
}

void setWeights(MLIRContext &context, const Case &task) {
  int64_t count = task.k * task.n;
  std::vector<char> weights;
  if (task.rhs == "i4")
    weights = packNibbles(task.read<uint8_t>("rhs.bin", count));
  else
    weights = task.read<char>(
        "rhs.bin", count * ::compress::bench::getElementBytes(task.rhs));
  setResource(context, ::compress::bench::weightsKey, std::move(weights));
  if (task.rhs != "i4" && task.rhs != "i8")
    return;
  std::vector<float> scales =
      task.read<float>("scales.bin", task.getScaleCount());
  std::vector<char> bytes(scales.size() * sizeof(float));
  std::memcpy(bytes.data(), scales.data(), bytes.size());
  setResource(context, ::compress::bench::scalesKey,
              task.rhs == "i4" ? toHalf(scales) : std::move(bytes));
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Adds `compress-to-llvm`, with the number of threads if it has that option.
LogicalResult addPipeline(OpPassManager &pm, int64_t threads) {
  StringRef name = "compress-to-llvm";
  const PassPipelineInfo *info = PassPipelineInfo::lookup(name);
  assert(info && "registered by main");
  auto report = [&](const Twine &message) {
    llvm::errs() << message << '\n';
    return failure();
  };
  std::string options = ("threads=" + Twine(threads)).str();
  auto ignore = [](const Twine &) { return failure(); };
  OpPassManager withThreads(pm.getOpAnchorName());
  if (failed(info->addToPipeline(withThreads, options, ignore)))
    return info->addToPipeline(pm, "", report);
  return info->addToPipeline(pm, options, report);
}

ElementKind getKind(const std::string &type) {
  if (type == "f32")
    return ElementKind::F32;
  return type == "bf16" ? ElementKind::BF16 : ElementKind::I8;
}

class CompiledKernel : public Kernel {
public:
  explicit CompiledKernel(const DialectRegistry &registry)
      : context(registry, MLIRContext::Threading::DISABLED) {}

  LogicalResult compile(const Case &task) {
    context.loadAllAvailableDialects();
    std::string text = ::compress::bench::makeModuleText(task);
    // Without the bytes of the weights nothing can be verified yet.
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
    if (!module)
      return failure();
    setWeights(context, task);
    PassManager pm(&context, ModuleOp::getOperationName());
    if (failed(addPipeline(pm, task.threads)) || failed(pm.run(*module)))
      return failure();
    JitOptions options;
    ::compress::execution::registerRuntimeSymbols(options.symbols);
    // Each has the constants in memory of its own.
    for (int64_t copy = 0; copy < task.copies; ++copy) {
      auto runner = JitRunner::create(*module, "main", options);
      if (failed(runner))
        return failure();
      runners.push_back(std::move(*runner));
    }
    return readActivations(task);
  }

  double call(int64_t index) override {
    last = index % runners.size();
    auto times = runners[last]->time(arguments, /*warmup=*/0, /*repeat=*/1);
    if (failed(times))
      std::exit(1);
    return times->front();
  }

  Bytes getResult() override {
    auto called = runners[last]->run(arguments);
    if (failed(called))
      std::exit(1);
    results = std::move(*called);
    return {results.front().getData(), results.front().getNumBytes()};
  }

private:
  LogicalResult readActivations(const Case &task) {
    auto array = HostArray::create(
        getKind(task.lhs), runners.front()->getArgumentTypes().front().shape);
    if (!array)
      return emitError(UnknownLoc::get(&context))
             << llvm::toString(array.takeError());
    auto bytes = task.read<char>("lhs.bin", array->getNumBytes());
    std::memcpy(array->getData(), bytes.data(), bytes.size());
    arguments.push_back(std::move(*array));
    return runners.front()->checkArguments(arguments);
  }

  MLIRContext context;
  std::vector<std::unique_ptr<JitRunner>> runners;
  size_t last = 0;
  std::vector<HostArray> arguments, results;
};

Prepared prepare(const DialectRegistry &registry, const Case &task) {
  Prepared prepared;
  auto kernel = std::make_unique<CompiledKernel>(registry);
  if (failed(kernel->compile(task)))
    return Prepared::error("does not compile; stderr says why");
  prepared.kernel = std::move(kernel);
  return prepared;
}

} // namespace

int main() {
  // Results that come and go shall not cost page faults in every call.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2147483647);
  DialectRegistry registry;
  registerAllPasses();
  mlir::compress::registerAllCompressPasses();
  registerAllDialects(registry);
  mlir::compress::registerAllCompressDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  return ::compress::bench::serveKernels(
      [&](const Case &task) { return prepare(registry, task); });
}
