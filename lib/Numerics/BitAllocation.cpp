//===- BitAllocation.cpp - Choosing formats under a budget ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/BitAllocation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace compress::numerics {

namespace {

/// A step along the convex hull of one item's choices.
struct HullStep {
  size_t item;
  unsigned choice;
  int64_t cost;
  double gain;
  double slope;
};
} // namespace

static Error checkItems(ArrayRef<AllocationItem> items, int64_t budget) {
  int64_t smallest = 0, largest = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].empty())
      return createStringError("item %llu has no choice",
                               (unsigned long long)i);
    int64_t low = std::numeric_limits<int64_t>::max(), high = 0;
    for (const AllocationChoice &choice : items[i]) {
      if (choice.cost < 0)
        return createStringError("item %llu has the negative cost %lld",
                                 (unsigned long long)i, (long long)choice.cost);
      if (!std::isfinite(choice.error))
        return createStringError("item %llu has an error that is NaN or "
                                 "infinite",
                                 (unsigned long long)i);
      low = std::min(low, choice.cost);
      high = std::max(high, choice.cost);
    }
    if (AddOverflow(smallest, low, smallest) ||
        AddOverflow(largest, high, largest))
      return createStringError("the costs add up to more than 64 bits");
  }
  if (budget < smallest)
    return createStringError("the budget of %lld is below the cheapest "
                             "allocation, which costs %lld",
                             (long long)budget, (long long)smallest);
  return Error::success();
}

/// Indices of the choices on the lower left convex hull, by rising cost; the
/// first is the best of the cheapest.
static SmallVector<unsigned, 8> getHull(const AllocationItem &item) {
  SmallVector<unsigned, 8> order;
  for (unsigned c = 0; c < item.size(); ++c)
    order.push_back(c);
  llvm::sort(order, [&](unsigned x, unsigned y) {
    if (item[x].cost != item[y].cost)
      return item[x].cost < item[y].cost;
    if (item[x].error != item[y].error)
      return item[x].error < item[y].error;
    return x < y;
  });
  SmallVector<unsigned, 8> hull;
  for (unsigned c : order) {
    if (!hull.empty() && item[c].error >= item[hull.back()].error)
      continue;
    while (hull.size() >= 2) {
      const AllocationChoice &a = item[hull[hull.size() - 2]];
      const AllocationChoice &b = item[hull.back()];
      // b lies on or above the line from a to c.
      const double toB = (a.error - b.error) / double(b.cost - a.cost);
      const double toC =
          (a.error - item[c].error) / double(item[c].cost - a.cost);
      if (toB > toC)
        break;
      hull.pop_back();
    }
    hull.push_back(c);
  }
  return hull;
}

static void addUp(ArrayRef<AllocationItem> items, AllocationResult &result) {
  result.cost = 0;
  result.error = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    result.cost += items[i][result.choices[i]].cost;
    result.error += items[i][result.choices[i]].error;
  }
}

/// Any other choice of a single item that fits and is better.
static void fillUp(ArrayRef<AllocationItem> items, int64_t budget,
                   AllocationResult &result) {
  for (bool improved = true; improved;) {
    improved = false;
    for (size_t i = 0; i < items.size(); ++i) {
      const AllocationChoice current = items[i][result.choices[i]];
      unsigned best = result.choices[i];
      for (unsigned c = 0; c < items[i].size(); ++c)
        if (items[i][c].cost - current.cost <= budget - result.cost &&
            items[i][c].error < items[i][best].error)
          best = c;
      if (best == result.choices[i])
        continue;
      result.cost += items[i][best].cost - current.cost;
      result.choices[i] = best;
      improved = true;
    }
  }
}

/// The relaxation; `multiplier` receives the gain per cost at the budget.
static AllocationResult relax(ArrayRef<AllocationItem> items, int64_t budget,
                              double &multiplier) {
  AllocationResult result;
  std::vector<HullStep> steps;
  for (size_t i = 0; i < items.size(); ++i) {
    SmallVector<unsigned, 8> hull = getHull(items[i]);
    result.choices.push_back(hull.front());
    for (size_t h = 1; h < hull.size(); ++h) {
      const AllocationChoice &from = items[i][hull[h - 1]];
      const AllocationChoice &to = items[i][hull[h]];
      const int64_t cost = to.cost - from.cost;
      const double gain = from.error - to.error;
      steps.push_back({i, hull[h], cost, gain, gain / double(cost)});
    }
  }
  addUp(items, result);
  // The slopes of an item fall, so sorting keeps its steps in order but for
  // ties, which the rising choice cost settles.
  llvm::sort(steps, [&](const HullStep &x, const HullStep &y) {
    if (x.slope != y.slope)
      return x.slope > y.slope;
    if (x.item != y.item)
      return x.item < y.item;
    return items[x.item][x.choice].cost < items[y.item][y.choice].cost;
  });
  multiplier = 0;
  result.lowerBound = result.error;
  std::vector<char> stopped(items.size(), false);
  bool within = true;
  for (const HullStep &step : steps) {
    const int64_t left = budget - result.cost;
    if (stopped[step.item])
      continue;
    if (step.cost > left) {
      if (within) {
        // The part of this step that fits is the bound.
        multiplier = step.slope;
        result.lowerBound -= step.slope * double(left);
        within = false;
      }
      stopped[step.item] = true;
      continue;
    }
    result.choices[step.item] = step.choice;
    result.cost += step.cost;
    if (within)
      result.lowerBound -= step.gain;
  }
  fillUp(items, budget, result);
  addUp(items, result);
  result.lowerBound = std::min(result.lowerBound, result.error);
  return result;
}

namespace {

/// A partial solution over the first items.
struct State {
  int64_t cost;
  double error;
  uint32_t parent;
  unsigned choice;
};

/// Dynamic programming over the items on undominated states.
class ExactSearch {
public:
  ExactSearch(ArrayRef<AllocationItem> items, int64_t budget, double multiplier,
              double upperBound, int64_t maxStates)
      : items(items), budget(budget), multiplier(multiplier),
        maxStates(maxStates), restCost(items.size() + 1, 0),
        restValue(items.size() + 1, 0.0) {
    double magnitude = std::abs(upperBound);
    for (size_t i = items.size(); i-- > 0;) {
      int64_t cheapest = std::numeric_limits<int64_t>::max();
      double best = std::numeric_limits<double>::infinity();
      double largest = 0;
      for (const AllocationChoice &choice : items[i]) {
        cheapest = std::min(cheapest, choice.cost);
        best = std::min(best, choice.error + multiplier * double(choice.cost));
        largest = std::max(largest, std::abs(choice.error));
      }
      magnitude += largest;
      restCost[i] = restCost[i + 1] + cheapest;
      restValue[i] = restValue[i + 1] + best;
    }
    magnitude += multiplier * double(budget);
    // The bound is a sum in another order: leave room for its rounding.
    limit = upperBound + 1e-12 * magnitude;
  }

  /// False if there would be too many states.
  bool run(std::vector<unsigned> &choices) {
    levels.assign(1, {State{0, 0.0, 0, 0}});
    for (size_t i = 0; i < items.size(); ++i)
      if (!extend(i))
        return false;
    if (levels.back().empty())
      return false;
    // Sorted by rising cost and falling error: the last is the best.
    choices.resize(items.size());
    uint32_t index = levels.back().size() - 1;
    for (size_t i = items.size(); i-- > 0;) {
      const State &state = levels[i + 1][index];
      choices[i] = state.choice;
      index = state.parent;
    }
    return true;
  }

private:
  bool extend(size_t i) {
    const std::vector<State> &from = levels.back();
    std::vector<State> to;
    for (uint32_t s = 0; s < from.size(); ++s)
      for (unsigned c = 0; c < items[i].size(); ++c) {
        const int64_t cost = from[s].cost + items[i][c].cost;
        const double error = from[s].error + items[i][c].error;
        if (cost > budget - restCost[i + 1])
          continue;
        // What the relaxation of the rest says at best.
        const double bound =
            error + restValue[i + 1] - multiplier * double(budget - cost);
        if (bound > limit)
          continue;
        to.push_back({cost, error, s, c});
        if (static_cast<int64_t>(to.size()) > 8 * maxStates)
          return false;
      }
    llvm::sort(to, [](const State &x, const State &y) {
      if (x.cost != y.cost)
        return x.cost < y.cost;
      if (x.error != y.error)
        return x.error < y.error;
      return x.parent != y.parent ? x.parent < y.parent : x.choice < y.choice;
    });
    size_t kept = 0;
    for (const State &state : to)
      if (kept == 0 || state.error < to[kept - 1].error)
        to[kept++] = state;
    to.resize(kept);
    if (static_cast<int64_t>(kept) > maxStates)
      return false;
    levels.push_back(std::move(to));
    return true;
  }

  ArrayRef<AllocationItem> items;
  int64_t budget;
  double multiplier;
  int64_t maxStates;
  double limit;
  /// Of the items from i on: the smallest cost, and the smallest error plus
  /// multiplier times cost.
  std::vector<int64_t> restCost;
  std::vector<double> restValue;
  std::vector<std::vector<State>> levels;
};

} // namespace

Expected<AllocationResult> allocateBudget(ArrayRef<AllocationItem> items,
                                          int64_t budget,
                                          const AllocationOptions &options) {
  if (Error error = checkItems(items, budget))
    return std::move(error);
  double multiplier;
  AllocationResult result = relax(items, budget, multiplier);
  ExactSearch search(items, budget, multiplier, result.error,
                     std::clamp<int64_t>(options.maxStates, 0, 1 << 24));
  if (search.run(result.choices)) {
    addUp(items, result);
    result.isOptimal = true;
    result.lowerBound = result.error;
  } else {
    result.isOptimal = result.error == result.lowerBound;
  }
  return std::move(result);
}

Expected<AllocationItem> makeBitChoices(int64_t elements,
                                        ArrayRef<unsigned> bits,
                                        ArrayRef<double> errors) {
  if (bits.size() != errors.size() || bits.empty())
    return createStringError("there must be as many errors as bit widths, and "
                             "at least one, but there are %llu and %llu",
                             (unsigned long long)errors.size(),
                             (unsigned long long)bits.size());
  if (elements < 1)
    return createStringError("a layer needs one weight or more, but has %lld",
                             (long long)elements);
  AllocationItem item;
  for (size_t i = 0; i < bits.size(); ++i) {
    AllocationChoice choice;
    choice.error = errors[i];
    if (MulOverflow(elements, static_cast<int64_t>(bits[i]), choice.cost))
      return createStringError("the size of the layer does not fit 64 bits");
    item.push_back(choice);
  }
  return item;
}

} // namespace compress::numerics
