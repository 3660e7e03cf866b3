// What a program that is killed leaves behind: nothing that runs, and the time that it worked.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "process.h"
#include "silent_server.h"

namespace wright::cli {
namespace {

constexpr int kPatienceMilliseconds = 60'000;

// How many processes sleep for so long. The numbers that a command in the sandbox sees are its own.
int sleepers(std::string_view time) {
  int count = 0;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    // It may end while it is looked at.
    const int file = ::open((entry.path() / "cmdline").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    char text[256];
    const ssize_t length = ::read(file, text, sizeof text);
    ::close(file);
    const std::string_view line(text, length > 0 ? static_cast<std::size_t>(length) : 0);
    if (line.starts_with("sleep") && line.find(time) != std::string::npos) ++count;
  }
  return count;
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
    // As long as no other on this machine.
    const std::string time = "1000.0" + std::to_string(::getpid());
    const std::string command = "sleep " + time + " & (trap '' HUP TERM; exec sleep " + time +
                                ") & echo x > started; sleep " + time;
    Process process({"tools", "call", "bash", to_text(JsonObject{{"command", command}})},
                    home.environment, home.project(), Streams::pipes);
    await_writer(pipe);
    for (int bound = 0; bound < 1'000 && sleepers(time) < 3; ++bound) ::usleep(10'000);
    EXPECT_EQ(sleepers(time), 3);
    process.send(signal);
    EXPECT_EQ(process.finish().signal, signal);
    for (int bound = 0; bound < 6'000 && sleepers(time) > 0; ++bound) ::usleep(10'000);
    EXPECT_EQ(sleepers(time), 0);
  }
}

std::int64_t worked_ms(const Home& home) {
  const Finished shown = home.wright({"sessions", "show", "1", "--json"});
  if (shown.exit_code != 0) return 0;  // it has not begun
  const Json worked = shown.json().at("session").at("worked_ms");
  return worked.is_int64() ? worked.get_int64() : 0;
}

TEST(KilledProgram, has_used_the_time_in_which_its_model_was_silent) {
  const Home home;
  const SilentServer server;
  home.write_config(
      "[limits]\ntime = \"30s\"\n[vendors.silent]\nneeds_key = false\nprotocol = "
      "\"openai-chat\"\nbase_url = \"http://127.0.0.1:" +
      std::to_string(server.port()) + "/v1\"\n");
  Process process(
      {"run", "codebase-analysis", "Where is alpha_function?", "--model", "silent:model"},
      home.environment, home.project(), Streams::pipes);
  for (int bound = 0; bound < 6'000 && worked_ms(home) == 0; ++bound) ::usleep(10'000);
  process.send(SIGKILL);
  EXPECT_EQ(process.finish().signal, SIGKILL);
  EXPECT_GT(worked_ms(home), 0) << "whoever resumes it has only what is left";
}

}  // namespace
}  // namespace wright::cli
