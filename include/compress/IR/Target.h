//===- Target.h - The CPU that a module is compiled for ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_TARGET_H
#define COMPRESS_IR_TARGET_H

#include "compress/IR/Compress.h"
#include "compress/Target/HostTarget.h"

namespace mlir::compress {

/// The `compress.target` of `op` or of the nearest op around it that has one;
/// the generic target if none has. Never asks this machine.
TargetAttr getTarget(Operation *op);

/// The attribute that says what `target` does. `target` must be well-formed:
/// its features sorted, its sizes positive.
TargetAttr getTargetAttr(MLIRContext *context,
                         const ::compress::target::TargetDescription &target);

/// The reverse of getTargetAttr.
::compress::target::TargetDescription getDescription(TargetAttr target);

} // namespace mlir::compress

#endif // COMPRESS_IR_TARGET_H
