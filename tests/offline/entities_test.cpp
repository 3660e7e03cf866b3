// End to end: the offline model with the real entity tools over a small repository on disk, whose
// history git made.
#include <gtest/gtest.h>

#include "tools/temporary_folder_testing.h"
#include "wright/agents.h"
#include "wright/model.h"

namespace wright {
namespace {

std::string lines(int count, std::string_view line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

class OfflineWithEntities : public ::testing::Test {
 protected:
  OfflineWithEntities() {
    files_
        .write("src/large.cpp", "class Large {\n" + lines(250, "  int x();\n") +
                                    "};\nint parseAll() {\n  return 1;\n}\n")
        .write("src/middle.py", "class Middle:\n" + lines(30, "    x = 1\n") +
                                    "\n    def one(self):\n        pass\n\n    def two(self):\n"
                                    "        pass\n\n\ndef parse_row(row):\n    return row\n")
        .write("src/small.ts", "export class Small {\n  go() {\n    return 1;\n  }\n}\n");
    git("init -q -b main");
    commit("2020-01-01T00:00:00Z");
    files_.write("src/small.ts", "export class Small {\n  went() {\n    return 1;\n  }\n}\n");
    git("add -A");
    commit("2025-06-13T08:00:00Z");
  }

  void git(const std::string& arguments) const {
    tools::output_of("cd " + tools::shell_word(files_.path().native()) +
                     " && git -c user.name=a -c user.email=a@b " + arguments);
  }
  void commit(const std::string& date) const {
    git("add -A");
    tools::output_of("cd " + tools::shell_word(files_.path().native()) + " && GIT_COMMITTER_DATE=" +
                     date + " git -c user.name=a -c user.email=a@b commit -q -m x --date " + date);
  }

  std::string ask(const std::string& prompt) const {
    CodeIndexOptions index;
    index.base = files_.path();
    index.folder = index_.path();
    index.clock = [] { return std::int64_t{1'749'988'800'000}; };  // 2025-06-15T12:00:00Z
    const auto agent =
        codebase_analysis_agent(FileAccess{.base = files_.path()}, index, offline_model());
    if (!agent) return "error: " + agent.error().message;
    std::vector<Message> messages{Message::user(prompt)};
    for (int turn = 0; turn < 6; ++turn) {
      Request request;
      request.messages = messages;
      request.tools = agent->tools;
      const auto response = agent->model.complete(request);
      if (!response) return "error: " + response.error().message;
      const auto calls = response->tool_calls();
      if (calls.empty()) return response->text();
      messages.push_back({Role::assistant, response->content});
      for (const ToolCall& call : calls) {
        messages.push_back(Message::tool(execute(agent->tools, {}, call, {}).result));
      }
    }
    return "error: no answer within six calls";
  }

  TemporaryFolder files_;
  TemporaryFolder index_;
};

#define EXPECT_SAYS(answer, part) EXPECT_NE((answer).find(part), std::string::npos) << (answer)
#define EXPECT_NOT_SAYS(answer, part) EXPECT_EQ((answer).find(part), std::string::npos) << (answer)

TEST_F(OfflineWithEntities, ranks_classes_by_their_lines) {
  const std::string answer = ask("What are the most complex classes, by lines?");
  EXPECT_SAYS(answer, "Of 3 classes, those with the most lines:");
  EXPECT_SAYS(answer, "- `Large` (src/large.cpp:1): 252 lines\n- `Middle` (src/middle.py:1)");
}

TEST_F(OfflineWithEntities, finds_what_git_says_was_changed) {
  const std::string answer = ask("Show me code modified in the last week");
  EXPECT_SAYS(answer, "There is 1 file changed since 2025-06-08 12:00 UTC:");
  EXPECT_SAYS(answer, "src/small.ts: 5 lines, changed 2025-06-13 08:00");
  EXPECT_SAYS(ask("which classes were changed in the last 2 days?"),
              "There are no classes changed");
  EXPECT_SAYS(ask("which classes were changed in the last 3 days?"), "`Small` (src/small.ts:1)");
  EXPECT_SAYS(ask("which Python classes were changed in the last week?"), "There are no");
  EXPECT_SAYS(ask("classes modified before 2021"), "There are 2 classes changed before 2021");
}

TEST_F(OfflineWithEntities, finds_by_name_and_by_size) {
  const std::string parse = ask("functions whose name starts with parse");
  EXPECT_SAYS(parse, "There are 2 functions whose name starts with `parse`:");
  EXPECT_SAYS(parse, "`parseAll` (src/large.cpp:253): 3 lines");
  EXPECT_SAYS(parse, "`parse_row` (src/middle.py:40)");
  const std::string large = ask("classes with more than 200 lines");
  EXPECT_SAYS(large, "There is 1 class with more than 200 lines:");
  EXPECT_SAYS(large, "`Large` (src/large.cpp:1): 252 lines");
  EXPECT_NOT_SAYS(large, "Middle");
  EXPECT_SAYS(ask("how many Python functions whose name starts with parse are there?"),
              "There is 1 function in files named *.py, *.pyi, *.pyx, *.pyw whose name starts with "
              "`parse`");
}

TEST_F(OfflineWithEntities, counts_by_language_and_by_methods) {
  const std::string counts = ask("how many functions are there per language?");
  EXPECT_SAYS(counts, "2 functions, by language:");
  EXPECT_SAYS(counts, "C++: 1");
  EXPECT_SAYS(counts, "Python: 1");
  const std::string methods = ask("which classes have the most methods?");
  EXPECT_SAYS(methods, "- `Middle` (src/middle.py:1)");
  EXPECT_SAYS(methods, "2 methods");
}

TEST_F(OfflineWithEntities, still_answers_everything_else) {
  EXPECT_SAYS(ask("where is Small defined?"), "src/small.ts:1");
  EXPECT_SAYS(ask("what are the largest files?"), "src/large.cpp");
}

}  // namespace
}  // namespace wright
