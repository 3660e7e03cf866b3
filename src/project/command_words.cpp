#include "project/command_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace wright::project {
namespace {

constexpr std::size_t kMostFoldersInFront = 40;  // in front of a name, which no real path has

constexpr std::string_view kFolder = "\x01";  // stands for the folder while words are divided

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string replaced;
  std::size_t at = 0;
  for (std::size_t found = 0; (found = text.find(from, at)) != std::string::npos;
       at = found + from.size()) {
    replaced.append(text, at, found - at).append(to);
  }
  if (at > 0) text = replaced.append(text, at);
}

// Collects the words of one way to read the command.
class Words {
 public:
  explicit Words(std::vector<std::string>& words) : words_(words) {}

  void add(char c) { word_ += c; }
  void end_word() {
    if (!word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
  }

 private:
  std::vector<std::string>& words_;
  std::string word_;
};

// Divided wherever one of `between` stands, in quotes and without them; what is `left_out` divides
// nothing.
void split(std::string_view command, std::string_view between, std::string_view left_out,
           std::vector<std::string>& all) {
  Words words(all);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\\' && i + 1 < command.size()) {
      words.add(command[++i]);
    } else if (between.contains(command[i])) {
      words.end_word();
    } else if (!left_out.contains(command[i])) {
      words.add(command[i]);
    }
  }
  words.end_word();
}

// As a shell does it: what is in quotes divides nothing, and the quotes themselves vanish.
void split_as_shell(std::string_view command, std::vector<std::string>& all) {
  constexpr std::string_view kBetween = " \t\r\n;|&<>()`";
  Words words(all);
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const char next = i + 1 < command.size() ? command[i + 1] : '\0';
    if (c == '\\' && quote != '\'' && next != '\0') {
      words.add(next);
      ++i;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
    } else if (quote == 0 && c == '$' && (next == '"' || next == '\'')) {
      continue;  // $'check'.sh
    } else if (quote == 0 && kBetween.contains(c)) {
      words.end_word();
    } else {
      words.add(c);
    }
  }
  words.end_word();
}

// Whether a shell goes on with a word there of which it is not known what it is.
bool ends_substitution(std::string_view before) {
  if (before.empty()) return false;
  if (before.back() == ')' || before.back() == '`' || before.back() == '}') return true;
  const bool is_quote = before.back() == '"' || before.back() == '\'';
  const std::string_view inside = before.substr(0, before.size() - 1);
  // Not one that begins.
  return is_quote && !inside.empty() && !std::string_view(" \t\r\n=;|&(").contains(inside.back());
}

}  // namespace

std::vector<std::string> words_in(std::string command, const std::filesystem::path& folder) {
  replace_all(command, "\\\n", "");  // a line that goes on in the next one
  // It may have blanks in its name, which divide nothing.
  for (const char* name : {"WRIGHT_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"}) {
    replace_all(command, fmt::format("\"${}\"", name), kFolder);
    replace_all(command, fmt::format("\"${{{}}}\"", name), kFolder);
    replace_all(command, fmt::format("${{{}}}", name), kFolder);
    replace_all(command, fmt::format("${}", name), kFolder);
  }
  for (const char* top : {"$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`"}) {
    replace_all(command, top, kFolder);
  }
  std::vector<std::string> words;
  split(command, " \t\r\n;|&<>()\"'`=", "", words);
  words.emplace_back();
  split(command, " \t\r\n;|&<>(){}\"'`=:", "", words);
  words.emplace_back();
  split(command, "\"'", "", words);  // names with blanks
  words.emplace_back();
  split(command, " \t\r\n;|&<>()`=", "\"'", words);  // a line for another shell in quotes
  words.emplace_back();
  split_as_shell(command, words);
  words.emplace_back();
  // Behind a substitution a path only looks absolute: as if behind a variable.
  for (std::size_t at = command.find('/'); at != std::string::npos;
       at = command.find('/', at + 1)) {
    if (!ends_substitution(std::string_view(command).substr(0, at))) continue;
    const std::size_t end =
        std::min(command.find_first_of(" \t\r\n;|&<>()\"'`=", at), command.size());
    words.push_back("$" + command.substr(at, end - at));
  }
  for (std::string& word : words) replace_all(word, kFolder, folder.string());
  return words;
}

std::vector<std::string> names_in(const std::string& word) {
  std::vector<std::string> names{word};
  if (word.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    if (home != nullptr) names.push_back(fmt::format("{}{}", home, word.substr(1)));
    std::error_code problem;
    if (std::filesystem::exists(names.back(), problem)) return names;
  } else if (!word.starts_with('$')) {
    // `tools/$F`: the folder in front, and what follows.
    const std::size_t variable = word.find('$');
    const std::size_t slash = word.rfind('/', variable);
    if (variable == std::string::npos || slash == std::string::npos) return names;
    names.push_back(word.substr(0, slash + 1));
    const std::size_t rest = word.find('/', variable);
    if (rest != std::string::npos && rest + 1 < word.size()) names.push_back(word.substr(rest + 1));
    return names;
  }
  for (std::size_t at = word.find('/');
       at != std::string::npos && names.size() <= kMostFoldersInFront; at = word.find('/', at)) {
    at = word.find_first_not_of('/', at);
    if (at == std::string::npos) break;
    names.push_back(word.substr(at));
  }
  return names;
}

}  // namespace wright::project
