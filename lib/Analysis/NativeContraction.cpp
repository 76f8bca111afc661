//===- NativeContraction.cpp - Contractions that tile kernels do ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/NativeContraction.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

/// Whether `value` is known at compile time, as weights are.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// d0 * a + d1 * b with a, b > 0, of two different loops.
static bool matchSlide(AffineExpr expr, SmallVectorImpl<unsigned> &loops,
                       SmallVectorImpl<int64_t> &factors) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return false;
  for (AffineExpr term : {sum.getLHS(), sum.getRHS()}) {
    int64_t factor = 1;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(term);
        product && product.getKind() == AffineExprKind::Mul) {
      auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (!constant)
        return false;
      factor = constant.getValue();
      term = product.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(term);
    if (!dim || factor <= 0)
      return false;
    loops.push_back(dim.getPosition());
    factors.push_back(factor);
  }
  return loops[0] != loops[1];
}

/// Finds the window of a convolution whose image is operand `lhs`.
static bool matchWindow(const Contraction &contraction, NativeForm &form,
                        std::string &reason) {
  for (AffineExpr expr : contraction.maps[form.lhs].getResults()) {
    if (isa<AffineDimExpr>(expr))
      continue;
    SmallVector<unsigned> loops;
    SmallVector<int64_t> factors;
    if (!matchSlide(expr, loops, factors)) {
      reason = "an operand is not indexed by loops or sliding windows";
      return false;
    }
    WindowDim dim{loops[0], loops[1], factors[0], factors[1]};
    if (contraction.isReduction(dim.rowLoop)) {
      std::swap(dim.rowLoop, dim.tapLoop);
      std::swap(dim.stride, dim.dilation);
    }
    if (contraction.isReduction(dim.rowLoop) ||
        !contraction.isReduction(dim.tapLoop) ||
        contraction.involves(form.rhs, dim.rowLoop) ||
        !contraction.involves(form.rhs, dim.tapLoop)) {
      reason = "its window is not one of a convolution";
      return false;
    }
    form.window.push_back(dim);
  }
  return true;
}

std::optional<NativeForm>
mlir::compress::getNativeForm(const Contraction &contraction,
                              std::string &reason) {
  NativeForm form;
  // The packed operand is the constant one; a sliding one cannot be packed.
  bool slides[2];
  for (unsigned side : {0u, 1u})
    slides[side] = !contraction.maps[side].isProjectedPermutation();
  if (slides[1] || (!slides[0] && isConstant(contraction.getOperand(0)) &&
                    !isConstant(contraction.getOperand(1))))
    std::swap(form.lhs, form.rhs);
  if (!contraction.maps[form.rhs].isProjectedPermutation()) {
    reason = "windows slide over both operands";
    return std::nullopt;
  }
  if (!matchWindow(contraction, form, reason))
    return std::nullopt;
  for (const WindowDim &dim : form.window)
    form.taps.push_back(dim.tapLoop);
  for (AffineExpr expr : contraction.maps[2].getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool inLhs = contraction.involves(form.lhs, loop);
    bool inRhs = contraction.involves(form.rhs, loop);
    if (inLhs && inRhs)
      form.batch.push_back(loop);
    else if (inLhs)
      form.rows.push_back(loop);
    else if (inRhs)
      form.columns.push_back(loop);
    else {
      reason = "a loop of the result is in neither operand";
      return std::nullopt;
    }
  }
  for (AffineExpr expr : contraction.maps[form.lhs].getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !contraction.isReduction(dim.getPosition()))
      continue;
    form.depth.push_back(dim.getPosition());
  }
  for (unsigned loop = 0; loop < contraction.getNumLoops(); ++loop)
    if (contraction.isReduction(loop) &&
        (!contraction.involves(form.rhs, loop) ||
         (!llvm::is_contained(form.taps, loop) &&
          !llvm::is_contained(form.depth, loop)))) {
      reason = "a reduction is not over both operands";
      return std::nullopt;
    }
  if (!form.window.empty()) {
    if (!form.batch.empty()) {
      reason = "it is a depthwise or grouped convolution";
      return std::nullopt;
    }
    if (form.depth.size() != 1) {
      reason = "it is a convolution without one dimension of channels";
      return std::nullopt;
    }
    // The spatial dimensions in the order of the result.
    llvm::sort(form.window, [&](const WindowDim &a, const WindowDim &b) {
      return llvm::find(form.rows, a.rowLoop) <
             llvm::find(form.rows, b.rowLoop);
    });
    form.taps.clear();
    for (const WindowDim &dim : form.window)
      form.taps.push_back(dim.tapLoop);
    // A product of matrices whose rows are the pixels.
    if (llvm::all_of(form.window, [&](const WindowDim &dim) {
          return contraction.getStaticSize(dim.tapLoop) == 1 && dim.stride == 1;
        }))
      form.window.clear();
  }
  return form;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// What a kernel must know of the operands.
struct OperandKinds {
  AffineAttr lhs, rhs;
  /// The block of the right operand along the depth; 0 without.
  int64_t block = 0;
};
} // namespace

/// Elements that share a scale along `dim`; 0 if all do.
static int64_t getBlock(AffineAttr encoding, RankedTensorType type,
                        int64_t dim) {
  int64_t block = encoding.getBlockSize(dim);
  if (block == AffineAttr::kWholeDim)
    return 0;
  if (!type.isDynamicDim(dim) && type.getDimSize(dim) <= block &&
      type.getDimSize(dim) != 0)
    return 0;
  return block;
}

static bool checkLhs(const Contraction &contraction, const NativeForm &form,
                     OperandKinds &kinds, std::string &reason) {
  auto type =
      cast<RankedTensorType>(contraction.getOperand(form.lhs).getType());
  kinds.lhs = dyn_cast_or_null<AffineAttr>(type.getEncoding());
  if (!kinds.lhs) {
    if (isEncoded(type)) {
      reason = "its left operand has an encoding that is not of integer codes";
      return false;
    }
    if (!type.getElementType().isF32() && !type.getElementType().isBF16()) {
      reason = "its left operand is not of type f32 or bf16";
      return false;
    }
    return true;
  }
  if (kinds.lhs.getFormat().bits != 8) {
    reason = "the codes of its left operand do not have 8 bits";
    return false;
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t block = getBlock(kinds.lhs, type, dim);
    if (block == 0)
      continue;
    std::optional<unsigned> loop = contraction.getPlainLoop(form.lhs, dim);
    bool isRow = loop && (llvm::is_contained(form.rows, *loop) ||
                          llvm::is_contained(form.batch, *loop));
    if (block != 1 || !isRow) {
      reason =
          "the scales of its left operand vary along a reduction or within "
          "blocks of rows";
      return false;
    }
  }
  return true;
}

static bool checkRhs(const Contraction &contraction, const NativeForm &form,
                     OperandKinds &kinds, std::string &reason) {
  Value value = contraction.getOperand(form.rhs);
  auto type = cast<RankedTensorType>(value.getType());
  kinds.rhs = dyn_cast_or_null<AffineAttr>(type.getEncoding());
  if (!kinds.rhs) {
    if (isEncoded(type)) {
      reason = "its right operand has an encoding that is not of integer codes";
      return false;
    }
    auto left =
        cast<RankedTensorType>(contraction.getOperand(form.lhs).getType());
    if (type.getElementType() != left.getElementType() || isEncoded(left) ||
        !(type.getElementType().isF32() || type.getElementType().isBF16())) {
      reason =
          "its operands are not both of f32, both of bf16, or its right one "
          "of integer codes";
      return false;
    }
    return true;
  }
  if (!value.getDefiningOp<ConstantOp>() || !type.hasStaticShape()) {
    reason = "its encoded right operand is not a constant";
    return false;
  }
  if (kinds.rhs.getFormat().bits < 2 || kinds.rhs.getFormat().bits > 8) {
    reason = "the codes of its right operand do not have 2 to 8 bits";
    return false;
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t block = getBlock(kinds.rhs, type, dim);
    if (block == 0)
      continue;
    unsigned loop = *contraction.getPlainLoop(form.rhs, dim);
    if (llvm::is_contained(form.columns, loop)) {
      if (form.columns.size() == 1)
        continue;
      reason = "its right operand has several dimensions of columns and scales "
               "that vary along them";
      return false;
    }
    if (!llvm::is_contained(form.depth, loop) || form.depth.size() != 1 ||
        !form.window.empty()) {
      reason = "the scales of its right operand vary along a batch or window";
      return false;
    }
    if (block % 8 != 0) {
      reason =
          "its right operand has blocks along the reduction that are not a "
          "multiple of 8";
      return false;
    }
    kinds.block = block;
  }
  return true;
}

/// Whether dimensions `loops` of operand `side` follow each other in memory, so
/// that they are one dimension.
static bool areAdjacent(const Contraction &contraction, unsigned side,
                        ArrayRef<unsigned> loops) {
  int64_t previous = -1;
  for (unsigned loop : loops)
    for (auto [dim, expr] :
         llvm::enumerate(contraction.maps[side].getResults())) {
      auto plain = dyn_cast<AffineDimExpr>(expr);
      if (!plain || plain.getPosition() != loop)
        continue;
      if (previous >= 0 && static_cast<int64_t>(dim) != previous + 1)
        return false;
      previous = dim;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Size of a loop for estimates; that of a typical batch of activations if it
/// is not known.
static int64_t estimateSize(const Contraction &contraction,
                            ArrayRef<unsigned> loops) {
  int64_t size = 1;
  for (unsigned loop : loops) {
    int64_t known = contraction.getStaticSize(loop);
    size *= ShapedType::isDynamic(known) ? 128 : std::max<int64_t>(known, 1);
  }
  return size;
}

static int64_t getSizeOfLoops(const Contraction &contraction,
                              ArrayRef<unsigned> loops) {
  int64_t size = 1;
  for (unsigned loop : loops) {
    int64_t known = contraction.getStaticSize(loop);
    if (ShapedType::isDynamic(known))
      return ShapedType::kDynamic;
    size *= known;
  }
  return size;
}

/// Work of less than this many cycles is not shared between threads: it would
/// take longer to wake them.
static constexpr double kBreakEvenCycles = 60'000;

/// Rows from which on tile registers multiply codes with block scales.
static constexpr int64_t kTileRegisterRows = 32;

/// Products of a block from which on its sums wait for each other rather than
/// for what is done with them.
static constexpr int64_t kLongBlock = 256;

namespace {
/// A kernel without its tile, and what limits that.
struct KernelChoice {
  TileKernelAttrInterface kernel;
  /// Vector registers for a tile; of an accumulator, and of a vector of
  /// columns.
  int64_t registers = 0, perAccumulator = 1, perColumn = 1;
};

/// Chooses the kernel of a contraction whose operands are known to fit one.
class KernelSelection {
public:
  KernelSelection(const Contraction &contraction, const NativeForm &form,
                  const OperandKinds &kinds,
                  function_ref<bool(StringRef)> hasFeature, int64_t registers)
      : contraction(contraction), form(form), kinds(kinds),
        hasFeature(hasFeature), context(contraction.maps[2].getContext()),
        registers(registers) {}

  /// Null, with the reason, if there is none.
  KernelChoice choose(int64_t rows, std::string &reason) {
    if (!kinds.rhs)
      return chooseFloatDot();
    bool wholeCodes = kinds.block == 0 && !kinds.rhs.getAsymmetric() &&
                      kinds.rhs.getFormat().bits > 4 &&
                      kinds.rhs.getFormat().isSigned;
    if (kinds.lhs && wholeCodes)
      return chooseIntDot(rows, reason);
    return chooseBlockDot(rows, reason);
  }

private:
  Type getElementType(unsigned side) {
    return cast<RankedTensorType>(contraction.getOperand(side).getType())
        .getElementType();
  }
  /// The kernel of the first of `isas` that the target has.
  TileKernelAttrInterface
  findKernel(ArrayRef<TileIsa> isas,
             function_ref<TileKernelAttrInterface(TileIsa)> make) {
    for (TileIsa isa : isas)
      if (TileKernelAttrInterface kernel = make(isa);
          kernel.isSupported(hasFeature))
        return kernel;
    return {};
  }

  KernelChoice chooseFloatDot() {
    Type element = getElementType(form.rhs);
    SmallVector<TileIsa> isas = {TileIsa::Avx512, TileIsa::Avx2};
    if (element.isBF16())
      isas = {TileIsa::Avx512Bf16};
    return {findKernel(isas,
                       [&](TileIsa isa) -> TileKernelAttrInterface {
                         return FloatDotAttr::get(context, 1, 16, element, isa);
                       }),
            registers};
  }

  KernelChoice chooseIntDot(int64_t rows, std::string &reason) {
    // The sum must fit i32, whatever the codes are.
    int64_t limit = std::numeric_limits<int32_t>::max() / (255 * 128);
    int64_t terms = getSizeOfLoops(contraction, form.depth);
    int64_t taps = getSizeOfLoops(contraction, form.taps);
    if (ShapedType::isDynamic(terms) || terms > limit || taps > limit ||
        terms * taps > limit) {
      reason = "its sums are not proved to fit 32 bits";
      return {};
    }
    SmallVector<TileIsa> isas = {TileIsa::Avx512Vnni, TileIsa::AvxVnni,
                                 TileIsa::Avx512, TileIsa::Avx2};
    // Tile registers want whole tiles of rows, and of products for each tap.
    if (form.window.empty() ? rows >= 16 : rows >= 8 && terms % 64 == 0)
      isas.insert(isas.begin(), TileIsa::Amx);
    auto lhsType = IntegerType::get(context, 8,
                                    kinds.lhs.getFormat().isSigned
                                        ? IntegerType::Signless
                                        : IntegerType::Unsigned);
    return {findKernel(isas,
                       [&](TileIsa isa) -> TileKernelAttrInterface {
                         return IntDotAttr::get(context, 1, 16, lhsType, isa);
                       }),
            registers};
  }

  /// For codes with block scales, with zero points or of few bits.
  KernelChoice chooseBlockDot(int64_t rows, std::string &reason) {
    if (!kinds.lhs && !getElementType(form.lhs).isF32()) {
      reason = "its left operand is of bf16 and its right one of integer codes";
      return {};
    }
    if (kinds.lhs &&
        (!kinds.lhs.getFormat().isSigned || kinds.lhs.getAsymmetric())) {
      reason =
          "its right operand has block scales, zero points or few bits, and "
          "its left one is not signed and symmetric";
      return {};
    }
    if (!form.window.empty()) {
      reason =
          "it is a convolution whose weights have block scales, zero points "
          "or few bits, or whose image is of floats";
      return {};
    }
    int64_t terms = getSizeOfLoops(contraction, form.depth);
    int64_t block = kinds.block ? kinds.block
                                : llvm::alignTo(std::max<int64_t>(terms, 1), 8);
    bool points = kinds.rhs.getAsymmetric() || !kinds.rhs.getFormat().isSigned;
    // Sums of blocks meet zero points in products of 16 bits.
    if (kinds.lhs && points && block > 128)
      block = kinds.block ? std::gcd<int64_t>(block, 128) : 128;
    if (kinds.lhs && block > 65536) {
      reason = "the sums of its blocks are not proved to fit 32 bits";
      return {};
    }
    Type f32 = Float32Type::get(context);
    Type scale =
        kinds.rhs.getScaleType().isF16() ? kinds.rhs.getScaleType() : f32;
    Type lhsType = kinds.lhs ? Type(IntegerType::get(context, 8)) : f32;
    unsigned bits = kinds.rhs.getFormat().bits <= 4 ? 4 : 8;
    SmallVector<TileIsa> isas = {TileIsa::Avx512VnniGfni, TileIsa::Avx512Vnni,
                                 TileIsa::AvxVnni, TileIsa::Avx512,
                                 TileIsa::Avx2};
    // Tile registers read codes that are unpacked in memory: only where it is
    // known that enough rows share that.
    if (kinds.lhs && rows >= kTileRegisterRows &&
        !ShapedType::isDynamic(getSizeOfLoops(contraction, form.rows)))
      isas.insert(isas.begin(), TileIsa::Amx);
    // Beside the f32 sums stand those of a block; codes of half bytes are
    // unpacked to two vectors; two registers hold constants.
    return {findKernel(isas,
                       [&](TileIsa isa) -> TileKernelAttrInterface {
                         return BlockDotAttr::get(context, 1, 16, lhsType, bits,
                                                  block, scale, points, isa);
                       }),
            registers - 2, 2, bits == 4 ? 2 : 1};
  }

  const Contraction &contraction;
  const NativeForm &form;
  const OperandKinds &kinds;
  function_ref<bool(StringRef)> hasFeature;
  MLIRContext *context;
  int64_t registers;
};
} // namespace

/// The tile of the kernel that costs least for the shape.
static TileKernelAttrInterface chooseTileShape(const KernelChoice &choice,
                                               int64_t rows, int64_t columns,
                                               int64_t depth, double &cost) {
  TileKernelAttrInterface kernel = choice.kernel;
  TileKernelAttrInterface best;
  int64_t lanes = kernel.getLanes();
  if (auto dot = dyn_cast<IntDotAttr>(kernel);
      dot && dot.getIsa() == TileIsa::Amx) {
    // Four accumulators share two left and two right tiles.
    best = kernel.withTile(rows > 16 ? 32 : 16, columns > 16 ? 32 : 16);
    cost = best.getCost(rows, columns, depth);
    return best;
  }
  if (auto dot = dyn_cast<BlockDotAttr>(kernel);
      dot && dot.getIsa() == TileIsa::Amx) {
    // One accumulator, whose f32 sums fill half of the vector registers, unless
    // these are used so seldom that they may be in memory.
    bool isLong = dot.getBlock() >= kLongBlock;
    best = kernel.withTile(isLong ? 32 : 16, isLong && columns > 16 ? 32 : 16);
    cost = best.getCost(rows, columns, depth);
    return best;
  }
  for (int64_t groups : {4, 2, 3, 1})
    for (int64_t m = 1; m <= 14; ++m) {
      if (m * groups * choice.perAccumulator + groups * choice.perColumn + 1 >
          choice.registers)
        continue;
      TileKernelAttrInterface candidate = kernel.withTile(m, groups * lanes);
      // Many rows share the work of unpacking a panel.
      TileKernelAttrInterface reader = candidate && rows >= kExpandedRows
                                           ? candidate.getExpanded()
                                           : nullptr;
      double candidateCost =
          candidate
              ? (reader ? reader : candidate).getCost(rows, columns, depth)
              : 0;
      if (!candidate || (best && candidateCost >= cost * 0.999))
        continue;
      best = candidate;
      cost = candidateCost;
    }
  return best;
}

/// Whether a tile kernel can read the operands and write the result, whichever
/// it is; says what they are in `kinds`.
static bool checkContraction(const Contraction &contraction,
                             const NativeForm &form, OperandKinds &kinds,
                             std::string &reason) {
  if (!checkLhs(contraction, form, kinds, reason) ||
      !checkRhs(contraction, form, kinds, reason))
    return false;
  Type result = cast<RankedTensorType>(contraction.getOperand(2).getType())
                    .getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type>(result)) {
    reason = "its result is not of type f16, bf16 or f32";
    return false;
  }
  if (!areAdjacent(contraction, form.rhs, form.columns) ||
      !areAdjacent(contraction, form.rhs, form.depth)) {
    reason =
        "the columns or reductions of its right operand do not follow each "
        "other in memory";
    return false;
  }
  if (form.columns.size() > 1 &&
      ShapedType::isDynamic(getSizeOfLoops(contraction, form.columns))) {
    reason = "its columns are several dimensions of unknown size";
    return false;
  }
  ArrayRef<unsigned> taps = form.taps;
  if (!taps.empty() &&
      (ShapedType::isDynamic(getSizeOfLoops(contraction, taps)) ||
       !areAdjacent(contraction, form.rhs, taps))) {
    reason = "its window is of unknown size or not in order";
    return false;
  }
  return true;
}

bool mlir::compress::canCompute(TileKernelAttrInterface kernel,
                                const Contraction &contraction,
                                const NativeForm &form, std::string &reason) {
  OperandKinds kinds;
  if (!checkContraction(contraction, form, kinds, reason))
    return false;
  auto refuse = [&](const char *why) {
    reason = why;
    return false;
  };
  if (!isa<IntDotAttr, BlockDotAttr>(kernel)) {
    Type element =
        cast<RankedTensorType>(contraction.getOperand(form.lhs).getType())
            .getElementType();
    if (kinds.lhs || kinds.rhs || element != kernel.getLhs().element)
      return refuse("its operands are not dense ones of the type that the "
                    "kernel takes");
    return true;
  }
  if (!kinds.rhs)
    return refuse("the kernel takes integer codes on the right");
  // What selection would choose of a machine that has everything.
  KernelChoice choice =
      KernelSelection(
          contraction, form, kinds, [](StringRef) { return true; },
          /*registers=*/32)
          .choose(/*rows=*/1, reason);
  if (!choice.kernel)
    return false;
  if (auto given = dyn_cast<IntDotAttr>(kernel)) {
    auto fitting = dyn_cast<IntDotAttr>(choice.kernel);
    if (!fitting || fitting.getLhsType() != given.getLhsType())
      return refuse("the kernel takes other codes");
    return true;
  }
  auto given = cast<BlockDotAttr>(kernel);
  auto fitting = dyn_cast<BlockDotAttr>(choice.kernel);
  if (!fitting || fitting.getLhsType() != given.getLhsType() ||
      fitting.getBits() != given.getBits() ||
      fitting.getScale() != given.getScale() ||
      fitting.getZeroPoints() != given.getZeroPoints() ||
      fitting.getBlock() % given.getBlock() != 0)
    return refuse("the kernel takes other codes, scales or blocks");
  return true;
}

StrategyAttr
mlir::compress::chooseNativeStrategy(const Contraction &contraction,
                                     TargetAttr target, std::string &reason) {
  std::optional<NativeForm> form = getNativeForm(contraction, reason);
  if (!form)
    return {};
  OperandKinds kinds;
  if (!checkContraction(contraction, *form, kinds, reason))
    return {};

  int64_t rows = form->window.empty()
                     ? estimateSize(contraction, form->rows)
                     : estimateSize(contraction, form->rows.back());
  int64_t columns = estimateSize(contraction, form->columns);
  int64_t depth = estimateSize(contraction, form->depth);
  auto hasFeature = [&](StringRef name) { return target.hasFeature(name); };
  KernelChoice choice = KernelSelection(contraction, *form, kinds, hasFeature,
                                        target.getVectorBits() == 512 ? 32 : 16)
                            .choose(rows, reason);
  if (!choice.kernel) {
    if (reason.empty())
      reason =
          "the target has no vector instructions that a tile kernel is made of";
    return {};
  }
  double cost = 0;
  TileKernelAttrInterface kernel =
      chooseTileShape(choice, rows, columns, depth, cost);
  int64_t outer = estimateSize(contraction, form->batch);
  if (!form->window.empty())
    outer *= estimateSize(contraction, ArrayRef(form->rows).drop_back()) *
             estimateSize(contraction, form->taps);
  int64_t threads = cost * outer < kBreakEvenCycles
                        ? 1
                        : std::max<int64_t>(target.getCores(), 1);
  return StrategyAttr::get(target.getContext(), ContractionExit::Native, 0,
                           kernel, threads);
}
