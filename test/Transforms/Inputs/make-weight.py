#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a module with one large f32 weight as a dense_resource, and an encode.

Usage: make-weight.py MEBIBYTES ENCODING > FILE

The weight is a matrix with rows of 4096 elements. Its elements are normally
distributed; they repeat every MiB.
"""

import random
import struct
import sys

COLUMNS = 4096


def main():
    mebibytes, encoding = int(sys.argv[1]), sys.argv[2]
    generator = random.Random(1)
    values = [generator.gauss(0.0, 0.05) for _ in range(1 << 18)]
    text = struct.pack("<%df" % len(values), *values).hex().upper()
    dense = "tensor<%dx%dxf32>" % (mebibytes * (1 << 18) // COLUMNS, COLUMNS)
    encoded = dense[:-1] + ", " + encoding + ">"
    write = sys.stdout.write
    write(
        "func.func @main() -> %s {\n"
        "  %%w = arith.constant dense_resource<weight> : %s\n"
        "  %%e = compress.encode %%w : %s to %s\n"
        "  return %%e : %s\n}\n" % (encoded, dense, dense, encoded, encoded)
    )
    write('{-# dialect_resources: { builtin: { weight: "0x04000000')
    for _ in range(mebibytes):
        write(text)
    write('" } } #-}\n')


if __name__ == "__main__":
    main()
