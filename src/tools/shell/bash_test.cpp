#include <gtest/gtest.h>

#include <algorithm>

#include "tools/output/output_budget.h"
#include "tools/shell/command_output.h"
#include "tools/temporary_folder_testing.h"
#include "wright/tools.h"

namespace wright::tools {
namespace {

using intercept::Permission;

std::vector<Tool> bash_in(const TemporaryFolder& folder, std::vector<CommandRule> rules,
                          BashOptions options = {}) {
  options.base = folder.path();
  options.rules = std::move(rules);
  options.policy.write_paths = {folder.path()};
  auto made = bash_tool(std::move(options));
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  return {std::move(*made)};
}

const std::vector<CommandRule> kAnything{{"*", Permission::allow}, {"> *", Permission::allow}};

TEST(Bash, returns_what_a_command_did) {
  const TemporaryFolder folder;
  folder.make_folder("sub");
  const auto result = call(bash_in(folder, kAnything), "bash",
                           R"({"command": "pwd; echo oops >&2; exit 3", "working_dir": "sub"})");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->at("command").as_string(), "pwd; echo oops >&2; exit 3");
  EXPECT_EQ(result->at("working_dir").as_string(), (folder / "sub").string());
  EXPECT_EQ(result->at("stdout").as_string(), (folder / "sub").string() + "\n");
  EXPECT_EQ(result->at("stderr").as_string(), "oops\n");
  EXPECT_EQ(result->at("exit_code").as_int64(), 3);
  EXPECT_FALSE(result->at("timed_out").as_bool());
  EXPECT_GE(result->at("execution_time_secs").as_double(), 0);
  EXPECT_EQ(result->as_object().size(), 7U);
}

TEST(Bash, tells_commands_where_they_stand_in_a_trace) {
  const TemporaryFolder folder;
  Context context;
  context.trace.parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::vector<Tool> tools = bash_in(folder, kAnything);
  const ToolCall asked{.name = "bash",
                       .arguments = R"({"command": "echo $TRACEPARENT; echo ${TRACESTATE-none}"})"};
  const auto outcome = execute(tools, {}, asked, context);
  ASSERT_FALSE(outcome.error) << outcome.error_message();
  EXPECT_EQ(outcome.response.at("stdout").as_string(), context.trace.parent + "\nnone\n");
}

// A terminal of somebody else's: keeps what it was given, and runs nothing.
class OtherPlace : public CommandPlace {
 public:
  Result<FinishedCommand> run(const SandboxPolicy& policy, const Command& command,
                              const CommandOptions& options) override {
    policies.push_back(policy);
    commands.push_back(command);
    EXPECT_EQ(options.timeout, std::chrono::seconds(7));
    return FinishedCommand{.exit_code = 3, .output = {"shown elsewhere", "", 15}};
  }
  std::vector<SandboxPolicy> policies;
  std::vector<Command> commands;
};

TEST(Bash, runs_what_may_run_where_it_is_told_with_the_same_policy) {
  const TemporaryFolder folder;
  const auto place = std::make_shared<OtherPlace>();
  Context context;
  context.place = place;
  const std::vector<Tool> tools = bash_in(
      folder,
      {{"rm *", Permission::deny}, {"git push", Permission::ask}, {"*", Permission::allow}});
  const auto run = [&](const char* command) {
    const Json arguments{{"command", command}, {"timeout_secs", 7}};
    return execute(tools, {}, {.name = "bash", .arguments = to_text(arguments)}, context);
  };
  const auto outcome = run("make");
  ASSERT_FALSE(outcome.error) << outcome.error_message();
  EXPECT_EQ(outcome.response.at("exit_code").as_int64(), 3);
  EXPECT_EQ(outcome.response.at("stdout").as_string(), "shown elsewhere");
  ASSERT_EQ(place->commands.size(), 1U);
  EXPECT_EQ(place->commands.front().arguments.back(), "make");
  EXPECT_EQ(place->commands.front().working_directory, folder.path());
  EXPECT_EQ(place->policies.front().write_paths, std::vector<std::filesystem::path>{folder.path()});
  EXPECT_EQ(std::ranges::count(place->policies.front().read_paths, folder.path()), 1);

  EXPECT_TRUE(run("rm -r .").error);
  EXPECT_TRUE(run("git push").waiting);
  EXPECT_EQ(place->commands.size(), 1U);
}

TEST(Bash, writes_and_has_the_schema_of_its_arguments) {
  const TemporaryFolder folder;
  const auto tools = bash_in(folder, {});
  EXPECT_EQ(tools.at(0).spec.options.effect, Effect::write);
  const auto& parameters = tools.at(0).spec.parameters.as_object();
  EXPECT_EQ(parameters.at("required").as_array().size(), 1U);
  EXPECT_EQ(parameters.at("properties").at("timeout_secs").at("default").as_int64(), 120);
}

TEST(Bash, keeps_the_output_up_to_the_timeout) {
  const TemporaryFolder folder;
  const auto result = call(bash_in(folder, kAnything), "bash",
                           R"({"command": "echo before; sleep 1000", "timeout_secs": 1})");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->at("exit_code").as_int64(), 124);
  EXPECT_TRUE(result->at("timed_out").as_bool());
  EXPECT_EQ(result->at("stdout").as_string(), "before\n");
}

TEST(Bash, runs_nothing_without_a_rule_and_names_the_one_to_add) {
  const TemporaryFolder folder;
  for (const char* command : {"touch made", "ls; touch made", "ls $(touch made)", "> made",
                              "env touch made", "bash -c 'touch made'", "FOO=1 touch made"}) {
    const auto result = call(bash_in(folder, {{"ls *", Permission::allow}}), "bash",
                             to_text(JsonObject{{"command", command}}));
    ASSERT_FALSE(result) << command;
    EXPECT_EQ(result.error().code, ErrorCode::permission_denied);
    EXPECT_NE(result.error().message.find("\" = \"allow\""), std::string::npos)
        << result.error().message;
    EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  }
}

TEST(Bash, waits_for_a_person_and_shows_the_commands) {
  const TemporaryFolder folder;
  const std::vector<CommandRule> rules{{"rm *", Permission::ask}, {"ls *", Permission::allow}};
  folder.write("kept");
  const ToolOutcome outcome =
      execute(bash_in(folder, rules), {}, {"1", "bash", R"({"command": "ls && rm kept"})"}, {});
  ASSERT_TRUE(outcome.waiting) << outcome.error_message();
  EXPECT_EQ(outcome.waiting->kind, WaitKind::approval);
  const Json& shown = outcome.waiting->shown;
  EXPECT_EQ(shown.at("arguments").at("command").as_string(), "ls && rm kept");
  ASSERT_EQ(shown.at("commands").as_array().size(), 2U);
  EXPECT_EQ(shown.at("commands").at(1).at("command").as_string(), "rm kept");
  EXPECT_EQ(shown.at("commands").at(1).at("permission").as_string(), "ask");
  EXPECT_TRUE(std::filesystem::exists(folder / "kept"));
  EXPECT_EQ(call(bash_in(folder, rules), "bash", R"({"command": "coproc ls"})").error().code,
            ErrorCode::unavailable)
      << "what is not understood, a person decides about";
}

TEST(Bash, asks_nobody_about_a_line_that_no_shell_can_run) {
  const TemporaryFolder folder;
  for (const auto& [line, why] : std::vector<std::pair<std::string, std::string>>{
           {"if true; then echo hi", "'fi' is missing"},
           {"ls 'open", "a single quote is not closed"},
           {"ls; done", "'done' stands where no command can start"}}) {
    const auto refused = call(bash_in(folder, {{"*", Permission::ask}}), "bash",
                              to_text(JsonObject{{"command", line}}));
    ASSERT_FALSE(refused) << line;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(refused.error().message, "No shell can run this line: " + why);
  }
}

TEST(Bash, does_what_the_person_says) {
  const TemporaryFolder folder;
  const auto answer = [&](Permission permission) {
    BashOptions options;
    options.ask = [=](const CommandDecision& decision, const Context&) {
      EXPECT_EQ(decision.commands.size(), 1U);
      return std::optional(permission);
    };
    return call(bash_in(folder, {{"*", Permission::ask}}, options), "bash",
                R"({"command": "echo hi"})");
  };
  ASSERT_TRUE(answer(Permission::allow));
  EXPECT_EQ(answer(Permission::allow)->at("stdout").as_string(), "hi\n");
  EXPECT_EQ(answer(Permission::deny).error().code, ErrorCode::permission_denied);
  EXPECT_EQ(answer(Permission::ask).error().code, ErrorCode::unavailable);
}

TEST(Bash, is_remembered_for_exactly_one_command_in_one_folder) {
  const TemporaryFolder folder;
  folder.write("sub/file");
  const auto tools = bash_in(folder, {{"echo *", Permission::ask}, {"> *", Permission::ask}});
  const auto kinds_of = [&](const std::string& command, const char* where) {
    const Json arguments{{"command", command}, {"working_dir", where}};
    const ToolOutcome outcome = execute(tools, {}, {"1", "bash", to_text(arguments)}, {});
    EXPECT_TRUE(outcome.waiting) << outcome.error_message();
    if (!outcome.waiting) return std::string();
    EXPECT_EQ(outcome.waiting->shown.at("remembers").as_string(),
              "exactly this command, in this folder");
    EXPECT_EQ(outcome.waiting->covers.size(), 1U);
    return outcome.waiting->covers.at(0);
  };
  const std::string long_start = "echo " + std::string(5000, 'x');
  const std::string one = kinds_of(long_start, ".");
  EXPECT_EQ(one, kinds_of(long_start, "."));
  EXPECT_NE(one, kinds_of(long_start + " y", "."));
  EXPECT_NE(one, kinds_of(long_start + "; echo", "."));
  EXPECT_NE(one, kinds_of(long_start + " > f", "."));
  EXPECT_NE(one, kinds_of(long_start, "sub"));
  // Also what the rules cannot read.
  EXPECT_NE(kinds_of("coproc echo open", "."), kinds_of("coproc echo opened", "."));
}

TEST(Bash, is_approved_for_the_folder_that_was_shown) {
  const TemporaryFolder one;
  const TemporaryFolder other;
  const std::vector<CommandRule> rules{{"touch *", Permission::ask}, {"> *", Permission::ask}};
  const ToolCall call{"1", "bash", R"({"command": "touch made"})"};
  Context approved;
  approved.answers.approval = Approval{.decision = Decision::once};
  const auto asked = execute(bash_in(one, rules), {}, call, {});
  ASSERT_TRUE(asked.waiting);
  approved.answers.approved = asked.waiting->shown;
  const auto elsewhere = execute(bash_in(other, rules), {}, call, approved);
  ASSERT_TRUE(elsewhere.waiting);
  const std::string_view reason = elsewhere.waiting->shown.at("reason").as_string();
  EXPECT_TRUE(reason.contains("another folder")) << reason;
  EXPECT_FALSE(std::filesystem::exists(other / "made"));
  EXPECT_FALSE(execute(bash_in(one, rules), {}, call, approved).waiting);
}

// Twice asked about, by its own rules and by somebody else's, once approved: also where there is
// more to it than can be shown.
TEST(Bash, is_approved_once_by_whoever_asks_however_long_it_is) {
  const TemporaryFolder folder;
  auto tools = bash_in(folder, {{"echo *", Permission::ask}, {"> *", Permission::ask}});
  tools.front().spec.options.needs_approval = true;
  for (const int lines : {1, 900}) {
    std::string command = "echo begun > begun";
    for (int i = 0; i < lines; ++i) command += "; echo a line of many that are alike";
    const ToolCall call{"1", "bash", to_text(Json{{"command", command}})};
    const auto asked = execute(tools, {}, call, {});
    ASSERT_TRUE(asked.waiting) << asked.error_message();
    EXPECT_EQ(asked.waiting->shown.as_object().contains("whole"), lines > 1);
    Context approved;
    approved.answers.approval = Approval{.decision = Decision::once};
    approved.answers.approved = asked.waiting->shown;
    const auto ran = execute(tools, {}, call, approved);
    EXPECT_FALSE(ran.waiting) << to_text(ran.waiting->shown).substr(0, 300);
    EXPECT_TRUE(std::filesystem::remove(folder / "begun"));
  }
}

TEST(Bash, leaves_no_journal_that_a_command_has_made) {
  const TemporaryFolder folder;
  BashOptions options;
  options.policy.write_paths = {folder.path()};
  const std::vector<CommandRule> rules{{"*", Permission::allow}, {"> *", Permission::allow}};
  const auto done = call(bash_in(folder, rules, options), "bash",
                         R"({"command": "echo '{}' > .wright-journal.tmp; ls -A"})");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(std::string_view(done->at("stdout").as_string()).contains(".wright-journal.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / ".wright-journal.tmp"));
}

TEST(Bash, says_why_a_protected_path_cannot_be_changed) {
  const TemporaryFolder folder;
  folder.write(".git/config");
  const auto probe = Sandbox::prepare({}).value();
  if (!probe.report().enforces("namespaces")) GTEST_SKIP() << "no namespaces on this machine";
  const auto tools = bash_in(folder, kAnything);
  const auto refused =
      call(tools, "bash", R"({"command": "export LC_ALL=C; echo x > .git/config"})");
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_EQ(refused->at("note").as_string(),
            "Commands can read but not change .git, .wright: the setting bash.protected");
  const auto fine = call(tools, "bash", R"({"command": "cat .git/config"})");
  ASSERT_TRUE(fine) << fine.error().message;
  EXPECT_FALSE(fine->as_object().contains("note"));
}

TEST(Bash, runs_only_below_its_base) {
  const TemporaryFolder folder;
  folder.write("file").link("out", "/");
  for (const char* where : {"..", "/", "/etc", "missing", "file", "out", "a\\u0000b", ""}) {
    const auto result = call(bash_in(folder, kAnything), "bash",
                             std::string(R"({"command": "pwd", "working_dir": ")") + where + "\"}");
    EXPECT_FALSE(result) << where;
  }
}

TEST(Bash, makes_any_output_safe_and_short_enough) {
  const TemporaryFolder folder;
  const auto tools = bash_in(folder, kAnything);
  for (const char* command : {"printf 'a\\0b\\377\\n'", "head -c 3000000 /dev/zero",
                              "head -c 3000000 /dev/urandom", "head -c 300000 /dev/urandom >&2",
                              "yes $'\\u00e9' | head -c 300001", "printf '\\033[31m\\b\\r'"}) {
    const auto result = call(tools, "bash", to_text(JsonObject{{"command", command}}));
    ASSERT_TRUE(result) << result.error().message;
    const std::string text = to_text(*result);
    EXPECT_LE(text.size(), tools[0].spec.options.output_limit) << command;
    EXPECT_TRUE(parse_json(text)) << command;
  }
}

TEST(Bash, shows_start_and_end_of_a_long_output) {
  const TemporaryFolder folder;
  const auto result = call(bash_in(folder, kAnything), "bash", R"({"command": "seq 1 200000"})");
  ASSERT_TRUE(result);
  const std::string_view text = result->at("stdout").as_string();
  EXPECT_TRUE(text.starts_with("1\n2\n3\n"));
  EXPECT_TRUE(text.ends_with("199999\n200000\n"));
  EXPECT_NE(text.find("of 1288895 bytes are left out"), std::string_view::npos);
}

TEST(Bash, tells_output_as_it_comes) {
  const TemporaryFolder folder;
  std::string seen;
  BashOptions options;
  options.on_output = [&](const Context&, OutputStream stream, std::string_view piece) {
    seen += (stream == OutputStream::error ? "!" : "") + std::string(piece);
  };
  ASSERT_TRUE(call(bash_in(folder, kAnything, options), "bash",
                   R"({"command": "echo out; sleep 0.1; echo err >&2"})"));
  EXPECT_EQ(seen, "out\n!err\n");
}

TEST(Bash, tells_its_progress_in_whole_lines_of_text) {
  const TemporaryFolder folder;
  const auto progress_of = [&](const char* command) {
    std::vector<std::string> told;
    Context context;
    context.progress = [&](std::string_view text) { told.emplace_back(text); };
    const ToolOutcome outcome =
        execute(bash_in(folder, kAnything), {},
                {"1", "bash", to_text(JsonObject{{"command", command}})}, context);
    EXPECT_EQ(outcome.error_message(), "");
    return told;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(progress_of("printf 'a\\303'; sleep 0.1; printf '\\251\\nb'"), (Texts{"aé\n", "b"}));
  EXPECT_EQ(progress_of("printf '\\377\\n'"), Texts{"\xEF\xBF\xBD\n"});
  EXPECT_EQ(progress_of("true"), Texts{});
  // A flood is not followed to its end.
  std::size_t bytes = 0;
  const Texts flood = progress_of("yes | head -c 50000000");
  for (const std::string& text : flood) bytes += text.size();
  EXPECT_LT(bytes, 300'000U);
  ASSERT_FALSE(flood.empty());
  EXPECT_EQ(flood.back(), "[What follows is not shown as it comes]\n");
}

TEST(Bash, fails_with_what_was_printed_when_stopped) {
  const TemporaryFolder folder;
  std::stop_source source;
  BashOptions options;
  options.on_output = [&](const Context&, OutputStream, std::string_view) {
    source.request_stop();
  };
  const auto result = call(bash_in(folder, kAnything, options), "bash",
                           R"({"command": "echo started; sleep 1000"})", source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_TRUE(result.error().message.contains(R"("stdout":"started\n")")) << result.error().message;
}

TEST(Bash, is_confined) {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  outside.write("secret", "do not read");
  BashOptions options;
  options.base = folder.path();
  const auto probe = Sandbox::prepare({}).value();
  if (!probe.report().enforces("files")) GTEST_SKIP() << "no Landlock on this machine";
  const auto result =
      call(bash_in(folder, kAnything), "bash",
           to_text(JsonObject{{"command", "cat '" + (outside / "secret").string() + "'"}}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->at("stdout").as_string(), "");
  EXPECT_NE(result->at("exit_code"), 0);
  EXPECT_FALSE(result->at("stderr").as_string().empty());
}

TEST(Bash, refuses_a_base_or_rules_that_cannot_work) {
  const TemporaryFolder folder;
  EXPECT_FALSE(bash_tool({.base = folder / "missing"}));
  EXPECT_FALSE(bash_tool({.base = folder.path(), .rules = {{"", Permission::allow}}}));
}

TEST(CommandOutput, does_not_cut_characters) {
  CapturedOutput output;
  for (int i = 0; i < 1000; ++i) output.head += "é€😀";
  output.total_bytes = output.head.size();
  for (std::size_t budget = 100; budget < 200; ++budget) {
    const std::string shown = shown_output(output, budget);
    EXPECT_LE(json_size(shown), budget);
    EXPECT_EQ(shown.find("\xEF\xBF\xBD"), std::string::npos) << shown;
    EXPECT_TRUE(is_valid_utf8(shown));
  }
}

TEST(CommandOutput, cuts_no_word_that_may_be_a_secret) {
  CapturedOutput output;
  for (int i = 0; i < 1000; ++i) output.head += "a-secret-word\n";
  output.total_bytes = output.head.size();
  for (std::size_t budget = 500; budget < 540; ++budget) {
    std::string shown = shown_output(output, budget);
    for (std::size_t at = 0; (at = shown.find("a-secret-word\n", at)) != std::string::npos;) {
      shown.erase(at, 14);
    }
    EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("word"), std::string::npos) << shown;
  }
}

}  // namespace
}  // namespace wright::tools
