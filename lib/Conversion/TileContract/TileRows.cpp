//===- TileRows.cpp - The left operand's rows as a kernel wants them ------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the rows of a cache block into a buffer of the thread that multiplies
// them: padded to whole steps, with the kernel's shift, with sums over blocks,
// and quantized dynamically if the op says so. Each row is read once from
// memory, while it passes through the caches anyway.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "compress/IR/AffineComponents.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::compress;

/// Bytes of a cache line, and distances of which those of lines in few sets of
/// the first cache, and in one, are multiples.
static constexpr int64_t kLineBytes = 64, kAliasingBytes = 512,
                         kPageBytes = 4096;

/// Independent chains of a reduction over a row.
static constexpr int64_t kChains = 4;

/// A buffer of the thread.
Value TileLowering::allocate(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  for (OpFoldResult size : sizes) {
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    if (ShapedType::isDynamic(shape.back()))
      dynamicSizes.push_back(at.value(size));
  }
  return memref::AllocOp::create(b, loc, MemRefType::get(shape, element),
                                 dynamicSizes, b.getI64IntegerAttr(64));
}

void TileLowering::allocateRows() {
  TileLhs lhs = kernel.getLhs();
  OpFoldResult padded = blockSteps ? at.constant(blockSteps * shape.k)
                                   : at.mul(steps, at.constant(shape.k));
  // The last part of a tile may start at any of its rows.
  int64_t behind = kernel.getScratchElements() ? kRowsOfRegister - 1 : 0;
  OpFoldResult rows = at.constant(blockRows + behind);
  // At some distances the rows of a tile meet in few sets of the first cache;
  // those of a tile register are more, and read at once.
  int64_t elementBytes = lhs.element.getIntOrFloatBitWidth() / 8;
  OpFoldResult stride = padded;
  if (std::optional<int64_t> known = getConstantIntValue(padded);
      known &&
      *known * elementBytes % (behind ? kAliasingBytes : kPageBytes) == 0)
    stride = at.constant(*known + kLineBytes / elementBytes);
  stage = allocate({rows, stride}, lhs.element);
  if (lhs.sumBlock)
    stageSums = allocate({rows, steps}, b.getI32Type());
  if (op.getQuantize()) {
    stageScales = allocate({rows}, b.getF32Type());
    if (op.getQuantize()->getAsymmetric())
      stagePoints = allocate({rows}, b.getI32Type());
  }
}

//===----------------------------------------------------------------------===//
// Loops over a row
//===----------------------------------------------------------------------===//

/// Covers [0, size) by trips of `unroll` vectors of `lanes`, of one, and of one
/// of a lane. `body` gets where the trips start, their elements in all, the
/// elements of a vector and the vectors of a trip.
void TileLowering::forPieces(
    OpFoldResult size, int64_t lanes, int64_t unroll,
    function_ref<void(OpFoldResult, OpFoldResult, int64_t, int64_t)> body) {
  OpFoldResult done = at.constant(0);
  for (std::pair<int64_t, int64_t> piece :
       {std::pair<int64_t, int64_t>{lanes, unroll}, {lanes, 1}, {1, 1}}) {
    int64_t step = piece.first * piece.second;
    OpFoldResult rest = at.sub(size, done);
    OpFoldResult whole = at.mul(at.floorDiv(rest, step), at.constant(step));
    body(done, whole, piece.first, piece.second);
    done = at.add(done, whole);
  }
}

/// Calls `body` with the first element and the number of elements of each
/// vector in [0, size).
void TileLowering::buildChunks(OpFoldResult size, int64_t lanes, int64_t unroll,
                               function_ref<void(Value, int64_t)> body) {
  forPieces(
      size, lanes, unroll,
      [&](OpFoldResult done, OpFoldResult whole, int64_t width, int64_t count) {
        buildFor(whole, at.constant(width * count), [&](Value offset) {
          for (int64_t i = 0; i < count; ++i)
            body(at.value(at.add(at.add(done, offset), at.constant(i * width))),
                 width);
        });
      });
}

/// Reduces [0, size) to scalars: `body` folds a vector (of any number of lanes)
/// into accumulators of as many lanes, `combine` two scalars.
SmallVector<Value> TileLowering::buildReduction(
    OpFoldResult size, int64_t lanes, Type element, ArrayRef<Value> neutral,
    function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body,
    function_ref<Value(unsigned, Value, Value)> combine) {
  unsigned count = neutral.size();
  SmallVector<Value> result(neutral);
  forPieces(
      size, lanes, kChains,
      [&](OpFoldResult done, OpFoldResult whole, int64_t width,
          int64_t chains) {
        if (getConstantIntValue(whole) == 0)
          return;
        SmallVector<Value> init;
        auto type = VectorType::get(width, element);
        for (int64_t chain = 0; chain < chains; ++chain)
          for (Value value : neutral)
            init.push_back(vector::BroadcastOp::create(b, loc, type, value));
        auto loop = scf::ForOp::create(
            b, loc, at.value(at.constant(0)), at.value(whole),
            at.value(at.constant(width * chains)), init);
        {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(loop.getBody());
          SmallVector<Value> next;
          for (int64_t chain = 0; chain < chains; ++chain) {
            OpFoldResult offset = at.add(at.add(done, loop.getInductionVar()),
                                         at.constant(chain * width));
            llvm::append_range(next, body(at.value(offset), width,
                                          loop.getRegionIterArgs().slice(
                                              chain * count, count)));
          }
          scf::YieldOp::create(b, loc, next);
        }
        for (auto [index, value] : llvm::enumerate(loop.getResults()))
          result[index % count] =
              combine(index % count, result[index % count], value);
      });
  return result;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The products of the piece at hand; the last one may end in a step.
OpFoldResult TileLowering::getPieceProducts() {
  if (!blockSteps)
    return depth;
  OpFoldResult most = at.mul(stepCount, at.constant(shape.k));
  if (*getConstantIntValue(depth) % shape.k == 0)
    return most;
  return at.min(at.sub(depth, at.mul(firstStep, at.constant(shape.k))), most);
}

/// The rows [firstRow, firstRow + rows) of the left operand.
void TileLowering::buildRows(OpFoldResult firstRow, OpFoldResult rows) {
  auto loop = scf::ForOp::create(b, loc, at.value(at.constant(0)),
                                 at.value(rows), at.value(at.constant(1)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value source = at.value(at.add(firstRow, row));
  if (op.getQuantize()) {
    SmallVector<Value> indices(outer);
    indices.push_back(source);
    buildQuantizedRow({op.getLhs(), indices}, depth, {stage, {row}}, row);
  } else {
    buildCopiedRow(source, row);
  }
  buildPadding(row);
  if (stageSums)
    buildSums(row);
}

/// Zeros behind the row's end.
void TileLowering::buildPadding(Value row) {
  OpFoldResult padded = at.mul(stepCount, at.constant(shape.k));
  OpFoldResult count = getPieceProducts();
  OpFoldResult rest = at.sub(padded, count);
  if (getConstantIntValue(rest) == 0)
    return;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(kernel.getLhs().element));
  buildFor(rest, at.constant(1), [&](Value offset) {
    memref::StoreOp::create(b, loc, zero, stage,
                            ValueRange{row, at.value(at.add(count, offset))});
  });
}

void TileLowering::buildCopiedRow(Value source, Value row) {
  TileLhs lhs = kernel.getLhs();
  auto type = cast<MemRefType>(op.getLhs().getType());
  int64_t lanes =
      4 * kernel.getLanes() * 8 / lhs.element.getIntOrFloatBitWidth();
  if (!type.isLastDimUnitStride())
    lanes = 1;
  OpFoldResult first = at.mul(firstStep, at.constant(shape.k));
  buildChunks(getPieceProducts(), lanes, 1, [&](Value offset, int64_t width) {
    auto vectorType = VectorType::get(width, lhs.element);
    SmallVector<Value> indices(outer);
    indices.append({source, at.value(at.add(first, offset))});
    Value part;
    if (width == 1)
      part = vector::BroadcastOp::create(
          b, loc, vectorType,
          memref::LoadOp::create(b, loc, op.getLhs(), indices));
    else
      part = vector::LoadOp::create(b, loc, vectorType, op.getLhs(), indices);
    if (lhs.shift)
      part = arith::AddIOp::create(
          b, loc, part,
          arith::ConstantOp::create(
              b, loc,
              DenseElementsAttr::get(
                  vectorType, APInt(8, static_cast<uint64_t>(lhs.shift)))));
    vector::StoreOp::create(b, loc, part, stage, ValueRange{row, offset});
  });
}

/// The sums of each block of stored codes.
void TileLowering::buildSums(Value row) {
  TileLhs lhs = kernel.getLhs();
  int64_t lanes = kernel.getLanes();
  while (lhs.sumBlock % lanes != 0)
    lanes /= 2;
  Type i32 = b.getI32Type();
  auto wide = VectorType::get(lanes, i32);
  buildFor(steps, at.constant(1), [&](Value block) {
    OpFoldResult first = at.mul(block, at.constant(lhs.sumBlock));
    auto add = [&](Value offset, Value sum) -> Value {
      Value part = vector::LoadOp::create(
          b, loc, VectorType::get(lanes, lhs.element), stage,
          ValueRange{row, at.value(at.add(first, offset))});
      part = arith::ExtSIOp::create(b, loc, wide, part);
      return arith::AddIOp::create(b, loc, sum, part);
    };
    Value sum = arith::ConstantOp::create(b, loc, b.getZeroAttr(wide));
    int64_t parts = lhs.sumBlock / lanes;
    if (parts <= 16) {
      for (int64_t part = 0; part < parts; ++part)
        sum = add(at.value(at.constant(part * lanes)), sum);
    } else {
      auto loop = scf::ForOp::create(b, loc, at.value(at.constant(0)),
                                     at.value(at.constant(lhs.sumBlock)),
                                     at.value(at.constant(lanes)), sum);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          b, loc, add(loop.getInductionVar(), loop.getRegionIterArg(0)));
      sum = loop.getResult(0);
    }
    Value total =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sum);
    if (lhs.sumFactor != 1)
      total = arith::MulIOp::create(b, loc, total,
                                    buildInt(b, loc, i32, lhs.sumFactor));
    memref::StoreOp::create(b, loc, total, stageSums, ValueRange{row, block});
  });
}

//===----------------------------------------------------------------------===//
// Dynamic quantization
//===----------------------------------------------------------------------===//

/// Quantizes the `size` elements of `from` as `compress.encode` with min-max
/// ranges does, bit for bit; their scale and zero point become number `slot` of
/// those of the stage.
///
/// The range comes from integer maxima of the bits: of signed ones the largest
/// positive number, of unsigned ones the most negative; both show NaN and
/// infinities, for which the slow form takes over. The quotient x / s is
/// computed without a division: with y = 1 / s correctly rounded, q = x * y and
/// r = x - q * s (exact), q + r * y is x / s correctly rounded (Markstein,
/// "IA-64 and Elementary Functions", theorem 8.5), as long as nothing is
/// denormal or overflows; then too the slow form takes over.
void TileLowering::buildQuantizedRow(const TileLine &from, OpFoldResult size,
                                     const TileLine &to, Value slot) {
  AffineAttr encoding = *op.getQuantize();
  ::compress::numerics::IntegerFormat format = encoding.getFormat();
  TileLhs lhs = kernel.getLhs();
  int64_t lanes = kernel.getLanes();
  Type f32 = b.getF32Type(), i32 = b.getI32Type(), i8 = b.getI8Type();
  auto vectorOf = [](int64_t width, Type type) {
    return VectorType::get(width, type);
  };
  auto splat = [&](int64_t width, Value value) -> Value {
    return vector::BroadcastOp::create(b, loc, vectorOf(width, value.getType()),
                                       value);
  };
  auto load = [&](Value offset, int64_t width) -> Value {
    SmallVector<Value> indices(from.indices);
    indices.push_back(offset);
    auto type = cast<MemRefType>(from.memref.getType());
    if (width == 1 || !type.isLastDimUnitStride()) {
      Value result =
          splat(width, memref::LoadOp::create(b, loc, from.memref, indices));
      for (int64_t lane = 1; lane < width; ++lane) {
        indices.back() = at.value(at.add(offset, at.constant(lane)));
        result = vector::InsertOp::create(
            b, loc, memref::LoadOp::create(b, loc, from.memref, indices),
            result, lane);
      }
      return result;
    }
    return vector::LoadOp::create(b, loc, vectorOf(width, f32), from.memref,
                                  indices);
  };
  auto integer = [&](int64_t value) { return buildInt(b, loc, i32, value); };
  auto number = [&](double value) { return buildFloat(b, loc, f32, value); };

  // The range of finite values.
  SmallVector<Value> bits = buildReduction(
      size, lanes, i32, {integer(0), integer(0)},
      [&](Value offset, int64_t width, ValueRange acc) -> SmallVector<Value> {
        Value value = vector::BitCastOp::create(b, loc, vectorOf(width, i32),
                                                load(offset, width));
        return {arith::MaxSIOp::create(b, loc, acc[0], value),
                arith::MaxUIOp::create(b, loc, acc[1], value)};
      },
      [&](unsigned index, Value scalar, Value vector) -> Value {
        return vector::ReductionOp::create(b, loc,
                                           index == 0
                                               ? vector::CombiningKind::MAXSI
                                               : vector::CombiningKind::MAXUI,
                                           vector, scalar);
      });
  constexpr int64_t kInfinity = 0x7F800000;
  // The most negative number has the sign bit, unless no number has it.
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           bits[1], integer(0));
  Value lowBits =
      arith::SelectOp::create(b, loc, isNegative, bits[1], integer(0));
  Value highFinite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           bits[0], integer(kInfinity));
  Value lowMagnitude =
      arith::AndIOp::create(b, loc, lowBits, integer(0x7FFFFFFF));
  Value lowFinite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          lowMagnitude, integer(kInfinity));
  Value finite = arith::AndIOp::create(b, loc, highFinite, lowFinite);
  auto range = scf::IfOp::create(
      b, loc, finite,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(
            b, loc,
            ValueRange{arith::BitcastOp::create(b, loc, f32, lowBits),
                       arith::BitcastOp::create(b, loc, f32, bits[0])});
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> limits = buildReduction(
            size, lanes, f32, {number(0), number(0)},
            [&](Value offset, int64_t width,
                ValueRange acc) -> SmallVector<Value> {
              Value value = load(offset, width);
              Value magnitude = math::AbsFOp::create(b, loc, value);
              Value isFinite = arith::CmpFOp::create(
                  b, loc, arith::CmpFPredicate::OLT, magnitude,
                  splat(width,
                        number(std::numeric_limits<double>::infinity())));
              value = arith::SelectOp::create(b, loc, isFinite, value,
                                              splat(width, number(0)));
              return {arith::MinNumFOp::create(b, loc, acc[0], value,
                                               arith::FastMathFlags::nnan),
                      arith::MaxNumFOp::create(b, loc, acc[1], value,
                                               arith::FastMathFlags::nnan)};
            },
            [&](unsigned index, Value scalar, Value vector) -> Value {
              return vector::ReductionOp::create(
                  b, loc,
                  index == 0 ? vector::CombiningKind::MINNUMF
                             : vector::CombiningKind::MAXNUMF,
                  vector, scalar);
            });
        scf::YieldOp::create(b, loc, limits);
      });
  Value low = range.getResult(0), high = range.getResult(1);
  Value scale = buildAffineScale(b, loc, encoding, low, high);
  memref::StoreOp::create(b, loc, scale, stageScales, slot);
  Value point = integer(0);
  if (encoding.getAsymmetric()) {
    point = buildAffineZeroPoint(b, loc, encoding, low, scale);
    memref::StoreOp::create(b, loc, point, stagePoints, slot);
  }

  // Codes from rounded quotients plus zero point, as integers.
  Value shifted = arith::AddIOp::create(b, loc, point, integer(lhs.shift));
  auto storeCodes = [&](Value codes, Value offset, int64_t width, bool clamp) {
    if (clamp) {
      codes = arith::MaxSIOp::create(
          b, loc, codes, splat(width, integer(format.getMin() + lhs.shift)));
      codes = arith::MinSIOp::create(
          b, loc, codes, splat(width, integer(format.getMax() + lhs.shift)));
    }
    codes = arith::TruncIOp::create(b, loc, vectorOf(width, i8), codes);
    SmallVector<Value> indices(to.indices);
    indices.push_back(offset);
    vector::StoreOp::create(b, loc, codes, to.memref, indices);
  };
  auto inside = [&](double from, double to) -> Value {
    Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                        scale, number(from));
    Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        scale, number(to));
    return arith::AndIOp::create(b, loc, above, below);
  };
  // The largest f16 may stand for a larger scale, so that quotients have no
  // bound: they must be clamped before they become integers.
  double largest = encoding.getScaleType().isF16() ? 65504 : 0x1p60;
  Value fast = arith::AndIOp::create(b, loc, finite, inside(0x1p-60, largest));
  // Nor have those of negative numbers by the scale of the positive ones.
  if (!format.isSigned && !encoding.getAsymmetric())
    fast = arith::AndIOp::create(
        b, loc, fast,
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, low,
                              number(0)));
  // Without the instruction a fused product is a call, slower than a division.
  if (!getTarget(op).hasFeature("fma"))
    fast = arith::ConstantIntOp::create(b, loc, 0, 1);
  scf::IfOp::create(
      b, loc, fast,
      [&](OpBuilder &, Location) {
        Value inverse = arith::DivFOp::create(b, loc, number(1), scale);
        Value negative = arith::NegFOp::create(b, loc, scale);
        // Adding 1.5 * 2^23 rounds half to even to an integer, which then
        // stands in the low bits.
        Value magic = number(0x1.8p23);
        Value offsetOfCode =
            arith::SubIOp::create(b, loc, shifted, integer(0x4B400000));
        // Symmetric codes cannot leave the range: x / s is at most the largest
        // code, up to a rounding that does not reach the next half.
        bool clamp = encoding.getAsymmetric() ||
                     !encoding.getScaleType().isF32() ||
                     -format.getMin() != format.getMax();
        buildChunks(size, lanes, 4, [&](Value offset, int64_t width) {
          Value x = load(offset, width);
          Value y = splat(width, inverse);
          Value q = arith::MulFOp::create(b, loc, x, y);
          Value r = fuse(q, splat(width, negative), x);
          q = fuse(r, y, q);
          q = arith::AddFOp::create(b, loc, q, splat(width, magic));
          Value codes =
              vector::BitCastOp::create(b, loc, vectorOf(width, i32), q);
          codes =
              arith::AddIOp::create(b, loc, codes, splat(width, offsetOfCode));
          storeCodes(codes, offset, width, clamp);
        });
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        buildChunks(size, lanes, 1, [&](Value offset, int64_t width) {
          Value x = load(offset, width);
          Value q = arith::DivFOp::create(b, loc, x, splat(width, scale));
          Value isNaN =
              arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, q, q);
          q = arith::SelectOp::create(b, loc, isNaN, splat(width, number(0)),
                                      q);
          q = math::RoundEvenOp::create(b, loc, q);
          // Beyond this every code is saturated anyway.
          q = arith::MaximumFOp::create(b, loc, q,
                                        splat(width, number(-0x1p20)));
          q = arith::MinimumFOp::create(b, loc, q,
                                        splat(width, number(0x1p20)));
          Value codes =
              arith::FPToSIOp::create(b, loc, vectorOf(width, i32), q);
          codes = arith::AddIOp::create(b, loc, codes, splat(width, shifted));
          storeCodes(codes, offset, width, /*clamp=*/true);
        });
        scf::YieldOp::create(b, loc);
      });
}

/// a * b + c with one rounding, which the exact quotient depends on.
Value TileLowering::fuse(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}
