#include "agent/engine/generic.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace hotlatch::agent {
namespace {

TEST(UnitOfCgroup, IsTheInnermostServiceOfTheSystem) {
  EXPECT_EQ(UnitOfCgroup("0::/system.slice/system-postgresql.slice/postgresql@15-main.service\n"),
            "postgresql@15-main");
  EXPECT_EQ(UnitOfCgroup("0::/system.slice/docker.service/deep/er\n"), "docker");
  EXPECT_EQ(UnitOfCgroup("0::/user.slice/user-1000.slice/user@1000.service/app.slice\n"), "");
  EXPECT_EQ(UnitOfCgroup("0::/user.slice/user-1000.slice/session-2.scope\n"), "");
  EXPECT_EQ(UnitOfCgroup("12:cpu:/\n1:name=systemd:/system.slice/cron.service\n0::/\n"), "cron");
  EXPECT_EQ(UnitOfCgroup(""), "");
  EXPECT_EQ(UnitOfCgroup("0::/.service\n.service"), "");
}

TEST(GenericEngine, AnEndedChildOfTheSameCommandIsInItsParentsService) {
  GenericEngine engine("/nonexistent");
  EXPECT_EQ(engine.Describe({10, 1, 5, false, "postgres"}).service, "postgres");
  EXPECT_EQ(engine.Describe({11, 10, 6, false, "postgres"}).service, "postgres");
  EXPECT_EQ(engine.Describe({12, 10, 6, false, "sh"}).service, "sh");
  EXPECT_EQ(engine.Describe({13, 2, 6, true, "ksoftirqd/1"}).role, "ksoftirqd");
}

TEST(GenericEngine, APidUsedAgainGetsANewName) {
  GenericEngine engine("/nonexistent");
  EXPECT_EQ(engine.Describe({10, 1, 5, false, "old"}).service, "old");
  EXPECT_EQ(engine.Describe({10, 1, 9, false, "new"}).service, "new");
}

}  // namespace
}  // namespace hotlatch::agent
