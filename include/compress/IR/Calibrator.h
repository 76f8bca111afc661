//===- Calibrator.h - How a value range is chosen ---------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_CALIBRATOR_H
#define COMPRESS_IR_CALIBRATOR_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <cstdint>

namespace mlir::compress {

/// A range of values, both ends included.
struct ValueRange1D {
  double low = 0;
  double high = 0;
};

/// What `compress.observe` records of a value; mergeable in any order.
struct ValueSummary {
  int64_t count = 0;
  int64_t nanCount = 0;
  int64_t infCount = 0;
  /// Over the finite values; 0 if there are none.
  double min = 0;
  double max = 0;
};

} // namespace mlir::compress

#include "compress/IR/CalibratorInterfaces.h.inc"

#endif // COMPRESS_IR_CALIBRATOR_H
