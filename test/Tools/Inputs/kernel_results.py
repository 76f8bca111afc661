# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the results of a contender of the kernel benchmark for tiny cases of
every kind, and times nothing: kernel_results.py <path of benchmarks/kernels>
<path of the programs> <name> <threads>."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from runner import command, measure, rows  # noqa: E402

programs, name, threads = Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
# Sizes that no tile divides, but for blocks, which divide the reduction.
ROWS = [
    rows.gemm("gemm", 5, 34, 66, "f32", "f32"),
    rows.gemm("gemm", 5, 34, 66, "i8", "i8"),
    rows.gemm("gemm.requantize", 37, 130, 67, "i8", "i8", "i8"),
    rows.gemm("gemm.requantize", 37, 130, 67, "u8", "i8", "i8"),
    rows.gemm("gemm.dynamic", 5, 34, 66, "f32", "i8", dynamic=True),
    rows.gemm("gemm.dynamic", 5, 34, 128, "f32", "i4", block=32, dynamic=True),
    rows.gemm("gemv", 1, 34, 256, "f32", "i4", block=128, dynamic=True),
    rows.convolution("conv3x3", 7, 5, 9, "f32", "f32"),
    rows.convolution("conv3x3.requantize", 7, 5, 9, "i8", "i8", "i8"),
]

options = argparse.Namespace(no_peers=False, onnxruntime=None, corrupt="")
contenders = command.find_contenders(options, programs, threads)
with tempfile.TemporaryDirectory() as folder, \
        measure.Suite(options, programs, {name: contenders[name]}, folder,
                      sys.stderr) as suite:
    for row in ROWS:
        case = {**row.case, "dir": folder, "threads": threads}
        suite.start("oracle").prepare(case)
        result = measure.Measurement()
        suite.check(row, name, case, result)
        print(row.name, result.status, result.reason)
