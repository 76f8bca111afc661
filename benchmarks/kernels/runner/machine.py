# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who else uses the processors (Linux: /proc/stat)."""

import os
import time

# A processor with less than this part of the time in use is idle.
IDLE = 0.15


def count():
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def read_processors():
    """[(ticks in use, all ticks)] of the processors that this process may use."""
    allowed = os.sched_getaffinity(0)
    processors = []
    with open("/proc/stat") as stat:
        for line in stat:
            name, *fields = line.split()
            if not name.startswith("cpu") or name == "cpu":
                continue
            if int(name[3:]) in allowed:
                # user nice system idle iowait irq softirq steal
                ticks = [int(field) for field in fields[:8]]
                processors.append((sum(ticks) - ticks[3] - ticks[4], sum(ticks)))
    return processors


def count_idle(seconds=0.2):
    """The processors that are idle for `seconds`."""
    before = read_processors()
    time.sleep(seconds)
    after = read_processors()
    return sum(1 for old, new in zip(before, after)
               if new[0] - old[0] <= IDLE * max(1, new[1] - old[1]))


def read_process_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class OthersMeter:
    """How many processors others kept busy while a row was measured."""

    def __init__(self, pids):
        self.pids = list(pids)
        self.start = self.read()

    def read(self):
        own = sum(read_process_seconds(pid) for pid in self.pids)
        own += sum(os.times()[:2])
        used = sum(busy for busy, _ in read_processors())
        return time.monotonic(), used / os.sysconf("SC_CLK_TCK") - own

    def stop(self):
        now, others = self.read()
        return max(0.0, (others - self.start[1]) / (now - self.start[0]))


def read_description(key):
    """What /proc/cpuinfo says about the first processor."""
    with open("/proc/cpuinfo") as info:
        for line in info:
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return ""


def has_tiles():
    """True if there are instructions on tiles of a matrix (AMX)."""
    return "amx_tile" in read_description("flags").split()


def describe():
    """The model of the processors, and how many may be used."""
    model = read_description("model name") or "unknown model"
    return f"{model}, {count()} processors"
