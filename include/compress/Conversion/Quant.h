//===- Quant.h - Conversion from and to the quant dialect -------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CONVERSION_QUANT_H
#define COMPRESS_CONVERSION_QUANT_H

#include "compress/IR/Compress.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace mlir::compress {

/// The affine tensor type that corresponds to a tensor of quantized elements.
/// Scales become f32 (the scale type of the quant dialect is f64), zero points
/// that are all 0 with a signed storage range that is symmetric or full, or
/// with an unsigned one, give a symmetric encoding. Fails, through `emitError`,
/// for storage ranges, expressed types and block sizes that no affine encoding
/// has, and for zero points outside the storage range.
FailureOr<RankedTensorType>
getAffineType(RankedTensorType quantized,
              function_ref<InFlightDiagnostic()> emitError);

/// The constant parameter components for `affine`, from `quantized`.
SmallVector<Value> buildQuantParams(OpBuilder &builder, Location loc,
                                    RankedTensorType quantized,
                                    RankedTensorType affine);

/// Replaces all types and ops of the quant dialect below `root`: a tensor of
/// quantized elements becomes the tensor of its storage integers, `qcast`
/// compress.quantize, `dcast` compress.decode of the assembled integers, and
/// `scast` nothing.
LogicalResult convertQuantToCompress(Operation *root);

} // namespace mlir::compress

#endif // COMPRESS_CONVERSION_QUANT_H
