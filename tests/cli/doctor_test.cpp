// `wright doctor`.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "process.h"
#include "wright/store.h"

namespace wright::cli {
namespace {

Json check_of(const Home& home, std::string_view name) {
  const Json report = home.wright({"doctor", "--json"}).json();
  for (const Json& check : report.at("checks").as_array()) {
    if (check.at("name").as_string() == name) return check;
  }
  ADD_FAILURE() << "no check of " << name;
  return {};
}

TEST(DoctorCommand, finds_a_fresh_home_in_order_and_changes_nothing_there) {
  const Home home;
  const Finished examined = home.wright({"doctor"});
  EXPECT_EQ(examined.exit_code, 0) << examined.output;
  EXPECT_EQ(examined.output.find("fail"), std::string::npos) << examined.output;
  for (const char* topic : {"version", "configuration", "database", "sqlite", "base path",
                            "offline model", "keys", "sandbox: files", "terminal"}) {
    EXPECT_NE(examined.output.find(topic), std::string::npos) << topic << "\n" << examined.output;
  }
  EXPECT_FALSE(std::filesystem::exists(home.path() / ".local"));
  const Json report = home.wright({"doctor", "--json"}).json();
  for (const Json& check : report.at("checks").as_array()) {
    const bool is_of_the_kernel = check.at("name").as_string().starts_with("sandbox: ");
    if (is_of_the_kernel) continue;
    EXPECT_EQ(check.at("status").as_string(), "ok") << check;
  }
}

TEST(DoctorCommand, tells_each_layer_of_the_sandbox) {
  const Home home;
  for (const char* layer : {"sandbox: files", "sandbox: system calls", "sandbox: network",
                            "sandbox: signals", "sandbox: process limit"}) {
    const Json check = check_of(home, layer);
    const std::string_view found = check.at("found").as_string();
    const bool is_enforced = found.starts_with("enforced: ");
    EXPECT_EQ(check.at("status").as_string(), is_enforced ? "ok" : "warn") << check;
    EXPECT_TRUE(is_enforced || found.starts_with("missing: ")) << check;
  }
  home.write_config("[bash]\nsandbox = \"off\"\n");
  EXPECT_TRUE(
      check_of(home, "sandbox: confinement").at("found").as_string().starts_with("not wanted"));
  home.write_config("[bash]\nsandbox = \"maybe\"\n");
  const Json refused = check_of(home, "configuration");
  EXPECT_NE(refused.at("found").as_string().find(
                "bash.sandbox: must be required, best_effort or off, not 'maybe'"),
            std::string::npos)
      << refused;
}

TEST(DoctorCommand, knows_the_schema_of_an_existing_database) {
  const Home home;
  home.wright({"run", "codebase-analysis", "hello"});
  EXPECT_NE(check_of(home, "database")
                .at("found")
                .as_string()
                .find("schema " + std::to_string(kAgentSchemaVersion)),
            std::string::npos);
}

TEST(DoctorCommand, warns_of_rules_that_mean_no_tool_as_a_run_does) {
  const Home home;
  home.write_config("[permissions]\nbsh = \"deny\"\nread_file = \"allow\"\na__b = \"deny\"\n");
  const std::string found(check_of(home, "permissions").at("found").as_string());
  EXPECT_EQ(found, "The rule permissions.bsh means no tool that there is; did you mean 'bash'?");
  EXPECT_EQ(home.wright({"doctor"}).exit_code, 0);
  const Finished ran = home.wright({"run", "codebase-analysis", "hello"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_NE(ran.error.find(found), std::string::npos) << ran.error;
  EXPECT_EQ(ran.error.find("read_file"), std::string::npos) << ran.error;
  home.write_config("[permissions]\nbash = \"deny\"\n");
  EXPECT_EQ(home.wright({"run", "codebase-analysis", "hello"}).error.find("permissions."),
            std::string::npos);
}

TEST(DoctorCommand, fails_on_what_is_essential_and_says_what_to_do) {
  Home home;
  home.write_config("[agent]\nmodle = \"x\"\n");
  const Finished examined = home.wright({"doctor"});
  EXPECT_EQ(examined.exit_code, 1);
  EXPECT_NE(examined.output.find("fail  configuration"), std::string::npos) << examined.output;
  EXPECT_NE(examined.output.find(":2: agent.modle"), std::string::npos) << examined.output;
  EXPECT_NE(examined.output.find("ok    sqlite"), std::string::npos) << "the rest is examined too";

  home.write_config("");
  home.environment["WRIGHT_BASE_PATH"] = "/nonexistent";
  EXPECT_EQ(check_of(home, "base path").at("status").as_string(), "fail");
  home.environment["WRIGHT_BASE_PATH"] = ".";
  home.environment["WRIGHT_DATABASE_PATH"] = "README.md";
  const Json database = check_of(home, "database");
  EXPECT_EQ(database.at("status").as_string(), "fail");
  EXPECT_FALSE(database.at("advice").is_null());
  home.environment["WRIGHT_DATABASE_PATH"] = "README.md/agents.db";
  EXPECT_EQ(check_of(home, "database folder").at("status").as_string(), "fail");
}

TEST(DoctorCommand, warns_of_keys_that_others_may_read) {
  const Home home;
  home.write_config("[api_keys]\nxai_api_key = \"xai-0123456789abcdef\"\n");
  namespace fs = std::filesystem;
  fs::permissions(home.config_file(), fs::perms(0644));
  const Json open = check_of(home, "configuration");
  EXPECT_EQ(open.at("status").as_string(), "warn");
  EXPECT_TRUE(open.at("advice").as_string().starts_with("chmod 600 ")) << open;
  EXPECT_EQ(home.wright({"doctor"}).exit_code, 0) << "a warning is no failure";
  fs::permissions(home.config_file(), fs::perms(0600));
  EXPECT_EQ(check_of(home, "configuration").at("status").as_string(), "ok");
  EXPECT_TRUE(check_of(home, "keys").at("found").as_string().starts_with("xAI; "));
}

}  // namespace
}  // namespace wright::cli
