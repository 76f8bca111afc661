//===- EncodingInterfaces.td - What an encoding is ---------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_ENCODINGINTERFACES_TD
#define COMPRESS_IR_ENCODINGINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def CompressionEncodingAttrInterface
    : AttrInterface<"CompressionEncodingAttrInterface",
                    [VerifiableTensorEncoding]> {
  let cppNamespace = "::mlir::compress";
  let description = [{
    An attribute in the encoding slot of a `RankedTensorType` that maps the
    logical tensor to an ordered list of named components.

    In all methods `type` is the whole encoded type. Every method is total:
    types made by passes or read from bytecode arrive unverified, so an illegal
    type gives a failure, never a crash.

    A component has a *logical* type (`tensor<4x5xi4>`) and a *storage* type
    (`tensor<4x3xi8>`, see `getStorageType`); they differ only for integers
    that do not fill whole bytes. Constants and values may be in either form where stated.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends the components in order: name and logical type. A dynamic
        logical size that no other component shows is a component of type
        `index`, named `size<d>`. A component may itself have an encoded type.
      }],
      "::llvm::LogicalResult", "getComponents",
      (ins "::mlir::RankedTensorType":$type,
           "::llvm::SmallVectorImpl<::mlir::compress::EncodingComponent> &":$components)>,
    InterfaceMethod<[{
        The sizes of the logical tensor, static ones as attributes.
      }],
      "::llvm::SmallVector<::mlir::OpFoldResult>", "getLogicalSizes",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$encoded)>,
    InterfaceMethod<[{
        The sizes of the dense component `index` in its logical form, static
        ones as attributes. Fails if they cannot be known.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::OpFoldResult>>",
      "getComponentSizes",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$encoded, "unsigned":$index), "", [{
        return ::mlir::compress::getStoredComponentSizes(builder, loc, encoded,
                                                         index);
      }]>,
    InterfaceMethod<[{
        Encodes a constant (lossy): one attribute a component, large ones as
        `dense_resource` blobs in storage form. Never makes one attribute an
        element. Reports through `emitError` why it cannot.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Attribute>>",
      "encodeConstant",
      (ins "::mlir::RankedTensorType":$type, "::mlir::ElementsAttr":$value,
           "const ::mlir::compress::EncodeOptions &":$options,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<[{
        The correctly rounded image of the constant that `components` (in
        logical or storage form) denote.
      }],
      "::llvm::FailureOr<::mlir::ElementsAttr>", "decodeConstant",
      (ins "::mlir::RankedTensorType":$type,
           "::llvm::ArrayRef<::mlir::Attribute>":$components,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<[{
        Checks what only the values of constant components show: scales finite
        and positive, positions in range. Types were checked before.
      }],
      "::llvm::LogicalResult", "verifyConstant",
      (ins "::mlir::RankedTensorType":$type,
           "::llvm::ArrayRef<::mlir::Attribute>":$components,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError),
      /*methodBody=*/"", /*defaultImplementation=*/"return success();">,
    InterfaceMethod<[{
        Whether `buildChooseParams` and `buildQuantize` work, that is, whether
        run-time values can be encoded.
      }],
      "bool", "canEncodeAtRuntime", (ins), "", "return false;">,
    InterfaceMethod<[{
        The indices of the components that `compress.choose_params` computes
        and `compress.quantize` takes, in their order. Empty if the encoding
        has none.
      }],
      "::llvm::SmallVector<unsigned>", "getParameterComponents",
      (ins "::mlir::RankedTensorType":$type), "", "return {};">,
    InterfaceMethod<[{
        IR that chooses the parameters for the dense value `value` by
        `calibrator`; one value a parameter component, in storage form.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "buildChooseParams",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::RankedTensorType":$type, "::mlir::Value":$value,
           "::mlir::compress::CalibratorAttrInterface":$calibrator),
      "", "return failure();">,
    InterfaceMethod<[{
        IR that quantizes the dense value `value` with the given parameters (in
        storage form); the result is a value of the encoded type `type`.
      }],
      "::llvm::FailureOr<::mlir::Value>", "buildQuantize",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::RankedTensorType":$type, "::mlir::Value":$value,
           "::mlir::ValueRange":$params),
      "", "return failure();">,
    InterfaceMethod<[{
        IR that decodes the tile [offsets, offsets + sizes) of `encoded` to a
        dense tensor of the logical element type. Offsets must be multiples of
        `getTileAlignment`, and sizes too unless the tile ends at the end of the
        dimension. The whole tensor is the tile at 0.
      }],
      "::llvm::FailureOr<::mlir::Value>", "buildDecodeTile",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$encoded,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>,
    InterfaceMethod<[{
        The smallest step at which tiles of `buildDecodeTile` may start along
        `dim`, or 0 if `dim` cannot be tiled at all.
      }],
      "int64_t", "getTileAlignment",
      (ins "::mlir::RankedTensorType":$type, "int64_t":$dim), "", "return 1;">,
    InterfaceMethod<[{
        Whether every value of `from` can be written in the type `to` (which
        has this encoding) with the same denoted numbers.
      }],
      "bool", "isLosslessFrom",
      (ins "::mlir::RankedTensorType":$to, "::mlir::RankedTensorType":$from),
      "", "return false;">,
    InterfaceMethod<[{
        IR for `compress.convert` to `to`; only called if `isLosslessFrom`.
      }],
      "::llvm::FailureOr<::mlir::Value>", "buildConvert",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::RankedTensorType":$to, "::mlir::Value":$encoded),
      "", "return failure();">,
    InterfaceMethod<[{
        Constants for the components in `getParameterComponents` (in storage
        form) with which every group covers the values of `range`. This is
        static quantization of an activation.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Attribute>>",
      "getConstantParams",
      (ins "::mlir::RankedTensorType":$type,
           "::mlir::compress::ValueRange1D":$range,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError),
      "", [{
        emitError() << type << " has no parameters that a range could give";
        return ::llvm::failure();
      }]>,
    InterfaceMethod<[{
        This encoding with one set of parameters for each box of `block`
        elements (-1: the whole dimension), and with super blocks of
        `superBlock` if it has two levels of parameters. Fails if it has no
        such parameters, or none on two levels although `superBlock` is given.
      }],
      "::llvm::FailureOr<::mlir::Attribute>", "withBlock",
      (ins "::llvm::ArrayRef<int64_t>":$block,
           "::llvm::ArrayRef<int64_t>":$superBlock),
      "", "return ::llvm::failure();">,
  ];
}

#endif // COMPRESS_IR_ENCODINGINTERFACES_TD
