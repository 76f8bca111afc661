//===- ModuleText.h - The cases as MLIR -------------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_BENCHMARKS_KERNELS_MODULETEXT_H
#define COMPRESS_BENCHMARKS_KERNELS_MODULETEXT_H

#include "Case.h"

namespace compress::bench {

/// Resources of the module that hold the weights and their scales.
inline constexpr char weightsKey[] = "weights";
inline constexpr char scalesKey[] = "scales";

/// The module of a case: one function `main` from the activations to the
/// result. The weights are dense_resource constants whose bytes the caller
/// adds.
std::string makeModuleText(const Case &task);

} // namespace compress::bench

#endif // COMPRESS_BENCHMARKS_KERNELS_MODULETEXT_H
