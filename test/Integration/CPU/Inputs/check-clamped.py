"""Fails unless every float-to-integer conversion in the IR on stdin converts a
number with constant bounds on both sides, and prints how many there are.

Understands minimum and maximum ops and the comparisons and selections that they
become in the LLVM dialect.
"""

import re
import sys

BOTH = frozenset(("low", "high"))
MINIMUM = ("minnumf", "minimumf", "minnum", "minimum")
MAXIMUM = ("maxnumf", "maximumf", "maxnum", "maximum")


def get_choice(operands, scope):
    """"high" for select(a < b, a, b), "low" for select(a > b, a, b)."""
    _, compared, text = scope.get(operands[0], ("", [], ""))
    predicate = re.search(r'"?\b[ou]([lg])[te]\b"?', text)
    if not predicate or sorted(compared[:2]) != sorted(operands[1:3]):
        return None
    less = (predicate.group(1) == "l") == (compared[0] == operands[1])
    return "high" if less else "low"


def get_bounds(value, scope):
    """Which bounds a value has; a constant has both."""
    op, operands, _ = scope.get(value, ("", [], ""))
    kind = op.rsplit(".", 1)[-1]
    if kind == "constant":
        return BOTH
    side = {**dict.fromkeys(MINIMUM, "high"), **dict.fromkeys(MAXIMUM, "low")}.get(kind)
    if kind == "select":
        side = get_choice(operands, scope)
        operands = operands[1:3]
    elif not side:
        return frozenset()
    first, second = (get_bounds(operand, scope) for operand in operands[:2])
    bounds = first & second
    if side and side in first | second:
        bounds |= {side}
    return bounds


scope = {}
count = 0
unclamped = []
for line in sys.stdin:
    if re.match(r"\s*(llvm\.|func\.)?func\b", line):
        scope = {}
    match = re.match(r"\s*(%[\w#]+) = \"?([\w.]+)\"?(.*)", line)
    if not match:
        continue
    name, op, rest = match.groups()
    operands = re.findall(r"%[\w#]+", rest)
    scope[name] = (op, operands, rest)
    if op.endswith((".fptosi", ".fptoui")):
        count += 1
        if get_bounds(operands[0], scope) != BOTH:
            unclamped.append(line)
if unclamped:
    sys.exit("not bounded:\n" + "".join(unclamped))
print(count, "clamped conversions")
