// Calls that change files in a folder of their own, with a log of what they change.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/temporary_folder_testing.h"
#include "tools/undo/recording.h"
#include "tools/undo/undo.h"

namespace wright::tools {

class UndoTest : public ::testing::Test {
 protected:
  UndoTest() { base_.make_folder(""); }

  FileAccess access() const { return {.base = base_.path(), .writable = {"."}}; }
  Workspace workspace() const { return Workspace::open(access()).value(); }

  Tool tool_named(std::string_view name) const {
    if (name == "bash") {
      BashOptions options{.base = base_.path(),
                          .rules = {{"*", Permission::allow}, {"> *", Permission::allow}}};
      options.policy.mode = SandboxMode::off;
      options.policy.write_paths = {base_.path()};
      options.policy.environment = {{"PATH", "/usr/bin:/bin"}};
      return recorded_bash(bash_tool(options).value(), access(), log_).value();
    }
    const auto tools = recorded_editing_tools(access(), log_).value();
    return *std::ranges::find_if(tools, [&](const Tool& tool) { return tool.spec.name == name; });
  }

  void call(std::string_view tool, const Json& arguments, std::int64_t session = 7) const {
    Context context;
    context.session_id = session;
    context.call_id = "c";
    const auto answer = testing::answer_of(tool_named(tool), arguments, context);
    ASSERT_TRUE(answer) << answer.error().message;
  }
  void write(std::string_view path, std::string_view content) const {
    call("write_file", {{"path", path}, {"content", content}, {"create_dirs", true}});
  }
  UndoPlan plan(std::int64_t session = 7) const {
    return plan_undo(workspace(), log_->read(session).value());
  }
  std::optional<std::string> content(std::string_view path) const {
    std::ifstream file(base_ / path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  static std::map<std::string, UndoneFile::Verdict> verdicts(const UndoPlan& plan) {
    std::map<std::string, UndoneFile::Verdict> found;
    for (const UndoneFile& file : plan.files) found[file.path] = file.verdict;
    return found;
  }

  const TemporaryFolder base_;
  const TemporaryFolder state_;
  const SharedChangeLog log_ =
      std::make_shared<ChangeLog>(ChangeLogOptions{.folder = state_ / "changes"});
};

}  // namespace wright::tools
