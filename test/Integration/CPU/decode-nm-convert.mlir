// N:M tensors decoded by the expanded IR against numpy's selection of the
// largest magnitudes (quantized where the values are), and lossless conversions
// of affine tensors: both encodings decode to the same numbers. Each function
// counts the elements that differ.

// RUN: compress-run %s --print \
// RUN:   --pipeline='builtin.module(compress-fold-encode,compress-expand-encodings)' \
// RUN:   | FileCheck %s
// With sizes that inlining makes known behind casts.
// RUN: compress-run %s --print \
// RUN:   --pipeline='builtin.module(inline,canonicalize,compress-fold-encode,compress-expand-encodings,canonicalize)' \
// RUN:   | FileCheck %s

// CHECK: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

func.func @main() -> tensor<16xi64> {
  %r0 = call @nm_2_4() : () -> i64
  %r1 = call @nm_2_4_ragged() : () -> i64
  %r2 = call @nm_1_2_rows() : () -> i64
  %r3 = call @nm_3_8_dynamic() : () -> i64
  %r4 = call @nm_2_4_i8() : () -> i64
  %r5 = call @nm_2_4_i8_dynamic() : () -> i64
  %r6 = call @nm_1_4_i4() : () -> i64
  %r7 = call @nm_5_16() : () -> i64
  %r8 = call @nm_3d() : () -> i64
  %x9 = arith.constant dense<"0xFB3FE83F87D7F4BEEBD3DFBDADE8053F6167A0BEE8EFDE3BA0E4E03F96B5993FF81E263F07CC743B0F84F13D9157CB3FBBC2673DE0E1223F02B0243F3C4B1ABFFFC2AA3FE7614CBF9CFD0C3E25E116C0C6F1AF3F288C1B3F321D01BF9485F8BF785AD63E221E813E013A10BFE2E18BBFEC4BB33F4D249D3F"> : tensor<3x10xf32>
  %r9 = call @convert_block_finer(%x9) : (tensor<3x10xf32>) -> i64
  %x10 = arith.constant dense<"0x164EFB3D0C78393FB0F3A7BF853002BF0462193F4EC55CBE21CB9BBED15777BE4FF41EBF7CA217BFF2B8283F51803D3F424EA13D6655B43F"> : tensor<2x7xf32>
  %r10 = call @convert_to_asymmetric(%x10) : (tensor<2x7xf32>) -> i64
  %x11 = arith.constant dense<"0x7C5D1CC0707781BFE2B1ACBF85A6ACBF55BED4BE33DD8C3F406F3EBF31EB19BD038980BE7C5155BEB78FC9BE44F9B43F7C60243F4EA451BE8DA6B4BF"> : tensor<3x5xf32>
  %r11 = call @convert_star_to_size(%x11) : (tensor<3x5xf32>) -> i64
  %x12 = arith.constant dense<"0x8ABA8D3F53FB4FBF89DE963FC0BB213F8210143FBF383BBFDA3295BF8E0A573FC9A05D3E1B2E833FCEE3DD3FAFE7363FB6F078BF470A0ABFC5028E3F86F3AE3F1F12973F295BB23E2B5C4CBF46FA4FBF3589DA3D94C1DFBE03C2B73FDDB9E4BFC1B5193F804394BE598F36BE"> : tensor<3x9xf32>
  %u12 = tensor.cast %x12 : tensor<3x9xf32> to tensor<?x?xf32>
  %r12 = call @convert_dynamic(%u12) : (tensor<?x?xf32>) -> i64
  %x13 = arith.constant dense<"0xCA94813F0086033F8BC429BF49CC363E9BE9843EBAB703BE5C1E053F15E231BE7B3C08BFDCFB8FBF92DAEDBF91BEBF3E31F79EBF6DA475BEB28DB03E0FE3FDBE054BFEBD3D3192BEB95086BF775D53BF"> : tensor<2x10xf32>
  %r13 = call @convert_two_level(%x13) : (tensor<2x10xf32>) -> i64
  %x14 = arith.constant dense<"0x658151BE9D8A7FBEE33A0740709BF63DE68104BF15AFB33F50F25C3F6F21833ECCCA0F3FE2078ABF"> : tensor<5x2xf32>
  %u14 = tensor.cast %x14 : tensor<5x2xf32> to tensor<?x?xf32>
  %r14 = call @convert_wide(%u14) : (tensor<?x?xf32>) -> i64
  %x15 = arith.constant dense<"0x223F68BF187EB73F801652BF79BBE7BF6435D4BE2698D33F42E55DBF88AA813F"> : tensor<8xf32>
  %r15 = call @convert_vector(%x15) : (tensor<8xf32>) -> i64
  %all = tensor.from_elements %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 : tensor<16xi64>
  return %all : tensor<16xi64>
}

func.func @nm_2_4() -> i64 {
  %x = arith.constant dense<"0xFC06F93EB96CF4BED7592B3FDE92B1BFD53BD53F8D8343BE16CB083F19CC463FD79F7A3E3920383E0CB9ABBF4B593ABE0ECB0ABFC3BC013BACC92CC02F53C7BFEAE895BEF5A3843E3AEA4DBEECFD8CBFF2C317BFDAA6DBBE80B143C0436549BF"> : tensor<3x8xf32>
  %c = compress.encode %x : tensor<3x8xf32> to tensor<3x8xf32, #compress.nm<2:4, dim = 1>>
  %w = compress.decode %c : tensor<3x8xf32, #compress.nm<2:4, dim = 1>> -> tensor<3x8xf32>
  %y = arith.constant dense<"0x0000000000000000D7592B3FDE92B1BFD53BD53F000000000000000019CC463FD79F7A3E000000000CB9ABBF000000000000000000000000ACC92CC02F53C7BFEAE895BE0000000000000000ECFD8CBF000000000000000080B143C0436549BF"> : tensor<3x8xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%w, %y : tensor<3x8xf32>, tensor<3x8xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_2_4_ragged() -> i64 {
  %x = arith.constant dense<"0x773A13BFE7411FBFA05CA43D0451A03FC7D5A5BEAA028DBFE7794CBF8583E33FEC68B3BE078197BFA9C59ABE43B7983E0BFF923EC977EE3FA7FD43BEB8D7C5BF5322C13FE9F2923EDA99993EF1D42DBFA78F84BFA856CA3F"> : tensor<2x11xf32>
  %c = compress.encode %x : tensor<2x11xf32> to tensor<2x11xf32, #compress.nm<2:4, dim = 1>>
  %w = compress.decode %c : tensor<2x11xf32, #compress.nm<2:4, dim = 1>> -> tensor<2x11xf32>
  %y = arith.constant dense<"0x00000000E7411FBF000000000451A03F00000000AA028DBF000000008583E33FEC68B3BE078197BF0000000043B7983E00000000C977EE3F00000000B8D7C5BF5322C13F000000000000000000000000A78F84BFA856CA3F"> : tensor<2x11xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%w, %y : tensor<2x11xf32>, tensor<2x11xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_1_2_rows() -> i64 {
  %x = arith.constant dense<"0x797153BF6A53783E5BC482BDC241C1BD859BA53E047C2A3F330A423E2AA5363ECD9391BF8EFB133F92A9A6BEC16E7D3F6916A83FFAF9D0BF2736AA3F"> : tensor<5x3xf32>
  %c = compress.encode %x : tensor<5x3xf32> to tensor<5x3xf32, #compress.nm<1:2, dim = 0>>
  %w = compress.decode %c : tensor<5x3xf32, #compress.nm<1:2, dim = 0>> -> tensor<5x3xf32>
  %y = arith.constant dense<"0x797153BF000000000000000000000000859BA53E047C2A3F0000000000000000CD9391BF8EFB133F92A9A6BE000000006916A83FFAF9D0BF2736AA3F"> : tensor<5x3xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%w, %y : tensor<5x3xf32>, tensor<5x3xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_3_8_dynamic() -> i64 {
  %x = arith.constant dense<"0x5763D63DC1794EBF5A58643F81B56DBF8F5D91BFFC71033FA7D6A83FFF4DA33F4F84AD3FC750CE3E54AAB2BE90F3133FCB56143F8F63873DF4D832BF42D735BEAEF0873E12E593BF233ABABEDDC59BBF0849E33F46F2353F640710BEFFE9733F85CE333E44310CBF"> : tensor<2x13xf32>
  %c = compress.encode %x : tensor<2x13xf32> to tensor<2x13xf32, #compress.nm<3:8, dim = 1>>
  %e = tensor.cast %c : tensor<2x13xf32, #compress.nm<3:8, dim = 1>> to tensor<?x?xf32, #compress.nm<3:8, dim = 1>>
  %w = compress.decode %e : tensor<?x?xf32, #compress.nm<3:8, dim = 1>> -> tensor<?x?xf32>
  %s = tensor.cast %w : tensor<?x?xf32> to tensor<2x13xf32>
  %y = arith.constant dense<"0x000000000000000000000000000000008F5D91BF00000000A7D6A83FFF4DA33F4F84AD3F000000000000000090F3133FCB56143F0000000000000000000000000000000012E593BF00000000DDC59BBF0849E33F46F2353F00000000FFE9733F0000000044310CBF"> : tensor<2x13xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s, %y : tensor<2x13xf32>, tensor<2x13xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_2_4_i8() -> i64 {
  %x = arith.constant dense<"0x9EA278BFF3084ABE4C5C9F3F6AD9DF3F521D04BFB2C8A53F261911BF62C75C3DBB57893FF831A8BE2FD81740AB3922C0BA9898BEA5834FBF88D96FBE86B5963DF5B1CDBFD3E0903F48179EBF41DA123F2FB07A3F9CFC90BF6213903F60F27F3E36ABAEBE5D84513F8F6ACC3F6016B03FB806AF3ED7FCA6BE"> : tensor<3x10xf32>
  %c = compress.encode %x : tensor<3x10xf32> to tensor<3x10xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>>
  %w = compress.decode %c : tensor<3x10xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>> -> tensor<3x10xf32>
  %y = arith.constant dense<"0x0000000000000000A7649E3FECD0E03F00000000AF0EA63F96100FBF0000000091F4893FAC80A3BEA0011840AB3922C000000000000000000000000000000000DAEECEBF999E913FA7649EBF9C2C143F00000000999E91BF96108F3F000000000000000000000000D760CC3FB946B03FB7B8AD3EAC80A3BE"> : tensor<3x10xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%w, %y : tensor<3x10xf32>, tensor<3x10xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_2_4_i8_dynamic() -> i64 {
  %x = arith.constant dense<"0x709E573F9B783EC0172C9CBEED95B93F213A9FBF5BF3593D77FBBF3FBC8795BFE6844F3F160FF33F7FD8E43EE987D03FC1770DBE1A82D7BED7ABEE3E0B4BB8BF6F0D8E3FD27E363D5A86A5BF7FE7903F11572D3FF687A7BE55B520BFD646C03E21EFC9BFF4F093BF7818A53F829BB93EE74AA23F8370793E"> : tensor<10x3xf32>
  %c = compress.encode %x : tensor<10x3xf32> to tensor<10x3xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
  %e = tensor.cast %c : tensor<10x3xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>> to tensor<?x?xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
  %w = compress.decode %e : tensor<?x?xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>> -> tensor<?x?xf32>
  %s = tensor.cast %w : tensor<?x?xf32> to tensor<10x3xf32>
  %y = arith.constant dense<"0x000000009B783EC00000000000000000D4F99EBF000000008CF8BF3F00000000D9F7513F91F6F23F00000000D9F7D13F0000000000000000AFF6EF3EE5F8B6BF87FA8C3F0000000098F9A4BF69FA8F3F3FF92D3F00000000000000000000000033F8C8BF4BFA92BF98F9A43F03F9B33EB6F9A13FAFF66F3E"> : tensor<10x3xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s, %y : tensor<10x3xf32>, tensor<10x3xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_1_4_i4() -> i64 {
  %x = arith.constant dense<"0xB79559BF6ED5A43E5BFFE43F601C613F6A41BE3EC06CBE3FD3893A3F2E3305409A2BABBF285C003E15520B3FF57F2CBFF9EDA03C556F87BF6F8DACBF42239C3FBA9C19C0013EC7BF"> : tensor<2x9xf32>
  %c = compress.encode %x : tensor<2x9xf32> to tensor<2x9xf32, #compress.nm<1:4, dim = 1, values = #compress.affine<i4>>>
  %e = tensor.cast %c : tensor<2x9xf32, #compress.nm<1:4, dim = 1, values = #compress.affine<i4>>> to tensor<?x?xf32, #compress.nm<1:4, dim = 1, values = #compress.affine<i4>>>
  %w = compress.decode %e : tensor<?x?xf32, #compress.nm<1:4, dim = 1, values = #compress.affine<i4>>> -> tensor<?x?xf32>
  %s = tensor.cast %w : tensor<?x?xf32> to tensor<2x9xf32>
  %y = arith.constant dense<"0x00000000000000002E72DB3F00000000000000000000000000000000E8AA03408B8EAFBF00000000000000008B8E2FBF00000000000000000000000000000000BA9C19C02E72DBBF"> : tensor<2x9xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s, %y : tensor<2x9xf32>, tensor<2x9xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_5_16() -> i64 {
  %x = arith.constant dense<"0x9CCDA93E18C8EB3E2969C73FBCBCAA3FD3FC213E9154BB3E8CB797BFD254CABE82DCA33EB9BC483F84454FBFC2DB53BF40DB033FFF293C3FEDC58BBFF399A83EA81DAC3FF43F893C3DBE663F"> : tensor<19xf32>
  %c = compress.encode %x : tensor<19xf32> to tensor<19xf32, #compress.nm<5:16, dim = 0>>
  %w = compress.decode %c : tensor<19xf32, #compress.nm<5:16, dim = 0>> -> tensor<19xf32>
  %y = arith.constant dense<"0x00000000000000002969C73FBCBCAA3F00000000000000008CB797BF00000000000000000000000000000000C2DB53BF0000000000000000EDC58BBF00000000A81DAC3FF43F893C3DBE663F"> : tensor<19xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%w, %y : tensor<19xf32>, tensor<19xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @nm_3d() -> i64 {
  %x = arith.constant dense<"0x9D3713BFEA8BBC3D432707C064D2B2BF12AC41BF919863BE0FE33C3FCC56E63D9677DABE7B89A2BE34E65EBE07BD9FBE84484BBFAB023BBF515D83BD997E8FBE63A97BBF002D293ED68F8E3E63451FBF038DCABEBA9F843DDF19953F979EB7BFA950AFBEFD400C40DA400FBF1387AFBF5CE8CB3E576598BD4B25443FAC21F43D5B4498BE8531393FDA701ABFC2D54FBF"> : tensor<2x6x3xf32>
  %c = compress.encode %x : tensor<2x6x3xf32> to tensor<2x6x3xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>>
  %e = tensor.cast %c : tensor<2x6x3xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>> to tensor<?x?x?xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>>
  %w = compress.decode %e : tensor<?x?x?xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>> -> tensor<?x?x?xf32>
  %s = tensor.cast %w : tensor<?x?x?xf32> to tensor<2x6x3xf32>
  %y = arith.constant dense<"0x000000000000000068BB06C010E8B2BF185E42BF000000003AF33D3F0000000049DFDCBE0000000004B565BE00000000D3334BBF5C8839BFB45B8DBDB45B8DBE59CB7BBFA1B2303E000000000000000000000000000000006F31963FED52B7BFA1B2B0BEFD400C40B45B0DBF327DAEBF0000000000000000185E423F7B60F73D6F3196BE5C88393F4D9C1ABFB09E4FBF"> : tensor<2x6x3xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]} ins(%s, %y : tensor<2x6x3xf32>, tensor<2x6x3xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_block_finer(%x: tensor<3x10xf32>) -> i64 {
  %e = compress.encode %x : tensor<3x10xf32> to tensor<3x10xf32, #compress.affine<i4, block = [2, 4]>>
  %f = compress.convert %e : tensor<3x10xf32, #compress.affine<i4, block = [2, 4]>> to tensor<3x10xf32, #compress.affine<i8, block = [1, 2]>>
  %v = compress.decode %e : tensor<3x10xf32, #compress.affine<i4, block = [2, 4]>> -> tensor<3x10xf32>
  %w = compress.decode %f : tensor<3x10xf32, #compress.affine<i8, block = [1, 2]>> -> tensor<3x10xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v, %w : tensor<3x10xf32>, tensor<3x10xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_to_asymmetric(%x: tensor<2x7xf32>) -> i64 {
  %e = compress.encode %x : tensor<2x7xf32> to tensor<2x7xf32, #compress.affine<i3, block = [1, 3]>>
  %f = compress.convert %e : tensor<2x7xf32, #compress.affine<i3, block = [1, 3]>> to tensor<2x7xf32, #compress.affine<i4, asymmetric, block = [1, 3]>>
  %v = compress.decode %e : tensor<2x7xf32, #compress.affine<i3, block = [1, 3]>> -> tensor<2x7xf32>
  %w = compress.decode %f : tensor<2x7xf32, #compress.affine<i4, asymmetric, block = [1, 3]>> -> tensor<2x7xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v, %w : tensor<2x7xf32>, tensor<2x7xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_star_to_size(%x: tensor<3x5xf32>) -> i64 {
  %e = compress.encode %x : tensor<3x5xf32> to tensor<3x5xf32, #compress.affine<i4>>
  %f = compress.convert %e : tensor<3x5xf32, #compress.affine<i4>> to tensor<3x5xf32, #compress.affine<i4, block = [3, 5]>>
  %v = compress.decode %e : tensor<3x5xf32, #compress.affine<i4>> -> tensor<3x5xf32>
  %w = compress.decode %f : tensor<3x5xf32, #compress.affine<i4, block = [3, 5]>> -> tensor<3x5xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v, %w : tensor<3x5xf32>, tensor<3x5xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_dynamic(%x: tensor<?x?xf32>) -> i64 {
  %e = compress.encode %x : tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<ui3, asymmetric, block = [1, 4], scale = f16>>
  %f = compress.convert %e : tensor<?x?xf32, #compress.affine<ui3, asymmetric, block = [1, 4], scale = f16>> to tensor<?x?xf32, #compress.affine<ui8, asymmetric, block = [1, 2]>>
  %v = compress.decode %e : tensor<?x?xf32, #compress.affine<ui3, asymmetric, block = [1, 4], scale = f16>> -> tensor<?x?xf32>
  %w = compress.decode %f : tensor<?x?xf32, #compress.affine<ui8, asymmetric, block = [1, 2]>> -> tensor<?x?xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_two_level(%x: tensor<2x10xf32>) -> i64 {
  %e = compress.encode %x : tensor<2x10xf32> to tensor<2x10xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, *]>>
  %f = compress.convert %e : tensor<2x10xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, *]>> to tensor<2x10xf32, #compress.affine<i12, block = [1, 4]>>
  %v = compress.decode %e : tensor<2x10xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, *]>> -> tensor<2x10xf32>
  %w = compress.decode %f : tensor<2x10xf32, #compress.affine<i12, block = [1, 4]>> -> tensor<2x10xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v, %w : tensor<2x10xf32>, tensor<2x10xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_wide(%x: tensor<?x?xf32>) -> i64 {
  %e = compress.encode %x : tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<i12, asymmetric>>
  %f = compress.convert %e : tensor<?x?xf32, #compress.affine<i12, asymmetric>> to tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [2, *]>>
  %v = compress.decode %e : tensor<?x?xf32, #compress.affine<i12, asymmetric>> -> tensor<?x?xf32>
  %w = compress.decode %f : tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [2, *]>> -> tensor<?x?xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}

func.func @convert_vector(%x: tensor<8xf32>) -> i64 {
  %e = compress.encode %x : tensor<8xf32> to tensor<8xf32, #compress.affine<i5, block = [*]>>
  %f = compress.convert %e : tensor<8xf32, #compress.affine<i5, block = [*]>> to tensor<8xf32, #compress.affine<i7, block = [3]>>
  %v = compress.decode %e : tensor<8xf32, #compress.affine<i5, block = [*]>> -> tensor<8xf32>
  %w = compress.decode %f : tensor<8xf32, #compress.affine<i7, block = [3]>> -> tensor<8xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%v, %w : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m[] : tensor<i64>
  return %r : i64
}
