//===- Compress.h - The compress dialect ------------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_COMPRESS_H
#define COMPRESS_IR_COMPRESS_H

#include "compress/IR/Calibrator.h"
#include "compress/IR/Encoding.h"
#include "compress/IR/TileKernel.h"
#include "compress/Numerics/Affine.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compress/IR/CompressDialect.h.inc"
#include "compress/IR/CompressEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compress/IR/CompressAttrs.h.inc"

#define GET_OP_CLASSES
#include "compress/IR/CompressOps.h.inc"

#endif // COMPRESS_IR_COMPRESS_H
