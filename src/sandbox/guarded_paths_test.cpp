#include "sandbox/guarded_paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>
#include <thread>

#include "sandbox/guarded_testing.h"

namespace wright::sandbox {
namespace {

using Kind = GuardedMount::Kind;

TEST_F(GuardedPathsOf, a_workspace_are_found_wherever_they_are) {
  for (const char* name : {".git/config", ".git/objects/x", ".git/refs/x"}) make(name);
  make(".git/HEAD", "ref: refs/heads/main\n");
  make("deep/er/.git/config");
  make(".wright/agents/a.toml");
  make("src/.git.cpp");
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in(".git"), in("deep/er/.git"), in(".wright")}));
  EXPECT_TRUE(found.placeholders.empty());
  EXPECT_TRUE(found.is_complete());
}

TEST_F(GuardedPathsOf, a_folder_that_is_only_read_need_no_protection) {
  make(".git/config");
  make(".env");
  policy_.read_paths = policy_.write_paths;
  policy_.write_paths.clear();
  policy_.unreadable = usual_secrets();
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only), std::set<std::string>{});
  EXPECT_EQ(paths_of(found, Kind::hidden_file), std::set<std::string>{in(".env")});
}

TEST_F(GuardedPathsOf, a_workspace_that_are_not_there_get_a_placeholder_that_goes_again) {
  policy_.protected_paths = {".git", "config/secret/key", grounds_.workspace() / "absolute"};
  {
    const auto found = GuardedPaths(policy_).look().value();
    EXPECT_EQ(paths_of(found, Kind::hidden_folder),
              (std::set<std::string>{in(".git"), in("config"), in("absolute")}));
    EXPECT_EQ(paths_of(found, Kind::read_only), std::set<std::string>{in("HEAD")});
    EXPECT_TRUE(std::filesystem::is_directory(in(".git")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(grounds_.workspace()));
}

TEST_F(GuardedPathsOf, two_runs_at_once_share_a_placeholder) {
  policy_.protected_paths = {".wright"};
  GuardedPaths one(policy_);
  GuardedPaths other(policy_);
  auto first = std::make_unique<GuardedPaths::Found>(one.look().value());
  {
    const auto second = other.look().value();
    EXPECT_EQ(paths_of(second, Kind::hidden_folder), std::set<std::string>{in(".wright")});
    first.reset();
    EXPECT_TRUE(std::filesystem::is_directory(in(".wright"))) << "the second still needs it";
  }
  EXPECT_FALSE(std::filesystem::exists(in(".wright")));
}

TEST_F(GuardedPathsOf, two_runs_at_once_share_a_placeholder_for_a_folder_in_between) {
  policy_.protected_paths = {"config/secret/key"};
  GuardedPaths one(policy_);
  auto first = std::make_unique<GuardedPaths::Found>(one.look().value());
  {
    const auto second = GuardedPaths(policy_).look().value();
    EXPECT_EQ(paths_of(second, Kind::hidden_folder), std::set<std::string>{in("config")});
    first.reset();
    EXPECT_TRUE(std::filesystem::is_directory(in("config")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(grounds_.workspace()));
}

TEST_F(GuardedPathsOf, a_program_that_was_killed_are_cleared_away_by_the_next) {
  policy_.protected_paths = {".git", "config/secret/key"};
  for (const char* name : {".git", "config", "HEAD"}) {
    ASSERT_EQ(::mkdir(in(name).c_str(), 01700), 0);
  }
  {
    const auto found = GuardedPaths(policy_).look().value();
    EXPECT_EQ(paths_of(found, Kind::hidden_folder),
              (std::set<std::string>{in(".git"), in("config"), in("HEAD")}));
  }
  EXPECT_TRUE(std::filesystem::is_empty(grounds_.workspace()));
}

TEST_F(GuardedPathsOf, a_placeholder_that_somebody_uses_stays) {
  policy_.protected_paths = {".git"};
  {
    const auto found = GuardedPaths(policy_).look().value();
    make(".git/HEAD");
  }
  EXPECT_EQ(Grounds::read(in(".git/HEAD")), "x");
  // From now on it is a folder like others.
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::read_only), (std::set<std::string>{in(".git"), in("HEAD")}));
}

TEST_F(GuardedPathsOf, an_empty_folder_of_somebody_stays) {
  std::filesystem::create_directory(in(".wright"));
  { const auto found = GuardedPaths(policy_).look().value(); }
  EXPECT_TRUE(std::filesystem::exists(in(".wright")));
}

TEST_F(GuardedPathsOf, many_threads_make_and_remove_one_placeholder) {
  policy_.protected_paths = {".wright"};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      GuardedPaths guarded(policy_);
      for (int i = 0; i < 200; ++i) {
        const auto found = guarded.look();
        ASSERT_TRUE(found) << found.error().message;
        ASSERT_EQ(found->placeholders.size(), 1U);
        ASSERT_TRUE(std::filesystem::is_directory(in(".wright")));
      }
    });
  }
  threads.clear();
  EXPECT_FALSE(std::filesystem::exists(in(".wright")));
}

TEST_F(GuardedPathsOf, secrets_are_found_as_soon_as_they_are_there_and_not_later) {
  policy_.unreadable = {"**/*.env", "keys/*", "id_rsa"};
  make("src/a.cpp");
  GuardedPaths guarded(policy_);
  EXPECT_EQ(paths_of(guarded.look().value(), Kind::hidden_file), std::set<std::string>{});
  make("src/x.env");
  make("src/deep/keys/no");
  make("keys/yes");
  make("a/b/id_rsa");
  EXPECT_EQ(paths_of(guarded.look().value(), Kind::hidden_file),
            (std::set<std::string>{in("src/x.env"), in("keys/yes"), in("a/b/id_rsa")}));
  std::filesystem::remove(in("src/x.env"));
  EXPECT_EQ(paths_of(guarded.look().value(), Kind::hidden_file),
            (std::set<std::string>{in("keys/yes"), in("a/b/id_rsa")}));
}

TEST_F(GuardedPathsOf, secrets_are_hidden_behind_links_and_cannot_be_renamed_into_the_open) {
  make("real/production.txt");
  make(".aws/credentials");
  make("a/b/c.key");
  std::filesystem::create_symlink("real/production.txt", in(".env"));
  std::filesystem::create_symlink(grounds_.outside(), in("out.env"));
  policy_.unreadable = {"**/*.env", "**/.env", "**/.aws/credentials", "a/b/*.key"};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(
      paths_of(found, Kind::hidden_file),
      (std::set<std::string>{in("real/production.txt"), in(".aws/credentials"), in("a/b/c.key")}));
  EXPECT_EQ(paths_of(found, Kind::pinned),
            (std::set<std::string>{in(".aws"), in("a"), in("a/b"), in(".env"), in("real")}));
}

TEST_F(GuardedPathsOf, secrets_are_hidden_behind_links_to_folders_and_chains_of_links) {
  make("dot/aws/credentials");
  make("dot/aws/config");
  make("sub/store/b/one.key");
  make("sub/store/b/note.txt");
  make("plain.txt");
  make("own.env");
  std::filesystem::create_symlink("dot/aws", in(".aws"));
  std::filesystem::create_symlink("sub/store", in("a"));
  std::filesystem::create_symlink("middle", in(".env"));
  std::filesystem::create_symlink("plain.txt", in("middle"));
  std::filesystem::create_symlink("../own.env", in("sub/x.env"));
  std::filesystem::create_symlink("later.txt", in("y.env"));
  std::filesystem::create_symlink("z.env", in("z.env"));
  policy_.unreadable = {"**/*.env", "**/.env", "**/.aws/credentials", "a/b/*.key"};
  GuardedPaths guarded(policy_);
  const std::set<std::string> behind{in("dot/aws/credentials"), in("sub/store/b/one.key"),
                                     in("plain.txt")};
  auto all = behind;
  all.insert(in("own.env"));
  const auto found = guarded.look().value();
  EXPECT_EQ(paths_of(found, Kind::hidden_file), all);
  EXPECT_EQ(paths_of(found, Kind::pinned),
            (std::set<std::string>{in(".aws"), in("dot"), in("dot/aws"), in("a"), in("sub"),
                                   in("sub/store"), in("sub/store/b"), in(".env"), in("middle")}));
  const auto told = guarded.elsewhere();
  EXPECT_TRUE(told.is_complete);
  EXPECT_EQ(std::set<std::string>(told.unreadable.begin(), told.unreadable.end()), behind);
  make("later.txt");
  all.insert(in("later.txt"));
  EXPECT_EQ(paths_of(guarded.look().value(), Kind::hidden_file), all);
}

TEST_F(GuardedPathsOf, secrets_are_hidden_in_what_is_protected_and_behind_links_into_it) {
  make("keep/own.env");
  make("keep/deep/prod.env");
  make(".git/prod.env");
  std::filesystem::create_symlink("keep/deep/prod.env", in("a.env"));
  std::filesystem::create_symlink(".git/prod.env", in("b.env"));
  policy_.unreadable = {"**/*.env"};
  policy_.protected_paths = {".git", "keep"};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(
      paths_of(found, Kind::hidden_file),
      (std::set<std::string>{in("keep/own.env"), in("keep/deep/prod.env"), in(".git/prod.env")}));
  EXPECT_EQ(paths_of(found, Kind::read_only),
            (std::set<std::string>{in(".git"), in("keep"), in("HEAD")}));
}

TEST_F(GuardedPathsOf, secrets_are_hidden_behind_links_however_many_others_there_are) {
  for (int i = 0; i < 1'001; ++i) make(fmt::format("store/{}.key", i).c_str());
  std::filesystem::create_symlink("store", in("keys"));
  policy_.unreadable = {"keys/*.key"};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_TRUE(paths_of(found, Kind::hidden_folder).contains(in("store")));
}

TEST_F(GuardedPathsOf, a_program_are_hidden_by_their_absolute_paths) {
  make(".config/wright/config.toml");
  make("sessions.db");
  make("deep/config.toml");
  policy_.unreadable = {in(".config/wright"), in("sessions.db"),    in("missing.toml"),
                        in("missing.db"),     in("missing.db-wal"), grounds_.outside().string()};
  policy_.protected_paths = {in(".config/wright"), in(".local/state/wright")};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::hidden_file), std::set<std::string>{in("sessions.db")});
  // What is not there cannot be made; neither can what leads to it be moved.
  EXPECT_EQ(paths_of(found, Kind::hidden_folder),
            (std::set<std::string>{in(".config/wright"), in(".local")}));
  EXPECT_EQ(paths_of(found, Kind::pinned), std::set<std::string>{in(".config")});
}

TEST_F(GuardedPathsOf, a_database_are_hidden_before_they_are_there) {
  make("sessions.db");
  ASSERT_EQ(::chmod(in("sessions.db").c_str(), 0600), 0);
  policy_.unreadable = {in("sessions.db"), in("sessions.db-wal"), in("sessions.db-shm"),
                        in("sessions.db-journal")};
  const std::set<std::string> all(policy_.unreadable.begin(), policy_.unreadable.end());
  {
    const auto found = GuardedPaths(policy_).look().value();
    EXPECT_EQ(paths_of(found, Kind::hidden_file), all);
    const auto again = GuardedPaths(policy_).look().value();
    EXPECT_EQ(paths_of(again, Kind::hidden_file), all);
    struct stat status {};
    ASSERT_EQ(::stat(in("sessions.db-wal").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_EQ(status.st_size, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(in("sessions.db-journal")));
  make("sessions.db-journal", "of somebody");
  { const auto found = GuardedPaths(policy_).look().value(); }
  EXPECT_EQ(Grounds::read(in("sessions.db-journal")), "of somebody");
}

TEST_F(GuardedPathsOf, a_database_in_a_hidden_folder_need_nothing_more) {
  make("state/sessions.db");
  policy_.unreadable = {in("state"), in("state/sessions.db"), in("state/sessions.db-wal")};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::hidden_folder).count(in("state")), 1U);
  EXPECT_FALSE(std::filesystem::exists(in("state/sessions.db-wal")));
}

TEST_F(GuardedPathsOf, a_policy_that_are_protected_too_are_hidden) {
  make(".env");
  make("config/.env");
  policy_.protected_paths = {".env", "config/.env"};
  policy_.unreadable = {"**/.env"};
  const auto found = GuardedPaths(policy_).look().value();
  EXPECT_EQ(paths_of(found, Kind::hidden_file),
            (std::set<std::string>{in(".env"), in("config/.env")}));
  EXPECT_EQ(paths_of(found, Kind::read_only), std::set<std::string>{});
}

TEST_F(GuardedPathsOf, a_folder_that_cannot_be_looked_into_is_hidden_whole) {
  make("closed/.env");
  make("half/sub/.env");
  ASSERT_EQ(::chmod(in("closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod(in("half").c_str(), 0444), 0);
  policy_.unreadable = {"**/.env"};
  const auto found = [&] {
    const BoundByPermissions bound(grounds_.workspace());
    return GuardedPaths(policy_).look().value();
  }();
  EXPECT_TRUE(paths_of(found, Kind::hidden_folder).contains(in("closed")));
  EXPECT_TRUE(paths_of(found, Kind::hidden_folder).contains(in("half")));
  ::chmod(in("closed").c_str(), 0700);
  ::chmod(in("half").c_str(), 0700);
}

TEST_F(GuardedPathsOf, a_base_are_found_when_the_folder_around_it_cannot_be_listed) {
  make("w/app/.env", "secret");
  policy_.unreadable = {".env"};
  policy_.read_paths = {in("w")};
  policy_.write_paths = {in("w/app")};
  ASSERT_EQ(::chmod(in("w").c_str(), 0311), 0);
  const auto found = [&] {
    const BoundByPermissions bound(grounds_.workspace());
    return GuardedPaths(policy_).look().value();
  }();
  ASSERT_EQ(::chmod(in("w").c_str(), 0755), 0);
  EXPECT_EQ(paths_of(found, Kind::hidden_file), (std::set<std::string>{in("w/app/.env")}));
}

TEST_F(GuardedPathsOf, a_path_are_found_below_each_folder_though_one_lies_in_another) {
  make("w/app/config/prod.txt", "secret");
  policy_.write_paths = {};
  policy_.unreadable = {"config/prod.txt"};
  policy_.read_paths = {in("w"), in("w/app")};
  const std::set<std::string> secret{in("w/app/config/prod.txt")};
  EXPECT_EQ(paths_of(GuardedPaths(policy_).look().value(), Kind::hidden_file), secret);
  policy_.read_paths = {in("w/app"), in("w")};
  EXPECT_EQ(paths_of(GuardedPaths(policy_).look().value(), Kind::hidden_file), secret);
}

TEST_F(GuardedPathsOf, too_much_is_told) {
  policy_.unreadable = {"*.env"};
  for (int i = 0; i < 5001; ++i) Grounds::write(in(("x" + std::to_string(i) + ".env").c_str()), "");
  EXPECT_FALSE(GuardedPaths(policy_).look().value().is_complete());
}

}  // namespace
}  // namespace wright::sandbox
