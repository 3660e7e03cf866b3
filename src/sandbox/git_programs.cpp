#include "sandbox/git_programs.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace wright::sandbox {
namespace {

namespace fs = std::filesystem;

// The words of a line for a shell, without quotes. What only running it would tell is not asked.
std::vector<std::string> words_of(const std::string& command) {
  constexpr std::string_view kBetween = " \t\n!;&|()<>=";
  std::vector<std::string> words(1);
  char quote = '\0';
  for (const char c : command) {
    if (c == quote) {
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
// folder.
std::string with_known_folders(std::string command, const fs::path& top) {
  const std::pair<std::string_view, fs::path> kKnown[] = {{"$(git rev-parse --show-toplevel)", top},
                                                          {"`git rev-parse --show-toplevel`", top},
                                                          {"$PWD", top},
                                                          {"${PWD}", top},
                                                          {"$HOME", folder_of_person()},
                                                          {"${HOME}", folder_of_person()}};
  for (const auto& [words, folder] : kKnown) {
    for (std::size_t at = command.find(words); at != std::string::npos;
         at = command.find(words, at + folder.native().size())) {
      command.replace(at, words.size(), folder.native());
    }
  }
  return command;
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
  return setting.section == "pager" || std::ranges::find(kNames, setting.name) != std::end(kNames);
}

std::vector<fs::path> programs_named(const std::string& command, const fs::path& top) {
  std::vector<fs::path> files;
  // Of a credential helper or an update: what follows is a line for a shell.
  const std::string line = command.starts_with('!') ? command.substr(1) : command;
  const std::vector<std::string> words = words_of(with_known_folders(line, top));
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::error_code problem;
    fs::path file = path_of_git(words[i], top);
    // A shell looks for other first words in `PATH`.
    const bool is_path = words[i].find('/') != std::string::npos;
    const bool runs = i == 0 ? is_path : !words[i].empty() && fs::is_regular_file(file, problem);
    if (runs) files.push_back(std::move(file));
    // A script in quotes, as in `sh -c '…'`, is a line of its own.
    const bool is_line = words.size() > 1 && words[i].find(' ') != std::string::npos;
    if (is_line) std::ranges::move(programs_named(words[i], top), std::back_inserter(files));
  }
  return files;
}

}  // namespace wright::sandbox
