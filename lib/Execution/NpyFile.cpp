//===- NpyFile.cpp - NumPy array files ------------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npy file is the magic string, two version bytes, a little-endian header
// length (2 bytes in version 1, 4 later), a header that is a Python dictionary
// literal with the keys 'descr', 'fortran_order' and 'shape', and the raw data.
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/NpyFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <optional>

using namespace llvm;
using namespace compress::execution;

static constexpr StringLiteral magic("\x93NUMPY");

namespace {
/// What the dictionary of the header says.
struct Header {
  std::optional<ElementKind> kind;
  std::optional<bool> fortranOrder;
  std::optional<SmallVector<int64_t, 4>> shape;
};

/// A recursive descent parser of the one dictionary that the format allows.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  Expected<Header> parse();

private:
  Error fail(const Twine &reason) const {
    return createStringError("bad .npy header: " + reason);
  }
  void skipSpace() { text = text.ltrim(" \t\n\r\f\v"); }
  bool consume(char c) {
    skipSpace();
    if (text.empty() || text.front() != c)
      return false;
    text = text.drop_front();
    return true;
  }
  Expected<StringRef> parseString();
  Error parseEntry(Header &header);
  Error parseDescriptor(Header &header);
  Error parseFortranOrder(Header &header);
  Error parseShape(Header &header);

  StringRef text;
};
} // namespace

/// The kind of a type descriptor; std::nullopt if it is none of ours.
static std::optional<ElementKind> parseDescriptorText(StringRef descriptor) {
  if (descriptor == "|V2")
    return ElementKind::BF16;
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementKind::F64); ++i) {
    auto kind = static_cast<ElementKind>(i);
    StringRef own = getNpyDescriptor(kind);
    if (descriptor == own)
      return kind;
    // One-byte types have no byte order; some writers give one all the same.
    if (own.front() == '|' && descriptor.size() == own.size() &&
        (descriptor.front() == '<' || descriptor.front() == '=') &&
        descriptor.drop_front() == own.drop_front())
      return kind;
  }
  return std::nullopt;
}

Expected<StringRef> HeaderParser::parseString() {
  skipSpace();
  if (text.empty() || (text.front() != '\'' && text.front() != '"'))
    return fail("a quoted string is missing");
  size_t end = text.find(text.front(), 1);
  if (end == StringRef::npos)
    return fail("a quoted string does not end");
  StringRef result = text.slice(1, end);
  text = text.drop_front(end + 1);
  return result;
}

Error HeaderParser::parseDescriptor(Header &header) {
  skipSpace();
  if (text.starts_with("["))
    return fail("structured types are not supported, only plain numbers");
  Expected<StringRef> descriptor = parseString();
  if (!descriptor)
    return descriptor.takeError();
  if (descriptor->starts_with(">"))
    return fail("big-endian data ('" + *descriptor +
                "') is not supported; convert it with "
                "array.astype(array.dtype.newbyteorder('<'))");
  header.kind = parseDescriptorText(*descriptor);
  if (!header.kind)
    return fail("element type '" + *descriptor +
                "' is not supported; supported are bool, 8 to 64-bit "
                "integers, f16, f32, f64 and bf16 as '<V2'");
  return Error::success();
}

Error HeaderParser::parseFortranOrder(Header &header) {
  skipSpace();
  if (text.consume_front("True"))
    header.fortranOrder = true;
  else if (text.consume_front("False"))
    header.fortranOrder = false;
  else
    return fail("'fortran_order' is neither True nor False");
  return Error::success();
}

Error HeaderParser::parseShape(Header &header) {
  if (!consume('('))
    return fail("'shape' is not a tuple");
  SmallVector<int64_t, 4> shape;
  while (!consume(')')) {
    skipSpace();
    StringRef digits = text.take_while([](char c) { return isDigit(c); });
    int64_t size = 0;
    if (digits.empty() || digits.getAsInteger(10, size))
      return fail("'shape' has something that is not a size");
    // NumPy allows 64 dimensions; more only makes sense in an attack.
    if (shape.size() == 64)
      return fail("'shape' has more than 64 dimensions");
    text = text.drop_front(digits.size());
    // Python 2 wrote long integers with a suffix.
    text.consume_front("L");
    shape.push_back(size);
    if (!consume(',')) {
      if (!consume(')'))
        return fail("'shape' does not end");
      break;
    }
  }
  header.shape = std::move(shape);
  return Error::success();
}

Error HeaderParser::parseEntry(Header &header) {
  Expected<StringRef> key = parseString();
  if (!key)
    return key.takeError();
  if (!consume(':'))
    return fail("':' is missing behind '" + *key + "'");
  if (*key == "descr" && !header.kind)
    return parseDescriptor(header);
  if (*key == "fortran_order" && !header.fortranOrder)
    return parseFortranOrder(header);
  if (*key == "shape" && !header.shape)
    return parseShape(header);
  return fail("key '" + *key + "' is unknown or repeated");
}

Expected<Header> HeaderParser::parse() {
  Header header;
  if (!consume('{'))
    return fail("it is not a dictionary");
  while (!consume('}')) {
    if (Error error = parseEntry(header))
      return Expected<Header>(std::move(error));
    if (!consume(',')) {
      if (!consume('}'))
        return fail("the dictionary does not end");
      break;
    }
  }
  skipSpace();
  if (!text.empty())
    return fail("there is text behind the dictionary");
  if (!header.kind || !header.fortranOrder || !header.shape)
    return fail("'descr', 'fortran_order' and 'shape' must all be there");
  return header;
}

/// Copies `source`, whose first dimension changes fastest, to the row-major
/// `array`: an odometer over the row-major index keeps the source offset.
static void copyTransposed(StringRef source, HostArray &array) {
  ArrayRef<int64_t> shape = array.getShape();
  unsigned bytes = getElementBytes(array.getKind());
  SmallVector<int64_t> strides(shape.size(), 1), index(shape.size(), 0);
  for (size_t i = 1; i < shape.size(); ++i)
    strides[i] = strides[i - 1] * shape[i - 1];
  uint8_t *target = array.getBytes().data();
  int64_t offset = 0;
  for (int64_t n = 0; n < array.getNumElements(); ++n) {
    std::memcpy(target + n * bytes, source.data() + offset * bytes, bytes);
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

/// Splits `bytes` into the header text and the data behind it.
static Expected<std::pair<StringRef, StringRef>> splitFile(StringRef bytes) {
  if (!bytes.consume_front(magic))
    return createStringError("not a .npy file: it does not start with "
                             "\\x93NUMPY");
  if (bytes.size() < 2)
    return createStringError("the file ends within its version");
  unsigned major = static_cast<uint8_t>(bytes[0]);
  unsigned minor = static_cast<uint8_t>(bytes[1]);
  if (major < 1 || major > 3 || minor != 0)
    return createStringError("version " + Twine(major) + "." + Twine(minor) +
                             " of the .npy format is unknown");
  bytes = bytes.drop_front(2);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return createStringError("the file ends within its header length");
  size_t length = major == 1 ? support::endian::read16le(bytes.data())
                             : support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return createStringError(
        "the file ends within its header: " + Twine(length) +
        " bytes expected, " + Twine(bytes.size()) + " there");
  return std::make_pair(bytes.take_front(length), bytes.drop_front(length));
}

Expected<HostArray> compress::execution::parseNpy(StringRef bytes) {
  auto parts = splitFile(bytes);
  if (!parts)
    return parts.takeError();
  auto [text, data] = *parts;
  Expected<Header> header = HeaderParser(text).parse();
  if (!header)
    return header.takeError();
  unsigned elementBytes = getElementBytes(*header->kind);
  Expected<int64_t> count = getElementCount(*header->shape, elementBytes);
  if (!count)
    return count.takeError();
  // Compared before anything is allocated: a header may claim any size.
  uint64_t expected = static_cast<uint64_t>(*count) * elementBytes;
  if (data.size() != expected)
    return createStringError("the shape needs " + Twine(expected) +
                             " bytes of data, but " + Twine(data.size()) +
                             " follow the header");
  Expected<HostArray> array = HostArray::create(*header->kind, *header->shape);
  if (!array)
    return array.takeError();
  if (*header->fortranOrder && header->shape->size() > 1)
    copyTransposed(data, *array);
  else if (expected)
    std::memcpy(array->getData(), data.data(), expected);
  if (array->getKind() == ElementKind::Bool)
    for (uint8_t byte : array->getBytes())
      if (byte > 1)
        return createStringError("a bool element has the value " +
                                 Twine(unsigned(byte)) + ", not 0 or 1");
  return array;
}

Expected<HostArray> compress::execution::readNpyFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  Expected<HostArray> array = parseNpy((*buffer)->getBuffer());
  if (!array)
    return createStringError("'" + path + "': " + toString(array.takeError()));
  return array;
}

std::string compress::execution::serializeNpy(const HostArray &array) {
  std::string header;
  raw_string_ostream os(header);
  os << "{'descr': '" << getNpyDescriptor(array.getKind())
     << "', 'fortran_order': False, 'shape': (";
  interleaveComma(array.getShape(), os);
  // A tuple of one element needs its comma.
  os << (array.getShape().size() == 1 ? ",), }" : "), }");
  // The data starts at a multiple of 64; a line feed ends the header.
  bool large = header.size() + 64 > 65535;
  size_t prefix = magic.size() + 2 + (large ? 4 : 2);
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';

  std::string file = magic.str();
  file += large ? '\2' : '\1';
  file += '\0';
  char length[4];
  support::endian::write32le(length, static_cast<uint32_t>(header.size()));
  file.append(length, large ? 4 : 2);
  file += header;
  ArrayRef<uint8_t> bytes = array.getBytes();
  file.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return file;
}

Error compress::execution::writeNpyFile(StringRef path,
                                        const HostArray &array) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (!error) {
    os << serializeNpy(array);
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  return Error::success();
}
