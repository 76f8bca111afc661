# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the measured table of examples/digits against what it must reach."""
import json
import sys

# network: accuracy of f32 (from the training script), number of weights.
NETWORKS = {"mlp": (0.9844, 17024), "cnn": (0.9888, 14624)}
# variant: points of accuracy that it may lose against f32.
VARIANTS = {"f32": 0.0}

rows = json.load(open(sys.argv[1], encoding="utf-8"))
expected = [(network, variant) for network in NETWORKS for variant in VARIANTS]
assert [(row["network"], row["variant"]) for row in rows] == expected, rows
for row in rows:
    accuracy, weights = NETWORKS[row["network"]]
    loss = 100 * (accuracy - row["accuracy"])
    assert loss <= VARIANTS[row["variant"]], row
    assert row["ms"] > 0, row
    if row["variant"] == "f32":
        assert row["weight_bytes"] == 4 * weights, row
        assert row["max_error"] == 0 and row["mean_error"] == 0, row
