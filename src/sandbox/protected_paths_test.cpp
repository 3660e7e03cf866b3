// What must not be changed or read inside the workspace.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sandbox/git_paths.h"
#include "sandbox/sandbox_testing.h"

namespace wright::sandbox {
namespace {

using namespace std::chrono_literals;

class ProtectedPaths : public testing::Test {
 protected:
  void SetUp() override {
    git_ = grounds_.workspace() / ".git";
    ASSERT_EQ(std::system(("cd " + grounds_.workspace().string() +
                           " && git init -q . && git config user.email a@b && git config user.name "
                           "a && echo x > f && git add f && git commit -qm first")
                              .c_str()),
              0);
  }
  FinishedCommand run(const std::string& line, const SandboxPolicy& policy) const {
    return run_line(Sandbox::prepare(policy).value(), line, grounds_.workspace());
  }

  Grounds grounds_;
  std::filesystem::path git_;
};

TEST_F(ProtectedPaths, cannot_be_changed_moved_removed_or_replaced) {
  const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  const std::string config = Grounds::read(git_ / "config");
  for (const char* line : {"printf '[core]\\n\\tfsmonitor = touch /tmp/x' >> .git/config",
                           "mv .git old",
                           "rm -rf .git",
                           "git config core.fsmonitor 'touch x'",
                           "echo x > .git/hooks/pre-commit",
                           "mkdir new && mv -T --exchange new .git || mv -T new .git",
                           "rmdir .git",
                           "rm .git/HEAD",
                           "chmod 777 .git/config",
                           "touch .git/new",
                           "ln -s /tmp .git/link",
                           "python3 -c 'import os; os.rename(\".git/config\", \"config\")'",
                           "git config --worktree core.fsmonitor x",
                           "git add f -f && git commit -qam again",
                           "umount .git",
                           "ln .git/config c && echo x >> c",
                           "mkdir .wright",
                           "echo x > .wright",
                           "ln -s /tmp .wright",
                           "rmdir .wright && mkdir .wright",
                           "mv f .wright"}) {
    const auto finished = run_line(sandbox, line, grounds_.workspace());
    EXPECT_NE(finished.exit_code, 0) << line;
    EXPECT_EQ(Grounds::read(git_ / "config"), config) << line;
    EXPECT_FALSE(std::filesystem::exists(grounds_.workspace() / ".wright")) << line;
  }
  EXPECT_FALSE(std::filesystem::exists(git_ / "new"));
}

TEST_F(ProtectedPaths, do_not_keep_git_from_looking) {
  const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
  std::filesystem::create_directory(grounds_.workspace() / "sub");
  const auto finished =
      run_line(sandbox,
               "echo changed > f; echo y > new; git status --short; git log --format=%s; git diff "
               "--stat | tail -1; cd sub && git rev-parse --show-prefix",
               grounds_.workspace());
  EXPECT_EQ(finished.exit_code, 0) << finished.error.head;
  EXPECT_EQ(finished.output.head,
            " M f\n?? new\nfirst\n 1 file changed, 1 insertion(+), 1 deletion(-)\nsub/\n");
}

TEST_F(ProtectedPaths, include_settings_of_git_that_are_not_there_and_let_git_work) {
  std::ofstream(git_ / "config", std::ios::app)
      << "[include]\n\tpath = ../.local.gitconfig\n\tpath = ../far/off.gitconfig\n";
  const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  const auto git = run_line(sandbox, "git log --format=%s && git diff", grounds_.workspace());
  EXPECT_EQ(git.exit_code, 0) << git.error.head;
  EXPECT_EQ(git.output.head, "first\n");
  for (const char* line : {"echo x > .local.gitconfig", "rm .local.gitconfig",
                           "mv f .local.gitconfig", "mkdir -p far && echo x > far/off.gitconfig"}) {
    EXPECT_NE(run_line(sandbox, line, grounds_.workspace()).exit_code, 0) << line;
    EXPECT_FALSE(std::filesystem::exists(grounds_.workspace() / ".local.gitconfig")) << line;
    EXPECT_FALSE(std::filesystem::exists(grounds_.workspace() / "far")) << line;
  }
}

TEST_F(ProtectedPaths, include_repositories_behind_links_with_their_hooks) {
  const auto folder = grounds_.workspace();
  std::filesystem::create_directories(folder / "sub");
  std::filesystem::rename(git_, folder / "kept");
  std::filesystem::create_symlink("../kept", folder / "sub/.git");
  std::filesystem::create_directories(folder / "tools");
  Grounds::write(folder / "tools/check.sh", "mine");
  std::filesystem::create_symlink("../../tools/check.sh", folder / "kept/hooks/pre-commit");
  const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  for (const char* line : {"rm sub/.git", "mv sub other", "ln -sfn ../mine sub/.git",
                           "echo x > kept/hooks/post-commit", "mv kept old",
                           "echo x > tools/check.sh", "rm tools/check.sh", "mv tools old"}) {
    EXPECT_NE(run_line(sandbox, line, folder).exit_code, 0) << line;
  }
  EXPECT_EQ(std::filesystem::read_symlink(folder / "sub/.git"), "../kept");
  EXPECT_EQ(Grounds::read(folder / "tools/check.sh"), "mine");
  EXPECT_EQ(run_line(sandbox, "cd sub && git log --format=%s", folder).output.head, "first\n");
}

TEST_F(ProtectedPaths, include_repositories_without_a_worktree_and_make_none_of_the_base) {
  const auto folder = grounds_.workspace();
  std::filesystem::rename(git_, folder / "mirror");
  const std::string config = Grounds::read(folder / "mirror/config");
  const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  for (const char* line :
       {"git -C mirror config core.fsmonitor ./x", "echo x > mirror/hooks/post-update",
        "mv mirror old", "rm mirror/HEAD", "cp -r mirror/. .",
        "mkdir objects refs; echo 'ref: refs/heads/x' > HEAD", "mv mirror/HEAD HEAD",
        "git init --bare . && ls HEAD/*", "echo mirror > commondir; ln -sf mirror/HEAD HEAD"}) {
    EXPECT_NE(run_line(sandbox, line, folder).exit_code, 0) << line;
    EXPECT_FALSE(is_git_folder(folder)) << line;
  }
  EXPECT_EQ(Grounds::read(folder / "mirror/config"), config);
  EXPECT_FALSE(std::filesystem::exists(folder / "mirror/hooks/post-update"));
  EXPECT_FALSE(std::filesystem::exists(folder / "HEAD"));
  EXPECT_EQ(run_line(sandbox, "git --git-dir=mirror log --format=%s", folder).output.head,
            "first\n");
}

TEST_F(ProtectedPaths, in_a_folder_of_a_repository_leave_git_its_words) {
  const auto folder = grounds_.workspace() / "sub";
  std::filesystem::create_directory(folder);
  auto policy = grounds_.policy();
  policy.read_paths.push_back(grounds_.workspace());
  policy.write_paths = {folder};
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  const auto git = run_line(sandbox, "git diff HEAD && git log --format=%s HEAD", folder);
  EXPECT_EQ(git.output.head, "first\n") << git.error.head;
  for (const char* line : {"echo 'ref: refs/heads/x' > HEAD; mkdir objects refs",
                           "git init --bare .", "echo ../x > commondir", "rm -f refs"}) {
    EXPECT_NE(run_line(sandbox, line, folder).exit_code, 0) << line;
    EXPECT_FALSE(is_git_folder(folder)) << line;
  }
}

TEST_F(ProtectedPaths, are_what_the_user_names) {
  auto policy = grounds_.policy();
  Grounds::write(grounds_.workspace() / "notes.md", "mine");
  policy.protected_paths = {"notes.md", "later/on"};
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  EXPECT_NE(run_line(sandbox, "echo x > notes.md", grounds_.workspace()).exit_code, 0);
  EXPECT_NE(run_line(sandbox, "mkdir -p later/on", grounds_.workspace()).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(grounds_.workspace() / "later"));
  EXPECT_EQ(
      run_line(sandbox, "git commit -qam second --allow-empty", grounds_.workspace()).exit_code, 0);
}

TEST_F(ProtectedPaths, cannot_be_replaced_by_moving_what_leads_to_them) {
  const auto folder = grounds_.workspace();
  std::filesystem::create_directories(folder / "config/deep");
  std::filesystem::create_directories(folder / "store");
  Grounds::write(folder / "config/deep/keys", "mine");
  Grounds::write(folder / "store/config", "mine");
  std::filesystem::remove_all(git_);
  std::filesystem::create_symlink("store", git_);
  auto policy = grounds_.policy();
  policy.protected_paths = {".git", "config/deep/keys", "config/later/keys"};
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  for (const char* line :
       {"mv config old && mkdir -p config/deep && echo x > config/deep/keys",
        "mv config/deep old && mkdir config/deep && echo x > config/deep/keys", "rm -r config",
        "mkdir -p config/later && echo x > config/later/keys", "rm .git", "mv .git old",
        "ln -sfn /tmp .git", "echo x >> .git/config", "echo x >> store/config",
        "mv store old && mkdir store && echo x > store/config"}) {
    EXPECT_NE(run_line(sandbox, line, folder).exit_code, 0) << line;
    EXPECT_EQ(Grounds::read(folder / "config/deep/keys"), "mine") << line;
    EXPECT_EQ(Grounds::read(git_ / "config"), "mine") << line;
    EXPECT_FALSE(std::filesystem::exists(folder / "config/later")) << line;
  }
  EXPECT_EQ(run_line(sandbox, "echo x > config/deep/other && cat .git/config", folder).output.head,
            "mine");
}

TEST_F(ProtectedPaths, include_what_appears_between_two_commands) {
  const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  EXPECT_NE(run_line(sandbox, "mkdir .wright", grounds_.workspace()).exit_code, 0);
  std::filesystem::create_directories(grounds_.workspace() / ".wright/agents");
  std::filesystem::create_directories(grounds_.workspace() / "sub/.git");
  EXPECT_NE(run_line(sandbox, "touch .wright/agents/a.toml", grounds_.workspace()).exit_code, 0);
  EXPECT_NE(run_line(sandbox, "touch sub/.git/config", grounds_.workspace()).exit_code, 0);
}

TEST_F(ProtectedPaths, hide_secrets) {
  auto policy = grounds_.policy();
  policy.unreadable = usual_secrets();
  std::filesystem::create_directories(grounds_.workspace() / "deploy");
  Grounds::write(grounds_.workspace() / ".env", "KEY=do not read");
  Grounds::write(grounds_.workspace() / "deploy/prod.env", "KEY=do not read");
  Grounds::write(grounds_.workspace() / "deploy/id_ed25519", "do not read");
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  const auto finished = run_line(
      sandbox,
      "cat .env deploy/*; cp -r deploy copy; cat copy/*; grep -r 'do not' .; mv deploy other; cat "
      "other/*; ln .env l; cat l; mv .env e; cat e; rm -f .env; tar c . | grep -a 'do not'",
      grounds_.workspace());
  EXPECT_EQ(finished.output.head.find("do not read"), std::string::npos) << finished.output.head;
  EXPECT_EQ(Grounds::read(grounds_.workspace() / ".env"), "KEY=do not read");
}

TEST_F(ProtectedPaths, hide_secrets_behind_links_from_this_command_and_the_next) {
  auto policy = grounds_.policy();
  policy.unreadable = usual_secrets();
  std::filesystem::create_directories(grounds_.workspace() / "dotaws");
  Grounds::write(grounds_.workspace() / "prod.txt", "KEY=do not read");
  Grounds::write(grounds_.workspace() / "dotaws/credentials", "do not read");
  std::filesystem::create_symlink("prod.txt", grounds_.workspace() / ".env");
  std::filesystem::create_symlink("dotaws", grounds_.workspace() / ".aws");
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  for (const char* line :
       {"cat .env prod.txt .aws/credentials dotaws/credentials",
        "rm -f .env .aws; mv dotaws d; mv prod.txt p; ln -sfn nowhere .env; grep -r 'do not' .",
        "grep -r 'do not' ."}) {
    const auto finished = run_line(sandbox, line, grounds_.workspace());
    EXPECT_EQ(finished.output.head.find("do not read"), std::string::npos) << line << "\n"
                                                                           << finished.output.head;
  }
  EXPECT_EQ(Grounds::read(grounds_.workspace() / "prod.txt"), "KEY=do not read");
}

TEST_F(ProtectedPaths, hide_what_lies_deeper_than_a_path_can_say_and_let_commands_run) {
  auto policy = grounds_.policy();
  policy.unreadable = {"**/*.env"};
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  const char* down =
      "python3 -c 'import os\nos.mkdir(\"top\"); os.chdir(\"top\")\n"
      "for i in range(1100): os.mkdir(\"down\"); os.chdir(\"down\")\n"
      "open(\"x.env\", \"w\").write(\"do not read\")'";
  ASSERT_EQ(run_line(sandbox, down, grounds_.workspace()).exit_code, 0);
  const auto next = run_line(sandbox,
                             "echo fine; python3 -c 'import os\nos.chdir(\"top\")\n"
                             "for i in range(1100): os.chdir(\"down\")\n"
                             "print(open(\"x.env\").read())' 2>/dev/null",
                             grounds_.workspace());
  EXPECT_EQ(next.output.head, "fine\n");
}

TEST_F(ProtectedPaths, do_not_give_way_to_decoys) {
  auto policy = grounds_.policy();
  policy.unreadable = {"**/*.env"};
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  EXPECT_EQ(run_line(sandbox, "for i in {1..5001}; do echo > $i.env; done", grounds_.workspace())
                .exit_code,
            0);
  const auto refused = sandbox.run(*shell_command("echo fine", grounds_.workspace()));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("more than 5000 paths are protected or unreadable"))
      << refused.error().message;
}

}  // namespace
}  // namespace wright::sandbox
