//===- JitRunner.h - Compile a module in memory and call it -----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Just-in-time compilation of modules in the LLVM dialect, and calls of their
// functions with arrays. The calling convention is the one that upstream's
// func-to-llvm gives functions of memrefs:
//
// * A ranked tensor or memref argument is an expanded descriptor. The callee
//   may write to a memref argument, never to a tensor, and frees neither.
// * A tensor or memref result is a descriptor by value whose buffer was
//   allocated by `malloc` for the caller alone; the runner copies it and calls
//   `free` on its allocated pointer, once even if two results share it.
// * Scalars are integers of 1, 8, 16, 32 or 64 bits, index, f16, bf16, f32 and
//   f64; 8-bit floats are i8.
//
// The types come from the attribute `compress.signature` of the function, which
// the pipeline of LinalgToLLVM.h leaves there, or from JitOptions.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_EXECUTION_JITRUNNER_H
#define COMPRESS_EXECUTION_JITRUNNER_H

#include "compress/Execution/NpyFile.h"
#include "compress/Execution/RuntimeSymbols.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;

namespace compress {

/// The type of an argument or result as the host sees it.
struct HostType {
  /// The tensor, memref, integer, index or float type.
  Type type;
  /// What an array for it has; index is i64, 8-bit floats are u8.
  ::compress::execution::ElementKind kind;
  /// Sizes, dynamic ones as ShapedType::kDynamic; empty for a scalar.
  SmallVector<int64_t, 4> shape;
  /// True for integers, index and floats that are passed by value.
  bool isScalar;

  /// The host type of `type`. Fails, with the reason, if values of that type
  /// cannot be passed: unranked, with an encoding, sub-byte elements, ...
  static llvm::Expected<HostType> get(Type type);

  /// True if arrays of element kind `other` may be given: the same kind, or the
  /// same width for signless integers, raw bytes for 8-bit floats.
  bool acceptsKind(::compress::execution::ElementKind other) const;
};

struct JitOptions {
  /// LLVM's optimization level, 0 to 3.
  unsigned optLevel = 3;
  /// Shared libraries that the compiled code may call.
  std::vector<std::string> sharedLibraries;
  /// Functions of this process that it may call.
  ::compress::execution::RuntimeSymbols symbols;
  /// Types of the entry where it has no `compress.signature`.
  FunctionType signature;
  /// If not null, gets the optimized LLVM IR as text.
  llvm::raw_ostream *llvmDump = nullptr;
};

/// A compiled module with one entry. Not thread-safe.
class JitRunner {
public:
  using HostArray = ::compress::execution::HostArray;

  /// Compiles `module`, in which all code must be in the LLVM dialect (its
  /// translation interfaces registered). The CPU is what its functions say with
  /// `target_cpu` and `target_features`; those that say nothing get that of
  /// `compress.target`, else this machine. Emits located errors: code that is
  /// not lowered, a missing entry or one whose types are not known or not
  /// supported, a called function that nobody defines, a function for a CPU
  /// that LLVM does not know or with features that this machine lacks. The
  /// options are not kept, but what their symbols point to is. Cost: LLVM's
  /// optimization and code generation.
  static FailureOr<std::unique_ptr<JitRunner>>
  create(ModuleOp module, StringRef entry, const JitOptions &options);

  ~JitRunner();

  ArrayRef<HostType> getArgumentTypes() const { return argumentTypes; }
  ArrayRef<HostType> getResultTypes() const { return resultTypes; }

  /// Emits an error that names the argument, the expected and the given type if
  /// `arguments` cannot be passed.
  LogicalResult checkArguments(ArrayRef<HostArray> arguments) const;

  /// Calls the entry. Memref arguments may be written to. Emits an error as
  /// checkArguments does, or when there is no memory for a result.
  FailureOr<std::vector<HostArray>> run(MutableArrayRef<HostArray> arguments);

  /// Calls the entry `warmup` times, then `repeat` times, and returns the
  /// milliseconds that each of the latter calls took; results are freed outside
  /// the measured time.
  FailureOr<std::vector<double>> time(MutableArrayRef<HostArray> arguments,
                                      unsigned warmup, unsigned repeat);

private:
  JitRunner(Location loc, StringRef entry);

  LogicalResult resolveSignature(Operation *entryOp, const JitOptions &options);
  LogicalResult checkExpandedTypes(Operation *entryOp) const;
  LogicalResult compile(ModuleOp module, const JitOptions &options);
  void packArguments(MutableArrayRef<HostArray> arguments);
  void call();
  void freeResults();
  FailureOr<HostArray> readResult(unsigned index);

  Location loc;
  std::string entry;
  SmallVector<HostType> argumentTypes;
  SmallVector<HostType> resultTypes;
  /// Byte offset of each result in the struct that the entry returns.
  SmallVector<size_t> resultOffsets;
  std::unique_ptr<ExecutionEngine> engine;
  void (*function)(void **) = nullptr;

  /// One call: descriptors and scalars, the pointers to their parts, and the
  /// memory for the results.
  std::vector<int64_t> argumentWords;
  std::vector<void *> argumentPointers;
  std::vector<int64_t> resultWords;
  llvm::SmallPtrSet<void *, 8> argumentBuffers;
};

} // namespace compress
} // namespace mlir

#endif // COMPRESS_EXECUTION_JITRUNNER_H
