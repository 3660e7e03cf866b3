#include "tools/edit/file_changes.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tools/temporary_folder_testing.h"
#include "tools/workspace/failing_calls_testing.h"

namespace wright::tools {
namespace {

// Both ways of resolving paths must give the same answers.
class FileChanges : public ::testing::TestWithParam<Resolver> {
 protected:
  FileChanges() {
    outside.write("secret", "outside");
    base.write("file", "old").write("a/b/deep", "deep").write("gone", "old").make_folder("empty");
  }

  void SetUp() override {
    const FileDescriptor folder(::open(base.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (GetParam() == Resolver::kernel && available_resolver(folder.get()) == Resolver::by_hand) {
      GTEST_SKIP() << "this system has no openat2";
    }
  }

  Workspace workspace(std::vector<std::filesystem::path> writable = {"."}) const {
    auto opened =
        Workspace::open({.base = base.path(), .writable = std::move(writable)}, GetParam());
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  // Writes `new` to a path: "ok", or the code of the error.
  static std::string write(const Workspace& workspace, std::string_view path, FileCalls& calls,
                           MissingFolders missing = MissingFolders::refuse) {
    const auto located = workspace.locate(path);
    if (!located) return std::string(to_string(located.error().code));
    const auto existing = read_for_change(workspace, *located);
    if (!existing) return std::string(to_string(existing.error().code));
    FileChange change{*located, "new", {}, {}};
    if (*existing) change.replaced = (*existing)->status;
    const auto applied = apply_changes(workspace, std::span(&change, 1), missing, calls);
    return applied ? "ok" : std::string(to_string(applied.error().code));
  }

  // A file created, one replaced, one removed, and one created in a new folder.
  std::vector<FileChange> four_changes(const Workspace& workspace) const {
    const auto status = [&](const std::string& path) {
      return (*read_for_change(workspace, path))->status;
    };
    return {{"created", "1", {}, {}},
            {"file", "2", status("file"), {}},
            {"gone", {}, status("gone"), {}},
            {"x/y/new", "3", {}, {}}};
  }

  TemporaryFolder base;
  TemporaryFolder outside;
};

INSTANTIATE_TEST_SUITE_P(Resolvers, FileChanges,
                         ::testing::Values(Resolver::kernel, Resolver::by_hand),
                         [](const auto& info) {
                           return info.param == Resolver::kernel ? "kernel" : "by_hand";
                         });

TEST_P(FileChanges, hold_against_hostile_paths) {
  const std::string out = outside.path().native();
  const std::string in = base.path().native();
  base.link("to_file", "file")
      .link("to_folder", "a/b")
      .link("absolute_in", base / "file")
      .link("to_secret", outside / "secret")
      .link("to_outside", outside.path())
      .link("up", "../" + outside.path().filename().native())
      .link("to_root", "/")
      .link("circle", "circle")
      .link("dangling", "nowhere")
      .link("dangling_out", outside / "made")
      .link("into_git", ".git/hooks")
      .write(".git/hooks/sample");
  ASSERT_EQ(::mkfifo((base / "pipe").c_str(), 0600), 0);
  const struct {
    std::string path;
    std::string expected;
  } kCases[] = {
      {"file", "ok"},
      {"fresh", "ok"},
      {"a/b/deep", "ok"},
      {"a/../fresh2", "ok"},
      {"to_folder/through_link", "ok"},
      {in + "/absolute", "ok"},
      {".gitignore", "ok"},
      {"x.git/..fine", "not_found"},
      {"missing/file", "not_found"},
      {"", "invalid_argument"},
      {".", "invalid_argument"},
      {"a", "invalid_argument"},
      {"file/x", "invalid_argument"},
      {"pipe", "invalid_argument"},
      {"to_file", "permission_denied"},
      {"to_secret", "permission_denied"},
      {"to_outside/new", "permission_denied"},
      {"to_outside/secret", "permission_denied"},
      {"up/secret", "permission_denied"},
      {"to_root/tmp/wright-was-here", "permission_denied"},
      {"absolute_in", "permission_denied"},
      {"circle", "permission_denied"},
      {"circle/x", "permission_denied"},
      {"dangling", "permission_denied"},
      {"dangling_out", "permission_denied"},
      {"dangling_out/x", "permission_denied"},
      {"..", "permission_denied"},
      {"../x", "permission_denied"},
      {"a/../../x", "permission_denied"},
      {"/etc/passwd", "permission_denied"},
      {out + "/secret", "permission_denied"},
      {in + "/../x", "permission_denied"},
      {in + "x", "permission_denied"},
      {".git/config", "permission_denied"},
      {"a/.git/x", "permission_denied"},
      {".GIT/x", "permission_denied"},
      {".git", "permission_denied"},
      {"into_git/pre-commit", "permission_denied"},
      {std::string("file\0.txt", 9), "invalid_argument"},
      {std::string(300, 'n'), "invalid_argument"},
      {std::string(5000, 'n'), "invalid_argument"},
      {"\xFF\xFE", "ok"},
      {"new\nline", "ok"},
  };
  const auto before = snapshot(outside.path());
  const Workspace workspace = this->workspace();
  FileCalls calls;
  for (const auto& c : kCases) EXPECT_EQ(write(workspace, c.path, calls), c.expected) << c.path;
  EXPECT_EQ(snapshot(outside.path()), before);
  EXPECT_EQ(content_of(base / "a/b/through_link"), "new");
  EXPECT_FALSE(std::filesystem::exists(base / ".git/hooks/pre-commit"));
  for (const auto& [path, content] : snapshot(base.path())) {
    EXPECT_EQ(path.find(".tmp"), std::string::npos) << "a file was left behind: " << path;
  }
}

TEST_P(FileChanges, make_no_folders_outside) {
  base.link("to_outside", outside.path()).link("dangling", outside / "made");
  const auto before = snapshot(outside.path());
  const Workspace workspace = this->workspace();
  FileCalls calls;
  const auto create = MissingFolders::create;
  EXPECT_EQ(write(workspace, "n/e/w", calls, create), "ok");
  EXPECT_EQ(write(workspace, "to_outside/n/e/w", calls, create), "permission_denied");
  EXPECT_EQ(write(workspace, "dangling/w", calls, create), "permission_denied");
  EXPECT_EQ(write(workspace, "file/n/w", calls, create), "invalid_argument");
  std::string deep = "d";
  for (int i = 0; i < 100; ++i) deep += "/d";
  EXPECT_EQ(write(workspace, deep, calls, create), "invalid_argument");
  EXPECT_EQ(snapshot(outside.path()), before);
  EXPECT_EQ(content_of(base / "n/e/w"), "new");
}

TEST_P(FileChanges, stay_below_the_writable_folders) {
  const TemporaryFolder further;
  base.link("a/b/out_of_a", "../../file").link("alias", "a");
  const Workspace workspace = this->workspace({"a", further.path()});
  FileCalls calls;
  EXPECT_EQ(write(workspace, "a/x", calls), "ok");
  EXPECT_EQ(write(workspace, "a/b/x", calls), "ok");
  EXPECT_EQ(write(workspace, (further / "x").native(), calls), "ok");
  EXPECT_EQ(content_of(further / "x"), "new");
  EXPECT_EQ(write(workspace, "file", calls), "permission_denied");
  EXPECT_EQ(write(workspace, "ab", calls), "permission_denied");
  EXPECT_EQ(write(workspace, "alias/x", calls), "permission_denied");
  EXPECT_EQ(write(workspace, "a/../file", calls), "permission_denied");
  EXPECT_EQ(content_of(base / "file"), "old");
  const auto refused = workspace.write_target("file");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            fmt::format("'file' may not be written: it lies outside of the folders '{}', '{}'",
                        (base / "a").native(), further.path().native()));
}

// What a command may not write either (sandbox/guarded_paths.h), with git's folder under any name.
TEST_P(FileChanges, leave_to_git_what_git_takes_commands_from) {
  base.write(".git", "gitdir: gd\n")
      .write("gd/HEAD", "ref: refs/heads/main\n")
      .write("gd/config", "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../more\n")
      .write(".githooks/pre-commit", "old")
      .write("more", "old")
      .write("sub/.git", "gitdir: ../modules/sub\n")
      .write("modules/sub/HEAD", "ref: refs/heads/main\n")
      .write("bare/HEAD", "ref: refs/heads/main\n")
      .write("own/.git/config", "[core]\n\thooksPath = hooks\n")
      .make_folder("modules/sub/objects")
      .make_folder("modules/sub/refs")
      .make_folder("bare/objects")
      .make_folder("bare/refs")
      .link("alias", "gd");
  const Workspace workspace = this->workspace();
  FileCalls calls;
  for (const char* path : {"gd/config", "gd/hooks/pre-commit", "alias/config",
                           ".githooks/pre-commit", ".githooks/post-merge", "more",
                           "modules/sub/config", "bare/config", "own/hooks/pre-push"}) {
    EXPECT_EQ(write(workspace, path, calls, MissingFolders::create), "permission_denied") << path;
  }
  for (const char* path : {"file", "sub/a", "modules/a", "githooks/a", "own/a", "HEAD"}) {
    EXPECT_EQ(write(workspace, path, calls, MissingFolders::create), "ok") << path;
  }
  EXPECT_EQ(content_of(base / ".githooks/pre-commit"), "old");
  EXPECT_FALSE(std::filesystem::exists(base / "gd/hooks"));
}

TEST_P(FileChanges, never_let_a_race_of_links_lead_outside) {
  // One name is in turn a folder inside and a link to the outside.
  base.make_folder("real").link("bait", outside.path());
  const auto before = snapshot(outside.path());
  const Workspace workspace = this->workspace();
  std::atomic<bool> is_over = false;
  std::thread swapper([&] {
    while (!is_over) {
      ::renameat2(AT_FDCWD, (base / "real").c_str(), AT_FDCWD, (base / "bait").c_str(),
                  RENAME_EXCHANGE);
    }
  });
  UnsyncedCalls calls;
  int written = 0;
  int refused = 0;
  constexpr int kMaxTries = 100'000;
  for (int i = 0; i < kMaxTries && (i < 500 || written == 0 || refused == 0); ++i) {
    const std::string path = fmt::format("{}/{}", i % 2 == 0 ? "real" : "bait",
                                         i % 3 == 0   ? "secret"
                                         : i % 3 == 1 ? fmt::format("n{}", i)
                                                      : fmt::format("d{}/e/f", i));
    ++(write(workspace, path, calls, MissingFolders::create) == "ok" ? written : refused);
  }
  is_over = true;
  swapper.join();
  EXPECT_EQ(snapshot(outside.path()), before);
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, 0);
}

TEST_P(FileChanges, never_write_through_a_file_that_turns_into_a_link) {
  base.write("victim", "inside").link("bait", outside / "secret");
  const Workspace workspace = this->workspace();
  std::atomic<bool> is_over = false;
  std::thread swapper([&] {
    while (!is_over) {
      ::renameat2(AT_FDCWD, (base / "victim").c_str(), AT_FDCWD, (base / "bait").c_str(),
                  RENAME_EXCHANGE);
    }
  });
  UnsyncedCalls calls;
  for (int i = 0; i < 2'000; ++i) write(workspace, "victim", calls);
  is_over = true;
  swapper.join();
  EXPECT_EQ(content_of(outside / "secret"), "outside");
}

TEST_P(FileChanges, leave_everything_as_it_was_whichever_call_fails) {
  const Workspace workspace = this->workspace();
  const auto before = snapshot(base.path());
  for (const bool has_modern_calls : {true, false}) {
    bool has_succeeded = false;
    for (int failing = 0; !has_succeeded; ++failing) {
      ASSERT_LT(failing, 100);
      bool is_last_step = false;
      bool has_failed = false;
      FailingCalls calls([&](std::string_view call, int count) {
        const bool is_modern = call == "create_nameless" || call == "exchange";
        if (is_modern && !has_modern_calls) return EOPNOTSUPP;
        if (has_failed || count < failing) return 0;
        has_failed = true;
        is_last_step = call == "remove_file";
        return ENOSPC;
      });
      const auto changes = four_changes(workspace);
      const auto applied = apply_changes(workspace, changes, MissingFolders::create, calls);
      has_succeeded = applied.has_value();
      if (has_succeeded) {
        EXPECT_FALSE(has_failed) << failing;
        break;
      }
      ASSERT_TRUE(has_failed);
      if (is_last_step && snapshot(base.path()) != before) {
        // Two old files go in the end: after the first there is no way back, and that is said.
        EXPECT_NE(applied.error().message.find("All changes were made"), std::string::npos);
        for (const auto& entry : std::filesystem::directory_iterator(base.path())) {
          if (entry.path().extension() == ".tmp") std::filesystem::remove(entry.path());
        }
        EXPECT_EQ(content_of(base / "file"), "2");
        base.write("file", "old").write("gone", "old");
        std::filesystem::remove(base / "created");
        std::filesystem::remove_all(base / "x");
      } else {
        EXPECT_NE(applied.error().message.find("the disk is full; nothing was changed"),
                  std::string::npos)
            << applied.error().message;
      }
      ASSERT_EQ(snapshot(base.path()), before) << "call " << failing;
    }
    EXPECT_EQ(content_of(base / "created"), "1");
    EXPECT_EQ(content_of(base / "file"), "2");
    EXPECT_EQ(content_of(base / "gone"), "(no such file)");
    EXPECT_EQ(content_of(base / "x/y/new"), "3");
    base.write("file", "old").write("gone", "old");
    std::filesystem::remove(base / "created");
    std::filesystem::remove_all(base / "x");
    ASSERT_EQ(snapshot(base.path()), before);
  }
}

TEST_P(FileChanges, say_what_could_not_be_put_back) {
  const Workspace workspace = this->workspace();
  bool has_failed = false;
  FailingCalls calls([&](std::string_view call, int) {
    if (call == "rename") has_failed = true;  // of the file that is removed
    return has_failed ? EIO : 0;
  });
  const auto applied =
      apply_changes(workspace, four_changes(workspace), MissingFolders::create, calls);
  ASSERT_FALSE(applied);
  EXPECT_NE(applied.error().message.find("'file' could not be put back (Input/output error); its "
                                         "old content is in '.wright-"),
            std::string::npos)
      << applied.error().message;
}

TEST_P(FileChanges, notice_what_others_did_meanwhile) {
  const Workspace workspace = this->workspace();
  FileCalls calls;
  const auto changes = four_changes(workspace);
  const auto attempt = [&] {
    const auto applied = apply_changes(workspace, changes, MissingFolders::create, calls);
    return !applied && is_conflict(applied.error());
  };
  base.write("created", "by somebody else");
  EXPECT_TRUE(attempt());
  EXPECT_EQ(content_of(base / "created"), "by somebody else");
  std::filesystem::remove(base / "created");
  base.write("file", "changed");
  EXPECT_TRUE(attempt());
  EXPECT_EQ(content_of(base / "file"), "changed");
  EXPECT_EQ(content_of(base / "created"), "(no such file)");
  EXPECT_EQ(content_of(base / "gone"), "old");
}

TEST_P(FileChanges, do_not_wait_for_ever_for_a_folder_that_somebody_keeps) {
  class KeptFolder : public FileCalls {
   public:
    Done lock(int) override { return std::unexpected(ETIMEDOUT); }
  } kept;
  const Workspace workspace = this->workspace();
  EXPECT_EQ(write(workspace, "file", kept), "unavailable");
  EXPECT_EQ(content_of(base / "file"), "old");
  class NoLocks : public FileCalls {
   public:
    Done lock(int) override { return std::unexpected(EOPNOTSUPP); }
  } without;
  EXPECT_EQ(write(workspace, "file", without), "ok");
}

TEST_P(FileChanges, keep_the_mode_of_what_they_replace) {
  ASSERT_EQ(::chmod((base / "file").c_str(), 0751), 0);
  const Workspace workspace = this->workspace();
  FileCalls calls;
  EXPECT_EQ(write(workspace, "file", calls), "ok");
  struct stat status {};
  ASSERT_EQ(::stat((base / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0751U);
}

TEST_P(FileChanges, respect_permissions_and_limits_of_the_system) {
  ASSERT_EQ(::chmod(base.path().c_str(), 0555), 0);
  {
    const Workspace workspace = this->workspace();
    const WithoutRoot without_root;
    FileCalls calls;
    EXPECT_EQ(write(workspace, "new", calls), "permission_denied");
    EXPECT_EQ(write(workspace, "file", calls), "permission_denied");
  }
  ASSERT_EQ(::chmod(base.path().c_str(), 0755), 0);
  EXPECT_EQ(content_of(base / "file"), "old");

  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{1000, old_limit.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Workspace workspace = this->workspace();
  FileCalls calls;
  const FileChange large{"large", std::string(100'000, 'x'), {}, {}};
  const auto applied =
      apply_changes(workspace, std::span(&large, 1), MissingFolders::refuse, calls);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().message,
            "'large' cannot be written: the file would be larger than the system allows; nothing "
            "was changed");
  EXPECT_FALSE(std::filesystem::exists(base / "large"));
}

TEST_P(FileChanges, leave_old_or_new_content_when_the_process_is_killed) {
  const std::string old_content(300'000, 'o');
  const std::string new_content(300'000, 'n');
  for (int round = 0; round < 20; ++round) {
    base.write("file", old_content);
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto workspace = Workspace::open({.base = base.path(), .writable = {"."}}, GetParam());
      UnsyncedCalls calls;
      for (int i = 0;; ++i) {
        const auto existing = read_for_change(*workspace, "file");
        const FileChange change{
            "file", i % 2 == 0 ? new_content : old_content, (*existing)->status, {}};
        (void)apply_changes(*workspace, std::span(&change, 1), MissingFolders::refuse, calls);
        if (i <= round && ::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte = 0;
    for (int i = 0; i <= round; ++i) ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ready[0]);
    ::close(ready[1]);
    const std::string content = content_of(base / "file");
    EXPECT_TRUE(content == old_content || content == new_content) << content.size();
  }
}

}  // namespace
}  // namespace wright::tools
