//===- NMSparsityBench.cpp - N:M structured sparsity ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/NMSparsity.h"
#include "compress/Numerics/TransposableMask.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::ArrayRef;
using llvm::cantFail;

namespace {

constexpr double weightBytes = 4.0 * 4096 * 4096;

void selectAlong(State &state, int64_t dim, unsigned n, unsigned m) {
  std::vector<float> values = makeNormal(4096 * 4096);
  NMLayout layout = cantFail(NMLayout::get(n, m, {4096, 4096}, dim));
  std::vector<uint8_t> indices(layout.getNumStored());
  for (auto _ : state)
    cantFail(selectNM(ArrayRef<float>(values), layout, indices, getThreads()));
  setBytes(state, weightBytes, weightBytes + indices.size());
}

Row select24("nm.select.2:4.last", "4096x4096",
             [](State &state) { selectAlong(state, 1, 2, 4); });
Row select24First("nm.select.2:4.first", "4096x4096",
                  [](State &state) { selectAlong(state, 0, 2, 4); });
Row select48("nm.select.4:8.last", "4096x4096",
             [](State &state) { selectAlong(state, 1, 4, 8); });

Row gather24("nm.gather.2:4.last", "4096x4096", [](State &state) {
  std::vector<float> values = makeNormal(4096 * 4096);
  NMLayout layout = cantFail(NMLayout::get(2, 4, {4096, 4096}, 1));
  std::vector<uint8_t> indices(layout.getNumStored());
  std::vector<float> stored(layout.getNumStored());
  cantFail(selectNM(ArrayRef<float>(values), layout, indices));
  for (auto _ : state)
    cantFail(gatherNM(
        {reinterpret_cast<char *>(values.data()), values.size() * 4}, layout, 4,
        indices, {reinterpret_cast<char *>(stored.data()), stored.size() * 4},
        getThreads()));
  setBytes(state, weightBytes, weightBytes * 1.625);
});

Row transposable("nm.transposable.2:4", "4096x4096", [](State &state) {
  std::vector<float> values = makeNormal(4096 * 4096);
  std::vector<uint8_t> mask(values.size());
  for (auto _ : state)
    cantFail(selectTransposable24(ArrayRef<float>(values), 4096, 4096, mask,
                                  getThreads()));
  setBytes(state, weightBytes, weightBytes * 1.25);
});

} // namespace
