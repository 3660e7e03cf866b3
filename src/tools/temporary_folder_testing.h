// For tests of this folder: a folder to work in, what is seen in it without the rights of root, and a
// way to call a tool as a model does.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "core/try.h"
#include "wright/testing.h"
#include "wright/tools.h"

namespace wright::tools {

// Drops the rights of root while it lives, so that permissions mean something.
class WithoutRoot {
 public:
  WithoutRoot() { become(65534); }
  ~WithoutRoot() { become(0); }

 private:
  void become(uid_t user) const {
    if (was_root_ && ::seteuid(user) != 0) std::abort();
  }
  bool was_root_ = ::geteuid() == 0;
};

inline std::string shell_word(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\'') {
      made += "'\\''";
    } else {
      made += c;
    }
  }
  return made + "'";
}

// What a shell command prints. An exit code above `highest_good_code` is a failed test.
inline std::string output_of(const std::string& command, int highest_good_code = 0) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) std::abort();
  std::string output;
  std::array<char, 65536> buffer;
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), length);
  }
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= highest_good_code) << command;
  return output;
}

inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Calls a file tool with arguments as JSON text.
inline Result<Json> call(const std::vector<Tool>& tools, std::string_view name,
                         std::string_view arguments, std::stop_token stop = {}) {
  const auto found = std::ranges::find(
      tools, name, [](const Tool& tool) -> std::string_view { return tool.spec.name; });
  if (found == tools.end()) return fail(ErrorCode::not_found, "no such tool");
  auto json = TRY(parse_json(arguments));
  Context context;
  context.stop = std::move(stop);
  if (found->rewrite) json = found->rewrite(std::move(json));
  return testing::answer_of(*found, json, context);
}

inline Result<Json> call(const TemporaryFolder& base, std::string_view name,
                         std::string_view arguments, std::stop_token stop = {}) {
  const auto tools = TRY(file_tools(base.path()));
  return call(tools, name, arguments, std::move(stop));
}

// The same for the tools that write.
inline Result<Json> edit(const TemporaryFolder& base, std::string_view name,
                         const JsonObject& arguments) {
  const auto tools = TRY(editing_tools({.base = base.path(), .writable = {"."}}));
  return call(tools, name, to_text(arguments));
}

// Everything below a folder: paths with kind, mode and content, for comparing two states.
inline std::map<std::string, std::string> snapshot(const std::filesystem::path& folder) {
  std::map<std::string, std::string> made;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).native();
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0) std::abort();
    std::string state = fmt::format("{:o} ", status.st_mode);
    if (entry.is_symlink()) {
      state += std::filesystem::read_symlink(entry.path()).native();
    } else if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      state.append(std::istreambuf_iterator<char>(file), {});
    }
    made[name] = std::move(state);
  }
  return made;
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "(no such file)";
  return {std::istreambuf_iterator<char>(file), {}};
}

// The strings of a JSON array.
inline std::vector<std::string> strings(const Json& array) {
  std::vector<std::string> made;
  for (const Json& item : array.as_array()) made.emplace_back(item.as_string());
  return made;
}

using Strings = std::vector<std::string>;

}  // namespace wright::tools
