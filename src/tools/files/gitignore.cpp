#include "tools/files/gitignore.h"

#include <algorithm>
#include <ranges>

namespace wright::tools {
namespace {

// Spaces at the end mean nothing, unless a backslash says otherwise.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == ' ') {
      continue;
    }
    end = std::min(i + 1, line.size());
  }
  return line.substr(0, end);
}

}  // namespace

IgnoreFile IgnoreFile::parse(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  IgnoreFile file;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = line.substr(0, line.find('\0'));
    if (!line.starts_with('#')) file.add(without_trailing_spaces(line));
  }
  return file;
}

void IgnoreFile::add(std::string_view line) {
  const bool is_negated = line.starts_with('!');
  if (is_negated) line.remove_prefix(1);
  const bool is_for_folders = line.ends_with('/');
  if (is_for_folders) line.remove_suffix(1);
  const bool is_name_only = line.find('/') == std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  // A malformed rule matches nothing, as in git.
  auto wildcard = Wildcard::compile(line, WildcardStyle::git);
  if (!wildcard) return;
  rules_.push_back({std::move(*wildcard), is_negated, is_for_folders, is_name_only});
}

IgnoreFile::Verdict IgnoreFile::judge(std::string_view path, EntryKind kind) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Rule& rule : std::views::reverse(rules_)) {
    if (rule.is_for_folders && kind != EntryKind::folder) continue;
    if (!rule.wildcard.matches(rule.is_name_only ? name : path)) continue;
    return rule.is_negated ? Verdict::kept : Verdict::ignored;
  }
  return Verdict::none;
}

}  // namespace wright::tools
