//===- MinifloatBench.cpp - FP8, FP6, FP4 and E8M0 numbers ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "compress/Numerics/Minifloat.h"

using namespace compress::bench;
using namespace compress::numerics;
using llvm::cantFail;

namespace {

constexpr int64_t count = 16 << 20; // 64 MiB of f32
constexpr double bytes = 4.0 * count;

/// Rows for one format, named `name`.
struct FormatRows {
  Row encode, decode, stochastic;
  FormatRows(const std::string &name, MinifloatFormat format)
      : encode("minifloat.encode." + name, "16Mi",
               [=](State &state) {
                 std::vector<float> values = makeNormal(count);
                 std::vector<uint8_t> codes(count);
                 for (auto _ : state)
                   cantFail(encodeMinifloat<float>(values, format, {}, codes,
                                                   getPool()));
                 setBytes(state, bytes, bytes * 1.25);
               }),
        decode("minifloat.decode." + name, "16Mi",
               [=](State &state) {
                 std::vector<float> values = makeNormal(count);
                 std::vector<uint8_t> codes(count);
                 cantFail(encodeMinifloat<float>(values, format, {}, codes));
                 for (auto _ : state)
                   cantFail(decodeMinifloat<float>(codes, format, values,
                                                   getPool()));
                 setBytes(state, bytes, bytes * 1.25);
               }),
        stochastic("minifloat.stochastic." + name, "16Mi", [=](State &state) {
          std::vector<float> values = makeNormal(count);
          std::vector<uint8_t> codes(count);
          MinifloatOptions options;
          options.rounding = MinifloatRounding::Stochastic;
          for (auto _ : state)
            cantFail(encodeMinifloat<float>(values, format, options, codes,
                                            getPool()));
          setBytes(state, bytes);
        }) {}
};

FormatRows e4m3Rows("e4m3fn", MinifloatFormat::E4M3FN);
FormatRows e5m2Rows("e5m2", MinifloatFormat::E5M2);
FormatRows e2m1Rows("e2m1", MinifloatFormat::E2M1);

} // namespace
