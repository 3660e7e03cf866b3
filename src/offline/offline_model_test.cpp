// The planner as a whole, over files in memory.
#include "wright/model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "offline/memory_tree_testing.h"

namespace wright::offline {
namespace {

const MemoryTree& tree() {
  static const MemoryTree kTree{
      {"README.md", "# Demo\n\nA small demo of a server that retries requests politely.\n"},
      {"LICENSE", "MIT License\n\nPermission is hereby granted, free of charge, to any person\n"},
      {"CMakeLists.txt",
       "project(demo VERSION 1.4)\nfind_package(fmt REQUIRED)\nadd_executable(demo "
       "src/main.cpp)\n"},
      {"src/main.cpp",
       "// Starts the server.\n#include \"net/retry.h\"\n\nint main() {\n  RetryPolicy policy;\n"
       "  return run_server(policy);\n}\n"},
      {"src/net/retry.h",
       "// How often a request is tried again.\n#pragma once\n\n#define MAX_ATTEMPTS 5\n\n"
       "// Decides whether to try once more.\nstruct RetryPolicy {\n  int attempts = "
       "MAX_ATTEMPTS;\n"
       "  bool allows(int attempt) const;\n};\n\nint run_server(const RetryPolicy& policy);\n"},
      {"src/net/retry.cpp",
       "#include \"net/retry.h\"\n\n// TODO: back off\nbool RetryPolicy::allows(int attempt) const "
       "{\n"
       "  return attempt < attempts;\n}\n\nint\nrun_server(const RetryPolicy& policy)\n{\n"
       "  return policy.allows(1) ? 0 : 1;\n}\n"},
      {"tools/report.py",
       "\"\"\"Writes a report.\"\"\"\nimport json\n\n\ndef render(rows):\n    \"\"\"Renders rows "
       "as text.\"\"\"\n"
       "    return json.dumps(rows)\n\n\nif __name__ == '__main__':\n    render([])\n"},
      {"web/app.js",
       "import { api } from './api.js';\n\nexport async function loadUser(id) {\n  return "
       "api.get(id);\n}\n"},
      {"db/schema.sql", "CREATE TABLE users (\n  id integer primary key,\n  email text\n);\n"},
      {"scripts/build.sh", "#!/bin/sh\ndie() {\n  exit 1\n}\ndie\n"},
      {"cmd/serve.go",
       "package main\n\nfunc (s *Server) Listen(port int) error {\n\treturn nil\n}\n"},
      {"lib/account.rb", "class Account\n  def deposit!(cents)\n    @cents += cents\n  end\nend\n"},
      {"core/lib.rs",
       "pub trait Shape {\n    fn area(&self) -> f64;\n}\n\nimpl Shape for Square {\n    fn "
       "area(&self) -> f64 {\n        1.0\n    }\n}\n"},
      {"app/Main.java",
       "public class Main {\n  public static void main(String[] args) {\n    new "
       "Main().greet(\"x\");\n  }\n\n  private void greet(String name) {\n  }\n}\n"},
      {"tests/retry_test.cpp",
       "#include \"net/retry.h\"\nTEST(Retry, stops) {\n  RetryPolicy policy;\n}\n"},
  };
  return kTree;
}

TEST(OfflineModel, says_what_it_looks_for_and_shows_no_long_patterns) {
  const std::vector<Tool> tools = memory_tools(tree());
  const std::vector<Message> messages{
      Message::user("What is this project, and where is RetryPolicy defined?")};
  Request request;
  request.messages = messages;
  request.tools = tools;
  const auto response = offline_model().complete(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->stop_reason, StopReason::tool_use);
  EXPECT_NE(response->text().find("`RetryPolicy`"), std::string::npos) << response->text();
  const auto calls = response->tool_calls();
  ASSERT_GE(calls.size(), 2U);
  EXPECT_NE(calls[0].id, calls[1].id);
  for (const ToolCall& call : calls) {
    ASSERT_TRUE(parse_json(call.arguments)) << call.arguments;
    const Json pattern = parse_json(call.arguments)->as_object().at("pattern");
    EXPECT_LT(pattern.as_string().size(), 40U) << call.arguments;
  }
}

TEST(OfflineModel, is_a_pure_function_of_the_request) {
  const std::vector<Tool> tools = memory_tools(tree());
  const std::vector<Message> messages{Message::user("summarise this project")};
  Request request;
  request.messages = messages;
  request.tools = tools;
  const Model model = offline_model();
  EXPECT_EQ(*model.complete(request), *model.complete(request));
  EXPECT_EQ(model.provider(), "offline");
  EXPECT_EQ(model.name(), "planner");
}

TEST(OfflineModel, shows_the_lines_that_were_asked_for) {
  const Conversation conversation = ask(tree(), "show src/net/retry.cpp lines 4-6");
  EXPECT_TRUE(conversation.says("4  bool RetryPolicy::allows")) << conversation.answer;
  EXPECT_FALSE(conversation.says("TODO"));
}

TEST(OfflineModel, lists_a_folder_with_its_folders) {
  const Conversation here = ask(tree(), "what is in this folder?");
  EXPECT_TRUE(here.says("src/ (3 files)")) << here.answer;
  EXPECT_TRUE(here.says("- README.md"));
  EXPECT_TRUE(here.says("15 files in all"));
  const Conversation inside = ask(tree(), "what is in the src/net folder?");
  EXPECT_TRUE(inside.says("- retry.h")) << inside.answer;
  EXPECT_FALSE(inside.says("main.cpp"));
}

TEST(OfflineModel, ranks_files_by_size) {
  const Conversation conversation = ask(tree(), "which is the largest file?");
  const std::size_t largest = conversation.answer.find("- src/net/retry.h");
  ASSERT_NE(largest, std::string::npos) << conversation.answer;
  EXPECT_LT(largest, conversation.answer.find("- LICENSE"));
}

TEST(OfflineModel, ranks_as_many_files_as_asked_for) {
  const std::string answer = ask(tree(), "what are the 3 largest files?").answer;
  EXPECT_EQ(std::ranges::count(answer, '\n'), 4) << answer;
}

TEST(OfflineModel, admits_that_the_smallest_file_may_not_have_been_listed) {
  MemoryTree many;
  for (int i = 0; i < 1100; ++i) many["f" + std::to_string(10'000 + i)] = "text\n";
  EXPECT_TRUE(ask(many, "which is the smallest file?").says("the largest 1000 of 1,100 files"));
  EXPECT_TRUE(ask(tree(), "which is the smallest file?").says("The smallest of 15 files"));
}

TEST(OfflineModel, makes_control_characters_visible) {
  const Conversation listed = ask(MemoryTree{{"a\x1b[31m\nb.txt", "x"}}, "what is in this folder?");
  EXPECT_TRUE(listed.says("- a␛[31m\\nb.txt")) << listed.answer;
  const Conversation shown = ask(MemoryTree{{"a.txt", "x\x1b[2Jy"}}, "show a.txt");
  EXPECT_TRUE(shown.says("x␛[2Jy")) << shown.answer;
}

TEST(OfflineModel, finds_files_by_name_glob_and_content) {
  EXPECT_TRUE(ask(tree(), "where is schema.sql?").says("- db/schema.sql"));
  EXPECT_TRUE(ask(tree(), "which files match *.sh?").says("- scripts/build.sh"));
  const Conversation containing = ask(tree(), "which files contain MAX_ATTEMPTS?");
  EXPECT_TRUE(containing.says("src/net/retry.h (2 lines)")) << containing.answer;
}

TEST(OfflineModel, summarises_a_project) {
  const Conversation conversation = ask(tree(), "Summarise this project");
  EXPECT_TRUE(conversation.says("retries requests politely")) << conversation.answer;
  EXPECT_TRUE(conversation.says("CMake project `demo` 1.4"));
  EXPECT_TRUE(conversation.says("tools/report.py:10"));
  EXPECT_TRUE(conversation.says("README.md:1"));
  EXPECT_TRUE(conversation.says("Python (1 file)"));
}

TEST(OfflineModel, follows_it_to_the_question_before) {
  const Conversation conversation = converse(
      memory_tools(tree()), {Message::user("where is loadUser defined?"),
                             Message::assistant("There."), Message::user("and where is it used?")});
  EXPECT_TRUE(conversation.says("`loadUser`")) << conversation.answer;
}

TEST(OfflineModel, says_that_a_path_does_not_exist) {
  for (const char* prompt : {"what does /etc/passwd do", "what is in nosuchfolder", "show ../../x",
                             "where is ../x defined", "what does src/nosuch do"}) {
    const Conversation conversation = ask(tree(), prompt);
    EXPECT_TRUE(conversation.says("There is no file or folder")) << conversation.answer;
    EXPECT_FALSE(conversation.says("best match")) << conversation.answer;
    EXPECT_FALSE(conversation.says("about everything")) << conversation.answer;
  }
  EXPECT_TRUE(ask(tree(), "what is in src/net").says("- retry.h"));
  EXPECT_TRUE(ask(tree(), "what is in src").says("- main.cpp"));
}

TEST(OfflineModel, says_first_that_it_does_not_recognise_a_question) {
  for (const char* prompt : {"how does retrying work?", "Why is RetryPolicy slow?",
                             "How many test functions are there?", "who wrote RetryPolicy?"}) {
    const Conversation conversation = ask(tree(), prompt);
    EXPECT_TRUE(conversation.answer.starts_with("I do not recognise this question"))
        << conversation.answer;
    EXPECT_FALSE(conversation.says("best match")) << conversation.answer;
  }
}

TEST(OfflineModel, does_not_call_a_line_a_definition_without_an_index) {
  const Conversation conversation = ask(tree(), "where is RetryPolicy defined?");
  EXPECT_TRUE(conversation.says("I cannot tell where `RetryPolicy` is defined; 6 lines in 4 files"))
      << conversation.answer;
  EXPECT_TRUE(conversation.says("src/net/retry.h:7"));
  EXPECT_TRUE(ask(tree(), "how many functions are there?").says("takes the index of the code"));
  EXPECT_TRUE(ask(tree(), "where is retry_zz defined?").says("Nothing here mentions `retry_zz`"));
}

TEST(OfflineModel, answers_from_what_projects_keep_by_convention) {
  EXPECT_TRUE(ask(tree(), "which licence?").says("MIT License"));
  EXPECT_TRUE(ask(tree(), "list the TODOs").says("src/net/retry.cpp:3"));
  EXPECT_TRUE(ask(tree(), "what are the dependencies?").says("`fmt`"));
  EXPECT_TRUE(ask(tree(), "how many files are there?").says("15 files"));
  EXPECT_TRUE(ask(tree(), "how many C++ files are there?").says("4 files named *.cpp"));
  EXPECT_TRUE(ask(tree(), "how many lines does README.md have?").says("3 lines"));
  const Conversation used = ask(tree(), "how many times is RetryPolicy used?");
  EXPECT_TRUE(used.says("6 lines in 4 files have the name `RetryPolicy`")) << used.answer;
}

TEST(OfflineModel, estimates_usage) {
  const Conversation conversation = ask(tree(), "which licence?");
  EXPECT_GT(conversation.usage.input_tokens, 0);
  EXPECT_GT(conversation.usage.output_tokens, 0);
}

TEST(OfflineModel, streams_its_text_and_stops_when_asked) {
  const std::vector<Message> messages{Message::user("hello")};
  Request request;
  request.messages = messages;
  std::string streamed;
  const auto response = offline_model().complete(
      request, {.on_text = [&](std::string_view text) { streamed += text; }});
  ASSERT_TRUE(response);
  EXPECT_EQ(streamed, response->text());
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = offline_model().complete(request, {.stop = stop.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

TEST(OfflineModel, says_plainly_what_it_is) {
  const Conversation conversation = ask(tree(), "who are you?");
  EXPECT_TRUE(conversation.says("not a language model")) << conversation.answer;
  EXPECT_TRUE(conversation.calls.empty());
  const Conversation poem = ask(tree(), "write me a poem");
  EXPECT_TRUE(poem.says("not a language model"));
  EXPECT_TRUE(poem.says("wright doctor"));
  EXPECT_TRUE(poem.says("--model vendor:name")) << poem.answer;
  EXPECT_FALSE(poem.says("openai:"));
  EXPECT_TRUE(poem.calls.empty());
}

}  // namespace
}  // namespace wright::offline
