# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions by ONNX Runtime, as a process that answers the
requests of benchmarks/kernels/Server.h. Needs onnxruntime, onnx and numpy.

Results are written to memory that is bound once. Convolutions are NCHW, as ONNX
has them. Weights of 4 bits go through MatMulNBits with accuracy level 4, which
quantizes activations to 8 bits for each block."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

TYPES = {"f32": (np.float32, TensorProto.FLOAT),
         "i8": (np.int8, TensorProto.INT8), "u8": (np.uint8, TensorProto.UINT8)}


class Skip(Exception):
    """A row that the library does not have."""


class Kernel:
    """One or, for cold rows, several copies of an operator with weights."""

    def __init__(self, case):
        self.case = case
        self.folder = Path(case["dir"])
        self.m, self.n, self.k, self.block, self.copies = (
            int(case.get(key, default)) for key, default in
            (("m", 0), ("n", 0), ("k", 0), ("block", 0), ("copies", 1)))
        self.result_type = TYPES[case["result"]]
        if "bf16" in (case["lhs"], case["rhs"]):
            raise Skip("no bf16 kernels")
        x, nodes, weights, self.result_shape = self.make()
        model = self.make_model(x, nodes, weights)
        self.x = onnxruntime.OrtValue.ortvalue_from_numpy(x)
        self.y = onnxruntime.OrtValue.ortvalue_from_numpy(
            np.zeros(self.result_shape, self.result_type[0]))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(case["threads"])
        options.inter_op_num_threads = 1
        if self.copies > 1:
            # Threads that spin for one copy would be in the way of the next.
            options.add_session_config_entry(
                "session.intra_op.allow_spinning", "0")
        self.calls = []
        for _ in range(self.copies):
            session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"])
            binding = session.io_binding()
            binding.bind_ortvalue_input("x", self.x)
            binding.bind_ortvalue_output("y", self.y)
            self.calls.append((session, binding))

    def read(self, name, kind, shape):
        return np.fromfile(self.folder / name, kind).reshape(shape)

    def make_model(self, x, nodes, weights):
        kind = {np.dtype(numpy): onnx for numpy, onnx in TYPES.values()}
        graph = helper.make_graph(
            nodes, "case",
            [helper.make_tensor_value_info("x", kind[x.dtype], x.shape)],
            [helper.make_tensor_value_info("y", self.result_type[1],
                                           self.result_shape)],
            [numpy_helper.from_array(np.asarray(value), name)
             for name, value in weights.items()])
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 8
        return model.SerializeToString()

    def make(self):
        """Activations, nodes, {name: weight}, and the shape of the result."""
        case = self.case
        if case["op"] == "conv":
            return self.make_convolution()
        x = self.read("lhs.bin", TYPES[case["lhs"]][0], (self.m, self.k))
        shape = (self.m, self.n)
        if case["rhs"] == "f32":
            w = self.read("rhs.bin", np.float32, (self.k, self.n))
            return x, [helper.make_node("MatMul", ["x", "w"], ["y"])], \
                {"w": w}, shape
        if case["rhs"] == "i4":
            return x, *self.make_blocks(), shape
        weights = {"w": self.read("rhs.bin", np.int8, (self.k, self.n)),
                   "sw": self.read("scales.bin", np.float32, self.n)}
        if case["dynamic"] == "1":
            node = helper.make_node("DynamicQuantizeMatMul", ["x", "w", "sw"],
                                    ["y"], domain="com.microsoft")
            return x, [node], weights, shape
        weights["sx"] = np.float32(case["lhs-scale"])
        if case["result"] == "f32":
            node = helper.make_node("MatMulIntegerToFloat",
                                    ["x", "w", "sx", "sw"], ["y"],
                                    domain="com.microsoft")
            return x, [node], weights, shape
        if case["lhs"] != case["result"]:
            raise Skip("results have the type of activations")
        weights.update(zx=np.int8(0), zy=np.int8(0),
                       zw=np.zeros(self.n, np.int8),
                       sy=np.float32(case["result-scale"]))
        node = helper.make_node(
            "QLinearMatMul", ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"],
            ["y"])
        return x, [node], weights, shape

    def make_blocks(self):
        codes = self.read("rhs.bin", np.int8, (self.n, self.k // self.block, -1))
        codes = (codes + 8).astype(np.uint8)
        weights = {"w": codes[..., 0::2] | codes[..., 1::2] << 4,
                   "s": self.read("scales.bin", np.float32, -1)}
        node = helper.make_node(
            "MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft",
            K=self.k, N=self.n, bits=4, block_size=self.block, accuracy_level=4)
        return [node], weights

    def make_convolution(self):
        case = self.case
        if case["rhs"] != "f32":
            raise Skip("f32 convolutions only")
        height, width, channels = (int(case[key]) for key in
                                   ("height", "width", "channels"))
        x = self.read("lhs.bin", TYPES[case["lhs"]][0],
                      (1, height, width, channels)).transpose(0, 3, 1, 2)
        w = self.read("rhs.bin", np.float32, (3, 3, channels, self.n))
        node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])
        return np.ascontiguousarray(x), [node], \
            {"w": np.ascontiguousarray(w.transpose(3, 2, 0, 1))}, \
            (1, self.n, height, width)

    def call(self, index):
        """Milliseconds of a call."""
        session, binding = self.calls[index % len(self.calls)]
        start = time.perf_counter()
        session.run_with_iobinding(binding)
        return (time.perf_counter() - start) * 1e3

    def write_result(self, file):
        result = self.y.numpy()
        if self.case["op"] == "conv":
            result = result.transpose(0, 2, 3, 1)
        np.ascontiguousarray(result).tofile(file)


class Server:
    def __init__(self):
        self.kernel = None
        self.count = 0

    def answer(self, command, *words):
        if command == "prepare":
            self.kernel = None
            self.kernel = Kernel(dict(word.split("=", 1) for word in words))
            return "ok 0"
        if command == "release":
            self.kernel = None
            return "ok"
        if command == "result":
            self.call()
            self.kernel.write_result(words[0])
            return "ok"
        least, calls = float(words[0]), int(words[1])
        most = max(least, 1000.0)
        times = []
        while sum(times) < least or (len(times) < calls and sum(times) < most):
            times.append(self.call())
        return "ok " + " ".join(map(str, times))

    def call(self):
        self.count += 1
        return self.kernel.call(self.count)


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = Server()
    for line in sys.stdin:
        try:
            reply = server.answer(*line.split())
        except Skip as reason:
            reply = f"skip {reason}"
        except Exception as error:  # The runner is told, whatever it is.
            reply = f"error {type(error).__name__}: {error}"
        print(reply.replace("\n", " "), file=replies, flush=True)


if __name__ == "__main__":
    main()
