//===- UnstructuredSparsityBench.cpp - Magnitude selection, signs ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/Binary.h"
#include "compress/Numerics/UnstructuredSparsity.h"

#include "llvm/Support/Error.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

Row select("sparsity.select.f32", "16Mi", [](State &state) {
  const std::vector<float> values = makeNormal(16 << 20);
  std::vector<uint8_t> mask(values.size());
  for (auto _ : state)
    cantFail(selectLargest<float>(StridedSpan<const float>(values),
                                  values.size() / 10, mask, getPool()));
  setBytes(state, 4.0 * values.size());
});

Row binary("binary.encode.row", "4096x4096", [](State &state) {
  const std::vector<float> values = makeNormal(16 << 20);
  std::vector<uint8_t> bits(values.size() / 8);
  std::vector<float> scales(4096);
  for (auto _ : state)
    cantFail(binarize<float>({values.data(), 4096, 4096}, 4096, bits, scales,
                             getPool()));
  setBytes(state, 4.0 * values.size(), 4.0 * values.size() + bits.size());
});

} // namespace
