// A program that is killed while the tool bash runs a command leaves nothing running.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "process.h"

namespace wright::cli {
namespace {

constexpr int kPatienceMilliseconds = 60'000;

bool has_ended(pid_t process) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return true;
  pollfd watched{descriptor, POLLIN, 0};
  const bool has_ended = ::poll(&watched, 1, kPatienceMilliseconds) == 1;
  ::close(descriptor);
  return has_ended;
}

// Waits until somebody has written to the named pipe.
void await_writer(const std::filesystem::path& pipe) {
  const int reading = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reading, 0);
  pollfd watched{reading, POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, kPatienceMilliseconds), 1) << "the command did not start";
  ::close(reading);
}

TEST(KilledProgram, leaves_no_process_of_its_command) {
  for (const int signal : {SIGKILL, SIGABRT}) {
    const Home home;
    home.write_config(
        "[bash]\npreset = \"none\"\n[bash.rules]\n\"*\" = \"allow\"\n\"> *\" = \"allow\"\n");
    const auto pipe = home.project() / "started";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Process process(
        {"tools", "call", "bash",
         R"({"command": "sleep 1000 & echo $! > left; (trap '' HUP TERM; exec sleep 1000) & )"
         R"(echo $! >> left; echo $$ >> left; echo x > started; sleep 1000"})"},
        home.environment, home.project(), Streams::pipes);
    await_writer(pipe);
    process.send(signal);
    EXPECT_EQ(process.finish().signal, signal);
    std::ifstream left(home.project() / "left");
    int count = 0;
    for (pid_t number = 0; left >> number; ++count) EXPECT_TRUE(has_ended(number)) << number;
    EXPECT_EQ(count, 3);
  }
}

}  // namespace
}  // namespace wright::cli
