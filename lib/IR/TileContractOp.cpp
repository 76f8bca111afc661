//===- TileContractOp.cpp - Contractions by tile kernels ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include "compress/IR/TileKernelInterfaces.cpp.inc"

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> dilations,
                                 ArrayRef<int64_t> pads) {
  if (sizes.empty() || strides.size() != sizes.size() ||
      dilations.size() != sizes.size() || pads.size() != sizes.size())
    return emitError() << "sizes, strides, dilations and pads must have the "
                          "same number of entries, at least one";
  auto isPositive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(sizes, isPositive) || !llvm::all_of(strides, isPositive) ||
      !llvm::all_of(dilations, isPositive))
    return emitError() << "sizes, strides and dilations must be positive";
  if (!llvm::all_of(pads, [](int64_t value) { return value >= 0; }))
    return emitError() << "pads must not be negative";
  return success();
}

int64_t WindowAttr::getNumTaps() const {
  int64_t taps = 1;
  for (int64_t size : getSizes())
    taps *= size;
  return taps;
}

unsigned TileContractOp::getNumLeadingArguments() {
  if (!getQuantize())
    return 1;
  return getQuantize()->getAsymmetric() ? 3 : 2;
}

static Type getElement(Value value) {
  return cast<ShapedType>(value.getType()).getElementType();
}

static LogicalResult verifyLhs(TileContractOp op) {
  Type element = getElement(op.getLhs());
  TileLhs lhs = op.getKernel().getLhs();
  if (std::optional<AffineAttr> quantize = op.getQuantize()) {
    if (!lhs.element.isInteger(8) || quantize->getFormat().bits != 8 ||
        quantize->getFormat().isSigned != lhs.isSigned)
      return op.emitOpError()
             << "cannot quantize the left operand to " << *quantize
             << ": the kernel takes " << (lhs.isSigned ? "signed" : "unsigned")
             << " " << lhs.element;
    if (!element.isF32())
      return op.emitOpError() << "can only quantize a left operand of f32, but "
                                 "it is of "
                              << element;
    if (op.getWindow() && lhs.sumBlock != 0)
      return op.emitOpError("has a window, but its kernel takes sums of rows");
    return success();
  }
  if (op.getWindow() && lhs.sumBlock != 0)
    return op.emitOpError("has a window, but its kernel takes sums of rows");
  if (element != lhs.element)
    return op.emitOpError() << "has a left operand of " << element
                            << ", but its kernel takes " << lhs.element;
  return success();
}

bool TileContractOp::canLeaveImage(unsigned dim) {
  WindowAttr window = *getWindow();
  auto image = cast<ShapedType>(getLhs().getType());
  unsigned firstSpatial = image.getRank() - 1 - window.getRank();
  int64_t size = image.getDimSize(firstSpatial + dim);
  int64_t positions =
      cast<ShapedType>(getOuts()[0].getType()).getDimSize(firstSpatial + dim);
  int64_t pad = window.getPads()[dim];
  // Without padding a window of unknown place is inside: who left a border out
  // has seen the sizes.
  if (pad != 0 || ShapedType::isDynamic(size) ||
      ShapedType::isDynamic(positions))
    return pad != 0;
  return (positions - 1) * window.getStrides()[dim] +
             (window.getSizes()[dim] - 1) * window.getDilations()[dim] >=
         size;
}

/// `size` divided by `by`, rounded up; dynamic if it is.
static int64_t divideCeil(int64_t size, int64_t by) {
  return ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, by);
}

static bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

/// Windows that reach outside of an image are of sizes that the lowering knows.
static LogicalResult verifyWindow(TileContractOp op, WindowAttr window) {
  auto lhs = cast<ShapedType>(op.getLhs().getType());
  auto out = cast<ShapedType>(op.getOuts()[0].getType());
  int64_t first = lhs.getRank() - 1 - window.getRank();
  for (int64_t d = 0; d < window.getRank(); ++d) {
    int64_t image = lhs.getDimSize(first + d), rows = out.getDimSize(first + d);
    bool isStatic =
        !ShapedType::isDynamic(image) && !ShapedType::isDynamic(rows);
    if (window.getPads()[d] != 0) {
      // Which taps of which rows are outside is part of the code.
      if (d + 1 == window.getRank() && !isStatic)
        return op.emitOpError() << "has padding in dimension " << first + d
                                << ", whose size must then be static";
    }
  }
  return success();
}

/// All sizes that are known fit each other: nothing else keeps the lowering
/// inside the operands.
static LogicalResult verifySizes(TileContractOp op) {
  auto lhs = cast<ShapedType>(op.getLhs().getType());
  auto panels = cast<ShapedType>(op.getPanels().getType());
  auto out = cast<ShapedType>(op.getOuts()[0].getType());
  int64_t rank = op.getOutRank(), taps = 1, equal = rank - 1;
  if (std::optional<WindowAttr> window = op.getWindow()) {
    if (failed(verifyWindow(op, *window)))
      return failure();
    taps = window->getNumTaps();
    equal -= window->getRank();
  }
  for (int64_t dim = 0; dim < equal; ++dim)
    if (differ(lhs.getDimSize(dim), out.getDimSize(dim)))
      return op.emitOpError() << "has a left operand of size "
                              << lhs.getDimSize(dim) << " in dimension " << dim
                              << ", but outs of size " << out.getDimSize(dim);

  TileShape shape = op.getKernel().getTile();
  int64_t count = divideCeil(out.getDimSize(rank - 1), shape.n);
  for (uint64_t dim = 0; dim < op.getBatches(); ++dim)
    if (ShapedType::isDynamic(count) || out.isDynamicDim(dim))
      count = ShapedType::kDynamic;
    else
      count *= out.getDimSize(dim);
  if (differ(panels.getDimSize(0), count))
    return op.emitOpError()
           << "has " << panels.getDimSize(0)
           << " panels, but its outs have columns for " << count;
  auto [head, step] = op.getKernel().getPanelSizes();
  int64_t length = panels.getDimSize(1);
  if (!ShapedType::isDynamic(length) &&
      (length < head || (length - head) % step != 0))
    return op.emitOpError()
           << "has panels of " << length << " elements, which is not " << head
           << " and whole steps of " << step;
  int64_t steps = divideCeil(lhs.getDimSize(rank - 1), shape.k);
  // Behind the steps may be, for each tap and column, what a tap outside the
  // image contributes, if it is not zero as it is stored.
  Type accumulator = op.getKernel().getAccumulatorType();
  bool mayHaveSums = op.getWindow() && accumulator.isInteger() &&
                     step * panels.getElementTypeBitWidth() ==
                         shape.n * accumulator.getIntOrFloatBitWidth();
  bool hasSums = mayHaveSums && !ShapedType::isDynamic(steps) &&
                 length == head + taps * (steps + 1) * step;
  // The zero points of images are known at run time only. Kernels that read
  // rows in groups get images with their padding.
  if (op.getKernel().getScratchElements() == 0 && op.getWindow() &&
      op.getQuantize() && op.getQuantize()->getAsymmetric() && !hasSums)
    for (int64_t d = 0; d < op.getWindow()->getRank(); ++d)
      if (op.canLeaveImage(d))
        return op.emitOpError()
               << "has padding in dimension " << d
               << " of its window, and zero points: its panels must have a "
                  "static size and end in the sums of taps";
  if (!ShapedType::isDynamic(steps) && !hasSums &&
      differ(length, head + taps * steps * step))
    return op.emitOpError()
           << "has panels of " << length
           << " elements, but its left operand has " << taps * steps
           << " steps, which take " << head + taps * steps * step;
  return success();
}

static LogicalResult verifyShapes(TileContractOp op) {
  auto lhs = cast<ShapedType>(op.getLhs().getType());
  auto panels = cast<ShapedType>(op.getPanels().getType());
  int64_t rank = op.getOutRank();
  if (rank < 2)
    return op.emitOpError("must have outs of rank 2 or more");
  for (Value out : op.getOuts())
    if (failed(verifyCompatibleShape(out.getType(), op.getOuts()[0].getType())))
      return op.emitOpError("must have outs of one shape");
  if (lhs.getRank() != rank)
    return op.emitOpError() << "has a left operand of rank " << lhs.getRank()
                            << ", but outs of rank " << rank;
  if (op.getBatches() > static_cast<uint64_t>(rank - 2))
    return op.emitOpError()
           << "has " << op.getBatches() << " batches, but only " << rank - 2
           << " dimensions before rows and columns";
  if (std::optional<WindowAttr> window = op.getWindow())
    if (window->getRank() > rank - 1 || op.getBatches() != 0)
      return op.emitOpError("has a window of more dimensions than its outs, or "
                            "with batches");
  if (panels.getRank() != 2 ||
      panels.getElementType() != op.getKernel().getPanelElementType())
    return op.emitOpError() << "must have panels of rank 2 of "
                            << op.getKernel().getPanelElementType();
  return verifySizes(op);
}

/// The types that the lowering can make vectors of.
static bool isScalarType(Type type) {
  return isa<IntegerType, IndexType, FloatType>(type);
}

LogicalResult TileContractOp::verify() {
  if (getOuts().empty())
    return emitOpError("must have at least one out");
  bool allTensors =
      llvm::all_of(getOuts().getTypes(), llvm::IsaPred<RankedTensorType>);
  bool allMemrefs =
      llvm::all_of(getOuts().getTypes(), llvm::IsaPred<MemRefType>);
  if ((!allTensors && !allMemrefs) ||
      getNumResults() != (allTensors ? getOuts().size() : 0))
    return emitOpError("must have one result for each out if these are "
                       "tensors, none if they are memrefs");
  for (Value value : getOperands().drop_front(2))
    if (!isScalarType(getElement(value)))
      return emitOpError() << "must have extras and outs of integers, indices "
                              "or floats, but has "
                           << value.getType();
  for (auto [out, result] : llvm::zip(getOuts(), getResults()))
    if (out.getType() != result.getType())
      return emitOpError("must have results of the types of its outs");
  if (failed(verifyLhs(*this)) || failed(verifyShapes(*this)))
    return failure();
  if (getMaps().size() != getExtras().size())
    return emitOpError() << "has " << getExtras().size() << " extras, but "
                         << getMaps().size() << " maps";
  for (auto [extra, attribute] : llvm::zip(getExtras(), getMaps())) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    if (map.getNumDims() != getOutRank() || map.getNumSymbols() != 0 ||
        !map.isProjectedPermutation() ||
        map.getNumResults() !=
            static_cast<unsigned>(cast<ShapedType>(extra.getType()).getRank()))
      return emitOpError() << "map " << attribute
                           << " is not a projected permutation of the "
                           << getOutRank()
                           << " dimensions of outs to those of its extra";
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      int64_t size = cast<ShapedType>(extra.getType()).getDimSize(dim);
      int64_t needed = cast<ShapedType>(getOuts()[0].getType())
                           .getDimSize(cast<AffineDimExpr>(expr).getPosition());
      if (differ(size, needed))
        return emitOpError()
               << "has an extra of size " << size << " in dimension " << dim
               << ", but outs of size " << needed << " there";
    }
  }
  Block &block = getEpilogue().front();
  SmallVector<Type> expected = {getKernel().getAccumulatorType()};
  if (getQuantize()) {
    expected.push_back(Float32Type::get(getContext()));
    if (getQuantize()->getAsymmetric())
      expected.push_back(IntegerType::get(getContext(), 32));
  }
  for (Value extra : getExtras())
    expected.push_back(getElement(extra));
  if (block.getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "must have an epilogue with arguments of types "
                         << expected;
  // Other verifiers have not seen yet that the last op is a terminator.
  auto yield = dyn_cast<YieldOp>(&block.back());
  if (!yield || yield.getValues().size() != getOuts().size())
    return emitOpError("must yield one value for each out");
  for (auto [value, out] : llvm::zip(yield.getValues(), getOuts()))
    if (value.getType() != getElement(out))
      return emitOpError() << "yields a value of " << value.getType()
                           << " for an out of " << getElement(out);
  for (Operation &op : block.without_terminator())
    if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0 ||
        (!OpTrait::hasElementwiseMappableTraits(&op) &&
         !op.hasTrait<OpTrait::ConstantLike>()) ||
        !llvm::all_of(op.getOperandTypes(), isScalarType) ||
        !llvm::all_of(op.getResultTypes(), isScalarType))
      return op.emitOpError(
          "is not an elementwise op on scalars, as those of an "
          "epilogue must be");
  return success();
}

//===----------------------------------------------------------------------===//
// Effects and bufferization
//===----------------------------------------------------------------------===//

void TileContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOut = isDpsInit(&operand);
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

bool TileContractOp::bufferizesToMemoryRead(
    OpOperand &operand, const bufferization::AnalysisState &) {
  return !isDpsInit(&operand);
}

bool TileContractOp::bufferizesToMemoryWrite(
    OpOperand &operand, const bufferization::AnalysisState &) {
  return isDpsInit(&operand);
}

bufferization::AliasingValueList
TileContractOp::getAliasingValues(OpOperand &operand,
                                  const bufferization::AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {
      {getTiedOpResult(&operand), bufferization::BufferRelation::Equivalent}};
}

LogicalResult
TileContractOp::bufferize(RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) {
  if (isMemrefForm())
    return success();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(*this);
  SmallVector<Value> buffers, outs;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    Value buffer = operand.get();
    if (isa<RankedTensorType>(buffer.getType())) {
      FailureOr<Value> found =
          bufferization::getBuffer(rewriter, buffer, options, state);
      if (failed(found))
        return failure();
      buffer = *found;
    }
    buffers.push_back(buffer);
    if (isDpsInit(&operand))
      outs.push_back(buffer);
  }
  OperationState newState(getLoc(), getOperationName(), buffers, TypeRange(),
                          (*this)->getAttrs());
  newState.propertiesAttr = (*this)->getPropertiesAsAttribute();
  newState.addRegion();
  auto op = cast<TileContractOp>(rewriter.create(newState));
  rewriter.inlineRegionBefore(getEpilogue(), op.getEpilogue(),
                              op.getEpilogue().begin());
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, outs);
  return success();
}
