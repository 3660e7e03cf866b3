#include "app/commands/confined.h"

#include <gtest/gtest.h>

namespace wright::app {
namespace {

TEST(Confinement, comes_through_a_variable_whole) {
  SandboxPolicy policy;
  policy.mode = SandboxMode::required;
  policy.network = NetworkAccess::local;
  policy.read_paths = {"/usr", "/a b"};
  policy.write_paths = {"/work"};
  policy.protected_paths = {".git", "/etc"};
  policy.unreadable = {"**/.env"};
  policy.limits = {1, 2, 3, 4, 5};
  policy.environment = {{"PATH", "/bin"}, {"LANG", "C"}};
  policy.temporary_root = "/var/tmp";
  const Command command{{"/bin/bash", "-c", "true"}, "/work", {{"TRACEPARENT", "x"}}};
  const auto text = confinement_text(policy, command, std::chrono::seconds(7));
  ASSERT_TRUE(text) << text.error().message;
  const auto read = confinement_from(*text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->policy.mode, policy.mode);
  EXPECT_EQ(read->policy.network, policy.network);
  EXPECT_EQ(read->policy.read_paths, policy.read_paths);
  EXPECT_EQ(read->policy.write_paths, policy.write_paths);
  EXPECT_EQ(read->policy.protected_paths, policy.protected_paths);
  EXPECT_EQ(read->policy.unreadable, policy.unreadable);
  EXPECT_EQ(read->policy.limits.processes, 1U);
  EXPECT_EQ(read->policy.limits.open_files, 2U);
  EXPECT_EQ(read->policy.limits.file_bytes, 3U);
  EXPECT_EQ(read->policy.limits.memory_bytes, 4U);
  EXPECT_EQ(read->policy.limits.cpu_seconds, 5U);
  EXPECT_EQ(read->policy.environment, policy.environment);
  EXPECT_EQ(read->policy.temporary_root, policy.temporary_root);
  EXPECT_EQ(read->working_directory, "/work");
  EXPECT_EQ(read->environment, command.environment);
  EXPECT_EQ(read->timeout, std::chrono::seconds(7));
}

TEST(Confinement, is_never_guessed) {
  const std::string whole = *confinement_text({}, {{"true"}, "/", {}}, std::chrono::seconds(1));
  ASSERT_TRUE(confinement_from(whole));
  for (const char* key :
       {"mode", "network", "read_paths", "write_paths", "protected_paths", "unreadable", "limits",
        "environment", "temporary_root", "working_directory", "added_environment", "timeout_ms"}) {
    std::string without = whole;
    const std::size_t at = without.find(std::string("\"") + key + "\"");
    ASSERT_NE(at, std::string::npos) << key;
    without[at + 1] = '_';
    EXPECT_FALSE(confinement_from(without)) << key;
  }
  EXPECT_FALSE(confinement_from("{}"));
  EXPECT_FALSE(confinement_from("[]"));
  EXPECT_FALSE(confinement_from("no json"));
}

TEST(Confinement, without_one_nothing_runs) {
  const std::vector<std::string> command{"/bin/true"};
  EXPECT_EQ(run_confined(command, Environment()), 126);
  const Environment odd(Environment::Variables{{"WRIGHT_CONFINED", "{}"}});
  EXPECT_EQ(run_confined(command, odd), 126);
}

TEST(Confinement, cannot_be_said_of_what_is_no_text) {
  SandboxPolicy policy;
  policy.read_paths = {"/\xff"};
  EXPECT_FALSE(confinement_text(policy, {{"true"}, "/", {}}, std::chrono::seconds(1)));
}

}  // namespace
}  // namespace wright::app
