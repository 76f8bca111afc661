# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: check-digits.py TABLE.json README.md

Checks the measured table of examples/digits: the accuracy that each variant must
keep, the stored bytes, and that the document shows the table.
"""
import json
import math
import re
import sys

# Per network: accuracy of the float network as the training script measured it,
# and per layer the filter size, input channels and output channels.
NETWORKS = {
    "mlp": (0.98444, [(1, 64, 128), (1, 128, 64), (1, 64, 10)]),
    "cnn": (0.98889, [(9, 1, 32), (9, 32, 32), (1, 512, 10)]),
}
# Points of accuracy that a variant may lose against f32.
ALLOWED_LOSS = {"f32": 0.001, "int8-static": 1, "int8-dynamic": 1, "int4-b32": 3}


def stored_bytes(variant, taps, inputs, outputs):
    """Bytes of one layer's weights and their f32 scales."""
    if variant == "f32":
        return 4 * taps * inputs * outputs
    if variant.startswith("int8"):
        return taps * inputs * outputs + 4 * outputs
    # A row is padded to whole bytes. Blocks of 32 lie along the input channels;
    # with a single input channel the nine taps of a filter are one block.
    values = taps * inputs * math.ceil(outputs / 2)
    blocks = 1 if inputs == 1 else taps * math.ceil(inputs / 32)
    return values + 4 * blocks * outputs


with open(sys.argv[1], encoding="utf-8") as file:
    rows = json.load(file)
expected = [(network, variant) for network in NETWORKS for variant in ALLOWED_LOSS]
assert [(row["network"], row["variant"]) for row in rows] == expected, rows
for row in rows:
    accuracy, layers = NETWORKS[row["network"]]
    variant = row["variant"]
    assert 100 * (accuracy - row["accuracy"]) <= ALLOWED_LOSS[variant], row
    size = sum(stored_bytes(variant, *layer) for layer in layers)
    assert row["weight_bytes"] == size, (size, row)
    assert 0 <= row["mean_error"] <= row["max_error"] < 4, row
    # Compression shows in the outputs, or the variant was not compressed.
    assert (row["max_error"] > 1e-3) == (variant != "f32"), row
    assert row["ms"] > 0, row

with open(sys.argv[2], encoding="utf-8") as file:
    cells = [
        [cell.strip() for cell in line.strip("|\n ").split("|")]
        for line in file
        if re.match(r"\| (mlp|cnn) \|", line)
    ]
assert [tuple(row[:2]) for row in cells] == expected, cells
for row, shown in zip(rows, cells):
    # Another machine may add in another order, which can move a borderline image.
    assert abs(100 * row["accuracy"] - float(shown[2].rstrip(" %"))) < 0.5, shown
    assert f"{row['weight_bytes']:,}" == shown[3], (row, shown)
    for key, text in (("max_error", shown[4]), ("mean_error", shown[5])):
        assert abs(row[key] - float(text)) <= 0.05 * row[key] + 1e-4, (row, shown)
