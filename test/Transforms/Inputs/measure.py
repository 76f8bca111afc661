#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and fails if its peak resident memory exceeds a limit.

Usage: measure.py LIMIT_MIB COMMAND ARGS...

Prints peak memory, user and wall time to stderr.
"""

import resource
import subprocess
import sys
import time


def main():
    limit = int(sys.argv[1])
    start = time.monotonic()
    code = subprocess.call(sys.argv[2:])
    wall = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = usage.ru_maxrss / 1024
    print(
        "peak %.0f MiB (limit %d), user %.2f s, system %.2f s, wall %.2f s"
        % (peak, limit, usage.ru_utime, usage.ru_stime, wall),
        file=sys.stderr,
    )
    return code or (1 if peak > limit else 0)


if __name__ == "__main__":
    sys.exit(main())
