//===- NpyFile.h - NumPy array files ----------------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense arrays on the host and their .npy form (NumPy Enhancement Proposal 1,
// "A Simple File Format for NumPy Arrays", versions 1.0 to 3.0). The arrays are
// the arguments and results of JIT-compiled functions, so their data is
// row-major, without padding and aligned for vector loads.
//
// NumPy has no names for the narrow floats of machine learning. bf16 is read
// and written as the raw two-byte type '<V2' (the one ml_dtypes gives it); the
// 8-bit floats are '|u1' with the bits of the number.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_EXECUTION_NPYFILE_H
#define COMPRESS_EXECUTION_NPYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace compress::execution {

/// The element types of an array.
enum class ElementKind : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64
};

/// Bytes of one element: 1, 2, 4 or 8.
unsigned getElementBytes(ElementKind kind);

/// The name used in messages: "bool", "i8", "u16", "bf16", "f32", ...
llvm::StringRef getElementName(ElementKind kind);

/// The .npy type descriptor of `kind`, e.g. "<f4"; "<V2" for bf16.
llvm::StringRef getNpyDescriptor(ElementKind kind);

/// Elements of an array of the given shape: 1 for rank 0. Fails if a size is
/// negative or if the sizes that are not zero multiply to more than an int64_t
/// holds in bytes, `elementBytes` bytes an element.
llvm::Expected<int64_t> getElementCount(llvm::ArrayRef<int64_t> shape,
                                        unsigned elementBytes);

/// A dense, row-major array in 64-byte aligned memory of its own.
class HostArray {
public:
  /// An array filled with zero bytes. Fails as getElementCount does, and when
  /// there is not enough memory.
  static llvm::Expected<HostArray> create(ElementKind kind,
                                          llvm::ArrayRef<int64_t> shape);

  /// A deep copy. Fails when there is not enough memory.
  llvm::Expected<HostArray> clone() const;

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  size_t getNumBytes() const {
    return static_cast<size_t>(numElements) * getElementBytes(kind);
  }

  /// The elements; never null, also not for an empty array.
  void *getData() { return data.get(); }
  const void *getData() const { return data.get(); }
  llvm::ArrayRef<uint8_t> getBytes() const {
    return {static_cast<const uint8_t *>(data.get()), getNumBytes()};
  }
  llvm::MutableArrayRef<uint8_t> getBytes() {
    return {static_cast<uint8_t *>(data.get()), getNumBytes()};
  }

  /// "4x8xf32", "f32" for rank 0.
  std::string getTypeString() const;

  /// Prints the elements as nested lists, floats with as many digits as reading
  /// them back needs. Cost: linear in the number of elements.
  void print(llvm::raw_ostream &os) const;

private:
  HostArray() = default;

  struct FreeDeleter {
    void operator()(void *memory) const;
  };

  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t, 4> shape = {0};
  int64_t numElements = 0;
  std::unique_ptr<void, FreeDeleter> data;
};

/// Reads the bytes of a .npy file. Accepts the versions 1.0, 2.0 and 3.0,
/// little endian and one-byte types; Fortran order is transposed to row-major.
/// Fails, with the reason, on anything else: a wrong magic string, a header
/// that is cut off or is not the documented dictionary, a size that overflows,
/// data that is shorter or longer than the shape says. Never reads out of
/// `bytes`.
llvm::Expected<HostArray> parseNpy(llvm::StringRef bytes);

/// Reads a .npy file; errors name the file.
llvm::Expected<HostArray> readNpyFile(llvm::StringRef path);

/// The bytes of a version 1.0 file (2.0 for headers above 65535 bytes).
std::string serializeNpy(const HostArray &array);

/// Writes a .npy file; errors name the file.
llvm::Error writeNpyFile(llvm::StringRef path, const HostArray &array);

} // namespace compress::execution

#endif // COMPRESS_EXECUTION_NPYFILE_H
