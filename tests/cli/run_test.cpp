// `wright run`: answers, streams, prompts, exit codes.
#include <gtest/gtest.h>

#include "process.h"

namespace wright::cli {
namespace {

constexpr const char* kRunQuestion = "Where is alpha_function defined?";

TEST(RunCommand, prints_the_answer_alone_on_standard_output_and_progress_on_standard_error) {
  const Home home;
  const Finished run = home.wright({"run", "codebase-analysis", kRunQuestion});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.output.find("alpha.cpp:2"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("tool call"), std::string::npos) << run.output;
  EXPECT_TRUE(run.error.starts_with("codebase-analysis  offline · ~/project\n")) << run.error;
  EXPECT_NE(run.error.find("  → grep  pattern="), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("  ✓ grep  "), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("  ✓ session 1 · "), std::string::npos) << run.error;

  const Json stored = home.wright({"sessions", "show", "1", "--json"}).json();
  EXPECT_EQ(stored.at("session").at("status").as_string(), "completed");
  EXPECT_EQ(std::string(stored.at("session").at("result").as_string()) + "\n", run.output);
}

TEST(RunCommand, is_silent_but_for_the_answer_when_quiet) {
  const Home home;
  const Finished run = home.wright({"run", "codebase-analysis", kRunQuestion, "--quiet"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.error, "");
  EXPECT_NE(run.output, "");
}

TEST(RunCommand, prints_one_json_object) {
  const Home home;
  const Finished run = home.wright({"run", "codebase-analysis", kRunQuestion, "--json", "-q"});
  EXPECT_EQ(run.exit_code, 0);
  const Json json = run.json();
  EXPECT_EQ(json.at("session_id").as_int64(), 1);
  EXPECT_EQ(json.at("status").as_string(), "completed");
  EXPECT_NE(json.at("answer").as_string().find("alpha.cpp:2"), std::string::npos);
  EXPECT_TRUE(json.at("error").is_null());
  EXPECT_TRUE(json.at("usage").at("input_tokens").is_int64());
  const JsonArray& calls = json.at("tool_calls").as_array();
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.at(0).at("status").as_string(), "completed");
  EXPECT_TRUE(calls.at(0).at("arguments").is_object());
  EXPECT_GE(json.at("iterations").as_int64(), 2);
}

TEST(RunCommand, reads_the_prompt_from_standard_input) {
  const Home home;
  const std::string expected = home.wright({"run", "codebase-analysis", kRunQuestion, "-q"}).output;
  const Finished piped =
      home.wright({"run", "codebase-analysis", "-q"}, std::string(kRunQuestion) + "\n");
  EXPECT_EQ(piped.exit_code, 0) << piped.error;
  EXPECT_EQ(piped.output, expected);
  const Finished dashed =
      home.wright({"run", "-a", "codebase-analysis", "-p", "-", "-q"}, kRunQuestion);
  EXPECT_EQ(dashed.output, expected);
  const Json session = home.wright({"sessions", "show", "last", "--json"}).json();
  EXPECT_EQ(session.at("session").at("user_prompt").as_string(), kRunQuestion);
}

TEST(RunCommand, accepts_underscores_in_the_agents_name) {
  const Home home;
  EXPECT_EQ(home.wright({"run", "codebase_analysis", kRunQuestion}).exit_code, 0);
}

TEST(RunCommand, refuses_what_it_cannot_run_with_exit_code_2) {
  const Home home;
  const auto error_of = [&](const Arguments& arguments) {
    const Finished run = home.wright(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.error;
    EXPECT_EQ(run.output, "");
    return run.error;
  };
  EXPECT_TRUE(error_of({"run", "codebase-anlysis", "x"})
                  .starts_with("wright: unknown agent 'codebase-anlysis'; did you mean "
                               "'codebase-analysis'?\n"));
  EXPECT_TRUE(error_of({"run", "codebase-analysis"}).starts_with("wright: the prompt is empty\n"));
  EXPECT_TRUE(
      error_of({"run", "codebase-analysis", " \n"}).starts_with("wright: the prompt is empty"));
  EXPECT_NE(error_of({"run", "codebase-analysis", "x", "--base-path", "/nonexistent"})
                .find("/nonexistent"),
            std::string::npos);
  EXPECT_TRUE(error_of({"run", "codebase-analysis", "x", "--max-iterations", "0"})
                  .starts_with("wright: --max-iterations must be from 1 to 1000000, not 0\n"));
  EXPECT_TRUE(error_of({"run", "codebase-analysis", "x", "--jsn"})
                  .starts_with("wright: unknown option '--jsn'; did you mean '--json'?\n"));
  EXPECT_FALSE(std::filesystem::exists(home.database())) << "nothing was started";
}

TEST(RunCommand, exits_with_1_when_the_run_fails_and_stores_why) {
  const Home home;
  const Finished run =
      home.wright({"run", "codebase-analysis", "x", "--model", "openai:gpt-5-mini", "--json"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.error.find("wright: "), std::string::npos);
  const Json json = run.json();
  EXPECT_EQ(json.at("status").as_string(), "failed");
  EXPECT_TRUE(json.at("answer").is_null());
  EXPECT_NE(json.at("error").at("message").as_string(), "");
  const Json session = home.wright({"sessions", "show", "1", "--json"}).json().at("session");
  EXPECT_EQ(session.at("status").as_string(), "failed");
  EXPECT_EQ(session.at("error").as_string(), json.at("error").at("message").as_string());
}

TEST(RunCommand, stops_at_the_iteration_limit) {
  const Home home;
  const Finished run =
      home.wright({"run", "codebase-analysis", kRunQuestion, "--max-iterations", "1"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.error.find("Maximum iteration limit reached"), std::string::npos) << run.error;
}

TEST(RunCommand, says_what_is_wrong_with_the_database) {
  const Home home;
  home.write_file("no-database.db", std::string(5000, 'x'));
  for (const std::string path : {"no-database.db", "README.md/agents.db", "/proc/agents.db"}) {
    const Finished run =
        home.wright({"run", "codebase-analysis", "x", "--database-path", path, "--json"});
    EXPECT_EQ(run.exit_code, 1) << path;
    EXPECT_NE(run.error.find("wright: "), std::string::npos) << run.error;
    EXPECT_EQ(run.json().at("status").as_string(), "failed");
  }
}

TEST(RunCommand, survives_a_prompt_of_broken_utf8_and_control_characters) {
  const Home home;
  const Finished run =
      home.wright({"run", "codebase-analysis", "--json"}, "\xff\x1b[31m \xE6\xBC where?");
  EXPECT_EQ(run.exit_code, 0) << run.error;
  run.json();
  EXPECT_TRUE(is_valid_utf8(home.wright({"sessions", "show", "1"}).output));
}

TEST(RunCommand, refuses_standard_input_without_end) {
  const Home home;
  const Finished run = home.wright({"run", "codebase-analysis"}, std::string(17 << 20, 'x'));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.error.starts_with("wright: standard input is larger than 16 MB")) << run.error;
}

}  // namespace
}  // namespace wright::cli
