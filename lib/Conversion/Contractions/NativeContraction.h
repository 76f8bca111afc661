//===- NativeContraction.h - Lowering to tile kernels -----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of one contraction to compress.tile_contract, in four files: the
// op and its result (NativeContraction.cpp), the rows of the left operand
// (NativeOperand.cpp), the panels of the right one (NativePanels.cpp), and the
// scales, zero points and initial values as the epilogue (NativeEpilogue.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_CONVERSION_CONTRACTIONS_NATIVECONTRACTION_H
#define COMPRESS_LIB_CONVERSION_CONTRACTIONS_NATIVECONTRACTION_H

#include "compress/Analysis/NativeContraction.h"
#include "compress/IR/Compress.h"
#include "compress/Numerics/Panels.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {

/// What the epilogue reads besides the product, and where.
struct Extra {
  Value value;
  AffineMap map;
};

/// Lowers one contraction to compress.tile_contract.
class NativeLowering {
public:
  NativeLowering(RewriterBase &b, const Contraction &contraction,
                 const NativeForm &form, StrategyAttr strategy)
      : b(b), loc(contraction.getLoc()), contraction(contraction), form(form),
        kernel(strategy.getKernel()), threads(strategy.getThreads()) {}

  FailureOr<Value> run();

private:
  /// The left operand without its padding, if that is part of the window.
  Value getOperand(unsigned side) {
    return side == form.lhs && image ? image : contraction.getOperand(side);
  }
  AffineAttr getAffine(unsigned side) {
    return dyn_cast_or_null<AffineAttr>(
        cast<RankedTensorType>(getOperand(side).getType()).getEncoding());
  }
  InFlightDiagnostic emitError() {
    linalg::LinalgOp op = contraction.op;
    return op.emitOpError();
  }
  SmallVector<unsigned> getOutLoops() const;
  bool isQuantizedByRow(Value value);
  void foldPadding();
  bool takePads(tensor::PadOp pad);
  FailureOr<Value> buildLhs();
  Value orderDims(Value value, unsigned side, ArrayRef<unsigned> loops);
  FailureOr<Value> buildPanels();
  FailureOr<Value> packAffine(::compress::numerics::PanelMatrix &matrix,
                              AffineAttr encoding);
  FailureOr<Value> packFloats(::compress::numerics::PanelMatrix &matrix);
  std::vector<char> packBatches(const ::compress::numerics::PanelMatrix &matrix,
                                ArrayRef<int64_t> shape, bool splat,
                                int64_t &batches);
  void appendColumnSums(const ::compress::numerics::PanelMatrix &matrix);
  void appendTapSums(const ::compress::numerics::PanelMatrix &matrix,
                     std::vector<char> &packed);
  Value makePanels(int64_t batches, int64_t columns, std::vector<char> packed);
  Value buildRuntimePanels();
  void describeMatrix(::compress::numerics::PanelMatrix &matrix,
                      ArrayRef<int64_t> shape);
  Extra buildGrid(unsigned side, Value grid);
  Extra buildColumnScales();
  Value toOpForm(Value value);
  Value fromOpForm(Value value, ArrayRef<OpFoldResult> ordered);
  Value makeConstantTensor(RankedTensorType type, std::vector<char> data,
                           StringRef name);
  void buildEpilogue(TileContractOp op);
  WindowAttr getWindow();

  RewriterBase &b;
  Location loc;
  const Contraction &contraction;
  const NativeForm &form;
  TileKernelAttrInterface kernel;
  int64_t threads;

  /// The left operand in front of which the padding was, and the padding before
  /// its first element in each dimension of the window.
  Value image;
  SmallVector<int64_t> pads;
  /// What the kernel would read outside the image, as an integer.
  int32_t padCode = 0;

  AffineAttr quantize;
  int64_t outRank = 0;
  /// Sums of the right operand's columns in each batch, for the zero points of
  /// the left one, and the sizes of the batches.
  std::vector<int32_t> columnSums;
  SmallVector<int64_t> batchSizes;
  /// A scale for each of them, or one for all.
  std::vector<float> columnScales;
  bool safeScales = false;
  SmallVector<Extra> extras;
};

} // namespace mlir::compress

#endif // COMPRESS_LIB_CONVERSION_CONTRACTIONS_NATIVECONTRACTION_H
