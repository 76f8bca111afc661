//===- JitLibraries.cpp - What compiled code links to ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitLibraries.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using ::compress::execution::RuntimeSymbols;

/// Loads OpenMP's runtime library if the module needs it and nothing brought it
/// yet.
static LogicalResult loadOpenMP(ModuleOp module) {
  Operation *region = nullptr;
  module.walk([&](Operation *op) {
    if (!region && isa_and_nonnull<omp::OpenMPDialect>(op->getDialect()))
      region = op;
  });
  if (!region ||
      llvm::sys::DynamicLibrary::SearchForAddressOfSymbol("__kmpc_fork_call"))
    return success();
  for (const char *name : {"libomp.so.5", "libomp.so"})
    if (!llvm::sys::DynamicLibrary::LoadLibraryPermanently(name))
      return success();
  return region->emitOpError()
         << "needs OpenMP's runtime library, but neither libomp.so.5 nor "
            "libomp.so can be loaded; add it to the shared libraries, or lower "
            "with threading=pool";
}

LogicalResult mlir::compress::loadLibraries(ModuleOp module, Location loc,
                                            ArrayRef<std::string> paths) {
  // Without a name it is this program, with the C library and all it links.
  llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr);
  for (const std::string &path : paths) {
    std::string message;
    if (!llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message)
             .isValid())
      return emitError(loc)
             << "cannot load the shared library '" << path << "': " << message;
  }
  return loadOpenMP(module);
}

LogicalResult mlir::compress::checkResolvable(ModuleOp module,
                                              const RuntimeSymbols &symbols) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = func.getSymName();
    if (!func.isExternal() || name.starts_with("llvm.") ||
        symbols.lookup(name) ||
        llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str()) ||
        SymbolTable::symbolKnownUseEmpty(func, module))
      continue;
    return func.emitOpError()
           << "is called, but neither this program nor a loaded library "
              "defines "
              "'"
           << name << "'; add the library that does to the shared libraries";
  }
  return success();
}
