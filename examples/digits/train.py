#!/usr/bin/env python3
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the two networks of this folder and writes every file in it.

The data are the optical handwritten digits of the UCI repository as
scikit-learn ships them: 1,797 images of 8x8 pixels with values 0..16, ten
classes. A fixed shuffle splits them into 1,347 training and 450 test images.
The test images are read once, after training, to print the accuracy; nothing
is chosen by them.

    python3 -m venv .venv
    .venv/bin/pip install -r requirements.txt
    .venv/bin/python train.py            # writes beside this file
    .venv/bin/python train.py --check    # trains again and compares

Files written:
    mlp.mlir                 64 -> 128 -> 64 -> 10, ReLU
    cnn.mlir                 conv 3x3x1x32, conv 3x3x32x32 stride 2, 512 -> 10
    test_images.npy          f32[450, 64], pixel / 16
    test_labels.npy          i32[450]
    calibration_images.npy   f32[256, 64], taken from the training images

With Python 3.11 and the versions of requirements.txt the files come out the
same byte for byte on x86-64 machines with AVX2: the matrix products run in one
thread on a fixed kernel, and numpy's AVX-512 variants are switched off.
"""
import argparse
import os
import pathlib
import sys
import tempfile

# Read when numpy is loaded. Without them the order in which products are added,
# and so the last bits of the weights, would depend on the machine.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OPENBLAS_CORETYPE"] = "Haswell"
os.environ["NPY_DISABLE_CPU_FEATURES"] = " ".join(
    ("AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL")
)

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a feature that this machine lacks anyway
    import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20250101
TRAIN_IMAGES = 1347
CALIBRATION_IMAGES = 256


# ===-- Data ------------------------------------------------------------------


def load_data():
    """Returns (train images, train labels, test images, test labels)."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.target))
    images = (digits.data[order] / 16).astype(np.float32)
    labels = digits.target[order].astype(np.int32)
    return (
        images[:TRAIN_IMAGES],
        labels[:TRAIN_IMAGES],
        images[TRAIN_IMAGES:],
        labels[TRAIN_IMAGES:],
    )


def shifted(images, rng):
    """Moves each image by up to half a pixel in both directions.

    The strokes of these images touch the border, so whole-pixel moves would
    cut them off.
    """
    grid = images.reshape(-1, 8, 8)
    amounts = rng.uniform(-0.5, 0.5, (2, len(grid), 1, 1)).astype(np.float32)
    for axis, amount in zip((1, 2), amounts):
        padding = [(0, 0)] * 3
        padding[axis] = (1, 1)
        padded = np.pad(grid, padding)
        before = np.take(padded, range(0, 8), axis=axis)
        after = np.take(padded, range(2, 10), axis=axis)
        neighbour = np.where(amount < 0, before, after)
        amount = np.abs(amount)
        grid = grid * (1 - amount) + neighbour * amount
    return grid.reshape(-1, 64)


# ===-- Layers ----------------------------------------------------------------
#
# A layer has `weights`, `bias`, forward(x) and backward(gradient), which
# returns the gradient of its input and leaves those of its parameters in
# `gradients`. All but the last layer of a network end in a ReLU.


class Dense:
    """y[n, o] = sum_i x[n, i] weights[i, o] + bias[o]."""

    def __init__(self, name, inputs, outputs, rng):
        self.name = name
        self.weights = he_normal((inputs, outputs), inputs, rng)
        self.bias = np.zeros(outputs, np.float32)

    def forward(self, x):
        self.x = x.reshape(len(x), -1)
        return self.x @ self.weights + self.bias

    def backward(self, gradient):
        self.gradients = (self.x.T @ gradient, gradient.sum(0))
        return gradient @ self.weights.T


class Conv:
    """A 3x3 convolution with a border of one zero, NHWC input, HWCF kernel."""

    def __init__(self, name, size, inputs, outputs, stride, rng):
        self.name, self.size, self.stride = name, size, stride
        self.outputs_per_side = (size - 1) // stride + 1
        self.weights = he_normal((3, 3, inputs, outputs), 9 * inputs, rng)
        self.bias = np.zeros(outputs, np.float32)

    def taps(self):
        """The slices of the padded image that each kernel position reads."""
        extent = self.stride * (self.outputs_per_side - 1) + 1
        for row in range(3):
            for column in range(3):
                yield (
                    slice(None),
                    slice(row, row + extent, self.stride),
                    slice(column, column + extent, self.stride),
                )

    def forward(self, x):
        channels = self.weights.shape[2]
        x = x.reshape(-1, self.size, self.size, channels)
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        columns = np.stack([padded[tap] for tap in self.taps()], axis=3)
        self.columns = columns.reshape(-1, 9 * channels)
        y = self.columns @ self.weights.reshape(9 * channels, -1) + self.bias
        side = self.outputs_per_side
        return y.reshape(len(x), side, side, -1)

    def backward(self, gradient):
        channels, outputs = self.weights.shape[2:]
        gradient = gradient.reshape(-1, outputs)
        weights = self.columns.T @ gradient
        self.gradients = (weights.reshape(self.weights.shape), gradient.sum(0))
        side = self.outputs_per_side
        columns = gradient @ self.weights.reshape(9 * channels, outputs).T
        columns = columns.reshape(-1, side, side, 9, channels)
        padded = np.zeros(
            (len(columns), self.size + 2, self.size + 2, channels), np.float32
        )
        for index, tap in enumerate(self.taps()):
            padded[tap] += columns[:, :, :, index]
        return padded[:, 1:-1, 1:-1]


def he_normal(shape, fan_in, rng):
    deviation = np.float32((2.0 / fan_in) ** 0.5)
    return rng.standard_normal(shape, dtype=np.float32) * deviation


def forward(layers, x):
    """Returns the logits and the outputs of the hidden layers."""
    hidden = []
    for layer in layers[:-1]:
        x = np.maximum(layer.forward(x), np.float32(0))
        hidden.append(x)
    return layers[-1].forward(x), hidden


# ===-- Training --------------------------------------------------------------


def softmax_gradient(logits, labels):
    """The gradient of the mean cross entropy with respect to the logits."""
    probabilities = np.exp(logits - logits.max(1, keepdims=True))
    probabilities /= probabilities.sum(1, keepdims=True)
    probabilities[np.arange(len(labels)), labels] -= 1
    return probabilities / np.float32(len(labels))


class Adam:
    """Adam with decoupled weight decay on the kernels (not on the biases)."""

    def __init__(self, layers, decay):
        self.layers, self.decay, self.step = layers, np.float32(decay), 0
        self.moments = [
            [(np.zeros_like(p), np.zeros_like(p)) for p in (l.weights, l.bias)]
            for l in layers
        ]

    def update(self, rate):
        self.step += 1
        first, second = np.float32(0.9), np.float32(0.999)
        one = np.float32(1)
        first_bias = np.float32(1 - 0.9**self.step)
        second_bias = np.float32(1 - 0.999**self.step)
        rate = np.float32(rate)
        for layer, moments in zip(self.layers, self.moments):
            layer.weights -= rate * self.decay * layer.weights
            for parameter, gradient, (m, v) in zip(
                (layer.weights, layer.bias), layer.gradients, moments
            ):
                m += (one - first) * (gradient - m)
                v += (one - second) * (gradient * gradient - v)
                denominator = np.sqrt(v / second_bias) + np.float32(1e-8)
                parameter -= rate * (m / first_bias) / denominator


def train(layers, images, labels, epochs, rate, decay, rng):
    """Adam on shifted images; the rate falls linearly to zero."""
    optimizer = Adam(layers, decay)
    batch = 64
    for epoch in range(epochs):
        order = rng.permutation(len(labels))
        for start in range(0, len(labels), batch):
            chosen = order[start : start + batch]
            logits, hidden = forward(layers, shifted(images[chosen], rng))
            gradient = softmax_gradient(logits, labels[chosen])
            gradient = layers[-1].backward(gradient)
            for layer, output in zip(layers[-2::-1], hidden[::-1]):
                gradient = gradient.reshape(output.shape) * (output > 0)
                gradient = layer.backward(gradient)
            done = epoch + start / len(labels)
            optimizer.update(rate * (1 - done / epochs))


def train_networks(images, labels):
    """Returns {name: layers}, trained."""
    rng = np.random.default_rng(SEED + 1)
    mlp = [
        Dense("fc1", 64, 128, rng),
        Dense("fc2", 128, 64, rng),
        Dense("fc3", 64, 10, rng),
    ]
    train(mlp, images, labels, epochs=100, rate=2e-3, decay=0.05, rng=rng)
    rng = np.random.default_rng(SEED + 2)
    cnn = [
        Conv("conv1", 8, 1, 32, 1, rng),
        Conv("conv2", 8, 32, 32, 2, rng),
        Dense("fc", 512, 10, rng),
    ]
    train(cnn, images, labels, epochs=60, rate=2e-3, decay=0.05, rng=rng)
    return {"mlp": mlp, "cnn": cnn}


# ===-- MLIR ------------------------------------------------------------------


class MLIRWriter:
    """Collects the text of one network as linalg on tensors.

    Kernels become dense_resource constants, biases hexadecimal dense
    constants. Every op of a layer carries the layer's name as its location.
    """

    def __init__(self):
        self.body, self.resources, self.counter = [], [], 0

    def emit(self, text, layer):
        """Adds `%N = text` and returns %N; `layer` is a name or None."""
        result = f"%{self.counter}"
        self.counter += 1
        location = f' loc("{layer}")' if layer else ""
        self.body.append(f"    {result} = {text}{location}")
        return result

    def weights(self, layer):
        shape = "x".join(map(str, layer.weights.shape))
        key = f"{layer.name}.weights"
        # The first four bytes are the alignment of the blob.
        blob = b"\x04\x00\x00\x00" + layer.weights.astype("<f4").tobytes()
        self.resources.append(f'      "{key}": "0x{blob.hex().upper()}"')
        return self.emit(
            f'arith.constant dense_resource<"{key}"> : tensor<{shape}xf32>',
            key,
        ), f"tensor<{shape}xf32>"

    def bias(self, layer):
        data = layer.bias.astype("<f4").tobytes().hex().upper()
        kind = f"tensor<{len(layer.bias)}xf32>"
        text = f'arith.constant dense<"0x{data}"> : {kind}'
        return self.emit(text, f"{layer.name}.bias"), kind

    def zeros(self, kind, layer):
        empty = self.emit(f"tensor.empty(%batch) : {kind}", layer)
        return self.emit(
            f"linalg.fill ins(%zero : f32) outs({empty} : {kind}) -> {kind}", layer
        ), empty

    def add_bias(self, x, empty, kind, layer, relu):
        """bias[o] is added to the last dimension, then max(., 0) if `relu`."""
        bias, bias_kind = self.bias(layer)
        rank = kind.count("x")
        dims = ", ".join(f"d{i}" for i in range(rank))
        identity = f"affine_map<({dims}) -> ({dims})>"
        last = f"affine_map<({dims}) -> (d{rank - 1})>"
        parallel = ", ".join(['"parallel"'] * rank)
        lines = [
            "linalg.generic {",
            f"        indexing_maps = [{identity}, {last}, {identity}],",
            f"        iterator_types = [{parallel}]}}",
            f"        ins({x}, {bias} : {kind}, {bias_kind}) outs({empty} : {kind}) {{",
            "    ^bb0(%value: f32, %offset: f32, %unused: f32):",
            "      %sum = arith.addf %value, %offset : f32",
        ]
        if relu:
            lines.append("      %positive = arith.maximumf %sum, %zero : f32")
        lines += [
            f"      linalg.yield %{'positive' if relu else 'sum'} : f32",
            f"    }} -> {kind}",
        ]
        return self.emit("\n".join(lines), layer.name)

    def dense(self, layer, x, relu):
        inputs, outputs = layer.weights.shape
        weights, weights_kind = self.weights(layer)
        kind = f"tensor<?x{outputs}xf32>"
        zeros, empty = self.zeros(kind, layer.name)
        product = self.emit(
            f"linalg.matmul ins({x}, {weights} : tensor<?x{inputs}xf32>, "
            f"{weights_kind}) outs({zeros} : {kind}) -> {kind}",
            layer.name,
        )
        return self.add_bias(product, empty, kind, layer, relu)

    def conv(self, layer, x):
        channels, outputs = layer.weights.shape[2:]
        size, side = layer.size, layer.outputs_per_side
        # The border that the last tap reads, none on the far side of an even
        # image at stride two.
        high = layer.stride * (side - 1) + 3 - size - 1
        padded = f"tensor<?x{size + 1 + high}x{size + 1 + high}x{channels}xf32>"
        x = self.emit(
            f"tensor.pad {x} low[0, 1, 1, 0] high[0, {high}, {high}, 0] {{\n"
            "    ^bb0(%n: index, %h: index, %w: index, %c: index):\n"
            "      tensor.yield %zero : f32\n"
            f"    }} : tensor<?x{size}x{size}x{channels}xf32> to {padded}",
            layer.name,
        )
        weights, weights_kind = self.weights(layer)
        kind = f"tensor<?x{side}x{side}x{outputs}xf32>"
        zeros, empty = self.zeros(kind, layer.name)
        product = self.emit(
            "linalg.conv_2d_nhwc_hwcf "
            "{dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<{layer.stride}> : tensor<2xi64>}}\n"
            f"        ins({x}, {weights} : {padded}, {weights_kind})\n"
            f"        outs({zeros} : {kind}) -> {kind}",
            layer.name,
        )
        return self.add_bias(product, empty, kind, layer, relu=True)

    def network(self, layers):
        x = "%x"
        if isinstance(layers[0], Conv):
            x = self.emit(
                "tensor.expand_shape %x [[0], [1, 2, 3]] "
                "output_shape [%batch, 8, 8, 1] : "
                "tensor<?x64xf32> into tensor<?x8x8x1xf32>",
                "image",
            )
        for index, layer in enumerate(layers):
            if isinstance(layer, Conv):
                x = self.conv(layer, x)
                continue
            if index and isinstance(layers[index - 1], Conv):
                side, inputs = layers[index - 1].outputs_per_side, len(layer.weights)
                x = self.emit(
                    f"tensor.collapse_shape {x} [[0], [1, 2, 3]] : tensor<?x{side}x"
                    f"{side}x{inputs // side**2}xf32> into tensor<?x{inputs}xf32>",
                    "flatten",
                )
            x = self.dense(layer, x, relu=index + 1 < len(layers))
        return x

    def module(self, description, layers):
        result = self.network(layers)
        return "\n".join(
            [f"// {line}" for line in description]
            + [
                "module {",
                "  func.func @main(%x: tensor<?x64xf32>) -> tensor<?x10xf32> {",
                "    %dim = arith.constant 0 : index",
                "    %zero = arith.constant 0.0 : f32",
                "    %batch = tensor.dim %x, %dim : tensor<?x64xf32>",
            ]
            + self.body
            + [
                f"    return {result} : tensor<?x10xf32>",
                "  }",
                "}",
                "",
                "{-#",
                "  dialect_resources: {",
                "    builtin: {",
                ",\n".join(self.resources),
                "    }",
                "  }",
                "#-}",
                "",
            ]
        )


def write_all(folder):
    """Trains both networks and writes the files of this folder into `folder`."""
    images, labels, test_images, test_labels = load_data()
    np.save(folder / "test_images.npy", test_images)
    np.save(folder / "test_labels.npy", test_labels)
    np.save(folder / "calibration_images.npy", images[:CALIBRATION_IMAGES])
    for name, layers in train_networks(images, labels).items():
        correct = forward(layers, test_images)[0].argmax(1) == test_labels
        print(f"{name}: {100 * correct.mean():.2f} % of {len(correct)} test images")
        description = [
            f"{name} on the 8x8 optical digits; written by train.py.",
            "Input: pixel / 16, one image a row. Output: logits.",
        ]
        text = MLIRWriter().module(description, layers)
        (folder / f"{name}.mlir").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check",
        action="store_true",
        help="train again and compare with the files beside this script",
    )
    arguments = parser.parse_args()
    if not arguments.check:
        write_all(HERE)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_all(folder)
        different = [
            file.name
            for file in sorted(folder.iterdir())
            if file.read_bytes() != (HERE / file.name).read_bytes()
        ]
    print("differ: " + ", ".join(different) if different else "all files are the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
