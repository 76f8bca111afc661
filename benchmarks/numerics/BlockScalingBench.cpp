//===- BlockScalingBench.cpp - MX and NVFP4 blocks ------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/BlockScaling.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

/// 4096x4096 f32 weights in blocks along the rows.
struct Blocks {
  static constexpr int64_t size = 4096;
  static constexpr double bytes = 4.0 * size * size;
  std::vector<float> values = makeNormal(size * size);
  std::vector<uint8_t> codes, scales;
  StridedLines<float> valueLines;
  StridedLines<uint8_t> codeLines, scaleLines;

  explicit Blocks(int64_t blockSize)
      : codes(size * size), scales(size * (size / blockSize)),
        valueLines(values.data(), size, size),
        codeLines(codes.data(), size, size),
        scaleLines(scales.data(), size, size / blockSize) {}
};

/// Rows for one element type, named `name`.
struct MXRows {
  Row quantize, dequantize;
  MXRows(const std::string &name, MXElement element)
      : quantize("mx.quantize." + name, "4096x4096",
                 [=](State &state) {
                   Blocks b(mxBlockSize);
                   for (auto _ : state)
                     cantFail(quantizeMX<float>(
                         b.valueLines, element, MXScaleMode::Floor, b.codeLines,
                         b.scaleLines, mxBlockSize, getPool()));
                   setBytes(state, Blocks::bytes, Blocks::bytes * 1.25);
                 }),
        dequantize("mx.dequantize." + name, "4096x4096", [=](State &state) {
          Blocks b(mxBlockSize);
          cantFail(quantizeMX<float>(b.valueLines, element, MXScaleMode::Floor,
                                     b.codeLines, b.scaleLines));
          for (auto _ : state)
            cantFail(dequantizeMX<float>(b.codeLines, b.scaleLines, element,
                                         b.valueLines, mxBlockSize, getPool()));
          setBytes(state, Blocks::bytes, Blocks::bytes * 1.25);
        }) {}
};

MXRows fp8Rows("e4m3fn", MXElement::E4M3FN);
MXRows fp4Rows("e2m1", MXElement::E2M1);
MXRows int8Rows("int8", MXElement::Int8);

Row nvfp4Quantize("nvfp4.quantize", "4096x4096", [](State &state) {
  Blocks b(nvfp4BlockSize);
  for (auto _ : state)
    cantFail(quantizeNVFP4<float>(b.valueLines, 1e-3f, b.codeLines,
                                  b.scaleLines, nvfp4BlockSize, getPool()));
  setBytes(state, Blocks::bytes, Blocks::bytes * 1.25);
});

} // namespace
