//===- VectorKMeans.cpp - Codebooks of short vectors ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/VectorKMeans.h"

#include "KernelTarget.h"
#include "VectorLanes.h"

#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Parallel.h"
#include "compress/Numerics/Random.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Nearest centroids
//===----------------------------------------------------------------------===//

/// Finds the centroids (row-major, without gaps) nearest to `count` vectors,
/// and their squared distances.
template <typename T>
static COMPRESS_KERNEL void
findNearest(const MatrixRef<const T> &vectors, int64_t first, int64_t count,
            const T *centroids, int64_t numCentroids, T *block,
            int32_t *indices, T *distances) {
  using Lanes = VectorLanes<T>;
  const int64_t columns = vectors.columns;
  for (int64_t start = 0; start < count; start += Lanes::count) {
    int64_t left = std::min(count - start, Lanes::count);
    // A vector in each lane.
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t lane = 0; lane < Lanes::count; ++lane)
        block[column * Lanes::count + lane] =
            vectors(first + start + std::min(lane, left - 1), column);
    typename Lanes::Vector best =
        Lanes::splat(std::numeric_limits<T>::infinity());
    typename Lanes::Integers bestIndex = {};
    for (int64_t index = 0; index < numCentroids; ++index) {
      typename Lanes::Vector distance = {};
      for (int64_t column = 0; column < columns; ++column) {
        typename Lanes::Vector x;
        std::memcpy(&x, block + column * Lanes::count, sizeof(x));
        typename Lanes::Vector difference =
            x - Lanes::splat(centroids[index * columns + column]);
        distance += difference * difference;
      }
      typename Lanes::Integers isNearer = distance < best;
      best = isNearer ? distance : best;
      typename Lanes::Integers current =
          static_cast<typename Lanes::Integer>(index) -
          typename Lanes::Integers{};
      bestIndex = isNearer ? current : bestIndex;
    }
    for (int64_t lane = 0; lane < left; ++lane) {
      indices[start + lane] = static_cast<int32_t>(bestIndex[lane]);
      distances[start + lane] = best[lane];
    }
  }
}

#if COMPRESS_HAS_X86_KERNELS
#define COMPRESS_VARIANT(Target, Suffix)                                       \
  template <typename T>                                                        \
  Target static void findNearest##Suffix(                                      \
      const MatrixRef<const T> &vectors, int64_t first, int64_t count,         \
      const T *centroids, int64_t numCentroids, T *block, int32_t *indices,    \
      T *distances) {                                                          \
    findNearest(vectors, first, count, centroids, numCentroids, block,         \
                indices, distances);                                           \
  }
COMPRESS_VARIANT(COMPRESS_TARGET_AVX2, AVX2)
COMPRESS_VARIANT(COMPRESS_TARGET_AVX512, AVX512)
#undef COMPRESS_VARIANT
#endif

template <typename T>
static void findNearestDispatch(const MatrixRef<const T> &vectors,
                                int64_t first, int64_t count,
                                const T *centroids, int64_t numCentroids,
                                int32_t *indices, T *distances) {
  std::vector<T> block(vectors.columns * VectorLanes<T>::count);
#if COMPRESS_HAS_X86_KERNELS
  InstructionSet set = getInstructionSet();
  if (set == InstructionSet::AVX512)
    return findNearestAVX512(vectors, first, count, centroids, numCentroids,
                             block.data(), indices, distances);
  if (set == InstructionSet::AVX2)
    return findNearestAVX2(vectors, first, count, centroids, numCentroids,
                           block.data(), indices, distances);
#endif
  findNearest(vectors, first, count, centroids, numCentroids, block.data(),
              indices, distances);
}

template <typename T>
Error assignVectors(MatrixRef<const T> vectors, MatrixRef<const T> centroids,
                    MutableArrayRef<int32_t> indices,
                    ThreadPoolInterface *pool) {
  if (vectors.rows < 0 || vectors.columns < 1 || centroids.rows < 1 ||
      centroids.rows > std::numeric_limits<int32_t>::max())
    return createStringError("there must be columns and 1 to 2^31 - 1 "
                             "centroids");
  if (vectors.columns != centroids.columns)
    return createStringError("vectors of %lld columns, but centroids of %lld",
                             (long long)vectors.columns,
                             (long long)centroids.columns);
  if (static_cast<uint64_t>(vectors.rows) != indices.size())
    return createStringError("%lld vectors, but room for %zu indices",
                             (long long)vectors.rows, indices.size());
  std::vector<T> table;
  for (int64_t row = 0; row < centroids.rows; ++row)
    for (int64_t column = 0; column < centroids.columns; ++column)
      table.push_back(centroids(row, column));
  forEachChunk(pool, vectors.rows, 4096,
               [&](int64_t, int64_t begin, int64_t end) {
                 std::vector<T> distances(end - begin);
                 findNearestDispatch(vectors, begin, end - begin, table.data(),
                                     centroids.rows, indices.data() + begin,
                                     distances.data());
               });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Fitting
//===----------------------------------------------------------------------===//

template <typename T>
static Error checkData(MatrixRef<const T> vectors, ThreadPoolInterface *pool) {
  if (vectors.rows < 1 || vectors.columns < 1 || vectors.columns > 4096)
    return createStringError("there must be vectors of 1 to 4096 columns, but "
                             "there are %lld of %lld",
                             (long long)vectors.rows,
                             (long long)vectors.columns);
  if (!vectors.data)
    return createStringError("the vectors have elements but no data");
  std::vector<uint8_t> bad(vectors.rows);
  const double limit =
      std::sqrt(std::numeric_limits<T>::max() / vectors.columns) / 4;
  forEachChunk(pool, vectors.rows, 4096,
               [&](int64_t, int64_t begin, int64_t end) {
                 for (int64_t row = begin; row < end; ++row)
                   for (int64_t column = 0; column < vectors.columns; ++column)
                     bad[row] |= !(std::abs(vectors(row, column)) <= limit);
               });
  for (auto [row, isBad] : enumerate(bad))
    if (isBad)
      return createStringError(
          "vector %zu has an element that is not finite or "
          "whose square overflows",
          row);
  return Error::success();
}

template <typename T>
static Error checkParameters(MatrixRef<const T> vectors,
                             StridedSpan<const T> weights,
                             const VectorKMeansOptions &options) {
  if (options.numClusters < 1 || options.numClusters > 65536)
    return createStringError(
        "the number of clusters must be in [1, 65536], but "
        "is %u",
        options.numClusters);
  if (options.maxIterations < 1 || !(options.tolerance >= 0.0))
    return createStringError(
        "iterations must be positive and the tolerance not "
        "negative");
  if (Error error = checkSpan(weights, "weights"))
    return error;
  if (weights.empty())
    return Error::success();
  if (weights.size() != vectors.rows)
    return createStringError("%lld vectors, but %lld weights",
                             (long long)vectors.rows,
                             (long long)weights.size());
  double total = 0.0;
  for (int64_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= T(0)))
      return createStringError("weight %lld is negative or NaN", (long long)i);
    total += weights[i];
  }
  if (!(total > 0.0) || !std::isfinite(total))
    return createStringError("the sum of the weights must be positive and "
                             "finite");
  return Error::success();
}

namespace {
/// The state of one fit.
template <typename T>
class VectorFit {
public:
  VectorFit(MatrixRef<const T> vectors, StridedSpan<const T> weights,
            const VectorKMeansOptions &options, ThreadPoolInterface *pool)
      : vectors(vectors), weights(weights), options(options), pool(pool),
        columns(vectors.columns), chunkSize(getChunkSize()),
        indices(vectors.rows), distances(vectors.rows) {}

  VectorKMeansResult<T> run() {
    drawStart();
    const double limit =
        options.tolerance > 0.0 ? options.tolerance * getVariance() : 0.0;
    VectorKMeansResult<T> result;
    while (!result.converged && result.iterations < options.maxIterations) {
      ++result.iterations;
      assign();
      result.converged = moveCentroids() <= limit;
    }
    assign();
    dropEmptyClusters(result);
    for (int64_t i = 0; i < vectors.rows; ++i)
      result.inertia += getWeight(i) * distances[i];
    return result;
  }

private:
  /// Depends on the sizes only. The sums of all chunks take at most 256 MiB, or
  /// the space of one chunk.
  int64_t getChunkSize() const {
    int64_t sums = columns * options.numClusters;
    int64_t maxChunks = std::clamp<int64_t>((int64_t(1) << 25) / sums, 1, 512);
    return std::max<int64_t>(4096, (vectors.rows - 1) / maxChunks + 1);
  }
  double getWeight(int64_t i) const {
    return weights.empty() ? 1.0 : static_cast<double>(weights[i]);
  }
  int64_t getNumCentroids() const { return centroids.size() / columns; }

  void addCentroid(int64_t row) {
    for (int64_t column = 0; column < columns; ++column)
      centroids.push_back(vectors(row, column));
  }

  /// A number in [0, 1) of 53 bits.
  double getRandom() {
    uint64_t low = getRandomWord(options.seed, 2 * numDrawn);
    uint64_t high = getRandomWord(options.seed, 2 * numDrawn + 1);
    ++numDrawn;
    return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
  }

  /// A vector with a probability proportional to its weight times its entry of
  /// `distances`; -1 if all are 0. The sums are taken in order.
  int64_t drawByDistance() {
    double total = 0.0;
    for (int64_t i = 0; i < vectors.rows; ++i)
      total += getWeight(i) * distances[i];
    if (!(total > 0.0))
      return -1;
    double target = getRandom() * total;
    int64_t last = -1;
    for (int64_t i = 0; i < vectors.rows; ++i) {
      double part = getWeight(i) * distances[i];
      if (!(part > 0.0))
        continue;
      last = i;
      target -= part;
      if (target < 0.0)
        break;
    }
    return last;
  }

  /// k-means++.
  void drawStart() {
    std::fill(distances.begin(), distances.end(), T(1));
    addCentroid(drawByDistance());
    std::fill(distances.begin(), distances.end(),
              std::numeric_limits<T>::max());
    while (getNumCentroids() < options.numClusters) {
      const T *newest = centroids.data() + centroids.size() - columns;
      forEachChunk(
          pool, vectors.rows, chunkSize,
          [&](int64_t, int64_t begin, int64_t end) {
            std::vector<T> current(end - begin);
            findNearestDispatch(vectors, begin, end - begin, newest, 1,
                                indices.data() + begin, current.data());
            for (int64_t i = begin; i < end; ++i)
              distances[i] = std::min(distances[i], current[i - begin]);
          });
      int64_t row = drawByDistance();
      if (row < 0)
        break; // Every vector is a centroid.
      addCentroid(row);
    }
  }

  void assign() {
    forEachChunk(pool, vectors.rows, chunkSize,
                 [&](int64_t, int64_t begin, int64_t end) {
                   findNearestDispatch(vectors, begin, end - begin,
                                       centroids.data(), getNumCentroids(),
                                       indices.data() + begin,
                                       distances.data() + begin);
                 });
  }

  /// Weights and weighted sums of the clusters, chunk by chunk.
  void sumClusters(std::vector<double> &sums, std::vector<double> &totals) {
    const int64_t numCentroids = getNumCentroids();
    const int64_t numChunks = getNumChunks(vectors.rows, chunkSize);
    std::vector<std::vector<double>> chunkSums(numChunks),
        chunkTotals(numChunks);
    forEachChunk(pool, vectors.rows, chunkSize,
                 [&](int64_t chunk, int64_t begin, int64_t end) {
                   chunkSums[chunk].resize(numCentroids * columns);
                   chunkTotals[chunk].resize(numCentroids);
                   for (int64_t i = begin; i < end; ++i) {
                     double weight = getWeight(i);
                     chunkTotals[chunk][indices[i]] += weight;
                     double *sum = &chunkSums[chunk][indices[i] * columns];
                     for (int64_t column = 0; column < columns; ++column)
                       sum[column] += weight * vectors(i, column);
                   }
                 });
    sums.assign(numCentroids * columns, 0.0);
    totals.assign(numCentroids, 0.0);
    for (int64_t chunk = 0; chunk < numChunks; ++chunk) {
      for (auto [sum, part] : zip_equal(sums, chunkSums[chunk]))
        sum += part;
      for (auto [total, part] : zip_equal(totals, chunkTotals[chunk]))
        total += part;
    }
  }

  /// The vectors farthest from their centroids, farthest first; none that are
  /// centroids themselves or have no weight.
  std::vector<int64_t> findFarthest(size_t count) const {
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < vectors.rows; ++i)
      if (distances[i] > T(0) && getWeight(i) > 0.0)
        rows.push_back(i);
    count = std::min(count, rows.size());
    std::partial_sort(rows.begin(), rows.begin() + count, rows.end(),
                      [&](int64_t left, int64_t right) {
                        return distances[left] != distances[right]
                                   ? distances[left] > distances[right]
                                   : left < right;
                      });
    rows.resize(count);
    return rows;
  }

  /// Moves the centroids to the means. Returns the sum of the squared moves.
  double moveCentroids() {
    std::vector<double> sums, totals;
    sumClusters(sums, totals);
    size_t numEmpty = llvm::count(totals, 0.0);
    std::vector<int64_t> restarts;
    if (numEmpty)
      restarts = findFarthest(numEmpty);
    size_t next = 0;
    double moves = 0.0;
    for (int64_t c = 0; c < getNumCentroids(); ++c) {
      bool isEmpty = totals[c] == 0.0;
      if (isEmpty && next == restarts.size())
        continue;
      int64_t row = isEmpty ? restarts[next++] : 0;
      for (int64_t column = 0; column < columns; ++column) {
        T &centroid = centroids[c * columns + column];
        T moved = isEmpty
                      ? vectors(row, column)
                      : static_cast<T>(sums[c * columns + column] / totals[c]);
        double move = static_cast<double>(moved) - centroid;
        moves += move * move;
        centroid = moved;
      }
    }
    return moves;
  }

  /// The weighted mean squared distance from the mean.
  double getVariance() {
    std::fill(indices.begin(), indices.end(), 0);
    std::vector<double> sums, totals;
    sumClusters(sums, totals);
    double sum = 0.0;
    for (int64_t i = 0; i < vectors.rows; ++i)
      for (int64_t column = 0; column < columns; ++column) {
        double difference = vectors(i, column) - sums[column] / totals[0];
        sum += getWeight(i) * difference * difference;
      }
    return sum / totals[0];
  }

  /// Hands over the centroids that have vectors, with the indices renumbered.
  void dropEmptyClusters(VectorKMeansResult<T> &result) {
    std::vector<double> sums, totals;
    sumClusters(sums, totals);
    std::vector<int32_t> numbers(getNumCentroids(), -1);
    std::vector<T> kept;
    for (int32_t index : indices)
      numbers[index] = 0;
    int32_t next = 0;
    for (auto [c, number] : enumerate(numbers))
      if (number == 0) {
        number = next++;
        kept.insert(kept.end(), centroids.begin() + c * columns,
                    centroids.begin() + (c + 1) * columns);
        result.weights.push_back(totals[c]);
      }
    result.centroids = Matrix<T>(next, columns);
    std::copy(kept.begin(), kept.end(), result.centroids.data());
    result.indices.reserve(indices.size());
    for (int32_t index : indices)
      result.indices.push_back(numbers[index]);
  }

  MatrixRef<const T> vectors;
  StridedSpan<const T> weights;
  const VectorKMeansOptions &options;
  ThreadPoolInterface *pool;
  const int64_t columns;
  const int64_t chunkSize;
  std::vector<T> centroids;
  std::vector<int32_t> indices;
  std::vector<T> distances;
  uint64_t numDrawn = 0;
};
} // namespace

template <typename T>
Expected<VectorKMeansResult<T>>
fitVectorKMeans(MatrixRef<const T> vectors, StridedSpan<const T> weights,
                const VectorKMeansOptions &options, ThreadPoolInterface *pool) {
  if (Error error = checkParameters(vectors, weights, options))
    return error;
  if (Error error = checkData(vectors, pool))
    return error;
  return VectorFit<T>(vectors, weights, options, pool).run();
}

#define COMPRESS_INSTANTIATE(T)                                                \
  template Error assignVectors(MatrixRef<const T>, MatrixRef<const T>,         \
                               MutableArrayRef<int32_t>,                       \
                               ThreadPoolInterface *);                         \
  template Expected<VectorKMeansResult<T>> fitVectorKMeans(                    \
      MatrixRef<const T>, StridedSpan<const T>, const VectorKMeansOptions &,   \
      ThreadPoolInterface *);
COMPRESS_INSTANTIATE(float)
COMPRESS_INSTANTIATE(double)
#undef COMPRESS_INSTANTIATE

} // namespace compress::numerics
