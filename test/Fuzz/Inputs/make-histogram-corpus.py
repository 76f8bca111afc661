#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes inputs of compress-fuzz-histogram that hold valid histograms.

Usage: make-histogram-corpus.py FOLDER
"""
import struct
import sys
from pathlib import Path


def histogram(kind, exponent, low, high, counts):
    """The byte string of HistogramSerialization.cpp; counts below 128."""
    header = b"CHG1" + struct.pack("<BIidd", kind, len(counts), exponent, low,
                                   high)
    return header + bytes([sum(counts), 0, 0]) + bytes(counts)


FIRST = [histogram(1, -1, -3.5, 1.0, [1, 0, 0, 0, 2, 0, 0, 0,
                                      0, 0, 1, 0, 0, 0, 0, 0]),
         histogram(0, 0, 0.5, 9.0, [3, 0, 0, 0, 0, 0, 0, 0, 0, 1])]
SECOND = [histogram(1, 3, -1.0, 60.0, [0, 0, 0, 0, 0, 0, 0, 1,
                                       5, 0, 0, 0, 0, 0, 0, 1]),
          histogram(0, 2, -39.0, 2.0, [7, 0, 0, 0, 0, 0, 0, 0, 0, 1])]

for index, (first, second) in enumerate(zip(FIRST, SECOND)):
    data = struct.pack("<H", len(first)) + first + second
    Path(sys.argv[1], f"pair{index}").write_bytes(data)
