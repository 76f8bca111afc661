//===- AffineTensorBench.cpp - Affine quantization of tensors -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/AffineTensor.h"
#include "compress/Numerics/BitPacking.h"
#include "llvm/Support/ThreadPool.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::ArrayRef;
using llvm::cantFail;
using llvm::MutableArrayRef;

namespace {

/// 4096x4096 f32 weights (64 MiB, beyond every cache) in one granularity.
struct Weights {
  static constexpr int64_t count = 4096 * 4096;
  static constexpr double bytes = 4.0 * count;
  std::vector<float> values = makeNormal(count);
  BlockLayout layout;
  IntegerFormat format;
  bool symmetric;
  std::vector<float> scales;
  std::vector<int32_t> zeroPoints;
  std::vector<int8_t> codes;

  Weights(ArrayRef<int64_t> block, IntegerFormat format, bool symmetric)
      : layout(cantFail(BlockLayout::get({4096, 4096}, block))), format(format),
        symmetric(symmetric), scales(layout.getNumGroups()),
        zeroPoints(symmetric ? 0 : layout.getNumGroups()), codes(count) {
    choose();
    quantize();
  }
  void choose() {
    cantFail(chooseTensorParams(ArrayRef<float>(values), layout, format,
                                symmetric, ScaleType::F32, scales, zeroPoints,
                                getThreads()));
  }
  void quantize() {
    cantFail(quantizeTensor(ArrayRef<float>(values), layout, format, scales,
                            zeroPoints, MutableArrayRef<int8_t>(codes),
                            getThreads()));
  }
  void dequantize() {
    cantFail(dequantizeTensor(ArrayRef<int8_t>(codes), layout, format, scales,
                              zeroPoints, MutableArrayRef<float>(values),
                              getThreads()));
  }
};

constexpr IntegerFormat i8 = {8, true, true};
constexpr IntegerFormat u8 = {8, false, false};
constexpr IntegerFormat i4 = {4, true, false};

/// Rows for one granularity, named `suffix`.
struct GranularityRows {
  Row choose, quantize, dequantize;
  GranularityRows(const std::string &suffix, std::vector<int64_t> block,
                  IntegerFormat format, bool symmetric)
      : choose("affine.choose." + suffix, "4096x4096",
               [=](State &state) {
                 Weights weights(block, format, symmetric);
                 for (auto _ : state)
                   weights.choose();
                 setBytes(state, Weights::bytes, Weights::bytes);
               }),
        quantize("affine.quantize." + suffix, "4096x4096",
                 [=](State &state) {
                   Weights weights(block, format, symmetric);
                   for (auto _ : state)
                     weights.quantize();
                   setBytes(state, Weights::bytes, Weights::bytes * 1.25);
                 }),
        dequantize("affine.dequantize." + suffix, "4096x4096",
                   [=](State &state) {
                     Weights weights(block, format, symmetric);
                     for (auto _ : state)
                       weights.dequantize();
                     setBytes(state, Weights::bytes, Weights::bytes * 1.25);
                   }) {}
};

GranularityRows tensorRows("i8.tensor", {kWholeDim, kWholeDim}, i8, true);
GranularityRows rowRows("i8.row", {1, kWholeDim}, i8, true);
GranularityRows columnRows("u8.column", {kWholeDim, 1}, u8, false);
GranularityRows blockRows("i4.block32", {1, 32}, i4, true);

Row encodeBlocks("affine.encode.i4.block32", "4096x4096", [](State &state) {
  // Slab by slab, with the parameters and the packing, as weights are encoded.
  Weights weights({1, 32}, i4, true);
  std::vector<uint8_t> packed(Weights::count / 2);
  const int64_t slabRows = 64;
  // One pool for all slabs: a number of threads would make one for each call.
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(getThreads()));
  Threads threads(getThreads() > 1 ? &pool : nullptr);
  for (auto _ : state)
    for (int64_t row = 0; row < 4096; row += slabRows) {
      RowSlab slab = cantFail(weights.layout.getRowSlab(row, row + slabRows));
      const int64_t count = slab.layout.getNumElements();
      FloatBuffer values =
          FloatBuffer(weights.values).slice(slab.firstElement, count);
      auto scales = MutableArrayRef(weights.scales)
                        .slice(slab.firstGroup, slab.layout.getNumGroups());
      auto codes =
          MutableArrayRef(weights.codes).slice(slab.firstPaddedElement, count);
      cantFail(chooseTensorParams(values, slab.layout, i4, true, ScaleType::F32,
                                  scales, {}, threads));
      cantFail(
          quantizeTensor(values, slab.layout, i4, scales, {}, codes, threads));
      cantFail(packBits({reinterpret_cast<uint8_t *>(codes.data()),
                         static_cast<size_t>(count)},
                        slabRows, 4096, 4,
                        MutableArrayRef(packed).slice(
                            slab.firstPaddedElement / 2, count / 2)));
    }
  setBytes(state, Weights::bytes, Weights::bytes);
});

} // namespace
