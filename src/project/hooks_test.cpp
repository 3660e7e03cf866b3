// Hooks with real commands.
#include "project/hooks.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tools/temporary_folder.h"
#include "wright/testing.h"

namespace wright::project {
namespace {

struct Word {
  std::string word;
};

class HooksTest : public ::testing::Test {
 protected:
  ToolOutcome call(std::vector<Hook> hooks, std::string name = "say", Context context = {}) {
    const std::vector<Tool> tools{tool("say", "", [this](const Word& said) -> Json {
      said_ = said.word;
      return JsonObject{{"said", said.word}};
    })};
    const auto made =
        std::make_shared<const Hooks>(HookOptions{.hooks = std::move(hooks),
                                                  .folder = folder_.path(),
                                                  .environment = {{"PATH", "/usr/bin:/bin"}},
                                                  .temporary_root = folder_.path()});
    const std::vector<Interceptor> around{Hooks::interceptor(made)};
    return execute(tools, around, testing::call(std::move(name), R"({"word": "hello"})"), context);
  }
  static Hook before(std::string command, std::string matcher = "") {
    return {.matcher = std::move(matcher), .command = std::move(command)};
  }
  static Hook after(std::string command) {
    return {.moment = HookMoment::PostToolUse, .command = std::move(command)};
  }

  const tools::TemporaryFolder folder_;
  std::optional<std::string> said_;
};

TEST_F(HooksTest, are_told_of_the_call_on_standard_input) {
  const auto outcome = call({before("cat > told.json")});
  EXPECT_FALSE(outcome.error) << outcome.error_message();
  std::ifstream file(folder_ / "told.json");
  const auto told = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->at("hook_event_name").as_string(), "PreToolUse");
  EXPECT_EQ(told->at("tool_name").as_string(), "say");
  EXPECT_EQ(told->at("tool_input").at("word").as_string(), "hello");
  EXPECT_EQ(told->at("cwd").as_string(), folder_.path().string());
}

TEST_F(HooksTest, refuse_by_their_exit_code_or_by_what_they_print) {
  const auto by_code = call({before("echo 'no shouting' >&2; exit 2")});
  EXPECT_EQ(by_code.error_message(), "Refused by a hook: no shouting");
  const auto by_words = call({before(
      R"(echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "quiet!"}}')")});
  EXPECT_EQ(by_words.error_message(), "Refused by a hook: quiet!");
  const auto blocked = call({before(R"(echo '{"decision": "block", "reason": "stop"}')")});
  EXPECT_EQ(blocked.error_message(), "Refused by a hook: stop");
  EXPECT_EQ(said_, std::nullopt);
}

TEST_F(HooksTest, change_the_arguments_which_are_checked_again) {
  const auto changed =
      call({before(R"(echo '{"hookSpecificOutput": {"updatedInput": {"word": "bye"}}}')")});
  EXPECT_FALSE(changed.error) << changed.error_message();
  EXPECT_EQ(said_, "bye");
  EXPECT_EQ(changed.response.at("hook_note").as_string(), "A hook changed the arguments");
  said_.reset();
  const auto wrong =
      call({before(R"(echo '{"hookSpecificOutput": {"updatedInput": {"other": 1}}}')")});
  EXPECT_TRUE(wrong.error);
  EXPECT_EQ(said_, std::nullopt);
}

TEST_F(HooksTest, add_notes_and_see_results) {
  const auto noted = call(
      {before(R"(echo '{"hookSpecificOutput": {"additionalContext": "mind the gap"}}')"),
       after("grep -q '\"said\":\"hello\"' && echo '{\"reason\": \"seen\"}'"), after("exit 2")});
  EXPECT_EQ(noted.response.at("hook_note").as_string(),
            "mind the gap\nseen\na hook refused this, without a reason");
  EXPECT_EQ(said_, "hello");
}

TEST_F(HooksTest, are_for_the_tools_that_they_match) {
  EXPECT_FALSE(call({before("exit 2", "bash|write_*")}).error);
  EXPECT_TRUE(call({before("exit 2", "bash | s?y")}).error);
}

TEST_F(HooksTest, that_fail_or_ask_have_a_person_decide) {
  for (const Hook& hook :
       {before("exit 1"), before("/no/such/program"), before("echo '{broken'"),
        before("head -c 600000 /dev/zero | tr '\\0' x"),
        Hook{.command = "sleep 60", .timeout = std::chrono::seconds(1)},
        before(R"(echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}')")}) {
    const auto outcome = call({hook});
    ASSERT_TRUE(outcome.waiting) << hook.command;
    EXPECT_EQ(outcome.waiting->kind, WaitKind::approval);
  }
  EXPECT_EQ(said_, std::nullopt);
  Context approved;
  approved.answers.approval = Approval{Decision::once, ""};
  EXPECT_FALSE(call({before("exit 1")}, "say", approved).error);
  EXPECT_EQ(said_, "hello");
}

TEST_F(HooksTest, leave_no_input_behind_and_are_silent_about_binary_output) {
  EXPECT_FALSE(call({before("printf '\\377\\000x'"), after("printf '\\377'")}).error);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ADD_FAILURE() << entry.path();
  }
}

TEST_F(HooksTest, hear_of_sessions) {
  const Hooks hooks({.hooks = {{.moment = HookMoment::SessionStart, .command = "cat > start"},
                               {.moment = HookMoment::Stop, .command = "cat > stop; exit 1"},
                               {.moment = HookMoment::Notification, .command = "cat > wait"}},
                     .folder = folder_.path(),
                     .environment = {{"PATH", "/usr/bin:/bin"}},
                     .temporary_root = folder_.path()});
  EXPECT_TRUE(hooks.observe(SessionStarted{7}, 7).empty());
  EXPECT_TRUE(hooks.observe(RunWaiting{}, 7).empty());
  EXPECT_EQ(hooks.observe(RunEnded{Phase::done, "all done", nullptr}, 7).size(), 1U);
  EXPECT_TRUE(hooks.observe(ModelStarted{1}, 7).empty());
  for (const char* file : {"start", "stop", "wait"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / file)) << file;
  }
}

TEST(HookFiles, are_read_or_refused_with_the_place_of_the_fault) {
  const auto hooks = parse_hooks(
      R"({"hooks": {"PreToolUse": [{"matcher": "bash", "hooks":
          [{"type": "command", "command": "x", "timeout": 5}]}], "Stop": []}})");
  ASSERT_TRUE(hooks) << hooks.error().message;
  ASSERT_EQ(hooks->size(), 1U);
  EXPECT_EQ(hooks->at(0).timeout, std::chrono::seconds(5));
  const auto problem = [](std::string_view text) {
    const auto parsed = parse_hooks(text);
    return parsed ? "accepted" : parsed.error().message;
  };
  EXPECT_EQ(problem(R"({"hooks": {"Pretool": []}})"),
            "hooks.Pretool: unknown; there are SessionStart, PreToolUse, PostToolUse, "
            "Notification or Stop");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"command": " "}]}]}})"),
            "hooks.Stop[0]: command must be a line for bash");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"type": "http", "command": "x"}]}]}})"),
            "hooks.Stop[0]: type 'http' is not known here; there is command");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"command": "x", "timeout": 0}]}]}})"),
            "hooks.Stop[0]: timeout must be seconds from 1 to 600");
  for (const char* text : {"", "[]", "{}", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": 1}}",
                           "{\"hooks\": {\"Stop\": [1]}}", "\xff"}) {
    EXPECT_NE(problem(text), "accepted") << text;
  }
}

}  // namespace
}  // namespace wright::project
