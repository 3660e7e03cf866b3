// `wright` alone, and what a person at a terminal sees of files that are taken back.
#include <gtest/gtest.h>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kRename = "rename alpha_function to first_function";

TEST(Coding, begins_where_a_person_types_nothing_but_the_name) {
  const Home home;
  const Finished chat = home.wright_on_terminal({}, std::string(kRename) + "\n/quit\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.output;
  EXPECT_NE(chat.output.find("coding"), std::string::npos) << chat.output;
  EXPECT_NE(chat.output.find("wright init"), std::string::npos) << "the planner says what it is";
  EXPECT_NE(content_of(home.project() / "alpha.cpp").find("first_function"), std::string::npos)
      << chat.output;
}

TEST(Coding, does_not_begin_for_a_script) {
  const Home home;
  const Finished none = home.wright({});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.error.find("Usage: wright"), std::string::npos) << none.error;
}

TEST(Coding, changes_nothing_in_a_home_folder) {
  const Home home;
  const Finished run = home.wright(
      {"run", "coding", kRename, "--base-path", home.path().string(), "--model", "offline"});
  EXPECT_NE(run.error.find("does not take a whole home folder for a project"), std::string::npos)
      << run.error;
  EXPECT_EQ(content_of(home.project() / "alpha.cpp").find("first_function"), std::string::npos);
}

TEST(Coding, takes_files_back_when_the_person_agrees_and_only_then) {
  const Home home;
  const std::string before = content_of(home.project() / "alpha.cpp");
  const Finished kept = home.wright_on_terminal({}, std::string(kRename) + "\n/undo\n\n/quit\n");
  EXPECT_NE(kept.output.find("Nothing was taken back"), std::string::npos) << kept.output;
  EXPECT_NE(content_of(home.project() / "alpha.cpp"), before);
  const Finished undone = home.wright_on_terminal({"chat", "--continue"}, "/undo\ny\n/quit\n");
  EXPECT_NE(undone.output.find("restore"), std::string::npos) << undone.output;
  EXPECT_EQ(content_of(home.project() / "alpha.cpp"), before) << undone.output;
}

TEST(Coding, leaves_files_to_a_script_that_does_not_say_what_to_do_with_them) {
  const Home home;
  const Finished asked =
      home.wright({"chat", "coding", "--model", "offline"}, std::string(kRename) + "\n/undo\n");
  EXPECT_EQ(asked.exit_code, 2) << asked.error;
  EXPECT_NE(asked.error.find("/undo files"), std::string::npos) << asked.error;
  EXPECT_NE(content_of(home.project() / "alpha.cpp").find("first_function"), std::string::npos);
}

TEST(Coding, starts_the_programs_of_a_person_and_of_nobody_else) {
  const Home home;
  const Finished person = home.wright_on_terminal({}, "!echo done > typed.txt\n/quit\n");
  EXPECT_EQ(content_of(home.project() / "typed.txt"), "done\n") << person.output;
  const Finished pipe = home.wright({"chat", "--model", "offline"}, "!echo done > piped.txt\n");
  EXPECT_FALSE(std::filesystem::exists(home.project() / "piped.txt")) << pipe.output;
}

TEST(Coding, settings_are_read_and_written) {
  const Home home;
  EXPECT_EQ(home.wright({"config", "set", "agent.max_tokens", "777"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "set", "bash.preset", "workspace"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "get", "agent.max_tokens"}).output, "777\n");
  EXPECT_EQ(content_of(home.config_file()),
            "[agent]\nmax_tokens = 777\n\n[bash]\npreset = \"workspace\"\n");
  EXPECT_EQ(home.wright({"config", "set", "agent.max_tokens", "many"}).exit_code, 2);
  EXPECT_EQ(home.wright({"config", "get", "agent.nothing"}).exit_code, 2);
  EXPECT_EQ(home.wright({"init", "--model", "offline"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "get", "agent.model"}).output, "offline\n");
  EXPECT_EQ(home.wright({"init", "--model", "nobody:nothing"}).exit_code, 1);
}

}  // namespace
}  // namespace wright::cli
