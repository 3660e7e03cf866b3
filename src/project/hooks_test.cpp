// Hooks with real commands.
#include "project/hooks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tools/temporary_folder_testing.h"
#include "wright/interceptors.h"
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
    const auto made = std::make_shared<const Hooks>(
        HookOptions{.hooks = std::move(hooks), .folder = folder_.path(), .sandbox = sandbox()});
    const std::vector<Interceptor> around{Hooks::interceptor(made)};
    return execute(tools, around, testing::call(std::move(name), R"({"word": "hello"})"), context);
  }
  SandboxPolicy sandbox() const {
    return {.environment = {{"PATH", "/usr/bin:/bin"}}, .temporary_root = folder_.path()};
  }
  static Hook before(std::string command, std::string matcher = "") {
    return {.matcher = std::move(matcher), .command = std::move(command)};
  }
  static Hook after(std::string command) {
    return {.moment = HookMoment::PostToolUse, .command = std::move(command)};
  }

  const TemporaryFolder folder_;
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

TEST_F(HooksTest, know_where_they_stand_in_a_trace) {
  Context context;
  context.trace = {.parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                   .state = "vendor=1"};
  const auto words = before(R"(echo "$TRACEPARENT $TRACESTATE" > trace)");
  EXPECT_FALSE(call({words}, "say", context).error);
  std::ifstream file(folder_ / "trace");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 vendor=1\n");
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

TEST_F(HooksTest, that_say_no_in_other_words_are_no_yes) {
  const std::string deny = R"({"hookSpecificOutput": {"permissionDecision": "deny"}})";
  const auto print = [](std::string_view text) { return fmt::format("printf '%s\\n' '{}'", text); };
  for (const std::string& asked :
       {print("checking") + "; " + print(deny), print(deny) + "; " + print("{}"),
        print("[" + deny + "]"), print(R"({"decision": "deny"})"), print(R"({"continue": "no"})"),
        print(R"({"hookSpecificOutput": {"permissionDecision": "Deny"}})"),
        print(R"({"permissionDecision": ["deny"]})"), print(R"({"decision": true})"),
        print(R"({"continue": false, "continue": true})"),
        // A no that a program can only guess at.
        print(R"({"hookSpecificOutput": "deny"})"), print(R"({"hookSpecificOutput": [{}]})"),
        print(R"({"hook_specific_output": {"permissionDecision": "deny"}})"),
        print(R"({"hookSpecificOutput": {"permission_decision": "deny"}})"),
        print(R"({"permission-decision": "deny"})"), print(R"({"Continue": false})"),
        print(R"({"block": true})"), print(R"({"allow": false, "reason": "no"})"),
        print(R"({"systemMessage": "no", "deny": true})"), print(R"({"descision": "block"})"),
        print(R"({"decision": null, "verdict": "block"})"),
        print(R"({"hookSpecificOutput": {"permission": "deny"}, "continue": true})"),
        print(R"({"hookSpecificOutput": {"hookEventName": "PreToolUse", "decide": "deny"}})"),
        print(R"({"PreToolUse": {"permissionDecision": "deny"}})"),
        print(R"({"hookSpecificOutput": {"hookEventName": "PreToolUse"}, "block": true})"),
        print(R"({"hookSpecificOutput": {"hookSpecificOutput": {"permissionDecision": "deny"}}})"),
        print(R"({"updatedInput": {"text": "a", "te\u0078t": "b"}})"), print(R"({"ok": false})"),
        print(R"({"status": "denied"})"), print(R"({"answer": "No"})"), print(R"({"errors": 1})"),
        print(R"({"result": {"ok": false}})"), print(R"({"checks": [{"is_blocked": "yes"}]})"),
        print(R"({"allowed": 0})"), print(R"({"permissions": {"bash": "never"}})"),
        print(R"({"action": "cancel"})"), print(R"({"result": "halt"})"),
        print(R"({"status": "disapproved"})"), print(R"({"result": "not permitted"})"),
        print(R"({"action": "ask-user"})"), print(R"({"exit_code": 2})"), print(R"({"code": 403})"),
        print(R"({"state": "unauthorized"})"), print(R"({"ok": 0})"), print(R"({"success": "0"})"),
        print(R"({"answer": "no!"})"), print(R"({"answer": "never"})"),
        print(R"({"http_status": 403})"), print(R"({"malicious": true})")}) {
    EXPECT_TRUE(call({before(asked)}).waiting) << asked;
  }
  for (
      const std::string& refused :
      {print("\xEF\xBB\xBF" + deny), print(R"({"continue": false, "stopReason": "stop"})"),
       print(R"({"hookSpecificOutput": {"hookEventName": "x"}, "permissionDecision": "deny"})"),
       print(R"({"hookSpecificOutput": {"permissionDecision": "allow"}, "decision": "block"})"),
       print(
           R"({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecision": "allow"}})"),
       print(R"({"decision": "block", "decision": "approve"})")}) {
    EXPECT_TRUE(call({before(refused)}).error) << refused;
  }
  EXPECT_EQ(said_, std::nullopt);
  EXPECT_FALSE(call({before("echo all is well")}).error);
  EXPECT_EQ(said_, "hello");
}

TEST_F(HooksTest, of_other_agents_may_say_what_decides_nothing) {
  for (const std::string_view text :
       {R"({})", R"({"systemMessage": "seen"})", R"({"suppressOutput": true})",
        R"({"continue": true, "suppressOutput": true, "systemMessage": "seen"})",
        R"({"async": true})", R"({"reason": "it is fine"})", R"({"decision": null})",
        R"({"hookSpecificOutput": null})", R"({"hookSpecificOutput": {}})",
        R"({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "known"}})",
        R"({"hookSpecificOutput": {"permissionDecision": "allow", "version": 1}, "version": 2})",
        R"({"decision": "approve", "checked": ["a", "b"]})", R"({"ok": true})",
        R"({"status": "ok", "took_ms": 3, "version": "1.2", "tags": ["fast"], "id": null})",
        R"({"result": {"ok": true, "errors": 0, "failed": [], "blocked": false}})",
        R"({"hookSpecificOutput": {"hookEventName": "PreToolUse", "took_ms": 3}})"}) {
    said_.reset();
    const auto outcome = call({before(fmt::format("printf '%s' '{}'", text))});
    EXPECT_FALSE(outcome.waiting || outcome.error) << text;
    EXPECT_EQ(said_, "hello") << text;
  }
  EXPECT_FALSE(call({after(R"(echo '{"took_ms": 3}')")}).notes.size()) << "nothing to decide";
}

TEST_F(HooksTest, that_mean_a_no_keep_what_a_person_says) {
  const auto said = [&](std::string_view printed) {
    const Hooks hooks({.hooks = {{.moment = HookMoment::UserPromptSubmit,
                                  .command = fmt::format("printf '%s' '{}'", printed)}},
                       .folder = folder_.path(),
                       .sandbox = sandbox()});
    return hooks.submitted(Message::user("hello"), 1, {});
  };
  for (const std::string_view no :
       {R"({"decision": "block"})", R"({"block": true})", R"({"hookSpecificOutput": "block"})",
        R"(checked: {"decision": "block"})", R"([{"decision": "block"}])",
        R"(checked: {"Decision": "block"} {"systemMessage": "seen"})",
        R"(checked: {"continue": false, "continue": true})",
        R"(checked: {"hookSpecificOutput": {"permissionDecision": "deny"}})",
        "checking\n {\"decision\":\n\"block\"}\ndone", R"({"ok": false})",
        // That nobody can read, or with something beside it.
        "checking\n{\"decision\": \"block\", \"reason\": \"say \"please\"\"}",
        "guard: {\"decision\":\"block\"} (3 ms)", "x\n{\"continue\": false,}\n",
        "x\n{\"permissionDecision\": \"deny\"}\x1b[0m",
        "x\n{\"permission_decision\": \"deny\"}\ndone",
        "Half of it: {\"continue\": false, \"decision"}) {
    EXPECT_FALSE(said(no)) << no;
  }
  for (const std::string_view yes : {R"({"systemMessage": "seen"})", R"({"ok": true})"}) {
    EXPECT_TRUE(said(yes)) << yes;
  }
  for (const std::string_view note :
       {"see {a} and [b]", "Our settings:\n{\"scripts\": {\"x\": 1}, \"continue\": true}",
        "+ const node = { isBlock: true, inline: false }", "a: ${{ x }}\n continue: false",
        "Ours: {\"items\": [{\"decision\": \"tea\"}]}",
        "Half of it: {\"continue\": true, \"decision"}) {
    const auto message = said(note);
    ASSERT_TRUE(message) << note;
    EXPECT_NE(message->text().find(note), std::string::npos) << note;
  }
}

TEST_F(HooksTest, show_a_person_the_arguments_that_run_and_no_others_run) {
  const std::string ask_and_change =
      R"(echo "{\"hookSpecificOutput\": {\"permissionDecision\": \"ask\",
          \"updatedInput\": {\"word\": \"$(cat word)\"}}}")";
  folder_.write("word", "new");
  const auto asked = call({before(ask_and_change)});
  ASSERT_TRUE(asked.waiting);
  EXPECT_EQ(asked.waiting->shown.at("arguments"), (Json{{"word", "new"}}));
  Context approved;
  approved.answers.approval = Approval{Decision::once, ""};
  approved.answers.approved = asked.waiting->shown;
  folder_.write("word", "newest");
  const auto again = call({before(ask_and_change)}, "say", approved);
  ASSERT_TRUE(again.waiting) << "it was approved with other arguments";
  EXPECT_EQ(again.waiting->shown.at("arguments"), (Json{{"word", "newest"}}));
  EXPECT_EQ(said_, std::nullopt);
  // Also where somebody else has asked, and the hook changes its mind.
  const std::string change =
      R"(echo "{\"hookSpecificOutput\": {\"updatedInput\": {\"word\": \"$(cat word)\"}}}")";
  EXPECT_TRUE(call({before(change)}, "say", approved).waiting);
  EXPECT_EQ(said_, std::nullopt);
  folder_.write("word", "new");
  EXPECT_FALSE(call({before(ask_and_change)}, "say", approved).error);
  EXPECT_EQ(said_, "new");
}

TEST_F(HooksTest, do_not_run_a_file_that_was_changed_since) {
  const std::vector<Tool> tools{tool("say", "", [](const Word& said) { return said.word; })};
  const std::string evil = "#!/bin/sh\ntouch escaped\n";
  for (const char* command :
       {"./check.sh", "bash check.sh", "cd tools && ./run",
        "sh -e \"$WRIGHT_PROJECT_DIR\"/check.sh", "cd tools && cd deep && ./it.sh",
        "$(git rev-parse --show-toplevel)/check.sh 2>/dev/null || true",
        "D=tools/deep; \"$D/it.sh\"", "./my\\ check", "for f in tools/*n; do sh \"$f\"; done",
        "tools/{run,run}", "python3 -m tools.module 2>/dev/null || true",
        "bash -o pipefail tools/plain", "timeout 5 cat tools/plain | bash -s",
        "sh ./later.sh 2>/dev/null || true", ".wright/hooks/main"}) {
    folder_.write("check.sh", "#!/bin/sh\n")
        .write("tools/run", "#!/bin/sh\n")
        .write("tools/deep/it.sh", "#!/bin/sh\n")
        .write("tools/module.py", "")
        .write("tools/plain", "")
        .write("my check", "#!/bin/sh\n")
        .write(".wright/hooks/lib", "")
        .write(".wright/hooks/main", "#!/bin/sh\n. .wright/hooks/lib\n");
    for (const char* file :
         {"check.sh", "tools/run", "tools/deep/it.sh", "my check", ".wright/hooks/main"}) {
      std::filesystem::permissions(folder_ / file, std::filesystem::perms::owner_all);
    }
    const auto hooks = std::make_shared<const Hooks>(
        HookOptions{.hooks = {before(command)}, .folder = folder_.path(), .sandbox = sandbox()});
    const std::vector<Interceptor> around{Hooks::interceptor(hooks)};
    const auto outcome = [&] {
      return execute(tools, around, testing::call("say", R"({"word": "hello"})"), Context());
    };
    const auto before_it = outcome();
    EXPECT_FALSE(before_it.error || before_it.waiting) << command;
    for (const char* file : {"check.sh", "tools/run", "tools/deep/it.sh", "tools/module.py",
                             "tools/plain", "my check", "later.sh", ".wright/hooks/lib"}) {
      folder_.write(file, evil);
    }
    EXPECT_TRUE(outcome().waiting) << command;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "escaped")) << command;
    std::filesystem::remove(folder_ / "later.sh");
  }
}

TEST_F(HooksTest, run_in_the_sandbox_unless_they_are_to_run_outside) {
  const TemporaryFolder elsewhere;
  const auto line =
      fmt::format("touch here; touch {}/there 2>/dev/null; true", elsewhere.path().string());
  EXPECT_FALSE(call({before(line)}).error);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "here"));
  EXPECT_FALSE(std::filesystem::exists(elsewhere / "there"));
  const auto failed = call({before(fmt::format("touch {}/there", elsewhere.path().string()))});
  ASSERT_TRUE(failed.waiting);
  EXPECT_NE(to_text(failed.waiting->shown).find("it ran in the sandbox"), std::string::npos);
  Hook outside = before(line);
  outside.place = HookPlace::outside;
  EXPECT_FALSE(call({outside}).error);
  EXPECT_TRUE(std::filesystem::exists(elsewhere / "there"));
}

TEST_F(HooksTest, take_no_module_of_the_folder_for_one_of_python) {
  folder_.write("json.py", "open('shadowed', 'w')\n").write("tools/check.py", "import json\n");
  folder_.write("tools/json.py", "open('shadowed', 'w')\n");
  for (const char* line : {"python3 -c 'import json'", "python3 tools/check.py"}) {
    for (const HookPlace place : {HookPlace::sandbox, HookPlace::outside}) {
      Hook hook = before(line);
      hook.place = place;
      const auto outcome = call({hook});
      EXPECT_FALSE(outcome.error || outcome.waiting) << line;
      EXPECT_FALSE(std::filesystem::exists(folder_ / "shadowed")) << line;
    }
  }
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
                     .sandbox = sandbox()});
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
          [{"type": "command", "command": "x", "timeout": 5},
           {"command": "y", "sandbox": false}]}], "Stop": []}})");
  ASSERT_TRUE(hooks) << hooks.error().message;
  ASSERT_EQ(hooks->size(), 2U);
  EXPECT_EQ(hooks->at(0).timeout, std::chrono::seconds(5));
  EXPECT_EQ(hooks->at(0).place, HookPlace::sandbox);
  EXPECT_EQ(hooks->at(1).place, HookPlace::outside);
  const auto problem = [](std::string_view text) {
    const auto parsed = parse_hooks(text);
    return parsed ? "accepted" : parsed.error().message;
  };
  EXPECT_EQ(problem(R"({"hooks": {"Pretool": []}})"),
            "hooks.Pretool: unknown; there are SessionStart, PreToolUse, PostToolUse, "
            "Notification, Stop or UserPromptSubmit");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"command": " "}]}]}})"),
            "hooks.Stop[0]: command must be a line for bash");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"type": "http", "command": "x"}]}]}})"),
            "hooks.Stop[0]: type 'http' is not known here; there is command");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"command": "x", "timeout": 0}]}]}})"),
            "hooks.Stop[0]: timeout must be seconds from 1 to 600");
  EXPECT_EQ(problem(R"({"hooks": {"Stop": [{"hooks": [{"command": "x", "sandbox": "no"}]}]}})"),
            "hooks.Stop[0]: sandbox must be true or false");
  for (const char* text : {"", "[]", "{}", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": 1}}",
                           "{\"hooks\": {\"Stop\": [1]}}", "\xff"}) {
    EXPECT_NE(problem(text), "accepted") << text;
  }
}

constexpr const char* kAllowing =
    R"(echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}')";

class AllowingHooksTest : public HooksTest {
 protected:
  static Hook own(std::string command) {
    Hook hook = before(std::move(command));
    hook.say = HookSay::allow;
    return hook;
  }
  // A call that a rule has a person asked about, or refuses.
  ToolOutcome judged_call(std::vector<Hook> hooks, Permission permission, Context context = {}) {
    std::vector<Tool> tools{tool("say", "", [this](const Word& said) -> Json {
      said_ = said.word;
      return JsonObject{{"said", said.word}};
    })};
    const auto made = std::make_shared<const Hooks>(
        HookOptions{.hooks = std::move(hooks), .folder = folder_.path(), .sandbox = sandbox()});
    const std::vector<Interceptor> around{Hooks::interceptor(made),
                                          intercept::permission({.rules = {{"say", permission}}})};
    return execute(tools, around, testing::call("say", R"({"word": "hello"})"), context);
  }
};

TEST_F(AllowingHooksTest, of_the_person_answer_for_them) {
  EXPECT_TRUE(judged_call({own("true")}, Permission::ask).waiting) << "without a word of the hook";
  const auto allowed = judged_call({own(kAllowing)}, Permission::ask);
  EXPECT_FALSE(allowed.waiting);
  EXPECT_EQ(allowed.error_message(), "");
  EXPECT_EQ(said_, "hello");
  EXPECT_EQ(allowed.notes, std::vector<std::string>{"Allowed by a hook; nobody was asked"});
  const auto approved = judged_call({own(R"(echo '{"decision": "approve"}')")}, Permission::ask);
  EXPECT_FALSE(approved.waiting);
}

TEST_F(AllowingHooksTest, allow_nothing_that_is_refused_or_that_another_asks_about) {
  const auto denied = judged_call({own(kAllowing)}, Permission::deny);
  EXPECT_NE(denied.error_message(), "");
  const Hook asks = own(R"(echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}')");
  EXPECT_TRUE(judged_call({own(kAllowing), asks}, Permission::ask).waiting);
  Context refused;
  refused.answers.approval = Approval{Decision::refuse, "not now"};
  EXPECT_NE(judged_call({own(kAllowing)}, Permission::ask, refused).error_message(), "");
  EXPECT_EQ(said_, std::nullopt);
}

TEST_F(AllowingHooksTest, allow_the_arguments_that_they_saw) {
  const char* changing = R"(echo '{"hookSpecificOutput": {"updatedInput": {"word": "bye"}}}')";
  EXPECT_TRUE(judged_call({own(kAllowing), before(changing)}, Permission::ask).waiting);
  EXPECT_EQ(said_, std::nullopt);
  EXPECT_FALSE(judged_call({before(changing), own(kAllowing)}, Permission::ask).waiting);
  EXPECT_EQ(said_, "bye");
}

TEST_F(AllowingHooksTest, are_not_those_of_a_project) {
  EXPECT_TRUE(judged_call({before(kAllowing)}, Permission::ask).waiting);
  EXPECT_EQ(said_, std::nullopt);
}

}  // namespace
}  // namespace wright::project
