//===- ExpandEncodingsForwarders.cpp - Ops that pass encoded values on ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step 2 of compress-expand-encodings: region and branch ops, calls, returns,
// selects, refining casts, block arguments and function signatures. All but
// selects and casts are rebuilt by one rule: in every list of operands,
// results and block arguments an encoded value is replaced by its leaves.
//
//===----------------------------------------------------------------------===//

#include "ExpandEncodings.h"

#include "compress/IR/EncodingRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::compress;
using namespace mlir::compress::expand;

static bool isEncodedType(Type type) { return isEncoded(type); }

static bool hasBlockArgument(Operation *op, function_ref<bool(Type)> matches) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), matches))
        return true;
  return false;
}

/// Whether a value is a function whose type mentions an encoded type.
static bool isFunctionOfEncoded(Type type) {
  auto function = dyn_cast<FunctionType>(type);
  return function && (llvm::any_of(function.getInputs(), isEncodedType) ||
                      llvm::any_of(function.getResults(), isEncodedType));
}

static LogicalResult checkForwarder(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), isFunctionOfEncoded) ||
      llvm::any_of(op->getResultTypes(), isFunctionOfEncoded) ||
      hasBlockArgument(op, isFunctionOfEncoded))
    return op->emitOpError()
           << "has a function of encoded tensors as a value: indirect calls "
              "are not supported; call the function directly";
  bool takesEncoded = llvm::any_of(op->getOperandTypes(), isEncodedType) ||
                      llvm::any_of(op->getResultTypes(), isEncodedType);
  if (takesEncoded &&
      isa<scf::ForallOp, scf::ParallelOp, scf::ReduceOp, scf::ReduceReturnOp>(
          op))
    return op->emitOpError()
           << "cannot have an encoded tensor as reduction or shared output: "
              "use one of its body only, or loop with scf.for";
  if (hasBlockArgument(op, isEncodedType) && !isEncodingForwarder(op))
    return op->emitOpError()
           << "has block arguments of encoded type, but is not known to "
              "forward values to them; decode them with compress.decode first";
  return success();
}

LogicalResult mlir::compress::expand::checkForwarders(Operation *root) {
  bool failedAny = false;
  root->walk([&](Operation *op) { failedAny |= failed(checkForwarder(op)); });
  return failure(failedAny);
}

//===----------------------------------------------------------------------===//
// Selects and casts
//===----------------------------------------------------------------------===//

/// assemble(select(component, component), ...), down to the leaves.
static Value buildSelect(OpBuilder &b, arith::SelectOp select) {
  Location loc = select.getLoc();
  SmallVector<Value> trueLeaves, falseLeaves, leaves;
  buildLeaves(b, loc, select.getTrueValue(), trueLeaves);
  buildLeaves(b, loc, select.getFalseValue(), falseLeaves);
  for (auto [trueLeaf, falseLeaf] : llvm::zip_equal(trueLeaves, falseLeaves))
    leaves.push_back(arith::SelectOp::create(b, loc, select.getCondition(),
                                             trueLeaf, falseLeaf));
  return buildFromLeaves(
      b, loc, cast<RankedTensorType>(select.getResult().getType()), leaves);
}

/// `encoded` as a value of type `to`, which says more or less of the shape
/// under the same encoding. Sizes that only one of the types has as components
/// appear or go.
static Value buildRefine(OpBuilder &b, Location loc, Value encoded,
                         RankedTensorType to) {
  auto from = cast<RankedTensorType>(encoded.getType());
  SmallVector<EncodingComponent> fromComponents = getComponentsOf(from);
  SmallVector<Value> parts;
  for (const EncodingComponent &component : getComponentsOf(to)) {
    auto *given = llvm::find_if(fromComponents, [&](const auto &candidate) {
      return candidate.name == component.name;
    });
    if (given == fromComponents.end()) {
      // The size of a dimension that is static in `from`: "size<d>".
      unsigned dim = 0;
      [[maybe_unused]] bool malformed =
          StringRef(component.name).drop_front(4).getAsInteger(10, dim);
      parts.push_back(
          arith::ConstantIndexOp::create(b, loc, from.getDimSize(dim)));
      continue;
    }
    Value part =
        getStorageComponent(b, loc, encoded, given - fromComponents.begin());
    Type wanted = getStorageType(component.type);
    if (part.getType() != wanted)
      part = isEncoded(wanted)
                 ? buildRefine(b, loc, part, cast<RankedTensorType>(wanted))
                 : tensor::CastOp::create(b, loc, wanted, part).getResult();
    parts.push_back(part);
  }
  return AssembleOp::create(b, loc, to, parts);
}

//===----------------------------------------------------------------------===//
// Everything else
//===----------------------------------------------------------------------===//

/// Adds up `counts`, the numbers of new operands (or results) for each old one,
/// over the segments whose old sizes are `sizes`, starting at `next`.
static SmallVector<int32_t> growSegments(ArrayRef<int32_t> sizes,
                                         ArrayRef<int32_t> counts) {
  SmallVector<int32_t> grown;
  for (int32_t size : sizes) {
    ArrayRef<int32_t> segment = counts.take_front(size);
    counts = counts.drop_front(size);
    grown.push_back(std::accumulate(segment.begin(), segment.end(), 0));
  }
  return grown;
}

static void updateSegments(Operation *op, StringRef name,
                           ArrayRef<int32_t> counts) {
  std::optional<Attribute> attribute = op->getInherentAttr(name);
  auto sizes =
      dyn_cast_or_null<DenseI32ArrayAttr>(attribute.value_or(Attribute()));
  if (!sizes)
    return;
  op->setInherentAttr(
      StringAttr::get(op->getContext(), name),
      DenseI32ArrayAttr::get(op->getContext(), growSegments(sizes, counts)));
}

/// One dictionary for each new argument (or result). The attributes of an
/// encoded one stay on its first leaf.
static SmallVector<DictionaryAttr>
expandAttributes(MLIRContext *context, TypeRange types,
                 function_ref<DictionaryAttr(unsigned)> getAttributes,
                 bool nameComponents) {
  SmallVector<DictionaryAttr> expanded;
  for (auto [i, type] : llvm::enumerate(types)) {
    DictionaryAttr attributes = getAttributes(i);
    if (!attributes)
      attributes = DictionaryAttr::get(context);
    if (!isEncoded(type)) {
      expanded.push_back(attributes);
      continue;
    }
    NamedAttrList list(attributes);
    list.erase(CompressDialect::kEncodedAttrName);
    for (const EncodingComponent &leaf :
         getLeavesOf(cast<RankedTensorType>(type))) {
      if (nameComponents)
        list.set(CompressDialect::kComponentAttrName,
                 StringAttr::get(context, leaf.name));
      expanded.push_back(list.getDictionary(context));
      list.clear();
    }
  }
  return expanded;
}

/// The argument or result attributes of a call.
static ArrayAttr expandCallAttributes(ArrayAttr attributes, TypeRange types) {
  if (!attributes || attributes.size() != types.size())
    return attributes;
  SmallVector<DictionaryAttr> expanded = expandAttributes(
      attributes.getContext(), types,
      [&](unsigned i) { return dyn_cast<DictionaryAttr>(attributes[i]); },
      /*nameComponents=*/false);
  return ArrayAttr::get(
      attributes.getContext(),
      SmallVector<Attribute>(expanded.begin(), expanded.end()));
}

static void appendLeafTypes(Type type, SmallVectorImpl<Type> &types) {
  if (!isEncoded(type)) {
    types.push_back(type);
    return;
  }
  for (const EncodingComponent &leaf :
       getLeavesOf(cast<RankedTensorType>(type)))
    types.push_back(leaf.type);
}

/// Makes an op like `op` with leaves for encoded operands and results.
static void rebuild(IRRewriter &b, Operation *op) {
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  SmallVector<Value> operands;
  SmallVector<int32_t> operandCounts, resultCounts;
  for (Value operand : op->getOperands()) {
    size_t before = operands.size();
    if (isEncoded(operand.getType()))
      buildLeaves(b, loc, operand, operands);
    else
      operands.push_back(operand);
    operandCounts.push_back(operands.size() - before);
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    size_t before = types.size();
    appendLeafTypes(type, types);
    resultCounts.push_back(types.size() - before);
  }

  Operation *expanded = Operation::create(
      loc, op->getName(), types, operands, op->getDiscardableAttrDictionary(),
      op->getPropertiesStorage(), op->getSuccessors(), op->getNumRegions());
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), expanded->getRegions()))
    to.takeBody(from);
  updateSegments(expanded, "operandSegmentSizes", operandCounts);
  updateSegments(expanded, "resultSegmentSizes", resultCounts);
  if (auto switchOp = dyn_cast<cf::SwitchOp>(op)) {
    size_t caseCount = 0;
    for (OperandRange caseOperands : switchOp.getCaseOperands())
      caseCount += caseOperands.size();
    updateSegments(expanded, "case_operand_segments",
                   ArrayRef(operandCounts).take_back(caseCount));
  }
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    auto expandedCall = cast<CallOpInterface>(expanded);
    if (ArrayAttr attributes = call.getArgAttrsAttr())
      expandedCall.setArgAttrsAttr(
          expandCallAttributes(attributes, call.getArgOperands().getTypes()));
    if (ArrayAttr attributes = call.getResAttrsAttr())
      expandedCall.setResAttrsAttr(
          expandCallAttributes(attributes, op->getResultTypes()));
  }
  b.insert(expanded);

  SmallVector<Value> replacements;
  ResultRange results = expanded->getResults();
  for (auto [count, type] :
       llvm::zip_equal(resultCounts, op->getResultTypes())) {
    auto leaves = results.take_front(count);
    results = results.drop_front(count);
    replacements.push_back(
        isEncoded(type)
            ? buildFromLeaves(b, loc, cast<RankedTensorType>(type), leaves)
            : leaves.front());
  }
  b.replaceOp(op, replacements);
}

static void expandBlockArguments(IRRewriter &b, Block &block) {
  b.setInsertionPointToStart(&block);
  for (unsigned i = 0; i < block.getNumArguments();) {
    BlockArgument argument = block.getArgument(i);
    if (!isEncoded(argument.getType())) {
      ++i;
      continue;
    }
    auto type = cast<RankedTensorType>(argument.getType());
    Location loc = argument.getLoc();
    SmallVector<Value> leaves;
    for (const EncodingComponent &leaf : getLeavesOf(type))
      leaves.push_back(
          block.insertArgument(i + 1 + leaves.size(), leaf.type, loc));
    b.replaceAllUsesWith(argument, buildFromLeaves(b, loc, type, leaves));
    block.eraseArgument(i);
    i += leaves.size();
  }
}

/// Upstream's signature conversion leaves argument attributes at their old
/// positions, so they are moved along here.
static void expandSignature(FunctionOpInterface function) {
  SmallVector<Type> inputs(function.getArgumentTypes()),
      results(function.getResultTypes());
  if (llvm::none_of(inputs, isEncodedType) &&
      llvm::none_of(results, isEncodedType))
    return;
  MLIRContext *context = function.getContext();
  SmallVector<DictionaryAttr> inputAttributes = expandAttributes(
      context, inputs, [&](unsigned i) { return function.getArgAttrDict(i); },
      /*nameComponents=*/true);
  SmallVector<DictionaryAttr> resultAttributes = expandAttributes(
      context, results,
      [&](unsigned i) { return function.getResultAttrDict(i); },
      /*nameComponents=*/true);
  SmallVector<Type> newInputs, newResults;
  for (Type type : inputs)
    appendLeafTypes(type, newInputs);
  for (Type type : results)
    appendLeafTypes(type, newResults);
  function.setFunctionTypeAttr(
      TypeAttr::get(function.cloneTypeWith(newInputs, newResults)));
  function.setAllArgAttrs(inputAttributes);
  function.setAllResultAttrs(resultAttributes);
}

void mlir::compress::expand::expandForwarders(IRRewriter &b, Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        expandBlockArguments(b, block);
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      expandSignature(function);
      continue;
    }
    if (isa_and_nonnull<CompressDialect>(op->getDialect()) ||
        (llvm::none_of(op->getOperandTypes(), isEncodedType) &&
         llvm::none_of(op->getResultTypes(), isEncodedType)))
      continue;
    b.setInsertionPoint(op);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      b.replaceOp(op, buildSelect(b, select));
    else if (auto castOp = dyn_cast<tensor::CastOp>(op))
      b.replaceOp(op, buildRefine(b, op->getLoc(), castOp.getSource(),
                                  cast<RankedTensorType>(castOp.getType())));
    else
      rebuild(b, op);
  }
}
