// `wright migrate` from file to file: what is copied, and what is not before all of it is.
#include <gtest/gtest.h>

#include <filesystem>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

class MigrateCommand : public testing::Test {
 protected:
  MigrateCommand() { home_.wright({"run", "codebase-analysis", "How many files?", "-q"}); }

  Finished migrate(const std::string& from, const std::string& to) const {
    return home_.wright({"migrate", "--from", from, "--to", to});
  }
  std::filesystem::path file(const char* name) const { return home_.path() / name; }

  Home home_;
};

TEST_F(MigrateCommand, refuses_a_store_that_is_the_same_under_another_name) {
  const std::filesystem::path own = home_.database();
  const std::filesystem::path other_way = own.parent_path() / "." / own.filename();
  EXPECT_EQ(migrate(own, other_way).exit_code, 2);
  std::filesystem::create_symlink(own, file("link.db"));
  EXPECT_EQ(migrate(own, file("link.db")).exit_code, 2);
  std::filesystem::create_hard_link(own, file("hard.db"));
  const Finished hard = migrate(file("hard.db"), own);
  EXPECT_EQ(hard.exit_code, 2);
  EXPECT_TRUE(hard.error.contains("the same store")) << hard.error;
}

// As it is left by one that was killed: what it has belongs to the other store.
TEST_F(MigrateCommand, leaves_a_copy_that_is_not_finished_to_nobody_else) {
  const std::string copy = file("copy.db");
  ASSERT_EQ(migrate(home_.database(), copy).exit_code, 0);
  change(copy, "UPDATE agent_schema SET version = -version");
  change(copy, "DELETE FROM agent_messages WHERE id > 1");
  for (const Arguments& arguments :
       {Arguments{"sessions", "--store", copy}, Arguments{"resume", "1", "--store", copy},
        Arguments{"run", "codebase-analysis", "Else", "-q", "--store", copy},
        Arguments{"migrate", "--from", copy, "--to", file("third.db")}}) {
    const Finished refused = home_.wright(arguments);
    EXPECT_NE(refused.exit_code, 0) << arguments.front();
    EXPECT_TRUE(refused.error.contains("`wright migrate` again")) << refused.error;
  }
  const Finished again = migrate(home_.database(), copy);
  EXPECT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(home_.wright({"sessions", "export", "1", "--store", copy}).output,
            home_.wright({"sessions", "export", "1"}).output);
}

}  // namespace
}  // namespace wright::cli
