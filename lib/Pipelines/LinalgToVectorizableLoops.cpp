//===- LinalgToVectorizableLoops.cpp - Loop orders that vectorize ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-linalg-to-vectorizable-loops, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::compress {
#define GEN_PASS_DEF_LOWERLINALGTOVECTORIZABLELOOPSPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;

//===----------------------------------------------------------------------===//
// Loop order
//===----------------------------------------------------------------------===//

namespace {
/// How the address of an operand moves with one loop.
enum class Stride { Invariant, Unit, Other };
} // namespace

static Stride getStride(AffineMap map, unsigned dim) {
  if (!map.isFunctionOfDim(dim))
    return Stride::Invariant;
  // Everything but the last dimension of a row-major buffer has a large stride.
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(dim))
      return Stride::Other;
  // d, or d + (something without d), is unit stride; 2 * d or d floordiv 4 not.
  AffineExpr last = map.getResults().back();
  MLIRContext *context = map.getContext();
  AffineExpr own = getAffineDimExpr(dim, context);
  AffineExpr rest = last.replace(own, getAffineConstantExpr(0, context));
  AffineExpr difference =
      simplifyAffineExpr(last - rest, map.getNumDims(), map.getNumSymbols());
  return difference == own ? Stride::Unit : Stride::Other;
}

/// True if every operand of `op` is invariant or has unit stride along `dim`,
/// and at least one does move.
static bool isVectorizableLoop(linalg::LinalgOp op, unsigned dim) {
  bool moves = false;
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (map.getNumResults() == 0)
      continue;
    Stride stride = getStride(map, dim);
    if (stride == Stride::Other)
      return false;
    moves |= stride == Stride::Unit;
  }
  return moves;
}

/// The number of operands that `dim` walks with unit stride, less those it
/// walks with a large one: what to go by if no loop is vectorizable.
static int64_t getLocality(linalg::LinalgOp op, unsigned dim) {
  int64_t score = 0;
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (map.getNumResults() == 0)
      continue;
    Stride stride = getStride(map, dim);
    score += stride == Stride::Unit ? 1 : stride == Stride::Other ? -1 : 0;
  }
  return score;
}

/// The loop to run innermost. Loops with a single iteration are no use there.
static unsigned chooseInnermost(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  unsigned loops = op.getNumLoops();
  for (bool wantParallel : {true, false})
    for (unsigned dim = loops; dim-- > 0;)
      if (linalg::isParallelIterator(iterators[dim]) == wantParallel &&
          ranges[dim] != 1 && isVectorizableLoop(op, dim))
        return dim;
  unsigned best = loops - 1;
  for (unsigned dim = loops - 1; dim-- > 0;)
    if (ranges[dim] != 1 && getLocality(op, dim) > getLocality(op, best))
      best = dim;
  return best;
}

/// All loops, outermost first: parallel ones, then the others, then the chosen.
static SmallVector<unsigned> chooseLoopOrder(linalg::LinalgOp op) {
  SmallVector<unsigned> order;
  if (op.getNumLoops() == 0)
    return order;
  unsigned innermost = chooseInnermost(op);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (bool wantParallel : {true, false})
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (dim != innermost &&
          linalg::isParallelIterator(iterators[dim]) == wantParallel)
        order.push_back(dim);
  order.push_back(innermost);
  return order;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static void addFlags(Operation *op, arith::FastMathFlags flags) {
  if (auto add = dyn_cast<arith::AddFOp>(op))
    add.setFastmath(add.getFastmath() | flags);
  else if (auto mul = dyn_cast<arith::MulFOp>(op))
    mul.setFastmath(mul.getFastmath() | flags);
}

/// Lets the float additions that accumulate into the outputs of `op` be
/// reassociated, and fused with the multiplication that feeds them.
static void relaxAccumulation(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  Block *body = op.getBlock();
  for (auto [output, yielded] : llvm::zip_equal(
           op.getRegionOutputArgs(), body->getTerminator()->getOperands())) {
    auto add = yielded.getDefiningOp<arith::AddFOp>();
    if (!add || add->getBlock() != body || !output.hasOneUse() ||
        (add.getLhs() != output && add.getRhs() != output))
      continue;
    addFlags(add,
             arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
    Value term = add.getLhs() == output ? add.getRhs() : add.getLhs();
    if (auto mul = term.getDefiningOp<arith::MulFOp>())
      addFlags(mul, arith::FastMathFlags::contract);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// Emits the loop nest of one op.
class LoopEmitter {
public:
  LoopEmitter(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()),
        order(chooseLoopOrder(op)), induction(op.getNumLoops()) {}

  void emit();

private:
  /// The loops order[0 .. carriedFrom) keep nothing; those from there on carry
  /// the accumulators, which no output's address depends on.
  void chooseCarriedLoops();
  void emitLoop(unsigned depth);
  SmallVector<Value> emitCarriedLoop(unsigned depth, ValueRange accumulators);
  SmallVector<Value> emitBody(ValueRange accumulators);
  SmallVector<Value> getIndices(OpOperand *operand);
  SmallVector<Value> loadOutputs();
  void storeOutputs(ValueRange values);

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<unsigned> order;
  SmallVector<Value> induction;
  SmallVector<Value> upperBounds;
  Value zero, one;
  unsigned carriedFrom = 0;
};
} // namespace

void LoopEmitter::chooseCarriedLoops() {
  carriedFrom = order.size();
  while (carriedFrom > 0) {
    unsigned dim = order[carriedFrom - 1];
    bool addressed =
        llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
          return op.getMatchingIndexingMap(&output).isFunctionOfDim(dim);
        });
    if (addressed)
      return;
    --carriedFrom;
  }
}

SmallVector<Value> LoopEmitter::getIndices(OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(induction[dim.getPosition()]);
      continue;
    }
    AffineMap single = AffineMap::get(map.getNumDims(), 0, expr);
    indices.push_back(affine::makeComposedAffineApply(
        rewriter, loc, single, getAsOpFoldResult(induction)));
  }
  return indices;
}

SmallVector<Value> LoopEmitter::loadOutputs() {
  SmallVector<Value> values;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    // A load whose value the body ignores would read uninitialized memory.
    if (!op.payloadUsesValueFromOperand(&output) && carriedFrom == order.size())
      values.push_back(Value());
    else
      values.push_back(memref::LoadOp::create(rewriter, loc, output.get(),
                                              getIndices(&output)));
  }
  return values;
}

void LoopEmitter::storeOutputs(ValueRange values) {
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(rewriter, loc, value, output.get(),
                            getIndices(&output));
}

SmallVector<Value> LoopEmitter::emitBody(ValueRange accumulators) {
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (isa<MemRefType>(value.getType()) &&
        op.payloadUsesValueFromOperand(input))
      value = memref::LoadOp::create(rewriter, loc, value, getIndices(input));
    mapping.map(op.getMatchingBlockArgument(input), value);
  }
  for (auto [argument, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), accumulators))
    if (value)
      mapping.map(argument, value);
  Block *body = op.getBlock();
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      mapping.map(index.getResult(), induction[index.getDim()]);
    else
      rewriter.clone(nested, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> LoopEmitter::emitCarriedLoop(unsigned depth,
                                                ValueRange accumulators) {
  if (depth == order.size())
    return emitBody(accumulators);
  unsigned dim = order[depth];
  auto loop = scf::ForOp::create(rewriter, loc, zero, upperBounds[dim], one,
                                 accumulators);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  induction[dim] = loop.getInductionVar();
  SmallVector<Value> results =
      emitCarriedLoop(depth + 1, loop.getRegionIterArgs());
  scf::YieldOp::create(rewriter, loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void LoopEmitter::emitLoop(unsigned depth) {
  if (depth == carriedFrom) {
    storeOutputs(emitCarriedLoop(depth, loadOutputs()));
    return;
  }
  unsigned dim = order[depth];
  auto loop = scf::ForOp::create(rewriter, loc, zero, upperBounds[dim], one);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  induction[dim] = loop.getInductionVar();
  emitLoop(depth + 1);
}

void LoopEmitter::emit() {
  zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (Range range : op.createLoopRanges(rewriter, loc))
    upperBounds.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  chooseCarriedLoops();
  emitLoop(0);
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// True if the copy cannot become one memcpy.
static bool isStridedCopy(memref::CopyOp copy) {
  auto isContiguous = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type && (type.getLayout().isIdentity() ||
                    memref::isStaticShapeAndContiguousRowMajor(type));
  };
  // Ranks are not known without types; those are left to the runtime function.
  return isa<MemRefType>(copy.getSource().getType()) &&
         isa<MemRefType>(copy.getTarget().getType()) &&
         !(isContiguous(copy.getSource()) && isContiguous(copy.getTarget()));
}

/// Rewrites a strided copy to a linalg op, which then gets loops.
static void lowerStridedCopy(RewriterBase &rewriter, memref::CopyOp copy) {
  rewriter.setInsertionPoint(copy);
  auto type = cast<MemRefType>(copy.getSource().getType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(rewriter, copy.getLoc(), copy.getSource(),
                            copy.getTarget(), ArrayRef<AffineMap>{map, map},
                            iterators,
                            [](OpBuilder &b, Location loc, ValueRange args) {
                              linalg::YieldOp::create(b, loc, args.front());
                            });
  rewriter.eraseOp(copy);
}

/// Loops need memrefs throughout: an op half way through bufferization, or one
/// of an unranked memref, has none.
static LogicalResult checkOnMemRefs(linalg::LinalgOp op) {
  if (op.hasPureBufferSemantics())
    return success();
  return op->emitOpError("is still on tensors; bufferize it before it is "
                         "lowered to loops");
}

namespace {
struct LowerLinalgToVectorizableLoopsPass
    : compress::impl::LowerLinalgToVectorizableLoopsPassBase<
          LowerLinalgToVectorizableLoopsPass> {
  using compress::impl::LowerLinalgToVectorizableLoopsPassBase<
      LowerLinalgToVectorizableLoopsPass>::
      LowerLinalgToVectorizableLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      if (isStridedCopy(copy))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies)
      lowerStridedCopy(rewriter, copy);

    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      if (failed(checkOnMemRefs(op)))
        return signalPassFailure();
      if (relaxReductions)
        relaxAccumulation(op);
      rewriter.setInsertionPoint(op);
      LoopEmitter(rewriter, op).emit();
    }
  }
};
} // namespace
