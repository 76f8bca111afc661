//===- NativePanels.cpp - The right operand in panels ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeContraction.h"
#include "compress/IR/BuilderUtils.h"
#include "compress/IR/ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

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
  matrix.columns = sizeOf(form.columns);
  matrix.depth = sizeOf(form.depth);
  matrix.taps = sizeOf(form.taps);
  matrix.columnStride = strideOf(form.columns);
  matrix.depthStride = strideOf(form.depth);
  matrix.tapStride = strideOf(form.taps);
}

Value NativeLowering::makeConstantTensor(RankedTensorType type,
                                         std::vector<char> data,
                                         StringRef name) {
  EncodeOptions options;
  options.resourceName = "packed";
  ElementsAttr value = makeConstant(type, std::move(data), options, name);
  return arith::ConstantOp::create(b, loc, value);
}

/// The packed matrices of all batches as a constant tensor of panels.
Value NativeLowering::makePanels(int64_t batches, int64_t columns,
                                 std::vector<char> packed) {
  Type element = kernel.getPanelElementType();
  int64_t panels = batches * llvm::divideCeil(columns, kernel.getTile().n);
  int64_t length = kernel.getPanelSizes().first;
  if (panels)
    length = packed.size() / (element.getIntOrFloatBitWidth() / 8) / panels;
  return makeConstantTensor(RankedTensorType::get({panels, length}, element),
                            std::move(packed), "panels");
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

/// Behind each panel, for every tap and column, what a tap outside the image
/// contributes: the sum of its codes times the stored code of the padding.
void NativeLowering::appendTapSums(const num::PanelMatrix &matrix,
                                   std::vector<char> &packed) {
  int64_t width = kernel.getTile().n;
  int64_t panels = llvm::divideCeil(matrix.columns, width);
  int64_t panelBytes = panels ? packed.size() / panels : 0;
  std::vector<char> result;
  result.reserve(packed.size() + panels * matrix.taps * width * 4);
  for (int64_t panel = 0; panel < panels; ++panel) {
    auto first = packed.begin() + panel * panelBytes;
    result.insert(result.end(), first, first + panelBytes);
    for (int64_t tap = 0; tap < matrix.taps; ++tap)
      for (int64_t column = panel * width; column < (panel + 1) * width;
           ++column) {
        int32_t sum = 0;
        if (column < matrix.columns)
          for (int64_t k = 0; k < matrix.depth; ++k)
            sum += matrix.code(column, tap, k);
        sum *= padCode;
        auto bytes = reinterpret_cast<const char *>(&sum);
        result.insert(result.end(), bytes, bytes + sizeof(sum));
      }
  }
  packed = std::move(result);
}

FailureOr<Value> NativeLowering::packAffine(num::PanelMatrix &matrix,
                                            AffineAttr encoding) {
  auto constant = getOperand(form.rhs).getDefiningOp<ConstantOp>();
  FailureOr<AffineConstant> read =
      readAffineConstant(constant.getValue(), [&] { return emitError(); });
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
  if (padCode != 0 && kernel.getScratchElements() == 0)
    appendTapSums(matrix, packed);
  return makePanels(batches, matrix.columns, std::move(packed));
}

FailureOr<Value> NativeLowering::packFloats(num::PanelMatrix &matrix) {
  Attribute value;
  if (!matchPattern(getOperand(form.rhs), m_Constant(&value)))
    return failure();
  FailureOr<RawConstant> raw =
      getRawConstant(value, [&] { return emitError(); });
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
  return makePanels(batches, matrix.columns, std::move(packed));
}

/// Packs floats at run time: pad the columns, split them into panels, and move
/// the panels outside. Elements of a step are those of a column together, as
/// numerics::packFloatPanels has them.
Value NativeLowering::buildRuntimePanels() {
  Value value = getOperand(form.rhs);
  SmallVector<unsigned> loops(form.batch);
  llvm::append_range(loops, form.taps);
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
    for (size_t i = from; i < from + count; ++i)
      result = buildMul(b, loc, result, sizes[permutation[i]]);
    return result;
  };
  size_t batchDims = form.batch.size();
  size_t columnDims = form.columns.size();
  size_t depthDims = permutation.size() - batchDims - columnDims;
  OpFoldResult batches = product(0, batchDims);
  // Each tap is filled up to whole steps of `group` products.
  int64_t group = kernel.getTile().k;
  size_t tapDims = form.taps.size();
  OpFoldResult steps = product(batchDims, depthDims), tapDepth, tapSteps;
  if (group != 1) {
    tapDepth = product(batchDims + tapDims, depthDims - tapDims);
    tapSteps = buildCeilDiv(b, loc, tapDepth, group);
    steps = buildMul(b, loc, tapSteps,
                     *getConstantIntValue(product(batchDims, tapDims)));
  }
  OpFoldResult columns = product(batchDims + depthDims, columnDims);
  int64_t width = kernel.getTile().n;
  OpFoldResult panels = buildCeilDiv(b, loc, columns, width);
  Type element = kernel.getPanelElementType();
  // One element of a panel: its batch, panel, product and column, by division.
  OpFoldResult rows = buildMul(b, loc, panels, batches);
  Value panelValue = getValueOrCreateConstantIndexOp(b, loc, panels);
  SmallVector<Value> sizeValues;
  for (int64_t dim : permutation)
    sizeValues.push_back(getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
  Value columnValue = getValueOrCreateConstantIndexOp(b, loc, columns);
  Value tapDepthValue, tapStepsValue;
  if (group != 1) {
    tapDepthValue = getValueOrCreateConstantIndexOp(b, loc, tapDepth);
    tapStepsValue = getValueOrCreateConstantIndexOp(b, loc, tapSteps);
  }
  SmallVector<OpFoldResult> shape = {rows, steps,
                                     b.getIndexAttr(width * group)};
  Value filled = buildElementwise(
      b, loc, {}, {}, shape, element,
      [&](OpBuilder &nb, Location nl, ValueRange) -> Value {
        Value row = linalg::IndexOp::create(nb, nl, 0);
        Value step = linalg::IndexOp::create(nb, nl, 1);
        Value inner = linalg::IndexOp::create(nb, nl, 2);
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(nb, nl, value);
        };
        Value tap, k = step;
        if (group != 1) {
          tap = arith::DivUIOp::create(nb, nl, step, tapStepsValue);
          k = arith::RemUIOp::create(nb, nl, step, tapStepsValue);
          k = arith::AddIOp::create(
              nb, nl, arith::MulIOp::create(nb, nl, k, constant(group)),
              arith::RemUIOp::create(nb, nl, inner, constant(group)));
          inner = arith::DivUIOp::create(nb, nl, inner, constant(group));
        }
        Value batch = arith::DivUIOp::create(nb, nl, row, panelValue);
        Value panel = arith::RemUIOp::create(nb, nl, row, panelValue);
        Value column = arith::AddIOp::create(
            nb, nl, arith::MulIOp::create(nb, nl, panel, constant(width)),
            inner);
        Value inside = arith::CmpIOp::create(nb, nl, arith::CmpIPredicate::ult,
                                             column, columnValue);
        // What is beyond the end is read from the first place, and then zero.
        column = arith::SelectOp::create(nb, nl, inside, column, constant(0));
        if (group != 1) {
          Value inTap = arith::CmpIOp::create(nb, nl, arith::CmpIPredicate::ult,
                                              k, tapDepthValue);
          k = arith::SelectOp::create(nb, nl, inTap, k, constant(0));
          inside = arith::AndIOp::create(nb, nl, inside, inTap);
        }
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
        if (tap)
          split(tap, batchDims, tapDims);
        split(k, tap ? batchDims + tapDims : batchDims,
              tap ? depthDims - tapDims : depthDims);
        split(column, batchDims + depthDims, columnDims);
        Value read = tensor::ExtractOp::create(nb, nl, value, index);
        Value zero = arith::ConstantOp::create(nb, nl, nb.getZeroAttr(element));
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
