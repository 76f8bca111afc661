//===- JitRunner.cpp - Compile a module in memory and call it -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The execution engine gives each function a wrapper that takes an array of
// pointers, one to each argument and one to the memory for the result. Since
// func-to-llvm expands memrefs, these arguments are the fields of descriptors.
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/JitRunner.h"

#include "JitLibraries.h"
#include "JitTarget.h"
#include "LargePages.h"
#include "compress/Pipelines/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::compress;
using ::compress::execution::ElementKind;
using ::compress::execution::getElementBytes;
using ::compress::execution::HostArray;
using ::compress::execution::RuntimeSymbols;

/// Words of a descriptor: two pointers, the offset, sizes and strides.
static size_t getDescriptorWords(size_t rank) { return 3 + 2 * rank; }

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

JitRunner::JitRunner(Location loc, StringRef entry) : loc(loc), entry(entry) {}

JitRunner::~JitRunner() = default;

/// The builtin type of a scalar of the LLVM dialect; null if it is none. A
/// descriptor's pointer has none.
static FunctionType getScalarSignature(LLVM::LLVMFuncOp func) {
  LLVM::LLVMFunctionType type = func.getFunctionType();
  auto isScalar = [](Type t) { return t.isIntOrFloat(); };
  if (type.isVarArg() || !llvm::all_of(type.getParams(), isScalar))
    return {};
  SmallVector<Type> results;
  if (!isa<LLVM::LLVMVoidType>(type.getReturnType()))
    results.push_back(type.getReturnType());
  if (!llvm::all_of(results, isScalar))
    return {};
  return FunctionType::get(func.getContext(), type.getParams(), results);
}

LogicalResult JitRunner::resolveSignature(Operation *entryOp,
                                          const JitOptions &options) {
  auto func = cast<LLVM::LLVMFuncOp>(entryOp);
  FunctionType signature = options.signature;
  if (!signature)
    if (auto attr = func->getAttrOfType<TypeAttr>(signatureAttrName))
      signature = dyn_cast<FunctionType>(attr.getValue());
  if (!signature)
    signature = getScalarSignature(func);
  if (!signature)
    return func.emitOpError()
           << "has no '" << signatureAttrName
           << "' that tells its ranks and element types; give the signature "
              "explicitly, or start from IR above the LLVM dialect";

  auto convert = [&](TypeRange types, StringRef role,
                     SmallVectorImpl<HostType> &hostTypes) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(types)) {
      llvm::Expected<HostType> hostType = HostType::get(type);
      if (!hostType)
        return func.emitOpError() << role << " #" << i << " of "
                                  << llvm::toString(hostType.takeError());
      hostTypes.push_back(std::move(*hostType));
    }
    return success();
  };
  if (failed(convert(signature.getInputs(), "argument", argumentTypes)) ||
      failed(convert(signature.getResults(), "result", resultTypes)))
    return failure();
  return checkExpandedTypes(entryOp);
}

/// The types in the LLVM dialect that a value of `hostType` is passed as.
static void appendExpanded(const HostType &hostType,
                           SmallVectorImpl<Type> &types) {
  MLIRContext *context = hostType.type.getContext();
  if (hostType.isScalar) {
    bool isFloat = isa<FloatType>(hostType.type) &&
                   hostType.type.getIntOrFloatBitWidth() > 8;
    unsigned width = hostType.kind == ElementKind::Bool
                         ? 1
                         : 8 * getElementBytes(hostType.kind);
    types.push_back(isFloat ? hostType.type : IntegerType::get(context, width));
    return;
  }
  Type pointer = LLVM::LLVMPointerType::get(context);
  types.append(2, pointer);
  types.append(1 + 2 * hostType.shape.size(), IntegerType::get(context, 64));
}

/// The type that a result of `hostType` has in the returned value.
static Type getResultType(const HostType &hostType) {
  SmallVector<Type> fields;
  appendExpanded(hostType, fields);
  if (hostType.isScalar)
    return fields.front();
  MLIRContext *context = hostType.type.getContext();
  SmallVector<Type> members(fields.begin(), fields.begin() + 3);
  if (!hostType.shape.empty())
    members.append(2,
                   LLVM::LLVMArrayType::get(fields[2], hostType.shape.size()));
  return LLVM::LLVMStructType::getLiteral(context, members);
}

LogicalResult JitRunner::checkExpandedTypes(Operation *entryOp) const {
  auto func = cast<LLVM::LLVMFuncOp>(entryOp);
  SmallVector<Type> inputs, results;
  for (const HostType &type : argumentTypes)
    appendExpanded(type, inputs);
  for (const HostType &type : resultTypes)
    results.push_back(getResultType(type));
  MLIRContext *context = func.getContext();
  Type result = LLVM::LLVMVoidType::get(context);
  if (results.size() == 1)
    result = results.front();
  else if (!results.empty())
    result = LLVM::LLVMStructType::getLiteral(context, results);
  LLVM::LLVMFunctionType type = func.getFunctionType();
  if (type.getParams() == ArrayRef<Type>(inputs) &&
      type.getReturnType() == result)
    return success();
  return func.emitOpError()
         << "has the type " << type << ", which is not how its signature is "
         << "lowered: " << LLVM::LLVMFunctionType::get(result, inputs);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Regions of OpenMP are translated like the LLVM dialect.
static bool isTranslatable(Operation *op) {
  return isa_and_nonnull<LLVM::LLVMDialect, omp::OpenMPDialect>(
      op->getDialect());
}

/// The first op that cannot be translated to LLVM IR; casts that upstream's
/// partial conversions leave behind only if there is nothing else to name.
static Operation *findUnlowered(ModuleOp module) {
  Operation *cast = nullptr, *found = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module || isTranslatable(op))
      return WalkResult::advance();
    if (isa<UnrealizedConversionCastOp>(op)) {
      cast = cast ? cast : op;
      return WalkResult::advance();
    }
    found = op;
    return WalkResult::interrupt();
  });
  return found ? found : cast;
}

static LogicalResult checkLowered(ModuleOp module) {
  Operation *op = findUnlowered(module);
  if (!op)
    return success();
  if (isa<ModuleOp>(op))
    return op->emitOpError("is nested in a module; only one module can be run");
  return op->emitOpError("was not lowered to the LLVM dialect, so it cannot "
                         "run; no pass of the pipeline converts it");
}

LogicalResult JitRunner::compile(ModuleOp module, const JitOptions &options) {
  if (failed(convertTargetToLLVM(module)))
    return failure();
  auto machine = createJitTargetMachine(
      module, module.lookupSymbol<LLVM::LLVMFuncOp>(entry), options.optLevel);
  if (failed(machine))
    return failure();
  auto optimize = makeOptimizingTransformer(std::min(options.optLevel, 3u),
                                            /*sizeLevel=*/0, machine->get());
  auto transform = [&](llvm::Module *llvmModule) -> llvm::Error {
    if (llvm::Error error = optimize(llvmModule))
      return error;
    if (options.llvmDump)
      llvmModule->print(*options.llvmDump, /*AAW=*/nullptr);
    return llvm::Error::success();
  };
  auto translate =
      [](Operation *op,
         llvm::LLVMContext &context) -> std::unique_ptr<llvm::Module> {
    std::unique_ptr<llvm::Module> llvmModule =
        translateModuleToLLVMIR(op, context);
    std::string message;
    llvm::raw_string_ostream os(message);
    if (llvmModule && llvm::verifyModule(*llvmModule, &os)) {
      op->emitError("is not valid LLVM IR: ") << message;
      return nullptr;
    }
    return llvmModule;
  };

  ExecutionEngineOptions engineOptions;
  engineOptions.llvmModuleBuilder = translate;
  engineOptions.transformer = transform;
  engineOptions.sectionMemoryMapper = getLargePageMapper();
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  SmallVector<StringRef> libraries(options.sharedLibraries.begin(),
                                   options.sharedLibraries.end());
  engineOptions.sharedLibPaths = libraries;
  auto created =
      ExecutionEngine::create(module, engineOptions, std::move(*machine));
  if (!created)
    return emitError(loc) << "cannot compile: "
                          << llvm::toString(created.takeError());
  engine = std::move(*created);

  // A function of the module comes before one of ours of the same name.
  llvm::StringSet<> defined;
  module.walk([&](LLVM::LLVMFuncOp func) {
    if (!func.isExternal())
      defined.insert(func.getSymName());
  });
  engine->registerSymbols([&](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap map;
    for (const auto &symbol : options.symbols.getAddresses())
      if (!defined.contains(symbol.getKey()))
        map[interner(symbol.getKey())] = {
            llvm::orc::ExecutorAddr::fromPtr(symbol.getValue()),
            llvm::JITSymbolFlags::Exported};
    return map;
  });
  auto packed = engine->lookupPacked(entry);
  if (!packed)
    return emitError(loc) << "cannot link '" << entry
                          << "': " << llvm::toString(packed.takeError());
  engine->initialize();
  function = *packed;
  return success();
}

/// Emits an error that lists the functions there are.
static LogicalResult reportMissingEntry(ModuleOp module, StringRef entry) {
  InFlightDiagnostic diagnostic = module.emitError()
                                  << "has no function '" << entry << "' to run";
  SmallVector<StringRef> names;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (!func.isExternal())
      names.push_back(func.getSymName());
  if (names.empty())
    return diagnostic << "; it defines no function";
  diagnostic << "; it defines '" << llvm::join(names, "', '") << "'";
  return diagnostic;
}

FailureOr<std::unique_ptr<JitRunner>>
JitRunner::create(ModuleOp module, StringRef entry, const JitOptions &options) {
  if (failed(checkLowered(module)))
    return failure();
  auto func = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  if (!func || func.isExternal())
    return reportMissingEntry(module, entry);
  std::unique_ptr<JitRunner> runner(new JitRunner(func.getLoc(), entry));
  if (failed(runner->resolveSignature(func, options)) ||
      failed(loadLibraries(module, func.getLoc(), options.sharedLibraries)) ||
      failed(checkResolvable(module, options.symbols)) ||
      failed(runner->compile(module, options)))
    return failure();
  return runner;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// True if a row-major array of `shape` is what the strided layout of `type`
/// allows.
static bool isRowMajorAllowed(MemRefType type, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  if (offset != 0 && ShapedType::isStatic(offset))
    return false;
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    if (ShapedType::isStatic(strides[dim]) && strides[dim] != stride)
      return false;
  return true;
}

static bool matches(const HostType &type, const HostArray &array) {
  if (!type.acceptsKind(array.getKind()) ||
      type.shape.size() != array.getShape().size())
    return false;
  for (auto [expected, given] : llvm::zip_equal(type.shape, array.getShape()))
    if (ShapedType::isStatic(expected) && expected != given)
      return false;
  return true;
}

LogicalResult JitRunner::checkArguments(ArrayRef<HostArray> arguments) const {
  if (arguments.size() != argumentTypes.size())
    return emitError(loc) << "'" << entry << "' takes " << argumentTypes.size()
                          << " arguments, but " << arguments.size()
                          << " are given";
  for (auto [i, type] : llvm::enumerate(argumentTypes)) {
    if (!matches(type, arguments[i]))
      return emitError(loc)
             << "argument #" << i << " of '" << entry << "' has the type "
             << type.type << ", but the array given for it is "
             << arguments[i].getTypeString();
    auto memref = dyn_cast<MemRefType>(type.type);
    if (memref && !isRowMajorAllowed(memref, arguments[i].getShape()))
      return emitError(loc)
             << "argument #" << i << " of '" << entry << "' has the type "
             << type.type << ", whose layout no row-major array has";
  }
  return success();
}

void JitRunner::packArguments(MutableArrayRef<HostArray> arguments) {
  // First all words, then the pointers to them, since the vector may move.
  argumentWords.clear();
  argumentPointers.clear();
  argumentBuffers.clear();
  for (auto [type, array] : llvm::zip_equal(argumentTypes, arguments)) {
    if (type.isScalar)
      continue;
    argumentBuffers.insert(array.getData());
    auto address = reinterpret_cast<intptr_t>(array.getData());
    argumentWords.insert(argumentWords.end(), {address, address, 0});
    llvm::append_range(argumentWords, array.getShape());
    size_t rank = array.getShape().size();
    argumentWords.resize(argumentWords.size() + rank);
    int64_t stride = 1;
    for (size_t dim = 0; dim < rank; ++dim) {
      argumentWords[argumentWords.size() - 1 - dim] = stride;
      stride *= array.getShape()[rank - 1 - dim];
    }
  }
  int64_t *word = argumentWords.data();
  for (auto [type, array] : llvm::zip_equal(argumentTypes, arguments)) {
    if (type.isScalar) {
      argumentPointers.push_back(array.getData());
      continue;
    }
    for (size_t i = 0; i < getDescriptorWords(type.shape.size()); ++i)
      argumentPointers.push_back(word++);
  }

  // The fields of the returned struct have their natural alignment.
  resultOffsets.clear();
  size_t bytes = 0;
  for (const HostType &type : resultTypes) {
    size_t size = type.isScalar ? getElementBytes(type.kind)
                                : 8 * getDescriptorWords(type.shape.size());
    bytes = llvm::alignTo(bytes, type.isScalar ? size : 8);
    resultOffsets.push_back(bytes);
    bytes += size;
  }
  resultWords.assign(llvm::divideCeil(bytes, 8), 0);
  if (!resultTypes.empty())
    argumentPointers.push_back(resultWords.data());
}

void JitRunner::call() { function(argumentPointers.data()); }

namespace {
/// The descriptor of a result, in the memory that the call filled.
struct ResultDescriptor {
  ResultDescriptor(const std::vector<int64_t> &words, size_t offset,
                   size_t rank)
      : words(ArrayRef(words).slice(offset / 8, getDescriptorWords(rank))),
        rank(rank) {}

  void *getAllocated() const { return reinterpret_cast<void *>(words[0]); }
  const char *getAligned() const {
    return reinterpret_cast<const char *>(words[1]);
  }
  int64_t getOffset() const { return words[2]; }
  ArrayRef<int64_t> getSizes() const { return words.slice(3, rank); }
  ArrayRef<int64_t> getStrides() const { return words.slice(3 + rank, rank); }

  ArrayRef<int64_t> words;
  size_t rank;
};
} // namespace

void JitRunner::freeResults() {
  // Code that was lowered elsewhere may hand back what it was given.
  llvm::SmallPtrSet<void *, 8> freed = argumentBuffers;
  for (auto [type, offset] : llvm::zip_equal(resultTypes, resultOffsets)) {
    if (type.isScalar)
      continue;
    void *allocated =
        ResultDescriptor(resultWords, offset, type.shape.size()).getAllocated();
    if (freed.insert(allocated).second)
      std::free(allocated);
  }
}

/// Copies the elements of a strided buffer in row-major order.
static void copyStrided(const ResultDescriptor &source, HostArray &target) {
  size_t bytes = getElementBytes(target.getKind());
  ArrayRef<int64_t> sizes = source.getSizes(), strides = source.getStrides();
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t position = source.getOffset();
  auto *out = static_cast<char *>(target.getData());
  for (int64_t n = 0; n < target.getNumElements(); ++n, out += bytes) {
    std::memcpy(out, source.getAligned() + position * bytes, bytes);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      position += strides[dim];
      if (++index[dim] < sizes[dim])
        break;
      position -= strides[dim] * sizes[dim];
      index[dim] = 0;
    }
  }
}

static bool isRowMajor(const ResultDescriptor &descriptor) {
  int64_t expected = 1;
  for (size_t dim = descriptor.rank; dim-- > 0;) {
    if (descriptor.getStrides()[dim] != expected)
      return false;
    expected *= descriptor.getSizes()[dim];
  }
  return true;
}

FailureOr<HostArray> JitRunner::readResult(unsigned index) {
  const HostType &type = resultTypes[index];
  size_t offset = resultOffsets[index];
  SmallVector<int64_t> shape;
  if (!type.isScalar)
    llvm::append_range(
        shape,
        ResultDescriptor(resultWords, offset, type.shape.size()).getSizes());
  llvm::Expected<HostArray> array = HostArray::create(type.kind, shape);
  if (!array)
    return emitError(loc) << "result #" << index << " of '" << entry
                          << "': " << llvm::toString(array.takeError());
  if (type.isScalar) {
    std::memcpy(array->getData(),
                reinterpret_cast<const char *>(resultWords.data()) + offset,
                array->getNumBytes());
    return std::move(*array);
  }
  ResultDescriptor descriptor(resultWords, offset, type.shape.size());
  size_t bytes = getElementBytes(type.kind);
  if (!isRowMajor(descriptor))
    copyStrided(descriptor, *array);
  else if (array->getNumElements())
    std::memcpy(array->getData(),
                descriptor.getAligned() + descriptor.getOffset() * bytes,
                array->getNumBytes());
  return std::move(*array);
}

FailureOr<std::vector<HostArray>>
JitRunner::run(MutableArrayRef<HostArray> arguments) {
  if (failed(checkArguments(arguments)))
    return failure();
  packArguments(arguments);
  call();
  std::vector<HostArray> results;
  for (unsigned i = 0; i < resultTypes.size(); ++i) {
    FailureOr<HostArray> result = readResult(i);
    if (failed(result)) {
      freeResults();
      return failure();
    }
    results.push_back(std::move(*result));
  }
  freeResults();
  return results;
}

FailureOr<std::vector<double>>
JitRunner::time(MutableArrayRef<HostArray> arguments, unsigned warmup,
                unsigned repeat) {
  if (failed(checkArguments(arguments)))
    return failure();
  packArguments(arguments);
  std::vector<double> milliseconds;
  for (uint64_t i = 0; i < uint64_t(warmup) + repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    call();
    auto end = std::chrono::steady_clock::now();
    freeResults();
    if (i >= warmup)
      milliseconds.push_back(
          std::chrono::duration<double, std::milli>(end - start).count());
  }
  return milliseconds;
}
