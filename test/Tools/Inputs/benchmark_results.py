# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds made-up measurements of two rounds to benchmarks/run and prints what it
makes of them: benchmark_results.py <path of benchmarks/run>."""

import importlib.machinery
import importlib.util
import json
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("run", sys.argv[1])
run = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)


def entry(ms, rate, traffic=0.0):
    return {"real_time": ms, "rate": rate, "label": "GB/s", "traffic": traffic}


results = run.Results()
results.add_own("limit.read/64MiB", entry(9.0, 8.0))
results.add_own("limit.read/64MiB", entry(7.2, 10.0))
results.add_own("a.fast/4x4", entry(4.0, 2.5, 2e7))
results.add_own("a.fast/4x4", entry(5.0, 2.0, 2e7))
results.add_own("a.fast/4x4/peer:lib", entry(6.0, 1.0))
results.add_peer("a.fast", "4x4", "numpy", 12.0)
results.add_peer("a.fast", "4x4", "numpy", 16.0)
results.add_own("b.alone/8", entry(1.0, 3.0))
results.add_peer("c.unknown", "8", "numpy", 1.0)
for line in results.lines(threads=2):
    print(json.dumps(line))
