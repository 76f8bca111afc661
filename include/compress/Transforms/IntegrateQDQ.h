//===- IntegrateQDQ.h - Patterns that make encoded operands of QDQ chains --*-
//C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TRANSFORMS_INTEGRATEQDQ_H
#define COMPRESS_TRANSFORMS_INTEGRATEQDQ_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {

/// `linalg` contractions read encoded values instead of decoded ones.
void populateFoldDecodePatterns(RewritePatternSet &patterns);

/// Decoding moves behind ops that only move elements (transpose, reshape,
/// padding with zeros), where the encoding allows it.
void populateSinkDecodePatterns(RewritePatternSet &patterns);

/// Quantization and dequantization that is spelled out as elementwise
/// `linalg.generic` ops becomes compress.quantize, and compress.decode of
/// assembled integers.
void populateRecognizeQDQPatterns(RewritePatternSet &patterns);

} // namespace mlir::compress

#endif // COMPRESS_TRANSFORMS_INTEGRATEQDQ_H
