//===- BlockDot.cpp - Products with integers that have block scales -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "TileCost.h"
#include "TileRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

/// Products whose code is written out; longer blocks are a loop over such runs.
static constexpr int64_t kLongestRun = 64;

static bool isAmx(BlockDotAttr kernel) {
  return kernel.getIsa() == TileIsa::Amx;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

LogicalResult BlockDotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t m, int64_t n, Type lhsType,
                                   unsigned bits, int64_t block, Type scale,
                                   bool zeroPoints, TileIsa isa) {
  if (!lhsType.isInteger(8) && !lhsType.isF32())
    return emitError() << "the left operand must be i8 or f32, but is "
                       << lhsType;
  if (bits != 4 && bits != 8)
    return emitError() << "bits must be 4 or 8, but is " << bits;
  if (block < 8 || block % 8 != 0)
    return emitError() << "block must be a positive multiple of 8, but is "
                       << block;
  // The sum of a block meets its zero point in a product of 16 bits.
  if (zeroPoints && lhsType.isInteger(8) && block > 248)
    return emitError() << "block must be at most 248 with zero points, but is "
                       << block;
  if (!scale.isF16() && !scale.isF32())
    return emitError() << "scale must be f16 or f32, but is " << scale;
  if (isa == TileIsa::Amx && (m > 32 || n > 32))
    return emitError() << "m and n must be at most 32 with isa = amx, but are "
                       << m << " and " << n;
  if (isa == TileIsa::Amx && lhsType.isF32())
    return emitError() << "the left operand must be i8 with isa = amx";
  return verifyTile(emitError, m, n, getIsaLanes(isa));
}

int64_t BlockDotAttr::getShift() const {
  if (getBits() == 4)
    return 8;
  return isAmx(*this) && !getZeroPoints() ? 0 : 128;
}

static num::BlockPanelFormat getFormat(BlockDotAttr kernel) {
  num::BlockPanelFormat format;
  format.width = kernel.getN();
  format.block = kernel.getBlock();
  format.bits = kernel.getBits();
  format.halfScales = kernel.getScale().isF16();
  format.zeroPoints = kernel.getZeroPoints();
  format.shift = kernel.getShift();
  return format;
}

int64_t BlockDotAttr::getScaleBytes() const {
  return getFormat(*this).getScaleBytes();
}

int64_t BlockDotAttr::getBlockBytes() const {
  return getFormat(*this).getBlockBytes();
}

TileShape BlockDotAttr::getTile() const { return {getM(), getN(), getBlock()}; }

TileKernelAttrInterface BlockDotAttr::withTile(int64_t m, int64_t n) const {
  return getChecked([&] { return emitDiscarded(getContext()); }, getContext(),
                    m, n, getLhsType(), getBits(), getBlock(), getScale(),
                    getZeroPoints(), getIsa());
}

TileLhs BlockDotAttr::getLhs() const {
  TileLhs lhs;
  lhs.element = getLhsType();
  // Tile registers multiply signed codes too: nothing is to be cancelled.
  if (getLhsType().isInteger(8) && (!isAmx(*this) || getZeroPoints())) {
    lhs.sumBlock = getBlock();
    lhs.sumFactor = getZeroPoints() ? -1 : -getShift();
  }
  return lhs;
}

Type BlockDotAttr::getPanelElementType() const {
  return IntegerType::get(getContext(), 8);
}

std::pair<int64_t, int64_t> BlockDotAttr::getPanelSizes() const {
  return {0, getBlockBytes()};
}

Type BlockDotAttr::getAccumulatorType() const {
  return Float32Type::get(getContext());
}

int64_t BlockDotAttr::getLanes() const { return getIsaLanes(getIsa()); }

bool BlockDotAttr::isSupported(function_ref<bool(StringRef)> hasFeature) const {
  return supportsIsa(hasFeature, getIsa());
}

double BlockDotAttr::getCost(int64_t rows, int64_t columns,
                             int64_t depth) const {
  double quads = static_cast<double>(getBlock()) / 4;
  TileCost cost;
  if (isAmx(*this)) {
    // A multiplication takes a cycle a row for up to 64 products; to store the
    // sums of a block, load, convert and add them two.
    cost.perProduct = 2.0 * llvm::divideCeil(getBlock(), kLongestRun) + 4 +
                      (getZeroPoints() ? 1 : 0);
    cost.columnLoads = quads + 1;
    cost.columnBytes = static_cast<double>(getBlock()) * getLanes();
    return getTileCost(cost, getTile(), getLanes(), rows, columns, depth);
  }
  if (getLhsType().isF32()) {
    cost.perProduct = getBlock() + 1;
    cost.perColumn = 3.0 * getBlock();
    cost.rowLoads = getBlock();
  } else {
    double perQuad = isVnni(getIsa())               ? 1
                     : getIsa() == TileIsa::Generic ? 8
                                                    : 3;
    cost.perProduct = perQuad * quads + 2 + (getZeroPoints() ? 1 : 0);
    cost.perColumn = (getBits() == 4 ? quads : 0) + 2;
    cost.rowLoads = quads + 1;
  }
  cost.columnLoads = static_cast<double>(getBlockBytes()) / getN() / 4 + 1;
  cost.columnBytes = static_cast<double>(getBlockBytes()) / getN() * getLanes();
  cost.latency *= quads;
  return getTileCost(cost, getTile(), getLanes(), rows, columns, depth);
}

std::vector<char>
BlockDotAttr::packConstant(const num::PanelMatrix &matrix) const {
  return num::packBlockPanels(matrix, getFormat(*this));
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

SmallVector<Value> BlockDotAttr::emitInit(OpBuilder &b, Location loc,
                                          const TileContext &tile) const {
  auto type = VectorType::get(getLanes(), getAccumulatorType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return SmallVector<Value>(tile.rows.size() * getN() / getLanes(), zero);
}

/// Runs of kLongestRun products of a block that are not a loop.
static constexpr int64_t kUnrolledChunks = 4;

/// Elements of 32 bits for the sums of a block in memory.
static int64_t getTileResultElements(BlockDotAttr kernel) {
  return llvm::alignTo(kernel.getM(), 16) * kernel.getN();
}

namespace {
/// The code of one block.
struct BlockEmitter {
  OpBuilder &b;
  Location loc;
  BlockDotAttr kernel;
  const TileContext &tile;
  int64_t lanes, groups;
  VectorType intType, floatType;

  BlockEmitter(OpBuilder &b, Location loc, BlockDotAttr kernel,
               const TileContext &tile)
      : b(b), loc(loc), kernel(kernel), tile(tile), lanes(kernel.getLanes()),
        groups(kernel.getN() / lanes),
        intType(VectorType::get(lanes, b.getI32Type())),
        floatType(VectorType::get(lanes, b.getF32Type())) {}

  int64_t getCodeOffset() const {
    return kernel.getScaleBytes() + kernel.getPointBytes();
  }
  /// Bytes of a panel for the products of one load of codes.
  int64_t getRunBytes() const { return 4 * kernel.getN(); }
  /// Products of one load of codes.
  int64_t getRun() const { return kernel.getBits() == 4 ? 8 : 4; }

  /// Bytes of a panel for `products` products.
  int64_t getBytes(int64_t products) const {
    return products / getRun() * getRunBytes();
  }

  Value loadScale(int64_t group) {
    if (kernel.getScale().isF32())
      return loadPanel(b, loc, tile, 4 * lanes * group, floatType);
    Value half = loadPanel(b, loc, tile, 2 * lanes * group,
                           VectorType::get(lanes, b.getF16Type()));
    return arith::ExtFOp::create(b, loc, floatType, half);
  }

  /// The low or high halves of the bytes of `codes`.
  Value unpackHalves(Value codes, bool high) {
    if (!high)
      return arith::AndIOp::create(b, loc, codes,
                                   buildSplat(b, loc, intType, 0x0F0F0F0F));
    if (kernel.getIsa() == TileIsa::Avx512VnniGfni) {
      // A bit matrix that moves bits 4 to 7 to 0 to 3 and clears the rest:
      // shift and mask in one instruction.
      auto bytes = VectorType::get(4 * lanes, b.getI8Type());
      auto rows = VectorType::get(lanes / 2, b.getI64Type());
      Value matrix = vector::BitCastOp::create(
          b, loc, bytes, buildSplat(b, loc, rows, 0x1020408000000000));
      Value shifted = callIntrinsic(
          b, loc, "llvm.x86.vgf2p8affineqb.512", bytes,
          {vector::BitCastOp::create(b, loc, bytes, codes), matrix,
           arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0))});
      return vector::BitCastOp::create(b, loc, intType, shifted);
    }
    Value shifted =
        arith::ShRUIOp::create(b, loc, codes, buildSplat(b, loc, intType, 4));
    return arith::AndIOp::create(b, loc, shifted,
                                 buildSplat(b, loc, intType, 0x0F0F0F0F));
  }

  /// The codes of a run of products from byte `offset` of the block on, as
  /// vectors of four bytes a lane: [half][group].
  SmallVector<SmallVector<Value>> loadCodes(const TileContext &at,
                                            int64_t offset) {
    SmallVector<SmallVector<Value>> codes(kernel.getBits() == 4 ? 2 : 1);
    for (int64_t group = 0; group < groups; ++group) {
      Value raw = loadPanel(b, loc, at, offset + 4 * lanes * group, intType);
      if (kernel.getBits() == 8) {
        codes[0].push_back(raw);
        continue;
      }
      codes[0].push_back(unpackHalves(raw, /*high=*/false));
      codes[1].push_back(unpackHalves(raw, /*high=*/true));
    }
    return codes;
  }

  /// Adds the products of `count` runs, the first at products `k` and bytes
  /// `offset` behind the positions of `at`.
  SmallVector<Value> emitIntRuns(const TileContext &at, int64_t k,
                                 int64_t offset, int64_t count,
                                 ValueRange accumulators) {
    SmallVector<Value> sums(accumulators);
    // Few accumulators would wait for each other.
    for (int64_t run = 0; run < count; ++run) {
      int64_t byte = offset + run * getRunBytes();
      auto codes = loadCodes(at, byte);
      for (size_t row = 0; row < tile.rows.size(); ++row)
        for (auto [half, vectors] : llvm::enumerate(codes)) {
          Value left = broadcastRow(b, loc, at, row,
                                    k + run * getRun() + 4 * half, 4, lanes);
          for (int64_t group = 0; group < groups; ++group) {
            size_t chains = sums.size() / (tile.rows.size() * groups);
            Value &sum = sums[(row * groups + group) * chains + half % chains];
            sum = emitUnsignedDot(b, loc, kernel.getIsa(), sum, vectors[group],
                                  left, kernel.getBits());
          }
        }
    }
    return sums;
  }

  SmallVector<Value> emitFloatRuns(const TileContext &at, int64_t k,
                                   int64_t offset, int64_t count,
                                   ValueRange accumulators,
                                   ArrayRef<Value> points) {
    SmallVector<Value> sums(accumulators);
    for (int64_t run = 0; run < count; ++run) {
      int64_t byte = offset + run * getRunBytes();
      SmallVector<Value> raws;
      for (int64_t group = 0; group < groups; ++group)
        raws.push_back(
            loadPanel(b, loc, at, byte + 4 * lanes * group, intType));
      for (int64_t product = 0; product < getRun(); ++product) {
        // Product j + 4 of half bytes is in the high half of byte j.
        int64_t shift = 8 * (product % 4) + 4 * (product / 4);
        SmallVector<Value> codes;
        for (int64_t group = 0; group < groups; ++group) {
          Value code = raws[group];
          if (shift)
            code = arith::ShRUIOp::create(b, loc, code,
                                          buildSplat(b, loc, intType, shift));
          code = arith::AndIOp::create(
              b, loc, code,
              buildSplat(b, loc, intType, kernel.getBits() == 4 ? 15 : 255));
          code = arith::SubIOp::create(b, loc, code, points[group]);
          codes.push_back(arith::SIToFPOp::create(b, loc, floatType, code));
        }
        for (size_t row = 0; row < tile.rows.size(); ++row) {
          Value left = broadcastRow(b, loc, at, row,
                                    k + run * getRun() + product, 1, lanes);
          for (int64_t group = 0; group < groups; ++group) {
            Value &sum = sums[row * groups + group];
            sum = emitMultiplyAdd(b, loc, kernel.getIsa(), left, codes[group],
                                  sum);
          }
        }
      }
    }
    return sums;
  }

  /// All runs of a block; a loop where they would be too much code.
  SmallVector<Value>
  emitRuns(ValueRange init,
           function_ref<SmallVector<Value>(const TileContext &, int64_t k,
                                           int64_t offset, int64_t count,
                                           ValueRange)>
               emitSome) {
    int64_t runs = kernel.getBlock() / getRun();
    int64_t perTrip = kLongestRun / getRun();
    int64_t trips = runs > perTrip ? runs / perTrip : 0;
    SmallVector<Value> sums(init);
    if (trips) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      auto loop = scf::ForOp::create(
          b, loc, zero, arith::ConstantIndexOp::create(b, loc, trips), one,
          sums);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      auto scaled = [&](int64_t by) -> Value {
        return arith::MulIOp::create(
            b, loc, loop.getInductionVar(),
            arith::ConstantIndexOp::create(b, loc, by));
      };
      TileContext at = tile;
      at.lhsOffset = arith::AddIOp::create(b, loc, tile.lhsOffset,
                                           scaled(perTrip * getRun()));
      at.panelOffset = arith::AddIOp::create(b, loc, tile.panelOffset,
                                             scaled(perTrip * getRunBytes()));
      SmallVector<Value> next =
          emitSome(at, 0, getCodeOffset(), perTrip, loop.getRegionIterArgs());
      if (next.empty())
        scf::YieldOp::create(b, loc);
      else
        scf::YieldOp::create(b, loc, next);
      sums = SmallVector<Value>(loop.getResults());
    }
    int64_t done = trips * perTrip;
    return emitSome(tile, done * getRun(),
                    getCodeOffset() + done * getRunBytes(), runs - done, sums);
  }

  /// Unpacks `products` codes from byte `offset` of the panel on into bytes of
  /// `target`, a buffer of one dimension, from element `to` on; for tile
  /// registers to signed ones if they can be.
  void unpackCodes(const TileContext &at, int64_t offset, int64_t products,
                   Value target, Value to) {
    Type element = cast<MemRefType>(target.getType()).getElementType();
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    auto byteType = VectorType::get(4 * lanes, b.getI8Type());
    auto type = VectorType::get(4 * lanes / bytes, element);
    bool takeShift =
        isAmx(kernel) && !kernel.getZeroPoints() && kernel.getShift() != 0;
    int64_t position = 0;
    for (int64_t run = 0; run < products / getRun(); ++run)
      for (ArrayRef<Value> vectors :
           loadCodes(at, offset + run * getRunBytes()))
        for (Value value : vectors) {
          value = vector::BitCastOp::create(b, loc, byteType, value);
          if (takeShift)
            value = arith::SubIOp::create(
                b, loc, value, buildSplat(b, loc, byteType, kernel.getShift()));
          if (type != byteType)
            value = vector::BitCastOp::create(b, loc, type, value);
          vector::StoreOp::create(b, loc, value, target,
                                  buildOffset(b, loc, to, position / bytes));
          position += 4 * lanes;
        }
  }

  /// Calls `body` for runs of up to kLongestRun products of a block, with the
  /// position of the first one where the run is in a loop (else null) and
  /// behind that, and their number.
  SmallVector<Value>
  forChunks(ValueRange init,
            function_ref<SmallVector<Value>(Value loop, int64_t first,
                                            int64_t products, ValueRange)>
                body) {
    SmallVector<Value> values(init);
    int64_t chunks = kernel.getBlock() / kLongestRun, first = 0;
    if (chunks > kUnrolledChunks) {
      auto loop = scf::ForOp::create(
          b, loc, arith::ConstantIndexOp::create(b, loc, 0),
          arith::ConstantIndexOp::create(b, loc, chunks * kLongestRun),
          arith::ConstantIndexOp::create(b, loc, kLongestRun), values);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> next = body(loop.getInductionVar(), 0, kLongestRun,
                                     loop.getRegionIterArgs());
      if (!next.empty())
        scf::YieldOp::create(b, loc, next);
      values = SmallVector<Value>(loop.getResults());
      first = chunks * kLongestRun;
    }
    for (; first < kernel.getBlock(); first += kLongestRun)
      values = body(Value(), first,
                    std::min(kLongestRun, kernel.getBlock() - first), values);
    return values;
  }

  /// value * by + offset, `value` being null for zero.
  Value scaleIndex(Value value, int64_t by, int64_t offset) {
    if (!value)
      return arith::ConstantIndexOp::create(b, loc, offset);
    if (by != 1)
      value = arith::MulIOp::create(b, loc, value,
                                    arith::ConstantIndexOp::create(b, loc, by));
    return buildOffset(b, loc, value, offset);
  }

  /// The sums of a block from tile registers, as integers.
  SmallVector<Value> emitTileBlock() {
    int64_t columns = kernel.getN();
    SmallVector<Value> tiles = forChunks(
        emitTileZeros(b, loc, tile.rows.size(), columns),
        [&](Value loop, int64_t first, int64_t products, ValueRange values) {
          TileContext at = tile;
          at.lhsOffset = arith::AddIOp::create(b, loc, tile.lhsOffset,
                                               scaleIndex(loop, 1, first));
          // A product is `getBytes(8) / 8` bytes of each panel.
          Value offset = scaleIndex(loop, getBytes(8) / 8,
                                    getCodeOffset() + getBytes(first));
          at.panelOffset =
              arith::AddIOp::create(b, loc, tile.panelOffset, offset);
          TileProducts step;
          step.columns = columns;
          step.products = products;
          step.rhsSigned = !kernel.getZeroPoints();
          if (kernel.getBits() == 8) {
            step.right = tile.panels;
            step.rightIndices = {tile.panel, at.panelOffset};
          } else {
            // Not unpacked for all rows: behind the results.
            step.right = tile.scratch;
            step.rightIndices = {arith::ConstantIndexOp::create(
                b, loc, getTileResultElements(kernel))};
            unpackCodes(at, 0, products, step.right, step.rightIndices[0]);
          }
          return emitTileProducts(b, loc, at, step, values);
        });
    SmallVector<Value> sums = emitTileResults(b, loc, tile, columns, tiles);
    if (kernel.getZeroPoints())
      for (auto [index, sum] : llvm::enumerate(sums)) {
        int64_t row = index / groups;
        Value negated = memref::LoadOp::create(
            b, loc, tile.sums, ValueRange{tile.sumRows[row], tile.block});
        negated = vector::BroadcastOp::create(b, loc, intType, negated);
        sum = arith::AddIOp::create(b, loc, sum,
                                    emitPoints(index % groups, negated));
      }
    return sums;
  }

  /// The sums of a block as integers, their first values taking away what the
  /// shift of the codes and the zero points add.
  SmallVector<Value> emitIntBlock() {
    // Two chains where one vector of codes gives two products and there are few
    // accumulators. Without VNNI an addition ends a product, which waits for
    // nothing else, and registers are few.
    size_t tiles = tile.rows.size() * groups;
    size_t chains =
        kernel.getBits() == 4 && tiles <= 6 && isVnni(kernel.getIsa()) ? 2 : 1;
    Value zero = buildSplat(b, loc, intType, 0);
    SmallVector<Value> init;
    for (size_t row = 0; row < tile.rows.size(); ++row) {
      Value sum = memref::LoadOp::create(
          b, loc, tile.sums, ValueRange{tile.sumRows[row], tile.block});
      Value first = vector::BroadcastOp::create(b, loc, intType, sum);
      for (int64_t group = 0; group < groups; ++group) {
        Value start = first;
        if (kernel.getZeroPoints())
          start = emitPoints(group, first);
        init.push_back(start);
        if (chains == 2)
          init.push_back(zero);
      }
    }
    SmallVector<Value> sums =
        emitRuns(init, [&](const TileContext &at, int64_t k, int64_t offset,
                           int64_t count, ValueRange accumulators) {
          return emitIntRuns(at, k, offset, count, accumulators);
        });
    if (chains == 1)
      return sums;
    SmallVector<Value> added;
    for (size_t i = 0; i < sums.size(); i += 2)
      added.push_back(arith::AddIOp::create(b, loc, sums[i], sums[i + 1]));
    return added;
  }

  /// zero point * sum, where `sum` is the negated sum of a block in all lanes.
  Value emitPoints(int64_t group, Value sum) {
    Value points = loadPanel(
        b, loc, tile, kernel.getScaleBytes() + 4 * lanes * group, intType);
    Value zero = buildSplat(b, loc, intType, 0);
    TileIsa isa = kernel.getIsa();
    if (isa == TileIsa::Generic)
      return arith::MulIOp::create(b, loc, points, sum);
    auto pairs = VectorType::get(2 * lanes, b.getI16Type());
    if (isVnni(isa))
      return callIntrinsic(b, loc,
                           lanes == 16 ? "llvm.x86.avx512.vpdpwssd.512"
                                       : "llvm.x86.avx512.vpdpwssd.256",
                           intType,
                           {zero,
                            vector::BitCastOp::create(b, loc, pairs, points),
                            vector::BitCastOp::create(b, loc, pairs, sum)});
    return callIntrinsic(b, loc,
                         lanes == 16 ? "llvm.x86.avx512.pmaddw.d.512"
                                     : "llvm.x86.avx2.pmadd.wd",
                         intType,
                         {vector::BitCastOp::create(b, loc, pairs, points),
                          vector::BitCastOp::create(b, loc, pairs, sum)});
  }

  /// The sums of a block of float rows, not scaled.
  SmallVector<Value> emitFloatBlock() {
    SmallVector<Value> points;
    for (int64_t group = 0; group < groups; ++group)
      points.push_back(
          kernel.getZeroPoints()
              ? loadPanel(b, loc, tile,
                          kernel.getScaleBytes() + 4 * lanes * group, intType)
              : buildSplat(b, loc, intType, kernel.getShift()));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(floatType));
    SmallVector<Value> init(tile.rows.size() * groups, zero);
    return emitRuns(init, [&](const TileContext &at, int64_t k, int64_t offset,
                              int64_t count, ValueRange accumulators) {
      return emitFloatRuns(at, k, offset, count, accumulators, points);
    });
  }
};
} // namespace

SmallVector<Value> BlockDotAttr::emit(OpBuilder &b, Location loc,
                                      const TileContext &tile,
                                      ValueRange accumulators) const {
  BlockEmitter emitter(b, loc, *this, tile);
  bool isFloat = getLhsType().isF32();
  SmallVector<Value> sums = isFloat        ? emitter.emitFloatBlock()
                            : isAmx(*this) ? emitter.emitTileBlock()
                                           : emitter.emitIntBlock();
  SmallVector<Value> scales, result;
  for (int64_t group = 0; group < emitter.groups; ++group)
    scales.push_back(emitter.loadScale(group));
  for (auto [index, sum, acc] : llvm::enumerate(sums, accumulators)) {
    if (!isFloat)
      sum = arith::SIToFPOp::create(b, loc, emitter.floatType, sum);
    result.push_back(emitMultiplyAdd(b, loc, getIsa(), sum,
                                     scales[index % emitter.groups], acc));
  }
  return result;
}

SmallVector<Value> BlockDotAttr::emitResult(OpBuilder &, Location,
                                            const TileContext &,
                                            ValueRange accumulators) const {
  return SmallVector<Value>(accumulators);
}

int64_t BlockDotAttr::getScratchElements() const {
  if (!isAmx(*this))
    return 0;
  // Results, and codes that are unpacked for one tile of rows.
  return getTileResultElements(*this) +
         (getBits() == 4 ? kLongestRun / 4 * getN() : 0);
}

TileKernelAttrInterface BlockDotAttr::getExpanded() const {
  // Bytes are read as they are, but tile registers want them behind whole lines
  // of scales. Generic code widens either form alike.
  if (!getLhsType().isInteger(8) ||
      (getBits() == 8 && (!isAmx(*this) || getScale().isF32())))
    return {};
  return get(getContext(), getM(), getN(), getLhsType(), 8, getBlock(),
             Float32Type::get(getContext()), getZeroPoints(), getIsa());
}

void BlockDotAttr::emitExpansion(OpBuilder &b, Location loc,
                                 const TileContext &tile, Value target,
                                 Value offset) const {
  BlockEmitter emitter(b, loc, *this, tile);
  int64_t lanes = getLanes();
  auto bytes = VectorType::get(4 * lanes, b.getI8Type());
  auto store = [&](Value value, int64_t at) {
    vector::StoreOp::create(b, loc,
                            vector::BitCastOp::create(b, loc, bytes, value),
                            target, buildOffset(b, loc, offset, at));
  };
  for (int64_t group = 0; group < emitter.groups; ++group)
    store(emitter.loadScale(group), 4 * lanes * group);
  if (getZeroPoints())
    for (int64_t group = 0; group < emitter.groups; ++group)
      store(loadPanel(b, loc, tile, getScaleBytes() + 4 * lanes * group,
                      emitter.intType),
            4 * getN() + 4 * lanes * group);
  int64_t head = 4 * getN() + getPointBytes();
  emitter.forChunks(
      {},
      [&](Value loop, int64_t first, int64_t products,
          ValueRange) -> SmallVector<Value> {
        TileContext at = tile;
        at.panelOffset = arith::AddIOp::create(
            b, loc, tile.panelOffset,
            emitter.scaleIndex(loop, emitter.getBytes(8) / 8,
                               emitter.getCodeOffset() +
                                   emitter.getBytes(first)));
        Value to = arith::AddIOp::create(
            b, loc, offset,
            emitter.scaleIndex(loop, getN(), head + first * getN()));
        emitter.unpackCodes(at, 0, products, target, to);
        return {};
      });
}
