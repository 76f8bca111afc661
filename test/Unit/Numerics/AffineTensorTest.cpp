//===- AffineTensorTest.cpp - Affine quantization of tensors --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/AffineTensor.h"
#include "compress/Numerics/HalfFloat.h"
#include "compress/Numerics/InstructionSet.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace compress::numerics;
using llvm::ArrayRef;
using llvm::Error;
using llvm::MutableArrayRef;
using Sizes = llvm::SmallVector<int64_t>;

namespace {

/// A tensor in one of the float kinds, also as f64 (exactly).
struct Tensor {
  FloatBuffer::Kind kind;
  std::vector<char> bytes;
  std::vector<double> numbers;

  Tensor(FloatBuffer::Kind kind, int64_t count)
      : kind(kind), bytes(count * FloatBuffer::getElementBytes(kind) + 1),
        numbers(count) {}

  // One byte on, so that nothing relies on alignment.
  FloatBuffer view() const {
    return {kind, bytes.data() + 1, static_cast<int64_t>(numbers.size())};
  }
  MutableFloatBuffer mutableView() {
    return {kind, bytes.data() + 1, static_cast<int64_t>(numbers.size())};
  }

  template <typename T>
  void put(int64_t i, T bits) {
    std::memcpy(bytes.data() + 1 + i * sizeof(T), &bits, sizeof(T));
  }
  template <typename T>
  T at(int64_t i) const {
    T bits;
    std::memcpy(&bits, bytes.data() + 1 + i * sizeof(T), sizeof(T));
    return bits;
  }
  void set(int64_t i, double value) {
    switch (kind) {
    case FloatBuffer::F16:
      put(i, doubleToHalf(value));
      break;
    case FloatBuffer::BF16:
      put(i, doubleToBFloat(value));
      break;
    case FloatBuffer::F32:
      put(i, static_cast<float>(value));
      break;
    case FloatBuffer::F64:
      put(i, value);
      break;
    }
    load();
  }
  double read(int64_t i) const {
    switch (kind) {
    case FloatBuffer::F16:
      return halfToFloat(at<uint16_t>(i));
    case FloatBuffer::BF16:
      return bfloatToFloat(at<uint16_t>(i));
    case FloatBuffer::F32:
      return at<float>(i);
    case FloatBuffer::F64:
      break;
    }
    return at<double>(i);
  }
  void load() {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = read(i);
  }
};

constexpr FloatBuffer::Kind allKinds[] = {FloatBuffer::F16, FloatBuffer::BF16,
                                          FloatBuffer::F32, FloatBuffer::F64};

Tensor makeRandom(FloatBuffer::Kind kind, int64_t count, unsigned seed) {
  Tensor tensor(kind, count);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.1, 1.0);
  const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-40, 6e4};
  for (int64_t i = 0; i < count; ++i) {
    double value = random() % 50 == 0 ? special[random() % 7] : normal(random);
    switch (kind) {
    case FloatBuffer::F16:
      tensor.put(i, doubleToHalf(value));
      break;
    case FloatBuffer::BF16:
      tensor.put(i, doubleToBFloat(value));
      break;
    case FloatBuffer::F32:
      tensor.put(i, static_cast<float>(value));
      break;
    case FloatBuffer::F64:
      tensor.put(i, value);
      break;
    }
  }
  tensor.load();
  return tensor;
}

/// Calls fn(padded index, element index or -1, group) for all padded positions,
/// straight from the definition.
template <typename Fn>
void forEachPosition(const BlockLayout &layout, Fn fn) {
  Sizes padded = layout.getPaddedShape();
  const int64_t count = layout.getNumPaddedElements();
  for (int64_t at = 0; at < count; ++at) {
    int64_t rest = at, element = 0, elementStride = 1, group = 0;
    int64_t groupStride = 1;
    bool exists = true;
    for (size_t d = padded.size(); d-- > 0;) {
      int64_t index = rest % padded[d];
      rest /= padded[d];
      exists &= index < layout.shape[d];
      element += index * elementStride;
      elementStride *= layout.shape[d];
      if (layout.block[d] != kWholeDim) {
        group += index / layout.block[d] * groupStride;
        groupStride *=
            (layout.shape[d] + layout.block[d] - 1) / layout.block[d];
      }
    }
    fn(at, exists ? element : -1, group);
  }
}

struct Encoded {
  std::vector<float> scales;
  std::vector<int32_t> zeroPoints;
  std::vector<int32_t> codes;
  bool operator==(const Encoded &other) const {
    return scales == other.scales && zeroPoints == other.zeroPoints &&
           codes == other.codes;
  }
};

template <typename Code>
Encoded encodeAs(FloatBuffer values, const BlockLayout &layout,
                 IntegerFormat format, bool symmetric, unsigned threads) {
  Encoded result;
  result.scales.resize(layout.getNumGroups());
  if (!symmetric)
    result.zeroPoints.resize(layout.getNumGroups());
  llvm::cantFail(chooseTensorParams(values, layout, format, symmetric,
                                    ScaleType::F32, result.scales,
                                    result.zeroPoints, threads));
  std::vector<Code> codes(layout.getNumPaddedElements(), Code(99));
  llvm::cantFail(quantizeTensor(values, layout, format, result.scales,
                                result.zeroPoints, MutableArrayRef<Code>(codes),
                                threads));
  for (Code code : codes)
    result.codes.push_back(format.isSigned
                               ? static_cast<int32_t>(code)
                               : static_cast<std::make_unsigned_t<Code>>(code));
  return result;
}

Encoded encode(FloatBuffer values, const BlockLayout &layout,
               IntegerFormat format, bool symmetric, unsigned threads = 1) {
  return format.bits > 8
             ? encodeAs<int16_t>(values, layout, format, symmetric, threads)
             : encodeAs<int8_t>(values, layout, format, symmetric, threads);
}

/// The same with the scalar functions.
Encoded encodeReference(const Tensor &tensor, const BlockLayout &layout,
                        IntegerFormat format, bool symmetric) {
  Encoded result;
  const int64_t groups = layout.getNumGroups();
  std::vector<double> lows(groups), highs(groups);
  forEachPosition(layout, [&](int64_t, int64_t element, int64_t group) {
    if (element < 0 || !std::isfinite(tensor.numbers[element]))
      return;
    lows[group] = std::min(lows[group], tensor.numbers[element]);
    highs[group] = std::max(highs[group], tensor.numbers[element]);
  });
  for (int64_t group = 0; group < groups; ++group) {
    AffineParams params =
        chooseParams(lows[group], highs[group], format, symmetric);
    result.scales.push_back(params.scale);
    if (!symmetric)
      result.zeroPoints.push_back(params.zeroPoint);
  }
  result.codes.resize(layout.getNumPaddedElements());
  forEachPosition(layout, [&](int64_t at, int64_t element, int64_t group) {
    AffineParams params = {result.scales[group],
                           symmetric ? 0 : result.zeroPoints[group]};
    if (element < 0)
      result.codes[at] = params.zeroPoint;
    else if (tensor.kind == FloatBuffer::F64)
      result.codes[at] = quantize(tensor.numbers[element], params, format);
    else
      result.codes[at] =
          quantize(static_cast<float>(tensor.numbers[element]), params, format);
  });
  return result;
}

struct Case {
  Sizes shape, block;
};

const Case cases[] = {
    {{}, {}},
    {{1}, {1}},
    {{7}, {kWholeDim}},
    {{7}, {3}},
    {{3}, {32}},
    {{0, 5}, {1, 2}},
    {{5, 0}, {kWholeDim, 4}},
    {{33, 70}, {}},
    {{33, 70}, {1, kWholeDim}},
    {{33, 70}, {kWholeDim, 1}},
    {{33, 70}, {1, 32}},
    {{33, 96}, {1, 32}},
    {{33, 70}, {32, 1}},
    {{33, 70}, {1, 1}},
    {{33, 70}, {16, 64}},
    {{33, 70}, {4, kWholeDim}},
    {{33, 70}, {kWholeDim, 16}},
    {{1, 70}, {8, 16}},
    {{1, 70}, {kWholeDim, 16}},
    {{5, 1, 9}, {1, kWholeDim, 4}},
    {{5, 1, 9}, {kWholeDim, 3, 4}},
    {{4, 6, 3, 3}, {1, kWholeDim, kWholeDim, kWholeDim}},
    {{4, 6, 3, 3}, {kWholeDim, 1, kWholeDim, kWholeDim}},
    {{4, 6, 3, 3}, {3, 4, kWholeDim, 2}},
    {{4, 6, 3, 3}, {1, 1, 3, kWholeDim}},
    {{2, 3, 5, 128}, {1, kWholeDim, 2, 128}},
    {{300, 130}, {1, 128}},
};

TEST(AffineTensorTest, EqualsTheScalarFunctions) {
  const IntegerFormat formats[] = {{8, true, false},   {8, false, false},
                                   {4, true, true},    {2, false, false},
                                   {5, true, false},   {16, true, false},
                                   {16, false, false}, {1, true, false}};
  unsigned seed = 0;
  for (InstructionSet limit : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
    limitInstructionSet(limit);
    for (const Case &test : cases)
      for (FloatBuffer::Kind kind : allKinds) {
        BlockLayout layout =
            llvm::cantFail(BlockLayout::get(test.shape, test.block));
        Tensor tensor = makeRandom(kind, layout.getNumElements(), ++seed);
        IntegerFormat format = formats[seed % std::size(formats)];
        for (bool symmetric : {false, true})
          EXPECT_TRUE(encode(tensor.view(), layout, format, symmetric) ==
                      encodeReference(tensor, layout, format, symmetric))
              << "seed " << seed << ", " << format.bits << " bits, rank "
              << test.shape.size();
      }
  }
  limitInstructionSet(InstructionSet::AVX512);
}

TEST(AffineTensorTest, RoundsTiesAndSaturatesInVectorLoops) {
  // All acceptance values in one run that is long enough for vectors.
  const float values[] = {0.5f, 1.5f,  2.5f,   -2.5f,    127.5f,    1e9f,
                          -129, -128,  -127,   -126.5f,  126.5f,    127,
                          128,  1e10f, -1e10f, INFINITY, -INFINITY, NAN};
  const int8_t expected[] = {0,    2,   2,   -2,  127, 127,  -128, -128, -127,
                             -126, 126, 127, 127, 127, -128, 127,  -128, 0};
  std::vector<float> many;
  for (int i = 0; i < 20; ++i)
    many.insert(many.end(), std::begin(values), std::end(values));
  BlockLayout layout =
      llvm::cantFail(BlockLayout::get({static_cast<int64_t>(many.size())}, {}));
  for (InstructionSet limit : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
    limitInstructionSet(limit);
    std::vector<int8_t> codes(many.size());
    float scale = 1;
    llvm::cantFail(quantizeTensor(ArrayRef<float>(many), layout, {}, scale, {},
                                  MutableArrayRef<int8_t>(codes)));
    for (size_t i = 0; i < codes.size(); ++i)
      EXPECT_EQ(codes[i], expected[i % std::size(expected)]) << i;
  }
  limitInstructionSet(InstructionSet::AVX512);
}

TEST(AffineTensorTest, DoesNotDependOnTheNumberOfThreads) {
  const Case large[] = {{{700, 513}, {}},
                        {{700, 513}, {kWholeDim, 1}},
                        {{700, 513}, {1, 32}},
                        {{700, 513}, {256, kWholeDim}},
                        {{2, 200000}, {1, kWholeDim}},
                        {{359100}, {3}}};
  for (const Case &test : large) {
    BlockLayout layout =
        llvm::cantFail(BlockLayout::get(test.shape, test.block));
    Tensor tensor = makeRandom(FloatBuffer::F32, layout.getNumElements(), 3);
    IntegerFormat format = {4, true, false};
    Encoded once = encode(tensor.view(), layout, format, false, 1);
    for (unsigned threads : {0u, 2u, 3u, 8u, 31u})
      EXPECT_TRUE(encode(tensor.view(), layout, format, false, threads) == once)
          << threads;
  }
}

TEST(AffineTensorTest, SplatEqualsExpanded) {
  for (const Case &test : cases)
    for (FloatBuffer::Kind kind : allKinds)
      for (double value : {1.25, -3.0, 0.0, double(NAN), double(-INFINITY)}) {
        BlockLayout layout =
            llvm::cantFail(BlockLayout::get(test.shape, test.block));
        Tensor one(kind, 1), all(kind, layout.getNumElements());
        one.set(0, value);
        for (size_t i = 0; i < all.numbers.size(); ++i)
          std::copy(one.bytes.begin() + 1, one.bytes.end(),
                    all.bytes.begin() + 1 +
                        i * FloatBuffer::getElementBytes(kind));
        FloatBuffer splat = one.view();
        splat.splat = true;
        IntegerFormat format = {8, true, false};
        EXPECT_TRUE(encode(splat, layout, format, false) ==
                    encode(all.view(), layout, format, false));
      }
}

TEST(AffineTensorTest, SlabsEqualTheWhole) {
  BlockLayout layout = llvm::cantFail(BlockLayout::get({50, 45}, {4, 16}));
  Tensor tensor = makeRandom(FloatBuffer::BF16, layout.getNumElements(), 9);
  IntegerFormat format = {4, false, false};
  Encoded whole = encode(tensor.view(), layout, format, false), pieces;
  for (int64_t row = 0; row < 50; row += 12) {
    RowSlab slab =
        llvm::cantFail(layout.getRowSlab(row, std::min<int64_t>(row + 12, 50)));
    Encoded piece = encode(
        tensor.view().slice(slab.firstElement, slab.layout.getNumElements()),
        slab.layout, format, false);
    EXPECT_EQ(static_cast<int64_t>(pieces.scales.size()), slab.firstGroup);
    EXPECT_EQ(static_cast<int64_t>(pieces.codes.size()),
              slab.firstPaddedElement);
    auto append = [](auto &to, auto &from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(pieces.scales, piece.scales);
    append(pieces.zeroPoints, piece.zeroPoints);
    append(pieces.codes, piece.codes);
  }
  EXPECT_TRUE(whole == pieces);
  // With a whole dimension 0 the ranges accumulate.
  layout = llvm::cantFail(BlockLayout::get({50, 45}, {kWholeDim, 1}));
  std::vector<float> lows(45), highs(45), allLows(45), allHighs(45);
  llvm::cantFail(updateGroupRanges(tensor.view(), layout, allLows, allHighs));
  for (int64_t row = 0; row < 50; row += 10) {
    RowSlab slab = llvm::cantFail(layout.getRowSlab(row, row + 10));
    llvm::cantFail(updateGroupRanges(
        tensor.view().slice(slab.firstElement, slab.layout.getNumElements()),
        slab.layout, lows, highs));
  }
  EXPECT_EQ(lows, allLows);
  EXPECT_EQ(highs, allHighs);
}

/// `value` rounded once to `kind`, as f64.
double roundTo(double value, FloatBuffer::Kind kind) {
  const llvm::fltSemantics &semantics =
      kind == FloatBuffer::F16    ? llvm::APFloat::IEEEhalf()
      : kind == FloatBuffer::BF16 ? llvm::APFloat::BFloat()
      : kind == FloatBuffer::F32  ? llvm::APFloat::IEEEsingle()
                                  : llvm::APFloat::IEEEdouble();
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

TEST(AffineTensorTest, DequantizesWithOneRounding) {
  unsigned seed = 100;
  for (InstructionSet limit : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
    limitInstructionSet(limit);
    for (const Case &test : cases)
      for (FloatBuffer::Kind kind : allKinds)
        for (unsigned bits : {8u, 16u})
          for (bool isSigned : {false, true}) {
            BlockLayout layout =
                llvm::cantFail(BlockLayout::get(test.shape, test.block));
            IntegerFormat format = {bits, isSigned, false};
            std::mt19937 random(++seed);
            std::vector<float> scales(layout.getNumGroups());
            std::vector<int32_t> zeroPoints(random() % 3 ? layout.getNumGroups()
                                                         : 0);
            // From subnormal f16 and bf16 results to overflowing ones.
            for (float &scale : scales)
              scale = std::ldexp(1.0f + random() * 0x1p-32f,
                                 seed % 2 ? int(random() % 40) - 35
                                          : int(random() % 260) - 135);
            for (int32_t &zero : zeroPoints)
              zero = format.getMin() +
                     random() % (format.getMax() - format.getMin() + 1);
            std::vector<int8_t> narrow(layout.getNumPaddedElements());
            std::vector<int16_t> wide(narrow.size());
            for (size_t i = 0; i < wide.size(); ++i)
              narrow[i] = wide[i] = random();
            Tensor out(kind, layout.getNumElements());
            Error error =
                bits == 8
                    ? dequantizeTensor(ArrayRef<int8_t>(narrow), layout, format,
                                       scales, zeroPoints, out.mutableView(), 2)
                    : dequantizeTensor(ArrayRef<int16_t>(wide), layout, format,
                                       scales, zeroPoints, out.mutableView(),
                                       2);
            ASSERT_FALSE(static_cast<bool>(error));
            forEachPosition(layout, [&](int64_t at, int64_t element,
                                        int64_t group) {
              if (element < 0)
                return;
              int32_t code =
                  bits == 16
                      ? (isSigned ? int32_t(wide[at]) : uint16_t(wide[at]))
                      : (isSigned ? int32_t(narrow[at]) : uint8_t(narrow[at]));
              AffineParams params = {
                  scales[group], zeroPoints.empty() ? 0 : zeroPoints[group]};
              EXPECT_EQ(out.read(element),
                        roundTo(dequantize(code, params), kind));
            });
          }
  }
  limitInstructionSet(InstructionSet::AVX512);
}

TEST(AffineTensorTest, FakeQuantizationIsBothWays) {
  unsigned seed = 900;
  std::vector<Case> all(std::begin(cases), std::end(cases));
  // Blocks larger than what is kept in between.
  all.push_back({{3, 9000}, {1, kWholeDim}});
  all.push_back({{3, 9000}, {1, 5000}});
  for (const Case &test : all)
    for (FloatBuffer::Kind kind : allKinds)
      for (unsigned bits : {4u, 12u}) {
        BlockLayout layout =
            llvm::cantFail(BlockLayout::get(test.shape, test.block));
        Tensor tensor = makeRandom(kind, layout.getNumElements(), ++seed);
        IntegerFormat format = {bits, seed % 2 == 0, false};
        std::vector<float> scales(layout.getNumGroups());
        std::vector<int32_t> zeroPoints(scales.size());
        llvm::cantFail(chooseTensorParams(tensor.view(), layout, format, false,
                                          ScaleType::F32, scales, zeroPoints));
        Tensor expected(FloatBuffer::F32, tensor.numbers.size());
        auto goBothWays = [&](auto codes) {
          llvm::cantFail(quantizeTensor(tensor.view(), layout, format, scales,
                                        zeroPoints, MutableArrayRef(codes)));
          llvm::cantFail(dequantizeTensor(ArrayRef(codes), layout, format,
                                          scales, zeroPoints,
                                          expected.mutableView()));
        };
        if (bits > 8)
          goBothWays(std::vector<int16_t>(layout.getNumPaddedElements()));
        else
          goBothWays(std::vector<int8_t>(layout.getNumPaddedElements()));
        Tensor actual(FloatBuffer::F32, tensor.numbers.size());
        llvm::cantFail(fakeQuantizeTensor(tensor.view(), layout, format, scales,
                                          zeroPoints, actual.mutableView(), 2));
        EXPECT_EQ(actual.bytes, expected.bytes);
        if (kind != FloatBuffer::F32)
          continue;
        llvm::cantFail(fakeQuantizeTensor(tensor.view(), layout, format, scales,
                                          zeroPoints, tensor.mutableView()));
        EXPECT_EQ(tensor.bytes, expected.bytes);
      }
}

TEST(AffineTensorTest, SmallBlocksOfAnyMagnitudeGiveUsableParameters) {
  // Blocks with a largest magnitude that underflows when it is divided, one
  // with a NaN, one of zeros, and one of the largest numbers.
  const float huge = std::numeric_limits<float>::max() / 2;
  const float magnitudes[] = {1e-40f, 2.8e-36f, 1e-45f, NAN, 0, huge};
  std::vector<float> values(32 * std::size(magnitudes));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = magnitudes[i / 32] * (i % 32 == 5 ? 1.0f : -0.25f);
  values[3 * 32] = 1.0f;
  BlockLayout layout =
      llvm::cantFail(BlockLayout::get({std::size(magnitudes), 32}, {1, 32}));
  for (bool symmetric : {false, true}) {
    std::vector<float> scales(layout.getNumGroups()), back(values.size());
    std::vector<int32_t> zeroPoints(scales.size());
    std::vector<int8_t> codes(values.size());
    IntegerFormat format;
    llvm::cantFail(chooseTensorParams(ArrayRef<float>(values), layout, format,
                                      symmetric, ScaleType::F32, scales,
                                      zeroPoints));
    llvm::cantFail(quantizeTensor(ArrayRef<float>(values), layout, format,
                                  scales, zeroPoints,
                                  MutableArrayRef<int8_t>(codes)));
    llvm::cantFail(dequantizeTensor(ArrayRef<int8_t>(codes), layout, format,
                                    scales, zeroPoints,
                                    MutableArrayRef<float>(back)));
    for (float scale : scales)
      EXPECT_TRUE(std::isnormal(scale));
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(std::isfinite(back[i])) << i;
      if (!std::isnan(values[i]))
        EXPECT_LE(std::abs(double(back[i]) - values[i]),
                  i / 32 == 3 ? 0.01 : double(magnitudes[i / 32]));
      else
        EXPECT_EQ(back[i], 0.0f);
    }
  }
}

TEST(AffineTensorTest, ErrorIsAtMostHalfAScaleAndQuantizationIsIdempotent) {
  unsigned seed = 500;
  for (const Case &test : cases)
    for (unsigned bits : {2u, 3u, 4u, 6u, 8u, 12u, 16u}) {
      BlockLayout layout =
          llvm::cantFail(BlockLayout::get(test.shape, test.block));
      IntegerFormat format = {bits, true, bits % 3 == 0};
      std::mt19937 random(++seed);
      std::uniform_real_distribution<double> uniform(-3, 5);
      std::vector<double> values(layout.getNumElements()), back(values.size());
      for (double &value : values)
        value = static_cast<float>(uniform(random));
      std::vector<float> scales(layout.getNumGroups());
      llvm::cantFail(chooseTensorParams(ArrayRef<double>(values), layout,
                                        format, true, ScaleType::F32, scales,
                                        {}));
      auto roundTrip = [&](std::vector<double> &in, auto &codes) {
        llvm::cantFail(quantizeTensor(ArrayRef<double>(in), layout, format,
                                      scales, {}, MutableArrayRef(codes)));
        llvm::cantFail(dequantizeTensor(ArrayRef(codes), layout, format, scales,
                                        {}, MutableArrayRef<double>(back)));
      };
      auto check = [&](auto codes) {
        roundTrip(values, codes);
        forEachPosition(layout, [&](int64_t, int64_t element, int64_t group) {
          if (element >= 0)
            EXPECT_LE(std::abs(back[element] - values[element]),
                      scales[group] * 0.5 * (1 + 1e-6));
        });
        auto again = codes;
        std::vector<double> denoted = back;
        roundTrip(denoted, again);
        EXPECT_EQ(codes, again);
      };
      if (bits > 8)
        check(std::vector<int16_t>(layout.getNumPaddedElements()));
      else
        check(std::vector<int8_t>(layout.getNumPaddedElements()));
    }
}

TEST(AffineTensorTest, SaysWhatIsWrong) {
  std::vector<float> values(8);
  std::vector<int8_t> codes(8);
  std::vector<int16_t> wideCodes(8);
  BlockLayout layout = llvm::cantFail(BlockLayout::get({2, 4}, {1, kWholeDim}));
  auto message = [&](std::vector<float> scales, std::vector<int32_t> zeroPoints,
                     IntegerFormat format = {}) {
    return llvm::toString(quantizeTensor(ArrayRef<float>(values), layout,
                                         format, scales, zeroPoints,
                                         MutableArrayRef<int8_t>(codes)));
  };
  EXPECT_EQ(message({1, 1}, {300, 0}),
            "zero point 0 is 300, which is outside of the range [-128, 127] of "
            "the format");
  EXPECT_EQ(message({1, 0}, {}),
            "scale 1 must be positive and finite, but is 0");
  EXPECT_NE(message({NAN, 1}, {}), "");
  EXPECT_NE(message({-1, 1}, {}), "");
  EXPECT_NE(message({INFINITY, 1}, {}), "");
  EXPECT_EQ(message({1}, {}), "expected 2 scales, but got 1");
  EXPECT_EQ(message({1, 1}, {0}), "expected 2 zero points, but got 1");
  EXPECT_EQ(message({1, 1}, {}, {17, true, false}),
            "integer format must have 1 to 16 bits, but has 17");
  EXPECT_NE(message({1, 1}, {}, {0, true, false}), "");
  EXPECT_EQ(message({1, 1}, {}, {9, true, false}),
            "codes of 9 bits are stored in 16 bits, not 8");
  values.pop_back();
  EXPECT_EQ(message({1, 1}, {}), "expected 8 elements, but got 7");
  values.push_back(0);
  codes.pop_back();
  EXPECT_EQ(message({1, 1}, {}), "expected 8 codes, but got 7");
  codes.push_back(0);
  EXPECT_EQ(message({1, 1}, {0, 127}), "");
  std::vector<float> scales(2);
  EXPECT_EQ(
      llvm::toString(chooseTensorParams(ArrayRef<float>(values), layout, {},
                                        false, ScaleType::F32, scales, {})),
      "expected 2 zero points, but got 0");
  layout.block[1] = 0;
  EXPECT_NE(message({1, 1}, {}), "");
}

} // namespace
