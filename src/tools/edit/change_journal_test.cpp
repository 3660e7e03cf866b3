#include "tools/edit/change_journal.h"

#include <sys/wait.h>

#include <csignal>

#include "tools/edit/file_changes.h"
#include "tools/temporary_folder_testing.h"
#include "tools/workspace/failing_calls_testing.h"
#include "tools/workspace/journal_names.h"

namespace wright::tools {
namespace {

using Files = std::map<std::string, std::string>;

// Three files that are changed at once: one is made, one replaced, one removed.
class ChangeJournalTest : public ::testing::TestWithParam<bool> {
 protected:
  ChangeJournalTest() { fill(); }

  void fill() const {
    for (const auto& entry : std::filesystem::directory_iterator(base.path())) {
      std::filesystem::remove_all(entry.path());
    }
    base.write("replaced", "old").write("removed", "old").write("other", "untouched");
  }

  static bool has_modern_calls() { return GetParam(); }

  Workspace workspace() const {
    auto opened = Workspace::open({.base = base.path(), .writable = {"."}});
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  static Result<void> change(const Workspace& workspace, FileCalls& calls) {
    const auto status = [&](const std::string& path) {
      return (*read_for_change(workspace, path))->status;
    };
    const std::vector<FileChange> changes{{"made", "new", {}, {}},
                                          {"replaced", "new", status("replaced"), {}},
                                          {"removed", {}, status("removed"), {}}};
    return apply_changes(workspace, changes, MissingFolders::refuse, calls);
  }

  // Makes the changes in a process that is killed before its n-th system call. True when it was.
  bool killed_before(int call) const {
    const pid_t child = ::fork();
    if (child == 0) {
      FailingCalls calls([&](std::string_view name, int count) {
        const bool is_modern = name == "create_nameless" || name == "exchange";
        if (count == call) ::raise(SIGKILL);
        return is_modern && !has_modern_calls() ? EOPNOTSUPP : 0;
      });
      ::_exit(change(workspace(), calls) ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
  }

  // Kills as early as something is half done.
  void kill_half_done() const {
    for (int call = 0; files() == before || files() == after; ++call) {
      fill();
      ASSERT_TRUE(killed_before(call));
    }
  }

  // What is there, without names that are only there for a while.
  Files files() const {
    Files found;
    for (const auto& entry : std::filesystem::directory_iterator(base.path())) {
      const std::string name = entry.path().filename().native();
      if (!name.starts_with(".wright-")) found[name] = content_of(entry.path());
    }
    return found;
  }

  bool has_spare_names() const {
    return std::ranges::any_of(
        std::filesystem::directory_iterator(base.path()),
        [](const auto& entry) { return entry.path().filename().native().starts_with(".wright-"); });
  }

  const Files before{{"replaced", "old"}, {"removed", "old"}, {"other", "untouched"}};
  const Files after{{"made", "new"}, {"replaced", "new"}, {"other", "untouched"}};
  // Whether the process had done half of it when it was killed.
  bool recover_all_or_nothing(int call) {
    const Files left = files();
    FileCalls calls;
    recover_changes(workspace(), calls);
    EXPECT_TRUE(files() == before || files() == after) << "killed before call " << call;
    return left != before && left != after;
  }

  TemporaryFolder base;
};

INSTANTIATE_TEST_SUITE_P(Systems, ChangeJournalTest, ::testing::Bool(), [](const auto& info) {
  return info.param ? "with_exchange" : "without_exchange";
});

TEST_P(ChangeJournalTest, leaves_all_or_nothing_whenever_the_process_is_killed) {
  int half_done = 0;
  int taken_back = 0;
  int finished = 0;
  for (int call = 0; killed_before(call); ++call) {
    ASSERT_LT(call, 100);
    half_done += recover_all_or_nothing(call) ? 1 : 0;
    ++(files() == before ? taken_back : finished);
    if (has_modern_calls()) {
      ASSERT_FALSE(has_spare_names()) << "killed before call " << call;
    }
    fill();
  }
  EXPECT_EQ(files(), after);
  EXPECT_FALSE(has_spare_names());
  EXPECT_GT(half_done, 0);
  EXPECT_GT(taken_back, 0);
  EXPECT_GT(finished, 0);
}

TEST_P(ChangeJournalTest, is_read_before_the_next_change_and_when_tools_are_made) {
  kill_half_done();
  ASSERT_TRUE(editing_tools({.base = base.path(), .writable = {"."}}));
  EXPECT_EQ(files(), before);
  kill_half_done();
  FileCalls calls;
  const FileChange other{"unrelated", "new", {}, {}};
  ASSERT_TRUE(apply_changes(workspace(), std::span(&other, 1), MissingFolders::refuse, calls));
  Files expected = before;
  expected["unrelated"] = "new";
  EXPECT_EQ(files(), expected);
}

TEST_P(ChangeJournalTest, leaves_alone_what_somebody_has_changed_since) {
  kill_half_done();
  base.write("made", "edited").write("replaced", "edited since").write("removed", "edited too");
  FileCalls calls;
  recover_changes(workspace(), calls);
  EXPECT_EQ(content_of(base / "made"), "edited");
  EXPECT_EQ(content_of(base / "replaced"), "edited since");
  EXPECT_EQ(content_of(base / "removed"), "edited too");
}

TEST_P(ChangeJournalTest, is_not_believed_when_it_came_from_elsewhere) {
  kill_half_done();
  const Files left = files();
  const auto journal = base / ".wright-journal.tmp";
  const std::string text = content_of(journal);
  ASSERT_NE(text, "(no such file)");
  std::filesystem::copy_file(journal, base / "copy");
  std::filesystem::rename(base / "copy", journal);
  FileCalls calls;
  recover_changes(workspace(), calls);
  EXPECT_EQ(files(), left);
  EXPECT_EQ(content_of(journal), text);
  for (const char* broken : {"", "{", "[]", R"({"journal": 1, "changes": 2})"}) {
    base.write(".wright-journal.tmp", broken);
    recover_changes(workspace(), calls);
    EXPECT_EQ(files(), left);
  }
  // And it is in nobody's way.
  fill();
  base.write(".wright-journal.tmp", "{");
  ASSERT_TRUE(change(workspace(), calls));
  EXPECT_EQ(files(), after);
}

TEST_P(ChangeJournalTest, leads_nowhere_that_may_not_be_written) {
  kill_half_done();
  const auto journal = base / ".wright-journal.tmp";
  base.write("guarded/made", "of a person");
  struct stat made {};
  ASSERT_EQ(::stat((base / "guarded/made").c_str(), &made), 0);
  std::filesystem::create_symlink("guarded", base / "way");
  const Json identity{made.st_dev, made.st_ino, made.st_size, made.st_mtim.tv_sec,
                      made.st_mtim.tv_nsec};
  const auto write_journal = [&] {
    std::ofstream file(journal);  // as it is: the number of the file is a part of it
    struct stat own {};
    ASSERT_EQ(::stat(journal.c_str(), &own), 0);
    const auto entry = [&](const char* path, const Json& new_file) {
      return Json{{"path", path}, {"spares", JsonArray()}, {"old", nullptr}, {"new", new_file}};
    };
    file << to_text(Json{{"journal", {own.st_dev, own.st_ino}},
                         {"changes", {entry("way/made", identity), entry("nowhere", identity)}}});
  };
  FileCalls calls;
  write_journal();
  auto guarded = Workspace::open(
      {.base = base.path(), .writable = {"."}, .protected_paths = {"guarded"}});
  ASSERT_TRUE(guarded);
  recover_changes(*guarded, calls);
  EXPECT_EQ(content_of(base / "guarded/made"), "of a person");
}

TEST_P(ChangeJournalTest, is_left_to_a_process_that_is_still_at_it) {
  const Workspace workspace = this->workspace();
  FileCalls calls;
  struct stat old_file {};
  ASSERT_EQ(::stat((base / "removed").c_str(), &old_file), 0);
  const std::string spare = spare_name();
  const std::vector<PlannedChange> planned{{"removed", {spare}, old_file, {}}};
  const auto journal = ChangeJournal::write(workspace, planned, calls);
  ASSERT_TRUE(journal && *journal);
  std::filesystem::rename(base / "removed", base / spare);
  recover_changes(workspace, calls);
  EXPECT_FALSE(std::filesystem::exists(base / "removed"));
  EXPECT_TRUE((*journal)->remove(calls));
  EXPECT_FALSE(std::filesystem::exists(base / ".wright-journal.tmp"));
}

TEST_P(ChangeJournalTest, is_written_under_another_name_where_a_file_has_its_name) {
  const std::string foreign = "of a person";
  const auto refill = [&] {
    fill();
    base.write(".wright-journal.tmp", foreign).make_folder(".wright-journal-2.tmp");
  };
  refill();
  int half_done = 0;
  for (int call = 0; killed_before(call); ++call) {
    ASSERT_LT(call, 100);
    half_done += recover_all_or_nothing(call) ? 1 : 0;
    ASSERT_FALSE(std::filesystem::exists(base / ".wright-journal-3.tmp"));
    ASSERT_EQ(content_of(base / ".wright-journal.tmp"), foreign);
    refill();
  }
  EXPECT_EQ(files(), after);
  EXPECT_GT(half_done, 0);
}

TEST_P(ChangeJournalTest, is_never_gone_without_where_all_its_names_are_taken) {
  for (const std::string& name : kJournalNames) base.write(name, "{}");
  FileCalls calls;
  const auto refused = change(workspace(), calls);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(".wright-journal-4.tmp"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(files(), before);
}

TEST_P(ChangeJournalTest, has_names_that_tools_do_not_write) {
  for (const char* name : {".wright-journal.tmp", "sub/.WRIGHT-journal-2.tmp"}) {
    const auto target = workspace().write_target(name);
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().code, ErrorCode::permission_denied);
  }
  EXPECT_TRUE(workspace().write_target("wright-journal.tmp"));
}

// One file changes at one moment, but a spare must not be left beside it.
TEST_P(ChangeJournalTest, leaves_no_spare_of_one_file_when_the_process_dies) {
  const auto kill_before = [&](int call) {
    const pid_t child = ::fork();
    if (child == 0) {
      FailingCalls calls([&](std::string_view name, int count) {
        const bool is_modern = name == "create_nameless" || name == "exchange";
        if (count == call) ::raise(SIGKILL);
        return is_modern && !has_modern_calls() ? EOPNOTSUPP : 0;
      });
      const Workspace where = workspace();
      const std::vector<FileChange> one{
          {"replaced", "new", (*read_for_change(where, "replaced"))->status, {}}};
      ::_exit(apply_changes(where, one, MissingFolders::refuse, calls) ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
  };
  // Before the journal is written, a file system without nameless files may keep a spare.
  const int first = has_modern_calls() ? 0 : 8;
  bool was_killed = true;
  for (int call = first; was_killed; ++call) {
    ASSERT_LT(call, 100);
    fill();
    was_killed = kill_before(call);
    FileCalls calls;
    ASSERT_TRUE(recover_first(workspace(), calls));
    const Files now = files();
    EXPECT_EQ(now.size(), 3U) << call;
    EXPECT_TRUE(now.at("replaced") == "old" || now.at("replaced") == "new") << call;
  }
}

}  // namespace
}  // namespace wright::tools
