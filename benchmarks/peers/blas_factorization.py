#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions with scikit-learn, and as one writes them with numpy and
LAPACK (scipy)."""

import os

import common

arguments = common.parse_arguments()


def choose_openblas_kernels():
    """OpenBLAS falls back to kernels without AVX on processors that are newer
    than it is, and an inherited setting may be for another machine: give the
    peer the best that this processor can run."""
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(name, None)
    try:
        with open("/proc/cpuinfo") as file:
            flags = next(line for line in file if line.startswith("flags"))
    except (OSError, StopIteration):
        return
    flags = set(flags.split())
    for flag, core in (("avx512_bf16", "Cooperlake"), ("avx512f", "SkylakeX"),
                       ("avx2", "Haswell")):
        if flag in flags:
            os.environ["OPENBLAS_CORETYPE"] = core
            return


choose_openblas_kernels()
try:
    import numpy
except ImportError:
    common.skip("numpy is not installed")

random = numpy.random.default_rng(1)


def normal(*shape):
    return random.standard_normal(shape, dtype=numpy.float32)


try:
    import scipy.linalg

    def truncated():
        matrix = normal(512, 512)
        return lambda: scipy.linalg.svd(matrix, lapack_driver="gesdd",
                                        check_finite=False)

    def unfold(tensor, mode):
        return numpy.moveaxis(tensor, mode, 0).reshape(tensor.shape[mode], -1)

    def leading(matrix, rank):
        size = matrix.shape[0]
        return scipy.linalg.eigh(matrix @ matrix.T, check_finite=False,
                                 subset_by_index=[size - rank, size - 1])[1]

    def tucker2():
        kernel = normal(512, 512, 9)

        def run(rank=128):
            factors = [leading(unfold(kernel, mode), rank) for mode in (0, 1)]
            for _ in range(5):
                for mode in (0, 1):
                    other = 1 - mode
                    product = numpy.moveaxis(
                        numpy.tensordot(kernel, factors[other],
                                        axes=(other, 0)), -1, other)
                    factors[mode] = leading(unfold(product, mode), rank)
        return run

    common.measure(arguments, "scipy", [
        ("svd.truncated.rank64", "512x512", truncated),
        ("tucker2.rank128.hooi5", "512x512x3x3", tucker2),
    ])
except ImportError:
    pass

try:
    from sklearn.utils.extmath import randomized_svd
except ImportError:
    common.skip("scikit-learn is not installed")


def randomized():
    matrix = normal(4096, 4096)
    return lambda: randomized_svd(matrix, 64, n_iter=2, random_state=0)


common.measure(arguments, "scikit-learn",
               [("svd.randomized.rank64", "4096x4096", randomized)])
