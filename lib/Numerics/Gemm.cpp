//===- Gemm.cpp - Packed matrix product -----------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register tiles of some rows by one to three vectors of columns. B is packed
// into column slivers. A is packed row by row where its rows are contiguous
// (the tile reads single elements of A, so no transposition is needed; but the
// rows of a large matrix, taken in place, often fall on the same cache set),
// else group by group along k. Tiles at the edges are computed whole on zero
// padding, which keeps the sum of every element the same wherever a thread's
// part begins.
//
//===----------------------------------------------------------------------===//

#include "Dense.h"
#include "ParallelFor.h"
#include "Targets.h"

#include <cstring>
#include <memory>

using namespace llvm;

namespace compress::numerics::detail {

/// One step of k; also the unit of summation.
constexpr int64_t blockK = 512;
/// Rows of A that are used against one packed panel of B.
constexpr int64_t blockM = 252;
/// Elements between packed rows of A: padded, so that rows start in different
/// cache sets; constant, so that it needs no address arithmetic.
constexpr int64_t rowStride = blockK + 16;
/// Columns of a packed panel of B, a multiple of every sliver; blockK x blockN
/// f32 are some 2 MiB.
constexpr int64_t blockN = 960;

namespace {

/// A register tile's work: c (rows x columns valid) = or += a * b over k.
template <typename T>
struct Tile {
  int64_t k;
  const T *a; // packed by row (rowStride apart) or by groups of tileRows
  const T *b; // packed: k x (vectors * lanes)
  T *c;
  int64_t cRowStride;
  int64_t rows, columns;
  bool accumulate;
};
} // namespace

/// The tile itself. `acc` stays in registers once the loops are unrolled.
template <typename T, int lanes, int tileRows, int vectors, bool byRow>
static COMPRESS_KERNEL void runTile(const Tile<T> &tile) {
  using Vector = typename VectorOf<T, lanes>::Type;
  Vector acc[tileRows][vectors];
  for (int i = 0; i < tileRows; ++i)
    for (int v = 0; v < vectors; ++v)
      acc[i][v] = Vector{};
  const T *a = tile.a, *b = tile.b;
  for (int64_t p = 0; p < tile.k; ++p) {
    Vector right[vectors];
    for (int v = 0; v < vectors; ++v)
      right[v] = *reinterpret_cast<const Vector *>(b + v * lanes);
    for (int i = 0; i < tileRows; ++i) {
      T scalar = a[i * (byRow ? rowStride : 1)];
      for (int v = 0; v < vectors; ++v)
        acc[i][v] += scalar * right[v];
    }
    a += byRow ? 1 : tileRows;
    b += vectors * lanes;
  }
  if (tile.rows == tileRows && tile.columns == vectors * lanes) {
    for (int i = 0; i < tileRows; ++i)
      for (int v = 0; v < vectors; ++v) {
        Vector *out = reinterpret_cast<Vector *>(tile.c + i * tile.cRowStride +
                                                 v * lanes);
        *out = tile.accumulate ? *out + acc[i][v] : acc[i][v];
      }
    return;
  }
  T buffer[tileRows * vectors * lanes];
  for (int i = 0; i < tileRows; ++i)
    for (int v = 0; v < vectors; ++v)
      *reinterpret_cast<Vector *>(buffer + (i * vectors + v) * lanes) =
          acc[i][v];
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.columns; ++j) {
      T &out = tile.c[i * tile.cRowStride + j];
      T sum = buffer[i * vectors * lanes + j];
      out = tile.accumulate ? out + sum : sum;
    }
}

/// Asks for the `count` elements of the next row while one is copied: rows that
/// lie pages apart are nothing that the processor would guess.
template <typename T>
static COMPRESS_KERNEL void prefetchRow(const T *row, int64_t count) {
  for (int64_t j = 0; j < count; j += 64 / sizeof(T))
    __builtin_prefetch(row + j);
}

template <typename T, int lanes>
static COMPRESS_KERNEL void copyRow(const T *from, T *to, int64_t count) {
  using Vector = typename VectorOf<T, lanes>::Type;
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes)
    *reinterpret_cast<Vector *>(to + j) =
        *reinterpret_cast<const Vector *>(from + j);
  for (; j < count; ++j)
    to[j] = from[j];
}

/// Packs `part`, whose rows are contiguous, into slivers of `vectors` vectors
/// of columns (the last of as many as it needs), each k rows of its width, zero
/// padded. Goes along the rows of `part`: with a large row stride,
/// going down one sliver at a time would miss the TLB at every row.
template <typename T, int lanes, int vectors>
static COMPRESS_KERNEL void packSlivers(MatrixRef<const T> part, T *packed) {
  constexpr int64_t sliver = vectors * lanes;
  const int64_t k = part.rows, whole = part.columns / sliver;
  const int64_t rest = part.columns - whole * sliver;
  const int64_t restWidth = (rest + lanes - 1) / lanes * lanes;
  for (int64_t p = 0; p < k; ++p) {
    const T *row = part.data + p * part.rowStride;
    const T *next = p + 1 < k ? row + part.rowStride : row;
    for (int64_t s = 0; s < whole; ++s) {
      prefetchRow(next + s * sliver, sliver);
      copyRow<T, lanes>(row + s * sliver, packed + (s * k + p) * sliver,
                        sliver);
    }
    if (!rest)
      continue;
    T *out = packed + whole * sliver * k + p * restWidth;
    for (int64_t j = 0; j < rest; ++j)
      out[j] = row[whole * sliver + j];
    for (int64_t j = rest; j < restWidth; ++j)
      out[j] = T(0);
  }
}

/// Copies `a`, whose rows are contiguous, row by row, rowStride apart; rows up
/// to `height` are zero.
template <typename T, int lanes>
static COMPRESS_KERNEL void packRows(MatrixRef<const T> a, int64_t height,
                                     T *packed) {
  for (int64_t i = 0; i < a.rows; ++i) {
    const T *row = a.data + i * a.rowStride;
    if (i + 1 < a.rows)
      prefetchRow(row + a.rowStride, a.columns);
    copyRow<T, lanes>(row, packed + i * rowStride, a.columns);
  }
  for (int64_t i = a.rows; i < height; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      packed[i * rowStride + j] = T(0);
}

/// Five rows at a time against all columns, which take up to five vectors: A
/// is read once and as it is. `b` is packed as k rows of `vectors` vectors.
template <typename T, int lanes, int vectors, int tileRows>
static COMPRESS_KERNEL void
runNarrowTile(const T *a, int64_t aStride, int64_t k, const T *b, T *c,
              int64_t cStride, int64_t columns, bool accumulate) {
  using Vector = typename VectorOf<T, lanes>::Type;
  constexpr int64_t line = 64 / sizeof(T);
  Vector acc[tileRows][vectors];
  for (int i = 0; i < tileRows; ++i)
    for (int v = 0; v < vectors; ++v)
      acc[i][v] = Vector{};
  for (int64_t p0 = 0; p0 < k; p0 += line) {
    for (int i = 0; i < tileRows; ++i)
      __builtin_prefetch(a + (i + tileRows) * aStride + p0);
    const int64_t end = p0 + line < k ? p0 + line : k;
    for (int64_t p = p0; p < end; ++p) {
      Vector right[vectors];
      for (int v = 0; v < vectors; ++v)
        right[v] =
            *reinterpret_cast<const Vector *>(b + (p * vectors + v) * lanes);
      for (int i = 0; i < tileRows; ++i) {
        T scalar = a[i * aStride + p];
        for (int v = 0; v < vectors; ++v)
          acc[i][v] += scalar * right[v];
      }
    }
  }
  if (columns == vectors * lanes) {
    for (int i = 0; i < tileRows; ++i)
      for (int v = 0; v < vectors; ++v) {
        Vector *out = reinterpret_cast<Vector *>(c + i * cStride + v * lanes);
        *out = accumulate ? *out + acc[i][v] : acc[i][v];
      }
    return;
  }
  T buffer[tileRows * vectors * lanes];
  for (int i = 0; i < tileRows; ++i)
    for (int v = 0; v < vectors; ++v)
      *reinterpret_cast<Vector *>(buffer + (i * vectors + v) * lanes) =
          acc[i][v];
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      T &out = c[i * cStride + j];
      const T sum = buffer[i * vectors * lanes + j];
      out = accumulate ? out + sum : sum;
    }
}

template <typename T, int lanes, int vectors>
static COMPRESS_KERNEL void runNarrow(MatrixRef<const T> a, const T *b,
                                      MatrixRef<T> c, bool accumulate) {
  int64_t i = 0;
  for (; i + 5 <= a.rows; i += 5)
    runNarrowTile<T, lanes, vectors, 5>(a.data + i * a.rowStride, a.rowStride,
                                        a.columns, b, c.data + i * c.rowStride,
                                        c.rowStride, c.columns, accumulate);
  for (; i < a.rows; ++i)
    runNarrowTile<T, lanes, vectors, 1>(a.data + i * a.rowStride, a.rowStride,
                                        a.columns, b, c.data + i * c.rowStride,
                                        c.rowStride, c.columns, accumulate);
}

template <typename T>
using TileFn = void (*)(const Tile<T> &);

namespace {

/// The functions for one processor.
template <typename T>
struct Kernel {
  int64_t tileRows, lanes, vectors;
  TileFn<T> tile[3][2]; // [vectors of columns - 1][A packed by row]
  void (*packSlivers)(MatrixRef<const T>, T *);
  void (*packRows)(MatrixRef<const T>, int64_t, T *);
  /// For three to five vectors of columns; null where registers are too few.
  void (*narrow[3])(MatrixRef<const T>, const T *, MatrixRef<T>, bool);
};

} // namespace

#if COMPRESS_HAS_X86_KERNELS
template <typename T, int vectors, bool byRow>
static COMPRESS_TARGET_FMA512 void runTile512(const Tile<T> &tile) {
  runTile<T, 64 / sizeof(T), 9, vectors, byRow>(tile);
}
template <typename T>
static COMPRESS_TARGET_FMA512 void packSlivers512(MatrixRef<const T> part,
                                                  T *packed) {
  packSlivers<T, 64 / sizeof(T), 3>(part, packed);
}
template <typename T>
static COMPRESS_TARGET_FMA512 void packRows512(MatrixRef<const T> a,
                                               int64_t height, T *packed) {
  packRows<T, 64 / sizeof(T)>(a, height, packed);
}
template <typename T, int vectors>
static COMPRESS_TARGET_FMA512 void runNarrow512(MatrixRef<const T> a,
                                                const T *b, MatrixRef<T> c,
                                                bool accumulate) {
  runNarrow<T, 64 / sizeof(T), vectors>(a, b, c, accumulate);
}
template <typename T, int vectors, bool byRow>
static COMPRESS_TARGET_FMA256 void runTile256(const Tile<T> &tile) {
  runTile<T, 32 / sizeof(T), 4, vectors, byRow>(tile);
}
template <typename T>
static COMPRESS_TARGET_FMA256 void packSlivers256(MatrixRef<const T> part,
                                                  T *packed) {
  packSlivers<T, 32 / sizeof(T), 3>(part, packed);
}
template <typename T>
static COMPRESS_TARGET_FMA256 void packRows256(MatrixRef<const T> a,
                                               int64_t height, T *packed) {
  packRows<T, 32 / sizeof(T)>(a, height, packed);
}
#endif
template <typename T, int vectors, bool byRow>
static void runTile128(const Tile<T> &tile) {
  runTile<T, 16 / sizeof(T), 4, vectors, byRow>(tile);
}
template <typename T>
static void packSlivers128(MatrixRef<const T> part, T *packed) {
  packSlivers<T, 16 / sizeof(T), 2>(part, packed);
}
template <typename T>
static void packRows128(MatrixRef<const T> a, int64_t height, T *packed) {
  packRows<T, 16 / sizeof(T)>(a, height, packed);
}

template <typename T>
static Kernel<T> selectKernel() {
#if COMPRESS_HAS_X86_KERNELS
  if (getFusedInstructionSet() == InstructionSet::AVX512)
    return {9,
            64 / sizeof(T),
            3,
            {{runTile512<T, 1, false>, runTile512<T, 1, true>},
             {runTile512<T, 2, false>, runTile512<T, 2, true>},
             {runTile512<T, 3, false>, runTile512<T, 3, true>}},
            packSlivers512<T>,
            packRows512<T>,
            {runNarrow512<T, 3>, runNarrow512<T, 4>, runNarrow512<T, 5>}};
  if (getFusedInstructionSet() == InstructionSet::AVX2)
    return {4,
            32 / sizeof(T),
            3,
            {{runTile256<T, 1, false>, runTile256<T, 1, true>},
             {runTile256<T, 2, false>, runTile256<T, 2, true>},
             {runTile256<T, 3, false>, runTile256<T, 3, true>}},
            packSlivers256<T>,
            packRows256<T>,
            {}};
#endif
  return {4,
          16 / sizeof(T),
          2,
          {{runTile128<T, 1, false>, runTile128<T, 1, true>},
           {runTile128<T, 2, false>, runTile128<T, 2, true>},
           {}},
          packSlivers128<T>,
          packRows128<T>,
          {}};
}

/// Packs at most `height` rows of `a` as one group of `height` elements for
/// each k, zero padded.
template <typename T>
static void packGroups(MatrixRef<const T> a, int64_t height, T *packed) {
  for (int64_t p = 0; p < a.columns; ++p, packed += height) {
    const T *column = a.data + p * a.columnStride;
    if (a.rowStride == 1)
      std::copy(column, column + a.rows, packed);
    else
      for (int64_t i = 0; i < a.rows; ++i)
        packed[i] = column[i * a.rowStride];
    for (int64_t i = a.rows; i < height; ++i)
      packed[i] = T(0);
  }
}

/// Packs one sliver of any other source, read along its columns.
template <typename T>
static void packSliverTransposed(MatrixRef<const T> b, int64_t width,
                                 T *packed) {
  std::fill(packed, packed + b.rows * width, T(0));
  for (int64_t j = 0; j < b.columns; ++j)
    for (int64_t p = 0; p < b.rows; ++p)
      packed[p * width + j] = b(p, j);
}

namespace {

template <typename T>
class Product {
public:
  Product(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> c,
          bool accumulate)
      : a(a), b(b), c(c), accumulate(accumulate), kernel(selectKernel<T>()),
        sliver(kernel.vectors * kernel.lanes) {}

  /// If `upperOnly`, tiles wholly below the diagonal of c are left out;
  /// (rowOffset, columnOffset) is where c lies in the whole result.
  void run(bool upperOnly, int64_t rowOffset, int64_t columnOffset) {
    int64_t panel =
        std::min(blockN, (b.columns + sliver - 1) / sliver * sliver);
    packedB.reset(new T[std::min(blockK, b.rows) * panel]);
    const int64_t tall = std::min(blockM, a.rows) / kernel.tileRows + 1;
    packedA.reset(new T[rowStride * kernel.tileRows * tall]);
    for (int64_t n0 = 0; n0 < b.columns; n0 += blockN) {
      int64_t n = std::min(blockN, b.columns - n0);
      for (int64_t k0 = 0; k0 < b.rows; k0 += blockK) {
        int64_t k = std::min(blockK, b.rows - k0);
        packPanel(b.block(k0, n0, k, n));
        for (int64_t m0 = 0; m0 < a.rows; m0 += blockM) {
          int64_t m = std::min(blockM, a.rows - m0);
          if (upperOnly && rowOffset + m0 >= columnOffset + n0 + n)
            continue;
          runBlock(a.block(m0, k0, m, k), c.block(m0, n0, m, n),
                   accumulate || k0 > 0,
                   upperOnly ? rowOffset + m0 - columnOffset - n0
                             : -(a.rows + b.columns));
        }
      }
    }
  }

  /// A tall product with few columns.
  void runNarrow() {
    constexpr int64_t narrowK = 128; // B stays in the first-level cache
    const int64_t vectors = getVectors(b.columns, kernel.lanes);
    const int64_t width = vectors * kernel.lanes;
    packedB.reset(new T[narrowK * width]);
    for (int64_t k0 = 0; k0 < b.rows; k0 += narrowK) {
      const int64_t k = std::min(narrowK, b.rows - k0);
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < width; ++j)
          packedB[p * width + j] = j < b.columns ? b(k0 + p, j) : T(0);
      kernel.narrow[vectors - 3](a.block(0, k0, a.rows, k), packedB.get(), c,
                                 accumulate || k0 > 0);
    }
  }

  /// Whether a product of these operands is narrow.
  static bool isNarrow(MatrixRef<const T> a, MatrixRef<const T> b) {
    const Kernel<T> kernel = selectKernel<T>();
    const int64_t vectors = getVectors(b.columns, kernel.lanes);
    return a.columnStride == 1 && vectors >= 3 && vectors <= 5 &&
           kernel.narrow[vectors - 3];
  }

private:
  static int64_t getVectors(int64_t columns, int64_t lanes) {
    return (columns + lanes - 1) / lanes;
  }

  void packPanel(MatrixRef<const T> part) {
    if (part.columnStride == 1)
      return kernel.packSlivers(part, packedB.get());
    for (int64_t j = 0; j < part.columns; j += sliver) {
      int64_t width = std::min(sliver, part.columns - j);
      packSliverTransposed(part.block(0, j, part.rows, width),
                           getVectors(width, kernel.lanes) * kernel.lanes,
                           packedB.get() + j * part.rows);
    }
  }

  /// `skew`: row index minus column index of the block's corner in the result.
  void runBlock(MatrixRef<const T> left, MatrixRef<T> out, bool add,
                int64_t skew) {
    const int64_t height = kernel.tileRows;
    const bool byRow = left.columnStride == 1;
    for (int64_t i = 0; i < left.rows; i += height) {
      MatrixRef<const T> rows =
          left.block(i, 0, std::min(height, left.rows - i), left.columns);
      T *packed = packedA.get() + i * rowStride;
      if (byRow)
        kernel.packRows(rows, height, packed);
      else
        packGroups(rows, height, packed);
    }
    for (int64_t j = 0; j < out.columns; j += sliver) {
      int64_t width = std::min(sliver, out.columns - j);
      for (int64_t i = 0; i < left.rows; i += height) {
        if (skew + i >= j + width)
          break;
        Tile<T> tile;
        tile.k = left.columns;
        tile.a = packedA.get() + i * rowStride;
        tile.b = packedB.get() + j * left.columns;
        tile.c = &out(i, j);
        tile.cRowStride = out.rowStride;
        tile.rows = std::min(height, left.rows - i);
        tile.columns = width;
        tile.accumulate = add;
        kernel.tile[getVectors(width, kernel.lanes) - 1][byRow](tile);
      }
    }
  }

  MatrixRef<const T> a, b;
  MatrixRef<T> c;
  bool accumulate;
  Kernel<T> kernel;
  int64_t sliver;
  std::unique_ptr<T[]> packedA, packedB;
};
} // namespace

template <typename T>
static void multiplyImpl(MatrixRef<const T> a, MatrixRef<const T> b,
                         MatrixRef<T> c, bool accumulate,
                         ThreadPoolInterface *pool) {
  if (c.rows <= 0 || c.columns <= 0)
    return;
  if (a.columns <= 0) {
    if (!accumulate)
      for (int64_t i = 0; i < c.rows; ++i)
        std::fill(&c(i, 0), &c(i, 0) + c.columns, T(0));
    return;
  }
  // Waking a thread costs some 20 us: worth it from about a million
  // operations each.
  if (double(c.rows) * c.columns * a.columns < 1e6)
    pool = nullptr;
  const int64_t tileRows = selectKernel<T>().tileRows;
  // By the whole shape, for the way of summing must not depend on threads.
  const bool narrow = c.rows >= c.columns && Product<T>::isNarrow(a, b);
  if (c.rows >= c.columns)
    return parallelFor(pool, c.rows, tileRows, [&](int64_t begin, int64_t end) {
      Product<T> product(a.block(begin, 0, end - begin, a.columns), b,
                         c.block(begin, 0, end - begin, c.columns), accumulate);
      narrow ? product.runNarrow() : product.run(false, 0, 0);
    });
  parallelFor(pool, c.columns, 3 * selectKernel<T>().lanes,
              [&](int64_t begin, int64_t end) {
                Product<T>(a, b.block(0, begin, b.rows, end - begin),
                           c.block(0, begin, c.rows, end - begin), accumulate)
                    .run(false, 0, 0);
              });
}

template <typename T>
static void gramImpl(MatrixRef<const T> a, MatrixRef<T> g,
                     ThreadPoolInterface *pool) {
  // Interleaved column parts of the upper triangle: part p of P holds the
  // same number of columns, but the later ones are taller. Two rounds of
  // pieces, short with tall, even that out.
  const int64_t n = g.columns, pieces = 2 * getNumThreads(pool);
  const int64_t grain = 3 * selectKernel<T>().lanes;
  auto bound = [&](int64_t piece) {
    int64_t grains = (n + grain - 1) / grain;
    return std::min(n, grains * piece / pieces * grain);
  };
  parallelFor(pool, pieces / 2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t pair = begin; pair < end; ++pair)
      for (int64_t piece : {pair, pieces - 1 - pair}) {
        int64_t first = bound(piece), last = bound(piece + 1);
        if (first == last)
          continue;
        // Rows below `last` are below the diagonal in all these columns.
        MatrixRef<const T> left = a.transposed();
        Product<T>(left.block(0, 0, last, left.columns),
                   a.block(0, first, a.rows, last - first),
                   g.block(0, first, last, last - first), false)
            .run(true, 0, first);
      }
  });
  constexpr int64_t tile = 32;
  for (int64_t i0 = 0; i0 < n; i0 += tile)
    for (int64_t j0 = 0; j0 <= i0; j0 += tile)
      for (int64_t i = i0; i < std::min(i0 + tile, n); ++i)
        for (int64_t j = j0; j < std::min(j0 + tile, i); ++j)
          g(i, j) = g(j, i);
}

void multiply(MatrixRef<const float> a, MatrixRef<const float> b,
              MatrixRef<float> c, bool accumulate, ThreadPoolInterface *pool) {
  multiplyImpl(a, b, c, accumulate, pool);
}
void multiply(MatrixRef<const double> a, MatrixRef<const double> b,
              MatrixRef<double> c, bool accumulate, ThreadPoolInterface *pool) {
  multiplyImpl(a, b, c, accumulate, pool);
}
void gram(MatrixRef<const float> a, MatrixRef<float> g,
          ThreadPoolInterface *pool) {
  gramImpl(a, g, pool);
}
void gram(MatrixRef<const double> a, MatrixRef<double> g,
          ThreadPoolInterface *pool) {
  gramImpl(a, g, pool);
}

} // namespace compress::numerics::detail
