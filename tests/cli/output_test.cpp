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

// Through a shell, which can connect standard output to a device, and knows limits.
Finished shell(const Home& home, const std::string& line) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : home.environment) variables.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const char* const words[] = {"sh", "-c", line.c_str(), nullptr};
  int errors[2];
  EXPECT_EQ(pipe2(errors, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
  pid_t id = -1;
  EXPECT_EQ(posix_spawn(&id, "/bin/sh", &actions, nullptr, const_cast<char* const*>(words),
                        environment.data()),
            0);
  posix_spawn_file_actions_destroy(&actions);
  close(errors[1]);
  Finished finished;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(errors[0], buffer, sizeof buffer)) > 0;) {
    finished.error.append(buffer, static_cast<std::size_t>(count));
  }
  close(errors[0]);
  int status = 0;
  waitpid(id, &status, 0);
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  return finished;
}

TEST(Output, that_cannot_be_written_is_an_error) {
  const Finished finished = shell(Home(), "exec " WRIGHT_PROGRAM " --help > /dev/full");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.error, "wright: cannot write to standard output: No space left on device\n");
}

TEST(Output, and_input_that_are_closed_are_nobody_elses) {
  const Home home;
  EXPECT_EQ(shell(home, "exec " WRIGHT_PROGRAM " chat <&- >/dev/null 2>&1").exit_code, 0);
  const Finished unread = shell(home, "exec " WRIGHT_PROGRAM " --help >&-");
  EXPECT_EQ(unread.exit_code, 1);
  EXPECT_EQ(unread.error, "wright: cannot write to standard output: Bad file descriptor\n");
}

TEST(Output, to_a_file_that_may_not_grow_is_an_error_and_no_signal) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer itself needs files";
#endif
  const Home home;
  const Finished finished = shell(home, "ulimit -f 8; cd '" + home.project().string() +
                                            "'; exec " WRIGHT_PROGRAM
                                            " run codebase-analysis hello > /dev/null");
  EXPECT_EQ(finished.exit_code, 1) << finished.signal;
  EXPECT_TRUE(has(finished.error, "cannot be read or written")) << finished.error;
  EXPECT_EQ(home.wright({"run", "codebase-analysis", "hello"}).exit_code, 0);
}

}  // namespace
}  // namespace wright::cli
