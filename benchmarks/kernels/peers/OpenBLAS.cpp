//===- OpenBLAS.cpp - f32 products by OpenBLAS ----------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"

using namespace compress::bench;

// The one function that is needed of cblas.h, which lies elsewhere in each
// distribution.
extern "C" void cblas_sgemm(int order, int transposeA, int transposeB, int m,
                            int n, int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c,
                            int ldc);

namespace {
class GemmKernel : public Kernel {
public:
  explicit GemmKernel(const Case &task)
      : m(task.m), n(task.n), k(task.k),
        lhs(task.read<float>("lhs.bin", task.m * task.k)),
        rhs(task.read<float>("rhs.bin", task.k * task.n)),
        result(task.m * task.n) {}

  double call(int64_t) override {
    constexpr int rowMajor = 101, noTranspose = 111;
    return timeCall([&] {
      cblas_sgemm(rowMajor, noTranspose, noTranspose, m, n, k, 1, lhs.data(), k,
                  rhs.data(), n, 0, result.data(), n);
    });
  }
  Bytes getResult() override {
    return {result.data(), result.size() * sizeof(float)};
  }

private:
  int m, n, k;
  std::vector<float> lhs, rhs, result;
};

Prepared prepare(const Case &task) {
  if (task.op != "gemm" || task.lhs != "f32" || task.rhs != "f32")
    return Prepared::skip("f32 products only");
  Prepared prepared;
  prepared.kernel = std::make_unique<GemmKernel>(task);
  return prepared;
}
} // namespace

int main() { return serveKernels(prepare); }
