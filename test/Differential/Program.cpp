//===- Program.cpp - Random programs with encoded operands ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace differential {

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static int64_t pickSize(Random &random) {
  static constexpr int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 5, 6};
  if (chance(random, 0.03))
    return 0;
  return sizes[pick(random, 0, std::size(sizes) - 1)];
}

/// Reductions are longer, so that blocks have something to divide.
static int64_t pickReduction(Random &random) {
  static constexpr int64_t sizes[] = {1,  3,  8,  16, 24, 31,
                                      32, 33, 40, 64, 70, 96};
  if (chance(random, 0.02))
    return 0;
  return sizes[pick(random, 0, std::size(sizes) - 1)];
}

static Index loop(unsigned number) { return {{{number, 1}}}; }
static llvm::SmallVector<Index> loops(std::initializer_list<unsigned> list) {
  llvm::SmallVector<Index> map;
  for (unsigned number : list)
    map.push_back(loop(number));
  return map;
}

static Op makeMatmul(Random &random) {
  Op op;
  op.loopSizes = {pickSize(random), pickSize(random), pickReduction(random)};
  op.isReduction = {false, false, true};
  op.maps[0] = loops({0, 2});
  op.maps[1] = loops({2, 1});
  op.maps[2] = loops({0, 1});
  op.name = "linalg.matmul";
  if (chance(random, 0.4)) {
    op.maps[1] = loops({1, 2});
    op.name += " indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
               "affine_map<(m, n, k) -> (n, k)>, "
               "affine_map<(m, n, k) -> (m, n)>]";
  }
  return op;
}

static Op makeBatchMatmul(Random &random) {
  Op op;
  op.name = "linalg.batch_matmul";
  op.loopSizes = {pick(random, 1, 3), pickSize(random), pickSize(random),
                  pickReduction(random)};
  op.isReduction = {false, false, false, true};
  op.maps[0] = loops({0, 1, 3});
  op.maps[1] = loops({0, 3, 2});
  op.maps[2] = loops({0, 1, 2});
  return op;
}

static Op makeMatvec(Random &random) {
  Op op;
  bool vecmat = chance(random, 0.5);
  op.name = vecmat ? "linalg.vecmat" : "linalg.matvec";
  op.loopSizes = {pickSize(random), pickReduction(random)};
  op.isReduction = {false, true};
  op.maps[0] = vecmat ? loops({1}) : loops({0, 1});
  op.maps[1] = vecmat ? loops({1, 0}) : loops({1});
  op.maps[2] = loops({0});
  return op;
}

/// A window index: position * stride + tap * dilation.
static Index window(unsigned position, int64_t stride, unsigned tap,
                    int64_t dilation) {
  return {{{position, stride}, {tap, dilation}}};
}

static std::string getConvAttributes(int64_t stride, int64_t dilation,
                                     unsigned rank) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << " {dilations = dense<" << dilation << "> : tensor<" << rank
     << "xi64>, strides = dense<" << stride << "> : tensor<" << rank
     << "xi64>}";
  return text;
}

static Op makeConv(Random &random) {
  Op op;
  int64_t stride = pick(random, 1, 2), dilation = pick(random, 1, 2);
  enum { NhwcHwcf, NchwFchw, Depthwise, Grouped, OneD };
  int64_t kind = pick(random, NhwcHwcf, OneD);
  int64_t n = pick(random, 1, 2), h = pick(random, 1, 4),
          w = pick(random, 1, 4);
  int64_t kh = pick(random, 1, 3), kw = pick(random, 1, 3);
  int64_t channels = pick(random, 1, 9), filters = pick(random, 1, 9);
  switch (kind) {
  case NhwcHwcf:
  case NchwFchw: {
    // n, h, w, f, kh, kw, c
    op.loopSizes = {n, h, w, filters, kh, kw, channels};
    op.isReduction = {false, false, false, false, true, true, true};
    Index row = window(1, stride, 4, dilation);
    Index column = window(2, stride, 5, dilation);
    if (kind == NhwcHwcf) {
      op.name = "linalg.conv_2d_nhwc_hwcf";
      op.maps[0] = {loop(0), row, column, loop(6)};
      op.maps[1] = loops({4, 5, 6, 3});
      op.maps[2] = loops({0, 1, 2, 3});
    } else {
      op.name = "linalg.conv_2d_nchw_fchw";
      op.maps[0] = {loop(0), loop(6), row, column};
      op.maps[1] = loops({3, 6, 4, 5});
      op.maps[2] = loops({0, 3, 1, 2});
    }
    break;
  }
  case Depthwise:
    // n, h, w, c, kh, kw
    op.name = "linalg.depthwise_conv_2d_nhwc_hwc";
    op.loopSizes = {n, h, w, channels, kh, kw};
    op.isReduction = {false, false, false, false, true, true};
    op.maps[0] = {loop(0), window(1, stride, 4, dilation),
                  window(2, stride, 5, dilation), loop(3)};
    op.maps[1] = loops({4, 5, 3});
    op.maps[2] = loops({0, 1, 2, 3});
    break;
  case Grouped:
    // n, g, f, h, w, c, kh, kw
    op.name = "linalg.conv_2d_ngchw_gfchw";
    op.loopSizes = {n, pick(random, 1, 3), filters, h, w, channels, kh, kw};
    op.isReduction = {false, false, false, false, false, true, true, true};
    op.maps[0] = {loop(0), loop(1), loop(5), window(3, stride, 6, dilation),
                  window(4, stride, 7, dilation)};
    op.maps[1] = loops({1, 2, 5, 6, 7});
    op.maps[2] = loops({0, 1, 2, 3, 4});
    break;
  default:
    // n, w, f, kw, c
    op.name = "linalg.conv_1d_nwc_wcf";
    op.loopSizes = {n, pick(random, 1, 8), filters, kw, channels};
    op.isReduction = {false, false, false, true, true};
    op.maps[0] = {loop(0), window(1, stride, 3, dilation), loop(4)};
    op.maps[1] = loops({3, 4, 2});
    op.maps[2] = loops({0, 1, 2});
    break;
  }
  op.name += getConvAttributes(stride, dilation, kind == OneD ? 1 : 2);
  return op;
}

/// A generic over parallel m, n, b and reductions k, l with shuffled
/// dimensions.
static Op makeGeneric(Random &random) {
  Op op;
  op.loopSizes = {pickSize(random), pickSize(random), pick(random, 1, 3),
                  pickReduction(random), pick(random, 1, 4)};
  op.isReduction = {false, false, false, true, true};
  llvm::SmallVector<unsigned> sides[3] = {
      {0, 2, 3, 4}, {1, 2, 3, 4}, {0, 1, 2}};
  for (unsigned side = 0; side < 3; ++side) {
    std::shuffle(sides[side].begin(), sides[side].end(), random);
    for (unsigned number : sides[side])
      op.maps[side].push_back(loop(number));
  }
  llvm::raw_string_ostream os(op.name);
  os << "linalg.generic {indexing_maps = [";
  llvm::ListSeparator comma;
  for (auto &side : sides) {
    os << comma << "affine_map<(d0, d1, d2, d3, d4) -> (";
    llvm::ListSeparator inner;
    for (unsigned number : side)
      os << inner << "d" << number;
    os << ")>";
  }
  os << "], iterator_types = [\"parallel\", \"parallel\", \"parallel\", "
        "\"reduction\", \"reduction\"]}";
  op.region = " {\n  ^bb0(%p: f32, %q: f32, %o: f32):\n"
              "    %m = arith.mulf %p, %q : f32\n"
              "    %s = arith.addf %o, %m : f32\n"
              "    linalg.yield %s : f32\n  }";
  return op;
}

Op Op::random(Random &random) {
  switch (pick(random, 0, 6)) {
  case 0:
  case 1:
    return makeMatmul(random);
  case 2:
    return makeBatchMatmul(random);
  case 3:
    return makeMatvec(random);
  case 4:
  case 5:
    return makeConv(random);
  default:
    return makeGeneric(random);
  }
}

Shape Op::getShape(unsigned operand) const {
  Shape shape;
  for (const Index &index : maps[operand]) {
    int64_t size = 1;
    for (auto [number, coefficient] : index.terms)
      size += (loopSizes[number] - 1) * coefficient;
    shape.push_back(size);
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::vector<float> makeValues(Random &random, int64_t count) {
  std::normal_distribution<float> normal;
  float scale = std::ldexp(1.0f, static_cast<int>(pick(random, -8, 8)));
  bool zeros = chance(random, 0.1);
  std::vector<float> values(count);
  for (float &value : values) {
    value = normal(random) * scale;
    if (zeros && chance(random, 0.7))
      value = 0;
  }
  return values;
}

void Program::choose(Random &random) {
  op = Op::random(random);
  // Some programs are made so that the integer sum shows bit for bit.
  bool exactSums = chance(random, 0.2);
  nested = !exactSums && chance(random, 0.42);
  unsigned side = static_cast<unsigned>(pick(random, 0, 1));
  for (unsigned index : {0u, 1u}) {
    Operand &operand = operands[index];
    Shape shape = op.getShape(index);
    operand.values = makeValues(random, getNumElements(shape));
    operand.denoted.assign(operand.values.begin(), operand.values.end());
    int64_t rank = shape.size();
    if (exactSums) {
      operand.affine = Affine::random(random, rank);
      for (auto [dim, result] : llvm::enumerate(op.maps[index]))
        if (!operand.affine->block.empty() &&
            (result.terms.size() > 1 ||
             op.isReduction[result.terms.front().first]))
          operand.affine->block[dim] = -1;
    } else if (nested && index == side) {
      operand.nm = NM::random(random, rank, /*nested=*/true);
    } else if (chance(random, 0.75)) {
      if (chance(random, 0.12))
        operand.nm = NM::random(random, rank, /*nested=*/false);
      else
        operand.affine = Affine::random(random, rank);
    }
    if (operand.nm) {
      operand.kind = Operand::EncodedConstant;
      operand.denoted = encode(*operand.nm, operand.values, shape);
    } else if (operand.affine && (exactSums || chance(random, 0.4))) {
      operand.kind = Operand::RandomCodes;
      operand.affine->scaleType = compress::numerics::ScaleType::F32;
      operand.denoted =
          makeRandomCodes(random, *operand.affine, shape, operand.encodedText);
    } else if (operand.affine) {
      operand.kind = chance(random, 0.5) ? Operand::EncodedConstant
                                         : Operand::EncodedAtRuntime;
      operand.denoted = encode(*operand.affine, operand.values, shape);
    }
  }
  zeroInit = exactSums || chance(random, 0.5);
  init = zeroInit ? std::vector<float>(getNumElements(op.getShape(2)), 0.0f)
                  : makeValues(random, getNumElements(op.getShape(2)));
}

static std::string getType(const Shape &shape,
                           const llvm::SmallVector<bool> &dynamic,
                           llvm::StringRef encoding) {
  std::string text = "tensor<";
  for (auto [size, isDynamic] : llvm::zip_equal(shape, dynamic))
    text += (isDynamic ? std::string("?") : std::to_string(size)) + "x";
  text += "f32";
  if (!encoding.empty())
    text += ", " + encoding.str();
  return text + ">";
}

/// The float constant and its encoding.
static void writeEncodedConstant(llvm::raw_ostream &os, const Operand &operand,
                                 llvm::StringRef constant,
                                 llvm::StringRef encoded,
                                 llvm::StringRef denseType,
                                 llvm::StringRef encodedType) {
  os << "  " << constant << " = arith.constant dense<";
  if (!operand.values.empty())
    os << "\"0x"
       << llvm::toHex(llvm::ArrayRef(
              reinterpret_cast<const uint8_t *>(operand.values.data()),
              4 * operand.values.size()))
       << "\"";
  os << "> : " << denseType << "\n  " << encoded << " = compress.encode "
     << constant << " : " << denseType << " to " << encodedType << "\n";
}

void Program::writeText(Random &random) {
  llvm::SmallVector<bool> dynamicLoops(op.loopSizes.size(), false);
  if (chance(random, 0.5))
    for (bool &dynamic : dynamicLoops)
      dynamic = chance(random, 0.4);
  for (unsigned index : {0u, 1u, 2u})
    for (const Index &result : op.maps[index])
      dynamic[index].push_back(llvm::any_of(
          result.terms, [&](auto term) { return dynamicLoops[term.first]; }));
  for (unsigned index : {0u, 1u}) {
    Operand &operand = operands[index];
    Shape shape = op.getShape(index);
    // A constant has a static shape; a cast then forgets sizes.
    operand.denseType = getType(shape, dynamic[index], "");
    operand.type =
        operand.kind == Operand::Dense
            ? operand.denseType
            : getType(shape, dynamic[index], operand.getEncodingText());
  }
  std::string outType = getType(op.getShape(2), dynamic[2], "");

  llvm::raw_string_ostream os(text);
  os << "func.func @main(%a: " << operands[0].denseType
     << ", %b: " << operands[1].denseType << ", %c: " << outType << ") -> "
     << outType << " {\n";
  const char *names[] = {"%a", "%b"};
  std::string used[2];
  for (unsigned index : {0u, 1u}) {
    const Operand &operand = operands[index];
    used[index] = names[index];
    if (operand.kind == Operand::EncodedAtRuntime) {
      used[index] += "_encoded";
      os << "  " << used[index] << " = compress.encode " << names[index]
         << " : " << operand.denseType << " to " << operand.type << "\n";
    }
    if (operand.kind != Operand::EncodedConstant &&
        operand.kind != Operand::RandomCodes)
      continue;
    Shape shape = op.getShape(index);
    llvm::SmallVector<bool> fixed(shape.size(), false);
    std::string staticDense = getType(shape, fixed, "");
    std::string staticType = getType(shape, fixed, operand.getEncodingText());
    std::string constant = used[index] + "_constant";
    std::string encoded = used[index] + "_static";
    if (operand.kind == Operand::RandomCodes)
      os << "  " << encoded << " = compress.constant " << operand.encodedText
         << " : " << staticType << "\n";
    else
      writeEncodedConstant(os, operand, constant, encoded, staticDense,
                           staticType);
    used[index] = encoded;
    if (staticType != operand.type) {
      used[index] = names[index] + std::string("_cast");
      os << "  " << used[index] << " = tensor.cast " << encoded << " : "
         << staticType << " to " << operand.type << "\n";
    }
  }
  std::string initName = "%c";
  if (zeroInit) {
    os << "  %zero = arith.constant 0.0 : f32\n  %fill = linalg.fill ins(%zero "
          ": f32) outs(%c : "
       << outType << ") -> " << outType << "\n";
    initName = "%fill";
  }
  os << "  %r = " << op.name << " ins(" << used[0] << ", " << used[1] << " : "
     << operands[0].type << ", " << operands[1].type << ") outs(" << initName
     << " : " << outType << ")" << op.region << " -> " << outType
     << "\n  return %r : " << outType << "\n}\n";
}

/// Row-major position of the element that `map` names at `position`.
static int64_t getOffset(const llvm::SmallVector<Index> &map,
                         const Shape &shape, const Shape &position) {
  int64_t offset = 0;
  for (auto [dim, index] : llvm::enumerate(map)) {
    int64_t element = 0;
    for (auto [number, coefficient] : index.terms)
      element += position[number] * coefficient;
    offset = offset * shape[dim] + element;
  }
  return offset;
}

/// Whether one scale of operand `side` holds along every reduction.
bool Program::hasOneScale(unsigned side) const {
  const Operand &operand = operands[side];
  if (!operand.affine)
    return false;
  Shape shape = op.getShape(side);
  for (auto [dim, index] : llvm::enumerate(op.maps[side]))
    for (auto [number, coefficient] : index.terms)
      if ((op.isReduction[number] || index.terms.size() > 1) &&
          operand.affine->variesAlong(dim, dynamic[side][dim] ? INT64_MAX
                                                              : shape[dim]))
        return false;
  return true;
}

/// The distance between neighbouring f32 around `value`.
static double getUlp(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

void Program::computeExpected() {
  Shape shapes[3] = {op.getShape(0), op.getShape(1), op.getShape(2)};
  int64_t count = getNumElements(shapes[2]);
  std::vector<long double> sums(count, 0), magnitudes(count, 0);
  int64_t terms = 1;
  for (auto [size, isReduction] : llvm::zip_equal(op.loopSizes, op.isReduction))
    terms *= isReduction ? size : 1;
  Shape position(op.loopSizes.size(), 0);
  for (int64_t i = 0, e = getNumElements(op.loopSizes); i < e; ++i) {
    int64_t out = getOffset(op.maps[2], shapes[2], position);
    long double product =
        static_cast<long double>(
            operands[0].denoted[getOffset(op.maps[0], shapes[0], position)]) *
        operands[1].denoted[getOffset(op.maps[1], shapes[1], position)];
    sums[out] += product;
    magnitudes[out] += std::abs(product);
    for (int64_t number = position.size() - 1; number >= 0; --number) {
      if (++position[number] < op.loopSizes[number])
        break;
      position[number] = 0;
    }
  }
  strict = hasOneScale(0) && hasOneScale(1);
  exact = strict && operands[0].kind == Operand::RandomCodes &&
          operands[1].kind == Operand::RandomCodes;
  for (int64_t i = 0; i < count; ++i) {
    double sum = static_cast<double>(sums[i]);
    expected.push_back(static_cast<double>(sums[i] + init[i]));
    // Two units of the scaled sum; and one of the addition to `init`.
    double bound = 2 * getUlp(sum);
    // The integer sum, bit for bit: all else is exact, but for one rounding of
    // sums above 24 bits.
    if (exact)
      bound = std::abs(static_cast<float>(sum) - sum);
    if (!zeroInit)
      bound += getUlp(expected.back());
    // gamma_n of the terms: n products and sums, the rounding of both decoded
    // operands and of the scales, and the initial value.
    if (!strict)
      bound += (terms + 8) * std::ldexp(1.0, -24) *
               static_cast<double>(magnitudes[i] + std::abs(init[i]));
    tolerance.push_back(bound);
  }
}

Program Program::random(uint64_t seed) {
  Random random(seed);
  Program program;
  program.choose(random);
  program.writeText(random);
  program.computeExpected();
  return program;
}

} // namespace differential
