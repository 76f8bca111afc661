#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges, histograms and minifloats with numpy (and ml_dtypes, if there)."""

import common

arguments = common.parse_arguments()
try:
    import numpy
except ImportError:
    common.skip("numpy is not installed")

values = numpy.random.default_rng(1).standard_normal(
    16 << 20, dtype=numpy.float32)
matrix = values.reshape(4096, 4096)


def minmax(axis):
    def run():
        return matrix.min(axis=axis), matrix.max(axis=axis)
    return lambda: run


def absolute(bins):
    # The magnitudes are computed beforehand: numpy counts no absolute values.
    magnitudes = numpy.abs(values)
    return lambda: numpy.histogram(magnitudes, bins)


def signed(bins):
    return lambda: numpy.histogram(values, bins)


common.measure(arguments, "numpy", [
    ("minmax.tensor.f32", "64MiB", minmax(None)),
    ("minmax.rows.f32", "4096x4096", minmax(1)),
    ("minmax.columns.f32", "4096x4096", minmax(0)),
    ("histogram.absolute.2048", "64MiB", lambda: absolute(2048)),
    ("histogram.absolute.4096", "64MiB", lambda: absolute(4096)),
    ("histogram.signed.2048", "64MiB", lambda: signed(2048)),
    ("histogram.signed.4096", "64MiB", lambda: signed(4096)),
])

try:
    import ml_dtypes
except ImportError:
    raise SystemExit


def encode(dtype):
    return lambda: lambda: values.astype(dtype)


def decode(dtype):
    def prepare():
        codes = values.astype(dtype)
        return lambda: codes.astype(numpy.float32)
    return prepare


common.measure(arguments, "ml_dtypes", [
    ("minifloat.encode.e4m3fn", "16Mi", encode(ml_dtypes.float8_e4m3fn)),
    ("minifloat.encode.e5m2", "16Mi", encode(ml_dtypes.float8_e5m2)),
    ("minifloat.encode.e2m1", "16Mi", encode(ml_dtypes.float4_e2m1fn)),
    ("minifloat.decode.e4m3fn", "16Mi", decode(ml_dtypes.float8_e4m3fn)),
    ("minifloat.decode.e5m2", "16Mi", decode(ml_dtypes.float8_e5m2)),
    ("minifloat.decode.e2m1", "16Mi", decode(ml_dtypes.float4_e2m1fn)),
])
