//===- StorageReport.h - What the constants of a module take ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_ANALYSIS_STORAGEREPORT_H
#define COMPRESS_ANALYSIS_STORAGEREPORT_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::compress {

/// Writes, as JSON, what the tensor constants below `root` take:
///
///   {"constants": [{"location": "fc1.weight", "type": "tensor<...>",
///                   "stored_bytes": 4352, "dense_bytes": 32768}, ...],
///    "stored_bytes": ..., "dense_bytes": ...}
///
/// Stored bytes are those of all components, padding and metadata counted;
/// dense bytes those of the logical tensor. Constants are compress.constant,
/// other constants of tensor type, and initial values of ml_program globals, in
/// the order of the module; each use of one attribute by one op counts once.
/// Fails, with a located error, for a constant whose size cannot be told.
LogicalResult writeStorageReport(Operation *root, raw_ostream &os);

} // namespace mlir::compress

#endif // COMPRESS_ANALYSIS_STORAGEREPORT_H
