// What of git is kept from commands, wherever it is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>
#include <string>

#include "sandbox/git_paths.h"
#include "sandbox/guarded_paths.h"
#include "sandbox/guarded_testing.h"

namespace wright::sandbox {
namespace {

using Kind = GuardedMount::Kind;
class GuardedRepositories : public GuardedPathsOf {};

TEST_F(GuardedRepositories, include_where_the_file_of_a_worktree_points) {
  make("main/.git/worktrees/w/commondir", "../..\n");
  make("w/.git", "gitdir: " + in("main/.git/worktrees/w") + "\n");
  make("relative/.git", "gitdir: ../elsewhere\n");
  make("elsewhere/HEAD");
  make("away/.git", "gitdir: " + grounds_.outside().string() + "\n");
  make("all/.git", "gitdir: ..\n");
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in("main/.git"), in("main/.git/worktrees/w"), in("w/.git"),
                                   in("relative/.git"), in("elsewhere"), in("away/.git"),
                                   in("all/.git"), in("HEAD")}));
}

TEST_F(GuardedRepositories, include_hooks_and_included_configuration) {
  make(".git/config",
       "[core]\n\thooksPath = .hooks/all\n[include]\n\tpath = ../.gitconfig\n[user] path = no\n");
  make(".hooks/all/pre-commit");
  make(".gitconfig");
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in(".git"), in(".hooks/all"), in(".gitconfig"), in("HEAD")}));
  EXPECT_EQ(paths_of(found, Kind::pinned), std::set<std::string>{in(".hooks")});
}

TEST_F(GuardedRepositories, with_their_folder_elsewhere_include_hooks) {
  make(".git", "gitdir: gd\n");
  make("gd/HEAD");
  make("gd/config", "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../more\n");
  make(".githooks/pre-commit");
  make("more");
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in(".git"), in("gd"), in(".githooks"), in("more")}));
}

TEST_F(GuardedRepositories, are_found_though_their_files_have_no_end) {
  make("w/.git", "gitdir: ../gd\n");
  std::filesystem::create_directory(in("gd"));
  ASSERT_EQ(::mkfifo(in("gd/commondir").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(in("gd/config").c_str(), 0600), 0);
  make("v/.git", "gitdir: ../endless\n");
  std::filesystem::create_directory(in("endless"));
  std::filesystem::create_symlink("/dev/zero", in("endless/commondir"));
  make("huge/.git", "gitdir: ../gd");
  std::error_code problem;
  std::filesystem::resize_file(in("huge/.git"), std::uintmax_t{1} << 40, problem);
  if (problem) GTEST_SKIP() << "no such large files here: " << problem.message();
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in("w/.git"), in("v/.git"), in("huge/.git"), in("gd"),
                                   in("endless"), in("HEAD")}));
}

TEST_F(GuardedRepositories, are_found_however_their_configuration_is_written) {
  make("w/.git/HEAD", "ref: refs/heads/main\n");
  make("w/more.gitconfig", "[core]\n\thooksPath = third\n[include]\n\tpath = more.gitconfig\n");
  make("w/.git/config",
       "[core]\n\thooksPath = first # of all of us\n\tHOOKSPATH = \\\n  sec\"ond\" ; this too\n"
       "[includeIf \"gitdir:~/x\"]\n\tpath = \"../more.gitconfig\"\n");
  for (const char* hook : {"w/first/x", "w/second/x", "w/third/x"}) make(hook);
  policy_.write_paths = {in("w")};
  const auto found = GuardedPaths(policy_).look().value();
  const auto paths = paths_of(found, Kind::read_only);
  for (const char* path : {"w/first", "w/second", "w/third", "w/more.gitconfig"}) {
    EXPECT_TRUE(paths.contains(in(path))) << path;
  }
}

TEST_F(GuardedRepositories, around_the_folder_are_found) {
  make("w/.git/config", "[core]\n\thooksPath = front/.husky\n");
  make("w/front/.husky/pre-commit", "");
  policy_.write_paths = {in("w/front")};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_TRUE(paths_of(found, Kind::read_only).contains(in("w/front/.husky")));
  EXPECT_TRUE(belongs_to_git(in("w/front/.husky/pre-commit"), in("w/front")));
  EXPECT_FALSE(belongs_to_git(in("w/front/main.js"), in("w/front")));
}

TEST_F(GuardedRepositories, are_found_behind_links) {
  make("elsewhere/gd/HEAD");
  make("sub/main.c");
  std::filesystem::create_symlink("../elsewhere/gd", in("sub/.git"));
  make("shared.gitconfig", "[core]\n\thooksPath = kept/hooks\n");
  std::filesystem::create_symlink("../../shared.gitconfig", in("elsewhere/gd/config"));
  make("sub/kept/hooks/post-commit");
  make("tools/check.sh");
  std::filesystem::create_directory(in("elsewhere/gd/hooks"));
  std::filesystem::create_symlink("../../../tools/check.sh", in("elsewhere/gd/hooks/pre-commit"));
  make("odd/.wright-rules");
  std::filesystem::create_symlink("../odd", in("sub/.wright"));
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in("elsewhere/gd"), in("shared.gitconfig"), in("sub/kept/hooks"),
                                   in("tools/check.sh"), in("odd"), in("HEAD")}));
  const auto pinned = paths_of(found, Kind::pinned);
  for (const char* path : {"sub", "sub/.git", "sub/.wright", "elsewhere", "tools"}) {
    EXPECT_TRUE(pinned.contains(in(path))) << path;
  }
  EXPECT_TRUE(belongs_to_git(in("sub/kept/hooks/post-commit"), grounds_.workspace()));
}

TEST_F(GuardedRepositories, in_others_include_what_their_settings_name) {
  make(".git/HEAD");
  make("sub/.git/config", "[core]\n\thooksPath = ../shared/hooks\n");
  make("shared/hooks/pre-push");
  make("module/.git", "gitdir: ../.git/modules/module\n");
  make(".git/modules/module/config", "[core]\n\tworktree = ../../../module\n\thooksPath = h\n");
  make("module/h/pre-commit");
  make("away/.git/config", "[core]\n\tworktree = ../../tree\n\thooksPath = h\n");
  make("tree/h/pre-commit");
  const auto paths = paths_of(GuardedPaths(policy_).look().value(), Kind::read_only);
  for (const char* path : {"shared/hooks", "module/h", "tree/h"}) {
    EXPECT_TRUE(paths.contains(in(path))) << path;
  }
}

TEST_F(GuardedRepositories, have_missing_settings_that_can_be_read_as_nothing_and_not_be_made) {
  make(".git/config", "[include]\n\tpath = ../.local.gitconfig\n\tpath = ../far/off.gitconfig\n");
  make("sub/.git", "gitdir: ../gone\n");
  GuardedPaths guarded(policy_);
  {
    const auto found = guarded.look().value();
    const auto again = GuardedPaths(policy_).look().value();
    for (const auto* each : {&found, &again}) {
      EXPECT_TRUE(paths_of(*each, Kind::read_only).contains(in(".local.gitconfig")));
      EXPECT_TRUE(paths_of(*each, Kind::hidden_folder).contains(in("far")));
      EXPECT_TRUE(paths_of(*each, Kind::hidden_folder).contains(in("gone")));
    }
    EXPECT_EQ(Grounds::read(in(".local.gitconfig")), "");
  }
  for (const char* path : {".local.gitconfig", "far", "gone"}) {
    EXPECT_FALSE(std::filesystem::exists(in(path))) << path;
  }
  {
    const auto found = guarded.look().value();
    ASSERT_EQ(::chmod(in(".local.gitconfig").c_str(), 0600), 0);
    make(".local.gitconfig", "[user]\n");
  }
  EXPECT_EQ(Grounds::read(in(".local.gitconfig")), "[user]\n") << "somebody's by now";
}

TEST_F(GuardedRepositories, hold_nobody_up_where_nothing_can_be_made) {
  std::filesystem::create_symlink("nowhere/at/all", in("dangling"));
  std::filesystem::create_symlink("round", in("round"));
  std::filesystem::create_symlink(grounds_.outside(), in("out"));
  make("file");
  make(".git/config",
       "[core]\n\thooksPath = dangling/hooks\n\thooksPath = round/hooks\n"
       "\thooksPath = out/hooks\n\thooksPath = file/hooks\n\thooksPath = " +
           std::string(300, 'x') + "\n");
  const auto found = GuardedPaths(policy_).look();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(paths_of(*found, Kind::hidden_folder).contains(in("nowhere")));
  const auto pinned = paths_of(*found, Kind::pinned);
  for (const char* path : {"dangling", "round", "out", "file"}) {
    EXPECT_TRUE(pinned.contains(in(path))) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(grounds_.outside() / "hooks"));
}

TEST_F(GuardedRepositories, with_too_many_settings_are_told_of) {
  std::string config;
  for (int i = 0; i < 1'001; ++i) config += fmt::format("[include]\n\tpath = /none/{}\n", i);
  make(".git/config", config);
  EXPECT_EQ(GuardedPaths(policy_).look().value().too_much,
            fmt::format("the repository '{}' names too much", in(".git")));
}

TEST_F(GuardedRepositories, that_name_more_than_can_be_looked_through_are_told_of) {
  const auto is_complete = [&](const std::string& config) {
    make("sub/.git/HEAD", "ref: refs/heads/main\n");
    make("sub/.git/config", config);
    return GuardedPaths(policy_).look().value().is_complete();
  };
  std::string worktrees = "[core]\n";
  for (int i = 0; i < 600; ++i) worktrees += fmt::format("\tworktree = w{}\n", i);
  EXPECT_FALSE(is_complete(worktrees));
  std::string filters;
  for (int i = 0; i < 3'000; ++i) filters += fmt::format("[filter \"{}\"]\nclean=a b c d e\n", i);
  EXPECT_FALSE(is_complete(filters));
  std::string places = "[filter \"x\"]\n\tclean = \"";
  for (int i = 0; i < 100'000; ++i) places += "$PWD";
  EXPECT_FALSE(is_complete(places + "\"\n"));
  EXPECT_TRUE(is_complete("[filter \"x\"]\n\tclean = \"$PWD/tool --all\"\n"));
}

TEST_F(GuardedRepositories, in_folders_named_like_commands_are_looked_at_once) {
  make("'$PWD 'b/.git/HEAD", "ref: refs/heads/main\n");
  make("'$PWD 'b/.git/config",
       "[filter \"x\"]\n\tclean = $PWD y\n\tsmudge = \"sh -c 'sh -c \\\"a b $PWD\\\" c'\"\n");
  make("v/.git/HEAD", "ref: refs/heads/main\n");
  make("v/.git/config", "[core]\n\tworktree = \"'$PWD 'b\"\n[filter \"x\"]\n\tclean = $PWD y\n");
  EXPECT_TRUE(GuardedPaths(policy_).look().value().is_complete());
  EXPECT_FALSE(belongs_to_git(in("'$PWD 'b/main.c"), grounds_.workspace()));
}

// The length of the hashes in an index stands in the settings of its repository alone.
TEST_F(GuardedRepositories, have_their_submodules_guarded_whatever_their_hashes) {
  const std::string line = fmt::format(
      "cd '{}' && git init -q --object-format=sha256 long && git init -q short && printf "
      "'[extensions \"x\"]\\nobjectformat = sha256\\n[include]\\npath = more\\n' >> "
      "short/.git/config && printf '[extensions]\\nobjectformat = sha256\\n' > short/.git/more && "
      "hash=11111111111111111111 && echo \"160000 $hash$hash\tsub\" | git -C short update-index "
      "--index-info && echo \"160000 $hash$hash${{hash}}1111\tsub\" | git -C long update-index "
      "--index-info",
      grounds_.workspace().string());
  ASSERT_EQ(std::system(line.c_str()), 0);
  const auto found = GuardedPaths(policy_).look().value();
  const auto made = paths_of(found, Kind::hidden_folder);
  EXPECT_TRUE(made.contains(in("long/sub")));
  EXPECT_TRUE(made.contains(in("short/sub")));
}

TEST_F(GuardedRepositories, with_too_many_missing_submodules_are_told_of) {
  const std::string line = fmt::format(
      "cd '{}' && git init -q sub && cd sub && for i in $(seq 1 400); do echo \"160000 "
      "1111111111111111111111111111111111111111\tm$i\"; done | git update-index --index-info",
      grounds_.workspace().string());
  ASSERT_EQ(std::system(line.c_str()), 0);
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_TRUE(found.too_much.starts_with("more than 250 protected paths are missing"))
      << found.too_much;
  EXPECT_LE(found.placeholders.size(), 250U);
}

TEST_F(GuardedRepositories, without_a_worktree_are_found_by_what_is_in_them) {
  make("mirror/HEAD", "ref: refs/heads/main\n");
  make("mirror/config", "[core]\n\thooksPath = my/hooks\n[include]\n\tpath = ../shared\n");
  make("mirror/my/hooks/post-update");
  make("mirror/.env");
  std::filesystem::create_directories(in("mirror/objects"));
  std::filesystem::create_directories(in("mirror/refs"));
  make("shared");
  make("linked/HEAD", "ref: refs/heads/main\n");
  make("linked/commondir", "../mirror\n");
  make("other/HEAD");
  std::filesystem::create_directories(in("other/refs"));
  for (const char* name : {"api/HEAD", "api/objects", "api/refs"}) {
    std::filesystem::create_directories(in(name));
  }
  std::filesystem::create_directories(in("old/objects"));
  std::filesystem::create_directories(in("old/refs"));
  std::filesystem::create_symlink("refs/heads/main", in("old/HEAD"));
  policy_.unreadable = {".env"};
  const auto found = GuardedPaths(policy_).look().value();
  const auto paths = paths_of(found, Kind::read_only);
  for (const char* path : {"mirror", "mirror/my/hooks", "linked", "shared", "old"}) {
    EXPECT_TRUE(paths.contains(in(path))) << path;
  }
  EXPECT_FALSE(paths.contains(in("other")) || paths.contains(in("api")));
  EXPECT_TRUE(belongs_to_git(in("old/config"), grounds_.workspace()));
  EXPECT_EQ(paths_of(found, Kind::hidden_file), std::set<std::string>{in("mirror/.env")});
}

TEST_F(GuardedRepositories, cannot_be_made_of_a_folder_to_write_to) {
  make("w/main.c");
  policy_.write_paths = {in("w")};
  // Files, which no build takes for packages; below a repository folders, which git does not see.
  const auto in_the_way = [&](Kind kind = Kind::read_only) {
    std::set<std::string> paths = paths_of(GuardedPaths(policy_).look().value(), kind);
    for (const char* other : {"w/.git", "w/.wright"}) paths.erase(in(other));
    return paths;
  };
  const auto commondir_and = [&](const char* part) {
    return std::set<std::string>{in("w/commondir"), in(part)};
  };
  const std::set<std::string> head{in("w/HEAD")};
  EXPECT_EQ(in_the_way(), head);

  make(".git/HEAD");  // `git diff HEAD` means the commit
  EXPECT_EQ(in_the_way(Kind::hidden_folder), commondir_and("w/refs"));
  std::filesystem::create_directory(in("w/refs"));
  EXPECT_EQ(in_the_way(Kind::hidden_folder), commondir_and("w/objects"));

  std::filesystem::remove_all(in("w/refs"));
  std::filesystem::remove_all(in(".git"));
  make("w/HEAD");  // as a tool for files may
  EXPECT_EQ(in_the_way(), commondir_and("w/refs"));
  std::filesystem::remove(in("w/HEAD"));
  make("w/commondir");
  EXPECT_EQ(in_the_way(), head);
  std::filesystem::remove(in("w/commondir"));

  make("w/.git/HEAD");  // broken: git looks further
  std::filesystem::create_directories(in("w/.git/objects"));
  std::filesystem::create_directories(in("w/.git/refs"));
  EXPECT_EQ(in_the_way(), head);
  std::filesystem::remove_all(in("w/.git"));

  make("w/.git", "gitdir: elsewhere\n");
  EXPECT_EQ(in_the_way(), std::set<std::string>());
  EXPECT_EQ(in_the_way(Kind::hidden_folder), std::set<std::string>{in("w/elsewhere")});
}

TEST_F(GuardedRepositories, that_others_of_this_folder_make_of_placeholders_are_none) {
  policy_.write_paths = {in("w")};
  std::filesystem::create_directories(in("w"));
  const auto found = GuardedPaths(policy_).look().value();
  std::filesystem::create_directories(in("w/objects"));
  std::filesystem::create_directories(in("w/refs"));
  EXPECT_TRUE(std::filesystem::is_regular_file(in("w/HEAD")));
  EXPECT_FALSE(is_git_folder(in("w")));
}

TEST_F(GuardedRepositories, that_are_written_to_themselves_keep_hooks_and_settings) {
  make("w/HEAD", "ref: refs/heads/main\n");
  make("w/config", "[core]\n\thooksPath = hooks.d\n\tfsmonitor = tools/watch --all\n");
  make("w/hooks.d/update");
  make("w/tools/watch");
  std::filesystem::create_directories(in("w/objects"));
  std::filesystem::create_directories(in("w/refs/heads"));
  policy_.write_paths = {in("w")};
  const auto found = GuardedPaths(policy_).look().value();
  const auto kept = paths_of(found, Kind::read_only);
  for (const char* path : {"w/config", "w/hooks.d", "w/tools/watch"}) {
    EXPECT_TRUE(kept.contains(in(path))) << path;
    EXPECT_TRUE(belongs_to_git(in(path), in("w"))) << path;
  }
  EXPECT_TRUE(paths_of(found, Kind::hidden_folder).contains(in("w/hooks")));
  for (const char* path : {"w/config.worktree", "w/commondir"}) {
    EXPECT_TRUE(kept.contains(in(path))) << path;
  }
  EXPECT_FALSE(kept.contains(in("w")));
  EXPECT_FALSE(belongs_to_git(in("w/refs/heads/main"), in("w")));
}

TEST_F(GuardedRepositories, include_templates_and_programs_that_git_runs_unasked) {
  make(".git/config",
       "[init]\n\ttemplateDir = template\n[core]\n\tfsmonitor = ./watch.sh\n"
       "[filter \"x\"]\n\tclean = \"sh -c 'bin/clean \\\"$1\\\"'\"\n\tsmudge = sh smudge.sh cat\n"
       "[alias]\n\tgo = !bin/go\n[diff \"y\"]\n\ttextconv = bin/missing bin/no\n"
       "\tcommand = '$PWD/with blank/diff'\n\texternal = $(git rev-parse --show-toplevel)/top.sh\n"
       "[pager]\n\tlog = cat\n[credential]\n\thelper = \"!f() { bin/secret; }; f\"\n");
  for (const char* path : {"template/hooks/pre-commit", "watch.sh", "bin/clean", "bin/go", "cat",
                           "smudge.sh", "with blank/diff", "top.sh", "bin/secret"}) {
    make(path);
  }
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in(".git"), in("template"), in("watch.sh"), in("bin/clean"),
                                   in("smudge.sh"), in("bin/missing"), in("with blank/diff"),
                                   in("top.sh"), in("bin/secret"), in("cat"), in("HEAD")}));
  EXPECT_TRUE(belongs_to_git(in("template/hooks/post-checkout"), grounds_.workspace()));
  EXPECT_FALSE(belongs_to_git(in("bin/go"), grounds_.workspace()));
}

TEST_F(GuardedRepositories, take_every_word_for_a_file_but_what_git_lfs_does) {
  make("clean");
  make("check");
  const auto keeps = [&](const char* file, const std::string& command) {
    make(".git/config", fmt::format("[filter \"x\"]\n\tprocess = {}\n", command));
    return belongs_to_git(in(file), grounds_.workspace());
  };
  EXPECT_FALSE(keeps("clean", "git-lfs clean -- %f"));
  EXPECT_FALSE(keeps("clean", "git lfs clean"));
  for (const char* command : {"python3 -u check", "python3  check", "sh <check", "sh < check",
                              "tcsh check", "xyz -f check", "sh -c 'exec check'", "$(pwd)/check",
                              "`pwd`/check", "bash '$(pwd)'/check", "$GIT_WORK_TREE/check"}) {
    EXPECT_TRUE(keeps("check", command)) << command;
  }
  make("tools/more.js");
  make("tools/clean.py");
  EXPECT_TRUE(keeps("tools/more.js", "node tools/more"));
  EXPECT_TRUE(keeps("tools/clean.py", "python3 -m tools.clean"));
  // Git takes one backslash away, and a shell the other.
  EXPECT_TRUE(keeps("check", "./ch\\\\eck"));
  make(".git/config", "[lfs \"customtransfer.x\"]\n\tpath = ./check\n");
  EXPECT_TRUE(belongs_to_git(in("check"), grounds_.workspace()));
}

TEST_F(GuardedRepositories, with_hooks_of_husky_include_those_that_they_run) {
  make(".git/config", "[core]\n\thooksPath = .husky/_\n");
  make(".husky/_/pre-commit");
  make(".husky/pre-commit");
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_TRUE(paths_of(found, Kind::read_only).contains(in(".husky")));
  EXPECT_TRUE(belongs_to_git(in(".husky/pre-push"), grounds_.workspace()));
}

// Whose folder a command could otherwise fill, or move away: `git status` at the top goes there.
TEST_F(GuardedRepositories, include_those_of_submodules_there_or_not) {
  const std::string line = fmt::format(
      "cd '{}' && git init -q && for i in there empty gone/deep; do git init -q $i && "
      "git -C $i -c user.name=a -c user.email=a commit -q --allow-empty -m x && "
      "git add $i 2>/dev/null; done; rm -rf empty/.git gone",
      grounds_.workspace().string());
  ASSERT_EQ(std::system(line.c_str()), 0);
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_TRUE(paths_of(found, Kind::read_only).contains(in("there/.git")));
  EXPECT_TRUE(paths_of(found, Kind::pinned).contains(in("there")));
  const auto made = paths_of(found, Kind::hidden_folder);
  EXPECT_TRUE(made.contains(in("gone")));
  EXPECT_TRUE(paths_of(found, Kind::read_only).contains(in("empty")));
  EXPECT_FALSE(std::filesystem::exists(in("empty/.git")));
  // Git outside is not held up by what is in the way of commands.
  const std::string status = "git -C '" + grounds_.workspace().string() + "' status >/dev/null";
  EXPECT_EQ(std::system(status.c_str()), 0);
}

TEST_F(GuardedRepositories, tell_of_what_they_name_elsewhere) {
  make("sub/.git/config", "[core]\n\thooksPath = ../hooks\n[include]\n\tpath = ../../later\n");
  make("hooks/pre-commit");
  const auto told = GuardedPaths(policy_).elsewhere();
  EXPECT_TRUE(told.is_complete);
  EXPECT_EQ(std::set<std::string>(told.of_git.begin(), told.of_git.end()),
            (std::set<std::string>{in("hooks"), in("later")}));
}

TEST_F(GuardedRepositories, leave_their_top_alone) {
  make("w/.git/config", "[core]\n\thooksPath = .\n");
  policy_.write_paths = {in("w")};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_FALSE(paths_of(found, Kind::read_only).contains(in("w")));
}

TEST_F(GuardedRepositories, need_not_be_there_for_the_settings_of_the_person) {
  make("w/shared", "[core]\n\thooksPath = " + in("w/hooks") + "\n\tfsmonitor = relative/x\n");
  make("w/hooks/pre-commit");
  make("gitconfig", "[include]\n\tpath = " + in("w/shared") + "\n");
  ASSERT_EQ(::setenv("GIT_CONFIG_GLOBAL", in("gitconfig").c_str(), 1), 0);
  policy_.write_paths = {in("w")};
  for (const char* path : {"w/shared", "w/hooks/pre-commit"}) {
    EXPECT_TRUE(belongs_to_git(in(path), in("w"))) << path;
  }
  EXPECT_FALSE(belongs_to_git(in("w/relative/x"), in("w")));
  const auto found = GuardedPaths(policy_).look().value();
  ::unsetenv("GIT_CONFIG_GLOBAL");
  for (const char* path : {"w/shared", "w/hooks"}) {
    EXPECT_TRUE(paths_of(found, Kind::read_only).contains(in(path))) << path;
  }
}

TEST_F(GuardedRepositories, include_the_settings_of_the_person) {
  make("w/.git/HEAD", "");
  make("w/dotfiles/gitconfig", "");
  const std::string file = in("w/dotfiles/gitconfig");
  ASSERT_EQ(::setenv("GIT_CONFIG_GLOBAL", file.c_str(), 1), 0);
  policy_.write_paths = {in("w")};
  const auto found = GuardedPaths(policy_).look().value();
  ::unsetenv("GIT_CONFIG_GLOBAL");
  EXPECT_TRUE(paths_of(found, Kind::read_only).contains(file));
}

}  // namespace
}  // namespace wright::sandbox
