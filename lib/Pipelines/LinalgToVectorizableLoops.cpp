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

#include <algorithm>
#include <functional>

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

namespace {
/// The loops of an op as they will be emitted.
struct LoopNest {
  /// All loops, outermost first.
  SmallVector<unsigned> order;
  /// The loops order[carriedFrom ...] carry the accumulators as values; no
  /// output's address depends on them.
  unsigned carriedFrom = 0;
  /// For each loop, whether an output's address depends on it. That is what
  /// counts here, and not the iterator type: it is true of most parallel loops
  /// and false of most reductions, but neither is required.
  SmallVector<bool> addressed;
  /// For each loop, the iterations that are handled at once.
  SmallVector<int64_t> factors;
};
} // namespace

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

static bool isAddressed(linalg::LinalgOp op, unsigned dim) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    return op.getMatchingIndexingMap(&output).isFunctionOfDim(dim);
  });
}

static unsigned countCarriedFrom(const LoopNest &nest) {
  unsigned from = nest.order.size();
  while (from > 0 && !nest.addressed[nest.order[from - 1]])
    --from;
  return from;
}

/// True if iterations of `dim` share the vectors that an input loads along the
/// loop `innermost`.
static bool sharesVectorLoads(linalg::LinalgOp op, unsigned dim,
                              unsigned innermost) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() != 0 &&
           getStride(map, innermost) == Stride::Unit &&
           !map.isFunctionOfDim(dim);
  });
}

/// Chooses the iterations to handle at once so that a vector that was loaded is
/// used more than once: up to 16 products for 4 vectors in registers, as far as
/// the emitted code stays small.
static void chooseFactors(linalg::LinalgOp op, LoopNest &nest) {
  nest.factors.assign(op.getNumLoops(), 1);
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  unsigned innermost = nest.order.back();
  constexpr int64_t maxOps = 160;
  auto bodySize = static_cast<int64_t>(op.getBlock()->getOperations().size());
  int64_t budget = maxOps / (bodySize + 2);
  auto setFactor = [&](unsigned dim, int64_t factor) {
    if (ShapedType::isStatic(ranges[dim]))
      factor = std::clamp<int64_t>(ranges[dim], 1, factor);
    while (factor > 1 && factor > budget)
      factor /= 2;
    nest.factors[dim] = factor;
    budget /= factor;
  };

  bool carried = nest.carriedFrom != nest.order.size();
  // Iterations of the reduction around a parallel innermost loop: its outputs
  // are loaded and stored once for all of them.
  if (!carried && nest.order.size() > 1) {
    unsigned dim = nest.order[nest.order.size() - 2];
    if (!linalg::isParallelIterator(iterators[dim]) && !nest.addressed[dim])
      setFactor(dim, 4);
  }
  // The last parallel loops whose iterations share vectors: one if outputs are
  // vectors, two if they are sums.
  int64_t remaining = carried ? 2 : 1;
  const SmallVector<unsigned> original = nest.order;
  for (unsigned dim : llvm::reverse(original)) {
    if (remaining == 0 || dim == innermost || ranges[dim] == 1 ||
        !linalg::isParallelIterator(iterators[dim]) || !nest.addressed[dim] ||
        !sharesVectorLoads(op, dim, innermost))
      continue;
    setFactor(dim, carried && remaining == 1 ? 2 : 4);
    --remaining;
    // Nearest to the reductions, behind the other parallel loops.
    nest.order.erase(llvm::find(nest.order, dim));
    nest.order.insert(
        llvm::find_if(nest.order,
                      [&](unsigned other) {
                        return !linalg::isParallelIterator(iterators[other]) ||
                               other == innermost || nest.factors[other] != 1;
                      }),
        dim);
  }
}

static LoopNest chooseLoopNest(linalg::LinalgOp op) {
  LoopNest nest;
  nest.order = chooseLoopOrder(op);
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    nest.addressed.push_back(isAddressed(op, dim));
  nest.carriedFrom = countCarriedFrom(nest);
  chooseFactors(op, nest);
  return nest;
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
/// Emits the loop nest of one op. A loop may handle several of its iterations
/// at once (its factor): for loops that address outputs these are tile elements
/// with outputs of their own, for the others they follow each other in the same
/// iteration. The iterations that remain get a loop of their own.
class LoopEmitter {
public:
  LoopEmitter(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), nest(chooseLoopNest(op)),
        positions(op.getNumLoops()), induction(op.getNumLoops()) {}

  void emit();

private:
  void emitLoop(unsigned depth);
  void emitLoopRange(unsigned depth, Value lower, Value upper, int64_t step);
  SmallVector<Value> emitCarriedLoop(unsigned depth, ValueRange accumulators);
  SmallVector<Value> emitTile(ArrayRef<Value> accumulators);
  SmallVector<Value> emitBody(ArrayRef<Value> accumulators);
  void forEachPosition(bool addressed, llvm::function_ref<void()> fn);
  SmallVector<Value> getIndices(OpOperand *operand);
  SmallVector<Value> loadOutputs();
  void storeOutputs(ArrayRef<Value> values);

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  LoopNest nest;
  SmallVector<Value> upperBounds;
  Value zero, one;
  /// For each loop around the current point: the iterations handled at once.
  SmallVector<SmallVector<Value>> positions;
  /// For each loop: the one of them that code is emitted for.
  SmallVector<Value> induction;
};
} // namespace

/// Calls `fn` for each combination of the positions in the loops that address
/// outputs, or in the others.
void LoopEmitter::forEachPosition(bool addressed,
                                  llvm::function_ref<void()> fn) {
  SmallVector<unsigned> dims;
  for (unsigned dim : nest.order)
    if (nest.addressed[dim] == addressed)
      dims.push_back(dim);
  std::function<void(unsigned)> recurse = [&](unsigned i) {
    if (i == dims.size())
      return fn();
    for (Value position : positions[dims[i]]) {
      induction[dims[i]] = position;
      recurse(i + 1);
    }
  };
  recurse(0);
}

SmallVector<Value> LoopEmitter::getIndices(OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(induction[dim.getPosition()]);
      continue;
    }
    // Loops that the expression does not mention may not be entered yet.
    SmallVector<AffineExpr> renumbered(map.getNumDims());
    SmallVector<OpFoldResult> operands;
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim) {
      if (!expr.isFunctionOfDim(dim))
        continue;
      renumbered[dim] = rewriter.getAffineDimExpr(operands.size());
      operands.push_back(induction[dim]);
    }
    AffineMap single =
        AffineMap::get(operands.size(), 0, expr.replaceDims(renumbered));
    indices.push_back(
        affine::makeComposedAffineApply(rewriter, loc, single, operands));
  }
  return indices;
}

/// The outputs of all tile elements, one after the other. Outputs that the body
/// overwrites unseen have no value: they may be uninitialized.
SmallVector<Value> LoopEmitter::loadOutputs() {
  bool carried = nest.carriedFrom != nest.order.size();
  SmallVector<Value> values;
  forEachPosition(/*addressed=*/true, [&] {
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (!op.payloadUsesValueFromOperand(&output) && !carried)
        values.push_back(Value());
      else
        values.push_back(memref::LoadOp::create(rewriter, loc, output.get(),
                                                getIndices(&output)));
    }
  });
  return values;
}

void LoopEmitter::storeOutputs(ArrayRef<Value> values) {
  forEachPosition(/*addressed=*/true, [&] {
    for (OpOperand &output : op.getDpsInitsMutable()) {
      memref::StoreOp::create(rewriter, loc, values.front(), output.get(),
                              getIndices(&output));
      values = values.drop_front();
    }
  });
}

/// The body of one iteration, for the current induction variables.
SmallVector<Value> LoopEmitter::emitBody(ArrayRef<Value> accumulators) {
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
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), induction[index.getDim()]);
      continue;
    }
    Operation *copy = rewriter.clone(nested, mapping);
    // The bodies of named ops have no location.
    if (isa<UnknownLoc>(copy->getLoc()))
      copy->setLoc(loc);
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

/// The bodies of all iterations that are handled at once. Loads that they share
/// become one by CSE, since no store is between them.
SmallVector<Value> LoopEmitter::emitTile(ArrayRef<Value> accumulators) {
  SmallVector<Value> current(accumulators);
  size_t outputs = op.getNumDpsInits();
  forEachPosition(/*addressed=*/false, [&] {
    SmallVector<Value> next;
    forEachPosition(/*addressed=*/true, [&] {
      llvm::append_range(
          next, emitBody(ArrayRef(current).slice(next.size(), outputs)));
    });
    current = std::move(next);
  });
  return current;
}

SmallVector<Value> LoopEmitter::emitCarriedLoop(unsigned depth,
                                                ValueRange accumulators) {
  if (depth == nest.order.size())
    return emitTile(llvm::to_vector_of<Value>(accumulators));
  unsigned dim = nest.order[depth];
  auto loop = scf::ForOp::create(rewriter, loc, zero, upperBounds[dim], one,
                                 accumulators);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  positions[dim] = {loop.getInductionVar()};
  SmallVector<Value> results =
      emitCarriedLoop(depth + 1, loop.getRegionIterArgs());
  scf::YieldOp::create(rewriter, loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void LoopEmitter::emitLoopRange(unsigned depth, Value lower, Value upper,
                                int64_t step) {
  unsigned dim = nest.order[depth];
  Value stepValue =
      step == 1 ? one : arith::ConstantIndexOp::create(rewriter, loc, step);
  auto loop = scf::ForOp::create(rewriter, loc, lower, upper, stepValue);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  positions[dim] = {loop.getInductionVar()};
  for (int64_t i = 1; i < step; ++i) {
    Value offset = arith::ConstantIndexOp::create(rewriter, loc, i);
    positions[dim].push_back(
        arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), offset));
  }
  emitLoop(depth + 1);
}

void LoopEmitter::emitLoop(unsigned depth) {
  if (depth == nest.carriedFrom) {
    SmallVector<Value> values = loadOutputs();
    // Without carried loops values may be missing, which no ValueRange allows.
    storeOutputs(depth == nest.order.size() ? emitTile(values)
                                            : emitCarriedLoop(depth, values));
    return;
  }
  unsigned dim = nest.order[depth];
  int64_t factor = nest.factors[dim];
  Value upper = upperBounds[dim];
  if (factor == 1)
    return emitLoopRange(depth, zero, upper, 1);
  AffineExpr size = rewriter.getAffineDimExpr(0);
  Value whole = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      affine::makeComposedFoldedAffineApply(rewriter, loc, size - size % factor,
                                            getAsOpFoldResult(upper)));
  emitLoopRange(depth, zero, whole, factor);
  emitLoopRange(depth, whole, upper, 1);
}

void LoopEmitter::emit() {
  zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (Range range : op.createLoopRanges(rewriter, loc))
    upperBounds.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
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
