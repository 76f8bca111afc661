# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the kernel benchmark: what is computed, what binds it, and how far
a result may be from the exact one."""

import dataclasses
import math
import re

# Bytes over which cold rows rotate, and of a buffer that no cache holds.
COLD_BYTES = 320e6
MEMORY_BYTES = 256 << 20

# Largest root mean square and maximum of the difference to the exact result,
# relative to the root mean square of that. Quantizing activations, rounding
# errors of f32 sums and codes (of which one in either direction is a tie) differ.
EXACT = (1e-5, 1e-4)
DYNAMIC = (1.5e-2, 1.5e-1)
CODES = (5e-2, 1.0)


@dataclasses.dataclass
class Row:
    """`case` holds the keys of Case.h, `work` is in 1e9 operations or bytes of
    the limit that binds the row."""
    op: str
    shape: str
    encoding: str
    case: dict
    operations: float
    limit: str
    limit_case: dict
    work: float
    tolerance: tuple

    @property
    def name(self):
        return f"{self.op} {self.shape} {self.encoding}"


ARITHMETIC = {"f32": "f32-fma", "bf16": "bf16-dot", "i8": "int8-dot",
              "i4": "int8-dot"}


def make_scales(lhs, rhs, k):
    """A scale of activations, and one with which the sums of k products fill the
    codes of a result. The mean square of the codes and the scales is known."""
    lhs_scale = 0.02
    lhs_rms = {"i8": 73.6, "u8": 147.8}.get(lhs, 1.0)
    result_rms = lhs_scale * lhs_rms * 73.6 * 0.011 * math.sqrt(k)
    return {"lhs-scale": f"{lhs_scale:.9f}",
            "result-scale": f"{3 * result_rms / 127:.9f}"}


def gemm(op, m, n, k, lhs, rhs, result="f32", block=0, dynamic=False, cold=False):
    case = {"op": "gemm", "m": m, "n": n, "k": k, "lhs": lhs, "rhs": rhs,
            "result": result, "block": block, "dynamic": int(dynamic),
            **make_scales(lhs, rhs, k)}
    operations = 2e-9 * m * n * k
    weights = rhs + (f"b{block}" if block else "")
    encoding = f"{lhs}*{weights}" + (f"->{result}" if result != "f32" else "")
    tolerance = DYNAMIC if dynamic else CODES if result == "i8" else EXACT
    if m > 1:
        limit = ARITHMETIC[rhs]
        return Row(op, f"{m}x{n}x{k}", encoding, case, operations, limit,
                   {"op": limit}, operations, tolerance)
    # Products with a vector read the weights: codes and scales, these in f16.
    bits = {"f32": 32, "i8": 8, "i4": 4}[rhs] + (16 / block if block else 0)
    size = n * k * bits / 8
    if cold:
        case["copies"] = math.ceil(COLD_BYTES / size)
    limit = "memory-read" if cold else "cache-read"
    return Row(op, f"{m}x{n}x{k}", encoding, case, operations, limit,
               {"op": "read", "bytes": MEMORY_BYTES if cold else int(size)},
               size * 1e-9, tolerance)


def convolution(op, size, channels, filters, lhs, rhs, result="f32"):
    case = {"op": "conv", "m": size * size, "n": filters, "k": 9 * channels,
            "height": size, "width": size, "channels": channels, "lhs": lhs,
            "rhs": rhs, "result": result, **make_scales(lhs, rhs, 9 * channels)}
    # Products with the padding need not be computed, and do not count.
    operations = 2e-9 * (3 * size - 2) ** 2 * channels * filters
    limit = ARITHMETIC[rhs]
    encoding = f"{lhs}*{rhs}" + (f"->{result}" if result != "f32" else "")
    return Row(op, f"{size}x{size}x{channels}-{filters}", encoding, case,
               operations, limit, {"op": limit}, operations,
               CODES if result == "i8" else EXACT)


GEMM_SHAPES = ((128, 768, 768), (512, 1024, 1024), (1024, 4096, 4096))


# Every limit that is printed, also those that bind no row here.
LIMITS = {
    "f32-fma": {"op": "f32-fma"},
    "int8-dot": {"op": "int8-dot"},
    "bf16-dot": {"op": "bf16-dot"},
    "int8-amx": {"op": "int8-amx"},
    "bf16-amx": {"op": "bf16-amx"},
    "cache-read": {"op": "read", "bytes": 9 << 20},
    "memory-read": {"op": "read", "bytes": MEMORY_BYTES},
}


def all_rows():
    rows = []
    for shape in GEMM_SHAPES:
        rows += [gemm("gemm", *shape, "u8", "i8"),
                 gemm("gemm", *shape, "i8", "i8")]
    for shape in GEMM_SHAPES:
        rows += [gemm("gemm.requantize", *shape, "u8", "i8", "i8"),
                 gemm("gemm.requantize", *shape, "i8", "i8", "i8")]
    for shape in GEMM_SHAPES:
        rows.append(gemm("gemm.dynamic", *shape, "f32", "i8", dynamic=True))
    for cold in (False, True):
        op = "gemv.cold" if cold else "gemv.warm"
        for block in (32, 128):
            rows.append(gemm(op, 1, 4096, 4096, "f32", "i4", block=block,
                             dynamic=True, cold=cold))
    for shape in GEMM_SHAPES[:2]:
        rows.append(gemm("gemm.dynamic", *shape, "f32", "i4", block=32,
                         dynamic=True))
    for shape in GEMM_SHAPES:
        rows.append(gemm("gemm", *shape, "f32", "f32"))
    rows.append(gemm("gemm", 512, 1024, 1024, "bf16", "bf16"))
    for size, channels in ((56, 64), (14, 256)):
        shape = (size, channels, channels)
        rows += [convolution("conv3x3", *shape, "f32", "f32"),
                 convolution("conv3x3", *shape, "i8", "i8"),
                 convolution("conv3x3.requantize", *shape, "i8", "i8", "i8")]
    return rows


def quick_rows():
    """What tests run: one row, small and with sizes that no tile divides."""
    return [gemm("gemm", 5, 34, 66, "i8", "i8")]


def select_rows(rows, pattern):
    return [row for row in rows if re.search(pattern, row.name)]
