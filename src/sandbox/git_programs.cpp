#include "sandbox/git_programs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace wright::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 3;

// The words of a line for a shell, without quotes. What only running it would tell is not asked.
std::vector<std::string> words_of(std::string_view command) {
  constexpr std::string_view kBetween = " \t\n!;&|()<>=";
  std::vector<std::string> words(1);
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back().push_back(command[++i]);
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote == '\0' && kBetween.find(c) != std::string_view::npos) {
      words.emplace_back();
    } else {
      words.back().push_back(c);
    }
  }
  return words;
}

// What people write for the top of the repository, which is where git runs it, and for their own
// folder. Nothing where that is too much.
std::optional<std::string> with_known_folders(std::string_view command, const fs::path& top,
                                              GitAllowance& allowance) {
  const fs::path person = folder_of_person();
  const std::pair<std::string_view, const fs::path&> kKnown[] = {
      {"$(git rev-parse --show-toplevel)", top},
      {"`git rev-parse --show-toplevel`", top},
      {"$PWD", top},
      {"${PWD}", top},
      {"$(pwd)", top},
      {"`pwd`", top},
      {"$GIT_WORK_TREE", top},
      {"${GIT_WORK_TREE}", top},
      {"$HOME", person},
      {"${HOME}", person}};
  std::string known;
  while (!command.empty()) {
    const std::size_t plain = std::min(command.find_first_of("$`"), command.size());
    known += command.substr(0, plain);
    command.remove_prefix(plain);
    const auto* const found = std::ranges::find_if(
        kKnown, [&](const auto& each) { return command.starts_with(each.first); });
    if (found != std::end(kKnown)) {
      if (!allowance.covers_name(found->second.native().size())) return std::nullopt;
      known += found->second.native();
      command.remove_prefix(found->first.size());
    } else if (!command.empty()) {
      known += command.front();
      command.remove_prefix(1);
    }
  }
  return known;
}

// Files that an interpreter finds for the word by itself: `node tools/clean`, `python3 -m clean`.
void add_what_it_finds(const std::string& word, const fs::path& top, std::vector<fs::path>& files) {
  std::string module = word;
  std::ranges::replace(module, '.', '/');
  for (const std::string& name :
       {word + ".js", word + ".cjs", word + ".mjs", word + ".ts", word + "/index.js", word + ".rb",
        word + ".py", module + ".py", module + "/__main__.py"}) {
    std::error_code problem;
    fs::path file = path_of_git(name, top);
    if (fs::is_regular_file(file, problem)) files.push_back(std::move(file));
  }
}

// A script in quotes, as in `sh -c '…'`, is a line of its own; `levels` of these are looked into.
bool add_programs_of_line(std::string_view line, const fs::path& top, int levels,
                          GitAllowance& allowance, std::vector<fs::path>& files) {
  const std::vector<std::string> words = words_of(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    if (!allowance.covers_name(words[i].size())) return false;
    std::error_code problem;
    fs::path file = path_of_git(words[i], top);
    // A shell looks for other first words in `PATH`. What `git-lfs` does is no file.
    const bool is_path = words[i].find('/') != std::string::npos;
    const bool is_its_word = i > 0 && (words[i - 1] == "git-lfs" || words[i - 1] == "git" ||
                                       (i == 2 && words[0] == "git" && words[1] == "lfs"));
    const bool runs = i == 0 ? is_path : !is_its_word && fs::is_regular_file(file, problem);
    if (runs) files.push_back(std::move(file));
    if (i > 0 && !is_its_word) add_what_it_finds(words[i], top, files);
    const bool is_line = words.size() > 1 && words[i].find(' ') != std::string::npos;
    if (is_line && levels > 0 &&
        !add_programs_of_line(words[i], top, levels - 1, allowance, files)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool names_program(const GitSetting& setting) {
  constexpr std::string_view kNames[] = {"alternaterefscommand",
                                         "askpass",
                                         "clean",
                                         "cmd",
                                         "command",
                                         "defaultkeycommand",
                                         "difffilter",
                                         "driver",
                                         "editor",
                                         "external",
                                         "fsmonitor",
                                         "gitproxy",
                                         "helper",
                                         "packobjectshook",
                                         "pager",
                                         "process",
                                         "program",
                                         "receivepack",
                                         "smtpserver",
                                         "smudge",
                                         "sshcommand",
                                         "textconv",
                                         "update",
                                         "uploadpack"};
  // `lfs.customtransfer.NAME.path`
  if (setting.section == "lfs" && setting.name == "path") return true;
  return setting.section == "pager" || std::ranges::find(kNames, setting.name) != std::end(kNames);
}

bool add_programs(std::string_view command, const fs::path& top, GitAllowance& allowance,
                  std::vector<fs::path>& files) {
  // Of a credential helper or an update: what follows is a line for a shell.
  if (command.starts_with('!')) command.remove_prefix(1);
  if (!allowance.covers_name(command.size())) return false;
  const auto line = with_known_folders(command, top, allowance);
  return line && add_programs_of_line(*line, top, kMostLevels, allowance, files);
}

}  // namespace wright::sandbox
