"""Writes a small convolutional network to stdout, on any number of images of
7 x 9 x 3: two padded convolutions, the second with stride 2, and a fully
connected layer, with biases and ReLU between."""

import random

generator = random.Random(3)


def number(scale):
    return f"{generator.gauss(0, scale):.4f}"


def nested(shape, scale):
    if not shape:
        return number(scale)
    return "[" + ", ".join(nested(shape[1:], scale) for _ in range(shape[0])) + "]"


def conv(name, value, size, channels, out_size, filters, stride, encode):
    """Pads by one at each side, quantizes by `encode`, and adds bias and ReLU."""
    height, width = size
    image = f"?x{height}x{width}x{channels}xf32"
    padded = f"?x{height + 2}x{width + 2}x{channels}xf32"
    weights = f"3x3x{channels}x{filters}xf32"
    out = f"tensor<?x{out_size[0]}x{out_size[1]}x{filters}xf32>"
    encoding, quantization = encode(name, padded)
    return f"""
  %{name}_p = tensor.pad {value} low[0, 1, 1, 0] high[0, 1, 1, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : tensor<{image}> to tensor<{padded}>
  {quantization}
  %{name}_c = arith.constant dense<{nested([3, 3, channels, filters], 0.3)}> : tensor<{weights}>
  %{name}_w = compress.encode %{name}_c : tensor<{weights}> to tensor<{weights}, #filters>
  %{name}_n = tensor.empty(%images) : {out}
  %{name}_f = linalg.fill ins(%zero : f32) outs(%{name}_n : {out}) -> {out}
  %{name}_y = linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}
      ins(%{name}_q, %{name}_w : tensor<{padded}, {encoding}>, tensor<{weights}, #filters>) outs(%{name}_f : {out}) -> {out}
  %{name}_b = arith.constant dense<{nested([filters], 1)}> : tensor<{filters}xf32>
  %{name} = linalg.generic {{indexing_maps = [#same, #last, #same],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%{name}_y, %{name}_b : {out}, tensor<{filters}xf32>) outs(%{name}_n : {out}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }} -> {out}"""


def dynamic(name, padded):
    return "#image", (f"%{name}_q = compress.encode %{name}_p : tensor<{padded}> "
                      f"to tensor<{padded}, #image>")


def static(name, padded):
    return "#whole", (
        f"%{name}_q = compress.quantize %{name}_p, %scale, %point : "
        f"tensor<{padded}>, tensor<f32>, tensor<i8> to tensor<{padded}, #whole>")


print("""#image = #compress.affine<ui8, asymmetric, block = [1, *, *, *]>
#whole = #compress.affine<i8, asymmetric>
#filters = #compress.affine<i8, block = [*, *, *, 1]>
#rows = #compress.affine<i8, block = [1, *]>
#columns = #compress.affine<i8, block = [*, 1]>
#same = affine_map<(n, h, w, c) -> (n, h, w, c)>
#last = affine_map<(n, h, w, c) -> (c)>
func.func @main(%x: tensor<?x7x9x3xf32>) -> tensor<?x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %scale = arith.constant dense<0.02> : tensor<f32>
  %point = arith.constant dense<-100> : tensor<i8>
  %images = tensor.dim %x, %c0 : tensor<?x7x9x3xf32>""")
print(conv("first", "%x", (7, 9), 3, (7, 9), 20, 1, dynamic))
print(conv("second", "%first", (7, 9), 20, (4, 5), 8, 2, static))
print(f"""
  %flat = tensor.collapse_shape %second [[0], [1, 2, 3]] : tensor<?x4x5x8xf32> into tensor<?x160xf32>
  %flat_q = compress.encode %flat : tensor<?x160xf32> to tensor<?x160xf32, #rows>
  %u_c = arith.constant dense<{nested([160, 6], 0.1)}> : tensor<160x6xf32>
  %u = compress.encode %u_c : tensor<160x6xf32> to tensor<160x6xf32, #columns>
  %e = tensor.empty(%images) : tensor<?x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %y = linalg.matmul ins(%flat_q, %u : tensor<?x160xf32, #rows>, tensor<160x6xf32, #columns>)
      outs(%f : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}}""")
