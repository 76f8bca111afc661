//===- AffineAttr.cpp - The affine encoding: syntax, types and queries ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeLimits.h"

#include "compress/IR/BuilderUtils.h"
#include "compress/IR/Compress.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

/// Larger sizes could overflow once padded to whole blocks.
static constexpr int64_t kMaxBlockSize = int64_t(1) << 32;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Parses `[1, *, 32]`.
static ParseResult parseBlockList(AsmParser &parser,
                                  SmallVectorImpl<int64_t> &block) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalStar())) {
          block.push_back(AffineAttr::kWholeDim);
          return success();
        }
        SMLoc loc = parser.getCurrentLocation();
        int64_t size;
        if (parser.parseInteger(size))
          return failure();
        if (size < 1)
          return parser.emitError(loc, "block size must be positive or '*'");
        block.push_back(size);
        return success();
      });
}

static void printBlockList(AsmPrinter &printer, ArrayRef<int64_t> block) {
  printer << '[';
  llvm::interleaveComma(block, printer, [&](int64_t size) {
    if (size == AffineAttr::kWholeDim)
      printer << '*';
    else
      printer << size;
  });
  printer << ']';
}

/// Parses one `name` or `name = value` of the list behind the code type.
static ParseResult parseAffineOption(AsmParser &parser, bool &asymmetric,
                                     bool &fullRange,
                                     SmallVectorImpl<int64_t> &block,
                                     Type &scaleType, Type &superScaleType,
                                     SmallVectorImpl<int64_t> &superBlock,
                                     llvm::SmallSet<StringRef, 8> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseOptionalKeyword(&keyword))
    return parser.emitError(loc, "expected 'asymmetric', 'full_range', "
                                 "'block', 'scale', 'super_scale' or "
                                 "'super_block'");
  if (!seen.insert(keyword).second)
    return parser.emitError(loc) << "'" << keyword << "' is given twice";
  if (keyword == "asymmetric") {
    asymmetric = true;
    return success();
  }
  if (keyword == "full_range") {
    fullRange = true;
    return success();
  }
  if (keyword == "block")
    return failure(parser.parseEqual() || parseBlockList(parser, block));
  if (keyword == "scale")
    return failure(parser.parseEqual() || parser.parseType(scaleType));
  if (keyword == "super_scale")
    return failure(parser.parseEqual() || parser.parseType(superScaleType));
  if (keyword == "super_block")
    return failure(parser.parseEqual() || parseBlockList(parser, superBlock));
  return parser.emitError(loc)
         << "unknown option '" << keyword
         << "' of an affine encoding; expected 'asymmetric', 'full_range', "
            "'block', 'scale', 'super_scale' or 'super_block'";
}

Attribute AffineAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  Type storage;
  bool asymmetric = false, fullRange = false;
  SmallVector<int64_t> block, superBlock;
  Type scaleType = Float32Type::get(parser.getContext()), superScaleType;
  llvm::SmallSet<StringRef, 8> seen;
  if (parser.parseLess() || parser.parseType(storage))
    return {};
  auto integer = dyn_cast<IntegerType>(storage);
  if (!integer) {
    parser.emitError(loc) << "the code type of an affine encoding must be an "
                             "integer type such as i8 or ui4, but is "
                          << storage;
    return {};
  }
  while (succeeded(parser.parseOptionalComma()))
    if (parseAffineOption(parser, asymmetric, fullRange, block, scaleType,
                          superScaleType, superBlock, seen))
      return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return AffineAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                                parser.getContext(), integer, asymmetric,
                                fullRange, ArrayRef(block), scaleType,
                                superScaleType, ArrayRef(superBlock));
}

void AffineAttr::print(AsmPrinter &printer) const {
  printer << '<' << getStorage();
  if (getAsymmetric())
    printer << ", asymmetric";
  if (getFullRange())
    printer << ", full_range";
  if (!getBlock().empty()) {
    printer << ", block = ";
    printBlockList(printer, getBlock());
  }
  if (!getScaleType().isF32())
    printer << ", scale = " << getScaleType();
  if (isTwoLevel()) {
    printer << ", super_scale = " << getSuperScaleType() << ", super_block = ";
    printBlockList(printer, getSuperBlock());
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult
verifyCodeType(IntegerType storage, bool asymmetric, bool fullRange,
               function_ref<InFlightDiagnostic()> emitError) {
  if (storage.isSigned()) {
    emitError() << "code type " << storage << " is not accepted: write i"
                << storage.getWidth() << " for two's complement";
    return failure();
  }
  unsigned least = storage.isUnsigned() ? 1 : 2;
  if (storage.getWidth() < least || storage.getWidth() > 16) {
    emitError() << "code type " << storage
                << " is out of range: expected i2 to i16 or ui1 to ui16";
    return failure();
  }
  if (fullRange && (asymmetric || storage.isUnsigned())) {
    emitError() << "'full_range' is only for symmetric signed codes: "
                   "asymmetric and unsigned ones always use their full range";
    return failure();
  }
  return success();
}

static bool isFloatScale(Type type) {
  return type && (type.isF16() || type.isBF16() || type.isF32());
}

static LogicalResult
verifyScaleTypes(ArrayRef<int64_t> block, Type scaleType, Type superScaleType,
                 ArrayRef<int64_t> superBlock,
                 function_ref<InFlightDiagnostic()> emitError) {
  if (!superScaleType) {
    if (!isFloatScale(scaleType)) {
      emitError() << "scale type must be f32, f16 or bf16 (or ui4 to ui8 with "
                     "a 'super_scale'), but is "
                  << scaleType;
      return failure();
    }
    if (!superBlock.empty()) {
      emitError() << "'super_block' needs a 'super_scale'";
      return failure();
    }
    return success();
  }
  auto code = dyn_cast_or_null<IntegerType>(scaleType);
  if (!code || !code.isUnsigned() || code.getWidth() < 4 ||
      code.getWidth() > 8) {
    emitError() << "with a 'super_scale', 'scale' must be ui4 to ui8, but is "
                << scaleType;
    return failure();
  }
  if (!isFloatScale(superScaleType)) {
    emitError() << "'super_scale' must be f32, f16 or bf16, but is "
                << superScaleType;
    return failure();
  }
  if (superBlock.size() != block.size()) {
    emitError() << "'super_block' has " << superBlock.size()
                << " entries, but 'block' has " << block.size();
    return failure();
  }
  for (auto [size, super] : llvm::zip_equal(block, superBlock)) {
    if (super == AffineAttr::kWholeDim)
      continue;
    if (size == AffineAttr::kWholeDim || super % size != 0) {
      emitError() << "each 'super_block' entry must be a multiple of its "
                     "'block' entry or '*'";
      return failure();
    }
  }
  return success();
}

LogicalResult AffineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 IntegerType storage, bool asymmetric,
                                 bool fullRange, ArrayRef<int64_t> block,
                                 Type scaleType, Type superScaleType,
                                 ArrayRef<int64_t> superBlock) {
  if (!storage) {
    emitError() << "an affine encoding needs a code type";
    return failure();
  }
  for (int64_t size : llvm::concat<const int64_t>(block, superBlock))
    if (size != kWholeDim && (size < 1 || size > kMaxBlockSize)) {
      emitError() << "block size " << size << " is out of range: expected 1 to "
                  << kMaxBlockSize << " or '*'";
      return failure();
    }
  if (failed(verifyCodeType(storage, asymmetric, fullRange, emitError)))
    return failure();
  return verifyScaleTypes(block, scaleType, superScaleType, superBlock,
                          emitError);
}

/// ceil(size / block), dynamic sizes unchanged.
static int64_t getBlockCount(int64_t size, int64_t block) {
  return ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, block);
}

/// `size` rounded up to whole blocks, dynamic sizes unchanged.
static int64_t getPaddedSize(int64_t size, int64_t block) {
  if (block == AffineAttr::kWholeDim || ShapedType::isDynamic(size))
    return size;
  return getBlockCount(size, block) * block;
}

LogicalResult
AffineAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (!isSupportedFloat(elementType)) {
    emitError() << "an affine encoding needs a logical element type of f16, "
                   "bf16, f32 or f64, but got "
                << elementType;
    return failure();
  }
  if (!getBlock().empty() && getBlock().size() != shape.size()) {
    emitError() << "'block' has " << getBlock().size()
                << " entries, but the tensor has rank " << shape.size();
    return failure();
  }
  if (failed(verifyEncodableShape(shape, "the tensor", emitError)))
    return failure();
  SmallVector<int64_t> padded(shape);
  for (auto [d, size] : llvm::enumerate(padded))
    size = getPaddedSize(size, getBlockSize(d));
  return verifyEncodableShape(padded, "the tensor, padded to whole blocks,",
                              emitError);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

num::IntegerFormat AffineAttr::getFormat() const {
  num::IntegerFormat format;
  format.bits = getStorage().getWidth();
  format.isSigned = !getStorage().isUnsigned();
  format.narrow = format.isSigned && !getAsymmetric() && !getFullRange();
  return format;
}

num::ScaleType AffineAttr::getNumericScaleType() const {
  Type type = isTwoLevel() ? getSuperScaleType() : getScaleType();
  if (type.isF16())
    return num::ScaleType::F16;
  return type.isBF16() ? num::ScaleType::BF16 : num::ScaleType::F32;
}

int64_t AffineAttr::getBlockSize(int64_t dim) const {
  return getBlock().empty() ? kWholeDim : getBlock()[dim];
}

SmallVector<int64_t> AffineAttr::getGridDims(int64_t rank) const {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (getBlockSize(d) != kWholeDim)
      dims.push_back(d);
  return dims;
}

SmallVector<int64_t> AffineAttr::getSuperGridDims(int64_t rank) const {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!getSuperBlock().empty() && getSuperBlock()[d] != kWholeDim)
      dims.push_back(d);
  return dims;
}

bool AffineAttr::hasSizeComponent(RankedTensorType type, int64_t dim) const {
  if (!type.isDynamicDim(dim))
    return false;
  return getBlockSize(dim) > 1 ||
         (dim == type.getRank() - 1 && getStorage().getWidth() < 8);
}

LogicalResult AffineAttr::getComponents(
    RankedTensorType type,
    SmallVectorImpl<EncodingComponent> &components) const {
  if (failed(verifyEncoding(type.getShape(), type.getElementType(),
                            [] { return InFlightDiagnostic(); })))
    return failure();
  SmallVector<int64_t> padded(type.getShape()), grid, superGrid;
  for (auto [d, size] : llvm::enumerate(padded))
    size = getPaddedSize(size, getBlockSize(d));
  for (int64_t d : getGridDims(type.getRank()))
    grid.push_back(getBlockCount(type.getDimSize(d), getBlockSize(d)));
  for (int64_t d : getSuperGridDims(type.getRank()))
    superGrid.push_back(getBlockCount(type.getDimSize(d), getSuperBlock()[d]));

  auto signless = [&](Type integer) -> Type {
    if (auto code = dyn_cast<IntegerType>(integer))
      return IntegerType::get(getContext(), code.getWidth());
    return integer;
  };
  auto add = [&](StringRef name, ArrayRef<int64_t> shape, Type elementType) {
    components.push_back(
        {name.str(), RankedTensorType::get(shape, signless(elementType))});
  };
  add("values", padded, getStorage());
  add("scales", grid, getScaleType());
  if (isTwoLevel())
    add("super_scales", superGrid, getSuperScaleType());
  if (getAsymmetric())
    add("zero_points", grid, getStorage());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (hasSizeComponent(type, d))
      components.push_back(
          {"size" + std::to_string(d), IndexType::get(getContext())});
  return success();
}

SmallVector<OpFoldResult>
AffineAttr::getLogicalSizes(OpBuilder &b, Location loc, Value encoded) const {
  auto type = cast<RankedTensorType>(encoded.getType());
  SmallVector<OpFoldResult> sizes;
  unsigned sizeIndex = 2 + isTwoLevel() + getAsymmetric();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      sizes.push_back(b.getIndexAttr(type.getDimSize(d)));
      continue;
    }
    if (hasSizeComponent(type, d)) {
      sizes.push_back(getStorageComponent(b, loc, encoded, sizeIndex++));
      continue;
    }
    Value values = getStorageComponent(b, loc, encoded, kValues);
    sizes.push_back(tensor::getMixedSize(b, loc, values, d));
  }
  return sizes;
}

SmallVector<unsigned>
AffineAttr::getParameterComponents(RankedTensorType) const {
  SmallVector<unsigned> indices = {kScales};
  if (isTwoLevel())
    indices.push_back(getSuperScalesIndex());
  if (getAsymmetric())
    indices.push_back(getZeroPointsIndex());
  return indices;
}

bool AffineAttr::canEncodeAtRuntime() const { return true; }

int64_t AffineAttr::getTileAlignment(RankedTensorType, int64_t dim) const {
  return std::max<int64_t>(getBlockSize(dim), 1);
}

/// Whether blocks of `to` along a dimension of `size` elements never straddle
/// blocks of `from`.
static bool refines(int64_t to, int64_t from, int64_t size) {
  if (from == AffineAttr::kWholeDim)
    return true;
  if (!ShapedType::isDynamic(size) && from >= size)
    return true;
  return to != AffineAttr::kWholeDim && from % to == 0;
}

bool AffineAttr::isLosslessFrom(RankedTensorType to,
                                RankedTensorType from) const {
  auto source = dyn_cast_or_null<AffineAttr>(from.getEncoding());
  // Two-level scales are products rounded to f32: any f32 scale can hold them,
  // but not the other way round.
  if (!source || isTwoLevel())
    return false;
  if (source.getAsymmetric() && !getAsymmetric())
    return false;
  num::IntegerFormat mine = getFormat(), theirs = source.getFormat();
  if (theirs.getMin() < mine.getMin() || theirs.getMax() > mine.getMax())
    return false;
  if (!getScaleType().isF32() &&
      (source.isTwoLevel() || getScaleType() != source.getScaleType()))
    return false;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (!refines(getBlockSize(d), source.getBlockSize(d), to.getDimSize(d)))
      return false;
  return true;
}

FailureOr<Attribute> AffineAttr::withBlock(ArrayRef<int64_t> block,
                                           ArrayRef<int64_t> superBlock) const {
  if (!superBlock.empty() && !isTwoLevel())
    return failure();
  SmallVector<int64_t> boxes(block), superBoxes(superBlock);
  if (isTwoLevel() && superBoxes.empty())
    superBoxes.assign(block.size(), kWholeDim);
  // Without a block list the whole tensor shares a scale.
  if (llvm::all_of(boxes, [](int64_t size) { return size == kWholeDim; })) {
    boxes.clear();
    superBoxes.clear();
  }
  auto silent = [] { return InFlightDiagnostic(); };
  auto result = AffineAttr::getChecked(
      function_ref<InFlightDiagnostic()>(silent), getContext(), getStorage(),
      getAsymmetric(), getFullRange(), ArrayRef<int64_t>(boxes), getScaleType(),
      getSuperScaleType(), ArrayRef<int64_t>(superBoxes));
  if (!result)
    return failure();
  return Attribute(result);
}
