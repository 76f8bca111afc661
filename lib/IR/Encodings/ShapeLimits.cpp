//===- ShapeLimits.cpp - Which shapes can be encoded ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeLimits.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// 64-bit elements of such a tensor still have a countable number of bits.
static constexpr int64_t kMaxElements = int64_t(1) << 56;

LogicalResult mlir::compress::verifyEncodableShape(
    ArrayRef<int64_t> shape, StringRef what,
    function_ref<InFlightDiagnostic()> emitError) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0) {
      emitError() << what << " has the negative size " << size;
      return failure();
    }
    if (size > kMaxElements) {
      emitError() << "dimension size " << size << " is too large to encode";
      return failure();
    }
    if (llvm::MulOverflow(elements, std::max<int64_t>(size, 1), elements) ||
        elements > kMaxElements) {
      emitError() << what << " has more than 2^56 elements, too many to encode";
      return failure();
    }
  }
  return success();
}
