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
#include <limits>

using compress::numerics::ScaleType;

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

/// Sizes around those of tiles, in primes and in parts of tiles.
static int64_t pickEdge(Random &random) {
  static constexpr int64_t sizes[] = {1,  1,  2,  3,  5,  7,  8,  13,
                                      15, 16, 17, 29, 31, 32, 33, 47,
                                      48, 49, 63, 64, 65, 67, 97, 130};
  if (chance(random, 0.02))
    return 0;
  return sizes[pick(random, 0, std::size(sizes) - 1)];
}

static int64_t pickEdgeReduction(Random &random) {
  static constexpr int64_t sizes[] = {1,  2,   3,   4,   5,   7,   8,  17,
                                      31, 32,  33,  40,  63,  64,  65, 97,
                                      96, 120, 127, 128, 129, 160, 257};
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

Op Op::randomForKernels(Random &random) {
  int64_t kind = pick(random, 0, 9);
  Op op = kind < 5   ? makeMatmul(random)
          : kind < 6 ? makeBatchMatmul(random)
          : kind < 8 ? makeMatvec(random)
          : kind < 9 ? makeConv(random)
                     : makeGeneric(random);
  if (kind == 8) {
    // Windows wider than a tile of rows, and channels in whole steps.
    if (op.loopSizes.size() == 5)
      op.loopSizes[1] = pick(random, 1, 40);
    return op;
  }
  for (auto [size, isReduction] : llvm::zip_equal(op.loopSizes, op.isReduction))
    if (op.loopSizes.size() <= 3 || size > 4)
      size = isReduction ? pickEdgeReduction(random) : pickEdge(random);
  return op;
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

/// Codes of 8 bits, with a scale for each element of the parallel dimensions or
/// one for all.
static Affine makeRows(Random &random, const Op &op, unsigned side) {
  Affine affine;
  affine.format.bits = 8;
  affine.format.isSigned = chance(random, 0.75);
  affine.asymmetric = chance(random, 0.3);
  affine.format.narrow =
      affine.format.isSigned && !affine.asymmetric && chance(random, 0.8);
  if (chance(random, 0.2))
    return affine;
  for (const Index &result : op.maps[side])
    affine.block.push_back(result.terms.size() > 1 ||
                                   op.isReduction[result.terms.front().first]
                               ? -1
                               : 1);
  return affine;
}

/// Codes of 2 to 8 bits with scales for columns, or for blocks of the longest
/// reduction too.
static Affine makeWeights(Random &random, const Op &op, unsigned side) {
  Affine affine;
  static constexpr unsigned widths[] = {2, 3, 4, 4, 4, 5, 6, 7, 8, 8, 8};
  affine.format.bits = widths[pick(random, 0, std::size(widths) - 1)];
  affine.format.isSigned = chance(random, 0.7);
  affine.asymmetric = chance(random, 0.35);
  affine.format.narrow =
      affine.format.isSigned && !affine.asymmetric && chance(random, 0.5);
  static constexpr ScaleType types[] = {ScaleType::F32, ScaleType::F16,
                                        ScaleType::BF16};
  affine.scaleType = types[pick(random, 0, 2)];
  if (chance(random, 0.1))
    return affine;
  static constexpr int64_t blocks[] = {8, 16, 32, 32, 64, 128};
  int64_t block =
      chance(random, 0.3) ? -1 : blocks[pick(random, 0, std::size(blocks) - 1)];
  int64_t longest = -1;
  for (const Index &result : op.maps[side]) {
    unsigned number = result.terms.front().first;
    if (op.isReduction[number] &&
        (longest < 0 || op.loopSizes[number] > op.loopSizes[longest]))
      longest = number;
  }
  for (const Index &result : op.maps[side]) {
    unsigned number = result.terms.front().first;
    affine.block.push_back(static_cast<int64_t>(number) == longest ? block
                           : op.isReduction[number]                ? -1
                                                                   : 1);
  }
  return affine;
}

/// Some rows of the last dimension get what quantization at run time must cope
/// with.
static void addSpecialRows(Random &random, std::vector<float> &values,
                           int64_t row) {
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  for (size_t start = 0; row > 0 && start + row <= values.size();
       start += row) {
    if (!chance(random, 0.3))
      continue;
    float factors[] = {0.0f, 0x1p-140f, 0x1p-126f, 0x1p-70f, 0x1p80f, -0.0f};
    float factor = factors[pick(random, 0, std::size(factors) - 1)];
    for (int64_t k = 0; k < row; ++k)
      values[start + k] *= factor;
    float specials[] = {infinity, -infinity, -0.0f,
                        std::numeric_limits<float>::quiet_NaN(),
                        -std::numeric_limits<float>::quiet_NaN()};
    if (chance(random, 0.5))
      values[start + pick(random, 0, row - 1)] =
          specials[pick(random, 0, std::size(specials) - 1)];
  }
}

void Program::chooseForKernels(Random &random) {
  op = Op::randomForKernels(random);
  // Weights may also stand on the left; the kernel then has them on its right.
  unsigned weights = chance(random, 0.85) ? 1 : 0;
  bool exactSums = chance(random, 0.2);
  bool floatWeights = !exactSums && chance(random, 0.15);
  for (unsigned index : {0u, 1u}) {
    Operand &operand = operands[index];
    Shape shape = op.getShape(index);
    operand.values = makeValues(random, getNumElements(shape));
    if (index == weights && floatWeights) {
      // As an argument, or as codes that are not constant.
      operand.denoted.assign(operand.values.begin(), operand.values.end());
      continue;
    }
    if (index != weights &&
        (floatWeights || (!exactSums && chance(random, 0.3)))) {
      operand.denoted.assign(operand.values.begin(), operand.values.end());
      continue;
    }
    operand.affine = index == weights ? makeWeights(random, op, index)
                                      : makeRows(random, op, index);
    if (exactSums && !operand.affine->block.empty())
      for (auto [dim, result] : llvm::enumerate(op.maps[index]))
        if (result.terms.size() > 1 ||
            op.isReduction[result.terms.front().first])
          operand.affine->block[dim] = -1;
    if (exactSums || chance(random, 0.25)) {
      operand.kind = Operand::RandomCodes;
      operand.affine->scaleType = compress::numerics::ScaleType::F32;
      operand.denoted =
          makeRandomCodes(random, *operand.affine, shape, operand.encodedText);
      continue;
    }
    operand.kind =
        index == weights ? Operand::EncodedConstant : Operand::EncodedAtRuntime;
    if (operand.kind == Operand::EncodedAtRuntime && chance(random, 0.3) &&
        !shape.empty())
      addSpecialRows(random, operand.values, shape.back());
    operand.denoted = encode(*operand.affine, operand.values, shape);
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
    // A product and a sum for each of the blocks, of all of them at most.
    blockRounding.push_back(
        terms > 128 ? 2 * static_cast<double>(llvm::divideCeil(terms, 128)) *
                          std::ldexp(static_cast<double>(magnitudes[i]), -24)
                    : 0);
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

/// Kernels add up products with zero points, which unsigned codes have too, in
/// blocks of 128 at most, whose sums are f32: a rounding of each.
void Program::allowBlocks() {
  auto hasPoints = [](const Operand &operand) {
    return operand.affine &&
           (operand.affine->asymmetric || !operand.affine->format.isSigned);
  };
  if (exact || !llvm::any_of(operands, hasPoints))
    return;
  for (size_t i = 0; i < tolerance.size(); ++i)
    tolerance[i] += blockRounding[i];
}

Program Program::randomForKernels(uint64_t seed) {
  Random random(seed);
  Program program;
  program.chooseForKernels(random);
  program.writeText(random);
  program.computeExpected();
  program.allowBlocks();
  return program;
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
