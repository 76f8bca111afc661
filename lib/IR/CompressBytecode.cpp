//===- CompressBytecode.cpp - Bytecode of the dialect's attributes --------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::compress;

namespace {

/// Never reuse a number: files are kept.
enum class AttributeCode : uint64_t {
  Affine = 0,
  NM = 1,
  Encoded = 2,
  MinMax = 3,
  Strategy = 4,
};

class CompressBytecodeInterface : public BytecodeDialectInterface {
public:
  CompressBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override;
};

/// Reads a list without trusting its length: each element takes at least a
/// byte, so that a corrupt length ends at the end of the file.
template <typename T, typename Read>
LogicalResult readBoundedList(DialectBytecodeReader &reader,
                              SmallVectorImpl<T> &list, Read &&readElement) {
  uint64_t size;
  if (failed(reader.readVarInt(size)))
    return failure();
  for (uint64_t i = 0; i < size; ++i)
    if (failed(readElement(list.emplace_back())))
      return failure();
  return success();
}

LogicalResult readIntegers(DialectBytecodeReader &reader,
                           SmallVectorImpl<int64_t> &list) {
  return readBoundedList(reader, list, [&](int64_t &value) {
    return reader.readSignedVarInt(value);
  });
}

Attribute readAffine(DialectBytecodeReader &reader, MLIRContext *context) {
  Type storage, scaleType, superScaleType;
  bool asymmetric, fullRange, twoLevel;
  SmallVector<int64_t> block, superBlock;
  if (failed(reader.readType(storage)) || failed(reader.readBool(asymmetric)) ||
      failed(reader.readBool(fullRange)) ||
      failed(readIntegers(reader, block)) ||
      failed(reader.readType(scaleType)) || failed(reader.readBool(twoLevel)))
    return {};
  if (twoLevel && (failed(reader.readType(superScaleType)) ||
                   failed(readIntegers(reader, superBlock))))
    return {};
  auto integer = dyn_cast_or_null<IntegerType>(storage);
  if (!integer) {
    reader.emitError("expected an integer code type, but got ") << storage;
    return {};
  }
  auto emitError = [&] { return reader.emitError(); };
  return AffineAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                                context, integer, asymmetric, fullRange,
                                ArrayRef(block), scaleType, superScaleType,
                                ArrayRef(superBlock));
}

Attribute readNM(DialectBytecodeReader &reader, MLIRContext *context) {
  uint64_t n, m, dim;
  Attribute values;
  if (failed(reader.readVarInt(n)) || failed(reader.readVarInt(m)) ||
      failed(reader.readVarInt(dim)) ||
      failed(reader.readOptionalAttribute(values)))
    return {};
  // Before narrowing to 32 bits.
  if (n > 16 || m > 16) {
    reader.emitError("expected N:M with 1 <= N < M <= 16, but got ")
        << n << ":" << m;
    return {};
  }
  auto emitError = [&] { return reader.emitError(); };
  return NMAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                            context, static_cast<unsigned>(n),
                            static_cast<unsigned>(m), static_cast<int64_t>(dim),
                            values);
}

Attribute readEncoded(DialectBytecodeReader &reader, MLIRContext *context) {
  SmallVector<Attribute> components;
  Type type;
  if (failed(readBoundedList(
          reader, components,
          [&](Attribute &value) { return reader.readAttribute(value); })) ||
      failed(reader.readType(type)))
    return {};
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor) {
    reader.emitError("expected an encoded tensor type, but got ") << type;
    return {};
  }
  auto emitError = [&] { return reader.emitError(); };
  return EncodedAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                                 context, ArrayRef(components), tensor);
}

Attribute readStrategy(DialectBytecodeReader &reader, MLIRContext *context) {
  uint64_t exit, tile;
  if (failed(reader.readVarInt(exit)) || failed(reader.readVarInt(tile)))
    return {};
  std::optional<ContractionExit> kind =
      exit > std::numeric_limits<uint32_t>::max()
          ? std::nullopt
          : symbolizeContractionExit(static_cast<uint32_t>(exit));
  if (!kind) {
    reader.emitError("unknown contraction exit ") << exit;
    return {};
  }
  auto emitError = [&] { return reader.emitError(); };
  return StrategyAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                                  context, *kind, static_cast<int64_t>(tile));
}

} // namespace

Attribute
CompressBytecodeInterface::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (static_cast<AttributeCode>(code)) {
  case AttributeCode::Affine:
    return readAffine(reader, getContext());
  case AttributeCode::NM:
    return readNM(reader, getContext());
  case AttributeCode::Encoded:
    return readEncoded(reader, getContext());
  case AttributeCode::MinMax:
    return MinMaxAttr::get(getContext());
  case AttributeCode::Strategy:
    return readStrategy(reader, getContext());
  }
  reader.emitError("unknown compress attribute code ") << code;
  return {};
}

static void writeIntegers(DialectBytecodeWriter &writer,
                          ArrayRef<int64_t> list) {
  writer.writeList(list,
                   [&](int64_t value) { writer.writeSignedVarInt(value); });
}

static void writeAffine(DialectBytecodeWriter &writer, AffineAttr affine) {
  writer.writeVarInt(static_cast<uint64_t>(AttributeCode::Affine));
  writer.writeType(affine.getStorage());
  writer.writeOwnedBool(affine.getAsymmetric());
  writer.writeOwnedBool(affine.getFullRange());
  writeIntegers(writer, affine.getBlock());
  writer.writeType(affine.getScaleType());
  writer.writeOwnedBool(affine.isTwoLevel());
  if (!affine.isTwoLevel())
    return;
  writer.writeType(affine.getSuperScaleType());
  writeIntegers(writer, affine.getSuperBlock());
}

LogicalResult
CompressBytecodeInterface::writeAttribute(Attribute attribute,
                                          DialectBytecodeWriter &writer) const {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](AffineAttr affine) {
        writeAffine(writer, affine);
        return success();
      })
      .Case([&](NMAttr nm) {
        writer.writeVarInt(static_cast<uint64_t>(AttributeCode::NM));
        writer.writeVarInt(nm.getN());
        writer.writeVarInt(nm.getM());
        writer.writeVarInt(nm.getDim());
        writer.writeOptionalAttribute(nm.getValues());
        return success();
      })
      .Case([&](EncodedAttr encoded) {
        writer.writeVarInt(static_cast<uint64_t>(AttributeCode::Encoded));
        writer.writeAttributes(encoded.getComponents());
        writer.writeType(encoded.getType());
        return success();
      })
      .Case([&](MinMaxAttr) {
        writer.writeVarInt(static_cast<uint64_t>(AttributeCode::MinMax));
        return success();
      })
      .Case([&](StrategyAttr strategy) {
        writer.writeVarInt(static_cast<uint64_t>(AttributeCode::Strategy));
        writer.writeVarInt(static_cast<uint64_t>(strategy.getExit()));
        writer.writeVarInt(strategy.getTile());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

void CompressDialect::addBytecodeInterface() {
  addInterfaces<CompressBytecodeInterface>();
}
