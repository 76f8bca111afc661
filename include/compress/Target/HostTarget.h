//===- HostTarget.h - CPUs to compile for -----------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a CPU: its instructions, its caches, its cores. This
// machine's are detected, those of other CPUs come from LLVM's tables of x86.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TARGET_HOSTTARGET_H
#define COMPRESS_TARGET_HOSTTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compress::target {

/// Not an instruction set but a wish: vectors of at most 256 bits, on a CPU
/// that has wider ones too.
inline constexpr llvm::StringLiteral kPrefer256Bit = "prefer-256-bit";

/// A CPU to compile for. The default is an x86-64 that nothing is known of.
struct TargetDescription {
  /// LLVM's name, e.g. "znver5".
  std::string cpu = "generic";
  /// LLVM's names of all features that the CPU has, those implied by others
  /// included; sorted, each once.
  std::vector<std::string> features;
  /// Bytes of the data caches: the first two of one core, the third whole.
  int64_t l1d = 32 << 10;
  int64_t l2 = 512 << 10;
  int64_t l3 = 8 << 20;
  /// Cores that a program may use.
  int64_t cores = 1;

  bool hasFeature(llvm::StringRef name) const;

  /// The features as "avx,avx2,...".
  std::string getFeatureString() const;
};

/// This machine: the CPU with the features that the operating system (or the
/// hypervisor) lets programs use, caches as the kernel reports them, and the
/// physical cores among those that this process may run on. What is not
/// reported is taken from the CPU's model, else from the default description.
TargetDescription detectHost();

/// The CPU of the name `cpu`, "host" or a 64-bit x86 one of LLVM such as
/// "sapphirerapids" or "x86-64-v3". Of a named CPU, cache sizes are those of
/// its model if they are known; it counts as one core. It does not depend on
/// this machine, unless LLVM only knows the name from detecting it. Fails for
/// an unknown name, with those that are close to it.
llvm::Expected<TargetDescription> describeCPU(llvm::StringRef cpu);

/// True if LLVM has a hardware feature of this name, or it is prefer-256-bit.
bool isKnownFeature(llvm::StringRef name);

/// Fails if LLVM has no CPU of the name in `target`, or no feature of a name.
llvm::Error checkNames(const TargetDescription &target);

/// Adds what the features of `target` imply, then adds and removes features as
/// the comma-separated `changes`, e.g. "+avx2,-fma", say, from left to right:
/// with one all that it implies is added, and all that needs it is removed.
/// Fails, with nothing changed, for an unknown name or one without a sign.
llvm::Error applyFeatures(TargetDescription &target, llvm::StringRef changes);

/// Those of `features` that this machine does not have. What is no matter of
/// the hardware, such as prefer-256-bit, it always has.
std::vector<std::string>
getFeaturesMissingHere(const std::vector<std::string> &features);

/// The features as LLVM's code generator takes them beside the name of the
/// CPU: "-name" for those of the named CPU that this one lacks, then "+name".
///
/// On a CPU with VNNI there is "-prefer-256-bit" too, unless `target` has it:
/// LLVM stays with 256-bit vectors on CPUs of Intel, for the sake of older ones
/// that lower their clock for wider ones; those with VNNI hardly do.
std::vector<std::string> getCodeGenFeatures(const TargetDescription &target);

} // namespace compress::target

#endif // COMPRESS_TARGET_HOSTTARGET_H
