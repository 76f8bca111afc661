#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""k-means with scikit-learn: the same starts and numbers of iterations."""

import os
import warnings

import common

arguments = common.parse_arguments()
os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
os.environ["OPENBLAS_NUM_THREADS"] = str(arguments.threads)
try:
    import numpy
    import sklearn
    from sklearn.cluster import KMeans
except ImportError:
    common.skip("scikit-learn is not installed")
# Three iterations do not converge, and are not meant to.
warnings.filterwarnings("ignore")
random = numpy.random.default_rng(1)


def lloyd():
    values = random.standard_normal(16 << 20, dtype=numpy.float32)
    start = numpy.linspace(values.min(), values.max(), 16, dtype=numpy.float32)
    model = KMeans(16, init=start.reshape(-1, 1), n_init=1, max_iter=3, tol=0,
                   algorithm="lloyd")
    values = values.reshape(-1, 1)
    return lambda: model.fit(values)


def vectors():
    values = random.standard_normal((1 << 16, 4), dtype=numpy.float32)
    model = KMeans(256, init="k-means++", n_init=1, max_iter=3, tol=0,
                   algorithm="lloyd", random_state=0)
    return lambda: model.fit(values)


common.measure(arguments, "scikit-learn " + sklearn.__version__, [
    ("kmeans.lloyd.16", "16Mi", lloyd),
    ("kmeans.vector.256", "64Kix4", vectors),
])
