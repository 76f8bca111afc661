//===- CompressAttrs.td - All attributes of the dialect ----*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_COMPRESSATTRS_TD
#define COMPRESS_IR_COMPRESSATTRS_TD

include "compress/IR/Calibrators/MinMax.td"
include "compress/IR/CompressBase.td"
include "compress/IR/Encodings/Affine.td"
include "compress/IR/Encodings/NM.td"
include "compress/IR/Target.td"
include "compress/IR/Kernels/TileKernels.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

def Compress_EncodedAttr : Compress_Attr<"Encoded", "encoded",
    [TypedAttrInterface]> {
  let summary = "A constant of an encoded tensor type";
  let description = [{
    `#compress.encoded<[c0, c1, ...]> : type` lists the constant components of
    `type` in order, each in its logical or its storage type; the constant of a
    component of encoded type is itself `#compress.encoded`, the constant of a
    size is an integer of type `index`.

    ```mlir
    #compress.encoded<[dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
      : tensor<2xf32, #compress.affine<i4>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::Attribute", "constant components">:$components,
    AttributeSelfTypeParameter<"the encoded type", "::mlir::RankedTensorType">:$type
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Compress_ExitEnum : I32EnumAttr<"ContractionExit",
    "how an op with encoded operands leaves the encoded world", [
      I32EnumAttrCase<"Portable", 0, "portable">,
      I32EnumAttrCase<"Decode", 1, "decode">,
      I32EnumAttrCase<"Native", 2, "native">
    ]> {
  let cppNamespace = "::mlir::compress";
  let genSpecializedAttr = 0;
}

def Compress_StrategyAttr : Compress_Attr<"Strategy", "strategy"> {
  let summary = "How an op with encoded operands is lowered";
  let description = [{
    Set by `compress-select-strategy` under the name `compress.strategy`, read
    by `compress-lower-contractions`, and nothing else decides.

    * `portable`: an integer or mixed contraction over the components, as
      `linalg` ops.
    * `decode`: the operand is decoded by tiles of `tile` elements, then
      contracted in floating point.
    * `native`: a `compress.tile_contract` with the tile kernel `kernel`, by
      `threads` threads.

    `tile` is the number of elements of the tiled loop that one step decodes or
    unpacks; 0 means the whole loop at once.
  }];
  let parameters = (ins EnumParameter<Compress_ExitEnum>:$exit,
                        DefaultValuedParameter<"int64_t", "0">:$tile,
                        OptionalParameter<"::mlir::compress::TileKernelAttrInterface">:$kernel,
                        DefaultValuedParameter<"int64_t", "1">:$threads);
  let builders = [
    AttrBuilder<(ins "::mlir::compress::ContractionExit":$exit,
                     "int64_t":$tile), [{
      return $_get($_ctxt, exit, tile, TileKernelAttrInterface(), 1);
    }]>
  ];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Compress_WindowAttr : Compress_Attr<"Window", "window"> {
  let summary = "The window of a convolution";
  let description = [{
    One entry for each spatial dimension: taps, steps between windows, steps
    between taps, and the padding before the first element.

    ```
    #compress.window<sizes = [3, 3], strides = [1, 1], dilations = [1, 1],
                     pads = [1, 1]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides,
                        ArrayRefParameter<"int64_t">:$dilations,
                        ArrayRefParameter<"int64_t">:$pads);
  let assemblyFormat = [{
    `<` `sizes` `=` `[` $sizes `]` `,` `strides` `=` `[` $strides `]` `,`
    `dilations` `=` `[` $dilations `]` `,` `pads` `=` `[` $pads `]` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getSizes().size(); }
    /// Taps of the whole window.
    int64_t getNumTaps() const;
  }];
}

#endif // COMPRESS_IR_COMPRESSATTRS_TD
