# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: check-page.py PAGE.md TOOLS WORK_FOLDER

Runs the examples of a page and compares what they print with what the page says.
A comment in front of a fenced block says what the block is:

    <!-- file: NAME -->   an input file
    <!-- run -->          shell commands, all of which must succeed
    <!-- run: fails -->   shell commands, the last of which must fail
    <!-- output -->       what the last commands printed
    <!-- shows: NAME -->  what an earlier command wrote to NAME
    <!-- from: PATH -->   a part of a file of the project (relative to the page)

The block of the last three may leave parts out, as `...`. White space does
not count. Names of SSA values and of affine maps may be others than on the page, as
long as between two `...` equal ones are equal and different ones different.
"""
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(
    r"^<!-- (file|run|output|shows|from)(?:: ([\w./-]+))? -->\n+```\w*\n(.*?)^```$",
    re.S | re.M,
)
TOKEN = re.compile(r'\.\.\.|"[^"\n]*"|[%#]?[\w$.]*\w|[^\w\s]')
NAME = re.compile(r"%\w+|#map\w*")


def get_tokens(text):
    return TOKEN.findall(text)


def get_chunks(tokens):
    """The token lists between `...`."""
    chunks = [[]]
    for token in tokens:
        if token == "...":
            chunks.append([])
        else:
            chunks[-1].append(token)
    return chunks


def is_at(chunk, actual, start):
    """Whether `chunk` stands at `start`, with names replaced one to one."""
    found = actual[start : start + len(chunk)]
    if len(found) != len(chunk):
        return False
    names = {}
    for expected, token in zip(chunk, found):
        if not (NAME.fullmatch(expected) and NAME.fullmatch(token)):
            if expected != token:
                return False
        elif expected[0] != token[0] or names.setdefault(expected, token) != token:
            return False
    return len(set(names.values())) == len(names)


def matches(chunks, actual):
    """Whether `actual` is `chunks` with something in between."""
    if len(chunks) == 1:
        return len(actual) == len(chunks[0]) and is_at(chunks[0], actual, 0)
    first, *middle, last = chunks
    if not is_at(first, actual, 0):
        return False
    # Each at its first place leaves most room for the rest.
    start = len(first)
    for chunk in middle:
        while not is_at(chunk, actual, start):
            start += 1
            if start > len(actual):
                return False
        start += len(chunk)
    end = len(actual) - len(last)
    return start <= end and is_at(last, actual, end)


def check(expected, actual, what):
    if matches(get_chunks(get_tokens(expected)), get_tokens(actual)):
        return
    sys.exit(f"error: {what} is not as the page says. It is:\n{actual}")


def main():
    page, tools, work = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    work.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")
    printed, checked = None, 0
    for kind, name, text in BLOCK.findall(page.read_text()):
        if kind == "file":
            (work / name).write_text(text)
        elif kind == "run":
            result = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", text],
                cwd=work,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if (result.returncode != 0) != (name == "fails"):
                sys.exit(
                    f"error: exit code {result.returncode} of\n{text}{result.stdout}"
                )
            printed = result.stdout
        else:
            checked += 1
            if kind == "from":
                check(f"...\n{text}...\n", (page.parent / name).read_text(), name)
            elif kind == "shows":
                check(text, (work / name).read_text(), name)
            else:
                check(text, printed, f"output {checked}")
    if not checked:
        sys.exit(f"error: {page} has no example with an output")


if __name__ == "__main__":
    main()
