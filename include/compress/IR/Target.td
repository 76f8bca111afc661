//===- Target.td - The CPU to compile for ------------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_TARGET_TD
#define COMPRESS_IR_TARGET_TD

include "compress/IR/CompressBase.td"

def Compress_TargetAttr : Compress_Attr<"Target", "target"> {
  let summary = "The CPU that a module is compiled for";
  let description = [{
    A module carries it under the name `compress.target`; whatever depends on
    the machine (instructions, tile sizes, the number of threads) reads it from
    there and never asks the machine that compiles. `compress-set-target` sets
    it.

    * `cpu`: LLVM's name of the CPU, default `"generic"`.
    * `features`: LLVM's names of all features that may be used, also those that
      `cpu` has anyway or that others imply; sorted, with commas between them.
    * `l1d`, `l2`, `l3`: bytes of the data caches, the first two of one core,
      the third whole; 0 for a third that there is not.
    * `cores`: the cores to use; with 1 no threads are made.

    ```mlir
    module attributes {compress.target = #compress.target<cpu = "x86-64-v2",
        features = "cmov,crc32,cx16,cx8,fxsr,mmx,popcnt,sahf,sse,sse2,sse3,sse4.1,sse4.2,ssse3,x87",
        cores = 4>} {}
    ```

    What is left out is that of a machine of which nothing is known:
    no features, caches of 32 KiB, 512 KiB and 8 MiB, and one core.
  }];
  let parameters = (ins
    StringRefParameter<"name of the CPU", [{"generic"}]>:$cpu,
    StringRefParameter<"features with commas between them", [{""}]>:$features,
    DefaultValuedParameter<"int64_t", "32768">:$l1d,
    DefaultValuedParameter<"int64_t", "524288">:$l2,
    DefaultValuedParameter<"int64_t", "8388608">:$l3,
    DefaultValuedParameter<"int64_t", "1">:$cores
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The target of which nothing is known, all defaults.
    static TargetAttr getGeneric(::mlir::MLIRContext *context);

    /// True if the CPU has the feature of LLVM's name `name`.
    bool hasFeature(::llvm::StringRef name) const;

    /// The names of the features, sorted. They point into this attribute.
    ::llvm::SmallVector<::llvm::StringRef> getFeatureList() const;

    /// The width of the vectors that kernels should use: 512 with avx512f, bw,
    /// vl and dq (unless there is prefer-256-bit), 256 with avx, else 128.
    int64_t getVectorBits() const;
  }];
}

#endif // COMPRESS_IR_TARGET_TD
