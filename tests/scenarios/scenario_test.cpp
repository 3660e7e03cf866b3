// Runs every scenario file on every driver and every store there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <stop_token>

#include "scenarios/scenario.h"
#include "wright/cassette.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright::scenarios {

struct City {
  std::string city;
};
WRIGHT_DESCRIBE(City, WRIGHT_FIELD(city))
struct Sum {
  int a = 0;
  int b = 0;
};
WRIGHT_DESCRIBE(Sum, WRIGHT_FIELD(a), WRIGHT_FIELD(b))
struct Failure {
  std::string message;
};
WRIGHT_DESCRIBE(Failure, WRIGHT_FIELD(message))
struct Question {
  std::string question;
};
WRIGHT_DESCRIBE(Question, WRIGHT_FIELD(question))

namespace {

enum class StoreKind { none, memory, sqlite };
enum class DriverKind { own_loop, blocking, concurrent };

// A run of one scenario by one driver over one store.
class Stage {
 public:
  Stage(const Scenario& scenario, StoreKind store)
      : script_(scenario.script), store_(open_store(store)) {
    agent_.name = "actor";
    agent_.instructions = "Play your part.";
    agent_.model = script_.model();
    agent_.limits.max_iterations = scenario.max_iterations;
    agent_.tools = tools();
    if (scenario.has_conveniences) agent_.interceptors = conveniences({.enable_metadata = false});
  }

  std::vector<std::string> play_blocking(const std::string& prompt) {
    SessionId session = 0;
    const auto answer =
        wright::run(agent_, prompt,
                    {.store = store_.get(),
                     .observer =
                         [&](const Event& event) {
                           if (const auto* begun = std::get_if<SessionStarted>(&event)) {
                             session = begun->session_id;
                           }
                         },
                     .stop = stop_.get_token()});
    if (store_ != nullptr) return stored_protocol(session, answer);
    return remembered_protocol(answer);
  }

  std::vector<std::string> play_concurrent(const std::string& prompt) {
    // One call at a time: some scenarios are about what one call leaves to the next.
    auto runtime = Runtime::open({.store = store_.get(), .parallel_calls = 1});
    EXPECT_TRUE(runtime);
    runtime_ = runtime->get();
    const auto id = runtime_->start(std::make_shared<const Agent>(agent_), prompt);
    EXPECT_TRUE(id);
    const auto answer = runtime_->wait(*id);
    return stored_protocol(*id, answer);
  }

  // What the store holds of the session can be replayed, also from a file, and by an agent of which
  // only the record is known; nothing differs.
  void expect_replay() const {
    if (store_ == nullptr) return;
    const auto recorded = load_recording(*store_, 1);
    ASSERT_TRUE(recorded) << recorded.error().message;
    const auto cassette = cassette_from(cassette_text(*recorded, Redactor{}));
    ASSERT_TRUE(cassette) << cassette.error().message;
    for (const Agent& agent : {agent_, recorded_agent(*recorded)}) {
      for (const RecordedSession& record : {*recorded, *cassette}) {
        const auto report = replay(agent, record);
        ASSERT_TRUE(report) << report.error().message;
        for (const Difference& difference : report->differences) {
          ADD_FAILURE() << difference.what << "\n" << difference.recorded << "\n" << difference.now;
        }
        EXPECT_GE(report->session.messages.size(), record.messages.size());
      }
    }
  }

  // A driver as a user would write one, which also sends the run through text after every step.
  std::vector<std::string> play_own_loop(const std::string& prompt) {
    Run run = start(agent_, prompt);
    const auto memory = std::make_shared<RunMemory>();
    while (true) {
      run = *run_from_json(*parse_json(to_text(to_json(run))));
      if (stop_.stop_requested() && run.phase == Phase::tools) {
        EXPECT_TRUE(accept(run, Cancelled{"The run was cancelled"}));
      }
      Step step = next(agent_, run);
      if (const auto* model = std::get_if<CallModel>(&step)) {
        auto response = agent_.model.complete(model->request);
        EXPECT_TRUE(response ? accept(run, ModelAnswered{*response})
                             : accept(run, ModelFailed{response.error()}));
      } else if (const auto* tools = std::get_if<CallTools>(&step)) {
        const ToolCall& call = tools->calls.front();
        const ToolOutcome outcome = execute(agent_.tools, agent_.interceptors, call,
                                            Context{.call_id = call.id, .memory = memory});
        EXPECT_TRUE(outcome.waiting ? accept(run, ToolWaits{call.id, *outcome.waiting})
                                    : accept(run, ToolFinished{outcome.result}));
      } else {
        return run_protocol(run, step);
      }
    }
  }

 private:
  void cancel(SessionId session) {
    if (runtime_ != nullptr) {
      EXPECT_TRUE(runtime_->cancel(session));
    } else {
      stop_.request_stop();
    }
  }

  static std::unique_ptr<Store> open_store(StoreKind kind) {
    if (kind == StoreKind::none) return nullptr;
    if (kind == StoreKind::memory) return open_memory_store();
    auto store = open_sqlite_store(":memory:");
    if (!store) throw std::runtime_error(store.error().message);
    return std::move(*store);
  }

  std::vector<Tool> tools() {
    return {
        tool("weather", "Weather", [](const City& c) { return "sunny in " + c.city; }),
        tool("add", "Adds", [](const Sum& s) { return s.a + s.b; }),
        tool("fail", "Fails",
             [](const Failure& f) -> Result<int> {
               return fail(ErrorCode::tool_failed, f.message);
             }),
        tool("throw", "Throws", []() -> int { throw std::runtime_error("thrown on purpose"); }),
        tool("ask", "Asks",
             [](const Question& q) -> Result<int> { return wait_for_person(encode(q)); }),
        tool("cancel", "Stops the run", [this](Context& context) { cancel(context.session_id); },
             {.concurrency = Concurrency::serial}),
        tool("garbage", "Returns no text", [] { return std::string("a\xFFz"); })};
  }

  static void add_failure(Protocol& protocol, const Error& error) {
    protocol.add_end(error.code == ErrorCode::cancelled ? "cancelled" : "failed", "error",
                     error.message);
  }

  static void add_answer(Protocol& protocol, const Result<Answer>& answer) {
    if (!answer) return add_failure(protocol, answer.error());
    for (const PersonWait& wait : answer->waits) protocol.add_wait(wait.call, wait.shown);
    if (answer->status == Answer::Status::waiting) return protocol.add_end("waiting", "", "");
    protocol.add_end("completed", "answer", answer->text);
  }

  // A failure that the model had, which is no message: it comes after all messages.
  void add_model_failure(Protocol& protocol, const Error& error) const {
    if (error.message != kIterationLimitReached && error.code != ErrorCode::cancelled) {
      protocol.add_model_error(error);
    }
  }

  // From what the store holds, which must agree with what the driver answered.
  std::vector<std::string> stored_protocol(SessionId id, const Result<Answer>& answer) {
    Protocol protocol;
    const auto messages = store_->get_messages(id);
    const auto session = store_->get_session(id);
    const auto calls = store_->get_tool_calls(id);
    EXPECT_TRUE(messages && session && calls);
    for (const StoredMessage& message : *messages) {
      protocol.add(message.message);
      EXPECT_EQ(message.content, display_text(message.message));
    }
    if (!answer) add_model_failure(protocol, answer.error());
    add_answer(protocol, answer);
    check_calls(*messages, *calls);
    if (answer && answer->status == Answer::Status::waiting) {
      EXPECT_EQ(session->status, SessionStatus::waiting);
      EXPECT_FALSE(session->ended_at);
    } else if (answer) {
      EXPECT_EQ(session->status, SessionStatus::completed);
      EXPECT_EQ(session->result, answer->text);
      EXPECT_EQ(session->iterations, answer->iterations);
    } else {
      EXPECT_EQ(session->error, answer.error().message);
      EXPECT_EQ(session->status, answer.error().code == ErrorCode::cancelled
                                     ? SessionStatus::cancelled
                                     : SessionStatus::failed);
    }
    return protocol.lines();
  }

  // Every call of a message has its row, and the row's status agrees with its result.
  static void check_calls(const std::vector<StoredMessage>& messages,
                          const std::vector<StoredCall>& calls) {
    std::size_t row = 0;
    for (const StoredMessage& message : messages) {
      for (const ToolCall& call : message.message.tool_calls()) {
        ASSERT_LT(row, calls.size());
        EXPECT_EQ(calls[row].tool_call_id, call.id);
        EXPECT_EQ(calls[row].tool_name, call.name);
        EXPECT_EQ(calls[row].request, call.arguments);
        EXPECT_EQ(calls[row].message_id, message.id);
        ++row;
      }
      for (const Part& part : message.message.parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result == nullptr) continue;
        const auto call = std::ranges::find(calls, result->call_id, &StoredCall::tool_call_id);
        ASSERT_NE(call, calls.end());
        const bool is_cancelled = result->content.starts_with("Cancelled");
        EXPECT_EQ(call->status, is_cancelled       ? CallStatus::cancelled
                                : result->is_error ? CallStatus::failed
                                                   : CallStatus::completed);
        EXPECT_EQ(call->completed_at.has_value(), true);
        EXPECT_EQ(call->error_details.has_value(), result->is_error);
      }
    }
    EXPECT_EQ(row, calls.size());
  }

  // From what the model was shown, and the answer; the last turn of a failed run is not in it.
  std::vector<std::string> remembered_protocol(const Result<Answer>& answer) const {
    Protocol protocol;
    const auto requests = script_.requests();
    for (const Message& message : requests.back()) protocol.add(message);
    if (answer && answer->status == Answer::Status::completed) {
      protocol.add(answer->text.empty() ? Message{Role::assistant, {}}
                                        : Message::assistant(answer->text));
    }
    if (!answer) add_model_failure(protocol, answer.error());
    add_answer(protocol, answer);
    return protocol.lines();
  }

  std::vector<std::string> run_protocol(const Run& run, const Step& step) const {
    Protocol protocol;
    for (const Message& message : run.messages) protocol.add(message);
    if (const auto* failed = std::get_if<Failed>(&step)) {
      add_model_failure(protocol, failed->error);
      add_failure(protocol, failed->error);
    } else if (const auto* wait = std::get_if<Wait>(&step)) {
      for (const PersonWait& each : wait->waits) protocol.add_wait(each.call, each.shown);
      protocol.add_end("waiting", "", "");
    } else {
      protocol.add_end("completed", "answer", std::get<Done>(step).text);
    }
    return protocol.lines();
  }

  testing::ScriptedModel script_;
  std::unique_ptr<Store> store_;
  std::stop_source stop_;
  Runtime* runtime_ = nullptr;  // while it drives
  Agent agent_;
};

struct Case {
  std::filesystem::path file;
  DriverKind driver;
  StoreKind store;

  friend void PrintTo(const Case& shown, std::ostream* out) { *out << shown.file.filename(); }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(WRIGHT_SCENARIOS)) {
    if (entry.path().extension() != ".txt" || entry.path().stem() == "CMakeLists") continue;
    cases.push_back({entry.path(), DriverKind::own_loop, StoreKind::none});
    for (const StoreKind store : {StoreKind::none, StoreKind::memory, StoreKind::sqlite}) {
      cases.push_back({entry.path(), DriverKind::blocking, store});
    }
    for (const StoreKind store : {StoreKind::memory, StoreKind::sqlite}) {
      cases.push_back({entry.path(), DriverKind::concurrent, store});
    }
  }
  std::ranges::sort(cases, {}, &Case::file);
  return cases;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  static constexpr const char* kStores[] = {"no_store", "memory", "sqlite"};
  static constexpr const char* kDrivers[] = {"own_loop", "blocking", "concurrent"};
  return info.param.file.stem().string() + "_" + kDrivers[static_cast<int>(info.param.driver)] +
         "_" + kStores[static_cast<int>(info.param.store)];
}

// The lines before the model's last turn: all that a driver without a store can show of a run that
// did not complete.
std::vector<std::string> without_last_turn(const std::vector<std::string>& lines) {
  const auto is_turn = [](const std::string& line) { return line.starts_with("model"); };
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_turn).base() - 1;
  std::vector<std::string> kept(lines.begin(), last);
  if (last->starts_with("model-error")) kept.push_back(*last);
  for (auto line = last; line != lines.end(); ++line) {
    const bool is_end =
        line->starts_with("wait") || line->starts_with("status") || line->starts_with("error");
    if (is_end) kept.push_back(*line);
  }
  return kept;
}

class ScenarioTest : public ::testing::TestWithParam<Case> {};

TEST_P(ScenarioTest, comes_out_as_written) {
  const Case& param = GetParam();
  const auto scenario = load(param.file);
  ASSERT_TRUE(scenario) << scenario.error().message;
  Stage stage(*scenario, param.store);
  const bool is_own_loop = param.driver == DriverKind::own_loop;
  const auto lines = is_own_loop ? stage.play_own_loop(scenario->prompt)
                     : param.driver == DriverKind::blocking
                         ? stage.play_blocking(scenario->prompt)
                         : stage.play_concurrent(scenario->prompt);
  std::vector<std::string> expected = scenario->expected;
  const bool has_answer = std::ranges::any_of(
      expected, [](const std::string& line) { return line.starts_with("answer"); });
  if (!is_own_loop && param.store == StoreKind::none && !has_answer) {
    expected = without_last_turn(expected);
  }
  EXPECT_EQ(lines, expected);
  stage.expect_replay();
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioTest, ::testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace wright::scenarios
