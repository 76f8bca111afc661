#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a module of 200 functions with a constant and a static activation each.

Usage: make-functions.py TABLE.json > FILE

The table gives every activation a range with a masking constant.
"""

import json
import sys

COUNT = 200


def main():
    encoded = "tensor<8xf32, #compress.affine<i8>>"
    tensors = {}
    for i in range(COUNT):
        tensors["x%d" % i] = {
            "count": 2,
            "min": -1e30 - i * 1e28,
            "max": 1,
            "masks": 1,
            "unmasked_min": 0,
            "unmasked_max": 1,
        }
        print(
            "func.func @f%d(%%x: tensor<8xf32>) -> (%s, %s) {\n"
            "  %%w = arith.constant dense<[%s]> : tensor<8xf32>\n"
            "  %%0 = compress.encode %%w : tensor<8xf32> to %s\n"
            '  %%1 = compress.encode %%x {compress.calibration = "x%d"}'
            " : tensor<8xf32> to %s\n"
            "  return %%0, %%1 : %s, %s\n}"
            % (
                i,
                encoded,
                encoded,
                ", ".join("%d.0" % (i + j) for j in range(8)),
                encoded,
                i,
                encoded,
                encoded,
                encoded,
            )
        )
    with open(sys.argv[1], "w") as table:
        json.dump({"version": 1, "tensors": tensors}, table)


if __name__ == "__main__":
    main()
