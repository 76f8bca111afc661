//===- FuseContractionChains.cpp - Several products of a block of rows ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-fuse-contraction-chains, see Passes.td: finds chains and
// makes the loops (ChainFusion); ContractionChains.cpp decides which pay. All
// rows are one dimension there: contractions with more are collapsed. In chains
// with windows, what is called a row is an image.
//
//===----------------------------------------------------------------------===//

#include "ContractionChains.h"
#include "TileLowering.h"
#include "compress/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSFUSECONTRACTIONCHAINS
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Why `op` cannot be in the chain `ops`; empty if it can.
static StringRef checkMember(ArrayRef<TileContractOp> ops, TileContractOp op) {
  int64_t rowDims = getRowDims(ops, op);
  if (op.isMemrefForm())
    return "it is on memrefs";
  if (op.getBatches() != 0)
    return "its right operand has batches";
  if (op.getWindow() && getRowDims({op}, op) == 0)
    return "its rows are windows of one image";
  if (rowDims >= op.getOutRank() ||
      (op.getWindow() && getRowDims({op}, op) != rowDims))
    return "it does not have the images of the contraction before it";
  for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>())
    if (!findRows(map, 0, rowDims))
      return "an operand of its epilogue varies along some of its row "
             "dimensions only";
  return "";
}

/// Whether `user`, which reads `result` or a reshape of it, is one of `ops`, or
/// a reshape by which only these read its rows.
static bool isInChain(ArrayRef<TileContractOp> ops, Value result,
                      Operation *user) {
  if (llvm::is_contained(ops, user))
    return true;
  if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
    return false;
  return llvm::all_of(user->getUses(), [&](OpOperand &use) {
    auto op = dyn_cast<TileContractOp>(use.getOwner());
    if (!op)
      return isInChain(ops, result, use.getOwner());
    // Reshaped operands of epilogues are not followed.
    return llvm::is_contained(ops, op) && use.get() == op.getLhs() &&
           use.getOperandNumber() == 0 &&
           ChainPath(op.getLhs(), getRowDims(ops, op)).root == result;
  });
}

namespace {
/// Which results of a chain are used by what comes behind it.
struct ChainUses {
  SmallVector<OpResult> outside, inside;

  explicit ChainUses(ArrayRef<TileContractOp> ops) {
    for (TileContractOp op : ops)
      for (OpResult result : op->getResults()) {
        bool isInside = op != ops.back() &&
                        llvm::all_of(result.getUsers(), [&](Operation *user) {
                          return isInChain(ops, result, user);
                        });
        (isInside ? inside : outside).push_back(result);
      }
  }
};
} // namespace

/// Whether `next`, which stands behind all of `chain`, reads a result of it by
/// its own rows and nothing else of it; `reason` says what is in the way if it
/// reads one.
static bool canJoin(ArrayRef<TileContractOp> chain, TileContractOp next,
                    std::string &reason) {
  auto isOfChain = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && llvm::is_contained(chain, definition);
  };
  SmallVector<TileContractOp> joined(chain);
  joined.push_back(next);
  Value lhs = ChainPath(next.getLhs(), getRowDims(joined, next)).root;
  if (!isOfChain(lhs) && llvm::none_of(next->getOperands(), isOfChain))
    return false;
  // With windows, rows of the others become those of images.
  for (TileContractOp op : llvm::reverse(joined))
    if (StringRef why = checkMember(joined, op); !why.empty()) {
      reason = why;
      return false;
    }
  bool isRead = isOfChain(lhs);
  for (auto [extra, map] : llvm::zip(
           next.getExtras(), next.getMaps().getAsValueRange<AffineMapAttr>())) {
    if (!isOfChain(extra))
      continue;
    isRead = true;
    if (!map.isIdentity())
      reason = "its epilogue reads other rows than its own";
  }
  if (isOfChain(next.getPanels()) || !isRead ||
      llvm::any_of(next.getOuts(), isOfChain))
    reason = "it reads a result not by rows";
  // The loop will stand where `next` is: what needs its results stands behind.
  for (TileContractOp op : chain)
    for (OpOperand &use : op->getUses()) {
      Operation *ancestor =
          next->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (ancestor && ancestor->isBeforeInBlock(next) &&
          !isInChain(joined, use.get(), ancestor))
        reason = "'" + ancestor->getName().getStringRef().str() +
                 "' between them reads a result";
    }
  return reason.empty();
}

/// Slices of contractions' results that are all of it, which only the sizes of
/// their outs tell: components of encoded tensors of dynamic sizes are sliced.
static void foldWholeSlices(RewriterBase &b, TileContractOp op) {
  for (auto [result, out] : llvm::zip(op.getResults(), op.getOuts())) {
    auto empty = out.getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
        if (slice.getType() == result.getType() && slice.hasUnitStride() &&
            llvm::all_of(slice.getMixedOffsets(), isZeroInteger) &&
            slice.getMixedSizes() == empty.getMixedSizes())
          b.replaceOp(slice, result);
  }
}

static remark::RemarkOpts getRemark(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return remark::RemarkOpts::name("contraction-chain")
      .category("compress-fuse-contraction-chains")
      .function(function ? function.getName() : StringRef());
}

static void remarkMissed(TileContractOp op, StringRef reason) {
  remark::missed(op.getLoc(), getRemark(op)) << remark::add(
      "not fused with the contraction before it: {0}", reason.str());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
class ChainFusion {
public:
  ChainFusion(RewriterBase &b, ArrayRef<TileContractOp> ops,
              const ChainPlan &plan)
      : b(b), loc(ops.front()->getLoc()), ops(ops), plan(plan), uses(ops),
        at(b, loc) {}

  void run();

private:
  Value collapse(Value value, int64_t begin, int64_t end);
  Value slice(Value value, int64_t dim, OpFoldResult first, OpFoldResult size);
  Value reshape(Operation *step, int64_t rowDims, OpFoldResult count,
                Value value);
  SmallVector<Value> allocate(OpFoldResult rows);
  Value buildMember(TileContractOp op, OpFoldResult first, OpFoldResult count,
                    ValueRange outs, int64_t threads);
  void buildBlock(OpFoldResult first, OpFoldResult outFirst, OpFoldResult count,
                  SmallVector<Value> &outs, ArrayRef<Value> buffers,
                  bool isTail);
  void buildLoop(OpFoldResult first, OpFoldResult rows,
                 SmallVector<Value> &outs);
  void buildForall(OpFoldResult rows, SmallVector<Value> &outs);
  void replaceResults(ArrayRef<Value> outs);

  RewriterBase &b;
  Location loc;
  ArrayRef<TileContractOp> ops;
  const ChainPlan &plan;
  ChainUses uses;
  IndexBuilder at;
  /// Operands with their rows in one dimension.
  DenseMap<std::pair<Value, int64_t>, Value> collapsed;
  /// Results of the contractions of the block that is being built.
  DenseMap<Value, Value> ofBlock;
};
} // namespace

/// `value` with dimensions [begin, end) as one.
Value ChainFusion::collapse(Value value, int64_t begin, int64_t end) {
  if (end - begin < 2)
    return value;
  Value &found = collapsed[{value, begin}];
  if (!found) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    found = tensor::CollapseShapeOp::create(b, loc, value,
                                            joinDims(begin, end, rank));
  }
  return found;
}

/// `size` elements of `value` in dimension `dim`, all of the others.
Value ChainFusion::slice(Value value, int64_t dim, OpFoldResult first,
                         OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  SmallVector<OpFoldResult> offsets(sizes.size(), at.constant(0));
  SmallVector<OpFoldResult> strides(sizes.size(), at.constant(1));
  offsets[dim] = first;
  sizes[dim] = size;
  return tensor::ExtractSliceOp::create(b, loc, value, offsets, sizes, strides);
}

/// What `step`, a reshape behind `rowDims` dimensions of rows, makes of the
/// `count` rows `value`.
Value ChainFusion::reshape(Operation *step, int64_t rowDims, OpFoldResult count,
                           Value value) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(step);
  SmallVector<ReassociationIndices> groups =
      collapse ? collapse.getReassociationIndices()
               : cast<tensor::ExpandShapeOp>(step).getReassociationIndices();
  groups.erase(groups.begin(), groups.begin() + rowDims);
  for (ReassociationIndices &group : groups)
    for (int64_t &dim : group)
      dim -= rowDims - 1;
  groups.insert(groups.begin(), ReassociationIndices{0});
  if (collapse)
    return tensor::CollapseShapeOp::create(b, loc, value, groups);
  auto expand = cast<tensor::ExpandShapeOp>(step);
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
  sizes.erase(sizes.begin(), sizes.begin() + rowDims);
  sizes.insert(sizes.begin(), count);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType())),
      value, groups, sizes);
}

/// Tensors for the results that only the chain itself reads. They are not
/// tensor.empty, of which CSE makes one where there are equal ones.
SmallVector<Value> ChainFusion::allocate(OpFoldResult rows) {
  SmallVector<Value> buffers;
  for (OpResult result : uses.inside) {
    auto op = cast<TileContractOp>(result.getOwner());
    Value out = op.getOuts()[result.getResultNumber()];
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, out);
    sizes.erase(sizes.begin(), sizes.begin() + getRowDims(ops, op));
    sizes.insert(sizes.begin(), rows);
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
    buffers.push_back(bufferization::AllocTensorOp::create(
        b, loc,
        RankedTensorType::get(shape, getElementTypeOrSelf(result.getType())),
        dynamicSizes));
  }
  return buffers;
}

/// `op` on `count` rows from `first` on.
Value ChainFusion::buildMember(TileContractOp op, OpFoldResult first,
                               OpFoldResult count, ValueRange outs,
                               int64_t threads) {
  int64_t rowDims = getRowDims(ops, op);
  ChainPath path(op.getLhs(), rowDims);
  Value lhs = ofBlock.lookup(path.root);
  if (lhs) {
    for (Operation *step : path.steps)
      lhs = reshape(step, rowDims, count, lhs);
  } else {
    lhs = slice(collapse(op.getLhs(), 0, rowDims), 0, first, count);
  }
  SmallVector<Value> extras;
  SmallVector<Attribute> maps;
  for (auto [extra, map] : llvm::zip(
           op.getExtras(), op.getMaps().getAsValueRange<AffineMapAttr>())) {
    maps.push_back(AffineMapAttr::get(joinRows(map, 0, rowDims)));
    extras.push_back(ofBlock.lookup(extra));
    if (extras.back())
      continue;
    auto [begin, end] = *findRows(map, 0, rowDims);
    extras.back() =
        begin == end ? extra
                     : slice(collapse(extra, begin, end), begin, first, count);
  }
  auto member = TileContractOp::create(
      b, op.getLoc(), outs.getTypes(), op.getKernel(), lhs, op.getPanels(),
      extras, outs, b.getArrayAttr(maps), /*batches=*/0, op.getQuantizeAttr(),
      op.getWindowAttr(), threads);
  member->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getEpilogue().cloneInto(&member.getEpilogue(), mapping);
  for (auto [result, value] : llvm::zip(op.getResults(), member.getResults()))
    ofBlock[result] = value;
  return lhs;
}

/// The chain on `count` rows from `first` on, of which the results go to rows
/// from `outFirst` on of `outs`.
void ChainFusion::buildBlock(OpFoldResult first, OpFoldResult outFirst,
                             OpFoldResult count, SmallVector<Value> &outs,
                             ArrayRef<Value> buffers, bool isTail) {
  ofBlock.clear();
  for (TileContractOp op : ops) {
    SmallVector<Value> outsOfBlock;
    for (OpResult result : op->getResults()) {
      auto *inside = llvm::find(uses.inside, result);
      auto *outside = llvm::find(uses.outside, result);
      outsOfBlock.push_back(inside != uses.inside.end()
                                ? buffers[inside - uses.inside.begin()]
                                : slice(outs[outside - uses.outside.begin()], 0,
                                        outFirst, count));
    }
    buildMember(op, first, count, outsOfBlock, isTail ? op.getThreads() : 1);
  }
  // Behind all of them, so that no contraction reads what has been inserted.
  for (auto [out, result] : llvm::zip(outs, uses.outside)) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, out);
    SmallVector<OpFoldResult> offsets(sizes.size(), at.constant(0)),
        strides(sizes.size(), at.constant(1));
    sizes[0] = count;
    offsets[0] = outFirst;
    out = tensor::InsertSliceOp::create(b, loc, ofBlock[result], out, offsets,
                                        sizes, strides);
  }
}

/// Blocks of `rows` rows, a multiple of them, from `first` on; `outs` begin
/// there.
void ChainFusion::buildLoop(OpFoldResult first, OpFoldResult rows,
                            SmallVector<Value> &outs) {
  OpFoldResult size = at.constant(plan.rows);
  SmallVector<Value> buffers = allocate(size);
  auto loop = scf::ForOp::create(b, loc, at.value(at.constant(0)),
                                 at.value(rows), at.value(size), outs);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> ofLoop(loop.getRegionIterArgs());
  buildBlock(at.add(first, loop.getInductionVar()), loop.getInductionVar(),
             size, ofLoop, buffers, /*isTail=*/false);
  scf::YieldOp::create(b, loc, ofLoop);
  outs.assign(loop.result_begin(), loop.result_end());
}

/// A task for each thread, which makes neighbouring blocks.
void ChainFusion::buildForall(OpFoldResult rows, SmallVector<Value> &outs) {
  OpFoldResult step = at.mul(at.ceilDiv(rows, plan.rows * plan.threads),
                             at.constant(plan.rows));
  auto forall = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{at.constant(plan.threads)}, outs,
      std::nullopt);
  forall->setAttr(CompressDialect::kThreadsAttrName,
                  b.getI64IntegerAttr(plan.threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  // The last tasks may have less to do, or nothing.
  OpFoldResult first = at.min(at.mul(forall.getInductionVar(0), step), rows);
  OpFoldResult count = at.min(at.sub(rows, first), step);
  if (std::optional<int64_t> all = getConstantIntValue(rows))
    if (*all % (plan.rows * plan.threads) == 0) {
      first = at.mul(forall.getInductionVar(0), step);
      count = step;
    }
  SmallVector<Value> ofTask;
  for (BlockArgument out : forall.getRegionIterArgs())
    ofTask.push_back(slice(out, 0, first, count));
  buildLoop(first, count, ofTask);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [part, out] : llvm::zip(ofTask, forall.getRegionIterArgs())) {
    SmallVector<OpFoldResult> sizes;
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPoint(forall.getTerminator());
      sizes = tensor::getMixedSizes(b, loc, out);
    }
    SmallVector<OpFoldResult> offsets(sizes.size(), at.constant(0)),
        strides(sizes.size(), at.constant(1));
    sizes[0] = count;
    offsets[0] = first;
    tensor::ParallelInsertSliceOp::create(b, loc, part, out, offsets, sizes,
                                          strides);
  }
  outs.assign(forall.result_begin(), forall.result_end());
}

/// Results with the dimensions that they had.
void ChainFusion::replaceResults(ArrayRef<Value> outs) {
  for (auto [result, value] : llvm::zip(uses.outside, outs)) {
    auto op = cast<TileContractOp>(result.getOwner());
    Value replacement = value;
    if (int64_t rowDims = getRowDims(ops, op); rowDims > 1)
      replacement = tensor::ExpandShapeOp::create(
          b, loc, result.getType(), value,
          joinDims(0, rowDims, op.getOutRank()),
          tensor::getMixedSizes(b, loc,
                                op.getOuts()[result.getResultNumber()]));
    b.replaceAllUsesWith(result, replacement);
  }
  // Reshapes between them are not used any more.
  for (TileContractOp op : llvm::reverse(ops)) {
    SmallVector<Operation *> steps =
        ChainPath(op.getLhs(), getRowDims(ops, op)).steps;
    b.eraseOp(op);
    for (Operation *step : llvm::reverse(steps)) {
      if (!step->use_empty())
        break;
      b.eraseOp(step);
    }
  }
}

void ChainFusion::run() {
  TileContractOp last = ops.back();
  b.setInsertionPoint(last);
  SmallVector<Value> outs;
  for (OpResult result : uses.outside) {
    auto op = cast<TileContractOp>(result.getOwner());
    outs.push_back(collapse(op.getOuts()[result.getResultNumber()], 0,
                            getRowDims(ops, op)));
  }
  // Everything is collapsed in front of the loops.
  OpFoldResult all;
  for (TileContractOp op : ops) {
    int64_t rowDims = getRowDims(ops, op);
    if (!ofBlock.contains(ChainPath(op.getLhs(), rowDims).root)) {
      Value lhs = collapse(op.getLhs(), 0, rowDims);
      OpFoldResult size = tensor::getMixedSize(b, loc, lhs, 0);
      if (!all || getConstantIntValue(size))
        all = size;
    }
    for (auto [extra, map] : llvm::zip(
             op.getExtras(), op.getMaps().getAsValueRange<AffineMapAttr>()))
      if (!ofBlock.contains(extra)) {
        auto [begin, end] = *findRows(map, 0, rowDims);
        collapse(extra, begin, end);
      }
    for (Value result : op->getResults())
      ofBlock[result] = result;
  }

  OpFoldResult whole =
      at.mul(at.floorDiv(all, plan.rows), at.constant(plan.rows));
  if (!getConstantIntValue(all) && plan.fewRows > plan.rows) {
    Value few =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at.value(all),
                              at.value(at.constant(plan.fewRows)));
    whole =
        OpFoldResult(arith::SelectOp::create(
                         b, loc, few, at.value(at.constant(0)), at.value(whole))
                         .getResult());
  }
  if (plan.threads > 1)
    buildForall(whole, outs);
  else
    buildLoop(at.constant(0), whole, outs);
  OpFoldResult rest = at.sub(all, whole);
  if (getConstantIntValue(rest) != 0)
    buildBlock(whole, whole, rest, outs, allocate(rest), /*isTail=*/true);
  replaceResults(outs);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CompressFuseContractionChains
    : mlir::compress::impl::CompressFuseContractionChainsBase<
          CompressFuseContractionChains> {
  using Base = mlir::compress::impl::CompressFuseContractionChainsBase<
      CompressFuseContractionChains>;
  using Base::Base;

  void runOnOperation() override {
    if (rows < -1) {
      getOperation()->emitError()
          << "option 'rows' is " << rows.getValue()
          << ", it must be the rows of a block, 0 or -1";
      return signalPassFailure();
    }
    if (rows == -1)
      return;
    // In their order, block by block.
    llvm::MapVector<Block *, SmallVector<TileContractOp>> blocks;
    getOperation()->walk(
        [&](TileContractOp op) { blocks[op->getBlock()].push_back(op); });
    IRRewriter rewriter(&getContext());
    for (auto &[block, ops] : blocks)
      for (TileContractOp op : ops)
        foldWholeSlices(rewriter, op);
    for (auto &[block, ops] : blocks)
      runOnContractions(rewriter, ops);
  }

private:
  void runOnContractions(RewriterBase &rewriter, ArrayRef<TileContractOp> ops) {
    llvm::SmallDenseSet<Operation *> taken;
    for (size_t begin = 0; begin < ops.size(); ++begin) {
      if (taken.contains(ops[begin]) ||
          !checkMember({ops[begin]}, ops[begin]).empty())
        continue;
      SmallVector<TileContractOp> chain = {ops[begin]};
      for (TileContractOp next : ops.drop_front(begin + 1)) {
        if (taken.contains(next))
          continue;
        std::string reason;
        if (!canJoin(chain, next, reason)) {
          if (!reason.empty())
            remarkMissed(next, reason);
          continue;
        }
        chain.push_back(next);
        if (rows != 0 || fitsCache(chain, reason))
          continue;
        chain.pop_back();
        remarkMissed(next, reason);
      }
      taken.insert(chain.begin(), chain.end());
      if (chain.size() < 2)
        continue;
      std::string reason;
      std::optional<ChainPlan> plan =
          planChain(chain, ChainUses(chain).inside, rows, reason);
      if (!plan) {
        remarkMissed(chain.back(), reason);
        continue;
      }
      remark::passed(chain.front()->getLoc(), getRemark(chain.front()))
          << remark::add("{0} contractions are fused over blocks of {1} rows",
                         chain.size(), plan->rows);
      ChainFusion(rewriter, chain, *plan).run();
    }
  }
};
} // namespace
