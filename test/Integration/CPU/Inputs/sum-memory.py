"""Prints the bytes of the largest global and of the largest allocation in the IR
with memrefs on stdin."""

import re
import sys


def size(shape):
    dims, element = re.match(r"((?:\d+x)*)(\w+)", shape).groups()
    width = 64 if element == "index" else int(re.search(r"\d+", element).group())
    total = max(1, width // 8)
    for dim in re.findall(r"\d+", dims):
        total *= int(dim)
    return total


sizes = {"global": [0], "allocation": [0]}
for line in sys.stdin:
    op = re.search(r"memref\.(global|alloc|alloca)\b", line)
    if op:
        kind = "global" if op.group(1) == "global" else "allocation"
        shape = re.search(r": memref<([^>]*)>", line).group(1)
        if "?" in shape.split(",")[0]:
            sys.exit("a buffer of unknown size: memref<" + shape + ">")
        sizes[kind].append(size(shape))
for kind, values in sizes.items():
    print("largest %s: %d" % (kind, max(values)))
    print("all of kind %s: %d" % (kind, sum(values)), file=sys.stderr)
