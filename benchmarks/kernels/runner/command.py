# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `benchmarks/run kernels`."""

import argparse
import json
import signal
import sys
import tempfile
from pathlib import Path

from . import machine, rows
from .measure import FIELDS, OURS, Contender, Suite
from .servers import ServerError, thread_variables

HERE = Path(__file__).resolve().parent.parent
# What may change when a peer rounds weights of 4 bits to a format of its own.
ROUNDED_WEIGHTS = (1.5e-1, 1.5)
# oneDNN without the instructions that work on tiles of a matrix (AMX): what a
# kernel for vectors is to be compared with.
# This is the last one before them; it has VNNI and the dot products of bf16.
VECTOR_ISA = {"DNNL_MAX_CPU_ISA": "AVX512_CORE_BF16"}
# A type of core that somebody chose for OpenBLAS may not be this one.
OPENBLAS = {"OPENBLAS_CORETYPE": None, "OPENBLAS_L2_SIZE": None}


def add_arguments(parser, positive, regular_expression, build):
    parser.add_argument("--filter", default="", metavar="REGEX",
                        type=regular_expression,
                        help="only rows whose 'op shape encoding' matches")
    parser.add_argument("--threads", type=positive, action="append",
                        metavar="N", help="threads of every contender "
                        "(default 1; repeat for several)")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="also write the JSON lines to FILE")
    parser.add_argument("--rounds", type=positive, default=7, metavar="N",
                        help="turns of every contender (default 7)")
    parser.add_argument("--block", type=positive, default=20, metavar="MS",
                        help="least milliseconds of a turn (default 20)")
    parser.add_argument("--calls", type=positive, default=5, metavar="N",
                        help="least calls of a turn (default 5)")
    parser.add_argument("--wait", type=float, default=5.0, metavar="S",
                        help="seconds to wait for idle processors (default 5)")
    parser.add_argument("--quick", action="store_true",
                        help="one tiny row and one turn, to see that it works")
    parser.add_argument("--list", action="store_true",
                        help="print the names of the rows and measure nothing")
    parser.add_argument("--no-peers", action="store_true",
                        help="measure only this project")
    parser.add_argument("--ggml", type=Path, metavar="DIR",
                        help="a source tree of ggml, to be built as a peer")
    parser.add_argument("--xnnpack", type=Path, metavar="DIR",
                        help="a prefix with the XNNPACK that is to be the peer "
                        "(default: the system's)")
    parser.add_argument("--onnxruntime", metavar="PYTHON",
                        help="measure ONNX Runtime in this interpreter, which "
                        "has onnxruntime, onnx and numpy")
    parser.add_argument("--build", type=Path, metavar="DIR", default=build,
                        help="build directory (default build-benchmarks)")
    parser.add_argument("--programs", type=Path, metavar="DIR",
                        help="where the programs are; nothing is built")
    parser.add_argument("--log", type=Path, metavar="FILE",
                        help="what the contenders write to stderr (default: "
                        "its end is shown if one fails)")
    # Changes a result of this contender, for the test of the check.
    parser.add_argument("--corrupt", default="", help=argparse.SUPPRESS)


def find_contenders(options, programs, threads):
    """{name: Contender} of what there is, ours first."""
    variables = thread_variables(threads)
    contenders = {
        OURS: Contender([programs / "compress-bench-compiled"], variables)}
    if options.no_peers:
        return contenders
    peers = [("onednn", "onednn", [], {}, None),
             ("openblas", "openblas", [], OPENBLAS, None),
             ("xnnpack", "xnnpack", [], {}, None),
             ("ggml", "ggml", [], {}, None),
             ("ggml-q4k", "ggml", ["q4_k"], {}, ROUNDED_WEIGHTS)]
    if machine.has_tiles():
        peers += [("onednn-vnni", "onednn", [], VECTOR_ISA, None),
                  ("ggml-vnni", "ggml", ["no-tiles"], {}, None),
                  ("ggml-q4k-vnni", "ggml", ["q4_k", "no-tiles"], {},
                   ROUNDED_WEIGHTS)]
    for name, program, arguments, extra, tolerance in peers:
        command = programs / f"compress-bench-{program}"
        if command.exists():
            contenders[name] = Contender([command, *arguments],
                                         {**variables, **extra}, tolerance)
    if options.onnxruntime:
        contenders["onnxruntime"] = Contender(
            [options.onnxruntime, HERE / "peers" / "onnxruntime_server.py"],
            variables)
    return contenders


def show(value):
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def print_table(lines):
    cells = [FIELDS] + [[show(line[field]) for field in FIELDS]
                        for line in lines if line["status"] != "skipped"]
    widths = [max(map(len, column)) for column in zip(*cells)]
    print()
    for row in cells:
        print("  ".join(cell.ljust(width)
                        for cell, width in zip(row, widths)).rstrip())


def print_limits(limits):
    print()
    for (name, threads), rate in limits.items():
        unit = "GB/s" if name.endswith("read") else "Gop/s"
        print(f"limit {name}, {threads} thread(s): {rate:.1f} {unit}")


def measure_all(options, selected, programs):
    """The lines of all rows, and {(limit, threads): rate}."""
    lines, limits = [], {}
    with tempfile.TemporaryDirectory(prefix="compress-bench-") as folder:
        log_file = options.log or Path(folder) / "log.txt"
        with open(log_file, "w") as log:
            for threads in options.threads or [1]:
                contenders = find_contenders(options, programs, threads)
                with Suite(options, programs, contenders, folder, log) as suite:
                    try:
                        for row in selected:
                            for line in suite.measure_row(row, threads):
                                print(json.dumps(line), flush=True)
                                lines.append(line)
                        if not options.quick:
                            suite.measure_limits(threads)
                    except KeyboardInterrupt:
                        print("interrupted; the table has the rows so far",
                              file=sys.stderr)
                        return lines, suite.limits
                limits.update(suite.limits)
        if any(line["status"] == "failed" for line in lines):
            sys.stderr.write(log_file.read_text(errors="replace")[-4000:])
    return lines, limits


def run(options, build, fail):
    # Contenders and files shall go also when the command is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    selected = rows.quick_rows() if options.quick else rows.all_rows()
    selected = rows.select_rows(selected, options.filter)
    if not selected:
        fail(f"no row matches '{options.filter}'")
    if options.list:
        for row in selected:
            print(row.name)
        return
    if options.quick:
        options.rounds, options.block, options.wait = 1, 1, 0.0
    programs = options.programs
    if not programs:
        settings = [
            f"-DCOMPRESS_{name}_DIR={folder.resolve()}" for name, folder in
            (("GGML", options.ggml), ("XNNPACK", options.xnnpack)) if folder]
        programs = build(options.build, "compress-bench-kernels",
                         settings).parent
    try:
        lines, limits = measure_all(options, selected, programs)
    except ServerError as error:
        fail(str(error))
    print_table(lines)
    print_limits(limits)
    print(machine.describe())
    if options.json:
        options.json.write_text(
            "".join(json.dumps(line) + "\n" for line in lines))
    wrong = [line for line in lines if line["status"] in ("wrong", "failed")]
    for line in wrong:
        print(f"{line['op']} {line['shape']} {line['encoding']}, "
              f"{line['peer'] or OURS}: {line['status']}: {line['reason']}",
              file=sys.stderr)
    if wrong:
        fail(f"{len(wrong)} of {len(lines)} results are wrong or missing")
