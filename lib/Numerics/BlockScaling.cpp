//===- BlockScaling.cpp - Minifloat blocks with shared scales: MX, NVFP4 --===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BlockScaling.h"

#include "BlockScalingKernels.h"
#include "MinifloatKernels.h"
#include "TileAccess.h"

#include "compress/Numerics/Parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Lines of blocks
//===----------------------------------------------------------------------===//

template <typename T>
static Error checkLines(StridedLines<T> lines, const char *name) {
  if (lines.numLines < 0 || lines.lineSize < 0)
    return createStringError("%s have a negative size", name);
  if (lines.numLines > 0 && lines.lineSize > 0 && !lines.data)
    return createStringError("%s have elements but no data", name);
  return Error::success();
}

/// Values of `valueLines` x `valueSize`, with their codes and scales.
static Error checkBlocks(int64_t valueLines, int64_t valueSize,
                         StridedLines<const uint8_t> codes,
                         StridedLines<const uint8_t> scales,
                         int64_t blockSize) {
  if (blockSize < 1 || blockSize > maxScalingBlock)
    return createStringError("block size must be in [1, %lld], but is %lld",
                             static_cast<long long>(maxScalingBlock),
                             static_cast<long long>(blockSize));
  if (Error error = checkLines(codes, "the code lines"))
    return error;
  if (Error error = checkLines(scales, "the scale lines"))
    return error;
  const int64_t numBlocks = getNumBlocks(valueSize, blockSize);
  if (codes.numLines != valueLines || scales.numLines != valueLines)
    return createStringError(
        "expected %lld lines of codes and of scales, but got %lld and %lld",
        static_cast<long long>(valueLines),
        static_cast<long long>(codes.numLines),
        static_cast<long long>(scales.numLines));
  if (codes.lineSize != valueSize && codes.lineSize != numBlocks * blockSize)
    return createStringError(
        "expected code lines of %lld or, padded, %lld elements, but got %lld",
        static_cast<long long>(valueSize),
        static_cast<long long>(numBlocks * blockSize),
        static_cast<long long>(codes.lineSize));
  if (scales.lineSize != numBlocks)
    return createStringError("expected %lld scales per line, but got %lld",
                             static_cast<long long>(numBlocks),
                             static_cast<long long>(scales.lineSize));
  return Error::success();
}

namespace {
/// A part of a line: whole blocks, at most tileSize elements, of which the last
/// may be padding.
struct BlockTile {
  int64_t line;
  int64_t firstBlock;
  int64_t numBlocks;
  int64_t firstElement;
  int64_t numElements;
};
} // namespace

/// Calls body(tile) for all tiles of the lines.
static void forEachTile(ThreadPoolInterface *pool, int64_t numLines,
                        int64_t lineSize, int64_t blockSize,
                        function_ref<void(const BlockTile &)> body) {
  const int64_t blocksPerLine = getNumBlocks(lineSize, blockSize);
  const int64_t blocksPerTile = tileSize / blockSize;
  const int64_t tilesPerLine = getNumChunks(blocksPerLine, blocksPerTile);
  if (tilesPerLine == 0)
    return;
  const int64_t elementsPerTile = std::min(lineSize, blocksPerTile * blockSize);
  forEachChunk(pool, numLines * tilesPerLine,
               parallelChunkSize / elementsPerTile,
               [&](int64_t, int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   BlockTile tile;
                   tile.line = i / tilesPerLine;
                   tile.firstBlock = i % tilesPerLine * blocksPerTile;
                   tile.numBlocks =
                       std::min(blocksPerTile, blocksPerLine - tile.firstBlock);
                   tile.firstElement = tile.firstBlock * blockSize;
                   tile.numElements = std::min(tile.numBlocks * blockSize,
                                               lineSize - tile.firstElement);
                   body(tile);
                 }
               });
}

/// The elements of a tile in place or in `buffer`, padded with zeros.
template <typename T>
static const ComputeType<T> *
loadBlocks(StridedSpan<const T> line, const BlockTile &tile, int64_t blockSize,
           ComputeType<T> *buffer) {
  const ComputeType<T> *values =
      loadTile(line, tile.firstElement, tile.numElements, buffer);
  const int64_t padded = tile.numBlocks * blockSize;
  if (tile.numElements == padded)
    return values;
  if (values != buffer)
    std::copy(values, values + tile.numElements, buffer);
  std::fill(buffer + tile.numElements, buffer + padded, ComputeType<T>(0));
  return buffer;
}

//===----------------------------------------------------------------------===//
// MX scales
//===----------------------------------------------------------------------===//

static MinifloatFormat getFormat(MXElement element) {
  switch (element) {
  case MXElement::E4M3FN:
    return MinifloatFormat::E4M3FN;
  case MXElement::E5M2:
    return MinifloatFormat::E5M2;
  case MXElement::E3M2:
    return MinifloatFormat::E3M2;
  case MXElement::E2M3:
    return MinifloatFormat::E2M3;
  case MXElement::E2M1:
  case MXElement::Int8:
    break;
  }
  return MinifloatFormat::E2M1;
}

uint8_t chooseMXScale(double absMax, MXElement element, MXScaleMode mode) {
  if (!std::isfinite(absMax))
    return 255;
  // Int8 has the numbers k/64, up to 127/64 = 1.984375.
  int largestExponent = 0;
  unsigned mantissaBits = 6;
  double largest = 127.0 / 64.0;
  if (element != MXElement::Int8) {
    const MinifloatTraits &traits = getTraits(getFormat(element));
    largestExponent = traits.largestExponent;
    mantissaBits = traits.mantissaBits;
    largest = traits.largest;
  }
  constexpr uint64_t mantissaMask = (uint64_t(1) << 52) - 1;
  const uint64_t bits = detail::bitCast<uint64_t>(absMax);
  const uint64_t mantissa = bits & mantissaMask;
  // Zero and f64 subnormal numbers come out below every exponent, too.
  const int floorLog2 = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  const int exponent = floorLog2 - largestExponent;
  if (exponent > 127)
    return 255;
  bool isLarger = false;
  switch (mode) {
  case MXScaleMode::Floor:
    break;
  case MXScaleMode::RCeil:
    isLarger = mantissa > (detail::bitCast<uint64_t>(largest) & mantissaMask);
    break;
  case MXScaleMode::Ceil:
    isLarger = mantissa != 0;
    break;
  case MXScaleMode::Even:
    isLarger = mantissa + (uint64_t(1) << (51 - mantissaBits)) > mantissaMask;
    break;
  }
  return static_cast<uint8_t>(
      std::clamp(exponent + (isLarger ? 1 : 0), -127, 127) + 127);
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

namespace {

/// The factor that kernels replace whole blocks by zero for.
constexpr float zeroBlock = 0.0f;

/// How MX chooses scales and scales elements.
struct MXRule {
  MXElement element;
  MXScaleMode mode;

  /// The scale's code; `factor` becomes what elements are multiplied by.
  uint8_t choose(double absMax, double &factor) const {
    uint8_t scale = chooseMXScale(absMax, element, mode);
    factor = scale == 255 ? zeroBlock : std::ldexp(1.0, 127 - scale);
    return scale;
  }
  uint8_t choose(float absMax, float &factor) const {
    uint8_t scale = chooseMXScale(absMax, element, mode);
    // 2^(127 - scale): from 2^-127, which is subnormal, to 2^127.
    uint32_t bits = scale == 254 ? 0x00400000u : (254u - scale) << 23;
    factor = scale == 255 ? zeroBlock : detail::bitCast<float>(bits);
    return scale;
  }
  static double apply(double value, double factor) { return value * factor; }
  static auto getKernel(const BlockScalingKernels &kernels) {
    return kernels.multiply;
  }
};

/// How NVFP4 does.
struct NVFP4Rule {
  float tensorScale;
  MinifloatEncoder encoder = getEncoder(MinifloatFormat::E4M3FN, true);
  MinifloatDecoder decoder = getDecoder(MinifloatFormat::E4M3FN);

  /// `factor` becomes what elements are divided by.
  template <typename T>
  uint8_t choose(T absMax, T &factor) const {
    factor = zeroBlock;
    if (!std::isfinite(absMax))
      return 0x7F;
    T scale = absMax / T(6) / static_cast<T>(tensorScale);
    scale = std::clamp(scale, T(0x1p-6), T(448));
    float rounded;
    if constexpr (std::is_same_v<T, double>)
      rounded = roundToOdd(scale);
    else
      rounded = scale;
    uint32_t code = encodeBits(detail::bitCast<uint32_t>(rounded), encoder);
    factor = static_cast<T>(detail::bitCast<float>(decodeBits(code, decoder))) *
             tensorScale;
    return static_cast<uint8_t>(code);
  }
  static double apply(double value, double factor) { return value / factor; }
  static auto getKernel(const BlockScalingKernels &kernels) {
    return kernels.divide;
  }
};

} // namespace

/// Chooses the scales of f32 blocks and writes the scaled elements.
template <typename Rule>
static void scaleTile(const float *values, int64_t numBlocks, int64_t blockSize,
                      const Rule &rule, uint8_t *scales, float *scaled) {
  const BlockScalingKernels &kernels = getBlockScalingKernels();
  uint32_t magnitudes[tileSize];
  float factors[tileSize];
  kernels.absMax(values, numBlocks, blockSize, magnitudes);
  for (int64_t b = 0; b < numBlocks; ++b)
    scales[b] = rule.choose(detail::bitCast<float>(magnitudes[b]), factors[b]);
  Rule::getKernel(kernels)(values, numBlocks, blockSize, factors, scaled);
}

/// The same for f64: scaled in f64, then rounded to odd.
template <typename Rule>
static void scaleTile(const double *values, int64_t numBlocks,
                      int64_t blockSize, const Rule &rule, uint8_t *scales,
                      float *scaled) {
  for (int64_t b = 0; b < numBlocks; ++b) {
    const double *block = values + b * blockSize;
    double absMax = 0.0;
    for (int64_t i = 0; i < blockSize; ++i) {
      // NaN stays: no comparison with it is true.
      double magnitude = std::fabs(block[i]);
      absMax = absMax >= magnitude || absMax != absMax ? absMax : magnitude;
    }
    double factor;
    scales[b] = rule.choose(absMax, factor);
    for (int64_t i = 0; i < blockSize; ++i)
      scaled[b * blockSize + i] =
          factor == zeroBlock ? 0.0f
                              : roundToOdd(Rule::apply(block[i], factor));
  }
}

/// encode(scaled, count, codes) writes the codes of scaled elements.
template <typename T, typename Rule, typename Encode>
static Error quantizeBlocks(StridedLines<const T> values, const Rule &rule,
                            StridedLines<uint8_t> codes,
                            StridedLines<uint8_t> scales, int64_t blockSize,
                            ThreadPoolInterface *pool, Encode encode) {
  if (Error error = checkLines(values, "the value lines"))
    return error;
  if (Error error = checkBlocks(values.numLines, values.lineSize, codes, scales,
                                blockSize))
    return error;
  forEachTile(
      pool, values.numLines, values.lineSize, blockSize,
      [&](const BlockTile &tile) {
        ComputeType<T> buffer[tileSize];
        float scaled[tileSize];
        uint8_t scaleCodes[tileSize], elementCodes[tileSize];
        const ComputeType<T> *in =
            loadBlocks(values.getLine(tile.line), tile, blockSize, buffer);
        scaleTile(in, tile.numBlocks, blockSize, rule, scaleCodes, scaled);
        const int64_t padded = tile.numBlocks * blockSize;
        encode(scaled, padded, elementCodes);
        storeTile(scales.getLine(tile.line), tile.firstBlock, tile.numBlocks,
                  scaleCodes);
        storeTile(codes.getLine(tile.line), tile.firstElement,
                  std::min(padded, codes.lineSize - tile.firstElement),
                  elementCodes);
      });
  return Error::success();
}

template <typename T>
Error quantizeMX(StridedLines<const T> values, MXElement element,
                 MXScaleMode mode, StridedLines<uint8_t> codes,
                 StridedLines<uint8_t> scales, int64_t blockSize,
                 ThreadPoolInterface *pool) {
  const MXRule rule = {element, mode};
  if (element == MXElement::Int8)
    return quantizeBlocks<T>(
        values, rule, codes, scales, blockSize, pool,
        [&kernels = getBlockScalingKernels()](
            const float *scaled, int64_t count, uint8_t *elementCodes) {
          kernels.encodeInt8(scaled, count, elementCodes);
        });
  const MinifloatEncoder encoder = getEncoder(getFormat(element), true);
  return quantizeBlocks<T>(
      values, rule, codes, scales, blockSize, pool,
      [&encoder, &kernels = getMinifloatKernels()](
          const float *scaled, int64_t count, uint8_t *elementCodes) {
        kernels.encode(scaled, elementCodes, count, encoder);
      });
}

Expected<float> chooseNVFP4TensorScale(double absMax) {
  if (!(absMax >= 0.0 && absMax <= std::numeric_limits<float>::max()))
    return createStringError(
        "the largest magnitude must be a finite f32 number, but is %g", absMax);
  if (absMax == 0.0)
    return 1.0f;
  return std::max(static_cast<float>(absMax) / (448.0f * 6.0f), 0x1p-120f);
}

uint8_t chooseNVFP4BlockScale(float absMax, float tensorScale) {
  float factor;
  return NVFP4Rule{tensorScale}.choose(absMax, factor);
}

uint8_t chooseNVFP4BlockScale(double absMax, float tensorScale) {
  double factor;
  return NVFP4Rule{tensorScale}.choose(absMax, factor);
}

static Error checkTensorScale(float tensorScale) {
  if (std::isfinite(tensorScale) && tensorScale >= 0x1p-120f)
    return Error::success();
  return createStringError(
      "the tensor scale must be finite and at least 2^-120, but is %g; "
      "chooseNVFP4TensorScale gives one",
      tensorScale);
}

template <typename T>
Error quantizeNVFP4(StridedLines<const T> values, float tensorScale,
                    StridedLines<uint8_t> codes, StridedLines<uint8_t> scales,
                    int64_t blockSize, ThreadPoolInterface *pool) {
  if (Error error = checkTensorScale(tensorScale))
    return error;
  const MinifloatEncoder encoder = getEncoder(MinifloatFormat::E2M1, true);
  return quantizeBlocks<T>(
      values, NVFP4Rule{tensorScale}, codes, scales, blockSize, pool,
      [&encoder, &kernels = getMinifloatKernels()](
          const float *scaled, int64_t count, uint8_t *elementCodes) {
        kernels.encode(scaled, elementCodes, count, encoder);
      });
}

//===----------------------------------------------------------------------===//
// Dequantization
//===----------------------------------------------------------------------===//

/// decode(codes, count, elements) decodes elements, combine(element, scale)
/// multiplies by the scale, given as its code.
template <typename T, typename Decode, typename Combine>
static Error dequantizeBlocks(StridedLines<const uint8_t> codes,
                              StridedLines<const uint8_t> scales,
                              StridedLines<T> values, int64_t blockSize,
                              ThreadPoolInterface *pool, Decode decode,
                              Combine combine) {
  if (Error error = checkLines(values, "the value lines"))
    return error;
  if (Error error = checkBlocks(values.numLines, values.lineSize, codes, scales,
                                blockSize))
    return error;
  forEachTile(
      pool, values.numLines, values.lineSize, blockSize,
      [&](const BlockTile &tile) {
        uint8_t elementCodes[tileSize];
        float elements[tileSize];
        StridedSpan<const uint8_t> codeLine = codes.getLine(tile.line);
        StridedSpan<const uint8_t> scaleLine = scales.getLine(tile.line);
        StridedSpan<T> valueLine = values.getLine(tile.line);
        for (int64_t i = 0; i < tile.numElements; ++i)
          elementCodes[i] = codeLine[tile.firstElement + i];
        decode(elementCodes, tile.numElements, elements);
        for (int64_t b = 0; b < tile.numBlocks; ++b) {
          const int64_t begin = b * blockSize;
          const int64_t end = std::min(begin + blockSize, tile.numElements);
          combine(elements + begin, end - begin, scaleLine[tile.firstBlock + b],
                  valueLine.slice(tile.firstElement + begin, end - begin));
        }
      });
  return Error::success();
}

/// out = element * scale, computed in C and rounded to T.
template <typename C, typename T>
static void multiplyBlock(const float *elements, int64_t count, C scale,
                          StridedSpan<T> out) {
  for (int64_t i = 0; i < count; ++i) {
    C product = static_cast<C>(elements[i]) * scale;
    if constexpr (std::is_same_v<T, double>)
      out[i] = product;
    else
      out[i] = narrow<T>(static_cast<float>(product));
  }
}

template <typename T>
Error dequantizeMX(StridedLines<const uint8_t> codes,
                   StridedLines<const uint8_t> scales, MXElement element,
                   StridedLines<T> values, int64_t blockSize,
                   ThreadPoolInterface *pool) {
  auto combine = [](const float *elements, int64_t count, uint8_t scale,
                    StridedSpan<T> out) {
    float factor = decodeMinifloat(scale, MinifloatFormat::E8M0);
    multiplyBlock<ComputeType<T>>(elements, count, ComputeType<T>(factor), out);
  };
  if (element == MXElement::Int8)
    return dequantizeBlocks(
        codes, scales, values, blockSize, pool,
        [&kernels = getBlockScalingKernels()](const uint8_t *elementCodes,
                                              int64_t count, float *elements) {
          kernels.decodeInt8(elementCodes, count, elements);
        },
        combine);
  const MinifloatDecoder decoder = getDecoder(getFormat(element));
  return dequantizeBlocks(
      codes, scales, values, blockSize, pool,
      [&decoder, &kernels = getMinifloatKernels()](
          const uint8_t *elementCodes, int64_t count, float *elements) {
        kernels.decode(elementCodes, elements, count, decoder);
      },
      combine);
}

template <typename T>
Error dequantizeNVFP4(StridedLines<const uint8_t> codes,
                      StridedLines<const uint8_t> scales, float tensorScale,
                      StridedLines<T> values, int64_t blockSize,
                      ThreadPoolInterface *pool) {
  if (Error error = checkTensorScale(tensorScale))
    return error;
  const MinifloatDecoder decoder = getDecoder(MinifloatFormat::E2M1);
  return dequantizeBlocks(
      codes, scales, values, blockSize, pool,
      [&decoder, &kernels = getMinifloatKernels()](
          const uint8_t *elementCodes, int64_t count, float *elements) {
        kernels.decode(elementCodes, elements, count, decoder);
      },
      [tensorScale](const float *elements, int64_t count, uint8_t scale,
                    StridedSpan<T> out) {
        // 28 bits: exact in f64, as is its product with an element.
        double factor = static_cast<double>(
                            decodeMinifloat(scale, MinifloatFormat::E4M3FN)) *
                        tensorScale;
        multiplyBlock<double>(elements, count, factor, out);
      });
}

#define COMPRESS_INSTANTIATE(T)                                                \
  template Error quantizeMX<T>(StridedLines<const T>, MXElement, MXScaleMode,  \
                               StridedLines<uint8_t>, StridedLines<uint8_t>,   \
                               int64_t, ThreadPoolInterface *);                \
  template Error dequantizeMX<T>(                                              \
      StridedLines<const uint8_t>, StridedLines<const uint8_t>, MXElement,     \
      StridedLines<T>, int64_t, ThreadPoolInterface *);                        \
  template Error quantizeNVFP4<T>(                                             \
      StridedLines<const T>, float, StridedLines<uint8_t>,                     \
      StridedLines<uint8_t>, int64_t, ThreadPoolInterface *);                  \
  template Error dequantizeNVFP4<T>(                                           \
      StridedLines<const uint8_t>, StridedLines<const uint8_t>, float,         \
      StridedLines<T>, int64_t, ThreadPoolInterface *);
COMPRESS_INSTANTIATE(float)
COMPRESS_INSTANTIATE(double)
COMPRESS_INSTANTIATE(Half)
COMPRESS_INSTANTIATE(BFloat16)
#undef COMPRESS_INSTANTIATE

} // namespace compress::numerics
