//===- EncodingRules.h - Where encoded values may occur ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_ENCODINGRULES_H
#define COMPRESS_IR_ENCODINGRULES_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace mlir::compress {

/// Verifies rule 5 of the dialect on `root` and everything inside: only
/// compress ops create encoded values; other ops may forward one (regions,
/// branches, calls, `arith.select` on an i1, global loads, `tensor.cast`
/// within the same encoding) or read one (`linalg` inputs, `linalg.pack`
/// source, `tensor` readers with a dense result, `tosa` operands). Every
/// encoded type inside must be legal and every encoded constant readable.
/// Errors are reported at the offending op and name it, the value and the
/// remedy.
LogicalResult verifyEncodingRules(Operation *root);

/// Whether `op` may forward encoded values from operands to results or
/// successors unchanged.
bool isEncodingForwarder(Operation *op);

} // namespace mlir::compress

#endif // COMPRESS_IR_ENCODINGRULES_H
