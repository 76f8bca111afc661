#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes KMeansReference.inc: data sets and the inertia that scikit-learn
reaches on them with the best of 10 k-means++ starts.

Needs numpy and scikit-learn (the shipped file: 1.9.1).
Usage: generate_kmeans_reference.py > KMeansReference.inc
"""
import numpy as np
import sklearn
from sklearn.cluster import KMeans


def data_sets():
    rng = np.random.default_rng(2026)
    yield "Gaussian", rng.standard_normal(600)
    yield "Laplace", rng.laplace(size=600)
    # Weights of a layer with a few outliers and a third of them pruned.
    weights = np.concatenate([rng.normal(0, 0.05, 590), rng.normal(0, 1, 10)])
    weights[np.abs(weights) < 0.021] = 0.0
    yield "Pruned", weights
    centers = rng.uniform(-3, 3, 12)
    yield "Mixture", rng.choice(centers, 600) + rng.normal(0, 0.08, 600)


def literal(value):
    text = f"{value:.9g}"
    return text + ("f" if "." in text or "e" in text else ".0f")


print("// Written by generate_kmeans_reference.py with scikit-learn "
      f"{sklearn.__version__}.")
for name, values in data_sets():
    values = values.astype(np.float32)
    print(f"static const float k{name}Values[] = {{")
    for i in range(0, len(values), 5):
        print("    " + ", ".join(map(literal, values[i:i + 5])) + ",")
    print("};")
    print(f"static const ReferenceInertia k{name}Inertia[] = {{")
    for clusters in (2, 4, 7, 16, 32):
        model = KMeans(clusters, n_init=10, random_state=0, tol=0, max_iter=1000)
        model.fit(values.astype(np.float64).reshape(-1, 1))
        print(f"    {{{clusters}, {float(model.inertia_)!r}}},")
    print("};")
