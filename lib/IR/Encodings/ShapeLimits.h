//===- ShapeLimits.h - Which shapes can be encoded ---------------*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits within which sizes, element counts and byte counts of all components
// fit into 64 bits, so that no encoding needs to check its arithmetic. Types
// read from bytecode may hold any size, negative ones too.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_IR_ENCODINGS_SHAPELIMITS_H
#define COMPRESS_LIB_IR_ENCODINGS_SHAPELIMITS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::compress {

/// Verifies that each static size is in [0, 2^56], and that the static sizes
/// multiply to at most 2^56 elements (zero sizes count as 1, for strides).
/// `shape` has kDynamic for unknown sizes; `what` names it in the message.
LogicalResult
verifyEncodableShape(ArrayRef<int64_t> shape, StringRef what,
                     function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::compress

#endif // COMPRESS_LIB_IR_ENCODINGS_SHAPELIMITS_H
