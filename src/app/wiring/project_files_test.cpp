// What a project brings along, and who has agreed to it.
#include "app/wiring/project_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "app/settings/agent_trust.h"
#include "app/settings/paths.h"
#include "app/wiring/bash_settings.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/file_history.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shipped.h"
#include "tools/temporary_folder_testing.h"

namespace wright::app {
namespace {

class ProjectFiles : public ::testing::Test {
 protected:
  ProjectFiles() {
    home_
        .write("project/.wright/hooks.json",
               R"({"hooks": {"PreToolUse": [{"hooks": [{"command": "./check.sh"}]}]}})")
        .write("project/check.sh", "#!/bin/sh\n")
        .make_folder(".config/wright");
  }

  Environment environment() const {
    return Environment(Environment::Variables{{"HOME", home_.path().string()}});
  }
  Settings settings(std::string_view folder = "project") const {
    SettingFlags flags;
    flags.base_path = (home_ / folder).string();
    flags.set = {"agent.writable=."};
    return load_settings(flags, environment()).value();
  }
  void agree() const {
    const auto files = untrusted_files(settings());
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_FALSE(files->empty());
    const auto done = trust(settings(), *files);
    ASSERT_TRUE(done) << done.error().message;
  }
  bool hooks_count() const { return !hooks_for(settings()).hooks->is_empty(); }
  Result<Json> call(const Settings& with, std::string_view name, const Json& arguments) const {
    const auto tools = make_tools(with).value();
    const auto tool = std::ranges::find(
        tools, name, [](const Tool& each) -> std::string_view { return each.spec.name; });
    return testing::answer_of(*tool, arguments);
  }

  const TemporaryFolder home_;
};

TEST_F(ProjectFiles, agree_to_hooks_means_to_the_files_that_they_run) {
  EXPECT_FALSE(hooks_count());
  agree();
  EXPECT_TRUE(hooks_count());
  home_.write("project/check.sh", "#!/bin/sh\necho evil\n");
  EXPECT_FALSE(hooks_count());
  EXPECT_EQ(untrusted_files(settings())->size(), 1U);
}

TEST_F(ProjectFiles, say_what_is_wrong_with_hooks_that_cannot_be_agreed_to) {
  home_.write("project/.wright/hooks.json", R"({"hooks": {"Nope": []}})");
  const auto files = untrusted_files(settings());
  ASSERT_FALSE(files);
  EXPECT_TRUE(files.error().message.contains("hooks.Nope")) << files.error().message;
}

TEST_F(ProjectFiles, go_on_without_hooks_that_are_too_much_to_agree_to) {
  std::string braces;
  for (int i = 0; i < 28; ++i) braces += "{a,b}";
  home_.write("project/.wright/hooks.json",
              R"({"hooks": {"PreToolUse": [{"hooks": [{"command": "true )" + braces + "\"}]}]}}");
  const auto files = untrusted_files(settings());
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message.find("is more than can be agreed to"), std::string::npos)
      << files.error().message;
  const auto found = hooks_for(settings());
  EXPECT_TRUE(found.hooks->is_empty());
  EXPECT_EQ(found.broken, "");
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("The hooks of this folder do not run: What the words"),
            std::string::npos)
      << found.notes[0];
}

// Such a folder may be shared by machines, or lie where an agent writes.
TEST_F(ProjectFiles, are_agreed_to_where_results_are_not_kept) {
  const std::string shared = (home_ / "shared/output").string();
  home_.write("shared/trusted_agents.json", "")
      .write(".config/wright/config.toml",
             fmt::format("[sessions]\noutput_folder = \"{}\"\n", shared));
  ASSERT_EQ(settings().output_folder(), shared);
  agree();
  EXPECT_TRUE(std::filesystem::exists(trusted_agents_file(environment())));
  EXPECT_EQ(std::filesystem::file_size(home_ / "shared/trusted_agents.json"), 0U);
  EXPECT_TRUE(hooks_count());
}

TEST_F(ProjectFiles, guard_the_same_files_from_commands_and_from_the_tools_for_files) {
  agree();
  home_.write("project/.env", "hunter2");
  const std::string script = (home_ / "project/check.sh").string();
  const auto policy = bash_options(settings())->policy;
  EXPECT_NE(std::ranges::find(policy.protected_paths, script), policy.protected_paths.end());
  for (const char* path : {"check.sh", ".wright/hooks.json", ".wright/commands/x.md"}) {
    const auto written =
        call(settings(), "write_file", {{"path", path}, {"content", "x"}, {"create_dirs", true}});
    EXPECT_FALSE(written) << path;
  }
  const auto secret = call(settings(), "read_file", {{"file_path", ".env"}});
  EXPECT_EQ(secret ? ErrorCode::internal : secret.error().code, ErrorCode::not_found);
  EXPECT_TRUE(call(settings(), "read_file", {{"file_path", "check.sh"}}));
  const auto found = call(settings(), "grep", {{"pattern", "hunter2"}});
  EXPECT_TRUE(!found || to_text(*found).find(".env") == std::string::npos);
}

TEST_F(ProjectFiles, stop_what_writes_where_it_is_not_known_which_hooks_count) {
  agree();
  EXPECT_EQ(hooks_for(settings()).broken, "");
  std::ofstream(trusted_agents_file(environment())) << "not JSON";
  EXPECT_NE(hooks_for(settings()).broken, "");
  EXPECT_FALSE(untrusted_files(settings()));
}

TEST_F(ProjectFiles, stop_what_writes_where_the_persons_hooks_are_a_link_to_nowhere) {
  home_.link(".config/wright/hooks.json", "/no/such/file");
  EXPECT_NE(hooks_for(settings()).broken, "");
}

TEST_F(ProjectFiles, keep_what_is_said_from_agents_where_hooks_are_broken_or_have_changed) {
  home_.write("project/.wright/hooks.json",
              R"({"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "./check.sh"}]}]}})");
  agree();
  const FoundHooks at_beginning = hooks_for(settings());
  home_.write("project/check.sh", "#!/bin/sh\nexit 0\n");
  const auto changed = at_beginning.submitted(Message::user("Hi"), 1, {});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::permission_denied);
  home_.write(".config/wright/hooks.json", "not JSON");
  const auto broken = hooks_for(settings()).submitted(Message::user("Hi"), 1, {});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::permission_denied);
  EXPECT_NE(broken.error().message.find("hooks.json"), std::string::npos) << broken.error().message;
}

TEST_F(ProjectFiles, let_no_key_of_a_vendor_be_said) {
  FoundHooks found = hooks_for(settings());
  found.keys = {"correct-horse-battery", "ollama"};
  Message said = Message::user("Is correct-horse-battery right for ollama?");
  said.parts.emplace_back(Text{"It is <correct-horse-battery>"});
  const auto heard = found.submitted(said, 0, {});
  ASSERT_TRUE(heard) << heard.error().message;
  EXPECT_EQ(heard->text(), "Is [REDACTED] right for ollama?It is <[REDACTED]>");
}

TEST_F(ProjectFiles, stay_agreed_to_however_much_else_is) {
  agree();
  const auto record = trusted_agents_file(environment());
  for (int i = 0; i < 5; ++i) {
    auto trusted = TrustedAgents::load(record);
    ASSERT_TRUE(trusted) << trusted.error().message;
    ASSERT_TRUE(trusted->add(home_ / std::to_string(i), std::string(300'000, 'x')));
    EXPECT_TRUE(trusted->holds(home_ / std::to_string(i), std::string(300'000, 'x')));
    EXPECT_FALSE(trusted->holds(home_ / std::to_string(i), std::string(300'001, 'x')));
  }
  EXPECT_LT(std::filesystem::file_size(record), 10'000U);
  EXPECT_TRUE(hooks_count());
  // As earlier versions wrote it.
  std::ofstream(record) << to_text(JsonObject{{(home_ / "a").string(), "whole content"}});
  EXPECT_TRUE(TrustedAgents::load(record)->holds(home_ / "a", "whole content"));
}

TEST_F(ProjectFiles, lose_no_agreement_when_several_are_given_at_once) {
  const auto record = trusted_agents_file(environment());
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto trusted = TrustedAgents::load(record);
      const bool is_added = trusted && trusted->add(home_ / std::to_string(i), "content");
      ::_exit(is_added ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto trusted = TrustedAgents::load(record);
  ASSERT_TRUE(trusted);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(trusted->holds(home_ / std::to_string(i), "content"));
}

TEST_F(ProjectFiles, of_the_person_come_before_those_of_the_project) {
  home_.write("project/.wright/commands/deploy.md", "theirs")
      .write(".config/wright/commands/deploy.md", "mine");
  const auto found = commands_for(settings());
  ASSERT_EQ(found.commands.size(), 1U);
  EXPECT_EQ(found.commands[0].body, "mine");
}

TEST_F(ProjectFiles, do_not_see_what_was_printed_in_other_projects) {
  home_.make_folder("other");
  make_output_folder(settings());
  make_output_folder(settings("other"));
  const auto keep = [&](std::string_view folder) {
    return (*spill_output({.folder = output_of_project(settings(folder))}))("printed").value();
  };
  const std::string own = keep("project");
  const std::string others = keep("other");
  EXPECT_TRUE(call(settings(), "read_file", {{"file_path", own}}));
  EXPECT_FALSE(call(settings(), "read_file", {{"file_path", others}}));
  EXPECT_FALSE(call(settings(), "list_files",
                    {{"path", std::filesystem::path(own).parent_path().parent_path().string()}}));
}

class FilesOfSessions : public ProjectFiles {
 protected:
  FilesOfSessions()
      : settings_(settings()),
        store_(open_store(settings_).value()),
        log_({.folder = changes_folder(settings_)}),
        history_(settings_, *store_),
        session_(store_->create_session({.agent_name = "coding", .user_prompt = "x"}).value()) {}

  // A call of the agent writes a file that was not there.
  void write(const std::string& call, const std::string& path) {
    say({Role::assistant, {ToolCall{call, "write_file", "{}"}}});
    ASSERT_TRUE(log_.add({.session_id = session_,
                          .call_id = call,
                          .tool = "write_file",
                          .base = (home_ / "project").string(),
                          .changes = {{.path = path, .after = "agent"}}}));
    home_.write("project/" + path, "agent");
    say(Message::tool({call, "write_file", "done", false}));
  }
  MessageId say(const Message& message) {
    return store_->apply_one(AppendMessage{session_, message}).value().messages.front();
  }
  bool is_there(std::string_view path) const {
    return std::filesystem::exists(home_ / "project" / path);
  }
  static std::vector<std::string> paths(const FileHistory::Part& part) {
    std::vector<std::string> found;
    for (const auto& file : part.plan.files) found.push_back(file.path);
    return found;
  }

  const Settings settings_;
  const std::unique_ptr<Store> store_;
  tools::ChangeLog log_;
  FileHistory history_;
  const SessionId session_;
};

// A copy knows nothing of what the original does later.
TEST_F(FilesOfSessions, that_are_copies_are_not_those_that_the_original_changed_later) {
  say(Message::user("Do it"));
  write("c1", "one.txt");
  const MessageId last = say(Message::assistant("Done"));
  const SessionId copy = store_->fork_session(session_, last).value();
  write("c2", "two.txt");
  EXPECT_EQ(paths(*history_.of_session(session_)),
            (std::vector<std::string>{"one.txt", "two.txt"}));
  const auto part = history_.of_session(copy);
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(paths(*part), std::vector<std::string>{"one.txt"});
  ASSERT_TRUE(history_.take_back(*part));
  EXPECT_FALSE(is_there("one.txt"));
  EXPECT_TRUE(is_there("two.txt"));
}

TEST_F(FilesOfSessions, that_were_left_alone_can_be_taken_back_later) {
  write("c1", "one.txt");
  write("c2", "two.txt");
  home_.write("project/one.txt", "a person's work");
  ASSERT_TRUE(history_.take_back(*history_.of_session(session_)));
  EXPECT_TRUE(is_there("one.txt"));
  EXPECT_FALSE(is_there("two.txt"));
  EXPECT_EQ(paths(*history_.of_session(session_)), std::vector<std::string>{"one.txt"});
  home_.write("project/one.txt", "agent");
  ASSERT_TRUE(history_.take_back(*history_.of_session(session_)));
  EXPECT_FALSE(is_there("one.txt"));
  EXPECT_TRUE(history_.of_session(session_)->is_empty());
}

// A database that is deleted begins to count at 1 again.
TEST_F(FilesOfSessions, of_an_earlier_life_of_the_database_are_not_the_sessions) {
  const auto of_earlier = [&](const std::string& call) {
    ASSERT_TRUE(log_.add({.session_id = session_,
                          .call_id = call,
                          .tool = "write_file",
                          .base = (home_ / "project").string(),
                          .changes = {{.path = "old.txt", .after = "agent"}}}));
  };
  home_.write("project/old.txt", "agent");
  of_earlier("c0");
  EXPECT_TRUE(history_.of_session(session_)->is_empty());
  write("c1", "one.txt");
  EXPECT_EQ(paths(*history_.of_session(session_)), std::vector<std::string>{"one.txt"});
  ASSERT_TRUE(history_.take_back(*history_.of_session(session_)));
  EXPECT_TRUE(is_there("old.txt"));
}

// Another database at the same place may have the same numbers and calls within a moment.
TEST_F(FilesOfSessions, of_another_database_at_the_same_place_are_not_the_sessions) {
  const auto let_write = [&](Store& store, SessionId session, const std::string& path) {
    const ToolCall call{"c1", "write_file", "{}"};
    ASSERT_TRUE(store.apply_one(AppendMessage{session, {Role::assistant, {call}}}));
    Context context;
    context.session_id = session;
    context.call_id = call.id;
    const auto tools = make_tools(settings_).value();
    const auto tool = std::ranges::find(
        tools, "write_file", [](const Tool& each) { return std::string_view(each.spec.name); });
    ASSERT_NE(tool, tools.end());
    ASSERT_TRUE(testing::answer_of(*tool, {{"path", path}, {"content", "agent"}}, context));
  };
  let_write(*store_, session_, "one.txt");
  EXPECT_EQ(paths(*history_.of_session(session_)), std::vector<std::string>{"one.txt"});
  const std::string file = settings_.database_path().string();
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file + part);
  const auto other = open_store(settings_).value();
  const SessionId same =
      other->create_session({.agent_name = "coding", .user_prompt = "x"}).value();
  ASSERT_EQ(same, session_);
  FileHistory history(settings_, *other);
  ASSERT_TRUE(other->apply_one(
      AppendMessage{same, {Role::assistant, {ToolCall{"c1", "write_file", "{}"}}}}));
  EXPECT_TRUE(history.of_session(same)->is_empty());
  let_write(*other, same, "two.txt");
  EXPECT_EQ(paths(*history.of_session(same)), std::vector<std::string>{"two.txt"});
  ASSERT_TRUE(history.take_back(*history.of_session(same)));
  EXPECT_TRUE(is_there("one.txt"));
  EXPECT_FALSE(is_there("two.txt"));
}

TEST_F(FilesOfSessions, that_were_written_as_they_were_are_no_changes) {
  say({Role::assistant, {ToolCall{"c1", "write_file", "{}"}}});
  const auto row = store_->get_tool_calls(session_)->front();
  ASSERT_TRUE(store_->start_tool_call(row.id));
  home_.write("project/same.txt", "same");
  const auto written = call(settings_, "write_file", {{"path", "same.txt"}, {"content", "same"}});
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_TRUE(store_->complete_tool_call(row.id, *written, 1));
  const auto part = history_.of_session(session_);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->plan.gaps.empty());
  EXPECT_TRUE(part->plan.is_whole());
}

TEST_F(FilesOfSessions, that_were_changed_and_not_kept_are_told_of) {
  say({Role::assistant, {ToolCall{"c1", "write_file", "{}"}, ToolCall{"c2", "read_file", "{}"}}});
  const auto rows = store_->get_tool_calls(session_);
  for (const StoredCall& row : rows.value()) {
    ASSERT_TRUE(store_->start_tool_call(row.id));
    ASSERT_TRUE(store_->complete_tool_call(row.id, "done", 1));
  }
  const auto part = history_.of_session(session_);
  ASSERT_TRUE(part);
  EXPECT_FALSE(part->plan.does_something());
  ASSERT_EQ(part->plan.gaps.size(), 1U);
  EXPECT_NE(part->plan.gaps[0].find("one call"), std::string::npos) << part->plan.gaps[0];
}

TEST_F(FilesOfSessions, are_found_however_the_database_is_spelt) {
  const auto folder = [&](std::string_view name) {
    SettingFlags flags;
    flags.database_path = std::string(name);
    return changes_folder(load_settings(flags, environment()).value());
  };
  const std::string file = settings_.database_path().string();
  const auto place = std::filesystem::path(file);
  std::filesystem::create_directory_symlink(place.parent_path(), home_ / "link");
  EXPECT_EQ(folder(file), folder((place.parent_path() / "." / place.filename()).string()));
  EXPECT_EQ(folder(file), folder((home_ / "link" / place.filename()).string()));
  EXPECT_NE(folder(file), folder(file + "2"));
}

}  // namespace
}  // namespace wright::app
