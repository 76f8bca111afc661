# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: check-links.py PAGE.md...

Every link of the pages to a file must lead to one, and every link to a heading to
a heading. Links to other hosts are not followed.
"""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")


def get_anchors(page):
    """The names that GitHub gives to the headings of a page."""
    anchors, count = set(), {}
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = count.get(name, 0)
        count[name] = number + 1
        anchors.add(f"{name}-{number}" if number else name)
    return anchors


def find_broken(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for target in LINK.findall(text):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page}: {target}: no such file"
        elif anchor and file.suffix == ".md" and anchor not in get_anchors(file):
            yield f"{page}: {target}: no such heading"


pages = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
broken = [error for page in pages for error in find_broken(page)]
sys.exit("\n".join(broken) or 0)
