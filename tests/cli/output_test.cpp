// Output that goes to a pipe: no escape codes, a reader that leaves, a disk that is full.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

namespace wright::cli {
namespace {

TEST(Output, has_no_escape_codes_in_a_pipe) {
  const Home home;
  for (const Arguments& arguments :
       {Arguments{"run", "codebase-analysis", "Where is alpha_function defined?"},
        Arguments{"sessions"}, Arguments{"sessions", "show", "1"},
        Arguments{"sessions", "export", "1", "--format", "markdown"}, Arguments{"agents"},
        Arguments{"tools"}, Arguments{"config"}, Arguments{"doctor"}, Arguments{"--help"},
        Arguments{"rnu"}, Arguments{}}) {
    const Finished finished = home.wright(arguments);
    EXPECT_EQ(finished.output.find('\x1b'), std::string::npos) << finished.output;
    EXPECT_EQ(finished.error.find('\x1b'), std::string::npos) << finished.error;
  }
}

TEST(Output, ends_quietly_when_its_reader_leaves) {
  const Home home;
  home.wright({"run", "codebase-analysis", "hello"});
  for (const Arguments& arguments : {Arguments{"--help"}, Arguments{"sessions"},
                                     Arguments{"doctor"}, Arguments{"sessions", "export", "1"}}) {
    Process process(arguments, home.environment, home.project(), Streams::pipes);
    process.close_output();
    process.close_input();
    const Finished finished = process.finish();
    // The program may have been quicker than the reader.
    EXPECT_TRUE(finished.exit_code == 141 || finished.exit_code == 0) << finished.exit_code;
    EXPECT_EQ(finished.error, "");
  }
}

TEST(Output, of_a_run_may_lose_its_reader_and_the_session_is_complete_all_the_same) {
  const Home home;
  Process process({"run", "codebase-analysis", "-q"}, home.environment, home.project(),
                  Streams::pipes);
  process.close_output();
  process.write("Where is alpha_function defined?");
  process.close_input();
  const Finished run = process.finish();
  EXPECT_EQ(run.exit_code, 141);
  EXPECT_EQ(run.error, "");
  const Json session = home.wright({"sessions", "show", "1", "--json"}).json().at("session");
  EXPECT_EQ(session.at("status").as_string(), "completed");
}

TEST(Output, that_cannot_be_written_is_an_error) {
  const Home home;
  // Through a shell, which can connect standard output to a device.
  const std::string line = std::string("exec ") + WRIGHT_PROGRAM + " --help > /dev/full";
  const char* const words[] = {"sh", "-c", line.c_str(), nullptr};
  pid_t id = -1;
  int errors[2];
  ASSERT_EQ(pipe2(errors, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  ASSERT_EQ(
      posix_spawn(&id, "/bin/sh", &actions, nullptr, const_cast<char* const*>(words), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(errors[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(errors[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(errors[0]);
  int status = 0;
  waitpid(id, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(text, "wright: cannot write to standard output: No space left on device\n");
}

}  // namespace
}  // namespace wright::cli
