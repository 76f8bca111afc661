"""Prints a module that quantizes its argument row by row, multiplies it by an
identity, and expects what compress.encode and compress.decode give, bit for bit.

usage: dynamic-quantization.py <depth> <rows.npy>

Also writes rows with everything that quantization must cope with.
"""

import sys

import numpy as np

depth = int(sys.argv[1])
rng = np.random.default_rng(depth)
normal = rng.standard_normal((64, depth)).astype(np.float32)
rows = [row * np.float32(10.0 ** rng.integers(-3, 4)) for row in normal[:24]]
# Halves: quotients that are rounded to even.
rows.append(np.where(np.arange(depth) % 5 == 0, 127, rng.integers(-60, 60, depth) + 0.5))
rows.append(np.where(np.arange(depth) % 5 == 0, 255, rng.integers(0, 250, depth) + 0.5))
rows.append(np.zeros(depth))
rows.append(np.full(depth, -0.0))
rows.append(-np.abs(normal[24]))
rows.append(np.abs(normal[25]))
# Denormals, and scales that are denormal or vanish.
for exponent in (-149, -148, -145, -140, -133, -126, -124, -120, -61, -60, -59):
    rows.append(normal[26] * 2.0**exponent)
# Scales that no f16 holds, up to the largest numbers.
for exponent in (15, 16, 22, 23, 24, 30, 38, 39, 40, 41, 45, 59, 60, 61, 66, 67, 68, 100, 124):
    rows.append(normal[27] * 2.0**exponent)
# Some numbers that are out of range of an f16 scale by any factor.
for exponent in range(38, 44):
    rows.append(np.linspace(-1, 1, depth) * 2.0**exponent)
# Negative numbers that no unsigned code holds, by any factor.
for exponent in range(14, 22):
    rows.append(np.linspace(-(2.0**exponent), 0.25, depth))
rows.append(np.where(np.arange(depth) % 2, 1, -1) * np.finfo(np.float32).max)
special = [np.inf, -np.inf, np.nan, -np.nan]
for row, values in enumerate([[v] for v in special] + [special[:2], special, [np.inf, -0.0]]):
    changed = normal[32 + row].copy()
    for value in values:
        changed[rng.integers(0, depth)] = value
    rows.append(changed)
rows.append(np.full(depth, np.nan))
rows.append(np.full(depth, -np.inf))
rows.append(np.where(np.arange(depth) == depth - 1, np.nan, 1e-42))
with np.errstate(over="ignore"):
    x = np.array(rows).astype(np.float32)
np.save(sys.argv[2], x)

# The code, its scale, and the weights: codes with one scale for each column, or
# in blocks.
kinds = {
    "symmetric": ("i8", "", "w"),
    "full": ("i8, full_range", "", "wb"),
    "asymmetric": ("i8, asymmetric", "", "w"),
    "unsigned": ("ui8", "", "w"),
    "half": ("i8", ", scale = f16", "wb"),
    "half_asymmetric": ("ui8, asymmetric", ", scale = f16", "w"),
    "bfloat": ("i8", ", scale = bf16", "w"),
}
# Columns of an identity, spread over the products.
columns = 19
identity = np.zeros((depth, columns), np.int8)
for column in range(columns):
    identity[column * (depth - 1) // (columns - 1), column] = 1
hex_codes = identity.tobytes().hex().upper()
blocks = -(-depth // 16)
padded = np.zeros((blocks * 16, columns), np.int8)
padded[:depth] = identity
print(f"""#column = #compress.affine<i8, block = [*, 1]>
#block = #compress.affine<i4, block = [16, 1]>
func.func @main(%x: tensor<?x{depth}xf32>) {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x{depth}xf32>
  %empty = tensor.empty(%m) : tensor<?x{columns}xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x{columns}xf32>) -> tensor<?x{columns}xf32>
  %w = compress.constant #compress.encoded<[dense<"0x{hex_codes}"> : tensor<{depth}x{columns}xi8>, dense<1.0> : tensor<{columns}xf32>]> : tensor<{depth}x{columns}xf32, #column>
  %wb = compress.constant #compress.encoded<[dense<"0x{padded.tobytes().hex().upper()}"> : tensor<{blocks * 16}x{columns}xi4>, dense<1.0> : tensor<{blocks}x{columns}xf32>]> : tensor<{depth}x{columns}xf32, #block>""")
for name, (code, scale, weights) in kinds.items():
    encoding = f"#compress.affine<{code}, block = [1, *]{scale}>"
    rows_type = f"tensor<?x{depth}xf32, {encoding}>"
    result = f"tensor<?x{columns}xf32>"
    print(f"""  %{name} = compress.encode %x : tensor<?x{depth}xf32> to {rows_type}
  %{name}_decoded = compress.decode %{name} : {rows_type} -> tensor<?x{depth}xf32>""")
    print(f"""  %{name}_expected = tensor.generate %m {{
  ^bb0(%i: index, %j: index):
    %last = arith.constant {depth - 1} : index
    %by = arith.constant {columns - 1} : index
    %p = arith.muli %j, %last : index
    %k = arith.divui %p, %by : index
    %v = tensor.extract %{name}_decoded[%i, %k] : tensor<?x{depth}xf32>
    tensor.yield %v : f32
  }} : {result}""")
    kind = "#column" if weights == "w" else "#block"
    print(f"""  %{name}_product = linalg.matmul ins(%{name}, %{weights} : {rows_type}, tensor<{depth}x{columns}xf32, {kind}>) outs(%fill : {result}) -> {result}
  compress_check.expect_eq %{name}_product, %{name}_expected : {result}""")
print("  return\n}")
