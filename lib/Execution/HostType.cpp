//===- HostType.cpp - MLIR types as arrays of the host --------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which types a JIT-compiled function can have, and what arrays fit them.
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/JitRunner.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace mlir;
using namespace mlir::compress;
using ::compress::execution::ElementKind;

static std::optional<ElementKind> getIntegerKind(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return ElementKind::Bool;
  case 8:
    return isUnsigned ? ElementKind::U8 : ElementKind::I8;
  case 16:
    return isUnsigned ? ElementKind::U16 : ElementKind::I16;
  case 32:
    return isUnsigned ? ElementKind::U32 : ElementKind::I32;
  case 64:
    return isUnsigned ? ElementKind::U64 : ElementKind::I64;
  default:
    return std::nullopt;
  }
}

static std::optional<ElementKind> getElementKind(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return getIntegerKind(integer);
  if (type.isIndex())
    return ElementKind::I64;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  if (auto narrow = dyn_cast<FloatType>(type); narrow && narrow.getWidth() == 8)
    return ElementKind::U8;
  return std::nullopt;
}

static llvm::Error makeTypeError(Type type, const Twine &reason) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return llvm::createStringError("type " + text +
                                 " cannot be passed: " + reason);
}

llvm::Expected<HostType> HostType::get(Type type) {
  if (isa<UnrankedTensorType, UnrankedMemRefType>(type))
    return makeTypeError(type, "it is unranked");
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getEncoding())
    return makeTypeError(type, "it has an encoding");
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !isa<RankedTensorType, MemRefType>(type))
    return makeTypeError(type, "it is neither a tensor, a memref nor a scalar");
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (memref.getMemorySpace())
      return makeTypeError(type, "it has a memory space");
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return makeTypeError(type, "its layout is not strided");
  }
  Type elementType = shaped ? shaped.getElementType() : type;
  std::optional<ElementKind> kind = getElementKind(elementType);
  if (!kind)
    return makeTypeError(type, "supported elements are i1, i8, i16, i32, i64, "
                               "index, 8-bit floats, f16, bf16, f32 and f64");
  HostType result{type, *kind, {}, !shaped};
  if (shaped)
    result.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  return result;
}

/// The other signedness of an integer kind; `kind` itself for other kinds.
static ElementKind flipSignedness(ElementKind kind) {
  switch (kind) {
  case ElementKind::I8:
    return ElementKind::U8;
  case ElementKind::I16:
    return ElementKind::U16;
  case ElementKind::I32:
    return ElementKind::U32;
  case ElementKind::I64:
    return ElementKind::U64;
  default:
    return kind;
  }
}

bool HostType::acceptsKind(ElementKind other) const {
  if (other == kind)
    return true;
  Type elementType = getElementTypeOrSelf(type);
  // A signless integer is only bits; one with a sign is taken at its word.
  if (elementType.isSignlessInteger())
    return other == flipSignedness(kind);
  return false;
}
