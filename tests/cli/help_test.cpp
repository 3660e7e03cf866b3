// Help, version, and typing mistakes.
#include <gtest/gtest.h>

#include "process.h"
#include "wright/detail/version.h"

namespace wright::cli {
namespace {

TEST(Program, tells_its_version) {
  const Home home;
  const Finished version = home.wright({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.output, "wright " WRIGHT_VERSION "\n");
  EXPECT_EQ(version.error, "");
}

TEST(Program, explains_itself_on_standard_error_when_nothing_was_asked) {
  const Home home;
  const Finished nothing = home.wright({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.output, "");
  EXPECT_TRUE(nothing.error.starts_with("Usage: wright COMMAND")) << nothing.error;
}

TEST(Program, teaches_on_standard_output_when_asked) {
  const Home home;
  const Finished help = home.wright({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.error, "");
  for (const char* topic :
       {"Usage:", "Examples:", "Exit codes:", "130", "WRIGHT_DATABASE_PATH", "NO_COLOR",
        "config.toml", "agents.db", "OPENAI", "wright run codebase-analysis"}) {
    EXPECT_NE(help.output.find(topic), std::string::npos) << topic;
  }
  EXPECT_EQ(home.wright({"help"}).output, help.output);
  EXPECT_EQ(home.wright({"help", "sessions", "rm"}).output,
            home.wright({"sessions", "rm", "--help"}).output);
}

TEST(Program, suggests_what_was_meant_with_exit_code_2) {
  const Home home;
  const Finished typo = home.wright({"sesions"});
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_EQ(typo.error,
            "wright: unknown command 'sesions'; did you mean 'sessions'?\n"
            "  See `wright --help`.\n");
  EXPECT_EQ(home.wright({"help", "rum"}).exit_code, 2);
  EXPECT_EQ(home.wright({"config", "pth"}).error,
            "wright: unknown command 'config pth'; did you mean 'path'?\n"
            "  See `wright config --help`.\n");
}

}  // namespace
}  // namespace wright::cli
