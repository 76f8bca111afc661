//===- RankSelection.h - Ranks by energy, budget and EVBMF ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many singular values to keep: by the share of the energy, by a budget of
// parameters, bytes or operations, or by what rises above the noise
// (empirical variational Bayesian matrix factorization). A rank of 0 is never
// proposed, for a factor without columns is no tensor.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_RANKSELECTION_H
#define COMPRESS_NUMERICS_RANKSELECTION_H

#include "compress/Numerics/Matrix.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// Limits that every automatic rank is brought into: first rounded to the
/// nearest multiple (up at half), then clamped to [floor, cap].
struct RankLimits {
  int64_t floor = 1;
  /// 0 means min(rows, columns).
  int64_t cap = 0;
  int64_t multiple = 1;
};

/// `rank` brought into the limits, for a rows x columns matrix; the result is
/// in [1, min(rows, columns)] whatever the limits. Fails if a size is not
/// positive or the limits contradict each other.
llvm::Expected<int64_t> limitRank(int64_t rank, int64_t rows, int64_t columns,
                                  const RankLimits &limits = {});

/// The smallest r >= 1 such that the r largest values hold at least `fraction`
/// of `totalEnergy` (sums of squares); the number of values if all together do
/// not. `values` descend; fraction is in (0, 1]. Fails on NaN, infinite,
/// negative or rising values.
llvm::Expected<int64_t> rankForEnergy(llvm::ArrayRef<double> values,
                                      double totalEnergy, double fraction);

/// The largest r for which r (rows + columns) < rows * columns, that is, for
/// which two factors have fewer parameters than the matrix; 0 if there is none.
int64_t getBreakEvenRank(int64_t rows, int64_t columns);

/// The largest r whose two factors have at most `budget` parameters; 0 if even
/// rank 1 has more. For bytes, divide the budget by the bytes a parameter.
int64_t rankForParameters(int64_t rows, int64_t columns, int64_t budget);

/// The largest r for which 2 r (rows + columns) `vectors` operations stay
/// within `budget`, where `vectors` is the number of products with a vector; 0
/// if even rank 1 takes more.
int64_t rankForFlops(int64_t rows, int64_t columns, int64_t vectors,
                     double budget);

/// What EVBMF found.
struct EvbmfResult {
  /// Values above the threshold; may be 0 for noise alone.
  int64_t rank = 0;
  double noiseVariance = 0;
  /// Singular values above it are kept.
  double threshold = 0;
};

/// The rank of a rows x columns matrix with these singular values (all
/// min(rows, columns) of them, descending) by the analytic global solution of
/// empirical variational Bayesian matrix factorization: Nakajima, Sugiyama,
/// Babacan and Tomioka, JMLR 14 (2013), with the approximation
/// 2.5129 sqrt(alpha) for the threshold. The noise variance minimizes the free
/// energy, searched on a logarithmic grid and then by golden section. Wide and
/// tall matrices give the same answer. O(values) per step, some 200 steps.
/// Fails on NaN, infinite, negative or rising values and on a wrong count.
llvm::Expected<EvbmfResult> estimateRankEvbmf(llvm::ArrayRef<double> values,
                                              int64_t rows, int64_t columns);

/// Singular values and EVBMF in one: the rank of `matrix` within the limits.
llvm::Expected<int64_t>
chooseRankEvbmf(MatrixRef<const float> matrix, const RankLimits &limits = {},
                llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<int64_t>
chooseRankEvbmf(MatrixRef<const double> matrix, const RankLimits &limits = {},
                llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_RANKSELECTION_H
