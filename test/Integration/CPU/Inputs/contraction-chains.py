"""Writes a module with chains of contractions to stdout: f32, statically and
dynamically quantized, with weights of four bits, of three contractions with a
result that is used twice, and with two row dimensions.

Argument: the rows; with "?", of all of them, of the first 17, of the first, and
of none, one after the other in the results.
"""

import random
import sys

rows = sys.argv[1]
WIDTH, HIDDEN = 160, 208
generator = random.Random(7)
lines = []


def emit(text):
    lines.append("  " + text)


def tensor(dims, width, encoding=""):
    return f"tensor<{dims}x{width}xf32{encoding and ', ' + encoding}>"


def weights(name, depth, columns, encoding):
    values = ", ".join(
        "[" + ", ".join(f"{generator.gauss(0, depth ** -0.5):.4f}"
                        for _ in range(columns)) + "]" for _ in range(depth))
    dense = tensor(depth, columns)
    emit(f"%{name}_c = arith.constant dense<[{values}]> : {dense}")
    if not encoding:
        return f"%{name}_c", dense
    encoded = tensor(depth, columns, encoding)
    emit(f"%{name}_e = compress.encode %{name}_c : {dense} to {encoded}")
    return f"%{name}_e", encoded


def layer(name, x, dims, sizes, depth, columns, kind, relu=True, residual=None):
    """x times weights, plus a bias, ReLU, plus a residual."""
    plain = tensor(dims, depth)
    out = tensor(dims, columns)
    value, kind_of_x = x, plain
    encoding = {"f32": "", "i4": "#blocks"}.get(kind, "#columns")
    if kind in ("dynamic", "i4", "asymmetric"):
        form = "#points" if kind == "asymmetric" else "#rows"
        if dims.count("x"):
            form = "#lines"
        kind_of_x = tensor(dims, depth, form)
        value = f"%{name}_x"
        emit(f"{value} = compress.encode {x} : {plain} to {kind_of_x}")
    elif kind == "static":
        kind_of_x = tensor(dims, depth, "#whole")
        value = f"%{name}_x"
        emit(f"{value} = compress.quantize {x}, %scale : {plain}, tensor<f32> "
             f"to {kind_of_x}")
    w, w_type = weights(name, depth, columns, encoding)
    rank = dims.count("x") + 2
    loops = ["a", "b"][2 - (rank - 1):]
    row = ", ".join(loops)
    maps = [f"affine_map<({row}, n, k) -> ({d})>"
            for d in (f"{row}, k", "k, n", f"{row}, n")]
    parallel = ", ".join(['"parallel"'] * rank)
    emit(f"%{name}_e0 = tensor.empty({sizes}) : {out}")
    emit(f"%{name}_i = linalg.fill ins(%zero : f32) outs(%{name}_e0 : {out}) "
         f"-> {out}")
    emit(f"%{name}_p = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
         f'iterator_types = [{parallel}, "reduction"]}} ins({value}, {w} : '
         f"{kind_of_x}, {w_type}) outs(%{name}_i : {out}) {{")
    emit("^bb0(%p: f32, %q: f32, %o: f32):")
    emit("  %m = arith.mulf %p, %q : f32")
    emit("  %s = arith.addf %o, %m : f32")
    emit("  linalg.yield %s : f32")
    emit(f"}} -> {out}")
    emit(f"%{name}_b = arith.constant dense<[" + ", ".join(
        f"{generator.gauss(0, 1):.3f}" for _ in range(columns)) +
         f"]> : tensor<{columns}xf32>")
    same = f"affine_map<({row}, n) -> ({row}, n)>"
    inputs, types, extra = f"%{name}_p, %{name}_b", f"{out}, tensor<{columns}xf32>", ""
    maps = [same, f"affine_map<({row}, n) -> (n)>"]
    if residual:
        inputs, types, extra = inputs + ", " + residual, types + ", " + out, ", %r: f32"
        maps.append(same)
    maps.append(same)
    emit(f"%{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
         f"iterator_types = [{parallel}]}} ins({inputs} : {types}) "
         f"outs(%{name}_e0 : {out}) {{")
    emit(f"^bb0(%p: f32, %q: f32{extra}, %o: f32):")
    emit("  %s0 = arith.addf %p, %q : f32")
    emit("  %s1 = arith.maximumf %s0, %zero : f32" if relu else
         "  %s1 = arith.negf %s0 : f32")
    emit("  %s2 = arith.addf %s1, %r : f32" if residual else
         "  %s2 = arith.addf %s1, %s1 : f32")
    emit("  linalg.yield %s2 : f32")
    emit(f"}} -> {out}")
    return f"%{name}"


emit("%zero = arith.constant 0.0 : f32")
emit("%c0 = arith.constant 0 : index")
emit("%c1 = arith.constant 1 : index")
emit("%scale = arith.constant dense<0.04> : tensor<f32>")
sizes = ""
if rows == "?":
    emit(f"%d = tensor.dim %x, %c0 : {tensor(rows, WIDTH)}")
    sizes = "%d"
results = []
for kind in ("f32", "static", "dynamic", "asymmetric", "i4"):
    h = layer(f"{kind}_h", "%x", rows, sizes, WIDTH, HIDDEN, kind)
    y = layer(f"{kind}_y", h, rows, sizes, HIDDEN, WIDTH, kind, False, "%x")
    results.append((y, tensor(rows, WIDTH)))

a = layer("a", "%x", rows, sizes, WIDTH, WIDTH, "f32")
b = layer("b", a, rows, sizes, WIDTH, HIDDEN, "dynamic")
c = layer("c", b, rows, sizes, HIDDEN, WIDTH, "f32", residual=a)
results += [(a, tensor(rows, WIDTH)), (c, tensor(rows, WIDTH))]

both = tensor("?x?", WIDTH)
emit(f"%d0 = tensor.dim %z, %c0 : {both}")
emit(f"%d1 = tensor.dim %z, %c1 : {both}")
h = layer("z_h", "%z", "?x?", "%d0, %d1", WIDTH, HIDDEN, "f32")
y = layer("z_y", h, "?x?", "%d0, %d1", HIDDEN, WIDTH, "dynamic", False, "%z")
results.append((y, both))

values = ", ".join(value for value, _ in results)
types = ", ".join(kind for _, kind in results)
arguments = f"%x: {tensor(rows, WIDTH)}, %z: {both}"
print("#whole = #compress.affine<i8>")
print("#rows = #compress.affine<i8, block = [1, *]>")
print("#lines = #compress.affine<i8, block = [1, 1, *]>")
print("#points = #compress.affine<i8, block = [1, *], asymmetric>")
print("#columns = #compress.affine<i8, block = [*, 1]>")
print("#blocks = #compress.affine<i4, block = [16, 1]>")
name = "chains" if rows == "?" else "main"
print(f"func.func @{name}({arguments}) -> ({types}) {{")
print("\n".join(lines))
print(f"  return {values} : {types}\n}}")
if rows == "?":
    print(f"func.func @main({arguments}) -> ({types}) {{")
    count, x = len(results), tensor("?", WIDTH)
    print(f"  %n0 = call @chains(%x, %z) : ({x}, {both}) -> ({types})".replace(
        "%n0 =", f"%n0:{count} ="))
    for number, size in enumerate((17, 1, 0), start=1):
        few = tensor(size, WIDTH)
        print(f"  %s{number} = tensor.extract_slice %x[0, 0] [{size}, {WIDTH}] "
              f"[1, 1] : {x} to {few}")
        print(f"  %c{number} = tensor.cast %s{number} : {few} to {x}")
        print(f"  %n{number}:{count} = call @chains(%c{number}, %z) : "
              f"({x}, {both}) -> ({types})")
    for index in range(count - 1):
        parts = ", ".join(f"%n{number}#{index}" for number in range(4))
        print(f"  %r{index} = tensor.concat dim(0) {parts} : "
              f"({', '.join([x] * 4)}) -> {x}")
    values = ", ".join(f"%r{index}" for index in range(count - 1))
    print(f"  return {values}, %n0#{count - 1} : {types}\n}}")
