//===- ArgumentSource.h - Arrays from files, constants, a seed --*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the arguments of a call come from when a person or a script names them
// on a command line.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_EXECUTION_ARGUMENTSOURCE_H
#define COMPRESS_EXECUTION_ARGUMENTSOURCE_H

#include "compress/Execution/JitRunner.h"

namespace mlir::compress {

/// Makes the array that `source` describes for an argument of type `type`:
///
/// * `random[:SHAPE]`: the numbers of fillRandom;
/// * `fill=VALUE[:SHAPE]`: VALUE in every element, rounded to nearest for
///   floats; an integer that the type cannot hold is an error;
/// * anything else: the path of a .npy file.
///
/// SHAPE is like `3x4`. It may be left out where `type` has no dynamic size,
/// and must fit `type`. 8-bit floats can only be given as bytes. Fails with the
/// reason; the shape and type of a file are not checked here.
llvm::Expected<::compress::execution::HostArray>
makeArgument(const HostType &type, StringRef source, uint64_t seed);

/// Fills `array` with numbers that depend only on `seed`, the element kind and
/// the position: floats uniform in [-1, 1], integers uniform in [-128, 127], or
/// [0, 255] if unsigned (positive and below 2.0 in the bits of an 8-bit float).
void fillRandom(const HostType &type, uint64_t seed,
                ::compress::execution::HostArray &array);

} // namespace mlir::compress

#endif // COMPRESS_EXECUTION_ARGUMENTSOURCE_H
