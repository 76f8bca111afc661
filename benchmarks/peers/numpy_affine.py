#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Affine quantization and 2:4 selection as one writes them with numpy."""

import common

arguments = common.parse_arguments()
try:
    import numpy
except ImportError:
    common.skip("numpy is not installed")

values = numpy.random.default_rng(1).standard_normal(
    (4096, 4096), dtype=numpy.float32)


def choose(axis):
    def run():
        low = numpy.minimum(values.min(axis=axis, keepdims=True), 0)
        high = numpy.maximum(values.max(axis=axis, keepdims=True), 0)
        return numpy.maximum(high, -low) / numpy.float32(127)
    return run


def quantize(axis):
    scale = choose(axis)()
    buffer = numpy.empty_like(values)
    codes = numpy.empty(values.shape, numpy.int8)

    def run():
        numpy.divide(values, scale, out=buffer)
        numpy.rint(buffer, out=buffer)
        numpy.clip(buffer, -127, 127, out=buffer)
        numpy.copyto(codes, buffer, casting="unsafe")
    return run


def choose_blocks():
    blocks = values.reshape(4096, 128, 32)

    def run():
        low = numpy.minimum(blocks.min(axis=2), 0)
        high = numpy.maximum(blocks.max(axis=2), 0)
        return numpy.maximum(high / numpy.float32(7), low / numpy.float32(-8))
    return run


def quantize_blocks():
    blocks = values.reshape(4096, 128, 32)
    scale = choose_blocks()()[:, :, None]
    buffer = numpy.empty_like(blocks)
    codes = numpy.empty(blocks.shape, numpy.int8)

    def run():
        numpy.divide(blocks, scale, out=buffer)
        numpy.rint(buffer, out=buffer)
        numpy.clip(buffer, -8, 7, out=buffer)
        numpy.copyto(codes, buffer, casting="unsafe")
    return run


def dequantize():
    codes = values.astype(numpy.int8)
    result = numpy.empty_like(values)
    return lambda: numpy.multiply(codes, numpy.float32(0.01), out=result)


def select():
    groups = values.reshape(4096, 1024, 4)

    def run():
        order = numpy.argsort(-numpy.abs(groups), axis=-1, kind="stable")
        return numpy.sort(order[..., :2], axis=-1).astype(numpy.uint8)
    return run


common.measure(arguments, "numpy", [
    ("affine.choose.i8.tensor", "4096x4096", lambda: choose(None)),
    ("affine.choose.i8.row", "4096x4096", lambda: choose(1)),
    ("affine.quantize.i8.tensor", "4096x4096", lambda: quantize(None)),
    ("affine.quantize.i8.row", "4096x4096", lambda: quantize(1)),
    ("affine.choose.i4.block32", "4096x4096", choose_blocks),
    ("affine.quantize.i4.block32", "4096x4096", quantize_blocks),
    ("affine.dequantize.i8.tensor", "4096x4096", dequantize),
    ("nm.select.2:4.last", "4096x4096", select),
])
