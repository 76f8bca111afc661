//===- Free.h - Objects that a C library frees ------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_BENCHMARKS_KERNELS_PEERS_FREE_H
#define COMPRESS_BENCHMARKS_KERNELS_PEERS_FREE_H

namespace compress::bench {

/// The deleter of objects that `free`, a function of the peer's library, takes
/// back.
template <auto free>
struct Free {
  template <typename T>
  void operator()(T *object) const {
    free(object);
  }
};

} // namespace compress::bench

#endif // COMPRESS_BENCHMARKS_KERNELS_PEERS_FREE_H
