//===- HostTarget.cpp - CPUs to compile for -------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Target/HostTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <unistd.h>

using namespace llvm;

namespace compress::target {

/// All x86 features of LLVM. Without "64bit", which only its tables of CPUs
/// use, and "evex512", which its code generator no longer has.
static constexpr StringLiteral kX86Features[] = {
#define X86_FEATURE(ENUM, NAME) NAME,
#include "llvm/TargetParser/X86TargetParser.def"
};

/// Features that code can use whatever the hardware is: how calls are hardened
/// and registers cleared, and the part of x86-64 that no one asks CPUID for.
static constexpr StringLiteral kSoftwareFeatures[] = {
    kPrefer256Bit,
    "lvi-cfi",
    "lvi-load-hardening",
    "retpoline-external-thunk",
    "retpoline-indirect-branches",
    "retpoline-indirect-calls",
    "vzeroupper",
    "x87"};

static constexpr StringLiteral kX8664Features[] = {
    "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"};

bool isKnownFeature(StringRef name) {
  return name == kPrefer256Bit || (name != "64bit" && name != "evex512" &&
                                   is_contained(kX86Features, name));
}

static bool isKnownX86CPU(StringRef cpu) {
  return X86::parseArchX86(cpu, /*Only64Bit=*/true) != X86::CK_None;
}

/// Features that `name` implies (`enabled`) or that imply it (not).
static StringMap<bool> getImplied(StringRef name, bool enabled) {
  StringMap<bool> implied;
  X86::updateImpliedFeatures(name, enabled, implied);
  return implied;
}

static std::vector<std::string>
getSortedNames(const StringMap<bool> &features) {
  std::vector<std::string> names;
  for (const auto &feature : features)
    if (feature.second && isKnownFeature(feature.getKey()))
      names.push_back(feature.getKey().str());
  llvm::sort(names);
  return names;
}

//===----------------------------------------------------------------------===//
// Caches and cores
//===----------------------------------------------------------------------===//

namespace {
/// What every CPU of a model has; the third cache differs too much.
struct ModelCaches {
  StringLiteral cpu;
  int64_t l1dKiB, l2KiB;
};
} // namespace

static constexpr ModelCaches kModelCaches[] = {
    {"haswell", 32, 256},         {"broadwell", 32, 256},
    {"skylake", 32, 256},         {"skylake-avx512", 32, 1024},
    {"cascadelake", 32, 1024},    {"cooperlake", 32, 1024},
    {"icelake-client", 48, 512},  {"icelake-server", 48, 1280},
    {"rocketlake", 48, 512},      {"tigerlake", 48, 1280},
    {"sapphirerapids", 48, 2048}, {"emeraldrapids", 48, 2048},
    {"graniterapids", 48, 2048},  {"znver1", 32, 512},
    {"znver2", 32, 512},          {"znver3", 32, 512},
    {"znver4", 32, 1024},         {"znver5", 48, 1024},
};

static void setModelCaches(TargetDescription &target) {
  for (const ModelCaches &model : kModelCaches) {
    if (target.cpu != model.cpu)
      continue;
    target.l1d = model.l1dKiB << 10;
    target.l2 = model.l2KiB << 10;
  }
}

#ifdef _SC_LEVEL1_DCACHE_SIZE
/// Replaces `size` by what the kernel reports, unless that cannot be: virtual
/// machines report nothing, 0, or nonsense.
static void readCacheSize(int name, int64_t minimum, int64_t maximum,
                          int64_t &size) {
  int64_t reported = sysconf(name);
  if (reported >= minimum && reported <= maximum)
    size = reported;
}

static void readCaches(TargetDescription &target) {
  constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;
  readCacheSize(_SC_LEVEL1_DCACHE_SIZE, 4 * kKiB, kMiB, target.l1d);
  readCacheSize(_SC_LEVEL2_CACHE_SIZE, 32 * kKiB, kGiB, target.l2);
  readCacheSize(_SC_LEVEL3_CACHE_SIZE, 256 * kKiB, 64 * kGiB, target.l3);
}
#else
static void readCaches(TargetDescription &) {}
#endif

/// Both of LLVM's counts look at the CPUs that this process may run on.
static int64_t countCores() {
  int physical = get_physical_cores();
  if (physical > 0)
    return physical;
  return std::max(1u, hardware_concurrency().compute_thread_count());
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

bool TargetDescription::hasFeature(StringRef name) const {
  return is_contained(features, name);
}

std::string TargetDescription::getFeatureString() const {
  return join(features, ",");
}

/// The features of this machine by name, false for those that it lacks. A
/// hypervisor may hide one that others need, which then count as lacking: the
/// code generator would add the hidden one again.
/// Asks the operating system for the tile registers of AMX, as Linux demands
/// of every process that uses them; its threads inherit the permission.
static bool requestTileRegisters() {
#if defined(__x86_64__) && defined(__linux__)
  // arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
  constexpr long kRequest = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return false;
#endif
}

static StringMap<bool> getHostFeatures() {
  StringMap<bool> host = sys::getHostCPUFeatures();
  // A machine that does not give its registers to this process has none.
  if (host.lookup("amx-tile") && !requestTileRegisters())
    host["amx-tile"] = false;
  StringMap<bool> usable = host;
  for (auto &feature : usable)
    for (const auto &implied : getImplied(feature.getKey(), /*enabled=*/true)) {
      auto it = host.find(implied.getKey());
      feature.second &= it == host.end() || it->second;
    }
  // Which no CPUID flag is asked for; a 64-bit process has it.
  if (usable.lookup("sse2"))
    usable["x87"] = true;
  return usable;
}

TargetDescription detectHost() {
  TargetDescription target;
  target.cpu = sys::getHostCPUName().str();
  target.features = getSortedNames(getHostFeatures());
  setModelCaches(target);
  readCaches(target);
  target.cores = countCores();
  return target;
}

/// Names the known CPUs that are closest to `cpu`, if any is close at all.
static Error makeUnknownCPUError(StringRef cpu) {
  SmallVector<StringRef> known, closest;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  unsigned best = cpu.size() / 3;
  for (StringRef name : known) {
    unsigned distance = name.edit_distance(cpu);
    if (distance > best)
      continue;
    if (distance < best)
      closest.clear();
    best = distance;
    closest.push_back(name);
  }
  std::string hint = closest.empty()
                         ? "use 'host', or an x86-64 CPU of LLVM such as "
                           "'x86-64-v3', 'sapphirerapids' or 'znver5'"
                         : "did you mean '" + join(closest, "' or '") + "'?";
  return createStringError("unknown CPU '" + cpu.str() + "'; " + hint);
}

static std::vector<std::string> getFeaturesOfCPU(StringRef cpu) {
  StringMap<bool> features;
  if (!isKnownX86CPU(cpu))
    return {};
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(cpu, names);
  // LLVM's tables leave out some of what all 64-bit CPUs have.
  llvm::append_range(names, kX8664Features);
  for (StringRef name : names) {
    features[name] = true;
    X86::updateImpliedFeatures(name, /*Enabled=*/true, features);
  }
  return getSortedNames(features);
}

Expected<TargetDescription> describeCPU(StringRef cpu) {
  if (cpu == "host")
    return detectHost();
  TargetDescription target;
  if (cpu == target.cpu)
    return target;
  if (!isKnownX86CPU(cpu))
    // Of a machine that is no x86 one.
    return cpu == sys::getHostCPUName()
               ? Expected<TargetDescription>(detectHost())
               : makeUnknownCPUError(cpu);
  target.cpu = cpu.str();
  target.features = getFeaturesOfCPU(cpu);
  setModelCaches(target);
  return target;
}

static Error makeUnknownFeatureError(StringRef name) {
  return createStringError("unknown feature '" + name.str() +
                           "'; use LLVM's names of x86 features, such as "
                           "avx2, fma or avx512vnni");
}

Error checkNames(const TargetDescription &target) {
  if (Expected<TargetDescription> known = describeCPU(target.cpu); !known)
    return known.takeError();
  for (const std::string &name : target.features)
    if (!isKnownFeature(name))
      return makeUnknownFeatureError(name);
  return Error::success();
}

Error applyFeatures(TargetDescription &target, StringRef changes) {
  StringMap<bool> features;
  auto set = [&](StringRef name, bool enabled) {
    features[name] = enabled;
    X86::updateImpliedFeatures(name, enabled, features);
  };
  for (const std::string &name : target.features)
    set(name, /*enabled=*/true);
  for (StringRef change : split(changes, ',')) {
    if (change.empty())
      continue;
    StringRef name = change;
    bool enabled = name.consume_front("+");
    if (!enabled && !name.consume_front("-"))
      return createStringError("feature '" + change.str() +
                               "' has no sign; write features as in "
                               "+avx2,-fma");
    if (!isKnownFeature(name))
      return makeUnknownFeatureError(name);
    set(name, enabled);
  }
  target.features = getSortedNames(features);
  return Error::success();
}

std::vector<std::string>
getFeaturesMissingHere(const std::vector<std::string> &features) {
  StringMap<bool> host = getHostFeatures();
  std::vector<std::string> missing;
  for (const std::string &name : features)
    if (isKnownFeature(name) && !host.lookup(name) &&
        !is_contained(kSoftwareFeatures, name))
      missing.push_back(name);
  return missing;
}

std::vector<std::string> getCodeGenFeatures(const TargetDescription &target) {
  std::vector<std::string> result;
  // First what is to be removed: removing a feature removes what needs it.
  for (const std::string &name : getFeaturesOfCPU(target.cpu))
    if (!target.hasFeature(name))
      result.push_back("-" + name);
  if (target.hasFeature("avx512vnni") && !target.hasFeature(kPrefer256Bit))
    result.push_back(("-" + kPrefer256Bit).str());
  for (const std::string &name : target.features)
    result.push_back("+" + name);
  return result;
}

} // namespace compress::target
