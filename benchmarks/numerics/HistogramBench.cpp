//===- HistogramBench.cpp - Streaming, exactly mergeable histograms -------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/Histogram.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

/// Rows for one kind of histogram, named `name`.
struct KindRows {
  Row bins2048, bins4096, merge;
  KindRows(const std::string &name, Histogram::Kind kind)
      : bins2048("histogram." + name + ".2048", "64MiB",
                 [=](State &state) { runAdd(state, kind, 2048); }),
        bins4096("histogram." + name + ".4096", "64MiB",
                 [=](State &state) { runAdd(state, kind, 4096); }),
        merge("histogram.merge." + name + ".2048", "1000", [=](State &state) {
          Histogram part = cantFail(Histogram::create(kind, 2048));
          cantFail(part.add<float>(makeNormal(100000)));
          for (auto _ : state) {
            Histogram sum = cantFail(Histogram::create(kind, 2048));
            for (int i = 0; i < 1000; ++i)
              cantFail(sum.merge(part));
            benchmark::DoNotOptimize(sum.getCounts().data());
          }
          setRate(state, 1000 * 2048 * 1e-9, "Gbin/s");
        }) {}

  static void runAdd(State &state, Histogram::Kind kind, int64_t numBins) {
    std::vector<float> values = makeNormal(16 << 20);
    for (auto _ : state) {
      Histogram histogram = cantFail(Histogram::create(kind, numBins));
      cantFail(histogram.add<float>(values, getPool()));
      benchmark::DoNotOptimize(histogram.getCounts().data());
    }
    setBytes(state, 64 << 20, 64 << 20);
  }
};

KindRows absoluteRows("absolute", Histogram::Kind::Absolute);
KindRows signedRows("signed", Histogram::Kind::Signed);

} // namespace
