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
  Target = 5,
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

/// The scalar types that an affine encoding may name. They are written in place
/// and not as references to the type table: a corrupt reference could lead from
/// the encoding of a tensor type back to that type, round and round.
enum class ScalarCode : uint64_t {
  Signless = 0,
  Signed = 1,
  Unsigned = 2,
  F16 = 3,
  BF16 = 4,
  F32 = 5,
};

LogicalResult readScalar(DialectBytecodeReader &reader, MLIRContext *context,
                         Type &type) {
  uint64_t code, width;
  if (failed(reader.readVarInt(code)))
    return failure();
  switch (static_cast<ScalarCode>(code)) {
  case ScalarCode::Signless:
  case ScalarCode::Signed:
  case ScalarCode::Unsigned:
    if (failed(reader.readVarInt(width)))
      return failure();
    if (width > 16)
      return reader.emitError("unexpected integer of ") << width << " bits";
    type =
        IntegerType::get(context, static_cast<unsigned>(width),
                         static_cast<IntegerType::SignednessSemantics>(code));
    return success();
  case ScalarCode::F16:
    type = Float16Type::get(context);
    return success();
  case ScalarCode::BF16:
    type = BFloat16Type::get(context);
    return success();
  case ScalarCode::F32:
    type = Float32Type::get(context);
    return success();
  }
  return reader.emitError("unknown scalar type code ") << code;
}

Attribute readAffine(DialectBytecodeReader &reader, MLIRContext *context) {
  Type storage, scaleType, superScaleType;
  bool asymmetric, fullRange, twoLevel;
  SmallVector<int64_t> block, superBlock;
  if (failed(readScalar(reader, context, storage)) ||
      failed(reader.readBool(asymmetric)) ||
      failed(reader.readBool(fullRange)) ||
      failed(readIntegers(reader, block)) ||
      failed(readScalar(reader, context, scaleType)) ||
      failed(reader.readBool(twoLevel)))
    return {};
  if (twoLevel && (failed(readScalar(reader, context, superScaleType)) ||
                   failed(readIntegers(reader, superBlock))))
    return {};
  auto integer = dyn_cast<IntegerType>(storage);
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

/// Levels of encodings in encodings that bytecode may hold; each takes a call.
constexpr unsigned kMaxNesting = 64;

/// How the encoding of the values is written: in place if it is one of ours, so
/// that no corrupt reference leads back to this one.
enum class NestedCode : uint64_t { None = 0, Reference = 1, InPlace = 2 };

Attribute readEncoding(DialectBytecodeReader &reader, MLIRContext *context,
                       uint64_t code, unsigned depth);

LogicalResult readNested(DialectBytecodeReader &reader, MLIRContext *context,
                         unsigned depth, Attribute &nested) {
  uint64_t how, code;
  if (failed(reader.readVarInt(how)))
    return failure();
  switch (static_cast<NestedCode>(how)) {
  case NestedCode::None:
    return success();
  case NestedCode::Reference:
    return reader.readAttribute(nested);
  case NestedCode::InPlace:
    if (failed(reader.readVarInt(code)))
      return failure();
    nested = readEncoding(reader, context, code, depth + 1);
    return success(nested != nullptr);
  }
  return reader.emitError("unknown kind of nested encoding ") << how;
}

Attribute readNM(DialectBytecodeReader &reader, MLIRContext *context,
                 unsigned depth) {
  uint64_t n, m, dim;
  Attribute values;
  if (failed(reader.readVarInt(n)) || failed(reader.readVarInt(m)) ||
      failed(reader.readVarInt(dim)) ||
      failed(readNested(reader, context, depth, values)))
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

Attribute readEncoding(DialectBytecodeReader &reader, MLIRContext *context,
                       uint64_t code, unsigned depth) {
  if (depth > kMaxNesting) {
    reader.emitError("encodings are nested more than ")
        << kMaxNesting << " levels deep";
    return {};
  }
  switch (static_cast<AttributeCode>(code)) {
  case AttributeCode::Affine:
    return readAffine(reader, context);
  case AttributeCode::NM:
    return readNM(reader, context, depth);
  default:
    reader.emitError("attribute code ") << code << " is not an encoding";
    return {};
  }
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
                                  context, *kind, static_cast<int64_t>(tile),
                                  TileKernelAttrInterface(),
                                  /*threads=*/int64_t(1));
}

Attribute readTarget(DialectBytecodeReader &reader, MLIRContext *context) {
  StringRef cpu, features;
  uint64_t l1d, l2, l3, cores;
  if (failed(reader.readString(cpu)) || failed(reader.readString(features)) ||
      failed(reader.readVarInt(l1d)) || failed(reader.readVarInt(l2)) ||
      failed(reader.readVarInt(l3)) || failed(reader.readVarInt(cores)))
    return {};
  auto emitError = [&] { return reader.emitError(); };
  return TargetAttr::getChecked(
      function_ref<InFlightDiagnostic()>(emitError), context, cpu, features,
      static_cast<int64_t>(l1d), static_cast<int64_t>(l2),
      static_cast<int64_t>(l3), static_cast<int64_t>(cores));
}

} // namespace

Attribute
CompressBytecodeInterface::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (static_cast<AttributeCode>(code)) {
  case AttributeCode::Affine:
  case AttributeCode::NM:
    return readEncoding(reader, getContext(), code, /*depth=*/0);
  case AttributeCode::Encoded:
    return readEncoded(reader, getContext());
  case AttributeCode::MinMax:
    return MinMaxAttr::get(getContext());
  case AttributeCode::Strategy:
    return readStrategy(reader, getContext());
  case AttributeCode::Target:
    return readTarget(reader, getContext());
  }
  reader.emitError("unknown compress attribute code ") << code;
  return {};
}

static void writeIntegers(DialectBytecodeWriter &writer,
                          ArrayRef<int64_t> list) {
  writer.writeList(list,
                   [&](int64_t value) { writer.writeSignedVarInt(value); });
}

/// Types that no verified encoding has cannot be written.
static LogicalResult writeScalar(DialectBytecodeWriter &writer, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    writer.writeVarInt(static_cast<uint64_t>(integer.getSignedness()));
    writer.writeVarInt(integer.getWidth());
    return success();
  }
  if (type.isF16())
    writer.writeVarInt(static_cast<uint64_t>(ScalarCode::F16));
  else if (type.isBF16())
    writer.writeVarInt(static_cast<uint64_t>(ScalarCode::BF16));
  else if (type.isF32())
    writer.writeVarInt(static_cast<uint64_t>(ScalarCode::F32));
  else
    return failure();
  return success();
}

static LogicalResult writeAffine(DialectBytecodeWriter &writer,
                                 AffineAttr affine) {
  writer.writeVarInt(static_cast<uint64_t>(AttributeCode::Affine));
  if (failed(writeScalar(writer, affine.getStorage())))
    return failure();
  writer.writeOwnedBool(affine.getAsymmetric());
  writer.writeOwnedBool(affine.getFullRange());
  writeIntegers(writer, affine.getBlock());
  if (failed(writeScalar(writer, affine.getScaleType())))
    return failure();
  writer.writeOwnedBool(affine.isTwoLevel());
  if (!affine.isTwoLevel())
    return success();
  if (failed(writeScalar(writer, affine.getSuperScaleType())))
    return failure();
  writeIntegers(writer, affine.getSuperBlock());
  return success();
}

static unsigned getNesting(Attribute encoding) {
  auto nm = dyn_cast_or_null<NMAttr>(encoding);
  return nm ? 1 + getNesting(nm.getValues()) : 0;
}

static LogicalResult writeNM(DialectBytecodeWriter &writer, NMAttr nm) {
  if (getNesting(nm) > kMaxNesting)
    return failure();
  writer.writeVarInt(static_cast<uint64_t>(AttributeCode::NM));
  writer.writeVarInt(nm.getN());
  writer.writeVarInt(nm.getM());
  writer.writeVarInt(nm.getDim());
  Attribute values = nm.getValues();
  auto writeKind = [&](NestedCode kind) {
    writer.writeVarInt(static_cast<uint64_t>(kind));
  };
  if (!values) {
    writeKind(NestedCode::None);
    return success();
  }
  if (isa<AffineAttr, NMAttr>(values))
    writeKind(NestedCode::InPlace);
  if (auto affine = dyn_cast<AffineAttr>(values))
    return writeAffine(writer, affine);
  if (auto inner = dyn_cast<NMAttr>(values))
    return writeNM(writer, inner);
  writeKind(NestedCode::Reference);
  writer.writeAttribute(values);
  return success();
}

LogicalResult
CompressBytecodeInterface::writeAttribute(Attribute attribute,
                                          DialectBytecodeWriter &writer) const {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](AffineAttr affine) { return writeAffine(writer, affine); })
      .Case([&](NMAttr nm) { return writeNM(writer, nm); })
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
      .Case([&](StrategyAttr strategy) -> LogicalResult {
        // Tile kernels are written as text, and what holds one with them.
        if (strategy.getKernel() || strategy.getThreads() != 1)
          return failure();
        writer.writeVarInt(static_cast<uint64_t>(AttributeCode::Strategy));
        writer.writeVarInt(static_cast<uint64_t>(strategy.getExit()));
        writer.writeVarInt(strategy.getTile());
        return success();
      })
      .Case([&](TargetAttr target) {
        writer.writeVarInt(static_cast<uint64_t>(AttributeCode::Target));
        writer.writeOwnedString(target.getCpu());
        writer.writeOwnedString(target.getFeatures());
        for (int64_t size : {target.getL1d(), target.getL2(), target.getL3(),
                             target.getCores()})
          writer.writeVarInt(size);
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

void CompressDialect::addBytecodeInterface() {
  addInterfaces<CompressBytecodeInterface>();
}
