//===- LowerParallelLoops.cpp - Loops on several threads ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-lower-parallel-loops, see Passes.td. The body of a loop
// becomes a function of a range of tasks for both runtimes: what an OpenMP
// region has in it then is one call, so that allocations in the body are
// nothing special there.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::compress {
#define GEN_PASS_DEF_LOWERPARALLELLOOPSPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// The function of ThreadPool.h.
static constexpr llvm::StringLiteral parallelForName = "compress_parallel_for";

/// What the attribute of `forall` says, 1 without it.
static FailureOr<int64_t> getNumThreads(scf::ForallOp forall) {
  Attribute attribute = forall->getAttr(threadsAttrName);
  if (!attribute)
    return 1;
  auto threads = dyn_cast<IntegerAttr>(attribute);
  if (!threads || !threads.getType().isInteger(64))
    return forall.emitOpError() << "attribute '" << threadsAttrName
                                << "' must be an i64, but is " << attribute;
  return threads.getInt();
}

//===----------------------------------------------------------------------===//
// Iteration space
//===----------------------------------------------------------------------===//

namespace {
/// The loops of a forall as values in front of it.
struct IterationSpace {
  SmallVector<Value> lowers, steps, sizes;
  /// The number of tasks, an index.
  Value count;
};
} // namespace

static IterationSpace buildIterationSpace(OpBuilder &builder,
                                          scf::ForallOp forall) {
  Location loc = forall.getLoc();
  IterationSpace space;
  space.lowers = forall.getLowerBound(builder);
  space.steps = forall.getStep(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [lower, upper, step] : llvm::zip_equal(
           space.lowers, forall.getUpperBound(builder), space.steps)) {
    Value length = builder.createOrFold<arith::SubIOp>(loc, upper, lower);
    Value size = builder.createOrFold<arith::CeilDivSIOp>(loc, length, step);
    size = builder.createOrFold<arith::MaxSIOp>(loc, size, zero);
    space.sizes.push_back(size);
    space.count =
        space.count
            ? builder.createOrFold<arith::MulIOp>(loc, space.count, size)
            : size;
  }
  return space;
}

/// The induction variables of the task number `task`; the last loop is the
/// fastest.
static SmallVector<Value> buildInductionVars(OpBuilder &builder, Location loc,
                                             const IterationSpace &space,
                                             Value task) {
  size_t rank = space.sizes.size();
  SmallVector<Value> variables(rank);
  for (size_t dim = rank; dim-- > 0;) {
    Value index = task;
    if (dim > 0) {
      index = arith::RemUIOp::create(builder, loc, task, space.sizes[dim]);
      task = arith::DivUIOp::create(builder, loc, task, space.sizes[dim]);
    }
    Value offset =
        builder.createOrFold<arith::MulIOp>(loc, index, space.steps[dim]);
    variables[dim] =
        builder.createOrFold<arith::AddIOp>(loc, space.lowers[dim], offset);
  }
  return variables;
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

/// True if the value is made anew in the body instead of being passed to it.
static bool isRematerialized(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() == 0 &&
         (op->hasTrait<OpTrait::ConstantLike>() ||
          isa<memref::GetGlobalOp>(op));
}

namespace {
/// Outlines one forall and puts the runtime's loop in its place.
class LoopOutliner {
public:
  LoopOutliner(IRRewriter &rewriter, scf::ForallOp forall, int64_t numThreads)
      : rewriter(rewriter), forall(forall), numThreads(numThreads),
        loc(forall.getLoc()), i64(rewriter.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(forall.getContext())),
        converter(forall.getContext()) {}

  LogicalResult outline(Threading threading);

private:
  LogicalResult checkPlace();
  LogicalResult findCaptures();
  Value buildField(Value context, size_t index);
  Value buildContext();
  void declareBody();
  void mapCaptures(IRMapping &mapping);
  void buildBody();
  void hoistAllocations(ArrayRef<memref::AllocaOp> allocations);
  LogicalResult buildPoolCall(Value context);
  void buildOpenMPRegion(Value context);
  FailureOr<func::FuncOp> getParallelFor();

  IRRewriter &rewriter;
  scf::ForallOp forall;
  int64_t numThreads;
  Location loc;
  Type i64;
  LLVM::LLVMPointerType pointer;
  LLVMTypeConverter converter;

  func::FuncOp parent;
  ModuleOp module;
  IterationSpace space;
  /// Values from outside that the body uses.
  llvm::SetVector<Value> captures;
  /// Those of them that are passed, and the struct that has room for them.
  SmallVector<Value> passed;
  LLVM::LLVMStructType contextType;
  func::FuncOp body;
};
} // namespace

LogicalResult LoopOutliner::checkPlace() {
  parent = dyn_cast<func::FuncOp>(
      forall->getParentWithTrait<OpTrait::IsIsolatedFromAbove>());
  module = parent ? dyn_cast<ModuleOp>(parent->getParentOp()) : ModuleOp();
  if (!module)
    return forall.emitOpError()
           << "has '" << threadsAttrName
           << "', but is in no func.func of a module, beside which its body "
              "could become a function; remove the attribute";
  if (forall.getNumResults() != 0)
    return forall.emitOpError()
           << "has '" << threadsAttrName
           << "' and results; bufferize it before it is lowered";
  return success();
}

LogicalResult LoopOutliner::findCaptures() {
  getUsedValuesDefinedAbove(forall.getRegion(), captures);
  captures.insert_range(space.lowers);
  captures.insert_range(space.steps);
  captures.insert_range(ArrayRef(space.sizes).drop_front());
  SmallVector<Type> fields;
  for (Value value : captures) {
    if (isRematerialized(value))
      continue;
    Type type = converter.convertType(value.getType());
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!type || (vector && vector.isScalable()))
      return forall.emitOpError()
             << "has '" << threadsAttrName << "', but uses a value of type "
             << value.getType()
             << ", which cannot be passed to other threads; make it inside of "
                "the loop";
    passed.push_back(value);
    fields.push_back(type);
  }
  contextType = LLVM::LLVMStructType::getLiteral(forall.getContext(), fields);
  return success();
}

/// The address of a field of the context.
Value LoopOutliner::buildField(Value context, size_t index) {
  return LLVM::GEPOp::create(
      rewriter, loc, pointer, contextType, context,
      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
}

/// Stores what is passed to the stack. The place is in the entry block, since
/// the loop itself may be in another one.
Value LoopOutliner::buildContext() {
  if (passed.empty())
    return LLVM::ZeroOp::create(rewriter, loc, pointer);
  Value context;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&parent.getBody().front());
    Value one = LLVM::ConstantOp::create(rewriter, loc, i64, 1);
    context = LLVM::AllocaOp::create(rewriter, loc, pointer, contextType, one);
  }
  for (auto [i, value] : llvm::enumerate(passed)) {
    Type type = contextType.getBody()[i];
    Value stored = value;
    if (value.getType() != type)
      stored = UnrealizedConversionCastOp::create(rewriter, loc, type, value)
                   .getResult(0);
    LLVM::StoreOp::create(rewriter, loc, stored, buildField(context, i));
  }
  return context;
}

/// Buffers of one task serve all tasks of a range: where the loop is lowered to
/// branches nothing would take them off the stack after each.
void LoopOutliner::hoistAllocations(ArrayRef<memref::AllocaOp> allocations) {
  for (memref::AllocaOp alloca : allocations) {
    Operation *loop =
        alloca->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
    if (loop->getParentOp() != body ||
        !llvm::all_of(alloca->getOperands(), [&](Value size) {
          return !loop->isAncestor(size.getParentBlock()->getParentOp());
        }))
      continue;
    alloca->moveBefore(loop);
  }
}

/// The function of a range of tasks, without code.
void LoopOutliner::declareBody() {
  OpBuilder detached(forall.getContext());
  body = func::FuncOp::create(
      detached, loc, (parent.getName() + "_parallel").str(),
      rewriter.getFunctionType({pointer, i64, i64}, {}));
  body.setPrivate();
  // Two modules of one program may have a function of the same name.
  body->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(forall.getContext(), LLVM::Linkage::Internal));
  SymbolTable(module).insert(body, std::next(Block::iterator(parent)));
  body.addEntryBlock();
}

/// Makes the captured values available in the body.
void LoopOutliner::mapCaptures(IRMapping &mapping) {
  for (Value value : captures)
    if (isRematerialized(value) && !mapping.contains(value))
      rewriter.clone(*value.getDefiningOp(), mapping);
  for (auto [i, value] : llvm::enumerate(passed)) {
    Value loaded = LLVM::LoadOp::create(rewriter, loc, contextType.getBody()[i],
                                        buildField(body.getArgument(0), i));
    if (value.getType() != loaded.getType())
      loaded = UnrealizedConversionCastOp::create(rewriter, loc,
                                                  value.getType(), loaded)
                   .getResult(0);
    mapping.map(value, loaded);
  }
}

void LoopOutliner::buildBody() {
  declareBody();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&body.getBody().front());
  IRMapping mapping;
  mapCaptures(mapping);
  for (SmallVector<Value> *values : {&space.lowers, &space.steps, &space.sizes})
    for (Value &value : *values)
      value = mapping.lookupOrDefault(value);

  auto toIndex = [&](unsigned argument) -> Value {
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                      body.getArgument(argument));
  };
  Value begin = toIndex(1), end = toIndex(2);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, one);
  func::ReturnOp::create(rewriter, loc);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> variables =
      buildInductionVars(rewriter, loc, space, loop.getInductionVar());
  rewriter.eraseOp(forall.getTerminator());
  rewriter.inlineBlockBefore(forall.getBody(), loop.getBody()->getTerminator(),
                             variables);
  for (Value value : captures)
    rewriter.replaceUsesWithIf(
        value, mapping.lookup(value),
        [&](OpOperand &use) { return body->isProperAncestor(use.getOwner()); });
  SmallVector<memref::AllocaOp> allocations;
  loop.walk([&](memref::AllocaOp alloca) { allocations.push_back(alloca); });
  hoistAllocations(allocations);
}

FailureOr<func::FuncOp> LoopOutliner::getParallelFor() {
  FunctionType type =
      rewriter.getFunctionType({pointer, pointer, i64, i64}, {});
  if (Operation *symbol = module.lookupSymbol(parallelForName)) {
    auto function = dyn_cast<func::FuncOp>(symbol);
    if (function && function.getFunctionType() == type)
      return function;
    return symbol->emitOpError()
           << "has the name of a function of the runtime, '" << parallelForName
           << "', but is not a func.func of type " << type << "; rename it";
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(rewriter, loc, parallelForName, type);
  function.setPrivate();
  return function;
}

LogicalResult LoopOutliner::buildPoolCall(Value context) {
  FailureOr<func::FuncOp> parallelFor = getParallelFor();
  if (failed(parallelFor))
    return failure();
  Value function = func::ConstantOp::create(
      rewriter, loc, body.getFunctionType(), body.getName());
  function =
      UnrealizedConversionCastOp::create(rewriter, loc, pointer, function)
          .getResult(0);
  Value count = arith::IndexCastOp::create(rewriter, loc, i64, space.count);
  Value threads = arith::ConstantIntOp::create(rewriter, loc, numThreads, 64);
  func::CallOp::create(rewriter, loc, *parallelFor,
                       ValueRange{function, context, count, threads});
  return success();
}

/// The ranges are those of the pool, so that results agree with its.
void LoopOutliner::buildOpenMPRegion(Value context) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, value, 64);
  };
  Value count = arith::IndexCastOp::create(rewriter, loc, i64, space.count);
  Value zero = constant(0), one = constant(1), parts = constant(numThreads);
  Value each = arith::DivUIOp::create(rewriter, loc, count, parts);
  Value rest = arith::RemUIOp::create(rewriter, loc, count, parts);
  auto getBound = [&](Value part) -> Value {
    Value whole = arith::MulIOp::create(rewriter, loc, each, part);
    Value more = arith::MulIOp::create(rewriter, loc, rest, part);
    more = arith::DivUIOp::create(rewriter, loc, more, parts);
    return arith::AddIOp::create(rewriter, loc, whole, more);
  };

  omp::ParallelOperands parallelClauses;
  parallelClauses.numThreads = arith::ConstantIntOp::create(
      rewriter, loc,
      std::min<int64_t>(numThreads, std::numeric_limits<int32_t>::max()), 32);
  auto parallel = omp::ParallelOp::create(rewriter, loc, parallelClauses);
  rewriter.createBlock(&parallel.getRegion());
  auto share = omp::WsloopOp::create(rewriter, loc);
  omp::TerminatorOp::create(rewriter, loc);
  rewriter.createBlock(&share.getRegion());
  omp::LoopNestOperands loopClauses;
  loopClauses.loopLowerBounds.push_back(zero);
  loopClauses.loopUpperBounds.push_back(parts);
  loopClauses.loopSteps.push_back(one);
  auto loop = omp::LoopNestOp::create(rewriter, loc, loopClauses);
  Block *block = rewriter.createBlock(&loop.getRegion(), {}, i64, loc);
  Value part = block->getArgument(0);
  Value begin = getBound(part);
  Value end = getBound(arith::AddIOp::create(rewriter, loc, part, one));
  func::CallOp::create(rewriter, loc, body, ValueRange{context, begin, end});
  omp::YieldOp::create(rewriter, loc, ValueRange());
  rewriter.setInsertionPointAfter(parallel);
}

LogicalResult LoopOutliner::outline(Threading threading) {
  if (failed(checkPlace()))
    return failure();
  rewriter.setInsertionPoint(forall);
  space = buildIterationSpace(rewriter, forall);
  if (failed(findCaptures()))
    return failure();
  Value context = buildContext();
  buildBody();
  if (threading == Threading::OpenMP)
    buildOpenMPRegion(context);
  else if (failed(buildPoolCall(context)))
    return failure();
  rewriter.eraseOp(forall);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A forall without dimensions has one task.
static void inlineOnlyTask(IRRewriter &rewriter, scf::ForallOp forall) {
  rewriter.eraseOp(forall.getTerminator());
  rewriter.inlineBlockBefore(forall.getBody(), forall);
  rewriter.eraseOp(forall);
}

namespace {
struct LowerParallelLoopsPass
    : compress::impl::LowerParallelLoopsPassBase<LowerParallelLoopsPass> {
  using LowerParallelLoopsPassBase::LowerParallelLoopsPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<scf::ForallOp, int64_t>> threaded;
    SmallVector<scf::ForallOp> sequential;
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>(
        [&](scf::ForallOp forall) -> WalkResult {
          FailureOr<int64_t> numThreads = getNumThreads(forall);
          if (failed(numThreads))
            return WalkResult::interrupt();
          if (*numThreads <= 1 || threading == Threading::None ||
              forall.getRank() == 0) {
            sequential.push_back(forall);
            return WalkResult::advance();
          }
          threaded.emplace_back(forall, *numThreads);
          // The threads are taken inside of it.
          forall.getRegion().walk(
              [&](scf::ForallOp inner) { sequential.push_back(inner); });
          return WalkResult::skip();
        });
    if (result.wasInterrupted())
      return signalPassFailure();

    IRRewriter rewriter(&getContext());
    for (scf::ForallOp forall : sequential) {
      if (forall.getNumResults() != 0)
        continue;
      rewriter.setInsertionPoint(forall);
      if (forall.getRank() == 0)
        inlineOnlyTask(rewriter, forall);
      else if (failed(scf::forallToForLoop(rewriter, forall)))
        return signalPassFailure();
    }
    if (keepMarked)
      return;
    for (auto [forall, numThreads] : threaded)
      if (failed(LoopOutliner(rewriter, forall, numThreads).outline(threading)))
        return signalPassFailure();
  }
};
} // namespace
