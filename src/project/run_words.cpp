#include "project/run_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>

#include "core/text.h"

namespace wright::project {
namespace {

// Options, their values and subcommands (`deno run`), which may have the name of a file as well.
constexpr int kLeastWords = 4;
constexpr int kMostWords = 16;

// What runs the programs of packages (npx), or takes files of known endings only (java), is not
// among them: what else they are told is data as a rule.
constexpr auto kInterpreters = std::to_array<std::string_view>(
    {"sh",       "bash",          "dash",    "zsh",    "ksh",     "mksh",    "fish",   "ash",
     "csh",      "tcsh",          "busybox", "source", ".",       "env",     "exec",   "eval",
     "bash_env", "pythonstartup", "python",  "pypy",   "ipython", "node",    "nodejs", "deno",
     "bun",      "tsx",           "ts-node", "ruby",   "jruby",   "perl",    "raku",   "php",
     "lua",      "luajit",        "tclsh",   "wish",   "expect",  "rscript", "r",      "octave",
     "julia",    "groovy",        "pwsh",    "elixir", "escript", "guile",   "racket", "sbcl",
     "ocaml",    "osascript",     "emacs",   "vim",    "nvim",    "ex",      "m4",     "gnuplot"});
constexpr auto kReadersOfPrograms = std::to_array<std::string_view>(
    {"awk",    "gawk", "mawk",  "nawk",   "sed",    "gsed",      "jq",    "gojq",
     "yq",     "make", "gmake", "bmake",  "just",   "task",      "rake",  "ant",
     "gradle", "mvn",  "cmake", "ctest",  "ninja",  "psql",      "mysql", "sqlite",
     "gdb",    "lldb", "bc",    "docker", "podman", "pre-commit"});

// `python3.11` and `python-3.11` are python.
std::string name_of(std::string_view program) {
  program = program.substr(program.rfind('/') + 1);
  if (program == ".") return ".";
  const std::size_t last = program.find_last_not_of("0123456789.-");
  return lower(program.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

template <std::size_t count>
bool is_among(const std::array<std::string_view, count>& names, std::string_view program) {
  return std::ranges::find(names, name_of(program)) != names.end();
}

bool is_of_name(char c) {
  return c == '_' || c == '{' || c == '@' || c == '*' || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_option(std::string_view word) {
  return word.size() > 1 && (word.front() == '-' || word.front() == '+');
}

// `-f`, `-nf`, cmake's `-P`, ctest's `-S`, gdb's `-x`
bool names_a_program(std::string_view option) {
  if (!is_option(option)) return false;
  if (!option.starts_with("--")) return std::string_view("fPSx").contains(option.back());
  constexpr auto kLong = std::to_array<std::string_view>(
      {"--file", "--from-file", "--makefile", "--script", "--command", "--justfile"});
  return std::ranges::find(kLong, option) != kLong.end();
}

}  // namespace

bool RunWords::may_run(std::string_view word) const {
  switch (expected_) {
    case Expected::nothing: return false;
    case Expected::file: return true;
    case Expected::file_of_option: return is_behind_file_option_ || word.starts_with("-f");
  }
  return false;
}

bool RunWords::is_the_one(std::string_view word) const {
  return may_run(word) && expected_ == Expected::file && !has_met_file_;
}

void RunWords::pass(std::string_view word, bool is_file) {
  // `jq . file`
  const bool is_argument = word == "." && expected_ == Expected::file_of_option;
  if (word.empty()) {
    expected_ = Expected::nothing;
  } else if (is_among(kInterpreters, word) && !is_argument) {
    *this = RunWords();
    expected_ = Expected::file;
    interpreter_ = name_of(word);
  } else if (is_among(kReadersOfPrograms, word)) {
    *this = RunWords();
    expected_ = Expected::file_of_option;
  } else if (expected_ != Expected::nothing) {
    // Behind an option it may be the option's.
    has_met_file_ = has_met_file_ || (is_file && !is_behind_option_);
    ++words_;
    const bool is_over = has_met_file_ && expected_ == Expected::file && words_ >= kLeastWords;
    if (is_over || words_ >= kMostWords) expected_ = Expected::nothing;
  }
  if (expected_ != Expected::file) interpreter_.clear();
  is_behind_option_ = is_option(word);
  is_behind_file_option_ = names_a_program(word);
}

bool pipes_into_interpreter(std::string_view command) {
  for (std::size_t at = command.find('|'); at != std::string_view::npos;
       at = command.find('|', at + 1)) {
    const std::string_view rest = command.substr(at + 1);
    bool is_first = true;
    bool is_bare = false;
    for (const auto part :
         rest.substr(0, rest.find_first_of("|&;\n)'\"")) | std::views::split(' ')) {
      const std::string_view word(part);
      if (word.empty()) continue;
      is_bare = is_first ? is_among(kInterpreters, word) : is_bare && word.front() == '-';
      is_first = false;
      if (is_bare && (word == "-" || word == "--" || word == "-s")) return true;
    }
    if (is_bare) return true;
  }
  return false;
}

bool has_variable(std::string_view word) {
  for (std::size_t at = word.find('$'); at != std::string_view::npos; at = word.find('$', at + 1)) {
    const std::string_view rest = word.substr(at + 1);
    const bool is_home = rest.starts_with("HOME") || rest.starts_with("{HOME}");
    if (!rest.empty() && is_of_name(rest.front()) && !is_home) return true;
  }
  return false;
}

}  // namespace wright::project
