//===- compress-differential.cpp - Compiled programs against an f64 oracle
//-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Makes random programs, compiles them with compress-to-llvm, runs them, and
// compares with the numbers that the scalar rules give. Prints one line for
// each failure, with the program, and a count.

#include "Program.h"

#include "compress/Execution/JitRunner.h"
#include "compress/Pipelines/CompressPipelines.h"
#include "compress/Pipelines/Registration.h"
#include "compress/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <cmath>

using namespace mlir;
using ::compress::execution::ElementKind;
using ::compress::execution::HostArray;
using differential::Program;

static llvm::cl::opt<uint64_t>
    firstSeed("first-seed", llvm::cl::init(1),
              llvm::cl::desc("Seed of the first program"));
static llvm::cl::opt<unsigned>
    numPrograms("programs", llvm::cl::init(100),
                llvm::cl::desc("Number of programs"));
static llvm::cl::opt<bool> printPrograms("print-programs",
                                         llvm::cl::desc("Print every program"));

static llvm::cl::opt<bool>
    kernels("kernels",
            llvm::cl::desc("Shapes and operands as tile kernels take them"));
static llvm::cl::opt<std::string>
    targetCpu("target-cpu", llvm::cl::desc("CPU to compile for; its features "
                                           "must be those of this machine"));
static llvm::cl::opt<std::string>
    targetFeatures("target-features",
                   llvm::cl::desc("Added to those of the CPU"));
static llvm::cl::opt<int64_t>
    targetL2("target-l2", llvm::cl::init(0),
             llvm::cl::desc("Bytes of the second cache to compile for: few of "
                            "them show what is done to large operands; 0: "
                            "those of the CPU"));
static llvm::cl::opt<int64_t>
    numThreads("num-threads", llvm::cl::init(0),
               llvm::cl::desc("Threads to use; 0: as many as there are cores"));

static HostArray makeArray(llvm::ArrayRef<float> values,
                           llvm::ArrayRef<int64_t> shape) {
  HostArray array = llvm::cantFail(HostArray::create(ElementKind::F32, shape));
  std::memcpy(array.getData(), values.data(), values.size() * sizeof(float));
  return array;
}

/// Compiles and runs; fails with diagnostics on stderr.
static FailureOr<std::vector<float>> run(MLIRContext &context,
                                         const Program &program) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program.text, &context, "program");
  if (!module)
    return failure();
  PassManager pm(&context);
  // The pipeline begins with the target that the module has.
  mlir::compress::CompressSetTargetOptions target;
  target.cpu = targetCpu;
  target.features = targetFeatures;
  target.l2 = targetL2;
  pm.addPass(mlir::compress::createCompressSetTarget(target));
  mlir::compress::LinalgToLLVMOptions pipeline;
  pipeline.threads = numThreads;
  mlir::compress::buildCompressToLLVMPipeline(pm, pipeline);
  if (failed(pm.run(*module)))
    return failure();
  mlir::compress::JitOptions options;
  options.optLevel = 1;
  ::compress::execution::registerRuntimeSymbols(options.symbols);
  auto runner = mlir::compress::JitRunner::create(*module, "main", options);
  if (failed(runner))
    return failure();
  std::vector<HostArray> arguments;
  arguments.push_back(
      makeArray(program.operands[0].values, program.op.getShape(0)));
  arguments.push_back(
      makeArray(program.operands[1].values, program.op.getShape(1)));
  arguments.push_back(makeArray(program.init, program.op.getShape(2)));
  auto results = (*runner)->run(arguments);
  if (failed(results))
    return failure();
  const auto *data = static_cast<const float *>(results->front().getData());
  return std::vector<float>(data, data + results->front().getNumElements());
}

/// The first element that is off, or nothing.
static std::optional<std::string> compare(const Program &program,
                                          llvm::ArrayRef<float> result) {
  if (result.size() != program.expected.size())
    return "the result has " + std::to_string(result.size()) +
           " elements instead of " + std::to_string(program.expected.size());
  for (size_t i = 0; i < result.size(); ++i) {
    double error = std::abs(result[i] - program.expected[i]);
    if (error <= program.tolerance[i])
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "element " << i << " is " << result[i] << ", expected "
       << program.expected[i] << ", error " << error << " above "
       << program.tolerance[i] << (program.strict ? " (strict)" : "");
    return text;
  }
  return std::nullopt;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "compiled programs against an oracle\n");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  mlir::compress::registerAllCompressDialects(registry);
  unsigned failures = 0, nested = 0, strict = 0, exact = 0;
  for (uint64_t seed = firstSeed; seed < firstSeed + numPrograms; ++seed) {
    // A context of its own: programs do not see each other's attributes.
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      // Decoding by tiles is remarked on; that is not what is tested here.
      return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
    });
    Program program =
        kernels ? Program::randomForKernels(seed) : Program::random(seed);
    nested += program.nested;
    strict += program.strict;
    exact += program.exact;
    if (printPrograms)
      llvm::outs() << "// seed " << seed << "\n" << program.text;
    FailureOr<std::vector<float>> result = run(context, program);
    std::optional<std::string> problem =
        failed(result) ? std::optional<std::string>("it does not run")
                       : compare(program, *result);
    if (!problem)
      continue;
    ++failures;
    llvm::outs() << "FAILED seed " << seed << ": " << *problem << "\n"
                 << program.text;
  }
  llvm::outs() << numPrograms << " programs, " << nested << " nested, "
               << strict << " strict, " << exact << " exact, " << failures
               << " failures\n";
  return failures != 0;
}
