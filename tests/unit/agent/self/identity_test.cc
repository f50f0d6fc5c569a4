#include "agent/self/identity.h"

#include <gtest/gtest.h>

#include "agent/base/version.h"
#include "agent/self/facts.h"
#include "tests/unit/agent/self/host_tree.h"

namespace hotlatch::agent {
namespace {

bool IsHex32(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

TEST(Identity, TakesMachineIdAndBootIdFromTheHost) {
  HostTree host;
  host.Put("machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
  const auto identity = NewIdentity(host.proc(), host.proc() + "/../machine-id");
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->host_id(), "3d1219c7c4c5404aaa1f6d2a48adfda4");
  EXPECT_EQ(identity->boot_id(), "0e5a9a3c-0b3f-4f43-9d2e-5a44a6f4a001");
  EXPECT_EQ(identity->agent_version(), kVersion);
  EXPECT_EQ(identity->sequence(), 0U);
  EXPECT_FALSE(identity->host_name().empty());
}

TEST(Identity, EverySessionHasAnIdOfItsOwn) {
  const auto first = NewIdentity("/nowhere");
  const auto second = NewIdentity("/nowhere");
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(IsHex32(first->session_id())) << first->session_id();
  EXPECT_NE(first->session_id(), second->session_id());
}

TEST(Identity, WithoutAMachineIdTheHostIdIsStableAllTheSame) {
  HostTree host;
  for (const char* bad : {"", "uninitialized\n", "3D1219C7C4C5404AAA1F6D2A48ADFDA4\n"}) {
    host.Put("machine-id", bad);
    const auto first = NewIdentity(host.proc(), host.proc() + "/../machine-id");
    const auto second = NewIdentity(host.proc(), "/nowhere");
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(IsHex32(first->host_id())) << first->host_id();
    EXPECT_EQ(first->host_id(), second->host_id());
  }
}

TEST(Facts, AreReadFromProcAndSys) {
  const HostTree host;
  std::string text;
  for (const v1::Fact& fact : HostFacts(host.proc(), host.sys())) {
    text += fact.name() + "=" + fact.value() + "\n";
  }
  EXPECT_EQ(text,
            "kernel.release=6.1.0-18-amd64\nkernel.version=#1 SMP Debian 6.1.76-1\n"
            "cpu.model=Intel(R) Xeon(R) Gold 6148\ncpu.online=0-3,8,10-11\n"
            "memory.total_bytes=16777216\nvirtualisation=QEMU\n");
}

TEST(Facts, WhatCannotBeReadIsLeftOut) {
  EXPECT_TRUE(HostFacts("/nowhere", "/nowhere").empty());
  EXPECT_EQ(HostTopology("/nowhere").numa_nodes(), 1U);
  EXPECT_EQ(HostTopology("/nowhere").online_cpus(), 0U);
}

TEST(Facts, TopologyCountsNodesAndCpus) {
  const HostTree host;
  EXPECT_EQ(HostTopology(host.sys()).numa_nodes(), 2U);
  EXPECT_EQ(HostTopology(host.sys()).online_cpus(), 7U);
}

TEST(Facts, MalformedCpuListsCountNothing) {
  for (const char* bad : {"", "x", "3-1", "1-", "0-99999999", "1;2"}) {
    EXPECT_EQ(CountCpuList(bad), 0U) << bad;
  }
}

}  // namespace
}  // namespace hotlatch::agent
