//===- ContractionChains.cpp - When chains of products pay ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule that Passes.td documents. All of it follows from the shapes and the
// target, so that every machine compiles the same code.
//
//===----------------------------------------------------------------------===//

#include "ContractionChains.h"
#include "compress/IR/Target.h"
#include "compress/IR/TileKernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

/// A panel is read from the second cache once for each block, so that blocks of
/// fewer rows are slower than what they save. More rows gain nothing, unless
/// panels are expanded for each block.
static constexpr int64_t kFewestRows = 32, kMostRows = 64,
                         kMostExpandedRows = 128;
/// Blocks of a thread: one more or less than those of another thread is an
/// eighth of its time at most.
static constexpr int64_t kBlocksOfThread = 8;

int64_t mlir::compress::getRowDims(ArrayRef<TileContractOp> ops,
                                   TileContractOp op) {
  for (TileContractOp other : ops)
    if (std::optional<WindowAttr> window = other.getWindow())
      return other.getOutRank() - 1 - window->getRank();
  return op.getOutRank() - 1;
}

/// Whether `op` reshapes all but the first `rowDims` dimensions.
static bool keepsRows(Operation *op, int64_t rowDims) {
  SmallVector<ReassociationIndices> groups;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    groups = collapse.getReassociationIndices();
  else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    groups = expand.getReassociationIndices();
  return static_cast<int64_t>(groups.size()) > rowDims &&
         llvm::all_of(
             ArrayRef(groups).take_front(rowDims),
             [](ArrayRef<int64_t> group) { return group.size() == 1; });
}

ChainPath::ChainPath(Value value, int64_t rowDims) : root(value) {
  while (keepsRows(root.getDefiningOp(), rowDims)) {
    steps.insert(steps.begin(), root.getDefiningOp());
    root = steps.front()->getOperand(0);
  }
}

/// The product of `sizes`, dynamic if one of them is.
static int64_t multiply(ArrayRef<int64_t> sizes) {
  return ShapedType::isDynamicShape(sizes) ? ShapedType::kDynamic
                                           : llvm::product_of(sizes);
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// Rows of `op`, dynamic if they are not known.
static int64_t getNumRows(TileContractOp op, int64_t rowDims) {
  int64_t known = ShapedType::kDynamic;
  for (Value value : {Value(op.getLhs()), Value(op.getOuts()[0])})
    if (int64_t rows = multiply(getShape(value).take_front(rowDims));
        !ShapedType::isDynamic(rows))
      known = rows;
  return known;
}

static int64_t getBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

namespace {
/// Bytes that the contractions of a chain touch for a block.
struct Footprint {
  int64_t panels = 0, row = 0;
  /// Of the row: the results that only the chain itself uses.
  int64_t insideRow = 0;
  /// Lines of the kernels' tiles that a row (an image) makes, at least.
  int64_t lines = ShapedType::kDynamic;
  bool isKnown = true;

  /// Rows so that each contraction has `count` lines.
  int64_t getRows(int64_t count) const {
    return llvm::divideCeil(count, lines);
  }

  Footprint(ArrayRef<TileContractOp> ops, ArrayRef<OpResult> inside);

private:
  void add(int64_t &sum, int64_t size, Type element) {
    if (ShapedType::isDynamic(size))
      isKnown = false;
    else
      sum += size * getBytes(element);
  }
};
} // namespace

Footprint::Footprint(ArrayRef<TileContractOp> ops, ArrayRef<OpResult> inside) {
  llvm::SmallPtrSet<Value, 8> seen;
  // The elements of a row in `value`.
  auto getSize = [&](Value value, int64_t rowDims) {
    return multiply(getShape(value).drop_front(rowDims));
  };
  for (TileContractOp op : ops) {
    auto type = cast<ShapedType>(op.getPanels().getType());
    add(panels,
        type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic,
        type.getElementType());
    int64_t rowDims = getRowDims(ops, op);
    auto addRow = [&](Value value) {
      if (seen.insert(value).second)
        add(row, getSize(value, rowDims),
            getElementTypeOrSelf(value.getType()));
    };
    addRow(ChainPath(op.getLhs(), rowDims).root);
    int64_t linesOfRow =
        multiply(getShape(op.getOuts()[0]).drop_back().drop_front(rowDims));
    if (ShapedType::isDynamic(linesOfRow))
      isKnown = false;
    else
      lines = ShapedType::isDynamic(lines) ? linesOfRow
                                           : std::min(lines, linesOfRow);
    // The copy of the rows that the kernel reads.
    TileLhs lhs = op.getKernel().getLhs();
    if (op.getQuantize() || lhs.shift != 0 || lhs.sumBlock != 0)
      add(row, getSize(op.getLhs(), rowDims), lhs.element);
    for (auto [extra, map] : llvm::zip(
             op.getExtras(), op.getMaps().getAsValueRange<AffineMapAttr>()))
      if (map.isIdentity())
        addRow(extra);
    for (Value result : op.getResults())
      addRow(result);
  }
  for (OpResult result : inside)
    add(insideRow,
        getSize(result,
                getRowDims(ops, cast<TileContractOp>(result.getOwner()))),
        getElementTypeOrSelf(result.getType()));
  lines = std::max<int64_t>(lines, 1);
}

/// Bytes of the second cache for a block: the rest is for rows of the next one,
/// which come while this one is computed.
static int64_t getShare(TileContractOp op) {
  return getTarget(op).getL2() / 4 * 3;
}

bool mlir::compress::fitsCache(ArrayRef<TileContractOp> ops,
                               std::string &reason) {
  Footprint bytes(ops, {});
  if (!bytes.isKnown) {
    reason = "the size of a row or of the right operands is not known";
    return false;
  }
  int64_t fewest = bytes.getRows(kFewestRows);
  int64_t needed = bytes.panels + fewest * bytes.row,
          share = getShare(ops.front());
  if (needed <= share)
    return true;
  reason = "the right operands and " + std::to_string(fewest) +
           " rows of all take " + std::to_string(needed) +
           " bytes, which is more than the " + std::to_string(share) +
           " of a core's second cache that a block may take";
  return false;
}

/// The largest multiple of the rows of the kernels' tiles up to `most`; one
/// that leaves no rows, and no thread without a block, if there is one of half
/// the size or more.
static int64_t chooseRows(ArrayRef<TileContractOp> ops, int64_t most,
                          int64_t all, int64_t threads) {
  int64_t unit = 1, largest = 1;
  for (TileContractOp op : ops) {
    // Tiles are of lines, of which an image has many.
    bool isImage = getRowDims(ops, op) != op.getOutRank() - 1;
    int64_t m = isImage ? 1 : std::max<int64_t>(op.getKernel().getTile().m, 1);
    largest = std::max(largest, m);
    unit = std::lcm(unit, m);
    if (unit > most)
      break;
  }
  if (unit > most)
    unit = std::min(largest, most);
  int64_t rows = most / unit * unit;
  if (!ShapedType::isDynamic(all))
    for (int64_t parts : {threads, int64_t(1)})
      for (int64_t fewer = rows; fewer > 0 && fewer >= rows / 2; fewer -= unit)
        if (all % (fewer * parts) == 0)
          return fewer;
  return rows;
}

std::optional<ChainPlan> mlir::compress::planChain(ArrayRef<TileContractOp> ops,
                                                   ArrayRef<OpResult> inside,
                                                   int64_t rows,
                                                   std::string &reason) {
  ChainPlan plan;
  int64_t all = ShapedType::kDynamic;
  for (TileContractOp op : ops) {
    plan.threads = std::max<int64_t>(plan.threads, op.getThreads());
    if (ShapedType::isDynamic(all))
      all = getNumRows(op, getRowDims(ops, op));
  }
  if (rows != 0) {
    plan.rows = rows;
    if (ShapedType::isDynamic(all) || all > rows)
      return plan;
    reason = "its rows are one block";
    return std::nullopt;
  }
  if (!fitsCache(ops, reason))
    return std::nullopt;
  Footprint bytes(ops, inside);
  if (bytes.insideRow == 0) {
    reason = "all of their results are used elsewhere too";
    return std::nullopt;
  }
  // If all rows of a thread fit its cache, they stay there between two
  // contractions.
  int64_t stays =
      getTarget(ops.front()).getL2() / std::max<int64_t>(bytes.row, 1);
  // Images make lines enough; more of them only take room.
  int64_t mostLines = kMostRows;
  for (TileContractOp op : ops) {
    if (op.getKernel().getExpanded())
      mostLines = kMostExpandedRows;
    if (op.getWindow()) {
      mostLines = kFewestRows;
      break;
    }
  }
  int64_t fewest = bytes.getRows(kFewestRows);
  int64_t most = std::min(bytes.getRows(mostLines),
                          (getShare(ops.front()) - bytes.panels) /
                              std::max<int64_t>(bytes.row, 1));
  if (!ShapedType::isDynamic(all)) {
    int64_t ofThread = all / plan.threads;
    if (ofThread <= stays) {
      reason = "the " + std::to_string(ofThread) +
               " rows of a thread stay in its cache between them";
      return std::nullopt;
    }
    most = std::min(most, ofThread / (plan.threads > 1 ? kBlocksOfThread : 2));
    if (most < fewest) {
      reason = "there are too few rows for " + std::to_string(plan.threads) +
               " threads";
      return std::nullopt;
    }
  }
  plan.rows = chooseRows(ops, most, all, plan.threads);
  plan.fewRows = plan.threads *
                 std::max(stays, plan.threads > 1 ? kBlocksOfThread * plan.rows
                                                  : 2 * plan.rows);
  return plan;
}
