# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: check-readme.py README.md TOOLS WORK_FOLDER

Runs every command `build-release/bin/TOOL ... FILE.mlir` that stands alone in a
block of the document. Its input is the mlir block before it, and its output must
be the mlir block after it, white space apart.
"""
import pathlib
import re
import subprocess
import sys

document, tools, work = (pathlib.Path(name).resolve() for name in sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
blocks = re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(), re.S | re.M)
examples = 0
for before, (kind, text), after in zip(blocks, blocks[1:], blocks[2:]):
    command = text.split()
    if kind != "sh" or not command[0].startswith("build-release/bin/"):
        continue
    assert text.count("\n") == 1 and before[0] == after[0] == "mlir", text
    (work / command[-1]).write_text(before[1])
    command[0] = str(tools / pathlib.Path(command[0]).name)
    result = subprocess.run(command, cwd=work, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr

    def tokens(text):
        return re.findall(r"\w+|[^\w\s]", text)

    assert tokens(result.stdout) == tokens(after[1]), result.stdout
    examples += 1
assert examples, "the document has no example"
