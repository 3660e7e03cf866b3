// Recording what calls change, and taking it back, on real folders.
#include "tools/undo/undo.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tools/undo/undo_testing.h"

namespace wright::tools {
namespace {

using Decided = UndoneFile::Verdict;

TEST_F(UndoTest, brings_back_what_was_written_patched_moved_and_removed) {
  base_.write("kept.txt", "old\n")
      .write("gone.txt", "to be removed\n")
      .write("from.txt", "move me\n");
  write("kept.txt", "new\n");
  write("kept.txt", "newer\n");
  write("made/here.txt", "made\n");
  call("apply_patch", {{"patch",
                        "*** Begin Patch\n*** Delete File: gone.txt\n*** Update File: from.txt\n"
                        "*** Move to: to.txt\n@@\n-move me\n+moved\n*** End Patch"}});
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"from.txt", Decided::recreate},
                                                            {"gone.txt", Decided::recreate},
                                                            {"kept.txt", Decided::restore},
                                                            {"made/here.txt", Decided::remove},
                                                            {"to.txt", Decided::remove}}));
  EXPECT_NE(diff_of(undo).find("-old\n+newer\n"), std::string::npos) << diff_of(undo);
  const auto done = carry_out(undo, workspace());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(content("kept.txt"), "old\n");
  EXPECT_EQ(content("gone.txt"), "to be removed\n");
  EXPECT_EQ(content("from.txt"), "move me\n");
  EXPECT_EQ(content("to.txt"), std::nullopt);
  EXPECT_EQ(content("made/here.txt"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(base_ / "made"));
  EXPECT_FALSE(plan().does_something()) << "nothing is left to be taken back";
}

TEST_F(UndoTest, removes_the_folders_that_were_made_for_files_unless_somebody_uses_them) {
  base_.make_folder("there");
  write("there/in/side.txt", "1\n");
  write("used/deep/file.txt", "2\n");
  base_.write("used/own.txt", "of a person\n");
  call("apply_patch", {{"patch", "*** Begin Patch\n*** Add File: x/y/z.txt\n+1\n*** End Patch"}});
  ASSERT_TRUE(carry_out(plan(), workspace()));
  EXPECT_TRUE(std::filesystem::is_directory(base_ / "there"));
  EXPECT_FALSE(std::filesystem::exists(base_ / "there/in"));
  EXPECT_FALSE(std::filesystem::exists(base_ / "x"));
  EXPECT_FALSE(std::filesystem::exists(base_ / "used/deep"));
  EXPECT_EQ(content("used/own.txt"), "of a person\n");
}

TEST_F(UndoTest, leaves_alone_what_somebody_changed_since) {
  base_.write("a.txt", "a\n").write("b.txt", "b\n");
  write("a.txt", "agent a\n");
  write("b.txt", "agent b\n");
  base_.write("a.txt", "a person's work\n");
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"a.txt", Decided::refused},
                                                            {"b.txt", Decided::restore}}));
  EXPECT_EQ(undo.files[0].why, "it was changed since");
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("a.txt"), "a person's work\n");
  EXPECT_EQ(content("b.txt"), "b\n");
}

TEST_F(UndoTest, shows_in_the_difference_what_is_no_file_any_more) {
  base_.write("a.txt", "a\n");
  write("a.txt", "agent a\n");
  std::filesystem::remove(base_ / "a.txt");
  std::filesystem::create_directory(base_ / "a.txt");
  const std::string diff = diff_of(plan());
  EXPECT_TRUE(diff.starts_with("'a.txt'")) << diff;
  EXPECT_NE(diff.find("folder"), std::string::npos) << diff;
}

TEST_F(UndoTest, takes_nothing_back_when_a_file_changes_after_it_was_shown) {
  base_.write("a.txt", "a\n").write("b.txt", "b\n");
  write("a.txt", "agent a\n");
  write("b.txt", "agent b\n");
  const UndoPlan undo = plan();
  base_.write("b.txt", "a person's work\n");
  const auto done = carry_out(undo, workspace());
  ASSERT_FALSE(done);
  EXPECT_EQ(content("a.txt"), "agent a\n");
  EXPECT_EQ(content("b.txt"), "a person's work\n");
}

TEST_F(UndoTest, knows_what_a_command_changed_but_not_what_git_ignores) {
  base_.write(".gitignore", "out/\n").write("one.txt", "1\n").write("two.txt", "2\n");
  base_.write("three.txt", "3\n").write("out/x.o", "old");
  call("bash", {{"command",
                 "echo more >> one.txt; rm two.txt; mkdir -p n; echo new > n/new.txt; "
                 "echo changed > out/x.o; touch three.txt"}});
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"n/new.txt", Decided::remove},
                                                            {"one.txt", Decided::restore},
                                                            {"two.txt", Decided::recreate}}));
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("one.txt"), "1\n");
  EXPECT_EQ(content("two.txt"), "2\n");
  EXPECT_EQ(content("n/new.txt"), std::nullopt);
  EXPECT_EQ(content("out/x.o"), "changed\n");
}

TEST_F(UndoTest, says_of_a_large_file_that_a_command_changed_that_it_is_not_kept) {
  base_.write("large.bin", std::string((std::size_t{1} << 20) + 1, 'x'));
  call("bash", {{"command", "echo >> large.bin"}});
  const UndoPlan undo = plan();
  ASSERT_EQ(undo.files.size(), 1U);
  EXPECT_EQ(undo.files[0].verdict, Decided::refused);
  EXPECT_NE(undo.files[0].why.find("not kept"), std::string::npos);
  EXPECT_FALSE(undo.does_something());
}

TEST_F(UndoTest,
       looks_at_no_command_that_only_reads_and_keeps_nothing_of_sessions_that_are_not_stored) {
  base_.write("a.txt", "a\n");
  call("bash", {{"command", "cat a.txt"}});
  call("write_file", {{"path", "a.txt"}, {"content", "b\n"}}, 0);
  EXPECT_FALSE(std::filesystem::exists(state_ / "changes"));
}

TEST_F(UndoTest, changes_nothing_where_the_old_content_cannot_be_kept) {
  base_.write("a.txt", "a\n");
  state_.write("changes", "a file where a folder should be");
  Context context;
  context.session_id = 7;
  const auto refused = testing::answer_of(tool_named("write_file"),
                                          {{"path", "a.txt"}, {"content", "b\n"}}, context);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("agent.undo=false"), std::string::npos);
  EXPECT_EQ(content("a.txt"), "a\n");
}

TEST_F(UndoTest, survives_a_log_that_is_damaged) {
  base_.write("a.txt", "a\n").write("b.txt", "b\n");
  write("a.txt", "agent a\n");
  write("b.txt", "agent b\n");
  const auto folder = state_ / "changes/7";
  std::ofstream(folder / "log.jsonl", std::ios::app) << "{\"id\": 3, \"chan";
  std::filesystem::remove(folder / "2-0.before");
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"a.txt", Decided::restore},
                                                            {"b.txt", Decided::refused}}));
}

TEST_F(UndoTest, forgets_what_was_taken_back_and_the_oldest_sessions) {
  base_.write("a.txt", "a\n");
  write("a.txt", "b\n");
  const auto entries = log_->read(7).value();
  ASSERT_EQ(entries.size(), 1U);
  ASSERT_TRUE(log_->mark_undone(7, std::vector<std::int64_t>{entries[0].id}));
  EXPECT_TRUE(log_->read(7)->empty());
  ChangeLog small(ChangeLogOptions{.folder = state_ / "small", .max_bytes = 3000});
  const auto entry = [](std::int64_t session) {
    return ChangeEntry{.session_id = session,
                       .base = "/x",
                       .changes = {{.path = "f", .before = std::string(1000, 'f')}}};
  };
  for (std::int64_t session = 1; session <= 4; ++session) {
    ASSERT_TRUE(small.add(entry(session)));
    std::filesystem::last_write_time(
        state_ / "small" / std::to_string(session),
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(10 - session));
  }
  small.prune();
  EXPECT_TRUE(small.read(1)->empty());
  EXPECT_EQ(small.read(4)->size(), 1U);
}

TEST_F(UndoTest, names_folders_whose_permissions_stay) {
  base_.write("sub/file", "x\n").write("other/file", "x\n");
  call("bash", {{"command", "chmod 700 sub; echo y > other/file"}});
  const UndoPlan undo = plan();
  ASSERT_EQ(undo.gaps.size(), 1U);
  EXPECT_NE(undo.gaps[0].find("'sub'"), std::string::npos) << undo.gaps[0];
  EXPECT_EQ(undo.gaps[0].find("'other'"), std::string::npos) << undo.gaps[0];
}

TEST_F(UndoTest, gives_back_modes_links_and_folders) {
  base_.write("a", "A\n").write("run.sh", "#!/bin/sh\n").write("s", "s\n").link("lnk", "a");
  base_.make_folder("empty").write("dir/f", "F\n").link("moved", "a").write("becomes", "file\n");
  ASSERT_EQ(::chmod((base_ / "a").c_str(), 0644), 0);
  ASSERT_EQ(::chmod((base_ / "run.sh").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((base_ / "s").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((base_ / "pipe").c_str(), 0600), 0);
  call("bash",
       {{"command",
         "chmod 400 a; chmod 644 run.sh; echo more >> s; chmod 666 s; rm lnk pipe; rmdir empty; "
         "rm -r dir; ln -s /etc/passwd pw; ln -sfn s moved; mkdir new; echo n > new/n; "
         "rm becomes; ln -s /etc/passwd becomes"}});
  const UndoPlan undo = plan();
  EXPECT_EQ(undo.gaps.size(), 1U) << "a pipe cannot be brought back";
  const auto done = carry_out(undo, workspace());
  ASSERT_TRUE(done) << done.error().message;
  const auto mode = [&](std::string_view path) {
    struct stat status {};
    return ::lstat((base_ / path).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  };
  EXPECT_EQ(mode("a"), 0644U);
  EXPECT_EQ(mode("run.sh"), 0755U);
  EXPECT_EQ(mode("s"), 0600U);
  EXPECT_EQ(content("s"), "s\n");
  EXPECT_EQ(content("dir/f"), "F\n");
  EXPECT_EQ(std::filesystem::read_symlink(base_ / "lnk"), "a");
  EXPECT_EQ(std::filesystem::read_symlink(base_ / "moved"), "a");
  EXPECT_FALSE(std::filesystem::is_symlink(base_ / "pw"));
  EXPECT_FALSE(std::filesystem::is_symlink(base_ / "becomes"));
  EXPECT_EQ(content("becomes"), "file\n");
  EXPECT_TRUE(std::filesystem::is_directory(base_ / "empty"));
  EXPECT_FALSE(std::filesystem::exists(base_ / "new"));
  EXPECT_FALSE(plan().does_something()) << diff_of(plan());
}

TEST_F(UndoTest, leaves_permissions_that_a_person_has_changed) {
  base_.write("a", "A\n").write("b", "B\n");
  write("a", "agent\n");
  call("bash", {{"command", "chmod 700 b"}});
  ASSERT_EQ(::chmod((base_ / "a").c_str(), 0600), 0);
  ASSERT_EQ(::chmod((base_ / "b").c_str(), 0640), 0);
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo),
            (std::map<std::string, Decided>{{"a", Decided::restore}, {"b", Decided::refused}}));
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("a"), "A\n");
  struct stat status {};
  ASSERT_EQ(::stat((base_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(UndoTest, remembers_what_it_left_alone) {
  base_.write("a", "A\n").write("b", "B\n");
  call("bash", {{"command", "echo agent > a; echo agent > b"}});
  const auto entries = log_->read(7).value();
  ASSERT_EQ(entries.size(), 1U);
  const std::vector<ChangeLog::UndonePath> done{{entries[0].id, "b"}};
  ASSERT_TRUE(log_->mark_undone(7, done));
  EXPECT_EQ(verdicts(plan()), (std::map<std::string, Decided>{{"a", Decided::restore}}));
}

TEST_F(UndoTest, changes_nothing_when_a_file_that_was_right_is_no_longer) {
  base_.write("a", "A\n").write("b", "B\n");
  write("a", "agent\n");
  write("b", "agent\n");
  base_.write("a", "A\n");
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo),
            (std::map<std::string, Decided>{{"a", Decided::unchanged}, {"b", Decided::restore}}));
  base_.write("a", "agent\n");
  EXPECT_FALSE(carry_out(undo, workspace()));
  EXPECT_EQ(content("b"), "agent\n");
}

TEST_F(UndoTest, tells_of_rights_that_do_not_come_back) {
  base_.write("tool", "old\n");
  ASSERT_EQ(::chmod((base_ / "tool").c_str(), 04755), 0);
  write("tool", "new\n");
  const UndoPlan undo = plan();
  ASSERT_EQ(undo.gaps.size(), 1U);
  EXPECT_NE(undo.gaps[0].find("4755"), std::string::npos) << undo.gaps[0];
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("tool"), "old\n");
  struct stat status {};
  ASSERT_EQ(::stat((base_ / "tool").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST_F(UndoTest, still_knows_the_rest_when_a_call_changes_more_than_can_be_kept) {
  base_.write("important.txt", "old\n");
  write("important.txt", "new\n");
  ChangeEntry many{.session_id = 7, .tool = "bash", .base = base_.path().string()};
  for (int i = 0; i < 2'000; ++i) {
    many.changes.push_back({.path = std::string(1'000, 'd') + std::to_string(i), .after = ""});
  }
  ASSERT_TRUE(log_->add(std::move(many)));
  write("second.txt", "second\n");
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"important.txt", Decided::restore},
                                                            {"second.txt", Decided::remove}}));
  ASSERT_EQ(undo.gaps.size(), 1U);
  EXPECT_NE(undo.gaps[0].find("2000 files"), std::string::npos) << undo.gaps[0];
  std::filesystem::resize_file(state_ / "changes/7/log.jsonl", std::uintmax_t{65} << 20);
  EXPECT_FALSE(log_->read(7)) << "nothing is not what is in it";
}

// What was there all the time is not the agent's, whatever git ignores now.
TEST_F(UndoTest, removes_nothing_that_only_came_into_sight) {
  base_.write(".gitignore", "data/\n*.local\n").write("data/1.csv", "precious\n");
  base_.write("settings.local", "mine\n");
  std::filesystem::create_symlink("1.csv", base_ / "data/newest");
  call("bash", {{"command", "echo > .gitignore; mv settings.local settings"}});
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{".gitignore", Decided::restore}}));
  ASSERT_EQ(undo.gaps.size(), 1U);
  EXPECT_TRUE(undo.gaps[0].contains("settings")) << undo.gaps[0];
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("data/1.csv"), "precious\n");
  EXPECT_EQ(content("settings"), "mine\n");
  EXPECT_TRUE(std::filesystem::is_symlink(base_ / "data/newest"));
}

TEST_F(UndoTest, leaves_the_links_of_a_folder_that_was_moved_from_where_nobody_looks) {
  base_.write(".gitignore", "modules/\n").write("modules/deep/a", "1\n");
  std::filesystem::create_symlink("deep/a", base_ / "modules/bin");
  call("bash", {{"command", "mv modules seen"}});
  (void)carry_out(plan(), workspace());
  EXPECT_TRUE(std::filesystem::is_symlink(base_ / "seen/bin"));
  EXPECT_EQ(content("seen/deep/a"), "1\n");
}

TEST_F(UndoTest, sees_what_is_ignored_only_since_the_command) {
  base_.write("b", "old\n");
  call("bash", {{"command", "echo b > .gitignore; echo new > b"}});
  ASSERT_TRUE(carry_out(plan(), workspace()));
  EXPECT_EQ(content("b"), "old\n");
  EXPECT_EQ(content(".gitignore"), std::nullopt);
}

TEST_F(UndoTest, removes_nothing_that_may_be_all_that_is_left_of_a_file) {
  base_.write(".gitignore", "*.log\n").write("debug.log", "precious\n");
  base_.write("large", std::string(2 << 20, 'x'));
  call("bash", {{"command", "gzip debug.log"}});
  call("bash", {{"command", "gzip large"}});
  call("bash", {{"command", "echo made > made"}});
  const UndoPlan undo = plan();
  EXPECT_FALSE(undo.is_whole());
  (void)carry_out(undo, workspace());
  EXPECT_TRUE(content("debug.log.gz"));
  EXPECT_TRUE(content("large.gz"));
  EXPECT_FALSE(content("made")) << "nothing can have become this one";
}

TEST_F(UndoTest, keeps_the_only_copy_of_what_does_not_come_back) {
  base_.write("bad\xFFname", "only\n");
  call("bash", {{"command", "mv bad* yy"}});
  (void)carry_out(plan(), workspace());
  EXPECT_EQ(content("yy"), "only\n");
}

TEST_F(UndoTest, goes_back_no_further_than_to_what_somebody_else_has_made_of_a_file) {
  base_.write("b.txt", "b\n");
  write("a.txt", "an agent's draft\n");
  write("b.txt", "agent b\n");
  base_.write("a.txt", "a person's chapter, mispelled\n").write("b.txt", "a person's b\n");
  write("a.txt", "a person's chapter, misspelled\n");
  write("a.txt", "a person's chapter, misspelled no more\n");
  call("bash", {{"command", "echo added >> b.txt"}});
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"a.txt", Decided::restore},
                                                            {"b.txt", Decided::restore}}));
  ASSERT_EQ(undo.gaps.size(), 2U);
  EXPECT_EQ(undo.gaps[0], "'a.txt' goes back to what somebody else had made of it by then");
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("a.txt"), "a person's chapter, mispelled\n");
  EXPECT_EQ(content("b.txt"), "a person's b\n");
  EXPECT_FALSE(plan().does_something()) << "what is there now is the person's";
}

TEST_F(UndoTest, does_not_go_back_beyond_what_nobody_knows) {
  base_.write("a.txt", "a\n");
  write("a.txt", "agent\n");
  base_.write("a.txt", "a person's\n");
  call("bash", {{"command", "head -c 2000000 /dev/zero > a.txt"}});
  call("bash", {{"command", "echo agent > a.txt"}});
  const UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"a.txt", Decided::refused}}));
  EXPECT_FALSE(undo.is_whole());
}

TEST_F(UndoTest, overwrites_nothing_that_was_moved_there_from_where_nobody_looks) {
  base_.write(".gitignore", "*.local\n").write("secret.local", "precious\n");
  base_.write("notes.txt", "old\n").write("seen.txt", "seen\n").write("other.txt", "other\n");
  call("bash", {{"command", "mv -f secret.local notes.txt; mv -f seen.txt other.txt"}});
  UndoPlan undo = plan();
  EXPECT_EQ(verdicts(undo), (std::map<std::string, Decided>{{"notes.txt", Decided::refused},
                                                            {"other.txt", Decided::restore},
                                                            {"seen.txt", Decided::recreate}}));
  EXPECT_FALSE(undo.is_whole());
  write("notes.txt", "agent\n");
  undo = plan();
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("notes.txt"), "precious\n") << "the agent's change, and no more";
  EXPECT_EQ(content("other.txt"), "other\n");
  EXPECT_EQ(content("seen.txt"), "seen\n");
}

TEST_F(UndoTest, keeps_what_may_be_all_that_is_left_under_every_name_that_it_gets) {
  base_.write(".gitignore", "*.local\n").write("conf.local", "precious host=x\n");
  call("bash", {{"command", "mv conf.local conf; sed -i s/host=x/host=y/ conf"}});
  call("bash", {{"command", "mv conf config.ini"}});
  const UndoPlan undo = plan();
  EXPECT_FALSE(undo.is_whole());
  (void)carry_out(undo, workspace());
  EXPECT_EQ(content("config.ini"), "precious host=y\n");
}

TEST_F(UndoTest, keeps_a_link_that_stands_in_for_a_file_that_does_not_come_back) {
  base_.write("big.bin", std::string(2 << 20, 'x'));
  call("bash", {{"command", "mkdir store; mv big.bin store/big.bin; ln -s store/big.bin big.bin"}});
  for (int again = 0; again < 2; ++again) {
    const UndoPlan undo = plan();
    EXPECT_FALSE(undo.is_whole()) << again;
    (void)carry_out(undo, workspace());
    EXPECT_EQ(content("big.bin")->size(), std::size_t{2} << 20);
  }
}

TEST_F(UndoTest, tells_of_a_folder_that_does_not_come_back_whole) {
  base_.write(".gitignore", "local.ini\n").write("app/a", "a\n").write("app/local.ini", "mine\n");
  call("bash", {{"command", "mv app web"}});
  const UndoPlan undo = plan();
  EXPECT_FALSE(undo.is_whole());
  const bool is_told = std::ranges::any_of(
      undo.gaps, [](const std::string& gap) { return gap.contains("the folder 'web' stays"); });
  EXPECT_TRUE(is_told);
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("app/a"), "a\n");
  EXPECT_EQ(content("web/local.ini"), "mine\n");
}

TEST_F(UndoTest, marks_a_link_apart_from_the_file_whose_place_it_took) {
  base_.write("a", "a\n");
  call("bash", {{"command", "rm a; ln -s b a"}});
  const auto entries = log_->read(7).value();
  ASSERT_EQ(entries.size(), 1U);
  ASSERT_EQ(entries[0].changes.size(), 2U);
  const std::vector<ChangeLog::UndonePath> done{{entries[0].id, "a", StateChange::Kind::link}};
  ASSERT_TRUE(log_->mark_undone(7, done));
  const auto left = log_->read(7).value();
  ASSERT_EQ(left.front().changes.size(), 1U);
  EXPECT_EQ(left.front().changes.front().kind, StateChange::Kind::file);
}

TEST_F(UndoTest, brings_back_files_links_and_folders_that_took_each_others_place) {
  base_.write("sub/a", "old\n").write("b", "bee\n");
  std::filesystem::create_symlink("b", base_ / "link");
  for (const char* command :
       {"mv sub t; mv b sub; mkdir b; mv t/a b/a; rmdir t", "mv sub real; ln -s real sub",
        "mv sub real; echo file > sub", "mkdir -p sub/deep/er; mv sub real",
        "rm link; mkdir link; echo q > link/q", "mv b c; mkdir b; touch b/x"}) {
    call("bash", {{"command", command}});
    const UndoPlan undo = plan();
    EXPECT_TRUE(undo.is_whole()) << command;
    const auto done = carry_out(undo, workspace());
    EXPECT_TRUE(done) << command << ": " << (done ? "" : done.error().message);
    EXPECT_EQ(content("sub/a"), "old\n") << command;
    EXPECT_EQ(content("b"), "bee\n") << command;
    EXPECT_EQ(std::filesystem::read_symlink(base_ / "link"), "b") << command;
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(base_.path())) {
      names.insert(entry.path().filename());
    }
    EXPECT_EQ(names, (std::set<std::string>{"b", "link", "sub"})) << command;
    log_->forget(7);
  }
}

TEST_F(UndoTest, leaves_what_stands_in_place_of_a_folder_that_somebody_else_uses) {
  base_.write("b", "bee\n");
  call("bash", {{"command", "mv b c; mkdir b; echo 1 > b/x"}});
  base_.write("b/mine", "of a person\n");
  const UndoPlan undo = plan();
  EXPECT_FALSE(undo.is_whole());
  ASSERT_TRUE(carry_out(undo, workspace()));
  EXPECT_EQ(content("b/mine"), "of a person\n");
  EXPECT_EQ(content("c"), "bee\n") << "the only copy";
}

TEST_F(UndoTest, keeps_the_answer_of_a_command_after_which_nothing_can_be_looked_at) {
  if (::geteuid() == 0) GTEST_SKIP() << "everything is open to root";
  Context context;
  context.session_id = 7;
  context.call_id = "c";
  const auto answer =
      testing::answer_of(tool_named("bash"), {{"command", "echo did; chmod 000 ."}}, context);
  ::chmod(base_.path().c_str(), 0700);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->at("stdout").as_string(), "did\n");
}

}  // namespace
}  // namespace wright::tools
