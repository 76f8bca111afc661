//===- CompressOps.td - All ops of the dialect -------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_COMPRESSOPS_TD
#define COMPRESS_IR_COMPRESSOPS_TD

include "compress/IR/Ops/EncodingOps.td"
include "compress/IR/Ops/QuantizationOps.td"
include "compress/IR/Ops/TileOps.td"

#endif // COMPRESS_IR_COMPRESSOPS_TD
