#include "sandbox/printing_reach.h"

#include <algorithm>
#include <span>

#include "sandbox/shell_characters.h"

namespace wright::sandbox {
namespace {

using Words = std::span<const ShellWord>;

// One script of sed: `ADDRESS,ADDRESS COMMAND` any number of times, with ; between them.
class SedScript {
 public:
  explicit SedScript(std::string_view text) : rest_(text) {}

  bool only_prints() {
    if (rest_.find('\n') != std::string_view::npos) return false;
    do {
      skip_blanks();
      if (!take_addresses() || !take_command()) return false;
      skip_blanks();
    } while (take(';'));
    return rest_.empty();
  }

 private:
  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_one_of(std::string_view wanted) {
    if (rest_.empty() || wanted.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (take(' ') || take('\t')) {
    }
  }
  void take_digits() {
    while (!rest_.empty() && is_digit(rest_.front())) rest_.remove_prefix(1);
  }

  // Through the next slash. Implementations of sed disagree on whether a slash in brackets counts.
  bool take_through_slash() {
    bool is_in_brackets = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '/') return !is_in_brackets;
      if (c == '[') is_in_brackets = true;
      if (c == ']') is_in_brackets = false;
      if (c == '\\' && !rest_.empty()) rest_.remove_prefix(1);
    }
    return false;
  }

  bool take_address() {
    if (take('/')) return take_through_slash();
    if (take('$')) return true;
    take('+');
    take_digits();
    if (take('~')) take_digits();
    return true;
  }

  bool take_addresses() {
    if (!take_address()) return false;
    skip_blanks();
    if (take(',')) {
      skip_blanks();
      if (!take_address()) return false;
      skip_blanks();
    }
    take('!');
    skip_blanks();
    return true;
  }

  bool take_command() {
    if (take('s')) {
      if (!take('/') || !take_through_slash() || !take_through_slash()) return false;
      while (take_one_of("gpiI0123456789")) {
      }
      return true;
    }
    return take_one_of("pdq=");
  }

  std::string_view rest_;
};

bool can_be_an_option(const ShellWord& word) {
  if (word.text.empty()) return !word.is_literal();
  return word.text.front() == '-' && !word.is("-");
}

CommandReach like_cat(Words files, const ShellCommand& command) {
  ShellCommand cat{.assignments = command.assignments, .source = command.source};
  cat.words.push_back({ShellWord::Kind::literal, "cat", true});
  cat.words.insert(cat.words.end(), files.begin(), files.end());
  return {true, {std::move(cat)}};
}

// `words` from the script on: options may follow it.
std::optional<CommandReach> with_script(Words words, const ShellCommand& command,
                                        bool (*only_prints)(std::string_view)) {
  if (words.empty() || !words.front().is_literal() || !only_prints(words.front().text)) {
    return std::nullopt;
  }
  const Words files = words.subspan(1);
  if (std::ranges::any_of(files, can_be_an_option)) return std::nullopt;
  return like_cat(files, command);
}

std::optional<CommandReach> sed_reach(const ShellCommand& command) {
  Words words = Words(command.words).subspan(1);
  while (!words.empty() && can_be_an_option(words.front())) {
    const ShellWord& option = words.front();
    if (!option.is_literal() ||
        option.text.substr(1).find_first_not_of("nErsu") != option.text.npos) {
      return std::nullopt;
    }
    words = words.subspan(1);
  }
  return with_script(words, command, only_prints_with_sed);
}

std::optional<CommandReach> awk_reach(const ShellCommand& command) {
  Words words = Words(command.words).subspan(1);
  while (!words.empty() && can_be_an_option(words.front())) {
    const ShellWord& option = words.front();
    const bool is_known =
        option.is_literal() && (option.text.starts_with("-F") || option.text.starts_with("-v"));
    const std::size_t taken = option.text.size() == 2 ? 2 : 1;
    if (!is_known || words.size() < taken) return std::nullopt;
    if (taken == 2 && words[1].kind == ShellWord::Kind::many_words) return std::nullopt;
    words = words.subspan(taken);
  }
  return with_script(words, command, only_prints_with_awk);
}

}  // namespace

bool only_prints_with_sed(std::string_view script) {
  return SedScript(script).only_prints();
}

bool only_prints_with_awk(std::string_view script) {
  // What can reach a file or a program has one of these in it.
  if (script.find_first_of("|>@") != std::string_view::npos) return false;
  return script.find("system") == std::string_view::npos &&
         script.find("getline") == std::string_view::npos;
}

std::optional<CommandReach> printing_reach(std::string_view name, const ShellCommand& command) {
  if (name == "sed") return sed_reach(command);
  if (name == "awk" || name == "gawk" || name == "mawk") return awk_reach(command);
  return std::nullopt;
}

}  // namespace wright::sandbox
