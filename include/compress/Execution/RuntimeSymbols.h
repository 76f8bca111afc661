//===- RuntimeSymbols.h - Functions for JIT-compiled code -------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of this process that JIT-compiled code may call. The built-in
// ones make the lowering and `vector.print` work without any shared library;
// embedders add their own, such as the callbacks of calibration, to the same
// table.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_EXECUTION_RUNTIMESYMBOLS_H
#define COMPRESS_EXECUTION_RUNTIMESYMBOLS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace compress::execution {

/// Names and addresses. Of two entries of the same name the later one counts,
/// so an embedder may replace a built-in function.
class RuntimeSymbols {
public:
  /// Makes `function` callable under `name`. It must have C linkage conventions
  /// and outlive the compiled code. A memref arrives as the pointer to its
  /// descriptor if the declaration in IR has `llvm.emit_c_interface` (the name
  /// then starts with `_mlir_ciface_`), an unranked one as rank and pointer.
  template <typename Result, typename... Args>
  void add(llvm::StringRef name, Result (*function)(Args...)) {
    addresses[name] = reinterpret_cast<void *>(function);
  }

  /// The address of `name`, null if there is none.
  void *lookup(llvm::StringRef name) const { return addresses.lookup(name); }

  const llvm::StringMap<void *> &getAddresses() const { return addresses; }

private:
  llvm::StringMap<void *> addresses;
};

/// Adds the built-in functions:
///
/// * `memrefCopy`, which strided copies of unranked memrefs are lowered to;
/// * `compress_parallel_for` of compress/Runtime/ThreadPool.h, which loops on
///   several threads are lowered to;
/// * conversions that codegen calls on machines without the instruction:
///   `__truncsfhf2`, `__truncdfhf2`, `__extendhfsf2`, `__extendhfdf2`,
///   `__truncsfbf2`, `__truncdfbf2`, `__extendbfsf2`, `__gnu_f2h_ieee`,
///   `__gnu_h2f_ieee`; all round to nearest, ties to even;
/// * what `vector.print` is lowered to: `printI64`, `printU64`, `printF16`,
///   `printBF16`, `printF32`, `printF64`, `printString`, `printOpen`,
///   `printClose`, `printComma`, `printNewline`;
/// * `printMemref<T>` and `_mlir_ciface_printMemref<T>` for unranked memrefs,
///   with T one of I8, I16, I32, I64, Ind, F16, BF16, F32, F64, F8E4M3FN,
///   F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU. They print the shape and the
///   elements to standard output.
void registerRuntimeSymbols(RuntimeSymbols &symbols);

} // namespace compress::execution

#endif // COMPRESS_EXECUTION_RUNTIMESYMBOLS_H
