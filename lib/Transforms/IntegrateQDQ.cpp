//===- IntegrateQDQ.cpp - The pass compress-integrate-qdq -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Transforms/IntegrateQDQ.h"

#include "compress/Analysis/Contraction.h"
#include "compress/Conversion/Quant.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSINTEGRATEQDQ
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
/// linalg.op(decode(e)) -> linalg.op(e), for sums of products: they alone have
/// something better to do with codes than to decode them.
struct FoldDecode : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!Contraction::match(op))
      return failure();
    bool changed = false;
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto decode = input->get().getDefiningOp<DecodeOp>()) {
        rewriter.modifyOpInPlace(op, [&] { input->set(decode.getEncoded()); });
        changed = true;
      }
    return success(changed);
  }
};

/// fake_quant(x, params) -> decode(quantize(x, params)), and without params
/// decode(encode(x)): the two halves that integration works on.
struct SplitFakeQuant : OpRewritePattern<FakeQuantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FakeQuantOp op,
                                PatternRewriter &rewriter) const override {
    auto encodedType = cast<RankedTensorType>(op.getEncodedType());
    Value encoded;
    if (op.getParams().empty())
      encoded = EncodeOp::create(rewriter, op.getLoc(), encodedType,
                                 op.getInput(), op.getRangeAttr());
    else
      encoded = QuantizeOp::create(rewriter, op.getLoc(), encodedType,
                                   op.getInput(), op.getParams());
    rewriter.replaceOpWithNewOp<DecodeOp>(op, op.getType(), encoded);
    return success();
  }
};

/// An affine value whose decoding may move behind an op that moves elements.
struct MovableDecode {
  DecodeOp decode;
  AffineAttr encoding;

  /// The decode op behind `value`, if it has no other use (else its work would
  /// be done twice) and codes are whole bytes (else they cannot be moved
  /// one by one).
  static std::optional<MovableDecode> match(Value value) {
    auto decode = value.getDefiningOp<DecodeOp>();
    if (!decode || !decode->hasOneUse())
      return std::nullopt;
    auto encoding =
        dyn_cast<AffineAttr>(decode.getEncoded().getType().getEncoding());
    if (!encoding || encoding.getFormat().bits < 8)
      return std::nullopt;
    return MovableDecode{decode, encoding};
  }

  /// One scale for all elements.
  bool isPerTensor() const {
    return encoding.getGridDims(getType().getRank()).empty();
  }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(decode->getOperand(0).getType());
  }
  Value getPart(OpBuilder &b, unsigned index) const {
    return getStorageComponent(b, decode->getLoc(), decode->getOperand(0),
                               index);
  }
  /// decode(assemble(codes, parameters of the old value)) as `type`.
  Value build(OpBuilder &b, RankedTensorType type, AffineAttr newEncoding,
              Value codes) const {
    SmallVector<Value> components = {codes};
    for (unsigned param : encoding.getParameterComponents(getType()))
      components.push_back(getPart(b, param));
    auto encodedType = RankedTensorType::get(
        type.getShape(), type.getElementType(), newEncoding);
    Value encoded =
        AssembleOp::create(b, decode->getLoc(), encodedType, components);
    return DecodeOp::create(b, decode->getLoc(), encoded);
  }
  RankedTensorType getCodeType(RankedTensorType like) const {
    return like.clone(
        IntegerType::get(like.getContext(), encoding.getFormat().bits));
  }
  /// The encoding without a block list, which says the same as all `*`.
  AffineAttr getPerTensorEncoding() const {
    return AffineAttr::get(encoding.getContext(), encoding.getStorage(),
                           encoding.getAsymmetric(), encoding.getFullRange(),
                           {}, encoding.getScaleType(), Type(), {});
  }
};

template <typename ReshapeOp>
struct SinkThroughReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<MovableDecode> moved = MovableDecode::match(op.getSrc());
    if (!moved || !moved->isPerTensor() || moved->encoding.isTwoLevel())
      return failure();
    IRMapping mapping;
    mapping.map(op.getSrc(), moved->getPart(rewriter, AffineAttr::kValues));
    Operation *codes = rewriter.clone(*op, mapping);
    codes->getResult(0).setType(moved->getCodeType(op.getResultType()));
    rewriter.replaceOp(op, moved->build(rewriter, op.getResultType(),
                                        moved->getPerTensorEncoding(),
                                        codes->getResult(0)));
    return success();
  }
};

/// Padding with zeros is padding with the code of zero.
struct SinkThroughPad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<MovableDecode> moved = MovableDecode::match(op.getSource());
    Value padding = op.getConstantPaddingValue();
    FloatAttr zero;
    if (!moved || !moved->isPerTensor() || moved->encoding.isTwoLevel() ||
        !padding || !matchPattern(padding, m_Constant(&zero)) ||
        !zero.getValue().isPosZero())
      return failure();
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    RankedTensorType codeType = moved->getCodeType(type);
    Value code;
    if (moved->encoding.getAsymmetric())
      code = tensor::ExtractOp::create(
          rewriter, loc,
          moved->getPart(rewriter, moved->encoding.getZeroPointsIndex()),
          ValueRange());
    else
      code = arith::ConstantOp::create(
          rewriter, loc, rewriter.getZeroAttr(codeType.getElementType()));
    Value codes = tensor::PadOp::create(
        rewriter, loc, codeType, moved->getPart(rewriter, AffineAttr::kValues),
        op.getMixedLowPad(), op.getMixedHighPad(), code, op.getNofold());
    rewriter.replaceOp(
        op, moved->build(rewriter, type, moved->getPerTensorEncoding(), codes));
    return success();
  }
};

/// The block list is permuted with the dimensions.
struct SinkThroughTranspose : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<MovableDecode> moved = MovableDecode::match(op.getInput());
    if (!moved || moved->encoding.isTwoLevel() || op->getNumResults() != 1)
      return failure();
    RankedTensorType oldType = moved->getType();
    // Grids of several dimensions would have to be transposed too, and blocks
    // above 1 bring padding along.
    SmallVector<int64_t> grid = moved->encoding.getGridDims(oldType.getRank());
    if (grid.size() > 1 ||
        (grid.size() == 1 && moved->encoding.getBlockSize(grid[0]) != 1))
      return failure();
    SmallVector<int64_t> block;
    if (!grid.empty())
      for (int64_t from : op.getPermutation())
        block.push_back(moved->encoding.getBlockSize(from));
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value codes = moved->getPart(rewriter, AffineAttr::kValues);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, codes);
    SmallVector<OpFoldResult> newSizes;
    for (int64_t from : op.getPermutation())
      newSizes.push_back(sizes[from]);
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, newSizes, moved->getCodeType(type).getElementType());
    Value transposed = linalg::TransposeOp::create(rewriter, loc, codes, empty,
                                                   op.getPermutation())
                           ->getResult(0);
    if (transposed.getType() != moved->getCodeType(type))
      transposed = tensor::CastOp::create(rewriter, loc,
                                          moved->getCodeType(type), transposed);
    AffineAttr encoding = AffineAttr::get(
        op.getContext(), moved->encoding.getStorage(),
        moved->encoding.getAsymmetric(), moved->encoding.getFullRange(), block,
        moved->encoding.getScaleType(), Type(), {});
    rewriter.replaceOp(op, moved->build(rewriter, type, encoding, transposed));
    return success();
  }
};
} // namespace

void mlir::compress::populateFoldDecodePatterns(RewritePatternSet &patterns) {
  patterns.add<FoldDecode, SplitFakeQuant>(patterns.getContext());
}

void mlir::compress::populateSinkDecodePatterns(RewritePatternSet &patterns) {
  patterns.add<SinkThroughReshape<tensor::ExpandShapeOp>,
               SinkThroughReshape<tensor::CollapseShapeOp>, SinkThroughPad,
               SinkThroughTranspose>(patterns.getContext());
}

namespace {
struct CompressIntegrateQDQ
    : mlir::compress::impl::CompressIntegrateQDQBase<CompressIntegrateQDQ> {
  void runOnOperation() override {
    Operation *root = getOperation();
    // Before any fold could remove a pair of qcast and dcast.
    WalkResult hasQuant = root->walk([](Operation *op) {
      return isa_and_nonnull<quant::QuantDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (hasQuant.wasInterrupted() && failed(convertQuantToCompress(root)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateRecognizeQDQPatterns(patterns);
    populateSinkDecodePatterns(patterns);
    populateFoldDecodePatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(root, std::move(patterns), config)))
      return signalPassFailure();
  }
};
} // namespace
