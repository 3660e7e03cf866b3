#include "app/terminal/chat_history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/temporary_folder_testing.h"

namespace wright::app {
namespace {

class ChatHistoryFile : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_ / "state" / "chat_history"; }

  const TemporaryFolder folder_;
};

TEST_F(ChatHistoryFile, keeps_entries_of_several_lines_and_any_bytes) {
  const ChatHistory history(file());
  ASSERT_TRUE(history.add("one\ntwo \"three\" \\ é"));
  ASSERT_TRUE(history.add("bad \xff byte"));
  EXPECT_EQ(*history.load(),
            (std::vector<std::string>{"one\ntwo \"three\" \\ é", "bad \xEF\xBF\xBD byte"}));
}

TEST_F(ChatHistoryFile, is_for_its_owner_only) {
  ASSERT_TRUE(ChatHistory(file()).add("x"));
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(ChatHistoryFile, skips_what_is_no_entry) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "\"good\"\n{\"a\":1}\nbroken\n\"half\n\"\"\n\"last\"";
  EXPECT_EQ(*ChatHistory(file()).load(), (std::vector<std::string>{"good", "last"}));
}

TEST_F(ChatHistoryFile, does_not_grow_for_ever) {
  const ChatHistory history(file());
  std::filesystem::create_directories(file().parent_path());
  {
    std::ofstream stream(file());
    for (int i = 0; i < 5000; ++i) stream << '"' << i << "\"\n";
  }
  auto entries = history.load();
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->size(), ChatHistory::kMostEntries);
  EXPECT_EQ(entries->front(), "4000");
  EXPECT_EQ(entries->back(), "4999");
  EXPECT_LT(std::filesystem::file_size(file()), 10'000U);
  EXPECT_EQ(*history.load(), *entries);
}

TEST_F(ChatHistoryFile, says_why_it_cannot_be_written) {
  std::ofstream(folder_ / "state") << "a file in the way";
  const auto added = ChatHistory(file()).add("x");
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("chat_history"), std::string::npos);
  EXPECT_TRUE(ChatHistory(file()).load()->empty());
  EXPECT_TRUE(ChatHistory({}).add("x"));
}

TEST_F(ChatHistoryFile, is_not_waited_for_when_it_is_a_pipe) {
  std::filesystem::create_directories(file().parent_path());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_TRUE(ChatHistory(file()).load()->empty());
  EXPECT_FALSE(ChatHistory(file()).add("x"));
}

}  // namespace
}  // namespace wright::app
