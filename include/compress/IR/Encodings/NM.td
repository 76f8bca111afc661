//===- NM.td - N:M structured sparsity ---------------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_ENCODINGS_NM_TD
#define COMPRESS_IR_ENCODINGS_NM_TD

include "compress/IR/CompressBase.td"
include "compress/IR/EncodingInterfaces.td"

def Compress_NMAttr : Compress_Attr<"NM", "nm",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
     DeclareAttrInterfaceMethods<CompressionEncodingAttrInterface,
      ["getComponentSizes", "verifyConstant", "getTileAlignment", "withBlock"]>]> {
  let summary = "N:M structured sparsity";
  let description = [{
    Of every M consecutive elements along `dim`, N are stored; the others are
    zero. 1 <= N < M <= 16.

    ```
    #compress.nm<2:4, dim = 1>
    #compress.nm<1:4, dim = 0, values = #compress.affine<i8, block = [*, 1]>>
    ```

    Components: `values`, the tensor with the size K of `dim` replaced by
    ceil(K/M)*N (of the encoding `values` if given: blocks in it count stored
    values); `metadata`, of the same shape, the position of each value in its
    group, ascending within the group, as integers of ceil(log2(M)) bits; and
    `size<dim>` if `dim` is dynamic. Positions behind the end of `dim` (in a
    ragged last group) hold zeros.

    Encoding a constant keeps the N largest magnitudes of a group, ties to the
    lowest position; a group with fewer than N non-zeros keeps zeros at the
    lowest free positions from M-N on. Run-time values cannot be encoded.

    The logical element type is f16, bf16, f32 or f64.
  }];
  let parameters = (ins
    "unsigned":$n,
    "unsigned":$m,
    "int64_t":$dim,
    OptionalParameter<"::mlir::Attribute", "the encoding of the values">:$values
  );
  let extraClassDeclaration = [{
    static constexpr int kValues = 0;
    static constexpr int kMetadata = 1;
    /// Bits of a position: ceil(log2(M)).
    unsigned getMetadataBits() const { return ::llvm::Log2_32_Ceil(getM()); }
    /// The number of stored elements along `dim` for its logical size.
    int64_t getStoredSize(int64_t size) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // COMPRESS_IR_ENCODINGS_NM_TD
