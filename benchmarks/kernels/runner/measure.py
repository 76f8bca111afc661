# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and measures the rows of the kernel benchmark."""

import dataclasses
import statistics
import time
from pathlib import Path

from . import machine, rows
from .servers import Server, ServerError

OURS = "ours"
FIELDS = ("op", "shape", "encoding", "threads", "ms", "min_ms", "gops",
          "percent_of_limit", "limit", "peer", "ratio", "error", "status")


@dataclasses.dataclass
class Contender:
    """A command with variables of its environment, and a tolerance where it has
    another one than the row."""
    command: list
    environment: dict
    tolerance: tuple = None


class Measurement:
    """The times of one contender for one row, or why there are none."""

    def __init__(self):
        self.times = []
        self.error = None
        self.status = "ok"
        self.reason = ""

    @property
    def ms(self):
        return statistics.median(self.times) if self.times else None

    @property
    def min_ms(self):
        return min(self.times, default=None)

    def fail(self, status, reason):
        self.status, self.reason = status, reason


class LimitMeter:
    """Measures a limit in turns with others: the best rate of all turns, since
    it is what the machine can do at most."""

    def __init__(self, suite, name, case, threads):
        self.suite = suite
        self.key = (name, threads)
        self.server = suite.start("limits")
        status, *work = self.server.prepare({**case, "threads": threads})
        self.work = float(work[0]) if status == "ok" else None
        self.rate = None

    def take_turn(self):
        if self.work:
            times = self.server.time_block(10, 2)
            self.rate = max(self.rate or 0, self.work * 1e3 / min(times))

    def stop(self):
        """The rate in 1e9 a second; None if the machine has no such limit."""
        if self.work:
            self.server.ask("release")
        if self.rate:
            self.suite.limits[self.key] = max(
                self.rate, self.suite.limits.get(self.key, 0))
        return self.rate


class Suite:
    """Measures rows with `contenders` {name: Contender}, of which OURS is one. `folder` is for the data of the row at hand."""

    def __init__(self, options, programs, contenders, folder, log):
        self.options = options
        self.programs = programs
        self.contenders = contenders
        self.folder = Path(folder)
        self.log = log
        self.servers = {}
        self.limits = {}

    def start(self, name):
        """The server of that name, started again if it has ended."""
        server = self.servers.get(name)
        if server and server.process.poll() is None:
            return server
        contender = self.contenders.get(name) or Contender(
            [self.programs / f"compress-bench-{name}"], {})
        self.servers[name] = Server(name, contender.command,
                                    contender.environment, self.log)
        return self.servers[name]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for server in self.servers.values():
            server.close()
        self.servers = {}

    def measure_row(self, row, threads):
        """Lines of the row, ours first; calls of all contenders alternate."""
        results = {name: Measurement() for name in self.contenders}
        idle = self.wait_for_idle(threads)
        if threads > 1 and idle < threads:
            for result in results.values():
                result.fail("refused", f"{idle} of the {threads} processors "
                            "that the row needs are idle")
            return self.make_lines(row, threads, results, None, None)
        case = {**row.case, "dir": self.folder, "threads": threads}
        self.start("oracle").prepare(case)
        for name, result in results.items():
            self.check(row, name, case, result)
        rate, others = self.time_rounds(row, threads, results)
        for result in results.values():
            if result.status == "ok" and (
                    idle == 0 or others > machine.count() - threads + 0.1):
                result.fail("busy", f"others kept {others:.2f} processors busy")
        for name in results:
            self.release(name)
        return self.make_lines(row, threads, results, rate, others)

    def wait_for_idle(self, threads):
        """Waits for as many idle processors, but not longer than asked for."""
        end = time.monotonic() + self.options.wait
        while True:
            idle = machine.count_idle()
            if idle >= threads or time.monotonic() > end:
                return idle

    def check(self, row, name, case, result):
        """Prepares a contender and compares its result with the oracle's."""
        output = self.folder / f"{name}.bin"
        try:
            server = self.start(name)
            status, *words = server.prepare(case)
            if status == "skip":
                return result.fail("skipped", " ".join(words))
            server.ask("result", output)
            if name == self.options.corrupt:
                corrupt(output)
            answer = self.start("oracle").ask("check", output)
        except ServerError as error:
            return result.fail("failed", str(error))
        finally:
            output.unlink(missing_ok=True)
        rms, maximum = map(float, answer[1:])
        result.error = rms
        allowed = self.contenders[name].tolerance or row.tolerance
        if not (rms <= allowed[0] and maximum <= allowed[1]):
            result.fail("wrong", f"differs by {rms:.3g} (rms) and {maximum:.3g} "
                        f"(maximum); allowed are {allowed[0]:g} and "
                        f"{allowed[1]:g}")

    def time_rounds(self, row, threads, results):
        """Fills in the times; returns the rate of the limit (None without) and
        how many processors others used."""
        limit = LimitMeter(self, row.limit, row.limit_case, threads)
        meter = machine.OthersMeter(
            server.process.pid for server in self.servers.values())
        names = list(results)
        for turn in range(self.options.rounds):
            limit.take_turn()
            # Nobody always follows the same one.
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                result = results[name]
                if result.status != "ok":
                    continue
                # Threads of the one before may still spin for a while.
                time.sleep(0.003 * (threads > 1))
                try:
                    result.times += self.servers[name].time_block(
                        self.options.block, self.options.calls)
                except ServerError as error:
                    result.fail("failed", str(error))
        others = meter.stop()
        return limit.stop(), others

    def measure_limits(self, threads):
        """Measures the limits that no row has measured."""
        for name, case in rows.LIMITS.items():
            if (name, threads) not in self.limits:
                limit = LimitMeter(self, name, case, threads)
                for _ in range(self.options.rounds):
                    limit.take_turn()
                limit.stop()

    def release(self, name):
        """Frees what the contender holds, if it is still there to hold it."""
        server = self.servers.get(name)
        try:
            if server:
                server.ask("release")
        except ServerError:
            pass

    def make_lines(self, row, threads, results, rate, others):
        ours = results[OURS].ms
        peers = [result.ms for name, result in results.items()
                 if name != OURS and result.ms]
        for name, result in results.items():
            ms = result.ms
            peer_ms = ms if name != OURS else min(peers, default=None)
            line = dict.fromkeys(FIELDS)
            line.update(
                op=row.op, shape=row.shape, encoding=row.encoding,
                threads=threads, limit=row.limit, error=result.error,
                peer=None if name == OURS else name, status=result.status)
            if ms:
                line["ms"] = round(ms, 5)
                line["min_ms"] = round(result.min_ms, 5)
                line["gops"] = round(row.operations * 1e3 / ms, 2)
                if rate:
                    line["percent_of_limit"] = round(
                        100 * row.work * 1e3 / rate / ms, 1)
            if ours and peer_ms:
                line["ratio"] = round(peer_ms / ours, 4)
            if others is not None:
                line["others"] = round(others, 2)
            if result.reason:
                line["reason"] = result.reason
            yield line


def corrupt(file):
    """Changes one number of a result. Tests use it to see that it is noticed."""
    data = bytearray(file.read_bytes())
    # The last byte of a float has its sign and most of its exponent.
    data[-1] ^= 0x55
    file.write_bytes(data)
