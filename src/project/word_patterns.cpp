#include "project/word_patterns.h"

#include <dirent.h>
#include <fnmatch.h>

#include <memory>
#include <string_view>
#include <utility>

namespace wright::project {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWordsOfBraces = 1000;
constexpr std::size_t kLongestWord = 16'384;  // with braces
// Looking for braces takes that many times as long as looking for a file.
constexpr std::size_t kCostOfBraces = 8;

// What stands between the braces, as places in the word: "{" of the first, "," of each, "}".
using Marks = std::vector<std::size_t>;

// Of the first braces in which a shell sees alternatives; empty where there are none.
Marks marks_of_braces(std::string_view word) {
  std::vector<Marks> open;
  Marks first;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] == '{') {
      open.push_back({at});
    } else if (word[at] == ',' && !open.empty()) {
      open.back().push_back(at);
    } else if (word[at] == '}' && !open.empty()) {
      Marks marks = std::move(open.back());
      open.pop_back();
      marks.push_back(at);
      const bool is_range = word.substr(marks[0], at - marks[0]).contains("..");
      const bool has_choice = marks.size() > 2 || is_range;
      if (has_choice && (first.empty() || marks.front() < first.front())) first = std::move(marks);
      if (open.empty() && !first.empty()) break;
    }
  }
  return first;
}

// A program or JSON in quotes names no file by its braces.
std::optional<std::vector<std::string>> too_many(std::string_view word) {
  if (word.find_first_of(" \t\n\"':();=<>|&") == std::string_view::npos) return std::nullopt;
  return std::vector<std::string>();
}

bool is_pattern(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

// The entries of a folder whose names are like the pattern.
std::optional<std::vector<fs::path>> entries_like(const fs::path& folder,
                                                  const std::string& pattern,
                                                  Allowance& allowance) {
  std::vector<fs::path> found;
  if (!allowance.covers(folder.native().size())) return std::nullopt;
  const std::unique_ptr<DIR, decltype([](DIR* open) { ::closedir(open); })> entries(
      ::opendir(folder.c_str()));
  if (!entries) return found;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (!allowance.covers(name.size())) return std::nullopt;
    if (name == "." || name == ".." || ::fnmatch(pattern.c_str(), entry->d_name, FNM_PERIOD) != 0) {
      continue;
    }
    if (!allowance.covers(folder.native().size())) return std::nullopt;
    found.push_back(folder / name);
  }
  return found;
}

}  // namespace

std::optional<std::vector<std::string>> without_braces(const std::string& word,
                                                       Allowance& allowance) {
  if (!word.contains('{')) return std::vector{word};
  if (word.size() > kLongestWord) return too_many(word);
  std::vector<std::string> done;
  std::vector<std::string> to_do{word};
  while (!to_do.empty()) {
    const std::string next = std::move(to_do.back());
    to_do.pop_back();
    if (!allowance.covers(next.size() * kCostOfBraces)) return std::nullopt;
    const Marks marks = marks_of_braces(next);
    if (marks.empty()) {
      done.push_back(next);
    } else {
      const std::string before = next.substr(0, marks.front());
      const std::string after = next.substr(marks.back() + 1);
      if (marks.size() == 2) to_do.push_back(before + "*" + after);
      for (std::size_t i = 0; marks.size() > 2 && i + 1 < marks.size(); ++i) {
        const std::size_t begin = marks[i] + 1;
        if (!allowance.covers(next.size())) return std::nullopt;
        to_do.push_back(before + next.substr(begin, marks[i + 1] - begin) + after);
      }
    }
    if (done.size() + to_do.size() > kMostWordsOfBraces) return too_many(word);
  }
  return done;
}

std::optional<std::vector<fs::path>> paths_like(const fs::path& place, const std::string& word,
                                                Allowance& allowance) {
  if (!is_pattern(word)) return std::vector{place / word};
  std::vector<fs::path> paths{word.starts_with('/') ? fs::path("/") : place};
  for (const fs::path& name : fs::path(word).relative_path()) {
    std::vector<fs::path> longer;
    for (const fs::path& path : paths) {
      if (!is_pattern(name.native())) {
        if (!allowance.covers(path.native().size())) return std::nullopt;
        longer.push_back(path / name);
        continue;
      }
      auto entries = entries_like(path, name.native(), allowance);
      if (!entries) return std::nullopt;
      for (fs::path& entry : *entries) longer.push_back(std::move(entry));
    }
    paths = std::move(longer);
  }
  return paths;
}

}  // namespace wright::project
