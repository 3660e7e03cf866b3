// The whole loop against a server: many sessions at once, each asking a model over HTTP, calling
// its tool and, with --persist sqlite, storing every step. loop_bench runs it; it can also be run
// beside programs of other frameworks that speak the same command line:
//
//   loop_driver --base URL/v1 --model fake-k10 --n 200 --c 16 [--warm 20] [--stream 0|1]
//               [--persist none|sqlite] [--db PATH] [--protocol openai-chat]
//   loop_driver … --once      one session
//   loop_driver … --idle N    N sessions that wait; see below
//
// Prints one JSON line: sessions, turns, wall_s, user_ms, sys_ms, rss.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>

#include "wright/runtime.h"
#include "wright/wright.h"

namespace {

using namespace wright;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "loop_driver: %s\n", why.c_str());
  std::exit(1);
}

std::atomic<long> tool_calls = 0;

Tool read_file() {
  const Json parameters = {{"type", "object"},
                           {"properties",
                            {{"path", {{"type", "string"}}},
                             {"limit", {{"type", "integer"}}},
                             {"mode", {{"type", "string"}, {"enum", {"text", "binary"}}}}}},
                           {"required", {"path", "limit", "mode"}}};
  auto made = tool({.name = "read_file",
                    .description = "Read a file from the workspace.",
                    .parameters = parameters,
                    .options = {.effect = Effect::read}},
                   [](const Json& arguments, Context&) -> Result<Json> {
                     ++tool_calls;
                     const JsonObject& given = arguments.get_object();
                     return Json{{"ok", true},
                                 {"path", given.at("path")},
                                 {"mode", given.at("mode")},
                                 {"bytes", 1024 + given.at("limit").to_number<std::int64_t>()},
                                 {"head", "lorem ipsum dolor sit amet"}};
                   });
  if (!made) give_up(made.error().message);
  return std::move(*made);
}

// One session, advanced wherever the model's answer arrives; it holds no thread while it waits.
class LoopSession : public std::enable_shared_from_this<LoopSession> {
 public:
  using Done = std::function<void(const std::string& text)>;

  LoopSession(const Agent& agent, Store* store, Delivery delivery, Done done)
      : agent_(agent), recorder_(store), delivery_(delivery), done_(std::move(done)) {}

  void start() {
    const std::string prompt = "Read the files you need and summarise what they hold.";
    run_ = wright::start(agent_, prompt);
    check(recorder_.begin(agent_, run_, prompt, {}));
    advance();
  }

 private:
  static void check(const Result<void>& done) {
    if (!done) give_up(done.error().message);
  }

  void advance() {
    while (true) {
      Step step = next(agent_, run_);
      if (const auto* tools = std::get_if<CallTools>(&step)) {
        for (const ToolCall& call : tools->calls) call_tool(call);
        continue;
      }
      if (const auto* model = std::get_if<CallModel>(&step)) return ask(model->request);
      if (const auto* done = std::get_if<wright::Done>(&step)) return done_(done->text);
      if (const auto* failed = std::get_if<Failed>(&step)) give_up(failed->error.message);
      give_up("the run waits");
    }
  }

  void ask(const Request& request) {
    ModelCall call;
    if (delivery_ == Delivery::streamed) call.on_text = [](std::string_view) {};
    agent_.model.start(request, std::move(call),
                       [self = shared_from_this()](Result<Response> response) {
                         if (!response) give_up(response.error().message);
                         check(accept(self->run_, ModelAnswered{std::move(*response)}));
                         check(self->recorder_.advanced(self->run_));
                         self->advance();
                       });
  }

  void call_tool(const ToolCall& call) {
    check(recorder_.call_started(call));
    const ToolOutcome outcome = execute(agent_.tools, agent_.interceptors, call,
                                        {.agent_name = agent_.name, .call_id = call.id});
    if (outcome.result.is_error) give_up(outcome.error);
    check(accept(run_, ToolFinished{outcome.result}));
    check(recorder_.call_ended(run_, call, outcome));
  }

  const Agent& agent_;
  SessionRecorder recorder_;
  Delivery delivery_;
  wright::Run run_;
  Done done_;
};

// Runs sessions, at most `most` at once.
class Crowd {
 public:
  Crowd(const Agent& agent, Store* store, Delivery delivery)
      : agent_(agent), store_(store), delivery_(delivery) {}

  void run(int sessions, int most) {
    left_ = sessions;
    running_ = 0;
    for (int i = 0; i < std::min(most, sessions); ++i) start_one();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0 && left_ == 0; });
  }

 private:
  void start_one() {
    {
      const std::lock_guard lock(mutex_);
      if (left_ == 0) return;
      --left_;
      ++running_;
    }
    std::make_shared<LoopSession>(agent_, store_, delivery_, [this](const std::string& text) {
      if (!text.ends_with("DONE.")) give_up("the answer is not right: " + text);
      start_one();
      const std::lock_guard lock(mutex_);
      --running_;
      changed_.notify_all();
    })->start();
  }

  const Agent& agent_;
  Store* store_;
  Delivery delivery_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int left_ = 0;
  int running_ = 0;
};

long rss_kib(const char* name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name)) return std::atol(line.c_str() + std::string_view(name).size() + 1);
  }
  return 0;
}

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

rusage used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

void wait_for_line() {
  std::string line;
  std::getline(std::cin, line);
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string, std::string> given{{"--n", "1"},
                                           {"--c", "1"},
                                           {"--warm", "0"},
                                           {"--stream", "0"},
                                           {"--persist", "none"},
                                           {"--db", "loop.db"},
                                           {"--protocol", "openai-chat"}};
  for (int i = 1; i < count; ++i) {
    const std::string name = words[i];
    given[name] = name == "--once" || i + 1 == count ? "1" : words[++i];
  }
  Catalogue catalogue = Catalogue::built_in();
  const auto added =
      catalogue.add("[vendors.fake]\nneeds_key = false\nprotocol = \"" + given["--protocol"] +
                        "\"\nbase_url = \"" + given["--base"] + "\"\n",
                    "--base");
  if (!added) give_up(added.error().message);
  const Models models({.catalogue = std::move(catalogue)});
  std::unique_ptr<Store> store;
  if (given["--persist"] == "sqlite") {
    auto opened = open_sqlite_store(given["--db"]);
    if (!opened) give_up(opened.error().message);
    store = std::move(*opened);
  }
  const auto agent_for = [&](const std::string& model) {
    return Agent{.name = "loop",
                 .instructions = "You are a careful assistant. Use the tool when you need it.",
                 .model = models.get("fake:" + model),
                 .tools = {read_file()},
                 .interceptors = {intercept::validation()},
                 .limits = {1'000'000}};
  };
  const Delivery delivery = given["--stream"] == "1" ? Delivery::streamed : Delivery::whole;
  const int warm = std::stoi(given["--warm"]);
  if (given.contains("--idle")) {
    const Agent short_agent = agent_for("fake-k3");
    Crowd(short_agent, store.get(), delivery).run(std::max(warm, 1), 16);
    std::printf("{\"rss\": %ld}\n", rss_kib("VmRSS:"));
    std::fflush(stdout);
    wait_for_line();
    const Agent agent = agent_for(given["--model"]);
    std::vector<std::shared_ptr<LoopSession>> waiting;
    for (int i = 0; i < std::stoi(given["--idle"]); ++i) {
      waiting.push_back(
          std::make_shared<LoopSession>(agent, store.get(), delivery, [](const std::string&) {}));
      waiting.back()->start();
    }
    wait_for_line();
    std::printf("{\"rss\": %ld}\n", rss_kib("VmRSS:"));
    std::fflush(stdout);
    wait_for_line();
    std::_Exit(0);
  }
  const Agent agent = agent_for(given["--model"]);
  Crowd crowd(agent, store.get(), delivery);
  const int sessions = given.contains("--once") ? 1 : std::stoi(given["--n"]);
  crowd.run(warm, std::stoi(given["--c"]));
  tool_calls = 0;
  const rusage before = used();
  const auto began = std::chrono::steady_clock::now();
  crowd.run(sessions, std::stoi(given["--c"]));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const rusage after = used();
  std::printf(
      "{\"sessions\": %d, \"turns\": %ld, \"wall_s\": %.3f, \"user_ms\": %.1f, \"sys_ms\": %.1f, "
      "\"rss\": %ld}\n",
      sessions, tool_calls.load(), took.count(),
      milliseconds(after.ru_utime) - milliseconds(before.ru_utime),
      milliseconds(after.ru_stime) - milliseconds(before.ru_stime), rss_kib("VmHWM:"));
}
