// Holds the parser against bash and dash themselves: of random lines that the parser accepts, every
// command that the shell really runs must have been found. The lines run in a sandbox with few
// processes and little time; `make fuzz` runs more of them, from another seed every time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/sandbox_testing.h"
#include "sandbox/shell_syntax.h"

namespace wright::sandbox {
namespace {

using namespace std::chrono_literals;

// Nothing is in PATH, so bash hands every command to this function, which writes its name down.
constexpr std::string_view kPrelude =
    "PATH=/nonexistent; command_not_found_handle() { printf '%s\\0' \"$1\" >> ran; }\n";

// Pieces that make and break constructs. No loop without an end, nothing that calls itself.
constexpr std::array kPieces = std::to_array<std::string_view>({"c1",          "c2",
                                                                "c3 ",         "c4 x",
                                                                " ",           " ",
                                                                ";",           "; ",
                                                                "\n",          "\n",
                                                                "&&",          "||",
                                                                "|",           "&",
                                                                "$(",          ")",
                                                                "`",           "(",
                                                                "{ ",          "; }",
                                                                "'",           "\"",
                                                                "\\",          "$y",
                                                                "${y:-",       "}",
                                                                "<(",          ">(",
                                                                ">f1",         "<f1",
                                                                "<<E\n",       "<<'E'\n",
                                                                "\nE\n",       "<<-E\n",
                                                                "if ",         "; then ",
                                                                "; fi",        "for i in 1; do ",
                                                                "; done",      "case a in ",
                                                                "a) ",         ";; ",
                                                                "esac",        "g() ",
                                                                "! ",          "#",
                                                                "y=",          "y=(",
                                                                "$((1",        "))",
                                                                "[[ ",         " ]]",
                                                                "\\\n",        "$'",
                                                                "{c1,c2}",     "*",
                                                                "2>&1",        "<<<",
                                                                "&>f2",        "time ",
                                                                "$\"",         "]",
                                                                "elif ",       "; else ",
                                                                "do ",         "; do ",
                                                                ";& ",         ";;& ",
                                                                "function h ", "select i in 1; do ",
                                                                "{ c5; }",     "(c6)",
                                                                "[[ a && ",    " =~ (a|b) ",
                                                                "|&",          ">&",
                                                                "<&",          ">|",
                                                                "&>>",         "2>",
                                                                "<>",          "y+=",
                                                                "a[0]=",       "${#y}",
                                                                "${y%",        "${y/",
                                                                "${y:1:2}",    "${a[0]}",
                                                                "$@",          "\"$@\"",
                                                                "$(<f1)",      "\r",
                                                                "\v",          "\f",
                                                                "\xC2\xA0",    "~",
                                                                "{1..2}",      "\t",
                                                                "--",          "-p ",
                                                                "coproc ",     "((1))",
                                                                "+(",          "@(c7",
                                                                "!(",          "esac ",
                                                                "in ",         "} ",
                                                                "=",           "x=1 ",
                                                                "<<\"E\"\n",   "<<E c8\n",
                                                                "$(c9)",       "`c10`",
                                                                "'c11'",       "\\;",
                                                                "$'\\''",      "[[ x =~ (#",
                                                                "(#) ",        "\\\"",
                                                                "\"${y:-`",    "10>f1",
                                                                ">&1-2",       "&>f1 c12"});

class LineMaker {
 public:
  explicit LineMaker(unsigned seed) : random_(seed) {}

  // Mostly noise, which finds where the two disagree about where something ends.
  std::string noise() {
    std::string line;
    const int count = pick(4, 14);
    constexpr int kLast = static_cast<int>(kPieces.size()) - 1;
    for (int i = 0; i < count; ++i) line += kPieces[static_cast<std::size_t>(pick(0, kLast))];
    return line;
  }

  // Well-formed, which finds commands at any depth.
  std::string command(int depth) {
    const std::string name = fmt::format("c{}", pick(1, 99));
    if (depth == 0) return name + words();
    const std::string inner = command(depth - 1);
    const std::string other = command(depth - 1);
    switch (pick(0, 29)) {
      case 0: return inner + "; " + other;
      case 1: return inner + " && " + other + " || " + name;
      case 2: return inner + " | " + other;
      case 3: return "( " + inner + " )";
      case 4: return "{ " + inner + "; }";
      case 5: return name + " $(" + inner + ")";
      case 6: return name + " \"a $(" + inner + ") b\"";
      case 7:
        return name + " `" + (inner.find_first_of("`\\") == std::string::npos ? inner : name) + "`";
      case 8: return name + " ${y:-$(" + inner + ")}";
      case 9: return "if " + inner + "; then " + other + "; else " + name + "; fi";
      case 10: return "for i in 1 2; do " + inner + "; done";
      case 11: return "case x in y) " + other + ";; *) " + inner + ";; esac";
      case 12: return "g() { " + inner + "; }; g; " + name;
      case 13: return "Y=$(" + inner + ") " + name;
      case 14: return name + " <<E\n$(" + other + ")\nE\n" + inner;
      case 15: return name + " <<'E'\n$(c0)\nE\n" + inner;
      case 16: return name + " <(" + inner + ")";
      case 17: return "! " + inner;
      case 18: return name + " 'c0; $(c0)' \"c0 \\$(c0)\" # c0\n" + inner;
      case 19: return "Y=1 \\\n " + name + "; " + inner;
      case 20: return "[[ a == $(" + inner + ") ]]; " + name;
      case 21: return "do " + inner + "; do " + other + "; done";
      case 22: return "case x in y) c0;; x) " + inner + ";& z) " + other + ";; esac";
      case 23: return "h() if true; then " + inner + "; fi; h; " + name;
      case 24: return "y=($(" + inner + ") b)\n" + other;
      case 25: return name + " <<-E | " + other + "\n\t`" + name + "`\n\tE\n" + inner;
      case 26: return name + " \"${y:-\"$(" + inner + ")\"}\" && " + other;
      case 27: return "if false; then c0; elif " + inner + "; then " + other + "; fi";
      case 28: return name + " $(case x in x) " + inner + ";; esac)";
      default: return "{ " + inner + "; } > f1 2>&1";
    }
  }

 private:
  int pick(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  std::string words() {
    constexpr std::array kWords{"", " x", " 'x y'", " -a", " *.c", " \"$y\"", " > f2", " x\\;y"};
    return kWords[static_cast<std::size_t>(pick(0, 7))];
  }

  std::mt19937 random_;
};

struct Found {
  std::set<std::string> names;
  bool has_unknown = false;
};

Found found_in(const std::vector<ShellCommand>& commands) {
  Found found;
  for (const ShellCommand& command : commands) {
    if (command.words.empty()) continue;
    const ShellWord& name = command.words.front();
    if (name.is_literal()) {
      found.names.insert(name.text);
    } else {
      found.has_unknown = true;
    }
  }
  return found;
}

// How many lines, and from which seed: more and others where the environment says so.
int rounds(int usual) {
  const char* wanted = std::getenv("WRIGHT_SHELL_ROUNDS");
  return wanted == nullptr ? usual : usual * std::atoi(wanted);
}
unsigned seed(unsigned usual) {
  const char* wanted = std::getenv("WRIGHT_SHELL_SEED");
  return wanted == nullptr ? usual : static_cast<unsigned>(std::atoi(wanted));
}

SandboxPolicy small_policy(const Grounds& grounds) {
  auto policy = grounds.policy();
  policy.limits = {.processes = 100, .file_bytes = 1 << 20, .memory_bytes = 1U << 30};
  return policy;
}

class AgainstBash : public testing::Test {
 protected:
  // The names of the commands that bash ran; empty when time was up.
  std::set<std::string> run_by_bash(const std::string& line) const {
    const auto log = grounds_.workspace() / "ran";
    std::filesystem::remove(log);
    (void)run_line(sandbox_, std::string(kPrelude) + line, grounds_.workspace(), {.timeout = 20s});
    std::istringstream text(Grounds::read(log));
    std::set<std::string> names;
    for (std::string name; std::getline(text, name, '\0');) names.insert(name);
    return names;
  }

  // True when the line was worth something: accepted, and something ran.
  bool agrees_on(const std::string& line) {
    const auto commands = parse_shell_line(line);
    if (!commands) {
      if (commands.error().code == ErrorCode::invalid_argument) refused_.push_back(line);
      constexpr std::size_t kMostAtOnce = 500;
      if (refused_.size() == kMostAtOnce) expect_bash_to_refuse_the_same();
      return false;
    }
    const Found found = found_in(*commands);
    const auto ran = run_by_bash(line);
    for (const std::string& name : ran) {
      EXPECT_TRUE(found.names.contains(name) || found.has_unknown)
          << "bash ran '" << name << "', which was not found in:\n"
          << line;
    }
    EXPECT_FALSE(ran.contains("c0")) << "c0 stands only where it is no command:\n" << line;
    return !ran.empty();
  }

  // A person is not asked about what the parser calls broken: bash must refuse all of it, too.
  // Reads the lines, and runs nothing of them.
  void expect_bash_to_refuse_the_same() {
    constexpr std::string_view kScript =
        "while IFS= read -r -d '' line; do\n"
        "  said=$(/bin/bash -n -c \"$line\" 2>&1 < /dev/null)\n"
        "  printf '%s\\0%s\\0' $? \"$said\"\n"
        "done < refused > answers";
    std::string lines;
    for (const std::string& line : refused_) lines.append(line).push_back('\0');
    Grounds::write(grounds_.workspace() / "refused", lines);
    (void)run_line(sandbox_, std::string(kScript), grounds_.workspace(), {.timeout = 300s});
    std::istringstream answers(Grounds::read(grounds_.workspace() / "answers"));
    for (const std::string& line : std::exchange(refused_, {})) {
      std::string exit_code;
      std::string said;
      std::getline(answers, exit_code, '\0');
      ASSERT_TRUE(std::getline(answers, said, '\0')) << "bash was not asked about:\n" << line;
      // It complains about some broken conditions, runs nothing of the line, and says 0.
      const bool is_refused = exit_code != "0" || said.contains("unexpected token") ||
                              said.contains("syntax error") || said.contains("conditional");
      EXPECT_TRUE(is_refused) << "bash could run this line:\n" << line;
    }
  }

  std::vector<std::string> refused_;
  Grounds grounds_;
  Sandbox sandbox_ = Sandbox::prepare(small_policy(grounds_)).value();
};

// dash tells nobody what it cannot find, so there is a program by each name, which does.
class AgainstDash : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/bin/dash")) GTEST_SKIP() << "dash is not installed";
    std::filesystem::create_directory(grounds_.workspace() / "bin");
    const auto first = grounds_.workspace() / "bin/c0";
    Grounds::write(first, "#!/bin/dash\necho \"${0##*/}\" >> " + log().string() + "\n");
    std::filesystem::permissions(first, std::filesystem::perms(0755));
    for (int i = 1; i < 100; ++i) {
      std::filesystem::create_symlink("c0", grounds_.workspace() / fmt::format("bin/c{}", i));
    }
  }

  std::filesystem::path log() const { return grounds_.workspace() / "ran"; }

  bool agrees_on(const std::string& line) const {
    const auto commands = parse_shell_line(line, ShellDialect::dash);
    if (!commands) return false;
    const Found found = found_in(*commands);
    std::filesystem::remove(log());
    const auto finished =
        sandbox_.run({.arguments = {"/bin/dash", "-c", line},
                      .working_directory = grounds_.workspace(),
                      .environment = {{"PATH", (grounds_.workspace() / "bin").string()}}},
                     {.timeout = 20s});
    EXPECT_TRUE(finished) << line;
    std::istringstream text(Grounds::read(log()));
    bool has_run = false;
    for (std::string name; std::getline(text, name); has_run = true) {
      EXPECT_TRUE(found.names.contains(name) || found.has_unknown)
          << "dash ran '" << name << "', which was not found in:\n"
          << line;
      EXPECT_NE(name, "c0") << "c0 stands only where it is no command:\n" << line;
    }
    return has_run;
  }

  Grounds grounds_;
  Sandbox sandbox_ = Sandbox::prepare(small_policy(grounds_)).value();
};

TEST_F(AgainstDash, finds_every_command_of_well_formed_lines) {
  LineMaker maker(seed(20'260'102));
  int worthwhile = 0;
  for (int i = 0; i < rounds(100); ++i) {
    if (agrees_on(maker.command(1 + i % 3))) ++worthwhile;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(worthwhile, 30) << "too many lines are refused for this to say anything";
}

TEST_F(AgainstDash, finds_every_command_of_noise) {
  LineMaker maker(seed(8));
  int worthwhile = 0;
  for (int i = 0; i < rounds(6000); ++i) {
    if (agrees_on(maker.noise())) ++worthwhile;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(worthwhile, 5) << "too many lines are refused for this to say anything";
}

TEST_F(AgainstBash, finds_every_command_of_well_formed_lines) {
  LineMaker maker(seed(20'260'101));
  int worthwhile = 0;
  for (int i = 0; i < rounds(150); ++i) {
    const std::string line = maker.command(1 + i % 3);
    EXPECT_FALSE(testing::Test::HasFailure()) << "see above";
    if (testing::Test::HasFailure()) return;
    if (agrees_on(line)) ++worthwhile;
  }
  EXPECT_GT(worthwhile, 100) << "too many lines are refused for this to say anything";
  expect_bash_to_refuse_the_same();
}

TEST_F(AgainstBash, finds_every_command_of_noise) {
  LineMaker maker(seed(7));
  int worthwhile = 0;
  for (int i = 0; i < rounds(6000); ++i) {
    if (agrees_on(maker.noise())) ++worthwhile;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(worthwhile, 60) << "too many lines are refused for this to say anything";
  expect_bash_to_refuse_the_same();
}

}  // namespace
}  // namespace wright::sandbox
