//===- RuntimeSymbols.cpp - Functions for JIT-compiled code ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The built-in runtime functions. Their names and types are fixed by what MLIR
// and LLVM emit calls to.
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/RuntimeSymbols.h"

#include "ScalarFormat.h"
#include "compress/Runtime/ThreadPool.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace compress::execution;

//===----------------------------------------------------------------------===//
// Conversions of 16-bit floats
//===----------------------------------------------------------------------===//

/// Both 16-bit float types travel in a vector register, as `_Float16` does; g++
/// 12 has no type for bf16, so this carries its bits as well.
using Float16Register = _Float16;

static Float16Register toRegister(uint16_t bits) {
  Float16Register result;
  std::memcpy(&result, &bits, sizeof(bits));
  return result;
}

static uint16_t toBits(Float16Register value) {
  uint16_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static Float16Register truncF32ToF16(float value) {
  return toRegister(doubleToHalfBits(value));
}
static Float16Register truncF64ToF16(double value) {
  return toRegister(doubleToHalfBits(value));
}
static Float16Register truncF32ToBF16(float value) {
  return toRegister(doubleToBFloatBits(value));
}
static Float16Register truncF64ToBF16(double value) {
  return toRegister(doubleToBFloatBits(value));
}
static float extendF16ToF32(Float16Register value) {
  return halfBitsToFloat(toBits(value));
}
static double extendF16ToF64(Float16Register value) {
  return halfBitsToFloat(toBits(value));
}
static float extendBF16ToF32(Float16Register value) {
  return bfloatBitsToFloat(toBits(value));
}
static uint16_t truncF32ToF16Bits(float value) {
  return doubleToHalfBits(value);
}
static float extendF16BitsToF32(uint16_t bits) { return halfBitsToFloat(bits); }

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Everything goes through stdio, so that it keeps its order with what the
/// program prints by `puts`.
static void write(StringRef text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

template <typename T>
static void writeScalar(ElementKind kind, T value) {
  SmallString<32> text;
  raw_svector_ostream os(text);
  printScalar(os, kind, &value);
  write(text);
}

static void printI64(int64_t value) { writeScalar(ElementKind::I64, value); }
static void printU64(uint64_t value) { writeScalar(ElementKind::U64, value); }
static void printF32(float value) { writeScalar(ElementKind::F32, value); }
static void printF64(double value) { writeScalar(ElementKind::F64, value); }
static void printF16(uint16_t bits) { writeScalar(ElementKind::F16, bits); }
static void printBF16(uint16_t bits) { writeScalar(ElementKind::BF16, bits); }
static void printString(const char *text) { write(text); }
static void printOpen() { write("( "); }
static void printClose() { write(" )"); }
static void printComma() { write(", "); }
static void printNewline() { write("\n"); }

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

namespace {
/// A view of the descriptor of a ranked memref, whose rank the type does not
/// say: two pointers, the offset, the sizes and the strides.
struct DescriptorView {
  DescriptorView(int64_t rank, const void *descriptor) {
    auto *bytes = static_cast<const char *>(descriptor);
    std::memcpy(&data, bytes + sizeof(void *), sizeof(void *));
    auto *integers =
        reinterpret_cast<const int64_t *>(bytes + 2 * sizeof(void *));
    offset = integers[0];
    sizes = ArrayRef(integers + 1, rank);
    strides = ArrayRef(integers + 1 + rank, rank);
  }

  char *data;
  int64_t offset;
  ArrayRef<int64_t> sizes;
  ArrayRef<int64_t> strides;
};

/// What the declaration of an unranked memref by C interface points to.
struct UnrankedDescriptor {
  int64_t rank;
  void *descriptor;
};
} // namespace

using PrintElement = function_ref<void(raw_ostream &, const void *)>;

static void printDimension(raw_ostream &os, const DescriptorView &view,
                           int64_t elementBytes, size_t dim, int64_t position,
                           PrintElement print) {
  if (dim == view.sizes.size()) {
    print(os, view.data + position * elementBytes);
    return;
  }
  os << '[';
  for (int64_t i = 0; i < view.sizes[dim]; ++i) {
    if (i)
      os << ", ";
    printDimension(os, view, elementBytes, dim + 1,
                   position + i * view.strides[dim], print);
  }
  os << ']';
}

static void printMemref(int64_t rank, const void *descriptor,
                        int64_t elementBytes, PrintElement print) {
  DescriptorView view(rank, descriptor);
  std::string text;
  raw_string_ostream os(text);
  os << "memref rank = " << rank << " sizes = [";
  interleaveComma(view.sizes, os);
  os << "] strides = [";
  interleaveComma(view.strides, os);
  os << "] data = ";
  printDimension(os, view, elementBytes, 0, view.offset, print);
  os << '\n';
  write(text);
}

template <ElementKind kind>
static void printMemrefOf(int64_t rank, void *descriptor) {
  printMemref(rank, descriptor, getElementBytes(kind),
              [](raw_ostream &os, const void *element) {
                printScalar(os, kind, element);
              });
}

/// 8-bit floats have no ElementKind: their bits are bytes to the host.
template <const fltSemantics &(*semantics)()>
static void printMemrefOfFloat8(int64_t rank, void *descriptor) {
  printMemref(rank, descriptor, 1, [](raw_ostream &os, const void *element) {
    APFloat value(semantics(),
                  APInt(8, *static_cast<const uint8_t *>(element)));
    bool losesInfo = false;
    (void)value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                        &losesInfo);
    float single = value.convertToFloat();
    printScalar(os, ElementKind::F32, &single);
  });
}

template <void (*print)(int64_t, void *)>
static void printByInterface(UnrankedDescriptor *memref) {
  print(memref->rank, memref->descriptor);
}

template <void (*print)(int64_t, void *)>
static void addPrinter(RuntimeSymbols &symbols, StringRef suffix) {
  symbols.add(("printMemref" + suffix).str(), print);
  symbols.add(("_mlir_ciface_printMemref" + suffix).str(),
              printByInterface<print>);
}

/// Copies all elements between memrefs of the same shape and any strides.
static void memrefCopy(int64_t elementBytes, UnrankedDescriptor *source,
                       UnrankedDescriptor *target) {
  DescriptorView from(source->rank, source->descriptor);
  DescriptorView to(target->rank, target->descriptor);
  if (is_contained(from.sizes, 0))
    return;
  SmallVector<int64_t> index(from.sizes.size(), 0);
  int64_t fromPosition = from.offset, toPosition = to.offset;
  while (true) {
    std::memcpy(to.data + toPosition * elementBytes,
                from.data + fromPosition * elementBytes, elementBytes);
    size_t dim = from.sizes.size();
    for (; dim > 0; --dim) {
      fromPosition += from.strides[dim - 1];
      toPosition += to.strides[dim - 1];
      if (++index[dim - 1] < from.sizes[dim - 1])
        break;
      fromPosition -= from.strides[dim - 1] * from.sizes[dim - 1];
      toPosition -= to.strides[dim - 1] * from.sizes[dim - 1];
      index[dim - 1] = 0;
    }
    if (dim == 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void addConversions(RuntimeSymbols &symbols) {
  symbols.add("__truncsfhf2", truncF32ToF16);
  symbols.add("__truncdfhf2", truncF64ToF16);
  symbols.add("__extendhfsf2", extendF16ToF32);
  symbols.add("__extendhfdf2", extendF16ToF64);
  symbols.add("__truncsfbf2", truncF32ToBF16);
  symbols.add("__truncdfbf2", truncF64ToBF16);
  symbols.add("__extendbfsf2", extendBF16ToF32);
  symbols.add("__gnu_f2h_ieee", truncF32ToF16Bits);
  symbols.add("__gnu_h2f_ieee", extendF16BitsToF32);
}

static void addVectorPrinters(RuntimeSymbols &symbols) {
  symbols.add("printI64", printI64);
  symbols.add("printU64", printU64);
  symbols.add("printF16", printF16);
  symbols.add("printBF16", printBF16);
  symbols.add("printF32", printF32);
  symbols.add("printF64", printF64);
  symbols.add("printString", printString);
  symbols.add("printOpen", printOpen);
  symbols.add("printClose", printClose);
  symbols.add("printComma", printComma);
  symbols.add("printNewline", printNewline);
}

static void addMemrefPrinters(RuntimeSymbols &symbols) {
  addPrinter<printMemrefOf<ElementKind::I8>>(symbols, "I8");
  addPrinter<printMemrefOf<ElementKind::I16>>(symbols, "I16");
  addPrinter<printMemrefOf<ElementKind::I32>>(symbols, "I32");
  addPrinter<printMemrefOf<ElementKind::I64>>(symbols, "I64");
  addPrinter<printMemrefOf<ElementKind::I64>>(symbols, "Ind");
  addPrinter<printMemrefOf<ElementKind::F16>>(symbols, "F16");
  addPrinter<printMemrefOf<ElementKind::BF16>>(symbols, "BF16");
  addPrinter<printMemrefOf<ElementKind::F32>>(symbols, "F32");
  addPrinter<printMemrefOf<ElementKind::F64>>(symbols, "F64");
  addPrinter<printMemrefOfFloat8<APFloat::Float8E4M3FN>>(symbols, "F8E4M3FN");
  addPrinter<printMemrefOfFloat8<APFloat::Float8E5M2>>(symbols, "F8E5M2");
  addPrinter<printMemrefOfFloat8<APFloat::Float8E4M3FNUZ>>(symbols,
                                                           "F8E4M3FNUZ");
  addPrinter<printMemrefOfFloat8<APFloat::Float8E5M2FNUZ>>(symbols,
                                                           "F8E5M2FNUZ");
  addPrinter<printMemrefOfFloat8<APFloat::Float8E8M0FNU>>(symbols, "F8E8M0FNU");
}

void compress::execution::registerRuntimeSymbols(RuntimeSymbols &symbols) {
  symbols.add("memrefCopy", memrefCopy);
  symbols.add("compress_parallel_for", compress_parallel_for);
  addConversions(symbols);
  addVectorPrinters(symbols);
  addMemrefPrinters(symbols);
}
