//===- SparseStorageFuzzer.cpp - Fuzz target of sparse positions ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bitmaps, compressed rows, N:M metadata and packed fields from untrusted
// bytes: each is refused, or gives what encodes to the same bytes again.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"

#include "compress/Numerics/BitPacking.h"
#include "compress/Numerics/NMSparsity.h"
#include "compress/Numerics/SparseMetadata.h"
#include "compress/Numerics/UnstructuredSparsity.h"

using namespace compress;
using namespace compress::numerics;
using namespace llvm;

static void fuzzBitmap(fuzz::FuzzInput &input) {
  int64_t rows = input.takeUpTo(40), columns = input.takeUpTo(70);
  fuzz::GuardedBytes bitmap(input.takeRest());
  std::vector<uint8_t> mask(rows * columns);
  if (errorToBool(expandBitmap(bitmap.get(), rows, columns, mask)))
    return;
  std::vector<uint8_t> again(bitmap.get().size());
  cantFail(packBits(mask, rows, columns, 1, again));
  fuzz::check(bitmap.get() == ArrayRef<uint8_t>(again), "bitmap changed");
}

static void fuzzRows(fuzz::FuzzInput &input) {
  int64_t rows = input.takeUpTo(40), columns = input.takeUpTo(70);
  std::vector<int64_t> starts(rows + 1);
  int64_t position = 0;
  for (int64_t &start : starts) {
    start = position;
    position += static_cast<int8_t>(input.takeByte());
  }
  ArrayRef<uint8_t> bytes = input.takeRest();
  std::vector<int32_t> indices;
  for (uint8_t byte : bytes)
    indices.push_back(static_cast<int8_t>(byte));
  indices.resize(
      std::min<uint64_t>(indices.size(), std::max<int64_t>(starts.back(), 0)));
  std::vector<uint8_t> mask(rows * columns);
  if (errorToBool(expandRows(starts, indices, rows, columns, mask)))
    return;
  CsrPositions again = cantFail(compressRows(mask, rows, columns));
  fuzz::check(again.rowStarts == starts && again.columns == indices,
              "compressed rows changed");
}

static void fuzzMetadata(fuzz::FuzzInput &input) {
  auto form = static_cast<SparseForm>(input.takeByte() % 3);
  int64_t rows = input.takeUpTo(20), groups = input.takeUpTo(40);
  fuzz::GuardedBytes metadata(input.takeRest());
  std::vector<uint8_t> indices(rows * groups * getStoredPerGroup(form));
  if (errorToBool(
          unpackSparseMetadata(form, rows, groups, metadata.get(), indices)))
    return;
  std::vector<uint8_t> again(metadata.get().size());
  cantFail(packSparseMetadata(form, rows, groups, indices, again));
  std::vector<uint8_t> indicesAgain(indices.size());
  cantFail(unpackSparseMetadata(form, rows, groups, again, indicesAgain));
  fuzz::check(indices == indicesAgain, "metadata changed");
}

static void fuzzFields(fuzz::FuzzInput &input) {
  unsigned bits = input.takeByte() % 10;
  int64_t rows = input.takeUpTo(20), columns = input.takeUpTo(40);
  fuzz::GuardedBytes packed(input.takeRest());
  std::vector<uint8_t> fields(rows * columns), again(fields.size());
  if (errorToBool(unpackBits(packed.get(), rows, columns, bits, false, fields)))
    return;
  std::vector<uint8_t> packedAgain(packed.get().size());
  cantFail(packBits(fields, rows, columns, bits, packedAgain));
  cantFail(unpackBits(packedAgain, rows, columns, bits, false, again));
  fuzz::check(fields == again, "packed fields changed");
}

static void fuzzStructured(fuzz::FuzzInput &input) {
  unsigned n = input.takeByte() % 18, m = input.takeByte() % 18;
  int64_t outer = input.takeUpTo(5), size = input.takeUpTo(40);
  int64_t inner = input.takeUpTo(5);
  Expected<NMLayout> layout = NMLayout::get(n, m, {outer, size, inner}, 1);
  if (errorToBool(layout.takeError()))
    return;
  fuzz::GuardedBytes positions(input.takeRest());
  std::vector<char> stored(layout->getNumStored() * 2, 7);
  std::vector<char> dense(layout->getNumElements() * 2, 9), again(dense.size());
  if (errorToBool(scatterNM(stored, *layout, 2, positions.get(), dense)))
    return;
  // What lies past the end comes back as zero.
  std::vector<char> gathered(stored.size());
  cantFail(gatherNM(dense, *layout, 2, positions.get(), gathered));
  cantFail(scatterNM(gathered, *layout, 2, positions.get(), again));
  fuzz::check(dense == again, "structured sparsity changed");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::FuzzInput input(data, size);
  switch (input.takeByte() % 5) {
  case 0:
    fuzzBitmap(input);
    break;
  case 1:
    fuzzRows(input);
    break;
  case 2:
    fuzzMetadata(input);
    break;
  case 3:
    fuzzFields(input);
    break;
  default:
    fuzzStructured(input);
    break;
  }
  return 0;
}
