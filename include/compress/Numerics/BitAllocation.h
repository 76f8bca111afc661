//===- BitAllocation.h - Choosing formats under a budget --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every layer has a few choices (bit widths, ranks, sparsities), each with a
// cost and an error; pick one a layer so that the costs stay within a budget
// and the sum of the errors is smallest: a multiple-choice knapsack.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_BITALLOCATION_H
#define COMPRESS_NUMERICS_BITALLOCATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace compress::numerics {

/// One way to store a layer. The unit of the cost is the caller's (bits, bytes,
/// parameters, operations), as is that of the error; errors of layers add up.
struct AllocationChoice {
  int64_t cost = 0;
  double error = 0;
};

/// The choices of one layer.
using AllocationItem = llvm::SmallVector<AllocationChoice, 4>;

struct AllocationOptions {
  /// Partial solutions to keep at most in the exact search; beyond, the answer
  /// is that of the Lagrangian relaxation. 24 bytes each, for every item.
  int64_t maxStates = 1 << 16;
};

struct AllocationResult {
  /// The index of the choice of every item.
  std::vector<unsigned> choices;
  int64_t cost = 0;
  double error = 0;
  /// No allocation within the budget has an error below this.
  double lowerBound = 0;
  /// `error` is the smallest there is.
  bool isOptimal = false;
};

/// The allocation with the smallest error whose cost is at most `budget`.
///
/// First the Lagrangian relaxation: on the convex hull of every item's choices
/// the steps with the largest gain per cost, then whatever still fits. That is
/// O(choices log choices) and gives a bound. Then the exact answer by dynamic
/// programming over the items, on the cost-error pairs that neither another one
/// nor the bound rules out. Deterministic: equal gains go to the earlier item,
/// equal errors to the lower cost, equal pairs to the earlier choices.
///
/// Fails if an item has no choice, on negative costs, NaN or infinite errors,
/// sums of costs beyond 64 bits, and a budget below the cheapest allocation.
llvm::Expected<AllocationResult>
allocateBudget(llvm::ArrayRef<AllocationItem> items, int64_t budget,
               const AllocationOptions &options = {});

/// The choices of a layer of `elements` weights: cost elements * bits[i] and
/// error errors[i]. Fails on different counts, no or negative elements and
/// overflow.
llvm::Expected<AllocationItem> makeBitChoices(int64_t elements,
                                              llvm::ArrayRef<unsigned> bits,
                                              llvm::ArrayRef<double> errors);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_BITALLOCATION_H
