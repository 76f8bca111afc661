//===- Affine.td - Affine integer quantization -------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_ENCODINGS_AFFINE_TD
#define COMPRESS_IR_ENCODINGS_AFFINE_TD

include "compress/IR/CompressBase.td"
include "compress/IR/EncodingInterfaces.td"

def Compress_AffineAttr : Compress_Attr<"Affine", "affine",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
     DeclareAttrInterfaceMethods<CompressionEncodingAttrInterface,
      ["getComponentSizes", "verifyConstant", "canEncodeAtRuntime",
       "getParameterComponents",
       "buildChooseParams", "buildQuantize", "getTileAlignment",
       "isLosslessFrom", "buildConvert", "getConstantParams", "withBlock"]>]> {
  let summary = "Integers with scales and zero points";
  let description = [{
    Denotes `(values - zero_points) * scales`.

    ```
    #compress.affine<i8>                                 // per tensor
    #compress.affine<ui8, asymmetric>                    // with a zero point
    #compress.affine<i8, block = [1, *]>                 // one scale a row
    #compress.affine<i4, block = [1, 32], scale = f16>   // one scale for each 32
    #compress.affine<i4, block = [1, 32], scale = ui6,
                     super_scale = f16, super_block = [1, 256]>  // two levels
    ```

    * The first parameter is the integer type of a code: `i2` to `i16`, signed
      two's complement, or `ui1` to `ui16`.
    * `asymmetric`: the encoding has zero points. Without it they are 0.
    * `full_range`: a symmetric signed format uses its lowest code too
      ([-128, 127]); without it the range is [-127, 127].
    * `block`: how many elements along each dimension share a scale; `*` is the
      whole dimension. Without it the whole tensor shares one. The last block of
      a dimension may be ragged; a block larger than the dimension is one ragged
      block.
    * `scale`: `f32` (default), `f16` or `bf16`; or `ui4` to `ui8`, with
      `super_scale` (`f16`, `bf16`, `f32`) and `super_block` (in elements, a
      multiple of `block` in each dimension, `*` for the whole one): then a
      scale is the product of the two, rounded to f32.

    The logical element type is f16, bf16, f32 or f64.

    Components: `values` (padded to whole blocks with the code of zero),
    `scales` (one dimension for each dimension whose block is not `*`),
    `super_scales` if two-level, `zero_points` (shaped as `scales`, of the code
    type) if asymmetric, and `size<d>` for a dynamic dimension `d` that
    `values` does not show.

    Quantization is `saturate(round_half_even(x / scale) + zero_point)`,
    divided in f32 (f64 for f64 tensors), NaN gives the code of zero; see
    `compress/Numerics/Affine.h`, the definition.
  }];
  let parameters = (ins
    "::mlir::IntegerType":$storage,
    "bool":$asymmetric,
    "bool":$fullRange,
    ArrayRefParameter<"int64_t", "elements that share a scale">:$block,
    "::mlir::Type":$scaleType,
    "::mlir::Type":$superScaleType,
    ArrayRefParameter<"int64_t", "elements that share a super scale">:$superBlock
  );
  let builders = [
    AttrBuilder<(ins "::mlir::IntegerType":$storage,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$block,
                     CArg<"bool", "false">:$asymmetric,
                     CArg<"::mlir::Type", "{}">:$scaleType), [{
      return $_get($_ctxt, storage, asymmetric, /*fullRange=*/false, block,
                   scaleType ? scaleType : Float32Type::get($_ctxt), Type(),
                   ArrayRef<int64_t>());
    }]>
  ];
  let extraClassDeclaration = [{
    /// In a block list: the whole dimension (`*`).
    static constexpr int64_t kWholeDim = -1;

    /// The code format: bits, signedness, and whether the lowest code is left out.
    ::compress::numerics::IntegerFormat getFormat() const;
    bool isTwoLevel() const { return getSuperScaleType() != nullptr; }
    /// The scale type of a single-level encoding, else that of the super scales.
    ::compress::numerics::ScaleType getNumericScaleType() const;
    /// block[dim], kWholeDim if there is no block list.
    int64_t getBlockSize(int64_t dim) const;
    /// The dimensions of `scales`, as dimensions of the tensor.
    ::llvm::SmallVector<int64_t> getGridDims(int64_t rank) const;
    /// The dimensions of `super_scales`, as dimensions of the tensor.
    ::llvm::SmallVector<int64_t> getSuperGridDims(int64_t rank) const;
    /// Whether the encoding has a `size<dim>` component for this type.
    bool hasSizeComponent(::mlir::RankedTensorType type, int64_t dim) const;

    /// Positions in the component list; -1 if the encoding lacks it.
    static constexpr int kValues = 0;
    static constexpr int kScales = 1;
    int getSuperScalesIndex() const { return isTwoLevel() ? 2 : -1; }
    int getZeroPointsIndex() const {
      return getAsymmetric() ? (isTwoLevel() ? 3 : 2) : -1;
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // COMPRESS_IR_ENCODINGS_AFFINE_TD
