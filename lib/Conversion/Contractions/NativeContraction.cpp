//===- NativeContraction.cpp - Contractions by tile kernels ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a contraction to compress.tile_contract, and from the result of that to
// the contraction's.
//
//===----------------------------------------------------------------------===//

#include "NativeContraction.h"
#include "compress/Conversion/Contractions.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::compress;

/// Loops of the result as the kernel's op has them: batches, rows, columns (as
/// one).
SmallVector<unsigned> NativeLowering::getOutLoops() const {
  SmallVector<unsigned> loops(form.batch);
  llvm::append_range(loops, form.rows);
  llvm::append_range(loops, form.columns);
  return loops;
}

/// Groups of a reshape that leaves the first `prefix` dimensions alone and
/// joins the `count` behind them.
static SmallVector<ReassociationIndices> joinRest(int64_t prefix,
                                                  int64_t count) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < prefix; ++dim)
    groups.push_back({dim});
  if (count) {
    groups.emplace_back();
    for (int64_t dim = 0; dim < count; ++dim)
      groups.back().push_back(prefix + dim);
  }
  return groups;
}

static Value expandTo(OpBuilder &b, Location loc, Value value,
                      ArrayRef<ReassociationIndices> groups,
                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(value.getType()).getElementType());
  return tensor::ExpandShapeOp::create(b, loc, type, value, groups, sizes);
}

/// [batches, rows, columns...] as [batches, rows or 1, columns].
Value NativeLowering::toOpForm(Value value) {
  int64_t prefix = form.batch.size() + form.rows.size();
  int64_t columns = form.columns.size();
  if (columns > 1)
    value = tensor::CollapseShapeOp::create(b, loc, value,
                                            joinRest(prefix, columns));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  if (columns == 0) {
    sizes.push_back(b.getIndexAttr(1));
    value = expandTo(b, loc, value,
                     prefix ? joinRest(prefix - 1, 2)
                            : SmallVector<ReassociationIndices>(),
                     sizes);
  }
  if (!form.rows.empty())
    return value;
  sizes.insert(sizes.begin() + prefix, b.getIndexAttr(1));
  return expandTo(b, loc, value, joinRest(prefix, 2), sizes);
}

/// The reverse, where the result has sizes `ordered`.
Value NativeLowering::fromOpForm(Value value, ArrayRef<OpFoldResult> ordered) {
  int64_t prefix = form.batch.size() + form.rows.size();
  int64_t columns = form.columns.size();
  if (form.rows.empty())
    value = tensor::CollapseShapeOp::create(b, loc, value, joinRest(prefix, 2));
  if (columns > 1)
    return expandTo(b, loc, value, joinRest(prefix, columns), ordered);
  if (columns == 0)
    return tensor::CollapseShapeOp::create(
        b, loc, value,
        prefix ? joinRest(prefix - 1, 2) : SmallVector<ReassociationIndices>());
  return value;
}

FailureOr<Value> NativeLowering::run() {
  Value init = contraction.getOperand(2);
  auto initType = cast<RankedTensorType>(init.getType());
  if (contraction.hasEmptyResult())
    return init;
  outRank = form.batch.size() + std::max<size_t>(form.rows.size(), 1) + 1;
  foldPadding();
  FailureOr<Value> lhs = buildLhs();
  if (failed(lhs))
    return failure();
  FailureOr<Value> panels = buildPanels();
  if (failed(panels))
    return failure();

  // Sizes of the result as the op has them, and as the contraction does.
  SmallVector<OpFoldResult> initSizes = tensor::getMixedSizes(b, loc, init);
  auto outDimOf = [&](unsigned loop) -> int64_t {
    for (auto [dim, expr] : llvm::enumerate(contraction.maps[2].getResults()))
      if (expr.isFunctionOfDim(loop))
        return dim;
    return -1;
  };
  SmallVector<OpFoldResult> ordered, sizes;
  SmallVector<int64_t> permutation;
  for (unsigned loop : getOutLoops()) {
    permutation.push_back(outDimOf(loop));
    ordered.push_back(initSizes[permutation.back()]);
  }
  size_t outerDims = form.batch.size() + form.rows.size();
  sizes.assign(ordered.begin(), ordered.begin() + outerDims);
  if (form.rows.empty())
    sizes.push_back(b.getIndexAttr(1));
  OpFoldResult columns = b.getIndexAttr(1);
  for (OpFoldResult size : ArrayRef(ordered).drop_front(outerDims))
    columns = form.columns.size() == 1
                  ? size
                  : buildMul(b, loc, columns, *getConstantIntValue(size));
  sizes.push_back(columns);

  // What the epilogue reads.
  AffineAttr left = getAffine(form.lhs);
  bool isInt = isa<IntDotAttr>(kernel);
  if (isInt && left.getAsymmetric()) {
    if (!quantize)
      extras.push_back(buildGrid(
          form.lhs, buildAffineZeroPoints(b, loc, getOperand(form.lhs))));
    auto bytes = reinterpret_cast<const char *>(columnSums.data());
    SmallVector<int64_t> shape(batchSizes);
    SmallVector<AffineExpr> exprs;
    for (size_t dim = 0; dim < batchSizes.size(); ++dim)
      exprs.push_back(b.getAffineDimExpr(dim));
    exprs.push_back(b.getAffineDimExpr(outRank - 1));
    shape.push_back(columnSums.size() /
                    std::max<int64_t>(ShapedType::getNumElements(shape), 1));
    extras.push_back(
        {makeConstantTensor(
             RankedTensorType::get(shape, b.getI32Type()),
             std::vector<char>(bytes, bytes + 4 * columnSums.size()), "sums"),
         AffineMap::get(outRank, 0, exprs, b.getContext())});
  }
  if (left && !quantize)
    extras.push_back(
        buildGrid(form.lhs, buildAffineScales(b, loc, getOperand(form.lhs))));
  if (isInt)
    extras.push_back(buildColumnScales());
  if (!contraction.hasZeroInit()) {
    Value ordinary = init;
    if (!llvm::is_sorted(permutation)) {
      Value empty =
          tensor::EmptyOp::create(b, loc, ordered, initType.getElementType());
      ordinary = linalg::TransposeOp::create(b, loc, init, empty, permutation)
                     ->getResult(0);
    }
    extras.push_back({toOpForm(ordinary), b.getMultiDimIdentityMap(outRank)});
  }
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, initType.getElementType());
  SmallVector<Value> extraValues;
  SmallVector<AffineMap> maps;
  for (const Extra &extra : extras) {
    extraValues.push_back(extra.value);
    maps.push_back(extra.map);
  }
  auto op = TileContractOp::create(
      b, loc, empty.getType(), kernel, *lhs, *panels, extraValues, empty,
      b.getAffineMapArrayAttr(maps), static_cast<uint64_t>(form.batch.size()),
      quantize, getWindow(), static_cast<uint64_t>(threads));
  buildEpilogue(op);
  Value result = fromOpForm(op.getResult(0), ordered);
  if (!llvm::is_sorted(permutation)) {
    SmallVector<int64_t> inverse(permutation.size());
    for (auto [index, dim] : llvm::enumerate(permutation))
      inverse[dim] = index;
    Value target =
        tensor::EmptyOp::create(b, loc, initSizes, initType.getElementType());
    result = linalg::TransposeOp::create(b, loc, result, target, inverse)
                 ->getResult(0);
  }
  if (result.getType() != initType)
    result = tensor::CastOp::create(b, loc, initType, result);
  return result;
}

FailureOr<Value>
mlir::compress::lowerNativeContraction(RewriterBase &rewriter,
                                       const Contraction &contraction,
                                       StrategyAttr strategy) {
  std::string reason;
  std::optional<NativeForm> form = getNativeForm(contraction, reason);
  if (!form || !canCompute(strategy.getKernel(), contraction, *form, reason)) {
    linalg::LinalgOp op = contraction.op;
    return op.emitOpError("cannot take the native exit: ")
           << reason << "; use exit = portable";
  }
  return NativeLowering(rewriter, contraction, *form, strategy).run();
}
