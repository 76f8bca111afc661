#!/usr/bin/python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compresses, compiles and runs the digit networks, and prints what came out.

Each network goes through compress-opt and compress-run in each variant:

    f32           as it was trained
    int8-static   8-bit weights, 8-bit activations with ranges from calibration
    int8-dynamic  8-bit weights, 8-bit activations with ranges of each row
    int4-b32      4-bit weights with a scale for each 32, float activations

The whole test split is one call of the compiled function. Columns: the accuracy;
the bytes of the weights with their scales and zero points (biases stay float and
are not counted); the largest and the mean absolute difference of the outputs
from those of f32; the median time of a call. Needs numpy.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
NETWORKS = ("mlp", "cnn")
TIMED_CALLS = 30


class ToolError(Exception):
    """A tool of the project failed; the message is what it said."""


class Tools:
    """compress-opt and compress-run in one folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, tool, *arguments):
        """Returns what the tool wrote to stderr: remarks, for compress-opt."""
        command = [str(self.folder / tool), *map(str, arguments)]
        try:
            result = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise ToolError(f"cannot run {command[0]}: {error.strerror}") from error
        if result.returncode != 0:
            raise ToolError(
                f"exit code {result.returncode} of\n  {' '.join(command)}\n"
                + result.stderr.strip()
            )
        return result.stderr


# ===-- Variants ---------------------------------------------------------------
#
# A variant is a function of (tools, network file, folder for what it writes) that
# returns (module file for compress-run, bytes of weights).


def compile_f32(tools, network, folder):
    """The network as it is; its weights are the dense_resource constants."""
    shapes = re.findall(
        r"dense_resource<[^>]*> : tensor<([0-9x]+)xf32>", network.read_text()
    )
    return network, sum(4 * math.prod(map(int, s.split("x"))) for s in shapes)


def fold(tools, network, folder, passes):
    """Runs `passes`, then encodes the constants and adds up their bytes."""
    encoded = folder / "encoded.mlir"
    remarks = tools.run(
        "compress-opt",
        network,
        *passes,
        "--compress-fold-encode=report=true",
        "-o",
        encoded,
    )
    sizes = re.findall(r"remark: .*encoded .*: \d+ bytes to (\d+)", remarks)
    if not sizes:
        raise ToolError(f"compress-fold-encode reports no size:\n{remarks}")
    return encoded, sum(map(int, sizes))


def compile_recipe(recipe):
    """Weights are encoded now, activations (if the recipe says so) at run time."""

    def compile_variant(tools, network, folder):
        return fold(tools, network, folder, [f"--compress-annotate=recipe={recipe}"])

    return compile_variant


def compile_calibrated(recipe):
    """The same, with activation ranges that calibration images gave."""

    def compile_variant(tools, network, folder):
        observed, statistics = folder / "observed.mlir", folder / "statistics.json"
        tools.run(
            "compress-opt",
            network,
            f"--compress-insert-observers=recipe={recipe}",
            "--compress-lower-observe=mode=record",
            "-o",
            observed,
        )
        tools.run(
            "compress-run",
            observed,
            f"--input={HERE / 'calibration_images.npy'}",
            f"--calibrate={statistics}",
        )
        passes = [
            f"--compress-annotate=recipe={recipe}",
            f"--compress-apply-calibration=calibration={statistics}",
        ]
        return fold(tools, network, folder, passes)

    return compile_variant


RECIPES = HERE / "recipes"
VARIANTS = {
    "f32": compile_f32,
    "int8-static": compile_calibrated(RECIPES / "int8-static.json"),
    "int8-dynamic": compile_recipe(RECIPES / "int8-dynamic.json"),
    "int4-b32": compile_recipe(RECIPES / "int4-b32.json"),
}


# ===-- Measurement ------------------------------------------------------------


def measure(tools, module, folder):
    """Runs the test split. Returns (logits, median milliseconds of a call)."""
    logits, times = folder / "logits.npy", folder / "times.json"
    tools.run(
        "compress-run",
        module,
        f"--input={HERE / 'test_images.npy'}",
        f"--output={logits}",
        f"--repeat={TIMED_CALLS}",
        f"--json={times}",
    )
    return np.load(logits), json.loads(times.read_text())["median_ms"]


def evaluate(tools, network):
    """Yields one row of the table for each variant of `network`."""
    labels = np.load(HERE / "test_labels.npy")
    reference = None
    for variant, compile_variant in VARIANTS.items():
        with tempfile.TemporaryDirectory(prefix="compress-digits-") as temporary:
            folder = pathlib.Path(temporary)
            module, size = compile_variant(tools, HERE / f"{network}.mlir", folder)
            logits, milliseconds = measure(tools, module, folder)
        reference = logits if variant == "f32" else reference
        error = np.abs(logits.astype(np.float64) - reference)
        yield {
            "network": network,
            "variant": variant,
            "accuracy": float((logits.argmax(1) == labels).mean()),
            "weight_bytes": size,
            "max_error": float(error.max()),
            "mean_error": float(error.mean()),
            "ms": milliseconds,
        }


def print_row(row):
    print(
        f"{row['network']:<8} {row['variant']:<13} {100 * row['accuracy']:8.2f} % "
        f"{row['weight_bytes']:>12,} {row['max_error']:>10.4f} "
        f"{row['mean_error']:>11.5f} {row['ms']:>9.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", required=True, help="folder of the built tools")
    parser.add_argument("--json", metavar="FILE", help="also write the table as JSON")
    arguments = parser.parse_args()
    tools = Tools(arguments.tools)
    print(
        f"{'network':<8} {'variant':<13} {'accuracy':>10} {'weight bytes':>12} "
        f"{'max error':>10} {'mean error':>11} {'ms':>9}",
        flush=True,
    )
    rows = []
    try:
        for network in NETWORKS:
            for row in evaluate(tools, network):
                print_row(row)
                rows.append(row)
        if arguments.json:
            pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n")
    except (ToolError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
