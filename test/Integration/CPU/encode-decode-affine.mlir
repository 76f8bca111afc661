// Random tensors, encoded at run time and decoded by the expanded IR, against
// the constant encoder (components, bit for bit) and against values that numpy
// computed from the definition (decoded numbers, exactly). Each function counts
// the elements that differ. The inputs have NaNs, infinities, blocks of zeros,
// ragged blocks, dynamic and empty dimensions.

// RUN: compress-run %s --print \
// RUN:   --pipeline='builtin.module(compress-fold-encode,compress-expand-encodings)' \
// RUN:   | FileCheck %s
// RUN: compress-run %s --print \
// RUN:   --pipeline='builtin.module(compress-fold-encode,canonicalize,compress-expand-encodings,canonicalize,cse)' \
// RUN:   | FileCheck %s
// With sizes that inlining makes known behind casts.
// RUN: compress-run %s --print \
// RUN:   --pipeline='builtin.module(inline,compress-fold-encode,compress-expand-encodings)' \
// RUN:   | FileCheck %s

// CHECK: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

func.func @main() -> tensor<24xi64> {
  %x0 = arith.constant dense<"0x193D213B0000C07FCC5B0CBF0000807F9CCA68BF000080FF2359F63D2C8C2B407E027CBF71D79EBF94CC7A3FE5B9363F6DE3573E2733EEBF85A16FBD64FFB13F390F2CC09D4C6ABF445B73C0930F25C0"> : tensor<4x5xf32>
  %r0 = call @i8_tensor(%x0) : (tensor<4x5xf32>) -> i64
  %x1 = arith.constant dense<"0x00000000000000000000000000000000560194C0446EC1BEFA0CF5BFFBC2E43FF1F3F43F85353240EC78C43FC135D9BD751BDC3F9BB34040F951A7BFF93F9C3FC0CAAEBD78523840C13ED6BF51641ABF7284393F"> : tensor<3x7xf32>
  %u1 = tensor.cast %x1 : tensor<3x7xf32> to tensor<?x?xf32>
  %r1 = call @i8_full(%u1) : (tensor<?x?xf32>) -> i64
  %x2 = arith.constant dense<"0xB986CDBFA5ADF83E210354C07DF6A73FAB5C1240A1BC67BFA1685C3F3C7A003F83E849BF91C6DCBF571582C0C2883440051AC3BDD06DA1400A83D33F40390E3F674DA8BF6E3C32402A9C81BF18F4484003F64BBFB56ABE3EDDE642C085F795409D9040BE9C2D45BFB693CF3FF230E4BFE981C43F35EB15C0"> : tensor<3x10xf32>
  %r2 = call @i3_ragged(%x2) : (tensor<3x10xf32>) -> i64
  %x3 = arith.constant dense<"0x323A0DC00000C07F6424C8BF0000807FF28BFEBE000080FFA3D1D73FBBA1DB3F454B733F24CB66BF3E43C1BFA897D0BFBE0D30BFEF73D2BDEDE6F8BFE33611C065851C3F04046DC0844DB5BED2055A3F4440FCBF48750EC063B8C2BFF1E4A53F83F284BEF64E6FC037C158BF5FC70140C5D4FB3F6E4AA13FB0C5F3BEFD266CC0C9A5AD3E"> : tensor<3x11xf32>
  %u3 = tensor.cast %x3 : tensor<3x11xf32> to tensor<?x?xf32>
  %r3 = call @i3_dynamic(%u3) : (tensor<?x?xf32>) -> i64
  %x4 = arith.constant dense<"0x602C7041E64015BCC4B838BC8F3C2DAFFA3D64C344422CB2713D5FB411BA693B993E7BB6E4B47C3DF6BE0FC2523A5DBDAEC383BE7BBBC6C0F8C1B12C"> : tensor<5x6xf16>
  %r4 = call @i4_rows(%x4) : (tensor<5x6xf16>) -> i64
  %x5 = arith.constant dense<"0x000000000000000000000000000000000F344F40BB4F1AC02780A0BF7E0B29C059AD5CBEFAAEFF3F0ECC33BDFEE37D3F119474C0FD97963E6F2DE8BF"> : tensor<3x5xf32>
  %u5 = tensor.cast %x5 : tensor<3x5xf32> to tensor<3x?xf32>
  %r5 = call @i4_odd(%u5) : (tensor<3x?xf32>) -> i64
  %x6 = arith.constant dense<"0x29D369400000C07FAE43F53F0000807F6BBC2840000080FF9CE36940BE05823D9D2784BFA99A943F1C3D5D3FA6B336BF373DFDBE442DB83F0E4EB43FF3E47CBFF9443CBFE84467C045F0564082ACE5BEE82B2B400DBE553FC6D3784005C0444003F8223FA8893D404C3BF3BF661A2140"> : tensor<4x7xf32>
  %u6 = tensor.cast %x6 : tensor<4x7xf32> to tensor<4x?xf32>
  %r6 = call @i4_asym(%u6) : (tensor<4x?xf32>) -> i64
  %x7 = arith.constant dense<"0xCA2141ADB241F63FE2140C36DA57FFBF22520933042D09C02D8D9EF8566617C01DE99E135B9BE6BFE5558A1932F6034020186318E5EEB03F8058F1B90661F03F903B7B082F5F00408C05F7ED893AFCBF24AC7F16E2371540D61321E5A10FFCBF2EB95A1A4BE8E73FAE761459A9EA1540422FAE65A53FCDBF54187EBE6742CD3FE40DEB355161F0BF1184AEC4E168E53FBA25E7BD720311C00E28444AA8B2F4BF35AE3B79011B0B404C439716BC0CDB3F6DCDDFEC60C5DEBFA336E8710FDEE73F9A0FAE04EB88EA3FCAAFF8A71E78D33F73C26BB3CA83F23FF4F3EA5FB58D0AC0"> : tensor<4x7xf64>
  %u7 = tensor.cast %x7 : tensor<4x7xf64> to tensor<?x7xf64>
  %r7 = call @i5_asym(%u7) : (tensor<?x7xf64>) -> i64
  %x8 = arith.constant dense<"0x37C0F0BF4A3F86BF873FCF3F39C0024098BF8640BB3F8ABFCE3E"> : tensor<13xbf16>
  %u8 = tensor.cast %x8 : tensor<13xbf16> to tensor<?xbf16>
  %r8 = call @i6(%u8) : (tensor<?xbf16>) -> i64
  %x9 = arith.constant dense<"0x0000000000000000454300FC5A3CDCB9B3C1A2BD5B3452BF21B67B40903C943C86399CB579C3EF3F07C2"> : tensor<21xf16>
  %r9 = call @ui4_asym(%x9) : (tensor<21xf16>) -> i64
  %x10 = arith.constant dense<"0x2BF60C40DD462D3F933B8ABF9B4F21C0F38272C054AF183D5381CFBF9D45DFBFF94BE3BE805CD4BDCFB691C068D6EC3FD7B781C02A086E40792F973F9B9571BF4FE72B405F482A3D32E0B03FDF995B3E245B0C40B1DC07400D47E8BF43CC9CBF75BB2F3FE70CD7BE093C92C0"> : tensor<3x9xf32>
  %r10 = call @ui4(%x10) : (tensor<3x9xf32>) -> i64
  %x11 = arith.constant dense<"0xAB5B5DBF03A710C00581AC3FDECC0DC0FEE380409B92EC3F50F137BF520D923F8D484E40C15FB540135BECBF56540840A68A843F50210FBF26CD0B40F6BB813F42C2094052A186BF0B48A3BB59384A3F1F95203DECC2073DF2B6C4BF9969813E"> : tensor<4x6xf32>
  %u11 = tensor.cast %x11 : tensor<4x6xf32> to tensor<?x6xf32>
  %r11 = call @ui8_asym(%u11) : (tensor<?x6xf32>) -> i64
  %x12 = arith.constant dense<"0xE3733DBF0000C07F46EB543F0000807F6B11AC3F000080FF9CEE973F13D48FBFE9A6A13F7DD0603F"> : tensor<10xf32>
  %u12 = tensor.cast %x12 : tensor<10xf32> to tensor<?xf32>
  %r12 = call @i12(%u12) : (tensor<?xf32>) -> i64
  %x13 = arith.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000028BDBCB22C81EA3FBF5CF4B2C854EFBF"> : tensor<3x2xf64>
  %r13 = call @ui11_asym(%x13) : (tensor<3x2xf64>) -> i64
  %x14 = arith.constant dense<"0x26B1373FE05D414081A664C0F4E25740B1CFC1BD66CBCCBF928ECDBFBB990AC04A03E5BE6F79D53F3385953FB666A33F7BEF58C0491549C006E34640"> : tensor<3x5xf32>
  %u14 = tensor.cast %x14 : tensor<3x5xf32> to tensor<?x?xf32>
  %r14 = call @i16_asym(%u14) : (tensor<?x?xf32>) -> i64
  %x15 = arith.constant dense<"0x24412623A55C06C01D8B80749F4303C058B3790618D604C019D7E4DC09EDF3BFC044BC310F280740BFE6B150FB9E09C0"> : tensor<6xf64>
  %r15 = call @ui16(%x15) : (tensor<6xf64>) -> i64
  %x16 = arith.constant dense<"0x7CA28D3FB2D2DE3EE986EDBD736994C0CEEC5C3FF81488C099F0E83F8F209B3F987ED43F0AE4D33FE3D6183FDAF588BF45371DBF83084140FC0C95BF4999E9BEC879B9BF746A84BF28F51CBFBD5A033F4D7416BF599C35BF99E79DBF1078373EA20D2CC0D5BFD53DECAE27406754C4BFB0ECB9BD274DB440E91FFEBF91814FC0BA865ABFBE496740553F824078A51BC0BCF4913F8428143C"> : tensor<2x19xf32>
  %u16 = tensor.cast %x16 : tensor<2x19xf32> to tensor<2x?xf32>
  %r16 = call @ui1(%u16) : (tensor<2x?xf32>) -> i64
  %x17 = arith.constant dense<"0x000000000000000000000000000000004ECE2DBFFB23E9BE91CB983F08B723C0B976F73F046110C046FBC0BEB511E33FBBE6A93F72E6B0BF346A624012243B3F5056F4BF9A38AE3D"> : tensor<2x9xf32>
  %r17 = call @i2(%x17) : (tensor<2x9xf32>) -> i64
  %x18 = arith.constant dense<"0xB144353F0000C07FCF1688BF0000807FFE50193D000080FFFE8B0540474489BFE6AD8E40E6CA78401EB4E9BECEE79EBEBB7EF53F9E7002BF1229E63E61241C40C348184002A187BF294769BF718E8CBFDAF7E7BCF96C193E010247BF5852C63F9A35CB3D0CF8DA3C33007CC0654231C04BFAB1BFAD8D383FF1BCDDBFC99547407D2C973E0BA3033FFEAE753E20397C3FD989EC3FF1078DBFB6C548406F73C7BFE674843F7646D3BE"> : tensor<3x2x7xf32>
  %u18 = tensor.cast %x18 : tensor<3x2x7xf32> to tensor<3x?x7xf32>
  %r18 = call @i7(%u18) : (tensor<3x?x7xf32>) -> i64
  %x19 = arith.constant dense<"0x836876C0F133C1C073C513403D094840A02D2A408CF35BBF794615BEA54515BF93222F404139DF3F7A1DEF3D9747B53F821E2E40BFC13F3F37F20AC0132E19BEBA725ABFA7C14BC050EF82C01B48983E15CF05C0F321543FE1DACCBF3C93CD3F4794E23FDCB7433F7C8119C0E3A382C04214894037F3DABD2E2783400E4EF3BE38ED16C0953EFA3BFEDD1DC0214BC03DABAC524005BAE63F4976C640CCDF3D3F2254323FE51CE7BF62FEEDBFA7960D3F3447E3BF6C6720BF82C01BBF9AE313C097C79540E75578C053F09F3ED9090040629B1140E55A54BF"> : tensor<3x18xf32>
  %r19 = call @two_level(%x19) : (tensor<3x18xf32>) -> i64
  %x20 = arith.constant dense<"0xC39120400DE3C63F7302F73FD2840AC0D9F4DD3F5632ACBE7D36C2BEB96E0F4081A15FBF6BCB23C0466270BFA23119C070806BC0E30C95BE39EB4B3F365F8AC03932ED3C54A9023FFE58B13E6D9222C053361FBF52AFBEBE0BAF5D3FEEC724C0AE4E443FDAEBFD3FC86892C04C50E53E116843C0E28EAEBE341EAEBF79062340CCEAE93D0A98CB3FDAFC05C03BCA6B3F4F103640CA0EB5BFB476AA3F1776763FCA7304BEF03020C0BEF2103F31630ABFF71D9A3FD764C73FCF6B44409428D6BF6273DD3FF468B33F"> : tensor<5x10xf32>
  %u20 = tensor.cast %x20 : tensor<5x10xf32> to tensor<?x?xf32>
  %r20 = call @two_level_dynamic(%u20) : (tensor<?x?xf32>) -> i64
  %x21 = arith.constant dense<"0x0000000000000000153F80FFB0BC17C0523F6CBFFF3F2CBFB53F15C05B40CEBF93BF353F964006BEDD3E8FC0EB3F1EBFB03F5F4055C0"> : tensor<3x9xbf16>
  %u21 = tensor.cast %x21 : tensor<3x9xbf16> to tensor<3x?xbf16>
  %r21 = call @two_level_bf16(%u21) : (tensor<3x?xbf16>) -> i64
  %x22 = arith.constant dense<0xBF48A32A> : tensor<f32>
  %r22 = call @scalar(%x22) : (tensor<f32>) -> i64
  %x23 = arith.constant dense<> : tensor<0x3xf32>
  %r23 = call @empty(%x23) : (tensor<0x3xf32>) -> i64
  %all = tensor.from_elements %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23 : tensor<24xi64>
  return %all : tensor<24xi64>
}

func.func @i8_tensor(%u: tensor<4x5xf32>) -> i64 {
  %x = arith.constant dense<"0x193D213B0000C07FCC5B0CBF0000807F9CCA68BF000080FF2359F63D2C8C2B407E027CBF71D79EBF94CC7A3FE5B9363F6DE3573E2733EEBF85A16FBD64FFB13F390F2CC09D4C6ABF445B73C0930F25C0"> : tensor<4x5xf32>
  %c = compress.encode %x : tensor<4x5xf32> to tensor<4x5xf32, #compress.affine<i8>>
  %e = compress.encode %u : tensor<4x5xf32> to tensor<4x5xf32, #compress.affine<i8>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<4x5xf32, #compress.affine<i8>> -> tensor<4x5xi8>
  %b0 = compress.component %c["values"] : tensor<4x5xf32, #compress.affine<i8>> -> tensor<4x5xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<4x5xi8>, tensor<4x5xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<4x5xf32, #compress.affine<i8>> -> tensor<f32>
  %b1 = compress.component %c["scales"] : tensor<4x5xf32, #compress.affine<i8>> -> tensor<f32>
  %m1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a1, %b1 : tensor<f32>, tensor<f32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<4x5xf32, #compress.affine<i8>> -> tensor<4x5xf32>
  %expected = arith.constant dense<"0x000000000000000045F709BF445B734073F165BF445B73C0D045F53D16752C40FEEF7CBFB9209DBFFEEF7C3F5CF4373F169D563EA29BEDBFD04575BD2E4AB03F16752CC0A29B6DBF445B73C0E8CA24C0"> : tensor<4x5xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<4x5xf32>, tensor<4x5xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i8_full(%u: tensor<?x?xf32>) -> i64 {
  %x = arith.constant dense<"0x00000000000000000000000000000000560194C0446EC1BEFA0CF5BFFBC2E43FF1F3F43F85353240EC78C43FC135D9BD751BDC3F9BB34040F951A7BFF93F9C3FC0CAAEBD78523840C13ED6BF51641ABF7284393F"> : tensor<3x7xf32>
  %c = compress.encode %x : tensor<3x7xf32> to tensor<3x7xf32, #compress.affine<i8, full_range, block = [1, *]>>
  %e = compress.encode %u : tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<i8, full_range, block = [1, *]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?x?xf32, #compress.affine<i8, full_range, block = [1, *]>> -> tensor<?x?xi8>
  %b0 = compress.component %c["values"] : tensor<3x7xf32, #compress.affine<i8, full_range, block = [1, *]>> -> tensor<3x7xi8>
  %s0 = tensor.cast %a0 : tensor<?x?xi8> to tensor<3x7xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<3x7xi8>, tensor<3x7xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?x?xf32, #compress.affine<i8, full_range, block = [1, *]>> -> tensor<?xf32>
  %b1 = compress.component %c["scales"] : tensor<3x7xf32, #compress.affine<i8, full_range, block = [1, *]>> -> tensor<3xf32>
  %s1 = tensor.cast %a1 : tensor<?xf32> to tensor<3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s1, %b1 : tensor<3xf32>, tensor<3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?x?xf32, #compress.affine<i8, full_range, block = [1, *]>> -> tensor<?x?xf32>
  %expected = arith.constant dense<"0x00000000000000000000000000000000560194C0AC01B9BE3622F5BFAD99E33FEECEF53F3A873140EB40C53F0B38C2BDED87DD3F9BB34040745BA8BF13BF9C3F04C6B9BD78523840F5CCD6BF13BF1CBF04C6393F"> : tensor<3x7xf32>
  %s2 = tensor.cast %d : tensor<?x?xf32> to tensor<3x7xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s2, %expected : tensor<3x7xf32>, tensor<3x7xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i3_ragged(%u: tensor<3x10xf32>) -> i64 {
  %x = arith.constant dense<"0xB986CDBFA5ADF83E210354C07DF6A73FAB5C1240A1BC67BFA1685C3F3C7A003F83E849BF91C6DCBF571582C0C2883440051AC3BDD06DA1400A83D33F40390E3F674DA8BF6E3C32402A9C81BF18F4484003F64BBFB56ABE3EDDE642C085F795409D9040BE9C2D45BFB693CF3FF230E4BFE981C43F35EB15C0"> : tensor<3x10xf32>
  %c = compress.encode %x : tensor<3x10xf32> to tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>>
  %e = compress.encode %u : tensor<3x10xf32> to tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>> -> tensor<3x5xi8>
  %b0 = compress.component %c["values"] : tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>> -> tensor<3x5xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<3x5xi8>, tensor<3x5xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>> -> tensor<3x3xf32>
  %b1 = compress.component %c["scales"] : tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>> -> tensor<3x3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a1, %b1 : tensor<3x3xf32>, tensor<3x3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x10xf32, #compress.affine<i3, block = [1, 4]>> -> tensor<3x10xf32>
  %expected = arith.constant dense<"0x6B578DBF00000000200354C06B578D3FAB5C1240392643BF3926433F3926433F0B2F13BF90C6DCBF153D57C0153D574000000000D06DA140E8A5ED3FE8A56D3FE8A56DBF6E3C324010F885BF18F44840B1F4C7BF00000000B1F447C085F7954000000000A12018BFF230E43FF230E4BF47E4C73F35EB15C0"> : tensor<3x10xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<3x10xf32>, tensor<3x10xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i3_dynamic(%u: tensor<?x?xf32>) -> i64 {
  %x = arith.constant dense<"0x323A0DC00000C07F6424C8BF0000807FF28BFEBE000080FFA3D1D73FBBA1DB3F454B733F24CB66BF3E43C1BFA897D0BFBE0D30BFEF73D2BDEDE6F8BFE33611C065851C3F04046DC0844DB5BED2055A3F4440FCBF48750EC063B8C2BFF1E4A53F83F284BEF64E6FC037C158BF5FC70140C5D4FB3F6E4AA13FB0C5F3BEFD266CC0C9A5AD3E"> : tensor<3x11xf32>
  %c = compress.encode %x : tensor<3x11xf32> to tensor<3x11xf32, #compress.affine<i3, block = [2, 5], scale = f16>>
  %e = compress.encode %u : tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<i3, block = [2, 5], scale = f16>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?x?xf32, #compress.affine<i3, block = [2, 5], scale = f16>> -> tensor<?x?xi8>
  %b0 = compress.component %c["values"] : tensor<3x11xf32, #compress.affine<i3, block = [2, 5], scale = f16>> -> tensor<4x6xi8>
  %s0 = tensor.cast %a0 : tensor<?x?xi8> to tensor<4x6xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<4x6xi8>, tensor<4x6xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?x?xf32, #compress.affine<i3, block = [2, 5], scale = f16>> -> tensor<?x?xf16>
  %b1 = compress.component %c["scales"] : tensor<3x11xf32, #compress.affine<i3, block = [2, 5], scale = f16>> -> tensor<2x3xf16>
  %s1 = tensor.cast %a1 : tensor<?x?xf16> to tensor<2x3xf16>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s1, %b1 : tensor<2x3xf16>, tensor<2x3xf16>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f16, %b: f16, %n: i64):
    %different = arith.cmpf une, %a, %b : f16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?x?xf32, #compress.affine<i3, block = [2, 5], scale = f16>> -> tensor<?x?xf32>
  %expected = arith.constant dense<"0x003811C00000000000A0C1BF0038114000A041BF00006DC000009E3F00009E3F00009E3F00009EBF0000BEBF00A0C1BF00A041BF00000000003811C0003811C00000000000006DC00000000000009E3F00001EC000800EC000809FBF00809F3F0000000000406FC000809FBF00601D4000601D4000609D3F0000000000106CC000A0AD3E"> : tensor<3x11xf32>
  %s2 = tensor.cast %d : tensor<?x?xf32> to tensor<3x11xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s2, %expected : tensor<3x11xf32>, tensor<3x11xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i4_rows(%u: tensor<5x6xf16>) -> i64 {
  %x = arith.constant dense<"0x602C7041E64015BCC4B838BC8F3C2DAFFA3D64C344422CB2713D5FB411BA693B993E7BB6E4B47C3DF6BE0FC2523A5DBDAEC383BE7BBBC6C0F8C1B12C"> : tensor<5x6xf16>
  %c = compress.encode %x : tensor<5x6xf16> to tensor<5x6xf16, #compress.affine<i4, block = [1, *]>>
  %e = compress.encode %u : tensor<5x6xf16> to tensor<5x6xf16, #compress.affine<i4, block = [1, *]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<5x6xf16, #compress.affine<i4, block = [1, *]>> -> tensor<5x3xi8>
  %b0 = compress.component %c["values"] : tensor<5x6xf16, #compress.affine<i4, block = [1, *]>> -> tensor<5x3xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<5x3xi8>, tensor<5x3xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<5x6xf16, #compress.affine<i4, block = [1, *]>> -> tensor<5xf32>
  %b1 = compress.component %c["scales"] : tensor<5x6xf16, #compress.affine<i4, block = [1, *]>> -> tensor<5xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a1, %b1 : tensor<5xf32>, tensor<5xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<5x6xf16, #compress.affine<i4, block = [1, *]>> -> tensor<5x6xf16>
  %expected = arith.constant dense<"0x00007041A940A9BC37BAA9BC393C0000563E64C356420000A83D8AB3A8B98A3B993E8AB7EDB6313DEDBE0FC2ED3A31BDAEC395BE63BC63C07CC10000"> : tensor<5x6xf16>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<5x6xf16>, tensor<5x6xf16>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f16, %b: f16, %n: i64):
    %different = arith.cmpf une, %a, %b : f16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i4_odd(%u: tensor<3x?xf32>) -> i64 {
  %x = arith.constant dense<"0x000000000000000000000000000000000F344F40BB4F1AC02780A0BF7E0B29C059AD5CBEFAAEFF3F0ECC33BDFEE37D3F119474C0FD97963E6F2DE8BF"> : tensor<3x5xf32>
  %c = compress.encode %x : tensor<3x5xf32> to tensor<3x5xf32, #compress.affine<i4>>
  %e = compress.encode %u : tensor<3x?xf32> to tensor<3x?xf32, #compress.affine<i4>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x?xf32, #compress.affine<i4>> -> tensor<3x?xi8>
  %b0 = compress.component %c["values"] : tensor<3x5xf32, #compress.affine<i4>> -> tensor<3x3xi8>
  %s0 = tensor.cast %a0 : tensor<3x?xi8> to tensor<3x3xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<3x3xi8>, tensor<3x3xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x?xf32, #compress.affine<i4>> -> tensor<f32>
  %b1 = compress.component %c["scales"] : tensor<3x5xf32, #compress.affine<i4>> -> tensor<f32>
  %m1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a1, %b1 : tensor<f32>, tensor<f32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x?xf32, #compress.affine<i4>> -> tensor<3x?xf32>
  %expected = arith.constant dense<"0x000000000000000000000000000000007CA3514053C20BC053C28BBFE8B22EC00000000053C20B400000000053C28B3F119474C053C20B3F7CA3D1BF"> : tensor<3x5xf32>
  %s2 = tensor.cast %d : tensor<3x?xf32> to tensor<3x5xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s2, %expected : tensor<3x5xf32>, tensor<3x5xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i4_asym(%u: tensor<4x?xf32>) -> i64 {
  %x = arith.constant dense<"0x29D369400000C07FAE43F53F0000807F6BBC2840000080FF9CE36940BE05823D9D2784BFA99A943F1C3D5D3FA6B336BF373DFDBE442DB83F0E4EB43FF3E47CBFF9443CBFE84467C045F0564082ACE5BEE82B2B400DBE553FC6D3784005C0444003F8223FA8893D404C3BF3BF661A2140"> : tensor<4x7xf32>
  %c = compress.encode %x : tensor<4x7xf32> to tensor<4x7xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>>
  %e = compress.encode %u : tensor<4x?xf32> to tensor<4x?xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<4x?xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x?xi8>
  %b0 = compress.component %c["values"] : tensor<4x7xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x5xi8>
  %s0 = tensor.cast %a0 : tensor<4x?xi8> to tensor<4x5xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<4x5xi8>, tensor<4x5xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<4x?xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x?xbf16>
  %b1 = compress.component %c["scales"] : tensor<4x7xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x3xbf16>
  %s1 = tensor.cast %a1 : tensor<4x?xbf16> to tensor<4x3xbf16>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s1, %b1 : tensor<4x3xbf16>, tensor<4x3xbf16>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: bf16, %b: bf16, %n: i64):
    %different = arith.cmpf une, %a, %b : bf16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<4x?xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x?xi8>
  %b2 = compress.component %c["zero_points"] : tensor<4x7xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x2xi8>
  %s2 = tensor.cast %a2 : tensor<4x?xi8> to tensor<4x2xi8>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s2, %b2 : tensor<4x2xi8>, tensor<4x2xi8>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<4x?xf32, #compress.affine<i4, asymmetric, block = [1, 3], scale = bf16>> -> tensor<4x?xf32>
  %expected = arith.constant dense<"0x00706940000000000000F93F00C0284000C02840000000000070694000000000004083BF0000963F0000573F00203CBF006006BF00C0B73F0080B83F000076BF00004DBF00006EC0004050400000EEBE00902B400080473F00607940008047400000263F00C03A400000F9BF00402140"> : tensor<4x7xf32>
  %s3 = tensor.cast %d : tensor<4x?xf32> to tensor<4x7xf32>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s3, %expected : tensor<4x7xf32>, tensor<4x7xf32>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @i5_asym(%u: tensor<?x7xf64>) -> i64 {
  %x = arith.constant dense<"0xCA2141ADB241F63FE2140C36DA57FFBF22520933042D09C02D8D9EF8566617C01DE99E135B9BE6BFE5558A1932F6034020186318E5EEB03F8058F1B90661F03F903B7B082F5F00408C05F7ED893AFCBF24AC7F16E2371540D61321E5A10FFCBF2EB95A1A4BE8E73FAE761459A9EA1540422FAE65A53FCDBF54187EBE6742CD3FE40DEB355161F0BF1184AEC4E168E53FBA25E7BD720311C00E28444AA8B2F4BF35AE3B79011B0B404C439716BC0CDB3F6DCDDFEC60C5DEBFA336E8710FDEE73F9A0FAE04EB88EA3FCAAFF8A71E78D33F73C26BB3CA83F23FF4F3EA5FB58D0AC0"> : tensor<4x7xf64>
  %c = compress.encode %x : tensor<4x7xf64> to tensor<4x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>>
  %e = compress.encode %u : tensor<?x7xf64> to tensor<?x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<?x5xi8>
  %b0 = compress.component %c["values"] : tensor<4x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<4x5xi8>
  %s0 = tensor.cast %a0 : tensor<?x5xi8> to tensor<4x5xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<4x5xi8>, tensor<4x5xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<7xf32>
  %b1 = compress.component %c["scales"] : tensor<4x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<7xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a1, %b1 : tensor<7xf32>, tensor<7xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<?x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<5xi8>
  %b2 = compress.component %c["zero_points"] : tensor<4x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<5xi8>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a2, %b2 : tensor<5xi8>, tensor<5xi8>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?x7xf64, #compress.affine<i5, asymmetric, block = [*, 1]>> -> tensor<?x7xf64>
  %expected = arith.constant dense<"0x000000B1B291F63F000000247E02FFBF000000FE751D09C000000040570717C0000000C8E085E7BF0000000C258E03400000000000000000000000BCC6B7F03F000000E0DC89004000000008FF20FCBF000000CCE1961540000000F0403AFCBF000000A85F77E73F0000001EF691154000000060A4BFCABF000000E0DC89D03F000000E0DA12F0BF000000405707E73F00000091DC0D11C00000005AC282F5BF000000F01B3F0B4000000060A4BFDA3F000000E0DC89E0BF00000050481CE83F000000405707E73F000000A080D1D23F000000BE8799F13F000000F01B3F0BC0"> : tensor<4x7xf64>
  %s3 = tensor.cast %d : tensor<?x7xf64> to tensor<4x7xf64>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s3, %expected : tensor<4x7xf64>, tensor<4x7xf64>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f64, %b: f64, %n: i64):
    %different = arith.cmpf une, %a, %b : f64
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @i6(%u: tensor<?xbf16>) -> i64 {
  %x = arith.constant dense<"0x37C0F0BF4A3F86BF873FCF3F39C0024098BF8640BB3F8ABFCE3E"> : tensor<13xbf16>
  %c = compress.encode %x : tensor<13xbf16> to tensor<13xbf16, #compress.affine<i6, block = [3]>>
  %e = compress.encode %u : tensor<?xbf16> to tensor<?xbf16, #compress.affine<i6, block = [3]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?xbf16, #compress.affine<i6, block = [3]>> -> tensor<?xi8>
  %b0 = compress.component %c["values"] : tensor<13xbf16, #compress.affine<i6, block = [3]>> -> tensor<12xi8>
  %s0 = tensor.cast %a0 : tensor<?xi8> to tensor<12xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s0, %b0 : tensor<12xi8>, tensor<12xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?xbf16, #compress.affine<i6, block = [3]>> -> tensor<?xf32>
  %b1 = compress.component %c["scales"] : tensor<13xbf16, #compress.affine<i6, block = [3]>> -> tensor<5xf32>
  %s1 = tensor.cast %a1 : tensor<?xf32> to tensor<5xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s1, %b1 : tensor<5xf32>, tensor<5xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?xbf16, #compress.affine<i6, block = [3]>> -> tensor<?xbf16>
  %expected = arith.constant dense<"0x37C0ECBF553F86BF863FCF3F39C003409BBF8640BE3F8ABFCE3E"> : tensor<13xbf16>
  %s2 = tensor.cast %d : tensor<?xbf16> to tensor<13xbf16>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s2, %expected : tensor<13xbf16>, tensor<13xbf16>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: bf16, %b: bf16, %n: i64):
    %different = arith.cmpf une, %a, %b : bf16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @ui4_asym(%u: tensor<21xf16>) -> i64 {
  %x = arith.constant dense<"0x0000000000000000454300FC5A3CDCB9B3C1A2BD5B3452BF21B67B40903C943C86399CB579C3EF3F07C2"> : tensor<21xf16>
  %c = compress.encode %x : tensor<21xf16> to tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>>
  %e = compress.encode %u : tensor<21xf16> to tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<12xi8>
  %b0 = compress.component %c["values"] : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<12xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a0, %b0 : tensor<12xi8>, tensor<12xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<3xf16>
  %b1 = compress.component %c["scales"] : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<3xf16>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a1, %b1 : tensor<3xf16>, tensor<3xf16>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f16, %b: f16, %n: i64):
    %different = arith.cmpf une, %a, %b : f16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<2xi8>
  %b2 = compress.component %c["zero_points"] : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<2xi8>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a2, %b2 : tensor<2xi8>, tensor<2xi8>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<21xf16, #compress.affine<ui4, asymmetric, block = [8], scale = f16>> -> tensor<21xf16>
  %expected = arith.constant dense<"0x0000000000000000FE42FEBAA93CFEBA6EC16EBD6E35CABE6EB5C040123C123C1A3A1AB6A0C3A03F1AC2"> : tensor<21xf16>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%d, %expected : tensor<21xf16>, tensor<21xf16>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f16, %b: f16, %n: i64):
    %different = arith.cmpf une, %a, %b : f16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @ui4(%u: tensor<3x9xf32>) -> i64 {
  %x = arith.constant dense<"0x2BF60C40DD462D3F933B8ABF9B4F21C0F38272C054AF183D5381CFBF9D45DFBFF94BE3BE805CD4BDCFB691C068D6EC3FD7B781C02A086E40792F973F9B9571BF4FE72B405F482A3D32E0B03FDF995B3E245B0C40B1DC07400D47E8BF43CC9CBF75BB2F3FE70CD7BE093C92C0"> : tensor<3x9xf32>
  %c = compress.encode %x : tensor<3x9xf32> to tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>>
  %e = compress.encode %u : tensor<3x9xf32> to tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>> -> tensor<4x6xi8>
  %b0 = compress.component %c["values"] : tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>> -> tensor<4x6xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<4x6xi8>, tensor<4x6xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>> -> tensor<2x3xf32>
  %b1 = compress.component %c["scales"] : tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>> -> tensor<2x3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a1, %b1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x9xf32, #compress.affine<ui4, block = [2, 4]>> -> tensor<3x9xf32>
  %expected = arith.constant dense<"0x2BF60C40E4F23B3F0000000000000000000000000000000000000000000000000000000000000000000000005C55F43F000000002A086E401CB09E3F00000000858E2E405F482A3D5F6DA83F8DB6153E245B0C40245B0C40000000000000000075BB2F3F0000000000000000"> : tensor<3x9xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<3x9xf32>, tensor<3x9xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @ui8_asym(%u: tensor<?x6xf32>) -> i64 {
  %x = arith.constant dense<"0xAB5B5DBF03A710C00581AC3FDECC0DC0FEE380409B92EC3F50F137BF520D923F8D484E40C15FB540135BECBF56540840A68A843F50210FBF26CD0B40F6BB813F42C2094052A186BF0B48A3BB59384A3F1F95203DECC2073DF2B6C4BF9969813E"> : tensor<4x6xf32>
  %c = compress.encode %x : tensor<4x6xf32> to tensor<4x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
  %e = compress.encode %u : tensor<?x6xf32> to tensor<?x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<?x6xi8>
  %b0 = compress.component %c["values"] : tensor<4x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<4x6xi8>
  %s0 = tensor.cast %a0 : tensor<?x6xi8> to tensor<4x6xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<4x6xi8>, tensor<4x6xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<?xf32>
  %b1 = compress.component %c["scales"] : tensor<4x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<4xf32>
  %s1 = tensor.cast %a1 : tensor<?xf32> to tensor<4xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s1, %b1 : tensor<4xf32>, tensor<4xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<?x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<?xi8>
  %b2 = compress.component %c["zero_points"] : tensor<4x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<4xi8>
  %s2 = tensor.cast %a2 : tensor<?xi8> to tensor<4xi8>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s2, %b2 : tensor<4xi8>, tensor<4xi8>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?x6xf32, #compress.affine<ui8, asymmetric, block = [1, *]>> -> tensor<?x6xf32>
  %expected = arith.constant dense<"0xA6F15CBF153111C04C99AD3F0F090EC0F69E8040C4B9EC3FF20D35BF551B933F81924D40F20DB5404EA2EDBF76CA07404D34853F72F30EBFBBB30B4096F4813FE0130A4029D486BF0E7F15BCB7384B3F0E7F153D0E7F153DC236C4BF2CCF823E"> : tensor<4x6xf32>
  %s3 = tensor.cast %d : tensor<?x6xf32> to tensor<4x6xf32>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s3, %expected : tensor<4x6xf32>, tensor<4x6xf32>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @i12(%u: tensor<?xf32>) -> i64 {
  %x = arith.constant dense<"0xE3733DBF0000C07F46EB543F0000807F6B11AC3F000080FF9CEE973F13D48FBFE9A6A13F7DD0603F"> : tensor<10xf32>
  %c = compress.encode %x : tensor<10xf32> to tensor<10xf32, #compress.affine<i12, block = [4]>>
  %e = compress.encode %u : tensor<?xf32> to tensor<?xf32, #compress.affine<i12, block = [4]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?xf32, #compress.affine<i12, block = [4]>> -> tensor<?xi16>
  %b0 = compress.component %c["values"] : tensor<10xf32, #compress.affine<i12, block = [4]>> -> tensor<12xi16>
  %s0 = tensor.cast %a0 : tensor<?xi16> to tensor<12xi16>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s0, %b0 : tensor<12xi16>, tensor<12xi16>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i16, %b: i16, %n: i64):
    %different = arith.cmpi ne, %a, %b : i16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?xf32, #compress.affine<i12, block = [4]>> -> tensor<?xf32>
  %b1 = compress.component %c["scales"] : tensor<10xf32, #compress.affine<i12, block = [4]>> -> tensor<3xf32>
  %s1 = tensor.cast %a1 : tensor<?xf32> to tensor<3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s1, %b1 : tensor<3xf32>, tensor<3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?xf32, #compress.affine<i12, block = [4]>> -> tensor<?xf32>
  %expected = arith.constant dense<"0x60693DBF0000000046EB543F46EB543F6B11AC3F6B11ACBFDBE4973F08D38FBFE9A6A13FCABF603F"> : tensor<10xf32>
  %s2 = tensor.cast %d : tensor<?xf32> to tensor<10xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s2, %expected : tensor<10xf32>, tensor<10xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @ui11_asym(%u: tensor<3x2xf64>) -> i64 {
  %x = arith.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000028BDBCB22C81EA3FBF5CF4B2C854EFBF"> : tensor<3x2xf64>
  %c = compress.encode %x : tensor<3x2xf64> to tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>>
  %e = compress.encode %u : tensor<3x2xf64> to tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<3x2xi16>
  %b0 = compress.component %c["values"] : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<3x2xi16>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<3x2xi16>, tensor<3x2xi16>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i16, %b: i16, %n: i64):
    %different = arith.cmpi ne, %a, %b : i16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<2xf32>
  %b1 = compress.component %c["scales"] : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<2xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a1, %b1 : tensor<2xf32>, tensor<2xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<2xi16>
  %b2 = compress.component %c["zero_points"] : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<2xi16>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a2, %b2 : tensor<2xi16>, tensor<2xi16>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i16, %b: i16, %n: i64):
    %different = arith.cmpi ne, %a, %b : i16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x2xf64, #compress.affine<ui11, asymmetric, block = [*, 1]>> -> tensor<3x2xf64>
  %expected = arith.constant dense<"0x0000000000000000000000000000000000000000000000000000000000000000000058B02C81EA3F000084C9C854EFBF"> : tensor<3x2xf64>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<3x2xf64>, tensor<3x2xf64>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f64, %b: f64, %n: i64):
    %different = arith.cmpf une, %a, %b : f64
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @i16_asym(%u: tensor<?x?xf32>) -> i64 {
  %x = arith.constant dense<"0x26B1373FE05D414081A664C0F4E25740B1CFC1BD66CBCCBF928ECDBFBB990AC04A03E5BE6F79D53F3385953FB666A33F7BEF58C0491549C006E34640"> : tensor<3x5xf32>
  %c = compress.encode %x : tensor<3x5xf32> to tensor<3x5xf32, #compress.affine<i16, asymmetric, block = [*, 2]>>
  %e = compress.encode %u : tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [*, 2]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<?x?xi16>
  %b0 = compress.component %c["values"] : tensor<3x5xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<3x6xi16>
  %s0 = tensor.cast %a0 : tensor<?x?xi16> to tensor<3x6xi16>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<3x6xi16>, tensor<3x6xi16>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i16, %b: i16, %n: i64):
    %different = arith.cmpi ne, %a, %b : i16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<?xf32>
  %b1 = compress.component %c["scales"] : tensor<3x5xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<3xf32>
  %s1 = tensor.cast %a1 : tensor<?xf32> to tensor<3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s1, %b1 : tensor<3xf32>, tensor<3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<?xi16>
  %b2 = compress.component %c["zero_points"] : tensor<3x5xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<3xi16>
  %s2 = tensor.cast %a2 : tensor<?xi16> to tensor<3xi16>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s2, %b2 : tensor<3xi16>, tensor<3xi16>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i16, %b: i16, %n: i64):
    %different = arith.cmpi ne, %a, %b : i16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?x?xf32, #compress.affine<i16, asymmetric, block = [*, 2]>> -> tensor<?x?xf32>
  %expected = arith.constant dense<"0x03AF373F1C5E4140E7A564C08CE35740AFD6C1BDBFCBCCBF188ECDBFE1990AC03300E5BEAD78D53F5885953F2467A33FF8EE58C0C51449C0CFE24640"> : tensor<3x5xf32>
  %s3 = tensor.cast %d : tensor<?x?xf32> to tensor<3x5xf32>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s3, %expected : tensor<3x5xf32>, tensor<3x5xf32>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @ui16(%u: tensor<6xf64>) -> i64 {
  %x = arith.constant dense<"0x24412623A55C06C01D8B80749F4303C058B3790618D604C019D7E4DC09EDF3BFC044BC310F280740BFE6B150FB9E09C0"> : tensor<6xf64>
  %c = compress.encode %x : tensor<6xf64> to tensor<6xf64, #compress.affine<ui16>>
  %e = compress.encode %u : tensor<6xf64> to tensor<6xf64, #compress.affine<ui16>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<6xf64, #compress.affine<ui16>> -> tensor<6xi16>
  %b0 = compress.component %c["values"] : tensor<6xf64, #compress.affine<ui16>> -> tensor<6xi16>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a0, %b0 : tensor<6xi16>, tensor<6xi16>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i16, %b: i16, %n: i64):
    %different = arith.cmpi ne, %a, %b : i16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<6xf64, #compress.affine<ui16>> -> tensor<f32>
  %b1 = compress.component %c["scales"] : tensor<6xf64, #compress.affine<ui16>> -> tensor<f32>
  %m1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a1, %b1 : tensor<f32>, tensor<f32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<6xf64, #compress.affine<ui16>> -> tensor<6xf64>
  %expected = arith.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000A0D9370F2807400000000000000000"> : tensor<6xf64>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%d, %expected : tensor<6xf64>, tensor<6xf64>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f64, %b: f64, %n: i64):
    %different = arith.cmpf une, %a, %b : f64
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @ui1(%u: tensor<2x?xf32>) -> i64 {
  %x = arith.constant dense<"0x7CA28D3FB2D2DE3EE986EDBD736994C0CEEC5C3FF81488C099F0E83F8F209B3F987ED43F0AE4D33FE3D6183FDAF588BF45371DBF83084140FC0C95BF4999E9BEC879B9BF746A84BF28F51CBFBD5A033F4D7416BF599C35BF99E79DBF1078373EA20D2CC0D5BFD53DECAE27406754C4BFB0ECB9BD274DB440E91FFEBF91814FC0BA865ABFBE496740553F824078A51BC0BCF4913F8428143C"> : tensor<2x19xf32>
  %c = compress.encode %x : tensor<2x19xf32> to tensor<2x19xf32, #compress.affine<ui1, block = [1, 8]>>
  %e = compress.encode %u : tensor<2x?xf32> to tensor<2x?xf32, #compress.affine<ui1, block = [1, 8]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<2x?xf32, #compress.affine<ui1, block = [1, 8]>> -> tensor<2x?xi8>
  %b0 = compress.component %c["values"] : tensor<2x19xf32, #compress.affine<ui1, block = [1, 8]>> -> tensor<2x3xi8>
  %s0 = tensor.cast %a0 : tensor<2x?xi8> to tensor<2x3xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<2x3xi8>, tensor<2x3xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<2x?xf32, #compress.affine<ui1, block = [1, 8]>> -> tensor<2x?xf32>
  %b1 = compress.component %c["scales"] : tensor<2x19xf32, #compress.affine<ui1, block = [1, 8]>> -> tensor<2x3xf32>
  %s1 = tensor.cast %a1 : tensor<2x?xf32> to tensor<2x3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s1, %b1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<2x?xf32, #compress.affine<ui1, block = [1, 8]>> -> tensor<2x?xf32>
  %expected = arith.constant dense<"0x99F0E83F000000000000000000000000000000000000000099F0E83F99F0E83F830841408308414000000000000000000000000083084140000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000ECAE27400000000000000000274DB440000000000000000000000000274DB440274DB44000000000BCF4913F00000000"> : tensor<2x19xf32>
  %s2 = tensor.cast %d : tensor<2x?xf32> to tensor<2x19xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s2, %expected : tensor<2x19xf32>, tensor<2x19xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i2(%u: tensor<2x9xf32>) -> i64 {
  %x = arith.constant dense<"0x000000000000000000000000000000004ECE2DBFFB23E9BE91CB983F08B723C0B976F73F046110C046FBC0BEB511E33FBBE6A93F72E6B0BF346A624012243B3F5056F4BF9A38AE3D"> : tensor<2x9xf32>
  %c = compress.encode %x : tensor<2x9xf32> to tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>>
  %e = compress.encode %u : tensor<2x9xf32> to tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>> -> tensor<2x3xi8>
  %b0 = compress.component %c["values"] : tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>> -> tensor<2x3xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<2x3xi8>, tensor<2x3xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>> -> tensor<2x3xf32>
  %b1 = compress.component %c["scales"] : tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>> -> tensor<2x3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a1, %b1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<2x9xf32, #compress.affine<i2, block = [1, 4]>> -> tensor<2x9xf32>
  %expected = arith.constant dense<"0x0000000000000000000000000000000000000000000000000000000008B723C0B976F73F046110C000000000046110400461104000000000346A624000000000346A62C09A38AE3D"> : tensor<2x9xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<2x9xf32>, tensor<2x9xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @i7(%u: tensor<3x?x7xf32>) -> i64 {
  %x = arith.constant dense<"0xB144353F0000C07FCF1688BF0000807FFE50193D000080FFFE8B0540474489BFE6AD8E40E6CA78401EB4E9BECEE79EBEBB7EF53F9E7002BF1229E63E61241C40C348184002A187BF294769BF718E8CBFDAF7E7BCF96C193E010247BF5852C63F9A35CB3D0CF8DA3C33007CC0654231C04BFAB1BFAD8D383FF1BCDDBFC99547407D2C973E0BA3033FFEAE753E20397C3FD989EC3FF1078DBFB6C548406F73C7BFE674843F7646D3BE"> : tensor<3x2x7xf32>
  %c = compress.encode %x : tensor<3x2x7xf32> to tensor<3x2x7xf32, #compress.affine<i7, block = [2, *, 3]>>
  %e = compress.encode %u : tensor<3x?x7xf32> to tensor<3x?x7xf32, #compress.affine<i7, block = [2, *, 3]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x?x7xf32, #compress.affine<i7, block = [2, *, 3]>> -> tensor<4x?x8xi8>
  %b0 = compress.component %c["values"] : tensor<3x2x7xf32, #compress.affine<i7, block = [2, *, 3]>> -> tensor<4x2x8xi8>
  %s0 = tensor.cast %a0 : tensor<4x?x8xi8> to tensor<4x2x8xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]} ins(%s0, %b0 : tensor<4x2x8xi8>, tensor<4x2x8xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x?x7xf32, #compress.affine<i7, block = [2, *, 3]>> -> tensor<2x3xf32>
  %b1 = compress.component %c["scales"] : tensor<3x2x7xf32, #compress.affine<i7, block = [2, *, 3]>> -> tensor<2x3xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a1, %b1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x?x7xf32, #compress.affine<i7, block = [2, *, 3]>> -> tensor<3x?x7xf32>
  %expected = arith.constant dense<"0x182E353F0000000092E287BF33007C401A00803D33007CC0B93D044092E287BFE6AD8E40611F79402E00E0BE2000A0BE3200F83F040E07BF846AD93EC8001A40C8001A401C0088BF310070BF1D0090BFB01234BDADF1103E4E4C47BF4E4CC73F1A00003E0000000033007CC0654231C01877B0BF9CBA3B3F2985DDBFB6C5484029F8983EEFF2FE3E212A783EB54F7F3FD989EC3F8BAC8EBFB6C54840E095C5BF24D9853F7646D3BE"> : tensor<3x2x7xf32>
  %s2 = tensor.cast %d : tensor<3x?x7xf32> to tensor<3x2x7xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]} ins(%s2, %expected : tensor<3x2x7xf32>, tensor<3x2x7xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m2[] : tensor<i64>
  return %r : i64
}

func.func @two_level(%u: tensor<3x18xf32>) -> i64 {
  %x = arith.constant dense<"0x836876C0F133C1C073C513403D094840A02D2A408CF35BBF794615BEA54515BF93222F404139DF3F7A1DEF3D9747B53F821E2E40BFC13F3F37F20AC0132E19BEBA725ABFA7C14BC050EF82C01B48983E15CF05C0F321543FE1DACCBF3C93CD3F4794E23FDCB7433F7C8119C0E3A382C04214894037F3DABD2E2783400E4EF3BE38ED16C0953EFA3BFEDD1DC0214BC03DABAC524005BAE63F4976C640CCDF3D3F2254323FE51CE7BF62FEEDBFA7960D3F3447E3BF6C6720BF82C01BBF9AE313C097C79540E75578C053F09F3ED9090040629B1140E55A54BF"> : tensor<3x18xf32>
  %c = compress.encode %x : tensor<3x18xf32> to tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>>
  %e = compress.encode %u : tensor<3x18xf32> to tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x10xi8>
  %b0 = compress.component %c["values"] : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x10xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<3x10xi8>, tensor<3x10xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x4xi8>
  %b1 = compress.component %c["scales"] : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x4xi8>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a1, %b1 : tensor<3x4xi8>, tensor<3x4xi8>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["super_scales"] : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x3xf16>
  %b2 = compress.component %c["super_scales"] : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x3xf16>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a2, %b2 : tensor<3x3xf16>, tensor<3x3xf16>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f16, %b: f16, %n: i64):
    %different = arith.cmpf une, %a, %b : f16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x18xf32, #compress.affine<i4, block = [1, 4], scale = ui6, super_scale = f16, super_block = [1, 8]>> -> tensor<3x18xf32>
  %expected = arith.constant dense<"0x00BF5CC02027C1C0408F254000BF5C4000B12B40003844BF00000000003844BF302C2F408032C83F000000008032C83F302C2F408032483FE02516C00000000000CE68BF40B44BC000EC82C000A0153F00A015C000A0153F0060C0BF0060C03F0070E03F0060403F80A31CC0100F89C0100F89400000000040888240002E15BF002E15C000000000A0D61DC00000000080C6624080C6E23FB06DC64080C6623F802D4D3FC05FEFBFC05FEFBF00C9083F408DD2BF007128BF007128BFE06213C070C39540605E80C000000000605E004080901140008A79BF"> : tensor<3x18xf32>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<3x18xf32>, tensor<3x18xf32>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @two_level_dynamic(%u: tensor<?x?xf32>) -> i64 {
  %x = arith.constant dense<"0xC39120400DE3C63F7302F73FD2840AC0D9F4DD3F5632ACBE7D36C2BEB96E0F4081A15FBF6BCB23C0466270BFA23119C070806BC0E30C95BE39EB4B3F365F8AC03932ED3C54A9023FFE58B13E6D9222C053361FBF52AFBEBE0BAF5D3FEEC724C0AE4E443FDAEBFD3FC86892C04C50E53E116843C0E28EAEBE341EAEBF79062340CCEAE93D0A98CB3FDAFC05C03BCA6B3F4F103640CA0EB5BFB476AA3F1776763FCA7304BEF03020C0BEF2103F31630ABFF71D9A3FD764C73FCF6B44409428D6BF6273DD3FF468B33F"> : tensor<5x10xf32>
  %c = compress.encode %x : tensor<5x10xf32> to tensor<5x10xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>>
  %e = compress.encode %u : tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<?x?xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<?x?xi8>
  %b0 = compress.component %c["values"] : tensor<5x10xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<6x6xi8>
  %s0 = tensor.cast %a0 : tensor<?x?xi8> to tensor<6x6xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<6x6xi8>, tensor<6x6xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<?x?xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<?x?xi8>
  %b1 = compress.component %c["scales"] : tensor<5x10xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<3x3xi8>
  %s1 = tensor.cast %a1 : tensor<?x?xi8> to tensor<3x3xi8>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s1, %b1 : tensor<3x3xi8>, tensor<3x3xi8>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["super_scales"] : tensor<?x?xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<?xf32>
  %b2 = compress.component %c["super_scales"] : tensor<5x10xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<2xf32>
  %s2 = tensor.cast %a2 : tensor<?xf32> to tensor<2xf32>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s2, %b2 : tensor<2xf32>, tensor<2xf32>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a3 = compress.component %e["zero_points"] : tensor<?x?xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<?x?xi8>
  %b3 = compress.component %c["zero_points"] : tensor<5x10xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<3x2xi8>
  %s3 = tensor.cast %a3 : tensor<?x?xi8> to tensor<3x2xi8>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s3, %b3 : tensor<3x2xi8>, tensor<3x2xi8>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<?x?xf32, #compress.affine<ui4, asymmetric, block = [2, 3], scale = ui5, super_scale = f32, super_block = [4, *]>> -> tensor<?x?xf32>
  %expected = arith.constant dense<"0xBB501F40A46BD43F46C304402650FFBF1E40CC3F1E40CCBEA46BD4BE010A1240A46B54BFB28128C0A46B54BFBB501FC018F96EC01E40CCBE1E404C3F156C8CC000000000A46BD43EA46BD43EDA451DC065B802BF65B882BE9814443FF83A1BC074D8683F99D30740F6768EC04445FD3EF3F33DC07E66A3BE7E66A3BF7E66234000000000B609C23F99D307C074D8683FF3F33D40F3F3BDBFF3F3BD3FEDAC603F48DC50BE36A51CC036A51C3FCC3312BFCC33923F3807C93F66554A406655CABF6655CA3FDD39B03F"> : tensor<5x10xf32>
  %s4 = tensor.cast %d : tensor<?x?xf32> to tensor<5x10xf32>
  %m4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s4, %expected : tensor<5x10xf32>, tensor<5x10xf32>) outs(%m3 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m4[] : tensor<i64>
  return %r : i64
}

func.func @two_level_bf16(%u: tensor<3x?xbf16>) -> i64 {
  %x = arith.constant dense<"0x0000000000000000153F80FFB0BC17C0523F6CBFFF3F2CBFB53F15C05B40CEBF93BF353F964006BEDD3E8FC0EB3F1EBFB03F5F4055C0"> : tensor<3x9xbf16>
  %c = compress.encode %x : tensor<3x9xbf16> to tensor<3x9xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>>
  %e = compress.encode %u : tensor<3x?xbf16> to tensor<3x?xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<3x?xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x?xi8>
  %b0 = compress.component %c["values"] : tensor<3x9xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x10xi8>
  %s0 = tensor.cast %a0 : tensor<3x?xi8> to tensor<3x10xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s0, %b0 : tensor<3x10xi8>, tensor<3x10xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<3x?xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x?xi8>
  %b1 = compress.component %c["scales"] : tensor<3x9xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x5xi8>
  %s1 = tensor.cast %a1 : tensor<3x?xi8> to tensor<3x5xi8>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s1, %b1 : tensor<3x5xi8>, tensor<3x5xi8>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["super_scales"] : tensor<3x?xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<?xbf16>
  %b2 = compress.component %c["super_scales"] : tensor<3x9xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<2xbf16>
  %s2 = tensor.cast %a2 : tensor<?xbf16> to tensor<2xbf16>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%s2, %b2 : tensor<2xbf16>, tensor<2xbf16>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: bf16, %b: bf16, %n: i64):
    %different = arith.cmpf une, %a, %b : bf16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a3 = compress.component %e["zero_points"] : tensor<3x?xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x?xi8>
  %b3 = compress.component %c["zero_points"] : tensor<3x9xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x5xi8>
  %s3 = tensor.cast %a3 : tensor<3x?xi8> to tensor<3x5xi8>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s3, %b3 : tensor<3x5xi8>, tensor<3x5xi8>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<3x?xbf16, #compress.affine<i8, asymmetric, block = [1, 2], scale = ui8, super_scale = bf16, super_block = [*, 6]>> -> tensor<3x?xbf16>
  %expected = arith.constant dense<"0x0000000000000000153F000097BC17C0523F6CBFFF3F2BBFAB3F16C05B40CEBF93BF353F96400DBEDE3E8FC0B23F1DBFB13F5F4055C0"> : tensor<3x9xbf16>
  %s4 = tensor.cast %d : tensor<3x?xbf16> to tensor<3x9xbf16>
  %m4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%s4, %expected : tensor<3x9xbf16>, tensor<3x9xbf16>) outs(%m3 : tensor<i64>) {
  ^bb0(%a: bf16, %b: bf16, %n: i64):
    %different = arith.cmpf une, %a, %b : bf16
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m4[] : tensor<i64>
  return %r : i64
}

func.func @scalar(%u: tensor<f32>) -> i64 {
  %x = arith.constant dense<0xBF48A32A> : tensor<f32>
  %c = compress.encode %x : tensor<f32> to tensor<f32, #compress.affine<i4, asymmetric>>
  %e = compress.encode %u : tensor<f32> to tensor<f32, #compress.affine<i4, asymmetric>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<i8>
  %b0 = compress.component %c["values"] : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<i8>
  %m0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a0, %b0 : tensor<i8>, tensor<i8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<f32>
  %b1 = compress.component %c["scales"] : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<f32>
  %m1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a1, %b1 : tensor<f32>, tensor<f32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<i8>
  %b2 = compress.component %c["zero_points"] : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<i8>
  %m2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a2, %b2 : tensor<i8>, tensor<i8>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<f32, #compress.affine<i4, asymmetric>> -> tensor<f32>
  %expected = arith.constant dense<0xBF48A32A> : tensor<f32>
  %m3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%d, %expected : tensor<f32>, tensor<f32>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}

func.func @empty(%u: tensor<0x3xf32>) -> i64 {
  %x = arith.constant dense<> : tensor<0x3xf32>
  %c = compress.encode %x : tensor<0x3xf32> to tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>>
  %e = compress.encode %u : tensor<0x3xf32> to tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>>
  %zero = arith.constant dense<0> : tensor<i64>
  %a0 = compress.component %e["values"] : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0x2xi8>
  %b0 = compress.component %c["values"] : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0x2xi8>
  %m0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%a0, %b0 : tensor<0x2xi8>, tensor<0x2xi8>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a1 = compress.component %e["scales"] : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0xf32>
  %b1 = compress.component %c["scales"] : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a1, %b1 : tensor<0xf32>, tensor<0xf32>) outs(%m0 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %a2 = compress.component %e["zero_points"] : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0xi8>
  %b2 = compress.component %c["zero_points"] : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0xi8>
  %m2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a2, %b2 : tensor<0xi8>, tensor<0xi8>) outs(%m1 : tensor<i64>) {
  ^bb0(%a: i8, %b: i8, %n: i64):
    %different = arith.cmpi ne, %a, %b : i8
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %d = compress.decode %e : tensor<0x3xf32, #compress.affine<i4, asymmetric, block = [1, *]>> -> tensor<0x3xf32>
  %expected = arith.constant dense<> : tensor<0x3xf32>
  %m3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%d, %expected : tensor<0x3xf32>, tensor<0x3xf32>) outs(%m2 : tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %different = arith.cmpf une, %a, %b : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %n, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %r = tensor.extract %m3[] : tensor<i64>
  return %r : i64
}
