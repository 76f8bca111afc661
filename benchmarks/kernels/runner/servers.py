# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contenders as processes; benchmarks/kernels/Server.h says how they answer."""

import os
import select
import signal
import subprocess

# Seconds after which a contender is taken for dead.
PATIENCE = 300


class ServerError(Exception):
    """A process said that it failed, or ended."""


class Server:
    """A process that is asked, and stopped between its answers: threads of
    libraries that wait for work in a loop would take the processors from the
    contender whose turn it is. `environment` is added to that of this process;
    variables whose value there is None are taken out."""

    def __init__(self, name, command, environment, log):
        variables = dict(os.environ)
        for key, value in environment.items():
            variables.pop(key, None)
            if value is not None:
                variables[key] = value
        self.name = name
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log, text=True, env=variables)
        except OSError as error:
            raise ServerError(
                f"cannot run {command[0]}: {error.strerror}") from error

    def ask(self, *words):
        """The words of the answer: the first is "ok" or "skip"."""
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        # An answer is one line, so nothing can wait in the buffer of the file.
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        if not ready:
            self.process.kill()
        answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            raise ServerError(f"{self.name} ended with code {code} at "
                              f"'{words[0]}'")
        self.process.send_signal(signal.SIGSTOP)
        status, _, rest = answer.strip().partition(" ")
        if status == "error":
            raise ServerError(f"{self.name}: {rest}")
        return [status] + rest.split()

    def prepare(self, case):
        return self.ask("prepare",
                        *(f"{key}={value}" for key, value in case.items()))

    def time_block(self, milliseconds, calls):
        """Milliseconds of each call."""
        return [float(word) for word in self.ask("block", milliseconds,
                                                 calls)[1:]]

    def close(self):
        # One that is stopped would not see the end of its input.
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def thread_variables(threads):
    """What the libraries of contenders read their number of threads from."""
    names = ("COMPRESS_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
             "MKL_NUM_THREADS")
    return {name: str(threads) for name in names}
