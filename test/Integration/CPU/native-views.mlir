// Left operands at odd addresses, with strides and transposed, and results of
// f16 and bf16: tile kernels give what they give on dense copies.

// DEFINE: %{check} = compress-run %s --jit-opt-level=1
// RUN: %{check}
// RUN: %{check} --num-threads=3
// RUN: %{check} --target-cpu=x86-64
// RUN: %if avx2 %{ %{check} --target-cpu=x86-64-v3 %}
// RUN: %if avx512f %{ %{check} --target-cpu=x86-64-v4 %}

#rows = #compress.affine<i8, block = [1, *]>
#i8 = #compress.affine<i8>
#u8 = #compress.affine<ui8>
#column = #compress.affine<i8, block = [*, 1]>
#blocks = #compress.affine<i4, block = [16, 1], scale = f16>

// Small multiples of a quarter: all sums are exact in f32, in any order.
func.func private @value(%i: index, %j: index) -> f32 {
  %a = arith.constant 31 : index
  %b = arith.constant 17 : index
  %m = arith.constant 41 : index
  %ia = arith.muli %i, %a : index
  %jb = arith.muli %j, %b : index
  %s = arith.addi %ia, %jb : index
  %r = arith.remui %s, %m : index
  %n = arith.index_cast %r : index to i32
  %f = arith.sitofp %n : i32 to f32
  %c = arith.constant 20.0 : f32
  %q = arith.constant 0.25 : f32
  %d = arith.subf %f, %c : f32
  %v = arith.mulf %d, %q : f32
  return %v : f32
}

func.func private @products(%x: tensor<5x37xf32>) -> (tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>) {
  %zero = arith.constant dense<0.0> : tensor<5x19xf32>
  %w = compress.constant #compress.encoded<[dense<"0xF410F0FCF30B080A04F9F20BED040712EC08FDFA11F200EDEDED0EEC04F907ED0DFA080B0FFA02FAFA09FEED060FF2F714FEF3010C070CF8FFFE110B0C0511EE0AFB0506F7030F03F1080CF2F60D05030BED0AEEFF13111105F6F60CFAECF80E0FFA050C02100209FD0F12EC040CF40D0FF907EF0A03100FF80C060B020602EC0E0E1313010912EDFA14F70F11F7F10FFCEEF0F1ED08ECFDFBFDF313F702FEF0F6F6FC0DF6FDFE09000B0AF3EDFF040106F8FCF2FC0CF91207EDFAED05F5EEF6080C070EFA140D08FA0DED0510001407EFFFF4F9EFFFF0F0FFFFF60610FCF4EC0FEE11F91009F6130CEE04F802F2F9100711F80BF204FE0C0BED001305FEEDF6F80010F40107F9FDF2040F020E0B0EFBF0EEF1F4F6F60EF9FD01120CFC030101F3FEFB120BF4110FF200EE06F004F5F401F3131104F0100FFA10F1FD03FE100EF309FDF2EEFEEC13ECF106F3EEF8FB1106F6F308F6FBF6F207040EFE0FFC0A00F2F900EEEDECFE120008050005F0F0001209F3FCF9130E0A02FCF70EF9FFF8FB03F1FDF108F11001FA04FFEE00F70011FFFB01F20E131112F1FBFAEDFB05F0FD0FF0F0ED14ECFE020B0AF5F20C00F00CF7F7F5F500FFF20C12FEF4F9F50EEE00130FF9F7FF070EF6EFFBFCF008070FFC0E080E09EC0501F6FC0BED0610EDEF0211F411F4F4FCFD051005F713F1FA0BECF70D000C0814FAFB000B0AFA06010F13FDFAEFF00C03F60CF9FFFFFF0F03F60912F1F3120C1004F7F5FC07F910EF0B051402040CF60EEE0DF1FC14F2FDF1F413F108FB040705F60008F4130BF9F307120E06F3FEFDFB040FECF80D0811EDED1412FBFCF9F7FEF50EF8FDFF11FC08F60E020B06F3F91004F9FEF2EDF310EC0EFEF4F00C0310FF070C020D00ECF3080802FF0E0501100BF30404F90FECFD14120CF809120D06FFF608130DF8030DEC04110705011311F00BFB14FE14ED0614F51405FDF7F012EC02FC060EFFF509FC0B"> : tensor<37x19xi8>, dense<0.5> : tensor<19xf32>]> : tensor<37x19xf32, #column>
  %b = compress.constant #compress.encoded<[dense<"0x0B0001090D010A04020F0A0E0A0300090B01040B040A0F03040D020D0C010C0C070E0D0A0A04060701030E00010104090B0D03040406010D0E02040C0F010F0B00050D06020E040C0D02040C060309060706020F0E070F07050C050D0C0A03040B060200020707040B020D00010B0B050B0704000E0D050F0C0A040C04030D0A0A0C0F0E00070A0B090905020907050C030900040106040702000E03060D0A02040B0A0C0F0C00000F050B0C0C060D0001020F0C00040D0E00020A070C0A0909050906000E070F06020D070C0F0B070605030B050709090F0B07030109020F0D0B0A0003060D070909010901060B09070D050A0F0A0C0900030B040D0306060C03000F0E030D0D03030C0C09020705020B0E0F020401030109070E010F010C0407010F07030A040D040204050A0D0B0A0B09070C060F060909030A07060100010E0A0E090B010900030B070F05040707000904010D0A0D050E0A0D09060F09040D0E040B0D050F050A06030D0A0F060C01010C0E070E01050F0702000A0B0306000101040606020401010907060D040B0C0E0F010E0A0F0E0B020A090D060503010E0F0D0E0E0D0E0404010109010A0B0E07040E050E020A000D0000070E07040F0607070A070205090B09010002060D050C0402040E0E05030E0F0D00020E01010B090B0D030C020B070A0B050F040209050A01030D040A0C0D0A030201030A060A05060C03060B01060F09020E07060004050D0C070C02000607070C0F00030E01070C0500040A06060D0F0C090401050F0107000A0F0207010502020F090E0600090C0D04040309010A060D0107040E05010302010D010F010607010F0203020D000D0B0100020B01050B0D03090F040302090E0F0F0D070307050309070A070A06090F0D000D05050E03040600050E0F00050A000E0B0F0B090B060D0E060B02050D0F0D010D040F040D0F0E0507000C0406000F040F0A0A0B0C0B0C040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<48x19xi4>, dense<0.5> : tensor<3x19xf16>]> : tensor<37x19xf32, #blocks>
  %d = compress.decode %w : tensor<37x19xf32, #column> -> tensor<37x19xf32>
  %e = compress.encode %x : tensor<5x37xf32> to tensor<5x37xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<5x37xf32, #rows>, tensor<37x19xf32, #column>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  %1 = linalg.matmul ins(%e, %b : tensor<5x37xf32, #rows>, tensor<37x19xf32, #blocks>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  %2 = linalg.matmul ins(%x, %b : tensor<5x37xf32>, tensor<37x19xf32, #blocks>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  %3 = linalg.matmul ins(%x, %d : tensor<5x37xf32>, tensor<37x19xf32>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  return %0, %1, %2, %3 : tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>
}

func.func private @compare(%view: tensor<5x37xf32>, %dense: tensor<5x37xf32>) {
  compress_check.expect_eq %view, %dense : tensor<5x37xf32>
  %copy = compress_check.hide %dense : tensor<5x37xf32>
  %a:4 = call @products(%view) : (tensor<5x37xf32>) -> (tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>)
  %b:4 = call @products(%copy) : (tensor<5x37xf32>) -> (tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>)
  compress_check.expect_eq %a#0, %b#0 : tensor<5x19xf32>
  compress_check.expect_eq %a#1, %b#1 : tensor<5x19xf32>
  compress_check.expect_eq %a#2, %b#2 : tensor<5x19xf32>
  compress_check.expect_eq %a#3, %b#3 : tensor<5x19xf32>
  return
}

func.func @main() {
  %o1 = arith.constant 1 : index
  %o2 = arith.constant 2 : index
  %o3 = arith.constant 3 : index
  %base = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = func.call @value(%i, %j) : (index, index) -> f32
    tensor.yield %v : f32
  } : tensor<7x80xf32>
  %x = compress_check.hide %base : tensor<7x80xf32>

  // Four bytes behind a row, rows of 80.
  %offset = tensor.extract_slice %x[1, 3] [5, 37] [1, 1] : tensor<7x80xf32> to tensor<5x37xf32>
  %d0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = arith.addi %i, %o1 : index
    %c = arith.addi %j, %o3 : index
    %v = func.call @value(%r, %c) : (index, index) -> f32
    tensor.yield %v : f32
  } : tensor<5x37xf32>
  call @compare(%offset, %d0) : (tensor<5x37xf32>, tensor<5x37xf32>) -> ()

  // Every second element.
  %strided = tensor.extract_slice %x[2, 1] [5, 37] [1, 2] : tensor<7x80xf32> to tensor<5x37xf32>
  %d1 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = arith.addi %i, %o2 : index
    %t = arith.muli %j, %o2 : index
    %c = arith.addi %t, %o1 : index
    %v = func.call @value(%r, %c) : (index, index) -> f32
    tensor.yield %v : f32
  } : tensor<5x37xf32>
  call @compare(%strided, %d1) : (tensor<5x37xf32>, tensor<5x37xf32>) -> ()

  // Strides inside one function, where no calling convention makes a copy; the
  // same for columns as rows.
  %zero = arith.constant dense<0.0> : tensor<5x19xf32>
  %b = compress.constant #compress.encoded<[dense<"0x0B0001090D010A04020F0A0E0A0300090B01040B040A0F03040D020D0C010C0C070E0D0A0A04060701030E00010104090B0D03040406010D0E02040C0F010F0B00050D06020E040C0D02040C060309060706020F0E070F07050C050D0C0A03040B060200020707040B020D00010B0B050B0704000E0D050F0C0A040C04030D0A0A0C0F0E00070A0B090905020907050C030900040106040702000E03060D0A02040B0A0C0F0C00000F050B0C0C060D0001020F0C00040D0E00020A070C0A0909050906000E070F06020D070C0F0B070605030B050709090F0B07030109020F0D0B0A0003060D070909010901060B09070D050A0F0A0C0900030B040D0306060C03000F0E030D0D03030C0C09020705020B0E0F020401030109070E010F010C0407010F07030A040D040204050A0D0B0A0B09070C060F060909030A07060100010E0A0E090B010900030B070F05040707000904010D0A0D050E0A0D09060F09040D0E040B0D050F050A06030D0A0F060C01010C0E070E01050F0702000A0B0306000101040606020401010907060D040B0C0E0F010E0A0F0E0B020A090D060503010E0F0D0E0E0D0E0404010109010A0B0E07040E050E020A000D0000070E07040F0607070A070205090B09010002060D050C0402040E0E05030E0F0D00020E01010B090B0D030C020B070A0B050F040209050A01030D040A0C0D0A030201030A060A05060C03060B01060F09020E07060004050D0C070C02000607070C0F00030E01070C0500040A06060D0F0C090401050F0107000A0F0207010502020F090E0600090C0D04040309010A060D0107040E05010302010D010F010607010F0203020D000D0B0100020B01050B0D03090F040302090E0F0F0D070307050309070A070A06090F0D000D05050E03040600050E0F00050A000E0B0F0B090B060D0E060B02050D0F0D010D040F040D0F0E0507000C0406000F040F0A0A0B0C0B0C040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<48x19xi4>, dense<0.5> : tensor<3x19xf16>]> : tensor<37x19xf32, #blocks>
  %w = compress.constant #compress.encoded<[dense<"0xF410F0FCF30B080A04F9F20BED040712EC08FDFA11F200EDEDED0EEC04F907ED0DFA080B0FFA02FAFA09FEED060FF2F714FEF3010C070CF8FFFE110B0C0511EE0AFB0506F7030F03F1080CF2F60D05030BED0AEEFF13111105F6F60CFAECF80E0FFA050C02100209FD0F12EC040CF40D0FF907EF0A03100FF80C060B020602EC0E0E1313010912EDFA14F70F11F7F10FFCEEF0F1ED08ECFDFBFDF313F702FEF0F6F6FC0DF6FDFE09000B0AF3EDFF040106F8FCF2FC0CF91207EDFAED05F5EEF6080C070EFA140D08FA0DED0510001407EFFFF4F9EFFFF0F0FFFFF60610FCF4EC0FEE11F91009F6130CEE04F802F2F9100711F80BF204FE0C0BED001305FEEDF6F80010F40107F9FDF2040F020E0B0EFBF0EEF1F4F6F60EF9FD01120CFC030101F3FEFB120BF4110FF200EE06F004F5F401F3131104F0100FFA10F1FD03FE100EF309FDF2EEFEEC13ECF106F3EEF8FB1106F6F308F6FBF6F207040EFE0FFC0A00F2F900EEEDECFE120008050005F0F0001209F3FCF9130E0A02FCF70EF9FFF8FB03F1FDF108F11001FA04FFEE00F70011FFFB01F20E131112F1FBFAEDFB05F0FD0FF0F0ED14ECFE020B0AF5F20C00F00CF7F7F5F500FFF20C12FEF4F9F50EEE00130FF9F7FF070EF6EFFBFCF008070FFC0E080E09EC0501F6FC0BED0610EDEF0211F411F4F4FCFD051005F713F1FA0BECF70D000C0814FAFB000B0AFA06010F13FDFAEFF00C03F60CF9FFFFFF0F03F60912F1F3120C1004F7F5FC07F910EF0B051402040CF60EEE0DF1FC14F2FDF1F413F108FB040705F60008F4130BF9F307120E06F3FEFDFB040FECF80D0811EDED1412FBFCF9F7FEF50EF8FDFF11FC08F60E020B06F3F91004F9FEF2EDF310EC0EFEF4F00C0310FF070C020D00ECF3080802FF0E0501100BF30404F90FECFD14120CF809120D06FFF608130DF8030DEC04110705011311F00BFB14FE14ED0614F51405FDF7F012EC02FC060EFFF509FC0B"> : tensor<37x19xi8>, dense<0.5> : tensor<19xf32>]> : tensor<37x19xf32, #column>
  %p:4 = call @products(%d1) : (tensor<5x37xf32>) -> (tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>)
  %e = compress.encode %strided : tensor<5x37xf32> to tensor<5x37xf32, #rows>
  %s0 = linalg.matmul ins(%e, %w : tensor<5x37xf32, #rows>, tensor<37x19xf32, #column>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %s0, %p#0 : tensor<5x19xf32>
  %s1 = linalg.matmul ins(%e, %b : tensor<5x37xf32, #rows>, tensor<37x19xf32, #blocks>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %s1, %p#1 : tensor<5x19xf32>
  %s2 = linalg.matmul ins(%strided, %b : tensor<5x37xf32>, tensor<37x19xf32, #blocks>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %s2, %p#2 : tensor<5x19xf32>
  %transposed = tensor.generate {
  ^bb0(%i: index, %j: index):
    %t = arith.muli %i, %o2 : index
    %c = arith.addi %t, %o1 : index
    %r = arith.addi %j, %o2 : index
    %v = func.call @value(%r, %c) : (index, index) -> f32
    tensor.yield %v : f32
  } : tensor<37x5xf32>
  %t = compress_check.hide %transposed : tensor<37x5xf32>
  %s3 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%t, %b : tensor<37x5xf32>, tensor<37x19xf32, #blocks>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %s3, %p#2 : tensor<5x19xf32>

  // Bytes at odd addresses, of both signs.
  %codes = tensor.generate {
  ^bb0(%i: index, %j: index):
    %f = func.call @value(%i, %j) : (index, index) -> f32
    %four = arith.constant 4.0 : f32
    %g = arith.mulf %f, %four : f32
    %n = arith.fptosi %g : f32 to i8
    tensor.yield %n : i8
  } : tensor<7x80xi8>
  %hc = compress_check.hide %codes : tensor<7x80xi8>
  %odd = tensor.extract_slice %hc[1, 3] [5, 37] [1, 1] : tensor<7x80xi8> to tensor<5x37xi8>
  %quarter = arith.constant dense<0.25> : tensor<f32>
  %q = compress.assemble %odd, %quarter : (tensor<5x37xi8>, tensor<f32>) -> tensor<5x37xf32, #i8>
  %p0:4 = call @products(%d0) : (tensor<5x37xf32>) -> (tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>, tensor<5x19xf32>)
  %q0 = linalg.matmul ins(%q, %w : tensor<5x37xf32, #i8>, tensor<37x19xf32, #column>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %q0, %p0#3 : tensor<5x19xf32>
  %q1 = linalg.matmul ins(%q, %b : tensor<5x37xf32, #i8>, tensor<37x19xf32, #blocks>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %q1, %p0#2 : tensor<5x19xf32>
  %u = compress.assemble %odd, %quarter : (tensor<5x37xi8>, tensor<f32>) -> tensor<5x37xf32, #u8>
  %u0 = linalg.matmul ins(%u, %w : tensor<5x37xf32, #u8>, tensor<37x19xf32, #column>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  %ud = compress.decode %u : tensor<5x37xf32, #u8> -> tensor<5x37xf32>
  %wd = compress.decode %w : tensor<37x19xf32, #column> -> tensor<37x19xf32>
  %uh = compress_check.hide %ud : tensor<5x37xf32>
  %u1 = linalg.matmul ins(%uh, %wd : tensor<5x37xf32>, tensor<37x19xf32>) outs(%zero : tensor<5x19xf32>) -> tensor<5x19xf32>
  compress_check.expect_eq %u0, %u1 : tensor<5x19xf32>
  call @images(%x) : (tensor<7x80xf32>) -> ()
  return
}

// Images with strides between their channels, and unknown numbers of them.
func.func private @images(%x: tensor<7x80xf32>) {
  %image = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [1, 7, 10, 8] : tensor<7x80xf32> into tensor<1x7x10x8xf32>
  %zero = arith.constant dense<0.0> : tensor<1x5x8x3xf32>
  %f = arith.constant dense<"0x000000C10000A0C000000000000080C00000E0400000A0C000008040000040C0000000C10000C0C00000A0400000E0C0000000C00000A040000040400000E0C00000A0C00000A0400000A0C00000000000000000000040C00000E0400000E0C0000000C00000C0C0000080400000A0C00000C0400000803F000000410000E040000080400000A0C00000E0400000A0C0000080C000008040000000C0000040C000000041000000000000A0400000803F0000E040000000C0000000400000E0400000A0C0000000C100004040000000000000E0C00000C0400000803F0000A0C0000080BF000000410000000000000000000080BF0000A040000080C0000080C000000000000000C00000A0400000E0C000000041000080C00000A04000000000000000000000E0400000803F000000000000E040000000C00000E040000040400000E040000080BF00000040000040C0000040C00000C040000080C00000E0C0000000410000004000000041000080C0000000C0000000400000E0400000E040000000400000A0C0000080C0000080C000000000000080BF0000C0C00000E0C0000040C00000A0C0000080BF000000C0"> : tensor<3x3x4x3xf32>
  %even = tensor.extract_slice %image[0, 0, 0, 1] [1, 7, 10, 4] [1, 1, 1, 2] : tensor<1x7x10x8xf32> to tensor<1x7x10x4xf32>
  %empty = tensor.empty() : tensor<1x7x10x4xf32>
  %copy = linalg.copy ins(%even : tensor<1x7x10x4xf32>) outs(%empty : tensor<1x7x10x4xf32>) -> tensor<1x7x10x4xf32>
  %dense = compress_check.hide %copy : tensor<1x7x10x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%even, %f : tensor<1x7x10x4xf32>, tensor<3x3x4x3xf32>) outs(%zero : tensor<1x5x8x3xf32>) -> tensor<1x5x8x3xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%dense, %f : tensor<1x7x10x4xf32>, tensor<3x3x4x3xf32>) outs(%zero : tensor<1x5x8x3xf32>) -> tensor<1x5x8x3xf32>
  compress_check.expect_eq %0, %1 : tensor<1x5x8x3xf32>
  %channels = arith.constant dense<4> : tensor<index>
  %hidden = compress_check.hide %channels : tensor<index>
  %n = tensor.extract %hidden[] : tensor<index>
  %hf = compress_check.hide %f : tensor<3x3x4x3xf32>
  %open = tensor.extract_slice %image[0, 0, 0, 1] [1, 7, 10, %n] [1, 1, 1, 2] : tensor<1x7x10x8xf32> to tensor<1x7x10x?xf32>
  %filters = tensor.extract_slice %hf[0, 0, 0, 0] [3, 3, %n, 3] [1, 1, 1, 1] : tensor<3x3x4x3xf32> to tensor<3x3x?x3xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%open, %filters : tensor<1x7x10x?xf32>, tensor<3x3x?x3xf32>) outs(%zero : tensor<1x5x8x3xf32>) -> tensor<1x5x8x3xf32>
  compress_check.expect_eq %2, %1 : tensor<1x5x8x3xf32>
  return
}
