//===- MinMax.td - The min-max calibrator ------------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_CALIBRATORS_MINMAX_TD
#define COMPRESS_IR_CALIBRATORS_MINMAX_TD

include "compress/IR/CalibratorInterfaces.td"
include "compress/IR/CompressBase.td"

def Compress_MinMaxAttr : Compress_Attr<"MinMax", "min_max",
    [DeclareAttrInterfaceMethods<CalibratorAttrInterface>]> {
  let summary = "The smallest and the largest finite value";
  let description = [{
    `#compress.min_max`: low = min(0, smallest), high = max(0, largest) over
    the finite values of a group. NaN and infinities are left out; an empty
    group has the range [0, 0].
  }];
  // No parameters, but whoever writes some must hear about it.
  let hasCustomAssemblyFormat = 1;
}

#endif // COMPRESS_IR_CALIBRATORS_MINMAX_TD
