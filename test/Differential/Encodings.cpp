//===- Encodings.cpp - Random encoded operands and what they denote -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Written without the library's tensor functions, builders and kernels: only
// the scalar rules of Affine.h, which have tests of their own, are shared.

#include "Encodings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace compress::numerics;

namespace differential {

int64_t getNumElements(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

Affine Affine::random(Random &random, int64_t rank) {
  Affine affine;
  static constexpr unsigned widths[] = {2, 3, 4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 16};
  affine.format.bits = widths[pick(random, 0, std::size(widths) - 1)];
  affine.format.isSigned = chance(random, 0.7);
  affine.asymmetric = chance(random, 0.4);
  affine.format.narrow =
      affine.format.isSigned && !affine.asymmetric && chance(random, 0.8);
  static constexpr ScaleType types[] = {ScaleType::F32, ScaleType::F32,
                                        ScaleType::F16, ScaleType::BF16};
  affine.scaleType = types[pick(random, 0, 3)];
  if (chance(random, 0.4))
    return affine;
  static constexpr int64_t blocks[] = {-1, -1, -1, 1, 1, 8, 16, 32, 12, 3};
  for (int64_t dim = 0; dim < rank; ++dim)
    affine.block.push_back(blocks[pick(random, 0, std::size(blocks) - 1)]);
  return affine;
}

static void printBlock(llvm::raw_ostream &os, const Shape &block) {
  os << '[';
  llvm::ListSeparator comma;
  for (int64_t size : block) {
    os << comma;
    if (size == -1)
      os << '*';
    else
      os << size;
  }
  os << ']';
}

std::string Affine::getText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "#compress.affine<" << (format.isSigned ? "i" : "ui") << format.bits;
  if (asymmetric)
    os << ", asymmetric";
  else if (format.isSigned && !format.narrow)
    os << ", full_range";
  if (!block.empty()) {
    os << ", block = ";
    printBlock(os, block);
  }
  if (scaleType != ScaleType::F32)
    os << ", scale = " << (scaleType == ScaleType::F16 ? "f16" : "bf16");
  os << '>';
  return text;
}

NM NM::random(Random &random, int64_t rank, bool nested) {
  NM nm;
  static constexpr std::pair<unsigned, unsigned> kinds[] = {
      {2, 4}, {2, 4}, {1, 2}, {1, 4}, {4, 8}, {3, 5}, {5, 16}};
  std::tie(nm.n, nm.m) = kinds[pick(random, 0, std::size(kinds) - 1)];
  nm.dim = pick(random, 0, rank - 1);
  if (nested)
    nm.values = Affine::random(random, rank);
  return nm;
}

std::string NM::getText() const {
  std::string text = "#compress.nm<" + std::to_string(n) + ":" +
                     std::to_string(m) + ", dim = " + std::to_string(dim);
  if (values)
    text += ", values = " + values->getText();
  return text + ">";
}

/// Calls `visit` with every index of `shape`, row-major.
template <typename Visit>
static void forEachIndex(const Shape &shape, Visit &&visit) {
  Shape index(shape.size(), 0);
  for (int64_t i = 0, e = getNumElements(shape); i < e; ++i) {
    visit(i, index);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

std::vector<double> encode(const Affine &affine, llvm::ArrayRef<float> values,
                           const Shape &shape) {
  // Ranges by group.
  Shape grid;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    grid.push_back(affine.getBlock(dim) == -1
                       ? 1
                       : llvm::divideCeil(shape[dim], affine.getBlock(dim)));
  auto getGroup = [&](const Shape &index) {
    int64_t group = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      group =
          group * grid[dim] +
          (affine.getBlock(dim) == -1 ? 0 : index[dim] / affine.getBlock(dim));
    return group;
  };
  std::vector<float> low(getNumElements(grid), 0), high(low.size(), 0);
  forEachIndex(shape, [&](int64_t i, const Shape &index) {
    if (!std::isfinite(values[i]))
      return;
    int64_t group = getGroup(index);
    low[group] = std::min(low[group], values[i]);
    high[group] = std::max(high[group], values[i]);
  });
  std::vector<double> denoted(values.size());
  forEachIndex(shape, [&](int64_t i, const Shape &index) {
    int64_t group = getGroup(index);
    AffineParams params = chooseParams(low[group], high[group], affine.format,
                                       !affine.asymmetric, affine.scaleType);
    denoted[i] = dequantize(quantize(values[i], params, affine.format), params);
  });
  return denoted;
}

/// dense<...> : tensor<...> of integers, one element a byte, or of floats.
template <typename T>
static void printDense(llvm::raw_ostream &os, const Shape &shape,
                       llvm::ArrayRef<T> values, llvm::StringRef type) {
  os << "dense<";
  if (!values.empty())
    os << "\"0x"
       << llvm::toHex(
              llvm::ArrayRef(reinterpret_cast<const uint8_t *>(values.data()),
                             values.size() * sizeof(T)))
       << "\"";
  os << "> : tensor<";
  for (int64_t size : shape)
    os << size << 'x';
  os << type << '>';
}

/// Codes of any width up to 16 bits.
static void printCodes(llvm::raw_ostream &os, const Shape &shape,
                       llvm::ArrayRef<int32_t> codes, unsigned bits) {
  std::string type = "i" + std::to_string(bits);
  if (bits <= 8) {
    std::vector<uint8_t> bytes(codes.begin(), codes.end());
    for (uint8_t &byte : bytes)
      byte &= (1u << bits) - 1;
    printDense(os, shape, llvm::ArrayRef<uint8_t>(bytes), type);
    return;
  }
  std::vector<uint16_t> words(codes.begin(), codes.end());
  printDense(os, shape, llvm::ArrayRef<uint16_t>(words), type);
}

std::vector<double> makeRandomCodes(Random &random, const Affine &affine,
                                    const Shape &shape, std::string &text) {
  Shape padded, grid, keptGrid;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t block = affine.getBlock(dim);
    int64_t count = block == -1 ? 1 : llvm::divideCeil(shape[dim], block);
    padded.push_back(block == -1 ? shape[dim] : count * block);
    grid.push_back(count);
    if (block != -1)
      keptGrid.push_back(count);
  }
  int64_t groups = getNumElements(grid);
  std::vector<float> scales(groups);
  std::vector<int32_t> points(groups, 0);
  for (int64_t group = 0; group < groups; ++group) {
    scales[group] = std::ldexp(1.0f, static_cast<int>(pick(random, -6, 6)));
    if (affine.asymmetric)
      points[group] = static_cast<int32_t>(
          pick(random, affine.format.getMin(), affine.format.getMax()));
  }
  std::vector<int32_t> codes(getNumElements(padded));
  std::vector<double> denoted;
  forEachIndex(padded, [&](int64_t i, const Shape &index) {
    int64_t group = 0;
    bool inside = true;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      group =
          group * grid[dim] +
          (affine.getBlock(dim) == -1 ? 0 : index[dim] / affine.getBlock(dim));
      inside &= index[dim] < shape[dim];
    }
    // Ends of the range are where sums overflow: often take them.
    codes[i] = chance(random, 0.3)
                   ? (chance(random, 0.5) ? affine.format.getMin()
                                          : affine.format.getMax())
                   : static_cast<int32_t>(pick(random, affine.format.getMin(),
                                               affine.format.getMax()));
    if (!inside)
      codes[i] = points[group];
    else
      denoted.push_back(static_cast<double>(codes[i] - points[group]) *
                        scales[group]);
  });
  llvm::raw_string_ostream os(text);
  os << "#compress.encoded<[";
  printCodes(os, padded, codes, affine.format.bits);
  os << ", ";
  printDense(os, keptGrid, llvm::ArrayRef<float>(scales), "f32");
  if (affine.asymmetric) {
    os << ", ";
    printCodes(os, keptGrid, points, affine.format.bits);
  }
  os << "]>";
  return denoted;
}

/// The positions that a group keeps, ascending.
static llvm::SmallVector<unsigned> selectGroup(const NM &nm,
                                               llvm::ArrayRef<float> group) {
  llvm::SmallVector<unsigned> order(nm.m);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::abs(group[a]) > std::abs(group[b]);
  });
  llvm::SmallVector<unsigned> kept;
  for (unsigned i = 0; i < nm.n; ++i)
    if (group[order[i]] != 0)
      kept.push_back(order[i]);
  for (unsigned i = nm.m - nm.n; kept.size() < nm.n; ++i)
    if (!llvm::is_contained(kept, i))
      kept.push_back(i);
  llvm::sort(kept);
  return kept;
}

std::vector<double> encode(const NM &nm, llvm::ArrayRef<float> values,
                           const Shape &shape) {
  int64_t outer = 1, size = shape[nm.dim], inner = 1;
  for (int64_t dim = 0; dim < nm.dim; ++dim)
    outer *= shape[dim];
  for (size_t dim = nm.dim + 1; dim < shape.size(); ++dim)
    inner *= shape[dim];
  int64_t groups = llvm::divideCeil(size, nm.m);
  Shape storedShape = shape;
  storedShape[nm.dim] = groups * nm.n;
  std::vector<float> stored(outer * groups * nm.n * inner, 0);
  /// For each stored value the element that it is, or -1 behind the end.
  std::vector<int64_t> source(stored.size(), -1);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t i = 0; i < inner; ++i) {
        auto element = [&](unsigned position) -> int64_t {
          int64_t k = g * nm.m + position;
          return k < size ? (o * size + k) * inner + i : -1;
        };
        llvm::SmallVector<float> group;
        for (unsigned position = 0; position < nm.m; ++position)
          group.push_back(element(position) < 0 ? 0.0f
                                                : values[element(position)]);
        for (auto [j, position] : llvm::enumerate(selectGroup(nm, group))) {
          int64_t to = (o * groups * nm.n + g * nm.n + j) * inner + i;
          stored[to] = group[position];
          source[to] = element(position);
        }
      }
  std::vector<double> numbers =
      nm.values ? encode(*nm.values, stored, storedShape)
                : std::vector<double>(stored.begin(), stored.end());
  std::vector<double> denoted(values.size(), 0.0);
  for (size_t i = 0; i < numbers.size(); ++i)
    if (source[i] >= 0)
      denoted[source[i]] = numbers[i];
  return denoted;
}

} // namespace differential
