# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every peer program shares.

A peer is a file of this folder that measures another library on the operations
and shapes of our own rows. It is run as a program by benchmarks/run:

    peers/NAME.py --threads N [--filter REGEX]

and prints one JSON object {op, shape, peer, ms} a line. It exits with code 77,
after a line that says why, if the library is not installed.
"""

import argparse
import json
import re
import sys
import time

SKIPPED = 77


def skip(reason):
    """Ends the program: the peer cannot run here."""
    print(reason, file=sys.stderr)
    sys.exit(SKIPPED)


def parse_arguments():
    """The options that benchmarks/run gives. Call before importing libraries
    that read their number of threads from the environment."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--filter", default="")
    return parser.parse_args()


def measure(arguments, peer, rows, seconds=0.3):
    """Prints the least time of repeated calls for each (op, shape, prepare) of
    `rows` that the filter lets through. prepare() returns the function to time."""
    for op, shape, prepare in rows:
        if not re.search(arguments.filter, f"{op}/{shape}"):
            continue
        function = prepare()
        function()
        best, end = float("inf"), time.perf_counter() + seconds
        while True:
            start = time.perf_counter()
            function()
            now = time.perf_counter()
            best = min(best, now - start)
            if now > end:
                break
        row = {"op": op, "shape": shape, "peer": peer, "ms": best * 1e3}
        print(json.dumps(row), flush=True)
