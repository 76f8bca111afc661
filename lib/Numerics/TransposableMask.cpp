//===- TransposableMask.cpp - 2:4 masks that hold both ways ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/TransposableMask.h"
#include "FloatAccess.h"
#include "KernelTarget.h"
#include "WorkerPool.h"
#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Parallel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace llvm;

namespace compress::numerics {

/// So many tiles are worked on at once.
static constexpr int64_t kTiles = 16;

/// Two of four, in the order of their positions.
static constexpr uint8_t kRowPairs[6][2] = {{0, 1}, {0, 2}, {0, 3},
                                            {1, 2}, {1, 3}, {2, 3}};
static constexpr int kNumPatterns = 90;

namespace {
/// The row pairs (indices into kRowPairs) of the four rows of each pattern.
struct Patterns {
  uint8_t rows[kNumPatterns][4];
};
} // namespace

static constexpr uint8_t getRowMask(int pair) {
  return 1u << kRowPairs[pair][0] | 1u << kRowPairs[pair][1];
}

/// All ways to keep two a row and two a column, in ascending order of the row
/// pairs, which is the order of the kept positions.
static constexpr Patterns makePatterns() {
  Patterns patterns = {};
  int count = 0;
  for (int code = 0; code < 6 * 6 * 6 * 6; ++code) {
    const int rows[4] = {code / 216, code / 36 % 6, code / 6 % 6, code % 6};
    int kept[4] = {};
    for (int row : rows)
      for (int column = 0; column < 4; ++column)
        kept[column] += getRowMask(row) >> column & 1;
    if (kept[0] != 2 || kept[1] != 2 || kept[2] != 2 || kept[3] != 2)
      continue;
    for (int i = 0; i < 4; ++i)
      patterns.rows[count][i] = rows[i];
    ++count;
  }
  return patterns;
}

static constexpr Patterns kPatterns = makePatterns();
// The last pattern exists, so there are at least 90; a 91st would not compile.
static_assert(kPatterns.rows[kNumPatterns - 1][0] == 5, "90 patterns");

// A number for each of kTiles tiles. Vector types, because the loops over tiles
// are short: compilers unroll them and then vectorize something else.
using Tiles = double __attribute__((vector_size(kTiles * sizeof(double))));
using TileInts = int64_t __attribute__((vector_size(kTiles * sizeof(int64_t))));

/// Sums of all choices for two rows, whose pair sums are given.
static COMPRESS_KERNEL void addRows(const Tiles first[6], const Tiles second[6],
                                    Tiles sums[36]) {
  for (int i = 0; i < 36; ++i)
    sums[i] = first[i / 6] + second[i % 6];
}

/// The best pattern of kTiles tiles; magnitudes[row * 4 + column].
static COMPRESS_KERNEL void choosePatterns(const Tiles *__restrict magnitudes,
                                           TileInts &best) {
  Tiles pairs[4][6], upper[36], lower[36];
  for (int row = 0; row < 4; ++row)
    for (int pair = 0; pair < 6; ++pair)
      pairs[row][pair] = magnitudes[row * 4 + kRowPairs[pair][0]] +
                         magnitudes[row * 4 + kRowPairs[pair][1]];
  addRows(pairs[0], pairs[1], upper);
  addRows(pairs[2], pairs[3], lower);
  Tiles largest = {};
  largest -= 1.0;
  TileInts chosen = {};
  for (int64_t pattern = 0; pattern < kNumPatterns; ++pattern) {
    const uint8_t *rows = kPatterns.rows[pattern];
    Tiles sum = upper[rows[0] * 6 + rows[1]] + lower[rows[2] * 6 + rows[3]];
    TileInts better = sum > largest;
    largest = better ? sum : largest;
    chosen = (chosen & ~better) | (better & pattern);
  }
  best = chosen;
}

namespace {
/// The mask of a row for each pair.
struct RowBytes {
  uint8_t bytes[6][4];
};
} // namespace

static constexpr RowBytes makeRowBytes() {
  RowBytes rows = {};
  for (int pair = 0; pair < 6; ++pair)
    for (int column : kRowPairs[pair])
      rows.bytes[pair][column] = 1;
  return rows;
}

static constexpr RowBytes kRowBytes = makeRowBytes();

using ChooseFn = void (*)(const Tiles *, TileInts &);

static void choosePortable(const Tiles *magnitudes, TileInts &best) {
  choosePatterns(magnitudes, best);
}
#if COMPRESS_HAS_X86_KERNELS
COMPRESS_TARGET_AVX2 static void chooseAVX2(const Tiles *magnitudes,
                                            TileInts &best) {
  choosePatterns(magnitudes, best);
}
COMPRESS_TARGET_AVX512 static void chooseAVX512(const Tiles *magnitudes,
                                                TileInts &best) {
  choosePatterns(magnitudes, best);
}
#endif

static ChooseFn getChooseKernel() {
#if COMPRESS_HAS_X86_KERNELS
  switch (getInstructionSet()) {
  case InstructionSet::AVX512:
    return chooseAVX512;
  case InstructionSet::AVX2:
    return chooseAVX2;
  case InstructionSet::Portable:
    break;
  }
#endif
  return choosePortable;
}

/// Numbers whose sums of eight are finite.
static double getMagnitude(double value) {
  double magnitude = std::min(std::abs(value), 0x1p300);
  return value == value ? magnitude : 0x1p310;
}

/// Magnitudes of `count` elements of one row of tiles.
template <FloatBuffer::Kind kind>
static void loadRow(const FloatBuffer &values, int64_t element, int64_t count,
                    double *magnitudes) {
  // The kind as a constant, so that its choice leaves the loop.
  FloatBuffer row = values;
  row.kind = kind;
  int64_t i = 0;
  for (double *tile = magnitudes; i + 4 <= count; i += 4, ++tile)
    for (int64_t column = 0; column < 4; ++column)
      tile[column * kTiles] =
          getMagnitude(loadDouble(row, element + i + column));
  for (; i < count; ++i)
    magnitudes[i % 4 * kTiles + i / 4] =
        getMagnitude(loadDouble(row, element + i));
}

static void loadRow(const FloatBuffer &values, int64_t element, int64_t count,
                    double *magnitudes) {
  switch (values.kind) {
  case FloatBuffer::F16:
    return loadRow<FloatBuffer::F16>(values, element, count, magnitudes);
  case FloatBuffer::BF16:
    return loadRow<FloatBuffer::BF16>(values, element, count, magnitudes);
  case FloatBuffer::F32:
    return loadRow<FloatBuffer::F32>(values, element, count, magnitudes);
  case FloatBuffer::F64:
    return loadRow<FloatBuffer::F64>(values, element, count, magnitudes);
  }
}

/// The kTiles tiles from column `begin` on of the tile row that starts at
/// `row`.
static void selectTiles(const FloatBuffer &values, int64_t rows,
                        int64_t columns, int64_t row, int64_t begin,
                        ChooseFn kernel, uint8_t *mask) {
  Tiles tiles[16];
  TileInts best;
  const int64_t height = std::min<int64_t>(4, rows - row);
  const int64_t width = std::min(4 * kTiles, columns - begin);
  if (height < 4 || width < 4 * kTiles)
    llvm::fill(tiles, Tiles{});
  for (int64_t i = 0; i < height; ++i)
    loadRow(values, (row + i) * columns + begin, width,
            reinterpret_cast<double *>(tiles + i * 4));
  kernel(tiles, best);
  for (int64_t i = 0; i < height; ++i) {
    uint8_t *out = mask + (row + i) * columns + begin;
    for (int64_t column = 0; column < width; column += 4) {
      const uint8_t *kept =
          kRowBytes.bytes[kPatterns.rows[best[column / 4]][i]];
      std::copy_n(kept, std::min<int64_t>(4, width - column), out + column);
    }
  }
}

Error selectTransposable24(FloatBuffer values, int64_t rows, int64_t columns,
                           MutableArrayRef<uint8_t> mask, Threads threads) {
  if (rows < 0 || columns < 0 ||
      (columns > 0 && rows > (int64_t(1) << 62) / columns))
    return createStringError("%lld x %lld is no shape of a matrix",
                             static_cast<long long>(rows),
                             static_cast<long long>(columns));
  if (mask.size() != static_cast<uint64_t>(rows * columns))
    return createStringError("expected %lld mask elements, but got %zu",
                             static_cast<long long>(rows * columns),
                             mask.size());
  const int64_t stored = values.splat ? 1 : rows * columns;
  if (values.size != stored)
    return createStringError("expected %lld elements, but got %lld",
                             static_cast<long long>(stored),
                             static_cast<long long>(values.size));
  if (mask.empty())
    return Error::success();
  const int64_t tileRows = (rows + 3) / 4;
  const int64_t pieces = getNumChunks(columns, 4 * kTiles);
  const ChooseFn kernel = getChooseKernel();
  WorkerPool pool(threads, getNumChunks(tileRows * pieces, 64));
  forEachChunk(pool.get(), tileRows * pieces, 64,
               [&](int64_t, int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   selectTiles(values, rows, columns, i / pieces * 4,
                               i % pieces * kTiles * 4, kernel, mask.data());
                 }
               });
  return Error::success();
}

} // namespace compress::numerics
