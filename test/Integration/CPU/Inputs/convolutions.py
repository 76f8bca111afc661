"""Writes a module of convolutions to stdout: a function that takes codes, makes
an image of them for each case, and returns all results in one tensor.

Images and weights are small integers and scales powers of two, so that sums are
exact in any order. The scales of images that are quantized dynamically are
anything; they are the last factor.
"""

import itertools

CODES = 4096


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def reassociation(rank):
    return "[[" + ", ".join(map(str, range(rank))) + "]]"


class Case:
    """One convolution: layouts like "nhwc" and "hwcf", and for each spatial
    dimension its size, taps, stride, dilation and padding. Images of kind
    "dynamic ..." are floats that get a scale each, and a zero point if `point`
    is not None: what is added to the codes."""

    def __init__(self, op, kind, channels, filters, dims, images=1, point=None):
        self.op, self.kind, self.point = op, kind, point
        self.image, self.filter = op.split("_")[-2:]
        self.channels, self.filters, self.images = channels, filters, images
        self.dims = dims

    def shape(self, layout, sizes):
        letters = {"n": self.images, "c": self.channels, "f": self.filters}
        spatial = iter(sizes)
        return [letters[x] if x in letters else next(spatial) for x in layout]

    def write(self, name, seed):
        sizes = [d[0] for d in self.dims]
        padded = [d[0] + sum(d[4]) for d in self.dims]
        taps = [d[1] for d in self.dims]
        positions = [
            (size + sum(pads) - (tap - 1) * dilation - 1) // stride + 1
            for size, tap, stride, dilation, pads in self.dims
        ]
        source = self.shape(self.image, sizes)
        image = self.shape(self.image, padded)
        weights = self.shape(self.filter, taps)
        result = self.shape(self.image.replace("c", "f"), positions)
        rank = len(source)
        count = 1
        for size in source:
            count *= size
        assert count <= CODES
        dynamic = self.kind.startswith("dynamic ")
        isFloat = dynamic or self.kind == "f32"
        element = "f32" if isFloat else "i8"
        code = "0.0" if isFloat else str(self.point or 0)
        lines = [
            f"%{name}_s = tensor.extract_slice %codes[0] [{count}] [1] : "
            f"tensor<{CODES}xi8> to tensor<{count}xi8>",
            f"%{name}_i = tensor.expand_shape %{name}_s {reassociation(rank)} "
            f"output_shape {source} : tensor<{count}xi8> into "
            f"{tensor(source, 'i8')}",
        ]
        value = f"%{name}_i"
        if isFloat:
            lines.append(
                f"%{name}_f = arith.sitofp {value} : {tensor(source, 'i8')} to "
                f"{tensor(source, 'f32')}")
            value = f"%{name}_f"
        if dynamic and self.point:
            lines += [
                f"%{name}_a = arith.constant dense<{float(self.point)}> : "
                f"{tensor(source, 'f32')}",
                f"%{name}_b = arith.addf {value}, %{name}_a : "
                f"{tensor(source, 'f32')}",
            ]
            value = f"%{name}_b"
        if any(any(d[4]) for d in self.dims):
            pads = [(0, 0)] * rank
            spatial = iter(d[4] for d in self.dims)
            pads = [(0, 0) if x in "nc" else next(spatial) for x in self.image]
            arguments = ", ".join(f"%{name}_{i}: index" for i in range(rank))
            lines += [
                f"%{name}_c = arith.constant {code} : {element}",
                f"%{name}_p = tensor.pad {value} low{[p[0] for p in pads]} "
                f"high{[p[1] for p in pads]} {{",
                f"^bb0({arguments}):",
                f"  tensor.yield %{name}_c : {element}",
                f"}} : {tensor(source, element)} to {tensor(image, element)}",
            ]
            value = f"%{name}_p"
        image_type = tensor(image, "f32")
        weight_type = tensor(weights, "f32")
        numbers = 1
        for size in weights:
            numbers *= size
        # A linear congruential generator modulo 2^16.
        values = []
        for _ in range(numbers):
            seed = (seed * 25173 + 13849) % 65536
            values.append((seed >> 8) % 255 - 127)
        text = "".join(f"{v & 255:02X}" for v in values)
        raw = f'dense<"0x{text}"> : {tensor(weights, "i8")}'
        if self.kind == "f32":
            lines += [
                f"%{name}_r = arith.constant {raw}",
                f"%{name}_w = arith.sitofp %{name}_r : {tensor(weights, 'i8')} "
                f"to {weight_type}",
            ]
        else:
            points = ", asymmetric" if self.point is not None else ""
            block = ", ".join("1" if x == "n" else "*" for x in self.image)
            grid = f", block = [{block}]" if dynamic else ""
            code_type = self.kind.split()[-1]
            image_type = tensor(
                image, f"f32, #compress.affine<{code_type}{points}{grid}>")
            block = ", ".join("1" if x == "f" else "*" for x in self.filter)
            weight_type = tensor(
                weights, f"f32, #compress.affine<i8, block = [{block}]>")
            scales = [2.0 ** -(i % 5) for i in range(self.filters)]
            point = point_type = ""
            if points and not dynamic:
                lines.append(f"%{name}_z = arith.constant dense<{self.point}> : "
                             "tensor<i8>")
                point, point_type = f", %{name}_z", ", tensor<i8>"
            lines += [
                f"%{name}_e = compress.encode {value} : {tensor(image, 'f32')} "
                f"to {image_type}"
                if dynamic else
                f"%{name}_e = compress.assemble {value}, %scale{point} : "
                f"({tensor(image, 'i8')}, tensor<f32>{point_type}) -> "
                f"{image_type}",
                f"%{name}_w = compress.constant #compress.encoded<[{raw}, "
                f"dense<{scales}> : tensor<{self.filters}xf32>]> : "
                f"{weight_type}",
            ]
            value = f"%{name}_e"
        result_type = tensor(result, "f32")
        strides, dilations = [d[2] for d in self.dims], [d[3] for d in self.dims]
        vector = f"tensor<{len(self.dims)}xi64>"
        flat = 1
        for size in result:
            flat *= size
        lines += [
            f"%{name}_o = arith.constant dense<1.0> : {result_type}",
            f"%{name}_y = linalg.{self.op} {{strides = dense<{strides}> : "
            f"{vector}, dilations = dense<{dilations}> : {vector}}} ins({value}, "
            f"%{name}_w : {image_type}, {weight_type}) outs(%{name}_o : "
            f"{result_type}) -> {result_type}",
            f"%{name} = tensor.collapse_shape %{name}_y {reassociation(rank)} : "
            f"{result_type} into tensor<{flat}xf32>",
        ]
        return lines, flat


def make_cases():
    none, one = (0, 0), (1, 1)
    # Zero points take turns, so that each meets borders of several kinds.
    kinds = {"f32": [None], "i8": [None, 3, -128], "ui8": [7, None],
             "dynamic i8": [0, None, 90], "dynamic ui8": [60, -200]}
    for kind, points in kinds.items():
        turns = itertools.cycle(points)

        def make(op, channels, filters, dims, images=1):
            return Case(op, kind, channels, filters, dims, images, next(turns))

        nhwc = "conv_2d_nhwc_hwcf"
        yield make(nhwc, 4, 33, [(6, 3, 1, 1, one), (29, 3, 1, 1, one)])
        yield make(nhwc, 3, 20, [(9, 7, 2, 1, (3, 3)), (17, 7, 2, 1, (3, 3))], 2)
        yield make(nhwc, 5, 17, [(5, 5, 1, 2, (4, 4)), (9, 5, 1, 2, (4, 4))])
        # Padding behind the end only, and windows wholly outside the image.
        yield make(nhwc, 8, 16, [(6, 3, 2, 1, (0, 1)), (30, 3, 2, 1, (0, 1))])
        yield make(nhwc, 4, 16, [(2, 3, 1, 1, (4, 5)), (3, 3, 1, 1, (5, 4))])
        # Channels that are whole steps, of several images.
        yield make(nhwc, 8, 16, [(7, 3, 1, 1, one), (5, 3, 1, 1, one)], 5)
        # Channels for tile registers, in lines longer and shorter than those.
        yield make(nhwc, 64, 40, [(3, 3, 1, 1, one), (19, 3, 1, 1, one)])
        yield make(nhwc, 64, 17, [(5, 3, 2, 1, (0, 1)), (12, 2, 1, 3, (2, 0))])
        yield make("conv_2d_nchw_fchw", 5, 19,
                   [(5, 3, 1, 1, (1, 2)), (16, 3, 1, 1, (2, 1))])
        yield make("conv_1d_nwc_wcf", 4, 7, [(40, 5, 1, 1, (2, 2))])
        yield make("conv_3d_ndhwc_dhwcf", 4, 7,
                   [(3, 3, 1, 1, one), (4, 2, 1, 1, (0, 1)), (16, 3, 1, 1, one)])
        if kind != "ui8":
            yield make("conv_2d_nhwc_fhwc", 1, 18,
                       [(7, 5, 1, 1, none), (13, 5, 1, 1, none)])
            yield make("conv_2d_nchw_fchw", 6, 18,
                       [(5, 3, 2, 1, none), (20, 3, 1, 2, none)], 2)
            yield make("conv_1d_ncw_fcw", 6, 18, [(40, 4, 3, 2, none)])
            yield make(nhwc, 5, 18, [(5, 1, 1, 1, none), (9, 1, 1, 1, none)], 2)
            yield make(nhwc, 8, 18, [(5, 1, 2, 1, none), (9, 1, 2, 1, none)])


def main():
    lines, names, types, total = [], [], [], 0
    for index, case in enumerate(make_cases()):
        body, count = case.write(f"v{index}", index)
        lines += body
        names.append(f"%v{index}")
        types.append(f"tensor<{count}xf32>")
        total += count
    result = f"tensor<{total}xf32>"
    print(f"func.func @main(%codes: tensor<{CODES}xi8>) -> {result} {{")
    print("  %scale = arith.constant dense<0.25> : tensor<f32>")
    for line in lines:
        print("  " + line)
    print(f"  %all = tensor.concat dim(0) {', '.join(names)} : "
          f"({', '.join(types)}) -> {result}")
    print(f"  return %all : {result}\n}}")


main()
