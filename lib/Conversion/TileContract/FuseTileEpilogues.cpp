//===- FuseTileEpilogues.cpp - Elementwise consumers into tile kernels ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-fuse-tile-epilogues, see Passes.td. Consumers are visited
// in their order, each once: what one leaves is the product of the next.
//
//===----------------------------------------------------------------------===//

#include "EpilogueFusion.h"
#include "compress/Conversion/Passes.h"
#include "compress/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSFUSETILEEPILOGUES
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// What an epilogue can be made of
//===----------------------------------------------------------------------===//

/// Types that vectors of an epilogue have.
static bool isComputable(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() <= 64;
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

/// Types whose vectors lie in memory as their elements do.
static bool isStorable(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return isComputable(type) &&
         (!integer ||
          llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()));
}

/// Whether `op` is an instruction or a few on vectors. Other functions would be
/// called for each element in the middle of the kernel, and integer divisions
/// would trap in the lanes behind the last column.
static bool isVectorOp(Operation *op, TargetAttr target) {
  if (!llvm::all_of(op->getOperandTypes(), isComputable) ||
      !llvm::all_of(op->getResultTypes(), isComputable))
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
    return false;
  if (isa<arith::ArithDialect>(op->getDialect()))
    return !isa<arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                arith::FloorDivSIOp, arith::ScalingExtFOp,
                arith::ScalingTruncFOp>(op);
  Type type = op->getOperand(0).getType();
  if (isa<FloatType>(type) && !type.isF32() && !type.isF64())
    return false;
  if (isa<math::FmaOp>(op))
    return target.hasFeature("fma");
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::FloorOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
             math::RoundEvenOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

/// Whether every iteration of `op` makes one element of each result of what it
/// reads, by ops that an epilogue can have.
static bool isElementwise(linalg::GenericOp op, TargetAttr target) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() == 0 ||
      op.getNumLoops() != op.getNumParallelLoops() || op.hasIndexSemantics())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    Type element = type ? type.getElementType() : operand.get().getType();
    if ((type && type.getEncoding()) || !isComputable(element))
      return false;
    // Elements of odd widths are read one by one only as i1.
    if (type && !isStorable(element) && !element.isInteger(1))
      return false;
  }
  for (Type type : op.getResultTypes())
    if (!isStorable(cast<RankedTensorType>(type).getElementType()))
      return false;
  return llvm::all_of(
      op.getBody()->without_terminator(),
      [&](Operation &inner) { return isVectorOp(&inner, target); });
}

//===----------------------------------------------------------------------===//
// One fusion
//===----------------------------------------------------------------------===//

namespace {
/// A value as steps behind an op's result: the first step is the op's user.
struct Path {
  Value root;
  SmallVector<Operation *> steps;

  explicit Path(Value value) : root(value) {
    while (isEpilogueStep(root.getDefiningOp())) {
      steps.insert(steps.begin(), root.getDefiningOp());
      root = steps.front()->getOperand(0);
    }
  }

  /// Whether elements are where they are behind `others`.
  bool hasSteps(ArrayRef<Operation *> others) const {
    if (steps.size() != others.size())
      return false;
    for (auto [step, otherStep] : llvm::zip(steps, others)) {
      if (step == otherStep)
        continue;
      auto type = cast<RankedTensorType>(step->getResult(0).getType());
      auto otherType =
          cast<RankedTensorType>(otherStep->getResult(0).getType());
      if (step->getName() != otherStep->getName() ||
          type.getShape() != otherType.getShape() ||
          step->getAttr("reassociation") != otherStep->getAttr("reassociation"))
        return false;
      // Two dynamic dimensions of one may be any two sizes.
      if (isa<tensor::ExpandShapeOp>(step) &&
          step->getOperands().drop_front() !=
              otherStep->getOperands().drop_front())
        return false;
    }
    return true;
  }
};

class EpilogueFusion {
public:
  EpilogueFusion(RewriterBase &b, linalg::GenericOp consumer)
      : b(b), consumer(consumer), loc(consumer.getLoc()) {}

  bool run();

private:
  bool findProduct();
  bool checkOperands();
  bool isProduct(OpOperand &operand);
  FailureOr<EpilogueOperand> place(OpBuilder *builder, OpOperand &operand);
  bool hoistOperands();
  void addArgument(OpOperand &operand);
  void rewrite();
  void removeUnused();

  RewriterBase &b;
  linalg::GenericOp consumer;
  Location loc;

  TileContractOp op;
  SmallVector<Operation *> steps;
  /// From the dimensions of the consumer's product to its loops.
  AffineMap loopsOfDims;
  /// What the new op reads, and the values of the consumer's body.
  SmallVector<Value> extras, outs;
  SmallVector<Attribute> maps;
  SmallVector<OpFoldResult> sizes;
  IRMapping mapping;
};
} // namespace

/// Takes the operand whose contraction is the last one of the block: the other
/// operands are there before it, or never.
bool EpilogueFusion::findProduct() {
  OpOperand *product = nullptr;
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType()))
      continue;
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    auto found = Path(operand->get()).root.getDefiningOp<TileContractOp>();
    if (!found || found->getBlock() != consumer->getBlock() ||
        !map.isPermutation() || (op && found->isBeforeInBlock(op)))
      continue;
    if (op == found && product)
      continue;
    op = found;
    product = operand;
  }
  if (!op)
    return false;
  steps = Path(product->get()).steps;
  loopsOfDims = inversePermutation(consumer.getMatchingIndexingMap(product));
  return llvm::all_of(consumer.getDpsInitsMutable(), [&](OpOperand &init) {
    return consumer.getMatchingIndexingMap(&init)
        .compose(loopsOfDims)
        .isIdentity();
  });
}

/// Whether `operand` is a result of the contraction at the same element.
bool EpilogueFusion::isProduct(OpOperand &operand) {
  Path path(operand.get());
  return path.root.getDefiningOp() == op && path.hasSteps(steps) &&
         consumer.getMatchingIndexingMap(&operand)
             .compose(loopsOfDims)
             .isIdentity();
}

/// `operand` as the contraction reads it.
FailureOr<EpilogueOperand> EpilogueFusion::place(OpBuilder *builder,
                                                 OpOperand &operand) {
  std::optional<EpilogueOperand> placed = makeEpilogueOperand(
      builder, loc, operand.get(),
      consumer.getMatchingIndexingMap(&operand).compose(loopsOfDims));
  if (!placed)
    return failure();
  for (Operation *step : llvm::reverse(steps)) {
    ArrayRef<OpFoldResult> sourceSizes;
    if (step == steps.front())
      sourceSizes = sizes;
    if (failed(moveBefore(builder, loc, step, sourceSizes, *placed)))
      return failure();
  }
  return *placed;
}

/// Moves in front of the contraction what computes the consumer's other
/// operands; false if that needs the contraction or is not free to move.
bool EpilogueFusion::hoistOperands() {
  llvm::SetVector<Value> worklist;
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (!isProduct(*operand))
      worklist.insert(operand->get());
  for (OpOperand &init : consumer.getDpsInitsMutable())
    if (consumer.payloadUsesValueFromOperand(&init))
      worklist.insert(init.get());
  getUsedValuesDefinedAbove(consumer.getRegion(), worklist);
  SmallVector<Operation *> moved;
  for (size_t index = 0; index < worklist.size(); ++index) {
    Operation *definition = worklist[index].getDefiningOp();
    // What is not of this block is there before both ops.
    if (!definition || definition->getBlock() != op->getBlock() ||
        (definition != op && definition->isBeforeInBlock(op)))
      continue;
    if (isa<TileContractOp>(definition) || !isMemoryEffectFree(definition))
      return false;
    if (!llvm::is_contained(moved, definition))
      moved.push_back(definition);
    worklist.insert(definition->operand_begin(), definition->operand_end());
    for (Region &region : definition->getRegions())
      getUsedValuesDefinedAbove(region, worklist);
  }
  llvm::sort(moved, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  for (Operation *definition : moved)
    b.moveOpBefore(definition, op);
  return true;
}

/// Adds what the body reads of `operand` to the extras.
void EpilogueFusion::addArgument(OpOperand &operand) {
  Value inBody = consumer.getMatchingBlockArgument(&operand);
  if (!isa<RankedTensorType>(operand.get().getType())) {
    mapping.map(inBody, operand.get());
    return;
  }
  Block &block = op.getEpilogue().front();
  EpilogueOperand placed = *place(&b, operand);
  auto map = AffineMapAttr::get(placed.getMap(op.getOutRank(), b.getContext()));
  unsigned leading = op.getNumLeadingArguments();
  for (size_t index = 0; index < extras.size(); ++index)
    if (extras[index] == placed.value && maps[index] == map) {
      mapping.map(inBody, block.getArgument(leading + index));
      return;
    }
  extras.push_back(placed.value);
  maps.push_back(map);
  mapping.map(inBody, block.addArgument(inBody.getType(), loc));
}

/// Makes the contraction anew, with the consumer's body in its epilogue.
void EpilogueFusion::rewrite() {
  auto outType = cast<RankedTensorType>(op.getOuts()[0].getType());
  Block &block = op.getEpilogue().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  SmallVector<Value> yielded(yield.getValues());
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    if (isProduct(*operand)) {
      auto result = cast<OpResult>(Path(operand->get()).root);
      mapping.map(consumer.getMatchingBlockArgument(operand),
                  yielded[result.getResultNumber()]);
    } else {
      addArgument(*operand);
    }
  }
  for (OpOperand &init : consumer.getDpsInitsMutable())
    if (consumer.payloadUsesValueFromOperand(&init))
      addArgument(init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(consumer.getRegion(), captured);
    // With its constants inside, an epilogue can be compared with others.
    for (Value value : captured)
      if (Operation *constant = value.getDefiningOp())
        if (constant->hasTrait<OpTrait::ConstantLike>())
          mapping.map(value, b.clone(*constant)->getResult(0));
    for (Operation &inner : consumer.getBody()->without_terminator())
      b.clone(inner, mapping);
    for (Value value : consumer.getBody()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    b.replaceOpWithNewOp<YieldOp>(yield, yielded);
  }
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::enumerate(outType.getShape()))
    if (ShapedType::isDynamic(size))
      dynamicSizes.push_back(
          getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
  outs.assign(op.getOuts().begin(), op.getOuts().end());
  SmallVector<Type> types(op.getResultTypes());
  for (Type type : consumer.getResultTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    types.push_back(outType.clone(element));
    outs.push_back(tensor::EmptyOp::create(b, loc, types.back(), dynamicSizes));
  }
  auto fused = TileContractOp::create(
      b, loc, types, op.getKernel(), op.getLhs(), op.getPanels(), extras, outs,
      b.getArrayAttr(maps), op.getBatches(), op.getQuantizeAttr(),
      op.getWindowAttr(), op.getThreads());
  fused->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  fused.getEpilogue().takeBody(op.getEpilogue());

  b.setInsertionPoint(consumer);
  unsigned kept = op.getNumResults();
  SmallVector<Value> replacements;
  for (auto [index, result] : llvm::enumerate(consumer.getResults())) {
    Value value = fused.getResult(kept + index);
    for (Operation *step : steps)
      value = applyStep(b, step, value);
    if (value.getType() != result.getType())
      value = tensor::CastOp::create(b, loc, result.getType(), value);
    replacements.push_back(value);
  }
  SmallVector<Operation *> paths;
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (isProduct(*operand))
      llvm::append_range(paths, llvm::reverse(Path(operand->get()).steps));
  b.replaceOp(consumer, replacements);
  b.replaceOp(op, fused.getResults().take_front(kept));
  op = fused;
  llvm::SmallPtrSet<Operation *, 8> erased;
  for (Operation *step : paths)
    if (!erased.contains(step) && step->use_empty()) {
      erased.insert(step);
      b.eraseOp(step);
    }
}

/// Drops results that nothing uses any more.
void EpilogueFusion::removeUnused() {
  if (llvm::none_of(op.getResults(), [](Value v) { return v.use_empty(); }))
    return;
  auto yield = cast<YieldOp>(op.getEpilogue().front().getTerminator());
  SmallVector<Value> keptOuts, yielded, results;
  SmallVector<Type> types;
  for (auto [out, value, result] :
       llvm::zip(op.getOuts(), yield.getValues(), op.getResults())) {
    if (result.use_empty())
      continue;
    keptOuts.push_back(out);
    yielded.push_back(value);
    results.push_back(result);
    types.push_back(result.getType());
  }
  if (results.empty())
    return;
  b.setInsertionPoint(op);
  auto kept = TileContractOp::create(
      b, op.getLoc(), types, op.getKernel(), op.getLhs(), op.getPanels(),
      op.getExtras(), keptOuts, op.getMaps(), op.getBatches(),
      op.getQuantizeAttr(), op.getWindowAttr(), op.getThreads());
  kept->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  yield.getValuesMutable().assign(yielded);
  kept.getEpilogue().takeBody(op.getEpilogue());
  for (auto [old, result] : llvm::zip(results, kept.getResults()))
    b.replaceAllUsesWith(old, result);
  b.eraseOp(op);
  op = kept;
}

bool EpilogueFusion::checkOperands() {
  auto check = [&](OpOperand &operand) {
    return !isa<RankedTensorType>(operand.get().getType()) ||
           isProduct(operand) || succeeded(place(nullptr, operand));
  };
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (!check(*operand))
      return false;
  for (OpOperand &init : consumer.getDpsInitsMutable())
    if (consumer.payloadUsesValueFromOperand(&init) && !check(init))
      return false;
  return true;
}

bool EpilogueFusion::run() {
  if (!findProduct())
    return false;
  b.setInsertionPoint(op);
  sizes = tensor::getMixedSizes(b, loc, op.getOuts()[0]);
  if (!checkOperands() || !hoistOperands())
    return false;
  b.setInsertionPoint(op);
  llvm::append_range(extras, op.getExtras());
  llvm::append_range(maps, op.getMaps());
  rewrite();
  removeUnused();
  return true;
}

namespace {
struct CompressFuseTileEpilogues
    : mlir::compress::impl::CompressFuseTileEpiloguesBase<
          CompressFuseTileEpilogues> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> consumers;
    getOperation()->walk(
        [&](linalg::GenericOp op) { consumers.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp consumer : consumers)
      if (isElementwise(consumer, getTarget(consumer)))
        EpilogueFusion(rewriter, consumer).run();
    getOperation()->walk([&](TileContractOp op) {
      if (getTarget(op).hasFeature("fma"))
        multiplyByInverseScales(rewriter, op);
    });
  }
};
} // namespace
