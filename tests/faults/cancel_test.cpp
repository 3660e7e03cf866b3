// A session that is cancelled takes down what its tools have started, down to the last process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <future>

#include "store/testing.h"
#include "wright/specialist.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright::faults {
namespace {

using intercept::Permission;

// Not there, or dead and not yet waited for.
bool is_gone(pid_t process) {
  if (::kill(process, 0) != 0) return true;
  std::string state;
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  char text[256];
  const ssize_t read = ::read(file, text, sizeof(text));
  ::close(file);
  state.assign(text, read > 0 ? static_cast<std::size_t>(read) : 0);
  return state.find(") Z") != std::string::npos;
}

TEST(Cancelling, ends_the_processes_that_a_specialists_shell_left_in_the_background) {
  std::promise<pid_t> begun;
  const Tool bash =
      store::value_of(bash_tool({.base = std::filesystem::temp_directory_path(),
                                 .rules = {{"sleep *", Permission::allow},
                                           {"echo *", Permission::allow},
                                           {"wait *", Permission::allow}},
                                 .on_output = [&, is_told = false](const Context&, OutputStream,
                                                                   std::string_view text) mutable {
                                   pid_t process = 0;
                                   std::from_chars(text.data(), text.data() + text.size(), process);
                                   if (process > 0 && !std::exchange(is_told, true))
                                     begun.set_value(process);
                                 }}));
  const Agent below{
      .name = "below",
      .model = testing::ScriptedModel(
                   {testing::calls({testing::call(
                       "bash", R"({"command":"sleep 600 & echo $!; wait $!"})", "1")})})
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
  const pid_t process = told.get();
  EXPECT_FALSE(is_gone(process));
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  EXPECT_EQ(runtime->wait(id).error().code, ErrorCode::cancelled);
  EXPECT_EQ(store::value_of(store->get_session(id + 1)).status, SessionStatus::cancelled);
  // The kernel may take a moment to let it go.
  for (int bound = 0; bound < 100'000 && !is_gone(process); ++bound) ::usleep(100);
  EXPECT_TRUE(is_gone(process));
}

}  // namespace
}  // namespace wright::faults
