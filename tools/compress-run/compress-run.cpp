//===- compress-run.cpp - Compile and run a function ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module at any level, lowers it, compiles it for this machine, calls
// one function with arrays and says what came out and how long it took. Exits
// with 1 and a message on any bad input.
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/ArgumentSource.h"
#include "compress/Execution/CalibrationRecorder.h"
#include "compress/Execution/JitRunner.h"
#include "compress/Execution/NpyFile.h"
#include "compress/Execution/RuntimeSymbols.h"
#include "compress/Pipelines/CompressPipelines.h"
#include "compress/Pipelines/Registration.h"
#include "compress/Target/HostTarget.h"
#include "compress/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::compress;
using ::compress::execution::CalibrationRecorder;
using ::compress::execution::HostArray;
using ::compress::execution::registerCalibrationSymbols;
using ::compress::execution::registerRuntimeSymbols;
using ::compress::execution::writeNpyFile;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
namespace cl = llvm::cl;

cl::OptionCategory runCategory("compress-run options");

cl::opt<std::string> inputFilename(cl::Positional, cl::desc("<input file>"),
                                   cl::init("-"), cl::cat(runCategory));
cl::opt<std::string> entryName("entry", cl::desc("Function to call"),
                               cl::value_desc("name"), cl::init("main"),
                               cl::cat(runCategory));
cl::list<std::string>
    inputSources("input",
                 cl::desc("The next argument: a .npy file, random[:SHAPE] or "
                          "fill=VALUE[:SHAPE], with SHAPE like 3x4"),
                 cl::value_desc("source"), cl::cat(runCategory));
cl::opt<bool> randomInputs(
    "random-inputs",
    cl::desc("Random numbers for all arguments that no --input is given for"),
    cl::cat(runCategory));
cl::opt<uint64_t> seed("seed", cl::desc("Seed of random arguments"),
                       cl::init(0), cl::cat(runCategory));
cl::list<std::string> outputFiles("output",
                                  cl::desc("The .npy file for the next result"),
                                  cl::value_desc("file"), cl::cat(runCategory));
cl::list<std::string> savedArguments(
    "save-argument",
    cl::desc("Write argument N, a memref, to a .npy file after the call"),
    cl::value_desc("N=file"), cl::cat(runCategory));
cl::opt<bool> printResults("print", cl::desc("Print the results"),
                           cl::cat(runCategory));
cl::opt<unsigned>
    repeat("repeat",
           cl::desc("Time this many calls and report median and minimum"),
           cl::init(0), cl::cat(runCategory));
cl::opt<unsigned> warmup("warmup",
                         cl::desc("Calls before the timed ones (default 1)"),
                         cl::init(1), cl::cat(runCategory));
cl::opt<std::string>
    jsonFile("json", cl::desc("Write the times as JSON, to a file or stdout"),
             cl::value_desc("file"), cl::ValueOptional, cl::init(""),
             cl::cat(runCategory));
cl::opt<std::string>
    passPipeline("pipeline",
                 cl::desc("Passes to run before the lowering, e.g. "
                          "'builtin.module(canonicalize)'"),
                 cl::value_desc("passes"), cl::cat(runCategory));
cl::opt<std::string> calibrationFile(
    "calibrate",
    cl::desc("Write what compress.observe ops see to a JSON file; without it "
             "they do nothing"),
    cl::value_desc("file"), cl::cat(runCategory));
cl::opt<bool> noLowering(
    "no-lowering",
    cl::desc("Do not lower: the input, or what --pipeline leaves, is in the "
             "LLVM dialect"),
    cl::cat(runCategory));
cl::opt<std::string>
    signatureText("signature",
                  cl::desc("Type of an entry in the LLVM dialect, e.g. "
                           "'(tensor<?xf32>) -> tensor<?xf32>'"),
                  cl::value_desc("type"), cl::cat(runCategory));
cl::opt<bool> dumpLLVM("dump-llvm",
                       cl::desc("Print the optimized LLVM IR to stdout"),
                       cl::cat(runCategory));
cl::opt<unsigned> jitOptLevel("jit-opt-level",
                              cl::desc("LLVM's optimization level, 0 to 3"),
                              cl::init(3), cl::cat(runCategory));
cl::opt<std::string> targetCPU(
    "target-cpu",
    cl::desc("CPU to compile for (default: the target that the module "
             "has, else this machine)"),
    cl::value_desc("name"), cl::cat(runCategory));
cl::opt<std::string>
    targetFeatures("target-features",
                   cl::desc("CPU features to add or remove, e.g. +avx2,-fma"),
                   cl::value_desc("list"), cl::cat(runCategory));
cl::opt<unsigned> threadCount(
    "num-threads",
    cl::desc("Threads to use (default: as many as the target has cores)"),
    cl::init(0), cl::cat(runCategory));
cl::list<std::string>
    sharedLibraries("shared-libs", cl::CommaSeparated,
                    cl::desc("Shared libraries that the program calls"),
                    cl::value_desc("files"), cl::cat(runCategory));
} // namespace

static LogicalResult reportError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "compress-run") << message << '\n';
  return failure();
}

static LogicalResult reportError(llvm::Error error) {
  return reportError(llvm::toString(std::move(error)));
}

/// What no single option shows to be wrong.
static LogicalResult checkOptions() {
  if (jitOptLevel > 3)
    return reportError("--jit-opt-level=" + Twine(jitOptLevel) +
                       " is not in the range 0 to 3");
  if (!calibrationFile.empty() && repeat)
    return reportError("--calibrate and --repeat exclude each other: observing "
                       "takes time, and every call would count");
  if (jsonFile.getNumOccurrences() && !repeat)
    return reportError("--json needs --repeat, there are no times without it");
  return success();
}

//===----------------------------------------------------------------------===//
// From the file to the LLVM dialect
//===----------------------------------------------------------------------===//

static void registerEverything(DialectRegistry &registry) {
  registerAllPasses();
  registerAllCompressPasses();
  registerAllDialects(registry);
  registerAllCompressDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
}

/// The lowering of whatever level the input has.
static void buildLowering(OpPassManager &pm) {
  buildCompressToLLVMPipeline(pm, LinalgToLLVMOptions());
}

/// Makes `entry` the one public function, since the convention for calls from
/// outside is that of public functions, and drops what it does not use.
static LogicalResult isolateEntry(ModuleOp module, Operation *entry) {
  for (auto function : module.getOps<FunctionOpInterface>())
    SymbolTable::setSymbolVisibility(function,
                                     SymbolTable::Visibility::Private);
  SymbolTable::setSymbolVisibility(entry, SymbolTable::Visibility::Public);
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

static LogicalResult prepareEntry(ModuleOp module) {
  Operation *symbol = module.lookupSymbol(entryName);
  auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (symbol && !function)
    return symbol->emitError() << "'" << entryName << "' is not a function";
  if (function && !function.isExternal())
    return isolateEntry(module, symbol);
  if (function)
    return symbol->emitError()
           << "'" << entryName << "' is only declared, so it cannot be called";
  InFlightDiagnostic diagnostic = module.emitError()
                                  << "has no function '" << entryName
                                  << "'; choose one with --entry";
  for (auto other : module.getOps<FunctionOpInterface>())
    if (!other.isExternal())
      diagnostic.attachNote(other.getLoc())
          << "there is '" << other.getName() << "'";
  return diagnostic;
}

/// Sets the target before any pass that may ask for it. The CPU is the one that
/// is asked for; caches and cores are those of this machine, where it runs.
static LogicalResult setTarget(ModuleOp module) {
  auto entry = module.lookupSymbol<LLVM::LLVMFuncOp>(entryName);
  bool isGiven = !targetCPU.empty() || !targetFeatures.empty();
  if (isGiven && entry && (entry.getTargetCpu() || entry.getTargetFeatures()))
    return entry.emitOpError("was already lowered for a CPU, so --target-cpu "
                             "and --target-features come too late; start from "
                             "IR above the LLVM dialect");
  CompressSetTargetOptions options;
  options.cpu = targetCPU;
  options.features = targetFeatures;
  if (!targetCPU.empty()) {
    ::compress::target::TargetDescription host =
        ::compress::target::detectHost();
    options.l1d = host.l1d;
    options.l2 = host.l2;
    options.l3 = host.l3;
    options.cores = host.cores;
  }
  if (threadCount)
    options.cores = threadCount;
  PassManager pm(module.getContext());
  pm.addPass(createCompressSetTarget(options));
  return pm.run(module);
}

static LogicalResult lower(ModuleOp module) {
  MLIRContext *context = module.getContext();
  PassManager pm(context);
  if (failed(applyPassManagerCLOptions(pm)))
    return failure();
  if (!passPipeline.empty()) {
    std::string message;
    llvm::raw_string_ostream os(message);
    FailureOr<OpPassManager> parsed = parsePassPipeline(passPipeline, os);
    if (failed(parsed))
      return reportError("--pipeline: " + message);
    if (parsed->getOpAnchorName() != ModuleOp::getOperationName())
      return reportError("--pipeline: the passes must be in "
                         "'builtin.module(...)', not in '" +
                         parsed->getOpAnchorName() + "'");
    static_cast<OpPassManager &>(pm) = std::move(*parsed);
  }
  if (!noLowering) {
    CompressLowerObserveOptions options;
    options.mode =
        calibrationFile.empty() ? ObserveMode::Drop : ObserveMode::Record;
    pm.addPass(createCompressLowerObserve(options));
    buildLowering(pm);
  }
  return pm.run(module);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// `abort` of the compiled program, which a failed `cf.assert` calls after it
/// has printed its message: the message is the point, not a core dump.
[[noreturn]] static void abortProgram() {
  std::fflush(stdout);
  llvm::errs() << "compress-run: error: an assertion of the program failed\n";
  std::_Exit(1);
}

static FailureOr<JitOptions> makeJitOptions(MLIRContext *context) {
  JitOptions options;
  options.optLevel = jitOptLevel;
  options.sharedLibraries.assign(sharedLibraries.begin(),
                                 sharedLibraries.end());
  registerRuntimeSymbols(options.symbols);
  registerCalibrationSymbols(options.symbols);
  options.symbols.add("abort", abortProgram);
  if (dumpLLVM)
    options.llvmDump = &llvm::outs();
  if (!signatureText.empty()) {
    auto type =
        dyn_cast_or_null<FunctionType>(parseType(signatureText, context));
    if (!type)
      return reportError("--signature=" + signatureText +
                         " is not a function type");
    options.signature = type;
  }
  return options;
}

static FailureOr<std::vector<HostArray>>
makeArguments(const JitRunner &runner) {
  ArrayRef<HostType> types = runner.getArgumentTypes();
  if (inputSources.size() > types.size() ||
      (inputSources.size() < types.size() && !randomInputs))
    return reportError("'" + entryName + "' takes " + Twine(types.size()) +
                       " arguments, but " + Twine(inputSources.size()) +
                       " --input are given");
  std::vector<HostArray> arguments;
  for (auto [i, type] : llvm::enumerate(types)) {
    std::string source = i < inputSources.size() ? inputSources[i] : "random";
    // Each argument has a stream of its own.
    llvm::Expected<HostArray> array =
        makeArgument(type, source, seed + (uint64_t(i) << 32));
    if (!array)
      return reportError("argument #" + Twine(i) + ": " +
                         llvm::toString(array.takeError()));
    arguments.push_back(std::move(*array));
  }
  if (failed(runner.checkArguments(arguments)))
    return failure();
  return arguments;
}

static FailureOr<std::vector<HostArray>>
cloneAll(ArrayRef<HostArray> arguments) {
  std::vector<HostArray> copies;
  for (const HostArray &array : arguments) {
    llvm::Expected<HostArray> copy = array.clone();
    if (!copy)
      return reportError(copy.takeError());
    copies.push_back(std::move(*copy));
  }
  return copies;
}

static LogicalResult saveArguments(ArrayRef<HostArray> arguments) {
  for (StringRef text : savedArguments) {
    auto [number, file] = text.split('=');
    unsigned index;
    if (number.getAsInteger(10, index) || index >= arguments.size() ||
        file.empty())
      return reportError("--save-argument=" + text +
                         " is not N=file with N "
                         "below the number of arguments, " +
                         Twine(arguments.size()));
    if (llvm::Error error = writeNpyFile(file, arguments[index]))
      return reportError(std::move(error));
  }
  return success();
}

static LogicalResult writeResults(const JitRunner &runner,
                                  ArrayRef<HostArray> results) {
  for (auto [file, array] : llvm::zip(outputFiles, results))
    if (llvm::Error error = writeNpyFile(file, array))
      return reportError(std::move(error));
  if (!printResults)
    return success();
  for (auto [i, array] : llvm::enumerate(results)) {
    llvm::outs() << "result #" << i << ": " << array.getTypeString() << " = ";
    array.print(llvm::outs());
    llvm::outs() << '\n';
  }
  return success();
}

/// Writes what was observed to the file of --calibrate, if there is one.
static LogicalResult writeCalibration(const CalibrationRecorder &recorder) {
  if (calibrationFile.empty())
    return success();
  std::string message;
  auto file = openOutputFile(calibrationFile, &message);
  if (!file)
    return reportError(message);
  file->os() << llvm::formatv("{0:2}\n", recorder.getTable().toJSON());
  file->keep();
  return success();
}

/// Prints or writes the statistics of the times.
static LogicalResult reportTimes(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  size_t count = milliseconds.size();
  double median = (milliseconds[(count - 1) / 2] + milliseconds[count / 2]) / 2;
  double mean =
      std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / count;
  if (!jsonFile.getNumOccurrences()) {
    llvm::outs() << llvm::format("median %.6g ms, min %.6g ms, %zu calls\n",
                                 median, milliseconds.front(), count);
    return success();
  }
  std::string message;
  auto file =
      openOutputFile(jsonFile.empty() ? "-" : jsonFile.getValue(), &message);
  if (!file)
    return reportError(message);
  llvm::json::Value report =
      llvm::json::Object{{"entry", entryName.getValue()},
                         {"warmup", warmup.getValue()},
                         {"repeat", repeat.getValue()},
                         {"median_ms", median},
                         {"min_ms", milliseconds.front()},
                         {"max_ms", milliseconds.back()},
                         {"mean_ms", mean}};
  file->os() << llvm::formatv("{0:2}\n", report);
  file->keep();
  return success();
}

static LogicalResult runEntry(JitRunner &runner) {
  if (outputFiles.size() > runner.getResultTypes().size())
    return reportError(
        "'" + entryName + "' has " + Twine(runner.getResultTypes().size()) +
        " results, but " + Twine(outputFiles.size()) + " --output are given");
  FailureOr<std::vector<HostArray>> arguments = makeArguments(runner);
  if (failed(arguments))
    return failure();
  FailureOr<std::vector<HostArray>> original = std::vector<HostArray>();
  if (repeat && failed(original = cloneAll(*arguments)))
    return failure();
  CalibrationRecorder recorder;
  CalibrationRecorder::Scope scope(recorder);
  FailureOr<std::vector<HostArray>> results = runner.run(*arguments);
  std::fflush(stdout);
  if (succeeded(results) && failed(writeCalibration(recorder)))
    return failure();
  if (failed(results) || failed(writeResults(runner, *results)) ||
      failed(saveArguments(*arguments)))
    return failure();
  if (!repeat)
    return success();
#ifdef __GLIBC__
  // Buffers that come and go shall not cost page faults in every call, as they
  // do not where memory is kept between calls.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
  FailureOr<std::vector<double>> times = runner.time(*original, warmup, repeat);
  std::fflush(stdout);
  return failed(times) ? failure() : reportTimes(std::move(*times));
}

static LogicalResult runFile(MLIRContext *context) {
  std::string message;
  auto file = openInputFile(inputFilename, &message);
  if (!file)
    return reportError(message);
  auto sourceMgr = std::make_shared<llvm::SourceMgr>();
  sourceMgr->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sourceMgr, context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(context));
  if (!module)
    return failure();
  if (failed(prepareEntry(*module)) || failed(setTarget(*module)) ||
      failed(lower(*module)))
    return failure();
  FailureOr<JitOptions> options = makeJitOptions(context);
  if (failed(options))
    return failure();
  FailureOr<std::unique_ptr<JitRunner>> runner =
      JitRunner::create(*module, entryName, *options);
  if (failed(runner))
    return failure();
  llvm::outs().flush();
  return runEntry(**runner);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerEverything(registry);
  registerPassManagerCLOptions();
  registerMLIRContextCLOptions();
  cl::HideUnrelatedOptions(runCategory);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a module and calls a function of it\n");
  if (failed(checkOptions()))
    return 1;
  MLIRContext context(registry);
  // A lowered module is no help in reading a message; its location is.
  context.printOpOnDiagnostic(false);
  return failed(runFile(&context));
}
