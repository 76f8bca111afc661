//===- Passes.h - The Conversion passes -------------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CONVERSION_PASSES_H
#define COMPRESS_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::compress {

/// How integer requantization rounds; see Numerics/FixedPoint.h.
enum class RequantizeRounding { Single, Double };

#define GEN_PASS_DECL
#include "compress/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compress/Conversion/Passes.h.inc"

} // namespace mlir::compress

#endif // COMPRESS_CONVERSION_PASSES_H
