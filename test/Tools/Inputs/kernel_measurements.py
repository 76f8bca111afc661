# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds made-up times to the kernel benchmark and prints its lines, and measures
a row on a machine that is said to be busy: kernel_measurements.py <path of
benchmarks/kernels>."""

import argparse
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from runner import machine, measure, rows  # noqa: E402

row = rows.gemm("gemm", 100, 100, 100, "i8", "i8")
options = argparse.Namespace(wait=0)
contenders = {name: measure.Contender([], {})
              for name in (measure.OURS, "slow", "fast", "lame")}
suite = measure.Suite(options, None, contenders, ".", None)

results = {name: measure.Measurement() for name in contenders}
results["ours"].times = [4.0, 2.0, 3.0]
results["slow"].times = [9.0, 1.0, 6.0]
results["fast"].times = [1.5, 1.5, 1.5]
results["lame"].fail("skipped", "has no such row")
# 2e-3 Gop in 3 ms are 0.67 Gop/s.
for line in suite.make_lines(row, 1, results, 2.0, 0.25):
    print(json.dumps(line))

machine.count_idle = lambda seconds=0.2: 1
for line in suite.measure_row(row, 2):
    print(line["status"], line["reason"], line["ms"])
print(suite.servers)
