//===- MinMax.cpp - The min-max calibrator --------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/BuilderUtils.h"
#include "compress/IR/Compress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::compress;

Attribute MinMaxAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLess())) {
    parser.emitError(loc, "#compress.min_max has no parameters");
    return {};
  }
  return MinMaxAttr::get(parser.getContext());
}

void MinMaxAttr::print(AsmPrinter &) const {}

ValueRange1D MinMaxAttr::chooseRange(const ValueSummary &summary) const {
  return {std::min(0.0, summary.min), std::max(0.0, summary.max)};
}

std::pair<Value, Value>
MinMaxAttr::buildRange(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> reducedDims) const {
  auto type = cast<RankedTensorType>(value.getType());
  Type wide = type.getElementType().isF64() ? b.getF64Type() : b.getF32Type();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  SmallVector<OpFoldResult> kept;
  SmallVector<AffineExpr> keptExprs;
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (llvm::is_contained(reducedDims, d)) {
      iterators[d] = utils::IteratorType::reduction;
      continue;
    }
    kept.push_back(sizes[d]);
    keptExprs.push_back(b.getAffineDimExpr(d));
  }
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  AffineMap keptMap =
      AffineMap::get(type.getRank(), 0, keptExprs, b.getContext());

  // One pass with two results; both start at 0, which every range contains.
  Value zero = buildFloat(b, loc, wide, 0);
  Value empty = tensor::EmptyOp::create(b, loc, kept, wide);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto range = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType(), init.getType()}, value,
      ValueRange{init, init}, ArrayRef<AffineMap>{identity, keptMap, keptMap},
      iterators, [&](OpBuilder &nb, Location nl, ValueRange args) {
        Value element = args[0];
        if (element.getType() != wide)
          element = arith::ExtFOp::create(nb, nl, wide, element);
        Value magnitude = math::AbsFOp::create(nb, nl, element);
        Value infinity =
            buildFloat(nb, nl, wide, std::numeric_limits<double>::infinity());
        Value finite = arith::CmpFOp::create(nb, nl, arith::CmpFPredicate::OLT,
                                             magnitude, infinity);
        element = arith::SelectOp::create(nb, nl, finite, element, zero);
        auto nnan = arith::FastMathFlags::nnan;
        Value low = arith::MinNumFOp::create(nb, nl, element, args[1], nnan);
        Value high = arith::MaxNumFOp::create(nb, nl, element, args[2], nnan);
        linalg::YieldOp::create(nb, nl, ValueRange{low, high});
      });
  return {range.getResult(0), range.getResult(1)};
}
