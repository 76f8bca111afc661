//===- DecomposeTensorOps.cpp - Tensor ops without bufferization ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-decompose-tensor-ops, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "mlir/Conversion/TensorToLinalg/TensorToLinalg.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::compress {
#define GEN_PASS_DEF_DECOMPOSETENSOROPSPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;

//===----------------------------------------------------------------------===//
// Elementwise gathers
//===----------------------------------------------------------------------===//

using BuildElement =
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange indices)>;

/// A tensor of `type` (dynamic sizes from `sizes`) whose element at `indices`
/// is what `build` makes there.
static Value buildByElement(OpBuilder &builder, Location loc,
                            RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                            BuildElement build) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), ValueRange{}, empty, identity, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          indices.push_back(linalg::IndexOp::create(nested, nestedLoc, dim));
        linalg::YieldOp::create(nested, nestedLoc,
                                build(nested, nestedLoc, indices));
      });
  return builder.createOrFold<tensor::CastOp>(loc, type, generic.getResult(0));
}

/// outer * tile + inner.
static Value addTileOffset(OpBuilder &builder, Location loc, Value outer,
                           Value tile, Value inner) {
  Value start = arith::MulIOp::create(builder, loc, outer, tile);
  return arith::AddIOp::create(builder, loc, start, inner);
}

namespace {
/// Any linalg.pack on tensors: each element of the result is loaded from the
/// source, or is the padding where the source has ended.
struct PackByElement : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "not on tensors");
    Location loc = op.getLoc();
    int64_t rank = op.getSourceRank();
    SmallVector<Value> tiles =
        getValueOrCreateConstantIndexOp(rewriter, loc, op.getMixedTiles());
    SmallVector<Value> sourceSizes;
    for (int64_t dim = 0; dim < rank; ++dim)
      sourceSizes.push_back(
          rewriter.createOrFold<tensor::DimOp>(loc, op.getSource(), dim));
    SmallVector<int64_t> outerPerm(op.getOuterDimsPerm());
    if (outerPerm.empty())
      llvm::append_range(outerPerm, llvm::seq<int64_t>(rank));

    auto build = [&](OpBuilder &b, Location l, ValueRange indices) -> Value {
      SmallVector<Value> source(rank);
      for (int64_t i = 0; i < rank; ++i)
        source[outerPerm[i]] = indices[i];
      for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos()))
        source[dim] =
            addTileOffset(b, l, source[dim], tiles[i], indices[rank + i]);
      if (!op.getPaddingValue())
        return tensor::ExtractOp::create(b, l, op.getSource(), source);
      Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
      for (int64_t dim : op.getInnerDimsPos()) {
        Value below = arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt,
                                            source[dim], sourceSizes[dim]);
        inside = arith::AndIOp::create(b, l, inside, below);
      }
      auto choice = scf::IfOp::create(
          b, l, inside,
          [&](OpBuilder &nested, Location nestedLoc) {
            Value element = tensor::ExtractOp::create(nested, nestedLoc,
                                                      op.getSource(), source);
            scf::YieldOp::create(nested, nestedLoc, element);
          },
          [&](OpBuilder &nested, Location nestedLoc) {
            scf::YieldOp::create(nested, nestedLoc, op.getPaddingValue());
          });
      return choice.getResult(0);
    };
    auto type = cast<RankedTensorType>(op.getDest().getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getDest());
    rewriter.replaceOp(op, buildByElement(rewriter, loc, type, sizes, build));
    return success();
  }
};

/// Any linalg.unpack on tensors: each element of the result is loaded from its
/// tile.
struct UnPackByElement : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "not on tensors");
    Location loc = op.getLoc();
    int64_t rank = op.getDestRank();
    SmallVector<Value> tiles =
        getValueOrCreateConstantIndexOp(rewriter, loc, op.getMixedTiles());
    SmallVector<int64_t> outerPerm(op.getOuterDimsPerm());
    if (outerPerm.empty())
      llvm::append_range(outerPerm, llvm::seq<int64_t>(rank));

    auto build = [&](OpBuilder &b, Location l, ValueRange indices) -> Value {
      SmallVector<Value> outer(indices), inner;
      for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos())) {
        outer[dim] = arith::DivUIOp::create(b, l, indices[dim], tiles[i]);
        inner.push_back(arith::RemUIOp::create(b, l, indices[dim], tiles[i]));
      }
      SmallVector<Value> source;
      for (int64_t dim : outerPerm)
        source.push_back(outer[dim]);
      llvm::append_range(source, inner);
      return tensor::ExtractOp::create(b, l, op.getSource(), source);
    };
    auto type = cast<RankedTensorType>(op.getDest().getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getDest());
    rewriter.replaceOp(op, buildByElement(rewriter, loc, type, sizes, build));
    return success();
  }
};

/// linalg.pack with static shapes: pad, reshape and transpose vectorize better
/// than the gather. The other one is the fallback.
struct PackByReshape : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (!source || !dest || !source.hasStaticShape() || !dest.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not on static tensors");
    return linalg::lowerPack(rewriter, op);
  }
};

/// linalg.unpack with static shapes, likewise.
struct UnPackByReshape : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (!source || !dest || !source.hasStaticShape() || !dest.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not on static tensors");
    return linalg::lowerUnPack(rewriter, op);
  }
};

/// Ops that know how to decompose themselves, linalg.softmax above all.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<linalg::SoftmaxOp>(op.getOperation()))
      return rewriter.notifyMatchFailure(op, "has patterns of its own");
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "cannot be decomposed");
    rewriter.replaceOp(op, *results);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// tensor.gather and tensor.scatter
//===----------------------------------------------------------------------===//

/// The position in the tensor that the slice element `slice` of the coordinate
/// vector number `batch` of `coordinates` has. `slice` has one index for each
/// dimension of the tensor or, rank-reduced, for each that is not in `dims`.
static SmallVector<Value> buildPosition(OpBuilder &builder, Location loc,
                                        Value coordinates,
                                        ArrayRef<int64_t> dims, int64_t rank,
                                        ValueRange batch, ValueRange slice) {
  SmallVector<Value> position(rank);
  bool reduced = static_cast<int64_t>(slice.size()) != rank;
  size_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const auto *found = llvm::find(dims, dim);
    if (found == dims.end()) {
      position[dim] = slice[reduced ? next++ : dim];
      continue;
    }
    SmallVector<Value> at(batch);
    at.push_back(
        arith::ConstantIndexOp::create(builder, loc, found - dims.begin()));
    Value coordinate = tensor::ExtractOp::create(builder, loc, coordinates, at);
    if (!coordinate.getType().isIndex())
      coordinate = arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), coordinate);
    position[dim] = coordinate;
  }
  return position;
}

namespace {
struct GatherByElement : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = op.getResultType();
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    int64_t sourceRank = op.getSourceType().getRank();
    SmallVector<int64_t> dims(op.getGatherDims());
    bool reduced = type.getRank() != batchRank + sourceRank;
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      sizes.push_back(
          tensor::getMixedSize(rewriter, loc, op.getIndices(), dim));
    for (int64_t dim = 0; dim < sourceRank; ++dim) {
      if (!llvm::is_contained(dims, dim))
        sizes.push_back(
            tensor::getMixedSize(rewriter, loc, op.getSource(), dim));
      else if (!reduced)
        sizes.push_back(rewriter.getIndexAttr(1));
    }
    auto build = [&](OpBuilder &b, Location l, ValueRange indices) -> Value {
      SmallVector<Value> position = buildPosition(
          b, l, op.getIndices(), dims, sourceRank,
          indices.take_front(batchRank), indices.drop_front(batchRank));
      return tensor::ExtractOp::create(b, l, op.getSource(), position);
    };
    rewriter.replaceOp(op, buildByElement(rewriter, loc, type, sizes, build));
    return success();
  }
};

struct ScatterByElement : OpRewritePattern<tensor::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    int64_t destRank = op.getDestType().getRank();
    SmallVector<int64_t> dims(op.getScatterDims());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    int64_t loops = op.getSourceType().getRank();
    SmallVector<Value> lower(loops, zero), steps(loops, one), upper;
    for (int64_t dim = 0; dim < loops; ++dim)
      upper.push_back(
          rewriter.createOrFold<tensor::DimOp>(loc, op.getSource(), dim));
    scf::LoopNest nest = scf::buildLoopNest(
        rewriter, loc, lower, upper, steps, op.getDest(),
        [&](OpBuilder &b, Location l, ValueRange indices,
            ValueRange carried) -> scf::ValueVector {
          SmallVector<Value> position = buildPosition(
              b, l, op.getIndices(), dims, destRank,
              indices.take_front(batchRank), indices.drop_front(batchRank));
          Value element =
              tensor::ExtractOp::create(b, l, op.getSource(), indices);
          return {tensor::InsertOp::create(b, l, element, carried.front(),
                                           position)};
        });
    rewriter.replaceOp(op, nest.results);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// ml_program globals
//===----------------------------------------------------------------------===//

/// Bufferization knows only the load that may have side effects.
static void replaceLoadsOfConstants(ModuleOp module) {
  OpBuilder builder(module.getContext());
  module.walk([&](ml_program::GlobalLoadConstOp load) {
    builder.setInsertionPoint(load);
    auto plain = ml_program::GlobalLoadOp::create(
        builder, load.getLoc(), load.getType(), load.getGlobalAttr());
    load.getResult().replaceAllUsesWith(plain.getResult());
    load.erase();
  });
}

/// Copies the value of each mutable global where it is loaded: bufferization
/// takes the load for the global's buffer itself, but does not see that a later
/// store, maybe in a function that is called, changes what was loaded.
static void copyLoadsOfMutableGlobals(ModuleOp module) {
  SymbolTableCollection symbols;
  OpBuilder builder(module.getContext());
  module.walk([&](ml_program::GlobalLoadOp load) {
    auto global = symbols.lookupNearestSymbolFrom<ml_program::GlobalOp>(
        load, load.getGlobalAttr());
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!global || !global.getIsMutable() || !type)
      return;
    builder.setInsertionPointAfter(load);
    auto copy = bufferization::AllocTensorOp::create(
        builder, load.getLoc(), type, /*dynamicSizes=*/ValueRange(),
        /*copy=*/load.getResult());
    load.getResult().replaceAllUsesExcept(copy.getResult(), copy);
  });
}

namespace {
struct DecomposeTensorOpsPass
    : compress::impl::DecomposeTensorOpsPassBase<DecomposeTensorOpsPass> {
  void runOnOperation() override {
    replaceLoadsOfConstants(getOperation());
    copyLoadsOfMutableGlobals(getOperation());
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<PackByReshape, UnPackByReshape>(context, /*benefit=*/2);
    patterns.add<PackByElement, UnPackByElement, DecomposeAggregate,
                 GatherByElement, ScatterByElement>(context);
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    populateTensorToLinalgPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};
} // namespace
