// A tools/call over standard streams: our server in a thread, and a client that does nothing but
// write a line and read one. The CPU is that of both. The official TypeScript SDK's server takes 67
// µs of CPU for the same call, without its client.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "mcp_server/stdio_server.h"
#include "wright/tool.h"

namespace {

using namespace wright;

struct Words {
  std::string text = {};
};
WRIGHT_DESCRIBE(Words, WRIGHT_FIELD(text))

class Connection {
 public:
  Connection() {
    (void)::pipe2(to_.data(), O_CLOEXEC);
    (void)::pipe2(from_.data(), O_CLOEXEC);
    auto caller = std::make_shared<Agent>();
    caller->tools = {tool("echo", "Says it again", [](const Words& words) { return words.text; },
                          {.effect = Effect::read})};
    auto host =
        std::make_shared<const mcp_server::Host>(mcp_server::Offering{.caller = std::move(caller)});
    server_ = std::thread([this, host] {
      mcp_server::serve_stdio(host, {.input = to_[0], .output = from_[1], .self = {"b", "", "1"}});
    });
    exchange(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{}}})"
             "\n");
  }
  ~Connection() {
    ::close(to_[1]);
    server_.join();
    for (const int each : {to_[0], from_[0], from_[1]}) ::close(each);
  }

  void exchange(std::string_view line) {
    (void)!::write(to_[1], line.data(), line.size());
    std::array<char, 4096> buffer;
    ssize_t count = 0;
    do {
      count = ::read(from_[0], buffer.data(), buffer.size());
    } while (count > 0 && buffer.at(static_cast<std::size_t>(count) - 1) != '\n');
  }

 private:
  std::array<int, 2> to_{};
  std::array<int, 2> from_{};
  std::thread server_;
};

void call_over_stdio(benchmark::State& state) {
  Connection connection;
  const std::string line =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":)"
      R"({"text":"hello"}}})"
      "\n";
  for (auto _ : state) connection.exchange(line);
}
BENCHMARK(call_over_stdio)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
