#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <string>

#include "sandbox/shell_syntax.h"

namespace wright::sandbox {
namespace {

// "ls -l|rm x": each command as its words, in no particular order of depth. An unknown word is ?,
// any number of unknown words is ?*, both after what is known of them.
std::string shown(const ShellWord& word) {
  switch (word.kind) {
    case ShellWord::Kind::literal: return word.text;
    case ShellWord::Kind::one_word: return word.text + "?";
    case ShellWord::Kind::many_words: break;
  }
  return word.text + "?*";
}

std::string shown(const ShellCommand& command) {
  std::vector<std::string> parts;
  for (const ShellAssignment& each : command.assignments) {
    parts.push_back(each.name + "=" + shown(each.value));
  }
  for (const ShellWord& word : command.words) parts.push_back(shown(word));
  for (const ShellRedirection& each : command.redirections) {
    constexpr const char* kSymbols[] = {"<", ">", "<<", "&"};
    parts.push_back(kSymbols[static_cast<int>(each.kind)] + shown(each.target));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string commands_of(std::string_view line) {
  const auto commands = parse_shell_line(line);
  if (!commands) return "refused: " + commands.error().message;
  std::vector<std::string> all;
  for (const ShellCommand& command : *commands) all.push_back(shown(command));
  return fmt::format("{}", fmt::join(all, "|"));
}

struct Case {
  const char* line;
  const char* commands;
};

class ShellLines : public testing::TestWithParam<Case> {};

TEST_P(ShellLines, give_every_command_in_them) {
  EXPECT_EQ(commands_of(GetParam().line), GetParam().commands) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Separators, ShellLines,
    testing::Values(Case{"ls -l", "ls -l"}, Case{"ls; rm -rf x", "ls|rm -rf x"},
                    Case{"ls\nrm x", "ls|rm x"}, Case{"a && b || c", "a|b|c"},
                    Case{"a | b |& c", "a|b|c"}, Case{"a & b", "a|b"}, Case{"", ""},
                    Case{"# only a comment", ""}, Case{"ls # rm x", "ls"},
                    Case{"ls # x \\\nrm y", "ls|rm y"}, Case{"ls a#b", "ls a#b"},
                    Case{"ls \\\n -l", "ls -l"}, Case{"r\\\nm x", "rm x"}, Case{"! ls", "ls"},
                    Case{"time -p ls | wc", "ls|wc"}, Case{"ls | time rm x", "ls|time rm x"},
                    Case{"ls || time rm x", "ls|rm x"}, Case{"ls \r", "ls \r"}));

INSTANTIATE_TEST_SUITE_P(Quotes, ShellLines,
                         testing::Values(Case{"\\rm x", "rm x"}, Case{"r''m x", "rm x"},
                                         Case{"'r'\"m\" x", "rm x"}, Case{"$'rm' x", "rm x"},
                                         Case{"$'r\\x6d' x", "r? x"},
                                         Case{"echo 'a;rm b'", "echo a;rm b"},
                                         Case{"echo \"a\\\"b\\c\"", "echo a\"b\\c"},
                                         Case{"echo ''", "echo "}, Case{"echo a\\;b", "echo a;b"}));

INSTANTIATE_TEST_SUITE_P(
    Expansions, ShellLines,
    testing::Values(
        Case{"ls $(rm x)", "rm x|ls ?*"}, Case{"ls `rm x`", "rm x|ls ?*"},
        Case{"ls \"`rm \\\"x\\\"`\"", "rm x|ls ?"}, Case{"ls \"$(rm \"x y\")\"", "rm x y|ls ?"},
        Case{"ls `echo \\`rm x\\``", "rm x|echo ?*|ls ?*"}, Case{"$X y", "?* y"},
        Case{"\"$X\" y", "? y"}, Case{"ls $'a'$b", "ls ?*"}, Case{"ls a\"$b\"", "ls a?"},
        Case{"ls *.c src/*.h", "ls ?* src/?*"}, Case{"ls a[bc] [", "ls a?* ["},
        Case{"{rm,-rf,x}", "?*"}, Case{"ls a{1..3}b {} a{", "ls a?* {} a{"}, Case{"ls ~/x", "ls ?"},
        Case{"ls \"$@\"", "ls ?*"}, Case{"ls \"${a[@]}\"", "ls ?*"},
        Case{"ls ${x:-$(rm y)}", "rm y|ls ?*"}, Case{"ls ${x:-`rm y`}", "rm y|ls ?*"},
        Case{"echo ${#x} ${x%.c}", "echo ?* ?*"}, Case{"cat <(rm x) >(rm y)", "rm x|rm y|cat ? ?"},
        Case{"cat a<(rm x)", "rm x|cat a?"}, Case{"echo $((1 + (2 * 3)))", "echo ?*"},
        Case{"echo $((x))", "?*|echo ?*"}, Case{"echo $(( $(rm x) ))", "rm x|?*|echo ?*"},
        Case{"echo ${x@P}", "?*|echo ?*"}, Case{"echo ${!x}", "?*|echo ?*"},
        Case{"echo ${x:1:2} ${x:y}", "?*|echo ?* ?*"}, Case{"echo $\\\n(rm x)", "rm x|echo ?*"},
        Case{"echo $ a$", "echo $ a$"}, Case{"[[ -v 'a[$(rm x)]' ]]", "?*"},
        Case{"[[ a < b && ( c =~ d|e ) ]] && ls", "ls"}, Case{"[[ a == $(rm x) ]]", "rm x"}));

INSTANTIATE_TEST_SUITE_P(
    Compounds, ShellLines,
    testing::Values(
        Case{"(cd x; rm y)", "cd x|rm y"}, Case{"{ a; b; }", "a|b"}, Case{"((1+2))", ""},
        Case{"if a; then b; elif c; then d; else e; fi", "a|b|c|d|e"},
        Case{"while a; do b; done < in > out", "a|b|<in >out"}, Case{"until a; do b; done", "a|b"},
        Case{"for f in a $(rm x); do cat $f; done", "rm x|f=?*|cat ?*"},
        Case{"for ((i=0;i<3;i++)); do a; done", "?*|a"}, Case{"for x do a; done", "a"},
        Case{"case $x in a|b) rm y;; (*) ls;& c) d;;& esac", "rm y|ls|d"},
        Case{"case x in\n esac", ""}, Case{"f() { rm x; }; f", "rm x|f"},
        Case{"f ( ) ( rm x )\nf", "rm x|f"}, Case{"function f { rm x; } > y", "rm x|>y"},
        Case{"i\\\nf a; then rm b; fi", "a|rm b"}, Case{"echo if then", "echo if then"},
        Case{"'if' x", "if x"}, Case{"{ls;}", "refused: '}' stands where no command can start"}));

INSTANTIATE_TEST_SUITE_P(
    AssignmentsAndRedirections, ShellLines,
    testing::Values(Case{"FOO=1 rm x", "FOO=1 rm x"}, Case{"A=$(rm x)", "rm x|A=?*"},
                    Case{"A=(1 $(rm x)) B+=2 ls", "rm x|A=?* B=2 ls"}, Case{"a[1]=2", "a=2"},
                    Case{"ls A=1", "ls A=1"}, Case{"> /etc/passwd", ">/etc/passwd"},
                    Case{"ls>a 2>&1 >>b >|c &>d <e <>f", "ls >a &1 >b >c >d <e >f"},
                    Case{"ls >&x 2>&- <&3", "ls >x &- &3"},
                    Case{"time -- rm x; time -p -- rm y", "rm x|rm y"},
                    Case{"<&-rm ls", "rm ls &-"}, Case{"2>& -rm x", "rm x &-"},
                    Case{"ls >&-; rm x", "ls &-|rm x"}, Case{"cat <<< $(rm x)", "rm x|cat <<?*"},
                    Case{"cat < /dev/tcp/1.2.3.4/80", "cat >/dev/tcp/1.2.3.4/80"},
                    Case{"cat <<A\nrm x\nA\nls", "cat <<A|ls"},
                    Case{"cat <<A; ls\n$(rm x)\nA\nb", "cat <<A|ls|rm x|b"},
                    Case{"cat <<'A'\n$(rm x)\nA\nb", "cat <<A|b"},
                    Case{"cat <<-A\n\trm\n\tA\nb", "cat <<A|b"},
                    Case{"cat <<A <<B\nx\nA\ny\nB\nrm z", "cat <<A <<B|rm z"},
                    Case{"x=$(cat <<A\nrm\nA\n); ls", "cat <<A|x=?*|ls"}, Case{"2>x ls", "ls >x"}));

class OddLines : public testing::TestWithParam<const char*> {};

TEST_P(OddLines, are_refused_instead_of_guessed_at) {
  const auto commands = parse_shell_line(GetParam());
  ASSERT_FALSE(commands) << commands_of(GetParam());
  EXPECT_EQ(commands.error().code, ErrorCode::unsupported);
  EXPECT_FALSE(commands.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Shell, OddLines,
    testing::Values("echo $((1", "for 1 in a; do b; done", "case a b", "$((ls); (rm x))",
                    "((ls); rm x)", "coproc rm x", "a () b", "a b () { c; }", "cat <<A\nx",
                    "cat <<A", "x=$(cat <<A)", "cat <<A $(ls\n)\nA\n", "cat <<$x\n$x\n",
                    "cat <<A\nx\\\nA\nrm y\nA\n", "a[$(rm x)]=1", "a=([$(rm x)]=1)", "ls @(a|b)",
                    "\"${x:-'$(rm y)'}\"", "${ rm x; }", "$[a[$(rm x)]]", "{fd}>x ls",
                    "function f rm x", "y=()! if", "y=(a)if c1", "c1\\", "for x in a; { echo; }",
                    "echo `if true`", "echo (", "fi>(ls)", "ls @(#)", "echo $((1 + ${y:- ))",
                    "cat <<A\n$(ls\nA", "$\"rm\" x", "TEXTDOMAIN=x; echo \"a$\"\"b\" $\"hi\""));

class NoLines : public testing::TestWithParam<const char*> {};

TEST_P(NoLines, are_told_from_those_that_are_only_not_understood) {
  const auto commands = parse_shell_line(GetParam());
  ASSERT_FALSE(commands) << commands_of(GetParam());
  EXPECT_EQ(commands.error().code, ErrorCode::invalid_argument) << commands.error().message;
  EXPECT_FALSE(commands.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(Shell, NoLines,
                         testing::Values("echo 'a", "echo \"a", "echo `a", "echo $(a", "echo ${a",
                                         "echo $'a", "a )", "( a", "{ a;", "if a; then b",
                                         "if true; then echo hi", "fi", "done", "a; }", "ls;; b",
                                         "while a; do b", "for x in a; do b", "case x in a) b",
                                         "case x in a", "case x in", "[[ -f a", "f() ", "ls >",
                                         "y=(a", "x=\"$(ls \"a", "for"));

TEST(ShellParser, refuses_what_no_shell_could_be_handed) {
  using namespace std::string_literals;
  for (const std::string& line : {"ls\0rm x"s, std::string(kLongestShellLine + 1, 'a')}) {
    const auto commands = parse_shell_line(line);
    ASSERT_FALSE(commands);
    EXPECT_EQ(commands.error().code, ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(parse_shell_line(std::string(kLongestShellLine, 'a')));
}

TEST(ShellParser, bounds_nesting_and_work) {
  const auto repeated = [](std::string_view piece, std::size_t length) {
    std::string text;
    while (text.size() + piece.size() <= length) text += piece;
    return text;
  };
  // Each would overflow the stack, or take hours, if its cost grew with the depth.
  for (const std::string_view piece :
       {"$(",   "(",  "\"$(", "${x:-",         "`",    "$((",  "{ ",
        "if ",  "<(", "a=(",  "case x in a) ", "a() ", "! ",   "\\`",
        "<<A ", "a[", "a;",   "$(a)",          "\n",   "\\\n", "for x in ",
        "[[ "}) {
    const auto commands = parse_shell_line(repeated(piece, kLongestShellLine));
    if (!commands) {
      EXPECT_FALSE(commands.error().message.empty()) << piece;
    }
  }
}

TEST(ShellParser, survives_bytes_that_are_no_text) {
  std::uint64_t state = 7;
  for (int round = 0; round < 3000; ++round) {
    std::string line;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      constexpr std::string_view kAlphabet = "ab \n;&|()<>{}$`'\"\\=#*[]!\xff\xc3";
      line += kAlphabet[(state >> 33) % kAlphabet.size()];
    }
    const auto commands = parse_shell_line(line);
    if (!commands) {
      EXPECT_FALSE(commands.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace wright::sandbox
