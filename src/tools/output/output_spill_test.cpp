#include "tools/output/output_spill.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/cut_text.h"
#include "tools/temporary_folder_testing.h"
#include "wright/tool.h"

namespace wright::tools {
namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

// Runs a tool that returns `output`, with spilling to `folder`.
ToolOutcome run(const Json& output, const std::filesystem::path& folder, std::size_t limit) {
  const std::vector<Tool> tools{tool("talk", "Talks", [output]() -> Result<Json> { return output; },
                                     {.effect = Effect::read, .output_limit = limit})};
  const auto spill = spill_output({.folder = folder});
  EXPECT_TRUE(spill);
  return execute(tools, {}, {"1", "talk", "{}"}, Context{.spill = *spill});
}

std::string path_in(std::string_view content) {
  constexpr std::string_view kBefore = "All of it is in ";
  const std::size_t start = content.find(kBefore);
  if (start == std::string_view::npos) return {};
  const std::string_view rest = content.substr(start + kBefore.size());
  return std::string(rest.substr(0, rest.find(';')));
}

TEST(OutputSpill, gives_the_model_head_tail_and_a_path_that_read_file_pages) {
  const TemporaryFolder base;
  const TemporaryFolder state;
  std::string output = "first line\n";
  for (int i = 0; i < 5000; ++i) output += fmt::format("line {}\n", i);
  output += "last line\n";
  const ToolOutcome outcome = run(Json(output), state / "spill", 1000);
  EXPECT_LT(outcome.result.content.size(), 1300U);
  EXPECT_TRUE(outcome.result.content.starts_with("first line\nline 0\n"));
  EXPECT_TRUE(outcome.result.content.ends_with("line 4999\nlast line\n"));
  const std::string path = path_in(outcome.result.content);
  EXPECT_EQ(content_of(path), output);

  const auto tools = file_tools({.base = base.path(), .readable = {state / "spill"}});
  ASSERT_TRUE(tools);
  const auto read = call(*tools, "read_file",
                         to_text(JsonObject{{"file_path", path}, {"offset", 4000}, {"limit", 2}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at("content").as_string(), "line 3998\nline 3999\n");
  EXPECT_EQ(read->at("file_path").as_string(), path);
}

TEST(OutputSpill, keeps_objects_as_lines) {
  const TemporaryFolder state;
  JsonArray items;
  for (int i = 0; i < 1000; ++i) items.emplace_back(i);
  const ToolOutcome outcome = run(items, state / "spill", 500);
  const std::string kept = content_of(path_in(outcome.result.content));
  EXPECT_GT(std::ranges::count(kept, '\n'), 900);
  EXPECT_EQ(parse_json(kept).value_or(Json()), Json(items));
}

TEST(OutputSpill, leaves_short_output_alone) {
  const TemporaryFolder state;
  EXPECT_EQ(run(Json("short"), state / "spill", 1000).result.content, "short");
  EXPECT_EQ(files_in(state / "spill"), 0U);
}

TEST(OutputSpill, cuts_no_character) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "é";
  for (std::size_t limit = 10; limit < 40; ++limit) {
    EXPECT_TRUE(is_valid_utf8(head_and_tail(text, limit, "path"))) << limit;
  }
}

TEST(OutputSpill, keeps_its_files_private) {
  const TemporaryFolder state;
  auto spill = OutputSpill::open({.folder = state / "a/spill"});
  ASSERT_TRUE(spill);
  const auto path = spill->keep("secret");
  ASSERT_TRUE(path);
  struct stat status {};
  ASSERT_EQ(::stat(path->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat((state / "a/spill").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST(OutputSpill, removes_what_is_old_and_what_is_too_much) {
  const TemporaryFolder state;
  state.write("output-20000101-000000-00000000.txt", "old").write("somebody-elses.txt", "stays");
  const timespec long_ago[2] = {{946'684'800, 0}, {946'684'800, 0}};
  for (const char* name : {"output-20000101-000000-00000000.txt", "somebody-elses.txt"}) {
    ASSERT_EQ(::utimensat(AT_FDCWD, (state / name).c_str(), long_ago, 0), 0);
  }
  auto spill = OutputSpill::open({.folder = state.path(), .max_bytes = 1000});
  ASSERT_TRUE(spill);
  EXPECT_EQ(files_in(state.path()), 1U);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(spill->keep(std::string(300, 'x')));
  EXPECT_EQ(files_in(state.path()), 4U);
  EXPECT_TRUE(std::filesystem::exists(state / "somebody-elses.txt"));
  EXPECT_FALSE(spill->keep(std::string(1001, 'x')));
}

TEST(OutputSpill, cuts_the_output_when_it_cannot_be_kept) {
  const TemporaryFolder state;
  const std::vector<Tool> tools{
      tool("talk", "Talks", []() { return std::string(1000, 'x'); }, {.output_limit = 100})};
  Context context;
  context.spill = [](std::string_view) -> Result<std::string> {
    return fail(ErrorCode::storage, "full");
  };
  const auto outcome = execute(tools, {}, {"1", "talk", "{}"}, context);
  EXPECT_NE(outcome.result.content.find("[Output cut: the first 100 of 1000 bytes]"),
            std::string::npos);
}

TEST(OutputSpill, says_when_its_folder_cannot_be_used) {
  const TemporaryFolder state;
  state.write("file");
  const auto spill = spill_output({.folder = state / "file"});
  ASSERT_FALSE(spill);
  EXPECT_EQ(spill.error().message,
            fmt::format("Long output cannot be kept in '{}': Not a directory",
                        (state / "file").native()));
  EXPECT_FALSE(spill_output({}));
}

}  // namespace
}  // namespace wright::tools
