//===- InstructionSet.h - Which kernel variants run -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hot loops are compiled several times, for different vector instruction sets;
// the best one that the processor has is chosen at run time. All variants give
// the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_INSTRUCTIONSET_H
#define COMPRESS_NUMERICS_INSTRUCTIONSET_H

namespace compress::numerics {

/// The variants, weakest first. Portable is plain C++, which the compiler turns
/// into the vector code of the target's baseline (SSE2 on x86-64).
enum class InstructionSet { Portable, AVX2, AVX512 };

/// The best set that the processor, the operating system and the compiler of
/// this library support, not better than what limitInstructionSet allows.
InstructionSet getInstructionSet();

/// Keeps the whole process from using variants better than `limit`, until the
/// next call. Meant for tests and for measurements; results do not change, but
/// for the last bits of dense linear algebra (decompositions, GPTQ), which uses
/// fused multiply-add where there is one.
void limitInstructionSet(InstructionSet limit);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_INSTRUCTIONSET_H
