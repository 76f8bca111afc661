#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes EntropyReference.inc: thresholds as the reference tools find them.

Usage: make-entropy-reference.py HISTOGRAM_PY > EntropyReference.inc

HISTOGRAM_PY is modelopt/torch/quantization/calib/histogram.py of NVIDIA's
Model Optimizer (`pip download --no-deps nvidia-modelopt`, or its repository);
only the functions for entropy are taken from it, so that PyTorch need not be
installed. ONNX Runtime's calibrator comes from `pip install onnxruntime onnx`;
numpy and scipy are needed. It takes some minutes.

ONNX Runtime computes scores in single precision, where the rounding error can
exceed the difference of two candidates; its code is therefore run a second
time with double precision in its place.

Both tools get histograms as numpy makes them. What is written are the counts
and, for each setting, the index of the edge that was chosen.
"""
import ast
import collections
import sys
import textwrap

import numpy as np
import onnxruntime
import scipy.stats
from onnxruntime.quantization import calibrate, quant_utils

BINS = 2048
# (bits, unsigned, first candidate, step)
TENSORRT_SETTINGS = [(8, False, 128, 1), (8, True, 128, 1), (4, False, 128, 1),
                     (8, False, 256, 4)]
ONNX_SETTINGS = [128, 255, 16]


def load_model_optimizer(path):
    """_compute_amax_entropy, with a stand-in for torch.tensor."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    tree.body = [node for node in tree.body
                 if isinstance(node, ast.FunctionDef)
                 and node.name == "_compute_amax_entropy"]

    class Torch:
        tensor = staticmethod(lambda value: value)

    scope = {"np": np, "Counter": collections.Counter, "torch": Torch,
             "entropy": scipy.stats.entropy}
    exec(compile(tree, path, "exec"), scope)  # pylint: disable=exec-used
    return scope["_compute_amax_entropy"]


class DoubleNumpy:
    """numpy, but its float32 is float64."""
    float32 = np.float64

    def __getattr__(self, name):
        return getattr(np, name)


def find_onnxruntime(counts, edges, levels, numpy):
    calibrate.np = numpy
    quant_utils.numpy = numpy
    collector = calibrate.HistogramCollector("entropy", True, BINS, levels,
                                             99.999, "same")
    histogram = (counts.copy(), edges, np.float64(-np.inf), np.float64(np.inf))
    low, high = collector.get_entropy_threshold(histogram, levels)
    return f"{get_index(edges, low)}, {get_index(edges, high)}"


def get_data_sets():
    random = np.random.default_rng(20)
    size = 200000
    normal = random.standard_normal(size)
    with_outliers = normal.copy()
    with_outliers[:20] *= 25
    yield "normal", normal
    yield "normal with outliers", with_outliers
    yield "Laplace", random.laplace(size=size)
    yield "Student t, 3 degrees", random.standard_t(3, size=size)
    yield "rectified normal", np.maximum(random.standard_normal(size), 0)
    yield "two modes", np.concatenate(
        [random.normal(-1, 0.2, size // 2), random.normal(4, 1, size // 2)])
    yield "1500 numbers", random.standard_t(2, size=1500)


def get_index(edges, value):
    index = int(np.argmin(np.abs(edges - value)))
    assert edges[index] == value
    return index


def print_list(name, items):
    text = f"/*{name}=*/{{" + ", ".join(items) + "},"
    print(textwrap.fill(text, 79, initial_indent="     ",
                        subsequent_indent="      "))


def main():
    find_tensorrt = load_model_optimizer(sys.argv[1])
    print(f"// Made by make-entropy-reference.py with onnxruntime "
          f"{onnxruntime.__version__}, numpy {np.__version__}.")
    for name, data in get_data_sets():
        data = data.astype(np.float32).astype(np.float64)
        limit = np.max(np.abs(data))
        print(f'    {{"{name}",')
        absolute, edges = np.histogram(np.abs(data), BINS, range=(0, limit))
        print_list("absolute", map(str, absolute))
        found = []
        for bits, unsigned, first, step in TENSORRT_SETTINGS:
            amax = find_tensorrt(absolute.copy(), edges, bits, unsigned, step,
                                 first)
            found.append(f"{{{bits}, {str(unsigned).lower()}, {first}, {step}, "
                         f"{get_index(edges, amax)}}}")
        print_list("tensorRT", found)
        signed, edges = np.histogram(data, BINS, range=(-limit, limit))
        print_list("signed", map(str, signed))
        found = []
        for levels in ONNX_SETTINGS:
            single = find_onnxruntime(signed, edges, levels, np)
            double = find_onnxruntime(signed, edges, levels, DoubleNumpy())
            found.append(f"{{{levels}, {single}, {double}}}")
        print_list("onnxRuntime", found)
        print("    },", flush=True)


if __name__ == "__main__":
    main()
