// A session that is cancelled takes down what its tools have started, down to the last process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>

#include "store/store_testing.h"
#include "wright/agent.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright::faults {
namespace {

using intercept::Permission;

// Whether a process with this word on its command line runs. The numbers that a command in the
// sandbox sees are its own.
bool is_running(std::string_view word) {
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    // It may end while it is looked at.
    const int file = ::open((entry.path() / "cmdline").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    char text[256];
    const ssize_t length = ::read(file, text, sizeof text);
    ::close(file);
    const std::string_view line(text, length > 0 ? static_cast<std::size_t>(length) : 0);
    if (line.starts_with("sleep") && line.find(word) != std::string::npos) return true;
  }
  return false;
}

TEST(Cancelling, ends_the_processes_that_a_specialists_shell_left_in_the_background) {
  // As long as no other sleep on this machine.
  const std::string word = "600.0" + std::to_string(::getpid());
  std::promise<void> begun;
  const Tool bash =
      store::value_of(bash_tool({.base = std::filesystem::temp_directory_path(),
                                 .rules = {{"sleep *", Permission::allow},
                                           {"echo *", Permission::allow},
                                           {"wait *", Permission::allow}},
                                 .on_output = [&, is_told = false](const Context&, OutputStream,
                                                                   std::string_view text) mutable {
                                   if (!text.empty() && !std::exchange(is_told, true)) {
                                     begun.set_value();
                                   }
                                 }}));
  const Agent below{
      .name = "below",
      .model =
          testing::ScriptedModel(
              {testing::calls({testing::call(
                  "bash", to_text(JsonObject{{"command", "sleep " + word + " & echo $!; wait $!"}}),
                  "1")})})
              .model(),
      .tools = {bash}};
  const auto above = std::make_shared<const Agent>(
      Agent{.name = "above",
            .model = testing::ScriptedModel(
                         {testing::calls({testing::call("below", R"({"message":"Go"})", "1")})})
                         .model(),
            .tools = {delegate_to(below)}});
  const auto store = open_memory_store();
  const auto runtime = store::value_of(Runtime::open({.store = store.get()}));
  const SessionId id = store::value_of(runtime->start(above, "Go"));
  auto told = begun.get_future();
  ASSERT_EQ(told.wait_for(std::chrono::minutes(2)), std::future_status::ready) << "it never ran";
  for (int bound = 0; bound < 1'000 && !is_running(word); ++bound) ::usleep(10'000);
  EXPECT_TRUE(is_running(word));
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  EXPECT_EQ(runtime->wait(id).error().code, ErrorCode::cancelled);
  EXPECT_EQ(store::value_of(store->get_session(id + 1)).status, SessionStatus::cancelled);
  // The kernel may take a moment to let it go.
  for (int bound = 0; bound < 1'000 && is_running(word); ++bound) ::usleep(10'000);
  EXPECT_FALSE(is_running(word));
}

}  // namespace
}  // namespace wright::faults
