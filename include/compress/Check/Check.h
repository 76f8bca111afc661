//===- Check.h - The compress_check dialect ---------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops with which test programs check their own results, see CheckOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CHECK_CHECK_H
#define COMPRESS_CHECK_CHECK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::compress::check {

/// Whether checks can compare tensors of this type: ranked, without an
/// encoding, of signless integers of 1 to 64 bits, index, or floats of 8, 16,
/// 32 or 64 bits.
bool isComparableTensor(Type type);

} // namespace mlir::compress::check

#include "compress/Check/CheckDialect.h.inc"

#define GET_OP_CLASSES
#include "compress/Check/CheckOps.h.inc"

#endif // COMPRESS_CHECK_CHECK_H
