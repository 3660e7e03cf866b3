#include "app/settings/own_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/settings/paths.h"

namespace wright::app {
namespace {

bool has(const OwnFiles& own, const std::filesystem::path& path) {
  return std::ranges::find(own.folders, path) != own.folders.end() ||
         std::ranges::find(own.files, path) != own.files.end();
}

TEST(OwnFiles, are_the_folders_of_a_home_and_what_lies_elsewhere) {
  const Environment environment(Environment::Variables{{"HOME", "/home/nobody-here"}});
  const OwnFiles own = own_files(
      {.config = "/etc/wright.toml", .database = "/srv/project/sessions.db"}, environment);
  for (const char* path :
       {"/home/nobody-here/.config/wright", "/home/nobody-here/.local/share/wright",
        "/home/nobody-here/.local/state/wright", "/etc/wright.toml", "/srv/project/sessions.db",
        "/srv/project/sessions.db-wal", "/srv/project/sessions.db-shm"}) {
    EXPECT_TRUE(has(own, path)) << path;
  }
  EXPECT_FALSE(has(own, "/srv/project")) << "a project is not Wright's";
}

TEST(OwnFiles, are_the_tokens_wherever_they_are_kept) {
  const Environment environment(Environment::Variables{{"HOME", "/home/nobody-here"},
                                                       {"WRIGHT_TOKENS", "/srv/shared/tokens"}});
  EXPECT_EQ(tokens_file(environment), "/srv/shared/tokens");
  const OwnFiles own = own_files({}, environment);
  for (const char* path : {"/srv/shared/tokens", "/srv/shared/tokens.lock", "/srv/shared/mcp_key",
                           "/home/nobody-here/.local/state/wright"}) {
    EXPECT_TRUE(has(own, path)) << path;
  }
}

TEST(OwnFiles, leave_a_folder_that_is_worked_in_but_not_the_files_in_it) {
  const Environment environment(Environment::Variables{{"HOME", "/home/nobody-here"}});
  const OwnFiles own =
      own_files({.workplaces = {"/home/nobody-here/.config/wright/agents"}}, environment);
  EXPECT_FALSE(has(own, "/home/nobody-here/.config/wright"));
  EXPECT_TRUE(has(own, "/home/nobody-here/.config/wright/config.toml"));
  EXPECT_TRUE(has(own, "/home/nobody-here/.local/state/wright"));
}

TEST(OwnFiles, are_few_without_a_home) {
  const OwnFiles own = own_files({}, Environment());
  EXPECT_TRUE(own.folders.empty());
  EXPECT_TRUE(own.files.empty());
}

}  // namespace
}  // namespace wright::app
