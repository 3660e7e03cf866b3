// The log, the conveniences and the permissions, through the real program.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

const Arguments kCall{"tools", "call", "grep", R"({"pattern": "alpha_function"})"};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    auto parsed = parse_json(line);
    EXPECT_TRUE(parsed) << line;
    lines.push_back(parsed.value_or(Json(JsonObject{})));
  }
  return lines;
}

TEST(Log, is_silent_unless_asked_for) {
  const Home home;
  EXPECT_EQ(home.wright(kCall).error, "");
}

TEST(Log, shows_every_call_on_standard_error) {
  const Home home;
  const Finished called = home.wright(with(kCall, {"--log-level", "debug"}));
  EXPECT_EQ(called.exit_code, 0);
  EXPECT_NE(called.error.find("DEBUG [TOOL EXECUTION] Starting grep"), std::string::npos);
  EXPECT_NE(called.error.find("DEBUG [TOOL EXECUTION] Completed grep ("), std::string::npos);
  EXPECT_EQ(called.output.find("TOOL EXECUTION"), std::string::npos);
}

TEST(Log, writes_json_lines_into_a_file_that_only_its_owner_reads) {
  const Home home;
  const auto file = home.path() / "logs/wright.jsonl";
  for (int i = 0; i < 2; ++i) {
    const Finished called =
        home.wright(with(kCall, {"--log-format", "json", "--log-file", file.string()}));
    EXPECT_EQ(called.error, "");
  }
  const auto lines = json_lines(content_of(file));
  ASSERT_EQ(lines.size(), 4U) << "appended";
  EXPECT_EQ(lines[0].at("message").as_string(), "[TOOL EXECUTION] Starting grep");
  EXPECT_EQ(lines[0].at("arguments").as_string(), R"({"pattern":"alpha_function"})");
  EXPECT_GE(lines[1].at("duration_ms").to_number<double>(), 0);
  EXPECT_EQ(std::filesystem::status(file).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Log, of_a_run_shows_the_calls_of_the_agent) {
  const Home home;
  home.write_config("[log]\nlevel = 'debug'\nformat = 'json'\nfile = '~/log.jsonl'\n");
  const Finished run =
      home.wright({"run", "codebase-analysis", "-q", "Where is alpha_function defined?"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  const auto lines = json_lines(content_of(home.path() / "log.jsonl"));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].at("agent").as_string(), "codebase-analysis");
}

TEST(Log, of_a_run_traces_the_way_of_the_message) {
  const Home home;
  const Finished run =
      home.wright({"run", "codebase-analysis", "-q", "Where is alpha_function defined?",
                   "--log-level", "debug", "--log-format", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  std::string way;
  for (const Json& line : json_lines(run.error)) {
    const std::string message = line.at("message").as_string().c_str();
    if (!message.starts_with("[TOOL EXECUTION]")) way += message + "\n";
  }
  const std::size_t detected = way.find("Tool calls detected: ");
  const std::size_t executing = way.find("Executing tool: grep\n");
  const std::size_t result = way.find("Tool result: grep\n");
  const std::size_t again = way.find("Follow-up request with tool results\n");
  EXPECT_TRUE(way.starts_with("Processing message with tools enabled\n")) << way;
  EXPECT_TRUE(way.ends_with("No tool calls detected: the response is final\n")) << way;
  ASSERT_NE(again, std::string::npos) << way;
  EXPECT_LT(detected, executing) << way;
  EXPECT_LT(executing, result) << way;
  EXPECT_LT(result, again) << way;
}

TEST(Log, refuses_unknown_levels_formats_and_files) {
  const Home home;
  const Finished level = home.wright(with(kCall, {"--log-level", "loud"}));
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_EQ(level.error,
            "wright: --log-level must be debug, info, warning, error or off, not 'loud'\n"
            "  See `wright help config`.\n");
  EXPECT_EQ(home.wright(with(kCall, {"--log-format", "xml"})).exit_code, 2);
  const Finished file = home.wright(with(kCall, {"--log-file", "/proc/nowhere/x"}));
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_NE(file.error.find("cannot write the log"), std::string::npos) << file.error;
}

TEST(ToolExecution, stamps_results_unless_told_not_to) {
  const Home home;
  const auto stamped = [&] {
    return home.wright(with(kCall, {"--json"}))
        .json()
        .at("response")
        .as_object()
        .contains("_execution_metadata");
  };
  EXPECT_TRUE(stamped());
  home.write_config("[tool_execution]\nenable_metadata = false\n");
  EXPECT_FALSE(stamped());
}

TEST(ToolExecution, is_set_for_one_agent_in_the_file_or_for_one_run_on_the_command_line) {
  const Home home;
  home.write_config(
      "[tool_execution]\noutput_limit = 50\n"
      "[agents.codebase-analysis.tool_execution]\noutput_limit = 0\n");
  const auto is_cut = [&](const Arguments& more) {
    const Finished called = home.wright(with(kCall, more));
    EXPECT_EQ(called.exit_code, 0) << called.error;
    return called.output.find("bytes are left out here. All of it is in " +
                              (home.path() / ".local/state/wright/output").string()) !=
           std::string::npos;
  };
  EXPECT_TRUE(is_cut({}));
  EXPECT_FALSE(is_cut({"--set", "tool_execution.output_limit=0"}));

  const Finished run = home.wright({"run", "codebase-analysis", "Where is alpha_function?", "--set",
                                    "tool_execution.enable_metadata=false"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
}

TEST(ToolExecution, settings_are_shown_with_their_origin) {
  const Home home;
  home.write_config(
      "[tool_execution]\ntimeout = '9s'\n"
      "[agents.helper.tool_execution]\nretry_attempts = 4\n");
  const std::string shown = home.wright({"config", "--set", "tool_execution.coercion=true"}).output;
  const auto is_shown = [&](std::string_view text) {
    EXPECT_NE(shown.find(text), std::string::npos) << text << " in\n" << shown;
  };
  is_shown("[tool_execution]\n  enable_validation         true");
  is_shown("flag --set tool_execution.coercion");
  is_shown("  timeout                   9s ");
  is_shown("  rate_limit                off");
  is_shown("[agents.helper.tool_execution]\n  retry_attempts            4");
  const Json values = home.wright({"config", "--json"}).json().at("values");
  EXPECT_NE(to_text(values).find(R"({"key":"agents.helper.tool_execution.retry_attempts",)"
                                 R"("value":4,"source":"file")"),
            std::string::npos);
}

TEST(ToolExecution, refuses_bad_settings_by_their_full_name) {
  const Home home;
  const Finished bad = home.wright(with(kCall, {"--set", "tool_execution.timeout=soon"}));
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(bad.error,
            "wright: --set tool_execution.timeout must be a duration from 1ms to 1000h, such as "
            "250ms, 30s, 5m or 1h, or tool or off, not 'soon'\n"
            "  See `wright help config`.\n");
  home.write_config("[agents.helper.tool_execution]\nretry_attempts = 0\n");
  const Finished file = home.wright(kCall);
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_NE(file.error.find("agents.helper.tool_execution.retry_attempts: must be from 1"),
            std::string::npos)
      << file.error;
}

TEST(ToolExecution, never_shows_a_key_from_the_configuration) {
  Home home;
  home.environment["OPENAI_API_KEY"] = "correct-horse-battery";
  home.write_file("leak.txt", "token = correct-horse-battery\n");
  const Finished called = home.wright(
      {"tools", "call", "grep", R"({"pattern": "correct-horse-battery"})", "--log-level", "debug"});
  EXPECT_EQ(called.exit_code, 0);
  EXPECT_EQ((called.output + called.error).find("correct-horse"), std::string::npos)
      << called.output << called.error;
  EXPECT_NE(called.output.find("[REDACTED]"), std::string::npos);
}

TEST(Permissions, deny_ask_or_allow_by_name) {
  const Home home;
  home.write_config("[permissions]\ngrep = 'deny'\n'list_*' = 'ask'\n");
  const Finished denied = home.wright(kCall);
  EXPECT_EQ(denied.exit_code, 1);
  EXPECT_NE(denied.error.find("The tool grep is not allowed here"), std::string::npos);
  const Finished asked = home.wright({"tools", "call", "list_files", R"({"pattern": "*"})"});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_NE(asked.error.find("approval"), std::string::npos) << asked.error;
  EXPECT_EQ(home.wright({"tools", "call", "read_file", R"({"file_path": "alpha.cpp"})"}).exit_code,
            0);
}

TEST(Permissions, are_among_the_settings_shown_in_the_order_that_counts) {
  const Home home;
  home.write_config("[permissions]\n'list_*' = 'ask'\ngrep = 'deny'\n");
  const Json rules = home.wright({"config", "--json"}).json().at("permissions");
  EXPECT_EQ(to_text(rules), R"([{"tool":"list_*","permission":"ask"},)"
                            R"({"tool":"grep","permission":"deny"}])");
  EXPECT_NE(home.wright({"config"}).output.find("[permissions]\n  list_*  ask\n  grep    deny\n"),
            std::string::npos);
}

}  // namespace
}  // namespace wright::cli
