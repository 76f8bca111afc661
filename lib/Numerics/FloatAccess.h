//===- FloatAccess.h - Single elements of float buffers ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: reads elements of any kind as f64, which holds all of
// them exactly. For code where the loop over elements is not what costs.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_FLOATACCESS_H
#define COMPRESS_LIB_NUMERICS_FLOATACCESS_H

#include "compress/Numerics/FloatBuffer.h"
#include "compress/Numerics/HalfFloat.h"

#include <cstring>

namespace compress::numerics {

/// The bits of element `i`, which is the stored one if `values` is a splat.
template <typename Bits>
inline Bits loadBits(const FloatBuffer &values, int64_t i) {
  Bits bits;
  std::memcpy(&bits,
              static_cast<const char *>(values.data) +
                  (values.splat ? 0 : i) * static_cast<int64_t>(sizeof(Bits)),
              sizeof(Bits));
  return bits;
}

/// Element `i`, exactly.
inline double loadDouble(const FloatBuffer &values, int64_t i) {
  switch (values.kind) {
  case FloatBuffer::F16:
    return halfToFloat(loadBits<uint16_t>(values, i));
  case FloatBuffer::BF16:
    return bfloatToFloat(loadBits<uint16_t>(values, i));
  case FloatBuffer::F32:
    return detail::bitCast<float>(loadBits<uint32_t>(values, i));
  case FloatBuffer::F64:
    break;
  }
  return detail::bitCast<double>(loadBits<uint64_t>(values, i));
}

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_FLOATACCESS_H
