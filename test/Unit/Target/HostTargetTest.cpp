//===- HostTargetTest.cpp - Tests of descriptions of CPUs -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Target/HostTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace llvm;
using namespace compress::target;

namespace {

TargetDescription describe(StringRef cpu) {
  Expected<TargetDescription> target = describeCPU(cpu);
  EXPECT_TRUE(bool(target));
  return target ? *target : TargetDescription();
}

std::string getMessage(Error error) { return toString(std::move(error)); }

void expectCanonical(const TargetDescription &target) {
  EXPECT_TRUE(llvm::is_sorted(target.features));
  EXPECT_EQ(std::adjacent_find(target.features.begin(), target.features.end()),
            target.features.end());
}

TEST(HostTarget, NamedCPUsHaveAllTheirFeatures) {
  EXPECT_EQ(describe("x86-64").getFeatureString(),
            "cmov,cx8,fxsr,mmx,sse,sse2,x87");
  EXPECT_EQ(describe("x86-64-v3").getFeatureString(),
            "avx,avx2,bmi,bmi2,cmov,crc32,cx16,cx8,f16c,fma,fxsr,lzcnt,mmx,"
            "movbe,popcnt,sahf,sse,sse2,sse3,sse4.1,sse4.2,ssse3,x87,xsave");
  TargetDescription zen5 = describe("znver5");
  TargetDescription spr = describe("sapphirerapids");
  for (StringRef name : {"avx512f", "avx512bw", "avx512vl", "avx512dq",
                         "avx512vnni", "avx512bf16", "gfni", "sse2"}) {
    EXPECT_TRUE(zen5.hasFeature(name)) << name.str();
    EXPECT_TRUE(spr.hasFeature(name)) << name.str();
  }
  EXPECT_TRUE(spr.hasFeature("amx-int8"));
  EXPECT_FALSE(zen5.hasFeature("amx-int8"));
  expectCanonical(zen5);
  expectCanonical(spr);
}

TEST(HostTarget, NamedCPUsDoNotDependOnThisMachine) {
  TargetDescription zen5 = describe("znver5");
  EXPECT_EQ(zen5.l1d, 48 << 10);
  EXPECT_EQ(zen5.l2, 1 << 20);
  EXPECT_EQ(zen5.l3, 8 << 20);
  EXPECT_EQ(zen5.cores, 1);
  TargetDescription generic = describe("generic");
  EXPECT_TRUE(generic.features.empty());
  EXPECT_EQ(generic.l1d, 32 << 10);
  EXPECT_EQ(generic.l2, 512 << 10);
}

TEST(HostTarget, UnknownCPUs) {
  EXPECT_EQ(getMessage(describeCPU("znver55").takeError()),
            "unknown CPU 'znver55'; did you mean 'znver5'?");
  EXPECT_EQ(getMessage(describeCPU("").takeError()),
            "unknown CPU ''; use 'host', or an x86-64 CPU of LLVM such as "
            "'x86-64-v3', 'sapphirerapids' or 'znver5'");
  // Not a 64-bit one.
  EXPECT_FALSE(errorToBool(describeCPU("x86-64-v4").takeError()));
  EXPECT_TRUE(errorToBool(describeCPU("pentium").takeError()));
}

TEST(HostTarget, FeaturesBringAndTakeOthers) {
  TargetDescription target = describe("x86-64");
  EXPECT_FALSE(errorToBool(applyFeatures(target, "+avx512vnni")));
  for (StringRef name : {"avx512f", "avx2", "fma", "f16c", "sse4.2"})
    EXPECT_TRUE(target.hasFeature(name)) << name.str();
  expectCanonical(target);
  EXPECT_FALSE(errorToBool(applyFeatures(target, "-avx2")));
  EXPECT_TRUE(target.hasFeature("avx"));
  for (StringRef name : {"avx2", "avx512f", "avx512vnni"})
    EXPECT_FALSE(target.hasFeature(name)) << name.str();
  // From left to right.
  EXPECT_FALSE(errorToBool(applyFeatures(target, "-avx,+fma")));
  EXPECT_TRUE(target.hasFeature("avx"));
}

TEST(HostTarget, BadFeaturesChangeNothing) {
  TargetDescription target = describe("x86-64");
  std::string before = target.getFeatureString();
  EXPECT_EQ(getMessage(applyFeatures(target, "+avx2,+abacus")),
            "unknown feature 'abacus'; use LLVM's names of x86 features, such "
            "as avx2, fma or avx512vnni");
  EXPECT_EQ(getMessage(applyFeatures(target, "avx2")),
            "feature 'avx2' has no sign; write features as in +avx2,-fma");
  EXPECT_EQ(target.getFeatureString(), before);
}

TEST(HostTarget, CodeGenFeatures) {
  TargetDescription target = describe("x86-64");
  EXPECT_FALSE(errorToBool(applyFeatures(target, "-sse2,+cx16")));
  EXPECT_EQ(getCodeGenFeatures(target),
            (std::vector<std::string>{"-sse2", "+cmov", "+cx16", "+cx8",
                                      "+fxsr", "+mmx", "+sse", "+x87"}));
}

TEST(HostTarget, WideVectorsOnCPUsWithVNNI) {
  auto prefers = [](const TargetDescription &target, StringRef change) {
    return is_contained(getCodeGenFeatures(target), change);
  };
  EXPECT_FALSE(prefers(describe("skylake-avx512"), "-prefer-256-bit"));
  TargetDescription spr = describe("sapphirerapids");
  EXPECT_TRUE(prefers(spr, "-prefer-256-bit"));
  EXPECT_FALSE(errorToBool(applyFeatures(spr, "+prefer-256-bit")));
  EXPECT_FALSE(prefers(spr, "-prefer-256-bit"));
  EXPECT_TRUE(prefers(spr, "+prefer-256-bit"));
  EXPECT_TRUE(spr.hasFeature("avx512vnni"));
}

TEST(HostTarget, CheckNames) {
  TargetDescription target = describe("znver5");
  EXPECT_FALSE(errorToBool(checkNames(target)));
  EXPECT_FALSE(errorToBool(checkNames(describe("host"))));
  EXPECT_FALSE(errorToBool(checkNames(TargetDescription())));
  target.features = {"abacus"};
  EXPECT_TRUE(errorToBool(checkNames(target)));
  target = TargetDescription();
  target.cpu = "abacus";
  EXPECT_TRUE(errorToBool(checkNames(target)));
}

TEST(HostTarget, ApplyingNothingCompletesFeatures) {
  TargetDescription target;
  target.features = {"sse3"};
  EXPECT_FALSE(errorToBool(applyFeatures(target, "")));
  EXPECT_EQ(target.getFeatureString(), "sse,sse2,sse3");
}

TEST(HostTarget, HostIsPlausible) {
  TargetDescription host = describe("host");
  EXPECT_EQ(host.cpu, sys::getHostCPUName());
  expectCanonical(host);
  EXPECT_GE(host.l1d, 4 << 10);
  EXPECT_GE(host.l2, 32 << 10);
  EXPECT_GE(host.l3, 256 << 10);
  EXPECT_GE(host.cores, 1);
  EXPECT_TRUE(getFeaturesMissingHere(host.features).empty());
  // The first one no detection finds, the second is no hardware.
  EXPECT_EQ(getFeaturesMissingHere({"avx5124fmaps", "prefer-256-bit"}),
            std::vector<std::string>{"avx5124fmaps"});
#if defined(__x86_64__)
  EXPECT_TRUE(host.hasFeature("sse2"));
  EXPECT_TRUE(host.hasFeature("x87"));
  EXPECT_TRUE(getFeaturesMissingHere(describe("x86-64").features).empty());
#endif
}

} // namespace
