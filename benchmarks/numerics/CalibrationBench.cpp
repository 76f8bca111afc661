//===- CalibrationBench.cpp - Clipping thresholds from histograms ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/Calibration.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

Histogram makeHistogram(Histogram::Kind kind, int64_t numBins) {
  Histogram histogram = cantFail(Histogram::create(kind, numBins));
  cantFail(histogram.add<float>(makeNormal(1 << 20)));
  return histogram;
}

Row tensorRT("calibrate.entropy.tensorrt", "2048", [](State &state) {
  Histogram histogram = makeHistogram(Histogram::Kind::Absolute, 2048);
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(
        computeTensorRTEntropyThreshold(histogram.getView(), {}, getPool())));
  setRate(state, 1, "search/s");
});

Row onnxRuntime("calibrate.entropy.onnxruntime", "2048", [](State &state) {
  Histogram histogram = makeHistogram(Histogram::Kind::Signed, 2048);
  for (auto _ : state)
    benchmark::DoNotOptimize(cantFail(computeONNXRuntimeEntropyThreshold(
        histogram.getView(), 128, getPool())));
  setRate(state, 1, "search/s");
});

Row mse("calibrate.mse", "2048", [](State &state) {
  Histogram histogram = makeHistogram(Histogram::Kind::Absolute, 2048);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cantFail(computeMSEThreshold(histogram.getView(), {}, getPool())));
  setRate(state, 1, "search/s");
});

} // namespace
