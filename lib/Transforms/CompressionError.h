//===- CompressionError.h - What encoding a constant loses ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_TRANSFORMS_COMPRESSIONERROR_H
#define COMPRESS_LIB_TRANSFORMS_COMPRESSIONERROR_H

#include "compress/IR/Compress.h"

namespace mlir::compress {

/// Absolute differences between original and decoded elements.
struct CompressionError {
  double max = 0;
  double mean = 0;
  /// Original elements that are NaN or infinite; they are left out.
  int64_t numNonFinite = 0;
};

/// Compares `original` (f16, bf16, f32 or f64) with what `encoded` denotes.
/// Takes the memory of one decoded copy for as long as it runs. Fails with a
/// message if either cannot be read.
FailureOr<CompressionError>
measureError(ElementsAttr original, EncodedAttr encoded,
             function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::compress

#endif // COMPRESS_LIB_TRANSFORMS_COMPRESSIONERROR_H
