//===- NativeContraction.cpp - Contractions by tile kernels ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a contraction to compress.tile_contract: the left operand's codes with
// rows in order, the right operand packed, and the scales, zero points and
// initial values as the epilogue.
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/NativeContraction.h"
#include "compress/Conversion/Contractions.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

namespace {
/// What the epilogue reads besides the product, and where.
struct Extra {
  Value value;
  AffineMap map;
};

class NativeLowering {
public:
  NativeLowering(RewriterBase &b, const Contraction &contraction,
                 const NativeForm &form, StrategyAttr strategy)
      : b(b), loc(contraction.getLoc()), contraction(contraction), form(form),
        kernel(strategy.getKernel()), threads(strategy.getThreads()) {}

  FailureOr<Value> run();

private:
  Value getOperand(unsigned side) { return contraction.getOperand(side); }
  AffineAttr getAffine(unsigned side) {
    return dyn_cast_or_null<AffineAttr>(
        cast<RankedTensorType>(getOperand(side).getType()).getEncoding());
  }
  InFlightDiagnostic emitError() {
    linalg::LinalgOp op = contraction.op;
    return op.emitOpError();
  }
  SmallVector<unsigned> getOutLoops() const;
  FailureOr<Value> buildLhs();
  Value orderDims(Value value, unsigned side, ArrayRef<unsigned> loops);
  FailureOr<Value> buildPanels();
  FailureOr<Value> packAffine(num::PanelMatrix &matrix, AffineAttr encoding);
  FailureOr<Value> packFloats(num::PanelMatrix &matrix);
  std::vector<char> packBatches(const num::PanelMatrix &matrix,
                                ArrayRef<int64_t> shape, bool splat,
                                int64_t &batches);
  void appendColumnSums(const num::PanelMatrix &matrix);
  Value buildRuntimePanels();
  void describeMatrix(num::PanelMatrix &matrix, ArrayRef<int64_t> shape);
  Extra buildGrid(unsigned side, Value grid);
  Extra buildColumnScales();
  Value toOpForm(Value value);
  Value fromOpForm(Value value, ArrayRef<OpFoldResult> ordered);
  Value makeConstantTensor(RankedTensorType type, std::vector<char> data,
                           StringRef name);
  void buildEpilogue(TileContractOp op);
  WindowAttr getWindow();

  RewriterBase &b;
  Location loc;
  const Contraction &contraction;
  const NativeForm &form;
  TileKernelAttrInterface kernel;
  int64_t threads;

  AffineAttr quantize;
  int64_t outRank = 0;
  /// Sums of the right operand's columns in each batch, for the zero points of
  /// the left one, and the sizes of the batches.
  std::vector<int32_t> columnSums;
  SmallVector<int64_t> batchSizes;
  /// A scale for each of them, or one for all.
  std::vector<float> columnScales;
  bool safeScales = false;
  SmallVector<Extra> extras;
};
} // namespace

/// Loops of the result as the kernel's op has them: batches, rows, columns (as
/// one).
SmallVector<unsigned> NativeLowering::getOutLoops() const {
  SmallVector<unsigned> loops(form.batch);
  llvm::append_range(loops, form.rows);
  llvm::append_range(loops, form.columns);
  return loops;
}

//===----------------------------------------------------------------------===//
// The left operand
//===----------------------------------------------------------------------===//

/// `value` with its dimensions in the order of `loops`, the last
/// `form.depth.size()` of them as one.
Value NativeLowering::orderDims(Value value, unsigned side,
                                ArrayRef<unsigned> loops) {
  SmallVector<int64_t> permutation;
  for (unsigned loop : loops)
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[side].getResults()))
      if (expr.isFunctionOfDim(loop))
        permutation.push_back(dim);
  auto type = cast<RankedTensorType>(value.getType());
  if (!llvm::is_sorted(permutation)) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    SmallVector<OpFoldResult> ordered;
    for (int64_t dim : permutation)
      ordered.push_back(sizes[dim]);
    Value empty =
        tensor::EmptyOp::create(b, loc, ordered, type.getElementType());
    value = linalg::TransposeOp::create(b, loc, value, empty, permutation)
                ->getResult(0);
  }
  int64_t rank = permutation.size();
  int64_t depth = form.depth.size();
  if (depth == 1)
    return value;
  if (depth == 0) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    sizes.push_back(b.getIndexAttr(1));
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank; ++dim)
      groups.push_back({dim});
    groups.back().push_back(rank);
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    shape.push_back(1);
    return tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), value,
        groups, sizes);
  }
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim > rank - depth)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

/// The dense left operand: floats, codes, or floats that the op quantizes.
FailureOr<Value> NativeLowering::buildLhs() {
  Value value = getOperand(form.lhs);
  if (AffineAttr encoding = getAffine(form.lhs)) {
    auto type = cast<RankedTensorType>(value.getType());
    auto encode = value.getDefiningOp<EncodeOp>();
    // One scale for each row: every dimension of the reduction in one block.
    bool perRow = encode && type.getElementType().isF32() &&
                  form.window.empty() && !form.depth.empty() &&
                  isa<MinMaxAttr>(encode.getCalibrator()) &&
                  !encoding.isTwoLevel();
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[form.lhs].getResults())) {
      auto plain = dyn_cast<AffineDimExpr>(expr);
      bool isDepth =
          plain && llvm::is_contained(form.depth, plain.getPosition());
      int64_t block = encoding.getBlockSize(dim);
      bool whole = block == AffineAttr::kWholeDim ||
                   (!type.isDynamicDim(dim) && type.getDimSize(dim) <= block);
      bool one = block == 1 || (type.getDimSize(dim) == 1);
      perRow &= isDepth ? whole : one;
    }
    if (perRow) {
      quantize = encoding;
      value = encode.getInput();
    } else {
      value = getStorageComponent(b, loc, value, AffineAttr::kValues);
    }
  }
  if (form.window.empty()) {
    SmallVector<unsigned> loops(form.batch);
    llvm::append_range(loops, form.rows);
    llvm::append_range(loops, form.depth);
    value = orderDims(value, form.lhs, loops);
    // A vector is one row.
    if (form.rows.empty()) {
      auto type = cast<RankedTensorType>(value.getType());
      int64_t rank = type.getRank();
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
      sizes.insert(sizes.end() - 1, b.getIndexAttr(1));
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.end() - 1, 1);
      SmallVector<ReassociationIndices> groups;
      for (int64_t dim = 0; dim < rank; ++dim)
        groups.push_back({dim});
      groups.back() = {rank - 1, rank};
      value = tensor::ExpandShapeOp::create(
          b, loc, RankedTensorType::get(shape, type.getElementType()), value,
          groups, sizes);
    }
    return value;
  }
  // An image: images, spatial dimensions, channels.
  SmallVector<unsigned> loops(form.rows);
  llvm::append_range(loops, form.depth);
  value = orderDims(value, form.lhs, loops);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  TileLhs lhs = kernel.getLhs();
  Type element = lhs.element;
  if (lhs.shift) {
    AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
    value = buildElementwise(
        b, loc, value, identity, sizes, element,
        [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
          return arith::AddIOp::create(
              nb, nl, args[0],
              arith::ConstantOp::create(
                  nb, nl, IntegerAttr::get(element, APInt(8, lhs.shift))));
        });
  }
  // Channels in whole steps of the kernel.
  int64_t step = kernel.getTile().k;
  std::optional<int64_t> channels = getConstantIntValue(sizes.back());
  if (!channels || *channels % step != 0) {
    SmallVector<OpFoldResult> padded(sizes);
    padded.back() = buildMul(b, loc, buildCeilDiv(b, loc, sizes.back(), step),
                             step);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    value = buildPadTo(b, loc, value, padded, zero);
  }
  return value;
}

WindowAttr NativeLowering::getWindow() {
  if (form.window.empty())
    return {};
  SmallVector<int64_t> sizes, strides, dilations, pads;
  for (const WindowDim &dim : form.window) {
    sizes.push_back(contraction.getStaticSize(dim.tapLoop));
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
    pads.push_back(0);
  }
  return WindowAttr::get(b.getContext(), sizes, strides, dilations, pads);
}

//===----------------------------------------------------------------------===//
// The right operand
//===----------------------------------------------------------------------===//

/// Strides of the right operand of `shape` by columns, taps and depth.
void NativeLowering::describeMatrix(num::PanelMatrix &matrix,
                                    ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = shape.size() - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  auto strideOf = [&](ArrayRef<unsigned> loops) -> int64_t {
    if (loops.empty())
      return 0;
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[form.rhs].getResults()))
      if (expr.isFunctionOfDim(loops.back()))
        return strides[dim];
    return 0;
  };
  auto sizeOf = [&](ArrayRef<unsigned> loops) {
    int64_t size = 1;
    for (unsigned loop : loops)
      size *= contraction.getStaticSize(loop);
    return size;
  };
  SmallVector<unsigned> taps;
  for (const WindowDim &dim : form.window)
    taps.push_back(dim.tapLoop);
  matrix.columns = sizeOf(form.columns);
  matrix.depth = sizeOf(form.depth);
  matrix.taps = sizeOf(taps);
  matrix.columnStride = strideOf(form.columns);
  matrix.depthStride = strideOf(form.depth);
  matrix.tapStride = strideOf(taps);
}

Value NativeLowering::makeConstantTensor(RankedTensorType type,
                                         std::vector<char> data,
                                         StringRef name) {
  EncodeOptions options;
  options.resourceName = "packed";
  ElementsAttr value = makeConstant(type, std::move(data), options, name);
  return arith::ConstantOp::create(b, loc, value);
}

/// The codes of a constant without those that fill up blocks.
static SmallVector<char, 0> dropPadding(AffineConstant &constant) {
  if (constant.shape == constant.paddedShape)
    return std::move(constant.codes);
  int64_t rank = constant.shape.size(), count = 1;
  for (int64_t size : constant.shape)
    count *= size;
  SmallVector<char, 0> codes(count);
  if (rank == 0 || count == 0)
    return codes;
  int64_t row = constant.shape.back();
  SmallVector<int64_t> position(rank);
  for (int64_t start = 0; start < count; start += row) {
    int64_t source = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      source = source * constant.paddedShape[dim] + position[dim];
    std::memcpy(codes.data() + start, constant.codes.data() + source, row);
    for (int64_t dim = rank - 2; dim >= 0; --dim) {
      if (++position[dim] < constant.shape[dim])
        break;
      position[dim] = 0;
    }
  }
  return codes;
}

void NativeLowering::appendColumnSums(const num::PanelMatrix &matrix) {
  for (int64_t column = 0; column < matrix.columns; ++column) {
    int32_t sum = 0;
    for (int64_t tap = 0; tap < matrix.taps; ++tap)
      for (int64_t k = 0; k < matrix.depth; ++k)
        sum += matrix.code(column, tap, k);
    columnSums.push_back(sum);
  }
}

/// Packs the matrices of all batches, one behind the other; `shape` is that of
/// the data, in which all elements are the first one if `splat`.
std::vector<char> NativeLowering::packBatches(const num::PanelMatrix &matrix,
                                              ArrayRef<int64_t> shape,
                                              bool splat, int64_t &batches) {
  SmallVector<int64_t> sizes, strides;
  batches = 1;
  for (unsigned loop : form.batch) {
    int64_t stride = 1;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (contraction.getPlainLoop(form.rhs, dim) == loop) {
        int64_t size = shape[dim];
        sizes.push_back(size);
        batchSizes.push_back(size);
        strides.push_back(splat ? 0 : stride);
        batches *= size;
      }
      stride *= shape[dim];
    }
  }
  std::vector<char> packed;
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t rest = batch, offset = 0;
    for (int64_t i = sizes.size() - 1; i >= 0; --i) {
      offset += rest % sizes[i] * strides[i];
      rest /= sizes[i];
    }
    num::PanelMatrix one = matrix;
    one.data += offset * matrix.elementBytes;
    if (AffineAttr left = getAffine(form.lhs);
        isa<IntDotAttr>(kernel) && left.getAsymmetric())
      appendColumnSums(one);
    std::vector<char> panels = kernel.packConstant(one);
    if (batches == 1)
      return panels;
    packed.insert(packed.end(), panels.begin(), panels.end());
  }
  return packed;
}

FailureOr<Value> NativeLowering::packAffine(num::PanelMatrix &matrix,
                                            AffineAttr encoding) {
  auto constant = getOperand(form.rhs).getDefiningOp<ConstantOp>();
  FailureOr<AffineConstant> read = readAffineConstant(
      constant.getValue(), [&] { return emitError(); });
  if (failed(read))
    return failure();
  SmallVector<char, 0> codes = dropPadding(*read);
  describeMatrix(matrix, read->shape);
  matrix.data = codes.data();
  matrix.isSigned = encoding.getFormat().isSigned;
  matrix.scales = read->scales.data();
  if (!read->zeroPoints.empty())
    matrix.zeroPoints = read->zeroPoints.data();
  // Scales between 2^-60 and 2^60 cannot make sums overflow or vanish.
  safeScales = llvm::all_of(read->scales, [](float scale) {
    return scale >= 0x1p-60f && scale <= 0x1p60f;
  });
  auto type = cast<RankedTensorType>(getOperand(form.rhs).getType());
  /// The place in the grid of a column and a product.
  auto findGroup = [&](int64_t column, int64_t k) {
    int64_t position = 0;
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[form.rhs].getResults())) {
      int64_t size = encoding.getBlockSize(dim);
      if (read->gridStrides[dim] == 0 || type.getDimSize(dim) <= size)
        continue;
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      bool isColumn = llvm::is_contained(form.columns, loop);
      position += (isColumn ? column : k) / size * read->gridStrides[dim];
    }
    return position;
  };
  auto block = dyn_cast<BlockDotAttr>(kernel);
  if (!block)
    for (int64_t column = 0; column < matrix.columns; ++column)
      columnScales.push_back(read->scales[findGroup(column, 0)]);
  SmallVector<float, 0> blockScales;
  SmallVector<int32_t, 0> blockPoints;
  if (block) {
    // The kernel's blocks may be shorter than those of the encoding.
    int64_t blocks = llvm::divideCeil(matrix.depth, block.getBlock());
    matrix.scaleColumnStride = blocks;
    matrix.scaleBlockStride = 1;
    for (int64_t column = 0; column < matrix.columns; ++column)
      for (int64_t index = 0; index < blocks; ++index) {
        int64_t position = findGroup(column, index * block.getBlock());
        blockScales.push_back(read->scales[position]);
        if (matrix.zeroPoints)
          blockPoints.push_back(read->zeroPoints[position]);
      }
    matrix.scales = blockScales.data();
    if (matrix.zeroPoints)
      matrix.zeroPoints = blockPoints.data();
  }
  int64_t batches = 1;
  std::vector<char> packed =
      packBatches(matrix, read->shape, /*splat=*/false, batches);
  int64_t panels =
      batches * llvm::divideCeil(matrix.columns, kernel.getTile().n);
  auto packedType = RankedTensorType::get(
      {panels, panels ? static_cast<int64_t>(packed.size()) / panels
                      : kernel.getPanelSizes().first},
      kernel.getPanelElementType());
  return makeConstantTensor(packedType, std::move(packed), "panels");
}

FailureOr<Value> NativeLowering::packFloats(num::PanelMatrix &matrix) {
  Attribute value;
  if (!matchPattern(getOperand(form.rhs), m_Constant(&value)))
    return failure();
  FailureOr<RawConstant> raw = getRawConstant(
      value, [&] { return emitError(); });
  if (failed(raw))
    return failure();
  auto type = cast<RankedTensorType>(getOperand(form.rhs).getType());
  describeMatrix(matrix, type.getShape());
  matrix.data = raw->bytes.data();
  matrix.elementBytes = type.getElementTypeBitWidth() / 8;
  if (raw->splat)
    matrix.columnStride = matrix.depthStride = matrix.tapStride = 0;
  int64_t batches = 1;
  std::vector<char> packed =
      packBatches(matrix, type.getShape(), raw->splat, batches);
  int64_t panels =
      batches * llvm::divideCeil(matrix.columns, kernel.getTile().n);
  auto packedType = RankedTensorType::get(
      {panels, panels ? static_cast<int64_t>(packed.size()) /
                            matrix.elementBytes / panels
                      : kernel.getPanelSizes().first},
      kernel.getPanelElementType());
  return makeConstantTensor(packedType, std::move(packed), "panels");
}

/// Packs floats at run time: pad the columns, split them into panels, and move
/// the panels outside.
Value NativeLowering::buildRuntimePanels() {
  Value value = getOperand(form.rhs);
  SmallVector<unsigned> loops(form.batch);
  for (const WindowDim &dim : form.window)
    loops.push_back(dim.tapLoop);
  llvm::append_range(loops, form.depth);
  llvm::append_range(loops, form.columns);
  // [batch..., k..., columns...] of sizes B, K and N.
  SmallVector<int64_t> permutation;
  for (unsigned loop : loops)
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[form.rhs].getResults()))
      if (expr.isFunctionOfDim(loop))
        permutation.push_back(dim);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  auto product = [&](size_t from, size_t count) {
    OpFoldResult result = b.getIndexAttr(1);
    for (size_t i = from; i < from + count; ++i) {
      OpFoldResult size = sizes[permutation[i]];
      std::optional<int64_t> constant = getConstantIntValue(size);
      if (constant)
        result = buildMul(b, loc, result, *constant);
      else if (getConstantIntValue(result))
        result = buildMul(b, loc, size, *getConstantIntValue(result));
      else
        result = OpFoldResult(arith::MulIOp::create(
                                  b, loc, cast<Value>(result),
                                  cast<Value>(size))
                                  .getResult());
    }
    return result;
  };
  size_t batchDims = form.batch.size();
  size_t columnDims = form.columns.size();
  size_t depthDims = permutation.size() - batchDims - columnDims;
  OpFoldResult batches = product(0, batchDims);
  OpFoldResult depth = product(batchDims, depthDims);
  OpFoldResult columns = product(batchDims + depthDims, columnDims);
  int64_t width = kernel.getTile().n;
  OpFoldResult panels = buildCeilDiv(b, loc, columns, width);
  Type element = kernel.getPanelElementType();
  // One element of a panel: its batch, panel, product and column, by division.
  OpFoldResult rows = panels;
  if (!form.batch.empty()) {
    std::optional<int64_t> constant = getConstantIntValue(batches);
    if (constant)
      rows = buildMul(b, loc, panels, *constant);
    else if (getConstantIntValue(panels))
      rows = buildMul(b, loc, batches, *getConstantIntValue(panels));
    else
      rows = OpFoldResult(arith::MulIOp::create(b, loc, cast<Value>(batches),
                                                cast<Value>(panels))
                              .getResult());
  }
  Value panelValue = getValueOrCreateConstantIndexOp(b, loc, panels);
  SmallVector<Value> sizeValues;
  for (int64_t dim : permutation)
    sizeValues.push_back(getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
  Value columnValue = getValueOrCreateConstantIndexOp(b, loc, columns);
  SmallVector<OpFoldResult> shape = {rows, depth, b.getIndexAttr(width)};
  Value filled = buildElementwise(
      b, loc, {}, {}, shape, element,
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        Value row = linalg::IndexOp::create(nb, nl, 0);
        Value k = linalg::IndexOp::create(nb, nl, 1);
        Value inner = linalg::IndexOp::create(nb, nl, 2);
        Value batch = arith::DivUIOp::create(nb, nl, row, panelValue);
        Value panel = arith::RemUIOp::create(nb, nl, row, panelValue);
        Value column = arith::AddIOp::create(
            nb, nl,
            arith::MulIOp::create(
                nb, nl, panel, arith::ConstantIndexOp::create(nb, nl, width)),
            inner);
        Value inside = arith::CmpIOp::create(nb, nl, arith::CmpIPredicate::ult,
                                             column, columnValue);
        // Columns beyond the end read the first one and are then zero.
        column = arith::SelectOp::create(
            nb, nl, inside, column, arith::ConstantIndexOp::create(nb, nl, 0));
        SmallVector<Value> index(permutation.size());
        auto split = [&](Value position, size_t from, size_t count) {
          for (size_t i = from + count; i-- > from;) {
            if (i == from) {
              index[permutation[i]] = position;
              break;
            }
            index[permutation[i]] =
                arith::RemUIOp::create(nb, nl, position, sizeValues[i]);
            position = arith::DivUIOp::create(nb, nl, position, sizeValues[i]);
          }
        };
        split(batch, 0, batchDims);
        split(k, batchDims, depthDims);
        split(column, batchDims + depthDims, columnDims);
        Value read = tensor::ExtractOp::create(nb, nl, value, index);
        Value zero =
            arith::ConstantOp::create(nb, nl, nb.getZeroAttr(element));
        return arith::SelectOp::create(nb, nl, inside, read, zero);
      });
  return tensor::CollapseShapeOp::create(
      b, loc, filled, SmallVector<ReassociationIndices>{{0}, {1, 2}});
}

FailureOr<Value> NativeLowering::buildPanels() {
  num::PanelMatrix matrix;
  if (AffineAttr encoding = getAffine(form.rhs))
    return packAffine(matrix, encoding);
  Attribute value;
  auto type = cast<RankedTensorType>(getOperand(form.rhs).getType());
  if (matchPattern(getOperand(form.rhs), m_Constant(&value)) &&
      type.hasStaticShape())
    return packFloats(matrix);
  return buildRuntimePanels();
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

/// A grid of parameters of operand `side` without its dimensions of one block,
/// and the dimensions of the result that index it.
Extra NativeLowering::buildGrid(unsigned side, Value grid) {
  auto type = cast<RankedTensorType>(getOperand(side).getType());
  auto gridType = cast<RankedTensorType>(grid.getType());
  AffineAttr encoding = getAffine(side);
  SmallVector<unsigned> outLoops = getOutLoops();
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  bool dropped = false;
  for (auto [position, dim] :
       llvm::enumerate(encoding.getGridDims(type.getRank()))) {
    int64_t block = encoding.getBlockSize(dim);
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) <= block &&
        type.getDimSize(dim) != 0 &&
        (block > 1 || type.getDimSize(dim) == 1)) {
      dropped = true;
      continue;
    }
    unsigned loop = *contraction.getPlainLoop(side, dim);
    int64_t outDim = llvm::find(outLoops, loop) - outLoops.begin();
    // A vector has a row of its own in front of the columns.
    if (form.rows.empty() && outDim >= static_cast<int64_t>(form.batch.size()))
      ++outDim;
    exprs.push_back(b.getAffineDimExpr(outDim));
    shape.push_back(gridType.getDimSize(position));
  }
  if (dropped) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, grid);
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
        ones(sizes.size(), b.getIndexAttr(1));
    grid = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, gridType.getElementType()), grid,
        zeros, sizes, ones);
  }
  // Columns that share a scale in blocks have one each.
  return {grid, AffineMap::get(outRank, 0, exprs, b.getContext())};
}

Extra NativeLowering::buildColumnScales() {
  bool isOne = llvm::all_equal(columnScales);
  std::vector<char> bytes(isOne ? 4 : 4 * columnScales.size());
  std::memcpy(bytes.data(), columnScales.data(), bytes.size());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs;
  if (!isOne) {
    shape.push_back(columnScales.size());
    exprs.push_back(b.getAffineDimExpr(outRank - 1));
  }
  return {makeConstantTensor(RankedTensorType::get(shape, b.getF32Type()),
                             std::move(bytes), "scales"),
          AffineMap::get(outRank, 0, exprs, b.getContext())};
}

/// Groups of a reshape that leaves the first `prefix` dimensions alone and joins
/// the `count` behind them.
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
        prefix ? joinRest(prefix - 1, 2)
               : SmallVector<ReassociationIndices>());
  return value;
}

void NativeLowering::buildEpilogue(TileContractOp op) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&op.getEpilogue());
  Value product = block->addArgument(kernel.getAccumulatorType(), loc);
  Value rowScale, rowPoint;
  if (quantize) {
    rowScale = block->addArgument(b.getF32Type(), loc);
    if (quantize.getAsymmetric())
      rowPoint = block->addArgument(b.getI32Type(), loc);
  }
  SmallVector<Value> arguments;
  for (const Extra &extra : extras)
    arguments.push_back(block->addArgument(
        cast<RankedTensorType>(extra.value.getType()).getElementType(), loc));
  size_t next = 0;
  bool isBlock = isa<BlockDotAttr>(kernel), isInt = isa<IntDotAttr>(kernel);
  AffineAttr left = getAffine(form.lhs);
  Type f32 = b.getF32Type();
  if (isInt && left.getAsymmetric()) {
    Value point = rowPoint;
    if (!point)
      point = buildExtendCode(b, loc, arguments[next++],
                              left.getFormat().isSigned);
    Value correction = arith::MulIOp::create(b, loc, point, arguments[next++]);
    product = arith::SubIOp::create(b, loc, product, correction);
  }
  if (left && !rowScale)
    rowScale = arguments[next++];
  Value columnScale = isInt ? arguments[next++] : Value();
  if (isInt && !safeScales) {
    // As exact as the portable form: neither overflows nor vanishes in f64.
    Type f64 = b.getF64Type();
    Value wide = arith::SIToFPOp::create(b, loc, f64, product);
    Value scale =
        arith::MulFOp::create(b, loc, buildCastFloat(b, loc, rowScale, f64),
                              buildCastFloat(b, loc, columnScale, f64));
    product = buildCastFloat(
        b, loc, arith::MulFOp::create(b, loc, wide, scale), f32);
  } else if (isInt) {
    product = arith::SIToFPOp::create(b, loc, f32, product);
    product = arith::MulFOp::create(b, loc, product, columnScale);
    product = arith::MulFOp::create(b, loc, product, rowScale);
  } else if (isBlock && rowScale) {
    product = arith::MulFOp::create(b, loc, product, rowScale);
  }
  Type outType =
      cast<RankedTensorType>(op.getOuts()[0].getType()).getElementType();
  if (next < arguments.size())
    product = arith::AddFOp::create(
        b, loc, buildCastFloat(b, loc, arguments[next], f32), product);
  product = buildCastFloat(b, loc, product, outType);
  YieldOp::create(b, loc, product);
}

FailureOr<Value> NativeLowering::run() {
  Value init = contraction.getOperand(2);
  auto initType = cast<RankedTensorType>(init.getType());
  if (contraction.hasEmptyResult())
    return init;
  outRank = form.batch.size() + std::max<size_t>(form.rows.size(), 1) + 1;
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
    extras.push_back(
        {toOpForm(ordinary), b.getMultiDimIdentityMap(outRank)});
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
      b.getAffineMapArrayAttr(maps),
      static_cast<uint64_t>(form.batch.size()), quantize, getWindow(),
      static_cast<uint64_t>(threads));
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
  if (!form) {
    linalg::LinalgOp op = contraction.op;
    return op.emitOpError("cannot take the native exit: ")
           << reason << "; use exit = portable";
  }
  return NativeLowering(rewriter, contraction, *form, strategy).run();
}
