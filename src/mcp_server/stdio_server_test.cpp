#include "mcp_server/stdio_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <boost/json/object.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

#include "core/file_descriptor.h"

namespace wright::mcp_server {
namespace {

// A server in a thread of its own, and both ends of its streams.
class Served {
 public:
  explicit Served(Agent caller, std::string_view revision = "2025-11-25",
                  std::size_t most_calls = 64) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    to_ = FileDescriptor(in[1]);
    from_ = FileDescriptor(out[0]);
    auto host = std::make_shared<const Host>(
        Offering{.caller = std::make_shared<Agent>(std::move(caller))});
    thread_ = std::thread([host, input = in[0], output = out[1], most_calls] {
      serve_stdio(
          host,
          {.input = input, .output = output, .self = {"test", "", "1"}, .most_calls = most_calls});
      ::close(input);
      ::close(output);
    });
    say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
        std::string(revision) + R"(","capabilities":{}}})");
    EXPECT_EQ(hear().at("id"), Json(0));
  }
  ~Served() {
    end_input();
    thread_.join();
  }

  void say(std::string line) {
    line += '\n';
    EXPECT_EQ(::write(to_.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  // The next message.
  Json hear() {
    while (text_.find('\n') == std::string::npos) {
      std::array<char, 4096> buffer;
      const ssize_t count = ::read(from_.get(), buffer.data(), buffer.size());
      if (count <= 0) return nullptr;
      text_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    const std::size_t end = text_.find('\n');
    Json heard = parse_json(text_.substr(0, end)).value();
    text_.erase(0, end + 1);
    return heard;
  }
  void end_input() { to_ = FileDescriptor(); }

 private:
  FileDescriptor to_;
  FileDescriptor from_;
  std::string text_;
  std::thread thread_;
};

// A tool that stays until it is let go or stopped, and one that answers at once.
struct Gate {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool is_open = false;
  bool was_stopped = false;

  Agent agent() {
    Agent made;
    made.tools.push_back(
        tool("stay", "Stays", [this](const Context& context) -> Result<std::string> {
          if (context.progress) context.progress("staying");
          std::unique_lock lock(mutex);
          const bool opened = changed.wait(lock, context.stop, [this] { return is_open; });
          was_stopped = !opened;
          changed.notify_all();
          return opened ? "let go" : "stopped";
        }));
    made.tools.push_back(tool("quick", "Answers", [] { return std::string("here"); }));
    return made;
  }
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
};

std::string called(int id, std::string_view name, std::string_view meta = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":")" + std::string(name) + "\"" +
         std::string(meta) + "}}";
}

TEST(StdioServer, OtherCallsAreAnsweredWhileOneTakesLong) {
  Gate gate;
  Served served(gate.agent());
  served.say(called(1, "stay"));
  served.say(called(2, "quick"));
  EXPECT_EQ(served.hear().at("id"), Json(2));
  gate.open();
  EXPECT_EQ(served.hear().at("id"), Json(1));
}

TEST(StdioServer, ACancelledCallStopsAndIsNotAnswered) {
  Gate gate;
  Served served(gate.agent());
  served.say(called(1, "stay", R"(,"_meta":{"progressToken":7})"));
  EXPECT_EQ(served.hear().at("method"), Json("notifications/progress"));
  served.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  {
    std::unique_lock lock(gate.mutex);
    gate.changed.wait(lock, [&] { return gate.was_stopped; });
  }
  served.say(called(2, "quick"));
  EXPECT_EQ(served.hear().at("id"), Json(2));
}

TEST(StdioServer, BrokenLinesAreAnsweredAndTheNextOneCounts) {
  Gate gate;
  Served served(gate.agent());
  served.say("this is no message");
  EXPECT_EQ(served.hear().at("error").at("code"), Json(-32700));
  served.say(std::string("{\"a\":\"\xff\"}"));
  EXPECT_EQ(served.hear().at("error").at("code"), Json(-32700));
  served.say("");
  served.say(called(1, "quick"));
  EXPECT_EQ(served.hear().at("id"), Json(1));
}

TEST(StdioServer, ABatchHasNoMoreThreadsThanAnythingElse) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  Agent agent;
  agent.tools.push_back(tool("count", "Counts", [&] {
    const int now = ++running;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running;
    return std::string("counted");
  }));
  Served served(std::move(agent), "2025-03-26", 4);
  std::string batch = "[";
  for (int i = 1; i <= 200; ++i) batch += (i > 1 ? "," : "") + called(i, "count");
  served.say(batch + "]");
  EXPECT_EQ(served.hear().as_array().size(), 200U);
  EXPECT_LE(most, 4);
}

// Calls that take about as long as the reader is waited for, so that the turn changes all the time.
TEST(StdioServer, OneReadsAtATime) {
  Agent agent;
  agent.tools.push_back(tool("linger", "Takes a moment", [] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(2100);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return std::string("done");
  }));
  Served served(std::move(agent));
  constexpr int kCalls = 300;
  std::thread sayer([&] {
    for (int i = 1; i <= kCalls; ++i) served.say(called(i, "linger"));
  });
  std::set<std::int64_t> answered;
  for (int i = 0; i < kCalls; ++i) {
    const Json heard = served.hear();
    ASSERT_TRUE(heard.is_object() && heard.as_object().contains("result")) << to_text(heard);
    answered.insert(heard.at("id").as_int64());
  }
  sayer.join();
  EXPECT_EQ(answered.size(), static_cast<std::size_t>(kCalls));
}

TEST(StdioServer, ItEndsWithItsInput) {
  Gate gate;
  Served served(gate.agent());
  served.say(called(1, "quick"));
  served.end_input();
  EXPECT_EQ(served.hear().at("id"), Json(1));
  EXPECT_EQ(served.hear(), Json(nullptr));
}

}  // namespace
}  // namespace wright::mcp_server
