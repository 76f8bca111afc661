//===- Passes.h - The Transforms passes -------------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TRANSFORMS_PASSES_H
#define COMPRESS_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::compress {

/// What compress-lower-observe does with observers.
enum class ObserveMode {
  /// Calls of the functions of CalibrationRecorder.h.
  Record,
  /// Nothing.
  Drop
};

#define GEN_PASS_DECL
#include "compress/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compress/Transforms/Passes.h.inc"

} // namespace mlir::compress

#endif // COMPRESS_TRANSFORMS_PASSES_H
