//===- Passes.h - Passes of the compress_check dialect ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and registration of the passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CHECK_PASSES_H
#define COMPRESS_CHECK_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::compress {

#define GEN_PASS_DECL
#include "compress/Check/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compress/Check/Passes.h.inc"

} // namespace mlir::compress

#endif // COMPRESS_CHECK_PASSES_H
