"""Prints the ops without a location in the IR with debug information on stdin.

Constants are left out: where folding makes one of several, it has no location.
"""

import re
import sys

lines = sys.stdin.read().split("\n")
aliases = {"unknown"}
for line in lines:
    alias = re.match(r"(#loc\d*) = loc\(unknown\)", line)
    if alias:
        aliases.add(alias.group(1))
if not any(re.search(r" loc\([#\"\w]", line) for line in lines):
    sys.exit("the input has no debug information")
CONSTANTS = r"arith\.constant|memref\.(get_)?global"
for line in lines:
    if line.startswith("#"):
        continue
    location = re.search(r" loc\((unknown|#loc\d*)\)$", line)
    if location and location.group(1) in aliases and not re.search(CONSTANTS, line):
        print(line.strip())
