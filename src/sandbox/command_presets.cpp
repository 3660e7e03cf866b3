// The built-in rules. Each list is read from the top: what a command must not do comes before what
// it may.
#include <fmt/format.h>

#include <span>

#include "core/enum_names.h"
#include "wright/sandbox.h"

namespace wright {

WRIGHT_ENUM(CommandPreset, none, minimal, read_only, workspace)

namespace {

using intercept::Permission;

struct Lines {
  Permission permission;
  std::span<const std::string_view> patterns;
};

// Builtins that only control the line they are in.
constexpr std::string_view kFlow[] = {":",
                                      "true",
                                      "false",
                                      "[ *",
                                      "[[ *",
                                      "test *",
                                      "exit *",
                                      "return *",
                                      "break *",
                                      "continue *",
                                      "shift *",
                                      "set -e",
                                      "set -u",
                                      "set -x",
                                      "set +e",
                                      "set +x",
                                      "set -eu",
                                      "set -ex",
                                      "set -eux",
                                      "set -o pipefail",
                                      "set -eo pipefail",
                                      "set -euo pipefail",
                                      "set -euxo pipefail",
                                      "exec",
                                      "wait *",
                                      "read *",
                                      "local *",
                                      "command -v *",
                                      "type *",
                                      "which *"};

constexpr std::string_view kLooking[] = {"pwd *",     "cd *",    "ls *",    "echo *",  "printf *",
                                         "cat *",     "head *",  "tail *",  "wc *",    "basename *",
                                         "dirname *", "date",    "date +*", "date -u", "date -u +*",
                                         "date -I*",  "uname *", "whoami",  "id *"};

// What commands of the list below can write or start.
constexpr std::string_view kNotReading[] = {
    "find * -delete *",  "find * -fprint* *",      "find * -fls *",
    "sort * -*o* *",     "sort * --compress-p* *", "sort * -*T* *",
    "rg * --pre *",      "rg * --pre=* *",         "rg * --hostname-bin* *",
    "tree * -*o* *",     "tree * -*R* *",          "fd * -*x* *",
    "fd * -*X* *",       "file * -*C* *",          "file * --c* *",
    "git * --ou* *",     "git * --ext *",          "git * --ext-* *",
    "git grep * -*O* *", "git grep * --op* *",     "git * --exe* *",
    "git * --upl* *"};

constexpr std::string_view kReading[] = {"grep *",
                                         "egrep *",
                                         "fgrep *",
                                         "rg *",
                                         "find *",
                                         "fd *",
                                         "tree *",
                                         "stat *",
                                         "file *",
                                         "du *",
                                         "df *",
                                         "diff *",
                                         "cmp *",
                                         "comm *",
                                         "sort *",
                                         "cut *",
                                         "tr *",
                                         "nl *",
                                         "tac *",
                                         "rev *",
                                         "column *",
                                         "paste *",
                                         "join *",
                                         "fold *",
                                         "fmt *",
                                         "od *",
                                         "hexdump *",
                                         "strings *",
                                         "base64 *",
                                         "md5sum *",
                                         "sha1sum *",
                                         "sha256sum *",
                                         "sha512sum *",
                                         "cksum *",
                                         "realpath *",
                                         "readlink *",
                                         "seq *",
                                         "expr *",
                                         "jq *",
                                         "nproc",
                                         "hostname",
                                         "env",
                                         "printenv *",
                                         "locale",
                                         "sleep *",
                                         "uniq",
                                         "uniq -?",
                                         "uniq ?*",
                                         "uniq -? ?*",
                                         "git status *",
                                         "git log *",
                                         "git diff *",
                                         "git show *",
                                         "git blame *",
                                         "git ls-files *",
                                         "git ls-tree *",
                                         "git rev-parse *",
                                         "git rev-list *",
                                         "git cat-file *",
                                         "git grep *",
                                         "git describe *",
                                         "git shortlog *",
                                         "git branch",
                                         "git branch -a",
                                         "git branch -r",
                                         "git branch --show-current",
                                         "git branch -v*",
                                         "git branch --list *",
                                         "git tag",
                                         "git tag -l *",
                                         "git tag -n*",
                                         "git tag --list *",
                                         "git remote",
                                         "git remote -v",
                                         "git remote get-url *",
                                         "git stash list *",
                                         "git reflog",
                                         "git reflog show *",
                                         "git config --get *",
                                         "git config --list",
                                         "git --version",
                                         "git merge-base *",
                                         "git name-rev *",
                                         "git check-ignore *",
                                         "git worktree list *",
                                         "g++ --version",
                                         "gcc --version",
                                         "clang --version",
                                         "cmake --version",
                                         "python3 --version",
                                         "node --version",
                                         "make --version"};

// What cannot be undone, what leaves this machine, and the ways out of the folder.
constexpr std::string_view kAsking[] = {"rm *",
                                        "rmdir *",
                                        "shred *",
                                        "truncate *",
                                        "dd *",
                                        "git push *",
                                        "git reset *",
                                        "git clean *",
                                        "git rebase *",
                                        "git checkout -f *",
                                        "git branch -D *",
                                        "git branch -d *",
                                        "git stash drop *",
                                        "git stash clear *",
                                        "git remote * *",
                                        "git config * *",
                                        "git filter-branch *",
                                        "git gc *",
                                        "git reflog expire *",
                                        "git reflog delete *",
                                        "git update-ref *",
                                        "npm publish *",
                                        "cargo publish *",
                                        "cd /*",
                                        "cd *..*",
                                        "> /*",
                                        "> ..*",
                                        "> */../*"};

constexpr std::string_view kWorking[] = {
    "mkdir *",      "touch *",        "cp *",         "mv *",
    "ln *",         "chmod *",        "install *",    "tee *",
    "patch *",      "sed *",          "awk *",        "gawk *",
    "mawk *",       "perl *",         "uniq *",       "xxd *",
    "tar *",        "gzip *",         "gunzip *",     "zcat *",
    "unzip *",      "zip *",          "xz *",         "make *",
    "ninja *",      "cmake *",        "ctest *",      "meson *",
    "gcc *",        "g++ *",          "cc *",         "c++ *",
    "clang* *",     "ld *",           "ar *",         "nm *",
    "objdump *",    "readelf *",      "ldd *",        "python *",
    "python3 *",    "pytest *",       "node *",       "npm *",
    "npx *",        "tsc *",          "cargo *",      "rustc *",
    "go *",         "java *",         "javac *",      "mvn *",
    "gradle *",     "ruby *",         "php *",        "bash ?* *",
    "sh ?* *",      "./* *",          "git init *",   "git add *",
    "git commit *", "git checkout *", "git switch *", "git restore *",
    "git merge *",  "git branch *",   "git tag *",    "git stash *",
    "git mv *",     "git apply *",    "git am *",     "git cherry-pick *",
    "git revert *", "git worktree *", "git bisect *", "export ?*=*",
    "> *"};

constexpr Lines kMinimalLines[] = {{Permission::allow, kFlow}, {Permission::allow, kLooking}};
constexpr Lines kReadOnlyLines[] = {{Permission::deny, kNotReading},
                                    {Permission::allow, kFlow},
                                    {Permission::allow, kLooking},
                                    {Permission::allow, kReading}};
constexpr Lines kWorkspaceLines[] = {{Permission::ask, kNotReading}, {Permission::ask, kAsking},
                                     {Permission::allow, kFlow},     {Permission::allow, kLooking},
                                     {Permission::allow, kReading},  {Permission::allow, kWorking}};

std::span<const Lines> lines_of(CommandPreset preset) {
  switch (preset) {
    case CommandPreset::none: break;
    case CommandPreset::minimal: return kMinimalLines;
    case CommandPreset::read_only: return kReadOnlyLines;
    case CommandPreset::workspace: return kWorkspaceLines;
  }
  return {};
}

}  // namespace

Result<CommandPreset> command_preset_from(std::string_view name) {
  if (const auto preset = enum_named<CommandPreset>(name)) return *preset;
  return fail(ErrorCode::invalid_argument,
              fmt::format("must be {}, not '{}'", enum_names<CommandPreset>(), name));
}

std::vector<CommandRule> rules_of(CommandPreset preset) {
  std::vector<CommandRule> rules;
  for (const Lines& lines : lines_of(preset)) {
    for (const std::string_view pattern : lines.patterns) {
      rules.push_back({std::string(pattern), lines.permission});
    }
  }
  return rules;
}

}  // namespace wright
