//===- Contraction.cpp - Ops that are sums of products of two operands ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

/// Blocks along a reduction that are shorter than this leave too little work
/// between two scales for integer dot products to pay.
static constexpr int64_t kShortestBlock = 8;

/// Elements that one step of a tiled loop unpacks or decodes at most.
static constexpr int64_t kTileElements = 64 * 1024;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// `value` before it was widened, which loses nothing.
static Value skipWidening(Value value) {
  while (auto widening = value.getDefiningOp<arith::ExtFOp>())
    value = widening.getIn();
  return value;
}

/// Whether a body adds the product of its inputs to its output, in floating
/// point, and does nothing else. `linalg::detail::isContractionBody` skips all
/// unary ops, so that it is true of `exp(a) * b` too.
static bool isProductSumBody(Block &body) {
  Operation *yield = body.getTerminator();
  if (body.getNumArguments() != 3 || yield->getNumOperands() != 1 ||
      !llvm::all_of(body.without_terminator(),
                    [](Operation &op) { return isPure(&op); }))
    return false;
  auto sum = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value init = body.getArgument(2);
  if (sum.getLhs() != init && sum.getRhs() != init)
    return false;
  Value term = sum.getLhs() == init ? sum.getRhs() : sum.getLhs();
  auto product = skipWidening(term).getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Value lhs = skipWidening(product.getLhs());
  Value rhs = skipWidening(product.getRhs());
  return (lhs == body.getArgument(0) && rhs == body.getArgument(1)) ||
         (lhs == body.getArgument(1) && rhs == body.getArgument(0));
}

std::optional<Contraction> Contraction::match(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  // A scalar is an operand of `linalg` ops too.
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return std::nullopt;
  if (!isProductSumBody(*op.getBlock()))
    return std::nullopt;
  Contraction contraction;
  contraction.op = op;
  llvm::append_range(contraction.maps, op.getIndexingMapsArray());
  llvm::append_range(contraction.iterators, op.getIteratorTypesArray());
  if (!contraction.maps[2].isProjectedPermutation())
    return std::nullopt;
  // Every parallel loop makes an element of its own.
  for (unsigned loop = 0; loop < contraction.getNumLoops(); ++loop)
    if (!contraction.isReduction(loop) && !contraction.involves(2, loop))
      return std::nullopt;
  return contraction;
}

std::optional<unsigned> Contraction::getPlainLoop(unsigned side,
                                                  unsigned dim) const {
  auto expr = dyn_cast<AffineDimExpr>(maps[side].getResult(dim));
  if (!expr)
    return std::nullopt;
  return expr.getPosition();
}

bool Contraction::involves(unsigned side, unsigned loop) const {
  return maps[side].isFunctionOfDim(loop);
}

bool Contraction::isSliceable(unsigned loop) const {
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (expr.isFunctionOfDim(loop) && !isa<AffineDimExpr>(expr))
        return false;
  return true;
}

bool Contraction::hasZeroInit() const {
  Value init = getOperand(2);
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs()[0];
  return matchPattern(init, m_AnyZeroFloat());
}

bool Contraction::hasEmptyResult() const {
  auto type = cast<RankedTensorType>(getOperand(2).getType());
  return llvm::is_contained(type.getShape(), 0);
}

int64_t Contraction::getStaticSize(unsigned loop) const {
  for (unsigned side = 0; side < 3; ++side) {
    auto type = cast<RankedTensorType>(op->getOperand(side).getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (getPlainLoop(side, dim) == loop && !type.isDynamicDim(dim))
        return type.getDimSize(dim);
  }
  return ShapedType::kDynamic;
}

bool mlir::compress::hasEncodedInputs(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputs(),
                      [](Value input) { return isEncoded(input.getType()); });
}

//===----------------------------------------------------------------------===//
// Strategy
//===----------------------------------------------------------------------===//

/// Whether dimension `dim` has more than one block, or none at all: then too no
/// single scale holds for it.
static bool hasSeveralBlocks(AffineAttr encoding, RankedTensorType type,
                             int64_t dim) {
  int64_t block = encoding.getBlockSize(dim);
  return block != AffineAttr::kWholeDim &&
         (type.isDynamicDim(dim) || type.getDimSize(dim) > block ||
          type.getDimSize(dim) == 0);
}

static std::optional<std::string>
getOperandObstacle(const Contraction &contraction, unsigned side) {
  auto type = cast<RankedTensorType>(contraction.getOperand(side).getType());
  if (!isEncoded(type))
    return std::nullopt;
  auto encoding = dyn_cast<AffineAttr>(type.getEncoding());
  std::string operand = "operand #" + std::to_string(side);
  if (!encoding)
    return operand + " has an encoding that is not of integer codes";
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!hasSeveralBlocks(encoding, type, dim))
      continue;
    std::optional<unsigned> loop = contraction.getPlainLoop(side, dim);
    if (!loop)
      return operand + " has several scales along dimension " +
             std::to_string(dim) + ", over which windows slide";
    if (!contraction.isReduction(*loop))
      continue;
    if (encoding.getBlockSize(dim) < kShortestBlock)
      return operand + " has blocks of " +
             std::to_string(encoding.getBlockSize(dim)) +
             " along a reduction, fewer than " + std::to_string(kShortestBlock);
    if (!contraction.isSliceable(*loop))
      return operand + " has several scales along dimension " +
             std::to_string(dim) +
             ", over which windows of another operand "
             "slide";
  }
  return std::nullopt;
}

std::optional<std::string>
mlir::compress::getPortableObstacle(const Contraction &contraction) {
  auto result = cast<RankedTensorType>(contraction.getOperand(2).getType());
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          result.getElementType()))
    return "the result is not of type f16, bf16, f32 or f64";
  for (unsigned side : {0u, 1u})
    if (std::optional<std::string> obstacle =
            getOperandObstacle(contraction, side))
      return obstacle;
  // Blocks of both operands along one reduction meet in their common divisor.
  SmallVector<int64_t> common(contraction.getNumLoops(), 0);
  for (unsigned side : {0u, 1u}) {
    auto type = cast<RankedTensorType>(contraction.getOperand(side).getType());
    auto encoding = dyn_cast_or_null<AffineAttr>(type.getEncoding());
    for (int64_t dim = 0; encoding && dim < type.getRank(); ++dim) {
      std::optional<unsigned> loop = contraction.getPlainLoop(side, dim);
      if (loop && contraction.isReduction(*loop) &&
          hasSeveralBlocks(encoding, type, dim))
        common[*loop] = std::gcd(common[*loop], encoding.getBlockSize(dim));
    }
  }
  for (int64_t block : common)
    if (block != 0 && block < kShortestBlock)
      return "the blocks of both operands along a reduction have only " +
             std::to_string(block) + " elements in common";
  return std::nullopt;
}

/// How many elements of `loop` to take at a time so that a tile of the encoded
/// operands has at most kTileElements elements.
static int64_t chooseTile(const Contraction &contraction, unsigned loop) {
  int64_t perStep = 1;
  for (unsigned side : {0u, 1u}) {
    auto type = cast<RankedTensorType>(contraction.getOperand(side).getType());
    if (!isEncoded(type) || !contraction.involves(side, loop))
      continue;
    int64_t elements = 1;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (contraction.getPlainLoop(side, dim) != loop &&
          !type.isDynamicDim(dim))
        elements *= std::max<int64_t>(type.getDimSize(dim), 1);
    perStep = std::max(perStep, elements);
  }
  return std::max<int64_t>(kTileElements / perStep, 1);
}

/// Whether an encoded operand is large enough, or of unknown size, that a whole
/// unpacked or decoded copy is to be avoided.
static bool isLarge(RankedTensorType type) {
  return !type.hasStaticShape() || type.getNumElements() > kTileElements;
}

std::optional<unsigned>
mlir::compress::chooseTiledLoop(const Contraction &contraction,
                                bool wantReduction) {
  std::optional<unsigned> best;
  for (unsigned loop = 0; loop < contraction.getNumLoops(); ++loop) {
    if (!contraction.isSliceable(loop) ||
        (wantReduction && !contraction.isReduction(loop)))
      continue;
    bool splitsAll = true, cutsAll = true;
    for (unsigned side : {0u, 1u}) {
      auto type =
          cast<RankedTensorType>(contraction.getOperand(side).getType());
      if (!isEncoded(type))
        continue;
      bool splits = false;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (contraction.getPlainLoop(side, dim) != loop)
          continue;
        splits = true;
        cutsAll &= getEncoding(type).getTileAlignment(type, dim) > 0;
      }
      // Operands of unknown size are activations more often than weights.
      splitsAll &= splits || !type.hasStaticShape() || !isLarge(type);
    }
    if (!splitsAll || !cutsAll)
      continue;
    if (!best ||
        contraction.getStaticSize(loop) > contraction.getStaticSize(*best))
      best = loop;
  }
  return best;
}

StrategyChoice mlir::compress::chooseStrategy(linalg::LinalgOp op) {
  MLIRContext *context = op.getContext();
  auto make = [&](ContractionExit exit, int64_t tile, std::string reason) {
    return StrategyChoice{StrategyAttr::get(context, exit, tile),
                          std::move(reason)};
  };
  std::optional<Contraction> contraction = Contraction::match(op);
  if (!contraction)
    return make(ContractionExit::Decode, 0,
                "it is not a sum of products of two operands");
  bool anyLarge = llvm::any_of(op.getDpsInputs(), [](Value input) {
    auto type = cast<RankedTensorType>(input.getType());
    return isEncoded(type) && isLarge(type);
  });
  std::optional<std::string> obstacle = getPortableObstacle(*contraction);
  std::optional<unsigned> loop =
      chooseTiledLoop(*contraction, /*wantReduction=*/!obstacle);
  int64_t tile = anyLarge && loop ? chooseTile(*contraction, *loop) : 0;
  if (obstacle)
    return make(ContractionExit::Decode, tile, *obstacle);
  // Whole bytes of any code width.
  return make(ContractionExit::Portable, tile ? llvm::alignTo(tile, 8) : 0, "");
}
