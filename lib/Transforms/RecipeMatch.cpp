//===- RecipeMatch.cpp - The operands that a recipe is about --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecipeMatch.h"

#include "ConstantSource.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::compress;

static constexpr int64_t kWholeDim = -1;

//===----------------------------------------------------------------------===//
// Granularity
//===----------------------------------------------------------------------===//

namespace {
/// How the dimensions of one operand of a linalg op are indexed.
struct OperandDims {
  OperandDims(linalg::LinalgOp op, OpOperand &operand);

  /// Dimensions that one parallel loop indexes.
  SmallVector<unsigned> parallel;
  /// Dimensions that one reduction loop indexes, in the order in which blocks
  /// take them: those that the loop indexes alone in another input too, last
  /// dimension first; then filter dimensions, last first.
  SmallVector<unsigned> reduction;
};
} // namespace

/// Whether `loop` alone indexes a dimension of another input.
static bool indexesOtherInput(linalg::LinalgOp op, OpOperand &operand,
                              AffineExpr loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *other) {
    return other != &operand &&
           llvm::is_contained(op.getMatchingIndexingMap(other).getResults(),
                              loop);
  });
}

OperandDims::OperandDims(linalg::LinalgOp op, OpOperand &operand) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<unsigned> filter;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (int64_t d = map.getNumResults() - 1; d >= 0; --d) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(d));
    if (!loop)
      continue;
    if (linalg::isParallelIterator(iterators[loop.getPosition()]))
      parallel.push_back(d);
    else if (indexesOtherInput(op, operand, loop))
      reduction.push_back(d);
    else
      filter.push_back(d);
  }
  llvm::append_range(reduction, filter);
}

/// Block sizes with `elements` elements along the reduction.
static SmallVector<int64_t> getReductionBlock(const OperandDims &dims,
                                              RankedTensorType type,
                                              int64_t elements) {
  SmallVector<int64_t> block(type.getRank(), kWholeDim);
  for (unsigned d : dims.parallel)
    block[d] = 1;
  bool isFirst = true, isCut = false;
  for (unsigned d : dims.reduction) {
    int64_t size = type.getDimSize(d);
    if (!isCut && !type.isDynamicDim(d) && size <= elements) {
      elements /= std::max<int64_t>(size, 1);
      isFirst = false;
      continue;
    }
    // Only the first one may be ragged: padding of a second one would multiply.
    block[d] = isFirst ? elements : 1;
    isFirst = false;
    isCut = true;
  }
  return block;
}

namespace {
/// Finds the matches of a recipe.
class Matcher {
public:
  Matcher(ModuleOp module, const Recipe &recipe)
      : module(module), recipe(recipe), encoded(recipe.size(), 0),
        shadowedBy(recipe.size(), nullptr) {}

  FailureOr<SmallVector<RecipeMatch, 0>> run();

private:
  LogicalResult visit(Operation *op);
  LogicalResult visit(OpOperand &operand);
  bool matchesOp(const RecipeRule &rule, Operation *op) const;
  bool matchesOperand(const RecipeRule &rule, OpOperand &operand,
                      bool isConstant);
  FailureOr<Attribute> getEncodingFor(const RecipeRule &rule,
                                      OpOperand &operand);
  FailureOr<RankedTensorType> getEncodedType(const RecipeRule &rule,
                                             OpOperand &operand);
  std::string getCalibrationName(OpOperand &operand);
  InFlightDiagnostic emitError(const RecipeRule &rule, OpOperand &operand) {
    return operand.getOwner()->emitError()
           << rule.label << ", operand #" << operand.getOperandNumber() << ": ";
  }

  ModuleOp module;
  const Recipe &recipe;
  SymbolTableCollection symbols;
  SmallVector<RecipeMatch, 0> matches;
  /// For each rule: how many operands it encodes or finds encoded, and a rule
  /// that took an operand from it.
  SmallVector<unsigned> encoded;
  SmallVector<const RecipeRule *> shadowedBy;
  llvm::DenseMap<Value, std::string> calibrationNames;
  llvm::StringSet<> usedNames;
};
} // namespace

static bool multiplies(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<arith::MulFOp, arith::MulIOp>(inner);
  });
}

static bool isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalg::isaContractionOpInterface(linalgOp);
}

static bool isConvolution(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalg::isaConvolutionOpInterface(linalgOp) &&
         multiplies(linalgOp);
}

static bool matchesAny(const std::optional<llvm::GlobPattern> &pattern,
                       ArrayRef<StringRef> names) {
  return !pattern || pattern->isTrivialMatchAll() ||
         llvm::any_of(names,
                      [&](StringRef name) { return pattern->match(name); });
}

static StringRef getFunctionName(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

bool Matcher::matchesOp(const RecipeRule &rule, Operation *op) const {
  bool kind = (rule.contraction && isContraction(op)) ||
              (rule.convolution && isConvolution(op)) ||
              llvm::any_of(rule.opNames, [&](const llvm::GlobPattern &name) {
                return name.match(op->getName().getStringRef());
              });
  return kind && matchesAny(rule.function, getFunctionName(op)) &&
         matchesAny(rule.location, getLocationNames(op->getLoc()));
}

bool Matcher::matchesOperand(const RecipeRule &rule, OpOperand &operand,
                             bool isConstant) {
  switch (rule.role) {
  case RecipeRule::Role::Weights:
    if (!isConstant)
      return false;
    break;
  case RecipeRule::Role::Activations:
    if (isConstant)
      return false;
    break;
  case RecipeRule::Role::Lhs:
    if (operand.getOperandNumber() != 0)
      return false;
    break;
  case RecipeRule::Role::Rhs:
    if (operand.getOperandNumber() != 1)
      return false;
    break;
  case RecipeRule::Role::Number:
    if (operand.getOperandNumber() != rule.operandNumber)
      return false;
    break;
  }
  return !rule.source ||
         matchesAny(rule.source, getSourceNames(operand.get(), symbols));
}

FailureOr<Attribute> Matcher::getEncodingFor(const RecipeRule &rule,
                                             OpOperand &operand) {
  using Granularity = RecipeRule::Granularity;
  auto type = cast<RankedTensorType>(operand.get().getType());
  SmallVector<int64_t> block(type.getRank(), kWholeDim), superBlock;
  if (rule.granularity == Granularity::AsGiven)
    return Attribute(rule.encoding);
  if (rule.granularity != Granularity::Tensor) {
    auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
    if (!op)
      return emitError(rule, operand)
             << "'per' and 'block' need a linalg op, which says how its "
                "dimensions are used; give the encoding its own 'block' list";
    OperandDims dims(op, operand);
    if (dims.reduction.empty())
      return emitError(rule, operand)
             << "no reduction runs along a dimension of the operand alone, so "
                "'per' and 'block' do not say which elements share a scale; "
                "give the encoding its own 'block' list";
    if (rule.granularity == Granularity::ParallelDims) {
      for (unsigned d : dims.parallel)
        block[d] = 1;
    } else {
      block = getReductionBlock(dims, type, rule.block);
      if (rule.superBlock)
        superBlock = getReductionBlock(dims, type, rule.superBlock);
      // Levels that do not nest in one dimension share its super scale.
      for (auto [size, super] : llvm::zip(block, superBlock))
        if (super != kWholeDim && (size == kWholeDim || super % size != 0))
          super = kWholeDim;
    }
  }
  FailureOr<Attribute> encoding = rule.encoding.withBlock(block, superBlock);
  if (failed(encoding))
    return emitError(rule, operand)
           << "'per' and 'block' cannot be applied to the encoding "
           << rule.encoding
           << (superBlock.empty() ? ", which has no blocks"
                                  : ", which has no super blocks");
  return encoding;
}

FailureOr<RankedTensorType> Matcher::getEncodedType(const RecipeRule &rule,
                                                    OpOperand &operand) {
  FailureOr<Attribute> encoding = getEncodingFor(rule, operand);
  if (failed(encoding))
    return failure();
  auto type = cast<RankedTensorType>(operand.get().getType());
  auto encodedType =
      RankedTensorType::get(type.getShape(), type.getElementType(), *encoding);
  if (failed(verifyEncodedType(encodedType,
                               [&] { return emitError(rule, operand); })))
    return failure();
  return encodedType;
}

std::string Matcher::getCalibrationName(OpOperand &operand) {
  auto [it, isNew] = calibrationNames.try_emplace(operand.get());
  if (!isNew)
    return it->second;
  Operation *op = operand.getOwner();
  SmallVector<StringRef> names = getLocationNames(op->getLoc());
  std::string base;
  if (!names.empty() && !names.front().empty()) {
    base = names.front().str();
  } else {
    base = getFunctionName(op).str();
    base += base.empty() ? "" : ".";
    base += op->getName().stripDialect();
  }
  unsigned number = operand.getOperandNumber();
  base += number == 0   ? ".lhs"
          : number == 1 ? ".rhs"
                        : ".operand" + std::to_string(number);
  std::string name = base;
  for (unsigned i = 1; !usedNames.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return it->second = name;
}

/// The dense value that an encoded one was made from, as far as ops show it.
static Value lookThroughEncoding(Value value) {
  if (Operation *op = value.getDefiningOp();
      isa_and_nonnull<EncodeOp, QuantizeOp>(op))
    return op->getOperand(0);
  return value;
}

LogicalResult Matcher::visit(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return success();
  bool isEncodedAlready = isEncoded(type);
  if (type.getEncoding() && !isEncodedAlready)
    return success();
  Value dense = lookThroughEncoding(operand.get());
  bool isConstant = isa_and_nonnull<ConstantOp>(dense.getDefiningOp()) ||
                    findConstant(dense, symbols).has_value();
  const RecipeRule *winner = nullptr;
  for (auto [i, rule] : llvm::enumerate(recipe)) {
    if (!matchesOp(rule, operand.getOwner()) ||
        !matchesOperand(rule, operand, isConstant))
      continue;
    if (winner) {
      shadowedBy[i] = winner;
      continue;
    }
    winner = &rule;
    ++encoded[i];
  }
  if (!winner || isEncodedAlready)
    return success();
  RecipeMatch match = {&operand, winner, {}, isConstant, ""};
  FailureOr<RankedTensorType> encodedType = getEncodedType(*winner, operand);
  if (failed(encodedType))
    return failure();
  match.encodedType = *encodedType;
  if (!isConstant && !winner->encoding.canEncodeAtRuntime())
    return emitError(*winner, operand)
           << "only constants can be encoded as " << *encodedType
           << ", but the operand is computed at run time";
  if (!isConstant && winner->isStatic)
    match.calibrationName = getCalibrationName(operand);
  matches.push_back(std::move(match));
  return success();
}

LogicalResult Matcher::visit(Operation *op) {
  if (isa_and_nonnull<CompressDialect>(op->getDialect()))
    return success();
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (destination && !destination.isDpsInput(&operand))
      continue;
    if (failed(visit(operand)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<RecipeMatch, 0>> Matcher::run() {
  bool ok = true;
  module.walk([&](Operation *op) { ok &= succeeded(visit(op)); });
  if (!ok)
    return failure();
  for (auto [i, rule] : llvm::enumerate(recipe)) {
    if (encoded[i])
      continue;
    InFlightDiagnostic diagnostic = mlir::emitError(rule.loc);
    diagnostic << rule.label << " encodes nothing: ";
    if (const RecipeRule *other = shadowedBy[i])
      diagnostic << "every operand that it matches is taken by an earlier "
                    "rule, such as "
                 << other->label;
    else
      diagnostic << "no operand of an op in the module matches it";
    ok = false;
  }
  if (!ok)
    return failure();
  return std::move(matches);
}

FailureOr<SmallVector<RecipeMatch, 0>>
mlir::compress::matchRecipe(ModuleOp module, const Recipe &recipe) {
  return Matcher(module, recipe).run();
}
