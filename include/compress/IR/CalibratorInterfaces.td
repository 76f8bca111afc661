//===- CalibratorInterfaces.td - How a value range is chosen --*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_CALIBRATORINTERFACES_TD
#define COMPRESS_IR_CALIBRATORINTERFACES_TD

include "mlir/IR/OpBase.td"

def CalibratorAttrInterface : AttrInterface<"CalibratorAttrInterface"> {
  let cppNamespace = "::mlir::compress";
  let description = [{
    A rule that chooses the range [low, high] of values that codes must cover,
    from data: at compile time from a summary of it, at run time as IR. Both
    forms give the same bits for the same data.
  }];
  let methods = [
    InterfaceMethod<[{
        The range for data with this summary (gathered by `compress.observe` or
        from a constant).
      }],
      "::mlir::compress::ValueRange1D", "chooseRange",
      (ins "const ::mlir::compress::ValueSummary &":$summary)>,
    InterfaceMethod<[{
        IR that computes the range of `value` group-wise: every dimension in
        `reducedDims` is reduced, the others remain, in order. Returns the two
        tensors low and high, of f32 (f64 if `value` is f64).
      }],
      "::std::pair<::mlir::Value, ::mlir::Value>", "buildRange",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$value, "::llvm::ArrayRef<int64_t>":$reducedDims)>,
  ];
}

#endif // COMPRESS_IR_CALIBRATORINTERFACES_TD
