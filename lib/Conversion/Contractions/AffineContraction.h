//===- AffineContraction.h - Contractions on integer codes ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of one contraction of affine operands, in two files: what is
// computed of one tile (AffineTiles.cpp), and the loops over tiles
// (AffineContraction.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_CONVERSION_CONTRACTIONS_AFFINECONTRACTION_H
#define COMPRESS_LIB_CONVERSION_CONTRACTIONS_AFFINECONTRACTION_H

#include "compress/Analysis/Contraction.h"
#include "compress/IR/Compress.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {

/// A tensor indexed by parallel loops alone: a grid of scales or zero points,
/// or sums over one operand.
struct LoopTensor {
  Value value;
  /// The loop that indexes each dimension.
  SmallVector<unsigned> loops;
};

/// One dimension of a grid of scales.
struct GridDim {
  unsigned loop;
  /// Elements of the loop in one block; the grid is indexed by position / block
  /// for a reduction, and by the position itself for a parallel loop (the grid
  /// is expanded along those).
  int64_t block;
};

/// One operand of the contraction.
struct Side {
  Value value;
  RankedTensorType type;
  /// Null for a dense operand.
  AffineAttr encoding;
  SmallVector<OpFoldResult> sizes;
  /// Expanded grids; `points` is null without zero points.
  Value scales, points;
  SmallVector<GridDim> grid;

  bool isInteger() const { return static_cast<bool>(encoding); }
  bool isSigned() const { return encoding.getFormat().isSigned; }
};

/// The part of the iteration space that is computed at a time.
struct Tile {
  SmallVector<OpFoldResult> offsets, sizes;
};

class AffineContractionLowering {
public:
  AffineContractionLowering(RewriterBase &b, const Contraction &contraction)
      : b(b), loc(contraction.getLoc()), contraction(contraction) {}

  FailureOr<Value> run(int64_t tile);
  FailureOr<Value> runSums(int64_t tile);

private:
  void prepareSide(unsigned index);
  Value expandGrid(const Side &side, Value grid);
  void computeLoopSizes();
  void findBlockLoops();

  Value buildBlockLoops(unsigned next, Tile &tile, Value carry);
  Value buildScaledTile(const Tile &tile, Value carry);
  Value buildUnscaled(Tile &tile, int64_t step);

  Value buildCodes(const Side &side, unsigned index, const Tile &tile);
  Value buildProducts(const Tile &tile, Value init, Type sumType);
  Value buildCorrected(const Tile &tile, ArrayRef<Value> codes, Value sums);
  LoopTensor buildCodeSums(unsigned index, const Tile &tile, Value codes,
                           Type sumType);
  LoopTensor sliceGrid(const Side &side, Value grid, const Tile &tile);
  Value buildScaled(const Tile &tile, Value sums, Value carry);

  Value buildZeros(Type elementType);
  Value castTensor(Value tensor, Type elementType);
  AffineMap getOutMap(ArrayRef<unsigned> loops) const;
  AffineMap getLoopMap(ArrayRef<unsigned> loops) const;
  bool isInteger() const {
    return sides[0].isInteger() && sides[1].isInteger();
  }
  bool pointsBySums() const;
  std::optional<int64_t> getLongestSum(unsigned bits) const;
  Type getProductType(const Tile &tile) const;

  RewriterBase &b;
  Location loc;
  const Contraction &contraction;
  Side sides[2];
  SmallVector<OpFoldResult> loopSizes, outSizes;
  /// For each loop of the result, its dimension there.
  SmallVector<int64_t> outDim;
  /// Reductions along which scales vary, with the elements between changes.
  SmallVector<GridDim> blockLoops;
  /// The type in which scaled sums are added up, and that of float products.
  Type carryType, floatType;
};

} // namespace mlir::compress

#endif // COMPRESS_LIB_CONVERSION_CONTRACTIONS_AFFINECONTRACTION_H
