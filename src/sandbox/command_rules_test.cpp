#include "wright/sandbox.h"

#include <gtest/gtest.h>

#include "core/permission_names.h"
#include "sandbox/printing_reach.h"

namespace wright {

using intercept::Permission;

// For messages of gtest.
void PrintTo(const CommandDecision& decision, std::ostream* out) {
  *out << decision.reason;
}

namespace {

CommandRules rules(std::vector<CommandRule> list) {
  return CommandRules::make(std::move(list)).value();
}

std::string_view verdict(const CommandRules& rules, std::string_view line) {
  return enum_name(rules.judge(line).permission);
}

struct Case {
  const char* line;
  const char* verdict;
};

class HostileLines : public testing::TestWithParam<Case> {};

// Every one of these starts with a command that is allowed, or looks like it.
TEST_P(HostileLines, do_not_pass_where_only_looking_is_allowed) {
  const CommandRules look = rules({{"rm *", Permission::deny},
                                   {"ls *", Permission::allow},
                                   {"echo *", Permission::allow},
                                   {"cat *", Permission::allow},
                                   {"find *", Permission::allow},
                                   {"git *", Permission::allow},
                                   {"alias *", Permission::allow},
                                   {"printf *", Permission::allow},
                                   {"test *", Permission::allow},
                                   {"export *", Permission::allow},
                                   {"jobs *", Permission::allow},
                                   {"hash *", Permission::allow}});
  const auto decision = look.judge(GetParam().line);
  EXPECT_EQ(verdict(look, GetParam().line), std::string_view(GetParam().verdict))
      << GetParam().line << "\n"
      << decision.reason;
  EXPECT_FALSE(decision.reason.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Commands, HostileLines,
    testing::Values(
        Case{"ls; rm -rf x", "deny"}, Case{"ls && rm x", "deny"}, Case{"ls || rm x", "deny"},
        Case{"ls | rm x", "deny"}, Case{"ls & rm x", "deny"}, Case{"ls\nrm x", "deny"},
        Case{"ls $(rm x)", "deny"}, Case{"ls `rm x`", "deny"}, Case{"ls \"$(rm x)\"", "deny"},
        Case{"ls <(rm x)", "deny"}, Case{"ls >(rm x)", "deny"}, Case{"ls ${x:-$(rm x)}", "deny"},
        Case{"FOO=1 rm x", "deny"}, Case{"\\rm x", "deny"}, Case{"r''m x", "deny"},
        Case{"$'rm' x", "deny"}, Case{"$'\\x72m' x", "ask"}, Case{"ls | sh", "deny"},
        Case{"ls | bash -s", "deny"}, Case{"env rm x", "deny"}, Case{"env -i A=1 rm x", "deny"},
        Case{"env -S 'rm x'", "ask"}, Case{"find . -exec rm {} +", "deny"},
        Case{"find . -name x -execdir rm {} \\;", "deny"}, Case{"find . $X", "ask"},
        Case{"find . -exec sh -c 'rm $0' {} \\;", "deny"}, Case{"bash -c 'ls; rm x'", "deny"},
        Case{"sh -ec \"rm x\"", "deny"}, Case{"sh -c \"$X\"", "ask"},
        Case{"bash -lc 'eval \"rm x\"'", "deny"}, Case{"eval rm x", "deny"},
        Case{"eval \"$X\"", "ask"}, Case{"xargs rm < list", "deny"},
        Case{"ls | xargs -0 -n 1 rm", "deny"}, Case{"ls | xargs -I{} rm {}", "deny"},
        Case{"ls | xargs -I ls ls", "ask"}, Case{"ls | xargs -Ils ls x", "ask"},
        Case{"ls | xargs --unheard-of rm", "ask"}, Case{"nohup rm x", "deny"},
        Case{"timeout 5 rm x", "deny"}, Case{"timeout -s KILL 5 rm x", "deny"},
        Case{"nice -n 5 rm x", "deny"}, Case{"nice -5 rm x", "deny"}, Case{"exec rm x", "deny"},
        Case{"command rm x", "deny"}, Case{"builtin eval rm x", "deny"}, Case{"time rm x", "deny"},
        Case{"\\time rm x", "deny"}, Case{"sudo rm x", "deny"}, Case{"sudo ls", "deny"},
        Case{"busybox rm x", "deny"}, Case{"/usr/bin/env rm x", "deny"},
        Case{"/bin/sh -c 'rm x'", "deny"}, Case{". ./script", "ask"}, Case{"source x", "ask"},
        Case{"sh <<A\nrm x\nA", "deny"}, Case{"> /etc/passwd", "deny"},
        Case{"ls > /etc/passwd", "deny"}, Case{"ls >> x", "deny"}, Case{"ls &> x", "deny"},
        Case{"ls >| x", "deny"}, Case{"ls <> x", "deny"}, Case{"{ ls; } > x", "deny"},
        Case{"alias ls=rm\nls x", "ask"}, Case{"ls() { rm x; }; ls", "deny"},
        Case{"ls() { \"$@\"; }; ls rm x", "ask"}, Case{"{rm,-rf,x}", "ask"}, Case{"$X", "ask"},
        Case{"\"$X\" y", "ask"}, Case{"X=rm; $X y", "ask"}, Case{"IFS=,; X=rm,y; $X", "ask"},
        Case{"~/x", "ask"}, Case{"/bin/r? x", "ask"}, Case{"PATH=. ls", "deny"},
        Case{"PATH=/tmp; ls", "deny"}, Case{"LD_PRELOAD=./x.so ls", "deny"},
        Case{"GIT_PAGER='rm x' git log", "deny"}, Case{"env GIT_SSH_COMMAND=x git fetch", "deny"},
        Case{"export PATH=/tmp; ls", "ask"}, Case{"for PATH in /tmp; do ls; done", "deny"},
        Case{"git -c core.pager='rm x' log", "ask"}, Case{"git -c alias.x='!rm y' x", "ask"},
        Case{"git --exec-path=. status", "ask"}, Case{"git --config-env=a=b log", "ask"},
        Case{"printf -v 'a[$(rm x)]' y", "ask"}, Case{"test -v 'a[$(rm x)]'", "ask"},
        Case{"echo $((a[1]))", "ask"}, Case{"[[ $x -eq 1 ]]", "ask"}, Case{"echo ${x@P}", "ask"},
        Case{"trap 'rm x' EXIT", "deny"}, Case{"hash -p /tmp/evil ls; ls", "ask"},
        Case{"if ls; then rm x; fi", "deny"}, Case{"case x in *) rm x;; esac", "deny"},
        Case{"ls 'unclosed", "deny"}, Case{"coproc rm x", "ask"}, Case{"./ls", "deny"},
        Case{"/tmp/ls", "deny"}, Case{"ls;rm\tx", "deny"}, Case{"rm", "deny"},
        Case{"strace rm x", "deny"}, Case{"setsid rm x", "deny"},
        // bash evaluates what these hold.
        Case{"RANDOM='a[$(rm x)]'", "deny"}, Case{"OPTIND+='a[$(rm x)]'; ls", "deny"},
        Case{"for RANDOM in 'a[$(rm x)]'; do ls; done", "deny"},
        Case{"ls() { local -xi y=z; }; z='a[$(rm x)]'; ls", "deny"},
        Case{"export -n x; wait -n -p 'a[$(rm x)]'", "deny"},
        // jobs runs what follows its option.
        Case{"jobs -x rm x", "deny"}, Case{"jobs -xl -- rm %1", "deny"},
        Case{"builtin jobs -x env rm x", "deny"}, Case{"jobs $X rm x", "ask"},
        Case{"jobs -x $X x", "ask"}, Case{"jobs -x %1", "ask"}, Case{"jobs -x make", "deny"},
        // A trap after the end of its options.
        Case{"trap -- 'rm x' EXIT", "deny"}, Case{"eval -- 'rm x'", "deny"},
        // A word that ends what find starts.
        Case{"x=';'; find . -exec echo $x -exec rm y ';'", "ask"},
        Case{"x=';'; find . -exec echo \"$x\" -exec rm y ';'", "ask"},
        Case{"x={}; find . -exec echo $x + -exec rm y ';'", "ask"},
        // Other shells read these otherwise.
        Case{"sh -c $'ls $\\'a\\\\\\'; rm x #\\''", "deny"},
        Case{"sh -c 'ls $'\"'\"'a\\'\"'\"'; rm x #'\"'\"", "deny"},
        Case{"dash -c '[[ a > x ]]'", "deny"}, Case{"sh -c '((./1))'", "deny"},
        Case{"ls | xargs --eof rm x", "deny"}, Case{"ls | xargs --replace rm {}", "deny"},
        Case{"ls | xargs --max-lines rm", "deny"}, Case{"ls | xargs --eof=x rm", "deny"},
        Case{"ls | xargs --max-lines=2 rm", "deny"}, Case{"ls | xargs --max-args 2 rm", "deny"},
        Case{"[[ x =~ (#) ]]; rm x\n]]", "ask"}, Case{"[[ x =~ a|#b ]]; rm x\n]]", "ask"},
        Case{"[[ (x)#) ]]; rm x\n]]", "ask"}, Case{"[[ a && #c\nb ]]; rm x", "ask"},
        Case{"cat <<E\n`echo \\\"; rm x; echo \\\"`\nE\n", "ask"},
        Case{"ls \"${x:-`echo \\\"; rm x; echo \\\"`}\"", "ask"},
        Case{"sh -c 'ls &>/dev/null rm x'", "deny"}, Case{"dash -c 'ls &>/dev/null rm x'", "deny"},
        Case{"dash -c 'a+=/x'", "deny"}, Case{"sh -c 'a[0]=/x'", "ask"},
        Case{"dash -c 'a[0]=/x'", "ask"}, Case{"sh -c 'a+=/bin/rm'", "deny"},
        Case{"dash -c 'timeout 10>f rm x'", "deny"}, Case{"sh -c 'timeout 10>f rm x'", "deny"},
        Case{"sh -c 'time rm x'", "deny"}, Case{"dash -c 'eval \"ls &>f rm x\"'", "deny"},
        Case{"dash -c 'command eval \"ls &>f rm x\"'", "deny"},
        Case{"dash -c 'cat <<E\n`ls &>f rm x`\nE\n'", "deny"},
        Case{"dash -c 'function rm x'", "deny"}, Case{"sh -c 'select rm in a; do ls; done'", "ask"},
        Case{"dash -c 'ls $\"$(rm x)\"'", "deny"}, Case{"dash -c 'ls <<<x'", "ask"},
        Case{"dash -c 'ls |& rm x'", "deny"}, Case{"dash -c 'ls >&f'", "ask"},
        Case{"sh -c 'ls >(rm x)'", "deny"}, Case{"dash -c '((rm x))'", "deny"},
        Case{"ls >&1-2", "deny"}, Case{"ls >&1-2-", "deny"}, Case{"zsh -c 'ls'", "deny"},
        Case{"bash -c '[[ a > x ]] && rm y'", "deny"},
        // How the rest of the line is read.
        Case{"LC_ALL=zh_CN.GBK\nls", "deny"}, Case{"LANG=$X ls", "deny"},
        Case{"POSIXLY_CORRECT=1", "deny"}, Case{"CDPATH=/etc; ls", "deny"},
        Case{"bash \"$X\"", "deny"}, Case{"setarch -R rm x", "deny"}, Case{"time -- rm x", "deny"},
        Case{"/lib64/ld-linux-x86-64.so.2 /bin/rm x", "deny"},
        Case{"git -C x -c core.pager='rm x' log", "ask"}, Case{"git -C /etc log", "deny"}));

TEST(CommandRules, the_first_rule_that_fits_counts) {
  const auto ordered = rules({{"git push *", Permission::ask},
                              {"git push origin main", Permission::deny},
                              {"git *", Permission::allow}});
  EXPECT_EQ(verdict(ordered, "git push origin main"), "ask");
  EXPECT_EQ(verdict(ordered, "git status"), "allow");
  EXPECT_EQ(verdict(ordered, "git"), "allow");
  EXPECT_EQ(verdict(ordered, "gitk"), "deny");
}

TEST(CommandRules, compare_words_and_not_the_text_of_the_line) {
  const auto exact = rules({{"npm run test:*", Permission::allow},
                            {"ls", Permission::allow},
                            {"make ?", Permission::allow},
                            {"say 'two words'", Permission::allow}});
  EXPECT_EQ(verdict(exact, "npm run 'test:unit'"), "allow");
  EXPECT_EQ(verdict(exact, "npm run test:unit rm"), "deny");
  EXPECT_EQ(verdict(exact, "ls"), "allow");
  EXPECT_EQ(verdict(exact, "ls -l"), "deny");
  EXPECT_EQ(verdict(exact, "make a"), "allow");
  EXPECT_EQ(verdict(exact, "make ab"), "deny");
  EXPECT_EQ(verdict(exact, "say two\\ words"), "allow");
  EXPECT_EQ(verdict(exact, "say two words"), "deny");
}

TEST(CommandRules, a_rule_that_might_forbid_asks) {
  const auto rule = rules({{"find * -delete *", Permission::deny}, {"find *", Permission::allow}});
  EXPECT_EQ(verdict(rule, "find . -delete"), "deny");
  EXPECT_EQ(verdict(rule, "find . -name '*.c'"), "allow");
  EXPECT_EQ(verdict(rule, "find src/*"), "allow") << "no such word starts with a dash";
  EXPECT_EQ(verdict(rule, "find *"), "ask") << "a file may be called -delete";
}

TEST(CommandRules, everything_can_be_allowed_except_what_is_forbidden_before) {
  const auto open = rules({{"rm *", Permission::deny}, {"*", Permission::allow}});
  EXPECT_EQ(verdict(open, "make && ./a.out"), "allow");
  EXPECT_EQ(verdict(open, "rm x"), "deny");
  EXPECT_EQ(verdict(open, "$X"), "ask") << "it might be rm";
  EXPECT_EQ(verdict(rules({{"*", Permission::allow}}), "$X | sh"), "allow");
  EXPECT_EQ(verdict(rules({{"*", Permission::allow}}), "ls > x"), "deny") << "writing is apart";
}

TEST(CommandRules, name_the_variables_they_allow) {
  const auto make = rules({{"CC=* make *", Permission::allow}, {"make *", Permission::allow}});
  EXPECT_EQ(verdict(make, "make all"), "allow");
  EXPECT_EQ(verdict(make, "CC=gcc make all"), "allow");
  EXPECT_EQ(verdict(make, "env CC=gcc make all"), "allow");
  EXPECT_EQ(verdict(make, "LANG=C make"), "allow");
  EXPECT_EQ(verdict(make, "SHELL=x make"), "deny");
  EXPECT_EQ(verdict(make, "CC=gcc SHELL=x make"), "deny");
  EXPECT_NE(make.judge("SHELL=x make").reason.find("\"SHELL=* make *\""), std::string::npos);
}

TEST(CommandRules, say_which_rule_is_missing) {
  const auto none = rules({});
  EXPECT_EQ(none.judge("rm -rf x").reason,
            "No rule allows 'rm -rf x'. The rule \"rm *\" = \"allow\" below [bash.rules] in the "
            "configuration would");
  EXPECT_NE(none.judge("git push -f").reason.find("\"git push *\""), std::string::npos);
  EXPECT_NE(none.judge("> out").reason.find("\"> out\""), std::string::npos);
}

TEST(CommandRules, the_rule_that_is_named_does_allow) {
  for (const char* line : {"rm -rf x", "git push -f", "A=1 make", "> out", "./run 'a b'"}) {
    const std::string reason = rules({}).judge(line).reason;
    const std::size_t start = reason.find('"') + 1;
    const std::string pattern = reason.substr(start, reason.find('"', start) - start);
    EXPECT_EQ(verdict(rules({{pattern, Permission::allow}}), line), "allow") << pattern;
  }
}

TEST(CommandRules, write_only_where_they_may) {
  const auto out = rules({{"echo *", Permission::allow}, {"> build/*", Permission::allow}});
  EXPECT_EQ(verdict(out, "echo a > build/x"), "allow");
  EXPECT_EQ(verdict(out, "echo a 2>/dev/null >&2"), "allow");
  EXPECT_EQ(verdict(out, "echo a > x"), "deny");
  EXPECT_EQ(verdict(out, "echo a > \"$X\""), "deny");
}

TEST(CommandRules, refuse_patterns_that_mean_nothing) {
  for (const char* pattern : {"", "  ", "ls 'x", ">", "> a b"}) {
    EXPECT_FALSE(CommandRules::make({{pattern, Permission::allow}})) << pattern;
  }
}

TEST(CommandRules, bound_what_they_look_at) {
  std::string nested = "ls";
  for (int i = 0; i < 30; ++i) nested = "nohup " + nested;
  EXPECT_EQ(verdict(rules({{"ls", Permission::allow}}), nested), "ask");
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "ls;";
  EXPECT_EQ(verdict(rules({{"ls", Permission::allow}}), many), "deny");
  std::string variables;
  for (int i = 0; i < 20'000; ++i) variables += "A=1 ";
  EXPECT_EQ(verdict(rules({{"*", Permission::allow}}), variables + "sh -c 'a;a;a;a'"), "deny");
}

TEST(CommandRules, judge_the_longest_line_in_bounded_work) {
  const auto workspace = rules(rules_of(CommandPreset::workspace));
  for (const std::string_view piece : {"a ", "$x ", "* ", "'' ", "A=1 ", ">x ", "-exec "}) {
    std::string line = "find ";
    while (line.size() + piece.size() < 128 * 1024) line += piece;
    const auto decision = workspace.judge(line);
    EXPECT_EQ(decision.reason.empty(), decision.permission == Permission::allow) << piece;
    line.replace(0, 4, "\"$x\"");
    line.resize(128 * 1024 - 1);
    EXPECT_NE(workspace.judge(line).permission, Permission::allow) << piece;
  }
}

class Presets : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// The verdicts of minimal, read_only and workspace, by their first letters: allow, ask (?), deny.
TEST_P(Presets, draw_their_lines) {
  std::string verdicts;
  for (const char* name : {"minimal", "read_only", "workspace"}) {
    const auto preset = command_preset_from(name);
    ASSERT_TRUE(preset);
    const auto word = verdict(rules(rules_of(*preset)), GetParam().first);
    verdicts += word == "ask" ? '?' : word.front();
  }
  EXPECT_EQ(verdicts, GetParam().second) << GetParam().first;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Presets,
    testing::Values(
        std::pair{"ls -la | head -3", "aaa"}, std::pair{"cat a.txt 2>/dev/null", "aaa"},
        std::pair{"grep -rn x . | sort | uniq -c", "daa"}, std::pair{"find . -name '*.c'", "daa"},
        std::pair{"find . -delete", "dd?"}, std::pair{"find . -exec grep x {} +", "daa"},
        std::pair{"find . -name x | xargs grep y", "daa"}, std::pair{"git status -s", "daa"},
        std::pair{"git log --output=x", "dd?"}, std::pair{"git commit -m x", "dda"},
        std::pair{"git push", "dd?"}, std::pair{"sort -ro out in", "dd?"},
        std::pair{"make -j4 && ctest", "dda"}, std::pair{"g++ -o a a.cpp && ./a", "dda"},
        std::pair{"python3 -c 'print(1)'", "dda"}, std::pair{"rm -rf build", "dd?"},
        std::pair{"mkdir -p a/b", "dda"}, std::pair{"echo x > a.txt", "dda"},
        std::pair{"echo x > /etc/passwd", "dd?"}, std::pair{"echo x > ../a", "dd?"},
        std::pair{"cd /etc && echo x > passwd", "dd?"}, std::pair{"curl http://x", "ddd"},
        std::pair{"sudo ls", "ddd"}, std::pair{"ls | sh", "ddd"}, std::pair{"sh -c 'ls'", "aaa"},
        std::pair{"while read -r x; do echo \"$x\"; done < list", "aaa"},
        std::pair{"if [ -f a ]; then cat a; fi", "aaa"}, std::pair{"read PATH < x; ls", "???"},
        std::pair{"local -x GIT_CONFIG_COUNT=1; git log", "d??"},
        std::pair{"local -rx GIT_PAGER=x; git log", "d??"},
        std::pair{"local -x PAGER; git log", "d??"}, std::pair{"local $x; git log", "d??"},
        std::pair{"local x=1; git log", "daa"}, std::pair{"local -x TZ=UTC; git log", "daa"},
        std::pair{"export GIT_EXTERNAL_DIFF=x; git log", "dd?"},
        std::pair{"export GIT_AUTHOR_NAME=x; git log", "dda"}, std::pair{"bash -c 'rm x'", "dd?"},
        std::pair{"read RANDOM < f; ls", "???"}, std::pair{"read -aPATH < f; ls", "???"},
        std::pair{"read -ra words < f", "aaa"},
        std::pair{"ls() { local -n p=PATH; p=.; head x; }; ls", "???"},
        std::pair{"ls() { local y=1; head x; }; ls", "aaa"},
        std::pair{"sleep 0 & wait -n -p 'a[$(x)]'", "d??"}, std::pair{"sleep 0 & wait", "daa"},
        std::pair{"sleep 0 & wait $!", "daa"}, std::pair{"sleep 0 & wait \"$!\"", "daa"},
        std::pair{"sleep 0 & wait -$!", "d??"}, std::pair{"sleep 0 & wait $x$!", "d??"},
        std::pair{"trap -- 'touch x' EXIT", "dda"}, std::pair{"trap 'echo bye' EXIT", "aaa"},
        std::pair{"OPTIND=1; LC_ALL=C.UTF-8 ls", "aaa"}, std::pair{"LC_ALL=en_US.utf8 ls", "aaa"},
        std::pair{"git grep --op=./x y", "dd?"}, std::pair{"git log --ou=x", "dd?"},
        std::pair{"git diff --ext", "dd?"}, std::pair{"git log --oneline -3", "daa"},
        std::pair{"git log --extended-regexp --grep x", "daa"},
        std::pair{"tree -R -L 1 -H .", "dd?"}, std::pair{"rg --pretty x", "daa"},
        std::pair{"rg --pre ./x y", "dd?"}, std::pair{"git --no-pager log -3", "daa"},
        std::pair{"git -C src --no-pager diff", "daa"}, std::pair{"git -C /etc log", "da?"},
        std::pair{"git -c user.name=a -c user.email=b commit -m x", "dda"},
        std::pair{"git --no-pager push", "dd?"}, std::pair{"set -euxo pipefail; ls", "aaa"},
        std::pair{"sed -n '1,20p' src/a.cpp", "aaa"}, std::pair{"sed -n 1,20p -i f", "dda"},
        std::pair{"cat f | sed 's/a/b/g' | awk -F: '{print $1}'", "aaa"},
        std::pair{"sed -n '1w out' f", "dda"}, std::pair{"sed -n '1,2p' \"$f\"", "dda"},
        std::pair{"awk '{print > \"x\"}' f", "dda"}, std::pair{"awk -f x f", "dda"},
        std::pair{"ls | bash /dev/stdin", "dd?"}, std::pair{"bash /proc/self/fd/0", "dd?"},
        std::pair{"bash build.sh", "dda"}, std::pair{"bash \"$x\"", "ddd"},
        std::pair{"uniq -c f", "daa"}, std::pair{"uniq in out", "dda"}));

TEST(PrintingScripts, are_told_from_those_that_do_more) {
  for (const char* script :
       {"1,20p", "$p", "5q", "/^int main/,/^}/p", "1~2d", "3,+4p", "1!d", "s/a\\/b/c/gp",
        "10,20p;20q", "1p; 3p", "s/[a-z]*/x/2", "=", "/a\\/w x/p", "p"}) {
    EXPECT_TRUE(sandbox::only_prints_with_sed(script)) << script;
  }
  for (const char* script : {"1e rm x",  "w out",   "1,2w out",  "s/a/b/e",    "s/a/b/w out",
                             "s/a/b/ge", "s|a|b|e", "r /etc/x",  "1,5p;w out", "1,5p\nw out",
                             "e",        "",        "s/[/]/b/e", "/a/e rm",    "{p}",
                             "a\\",      "1i x",    "R x",       "W x",        "s/a/b/;e",
                             "y/a/b/",   "M",       "1,",        "/a",         "s/a/b"}) {
    EXPECT_FALSE(sandbox::only_prints_with_sed(script)) << script;
  }
  EXPECT_TRUE(sandbox::only_prints_with_awk("NR==1 {print $2; next} END {printf \"%d\\n\", NR}"));
  for (const char* script : {"BEGIN{system(\"x\")}", "{print > \"f\"}", "{print | \"sh\"}",
                             "{\"x\" | getline}", "{getline x < \"f\"}", "@load \"x\""}) {
    EXPECT_FALSE(sandbox::only_prints_with_awk(script)) << script;
  }
}

TEST(Presets, have_names) {
  EXPECT_EQ(command_preset_from("none").value(), CommandPreset::none);
  EXPECT_TRUE(rules_of(CommandPreset::none).empty());
  EXPECT_FALSE(command_preset_from("all"));
}

}  // namespace
}  // namespace wright
