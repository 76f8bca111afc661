//===- Passes.td - The Conversion passes -------------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CONVERSION_PASSES_TD
#define COMPRESS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // COMPRESS_CONVERSION_PASSES_TD
