//===- TileLowering.h - Loops around tile kernels ---------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of one compress.tile_contract on memrefs, in seven files: tasks
// and windows (TileLoops.cpp), cache blocks and row tiles (TileBlocks.cpp), the
// loops over products of a tile (TileProducts.cpp), what tiles ask memory for
// ahead (TilePrefetch.cpp), the rows of the left operand as the kernel wants
// them (TileRows.cpp), or its images (TileImages.cpp), and the epilogue on
// vectors (TileEpilogue.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_CONVERSION_TILECONTRACT_TILELOWERING_H
#define COMPRESS_LIB_CONVERSION_TILECONTRACT_TILELOWERING_H

#include "compress/IR/Compress.h"
#include "compress/IR/Target.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress {

/// Index arithmetic on values and attributes, folded.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult sub(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult mul(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult min(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult max(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult floorDiv(OpFoldResult lhs, int64_t rhs);
  OpFoldResult ceilDiv(OpFoldResult lhs, int64_t rhs);
  OpFoldResult mod(OpFoldResult lhs, int64_t rhs);
  OpFoldResult constant(int64_t value) { return b.getIndexAttr(value); }
  Value value(OpFoldResult index);

private:
  OpBuilder &b;
  Location loc;
};

/// The reassociation that joins dimensions [first, last) of `rank`.
SmallVector<ReassociationIndices> joinDims(int64_t first, int64_t last,
                                           int64_t rank);

/// The range of dimensions of an operand that `map` takes from [first, last),
/// if it takes all or none of them, in order.
std::optional<std::pair<int64_t, int64_t>>
findRows(AffineMap map, int64_t first, int64_t last);

/// `map` of an operand for which findRows finds a range, from dimensions of
/// which [first, last) are one.
AffineMap joinRows(AffineMap map, int64_t first, int64_t last);

/// `op` with its row dimensions collapsed to one where all operands allow it.
TileContractOp collapseRows(RewriterBase &b, TileContractOp op);

/// Rows that a kernel of tile registers reads at a time.
inline constexpr int64_t kRowsOfRegister = 16;

/// Elements that lie one behind the other along the last dimension of a memref:
/// their indices in all dimensions but that.
struct TileLine {
  Value memref;
  SmallVector<Value> indices;
};

class TileLowering {
public:
  TileLowering(RewriterBase &b, TileContractOp op)
      : b(b), loc(op.getLoc()), op(op), kernel(op.getKernel()), at(b, loc) {}

  LogicalResult run();

private:
  //===--- TileLoops.cpp ---===//
  void measure();
  void buildWindowTask(OpFoldResult firstOuter, OpFoldResult outers,
                       OpFoldResult firstPanel, OpFoldResult panels);
  void buildWindowTiles(Value panel);
  void setOuter(OpFoldResult outer);
  void buildFor(OpFoldResult count, OpFoldResult step,
                function_ref<void(Value)> body);

  //===--- TileBlocks.cpp ---===//
  void choosePieces(int64_t rows, int64_t cache);
  void chooseBlocks(OpFoldResult taskRows);
  void allocatePartials();
  void buildOuter(OpFoldResult outer, OpFoldResult firstRow, OpFoldResult rows,
                  OpFoldResult firstPanel, OpFoldResult panels);
  void buildPieces(OpFoldResult firstRow, OpFoldResult rows,
                   OpFoldResult firstPanel, OpFoldResult panels);
  void buildPanels(OpFoldResult firstRow, OpFoldResult rows,
                   OpFoldResult firstPanel, OpFoldResult panels);
  void buildExpansion(Value panel);
  void buildRowTiles(OpFoldResult firstRow, OpFoldResult rows, Value panel);

  //===--- TileProducts.cpp ---===//
  void buildTile(int64_t rows, OpFoldResult firstRow, Value panel,
                 std::optional<int64_t> staticPosition = std::nullopt);
  SmallVector<Value> buildInit(const TileContext &tile, OpFoldResult firstRow,
                               Value panel);
  void buildResult(const TileContext &tile, ArrayRef<Value> acc,
                   OpFoldResult firstRow, Value panel);
  SmallVector<Value> getPartialIndices(int64_t index, OpFoldResult firstRow,
                                       Value panel);
  SmallVector<Value> buildSteps(TileContext &tile, SmallVector<Value> acc);
  SmallVector<Value> buildWindowSteps(TileContext &tile, SmallVector<Value> acc,
                                      OpFoldResult firstRow,
                                      std::optional<int64_t> staticPosition);
  SmallVector<Value> buildTaps(unsigned dim, TileContext &tile,
                               SmallVector<Value> acc,
                               SmallVector<OpFoldResult> taps,
                               OpFoldResult firstRow,
                               std::optional<int64_t> staticPosition);
  void addTapSums(TileContext &tile, OpFoldResult tap, SmallVector<Value> &acc);
  bool isInside(int64_t position, int64_t row, int64_t tap);

  //===--- TilePrefetch.cpp ---===//
  int64_t getStreamBytes(int64_t rows);
  void prepareNextPanel(int64_t rows, int64_t unroll);
  void buildNextPanelPrefetch(OpFoldResult step);
  void buildOutPrefetch(int64_t rows, OpFoldResult firstRow, Value panel);

  //===--- TileRows.cpp ---===//
  Value allocate(ArrayRef<OpFoldResult> sizes, Type element);
  void allocateRows();
  OpFoldResult getPieceProducts();
  void buildRows(OpFoldResult firstRow, OpFoldResult rows);
  void buildQuantizedRow(const TileLine &from, OpFoldResult size,
                         const TileLine &to, Value slot);
  Value fuse(Value x, Value y, Value z);
  void buildCopiedRow(Value source, Value row);
  void buildSums(Value row);
  void buildPadding(Value row);
  void forPieces(
      OpFoldResult size, int64_t lanes, int64_t unroll,
      function_ref<void(OpFoldResult, OpFoldResult, int64_t, int64_t)> body);
  void buildChunks(OpFoldResult size, int64_t lanes, int64_t unroll,
                   function_ref<void(Value, int64_t)> body);
  SmallVector<Value> buildReduction(
      OpFoldResult size, int64_t lanes, Type element, ArrayRef<Value> neutral,
      function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body,
      function_ref<Value(unsigned, Value, Value)> combine);

  //===--- TileImages.cpp ---===//
  int64_t getNumImageDims();
  OpFoldResult alignToImages(OpFoldResult step, int64_t threads);
  OpFoldResult getLinesOfImage();
  void allocateImage();
  void buildImage();
  void buildSpreadChannels(const TileLine &from);
  void buildPaddedLines(const TileLine &from);
  void fillImage(Value code);
  void buildCopiedImage(Value to);
  void buildImageTask(OpFoldResult firstOuter, OpFoldResult outers,
                      OpFoldResult firstPanel, OpFoldResult panels);

  //===--- TileEpilogue.cpp ---===//
  void buildEpilogue(ArrayRef<Value> products, int64_t rows,
                     OpFoldResult firstRow, Value panel);
  void storeElements(Value out, SmallVector<Value> indices, Value mask,
                     Value vector, int64_t lanes);
  Value loadExtra(unsigned index, Value row, Value column, Value mask,
                  int64_t lanes, VectorType type);

  RewriterBase &b;
  Location loc;
  TileContractOp op;
  TileKernelAttrInterface kernel;
  IndexBuilder at;

  /// Sizes: of each dimension in front of the rows, rows, columns, products of
  /// one tap, and the panels.
  SmallVector<OpFoldResult> outerSizes;
  OpFoldResult outerCount, rowCount, columnCount, depth, panelCount;
  TileShape shape;
  /// Steps of one tap.
  OpFoldResult steps;
  bool needsMask = false;
  /// Whether panels end in what taps outside the image contribute.
  bool hasTapSums = false;
  /// Rows of a cache block.
  int64_t blockRows = 0;

  /// Steps of a piece of a block's rows, 0 if rows are not cut; the first step
  /// and the steps of the piece at hand.
  int64_t blockSteps = 0;
  OpFoldResult firstStep, stepCount;
  /// If rows are cut: the sums between pieces, of `groupPanels` panels from
  /// `groupFirst` on, and whether the piece at hand is the first or last one.
  Value partials, isFirstPiece, isLastPiece;
  int64_t groupPanels = 0;
  OpFoldResult groupFirst;

  /// The panel that follows, and what each tile asks of it: from which element
  /// on, lines a trip, and elements from one step to the next. No lines: none.
  OpFoldResult nextPanel, nextOffset;
  /// The first row of the tile at hand.
  OpFoldResult tileFirst;
  int64_t nextLines = 0, nextStride = 0;

  /// Position in the dimensions in front of the rows.
  SmallVector<Value> outer;
  /// Added to the index of a panel: the panels of the batches before.
  OpFoldResult panelBase;

  /// If the rows are copied: the copy, the sums beside it, and the parameters
  /// of each row; all indexed by the row in the block. `stageFirst` is the
  /// block's first row.
  bool staged = false;
  /// If panels are expanded: the kernel that reads them, and where they are.
  TileKernelAttrInterface expandedKernel;
  Value expandedRow, expanded, scratch;
  Value stage, stageSums, stageScales, stagePoints;
  /// If windows cannot read the images in place: the copy of the one that the
  /// thread works on, [spatial dimensions..., whole steps of channels], the
  /// same as pixels and as a line, and lines of its elements without the
  /// padding of channels: codes, and those of the left operand.
  bool imageStaged = false;
  /// If that has the padding too, because the kernel reads rows in groups.
  bool imagePadded = false;
  Value image, imagePixels, imageLine, imageCodes, imageElements;
  OpFoldResult stageFirst;
};

} // namespace mlir::compress

#endif // COMPRESS_LIB_CONVERSION_TILECONTRACT_TILELOWERING_H
