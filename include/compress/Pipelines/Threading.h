//===- Threading.h - How loops get several threads --------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice between the ways to run `scf.forall` loops that are marked with
// `compress.threads`, for options of passes and pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_PIPELINES_THREADING_H
#define COMPRESS_PIPELINES_THREADING_H

#include "llvm/ADT/StringRef.h"

namespace mlir::compress {

/// What marked loops become.
enum class Threading {
  /// Calls of compress/Runtime/ThreadPool.h.
  Pool,
  /// Parallel regions of the OpenMP dialect.
  OpenMP,
  /// Sequential loops.
  None
};

/// The attribute on `scf.forall` that gives its number of threads, an `i64`.
inline constexpr llvm::StringLiteral threadsAttrName = "compress.threads";

} // namespace mlir::compress

#endif // COMPRESS_PIPELINES_THREADING_H
