#include "scenarios/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "postgres/cluster_testing.h"
#include "wright/agent.h"
#include "wright/people.h"
#include "wright/postgres.h"
#include "wright/replay.h"

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
struct Path {
  std::string path;
};
WRIGHT_DESCRIBE(Path, WRIGHT_FIELD(path))
struct Question {
  std::string question;
};
WRIGHT_DESCRIBE(Question, WRIGHT_FIELD(question))

namespace {

std::unique_ptr<Store> open_store(StoreKind kind) {
  if (kind == StoreKind::none) return nullptr;
  if (kind == StoreKind::memory) return open_memory_store();
  auto store = kind == StoreKind::sqlite
                   ? open_sqlite_store(":memory:")
                   : open_postgres_store(postgres::TestCluster::instance().url(),
                                         {.schema = postgres::TestCluster::new_schema()});
  if (!store) throw std::runtime_error(store.error().message);
  return std::move(*store);
}

Tool weather() {
  return tool("weather", "Weather", [](const City& c) { return "sunny in " + c.city; });
}

Tool ask() {
  return tool("ask", "Asks", [](const Question& q, const Context& context) -> ToolReply {
    if (context.answers.answer) return Output{.value = *context.answers.answer};
    return Waiting{.shown = encode(q)};
  });
}

// As a person's answer reaches the call that waits, in a driver of one's own.
WaitAnswers answers_from(const Json& answer) {
  const JsonObject* object = answer.if_object();
  const Json* decision = object != nullptr ? object->if_contains("decision") : nullptr;
  if (decision == nullptr) return {.answer = answer};
  const Json* reason = object->if_contains("reason");
  return {.approval = Approval{*decision_from(decision->get_string()),
                               reason != nullptr ? reason->get_string().c_str() : ""}};
}

// What a person decided for the whole session.
void remember(RunMemory& memory, const std::vector<std::string>& covers,
              const WaitAnswers& answers) {
  if (!answers.approval || answers.approval->decision == Decision::once ||
      answers.approval->decision == Decision::refuse) {
    return;
  }
  for (const std::string& kind : covers) memory.decide(kind, answers.approval->decision);
}

void add_failure(Protocol& protocol, const Error& error) {
  protocol.add_end(error.code == ErrorCode::cancelled ? "cancelled" : "failed", "error",
                   error.message);
}

void add_answer(Protocol& protocol, const Result<RunResult>& answer) {
  if (!answer) return add_failure(protocol, answer.error());
  for (const PersonWait& wait : answer->waits) protocol.add_wait(wait.call, wait.shown);
  if (answer->status == RunResult::Status::waiting) return protocol.add_end("waiting", "", "");
  protocol.add_end("completed", "answer", answer->text);
}

// A failure that the model had, which is no message: it comes after all messages.
void add_model_failure(Protocol& protocol, const Error& error) {
  if (limit_of(error) != Limit::iterations && error.code != ErrorCode::cancelled) {
    protocol.add_model_error(error);
  }
}

void add_run(Protocol& protocol, const Run& run, std::size_t first, const Step& step) {
  for (std::size_t i = first; i < run.messages.size(); ++i) protocol.add(run.messages[i]);
  if (const auto* failed = std::get_if<Failed>(&step)) {
    add_model_failure(protocol, failed->error);
    add_failure(protocol, failed->error);
  } else if (const auto* wait = std::get_if<Wait>(&step)) {
    for (const PersonWait& each : wait->waits) protocol.add_wait(each.call, each.shown);
    protocol.add_end("waiting", "", "");
  } else {
    protocol.add_end("completed", "answer", std::get<Done>(step).text);
  }
}

// Every call of a message has its row, and the row's status agrees with its result.
void check_calls(const std::vector<StoredMessage>& messages, const std::vector<StoredCall>& calls) {
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

}  // namespace

Stage::Stage(const Scenario& scenario, StoreKind store)
    : scenario_(scenario), script_(scenario.script), store_(open_store(store)) {
  agent_.name = "actor";
  agent_.instructions = "Play your part.";
  agent_.model = script_.model();
  agent_.limits.max_iterations = scenario.max_iterations;
  agent_.tools = tools();
  if (scenario.has_conveniences) add_conveniences(agent_, {.enable_metadata = false});
  for (const auto& [name, script] : scenario.specialists) {
    scripts_below_.emplace(name, testing::ScriptedModel(script));
  }
  for (const auto& [name, script] : scenario.specialists) {
    if (name != "deep") agent_.tools.push_back(delegate_to(specialist(name)));
  }
  // Goes on with the same script: what differs are its tools.
  Agent heir{.name = "heir", .instructions = "Takes over.", .model = script_.model()};
  heir.tools = {tool("inherit", "Inherits", [] { return "a house"; })};
  if (scenario.has_handoff) agent_.tools.push_back(hand_off_to(std::move(heir)));
}

std::vector<Tool> Stage::tools() {
  return {
      weather(),
      tool("add", "Adds", [](const Sum& s) { return s.a + s.b; }),
      tool("fail", "Fails",
           [](const Failure& f) -> Result<int> { return fail(ErrorCode::tool_failed, f.message); }),
      tool("throw", "Throws", []() -> int { throw std::runtime_error("thrown on purpose"); }),
      ask(),
      tool("delete", "Deletes", [](const Path& p) { return p.path + " is gone"; },
           {.needs_approval = true}),
      tool("cancel", "Stops the run",
           [this](const Context& context) { cancel(context.session_id); },
           {.concurrency = Concurrency::serial}),
      tool("garbage", "Returns no text", [] { return std::string("a\xFFz"); })};
}

Agent Stage::specialist(const std::string& name) {
  Agent agent{
      .name = name, .instructions = "Knows its trade.", .model = scripts_below_.at(name).model()};
  if (name == "planner" || name == "deep") agent.tools = {weather(), ask()};
  if (name == "planner" && scripts_below_.contains("deep")) {
    agent.tools.push_back(delegate_to(specialist("deep")));
  }
  return agent;
}

void Stage::cancel(SessionId session) {
  if (runtime_ != nullptr) {
    EXPECT_TRUE(runtime_->cancel(session));
  } else {
    stop_.request_stop();
  }
}

// --- drivers -------------------------------------------------------------------------------------

std::vector<std::string> Stage::play_blocking() {
  SessionId session = 0;
  const RunOptions options{.observer =
                               [&](const Event& event) {
                                 const auto* begun = std::get_if<SessionStarted>(&event);
                                 if (begun != nullptr && session == 0) session = begun->session_id;
                               },
                           .stop = stop_.get_token()};
  if (store_ == nullptr) return remembered_protocol(wright::run(agent_, scenario_.prompt, options));
  const auto answer = wright::run(*store_, agent_, scenario_.prompt, options);
  return play_stored(session, answer,
                     [&](const Continuation& said, const std::vector<WaitId>& waits) {
                       for (std::size_t i = 0; i < waits.size(); ++i) {
                         EXPECT_TRUE(answer_wait(*store_, waits[i], said.replies[i].answer, "Ada"));
                       }
                       return waits.empty() ? send(*store_, agent_, session, said.message, options)
                                            : resume(*store_, agent_, session, options);
                     });
}

std::vector<std::string> Stage::play_concurrent() {
  // One call at a time: some scenarios are about what one call leaves to the next.
  auto runtime = Runtime::open({.store = store_.get(), .parallel_calls = 1});
  EXPECT_TRUE(runtime);
  runtime_ = runtime->get();
  const auto agent = std::make_shared<const Agent>(agent_);
  const auto id = runtime_->start(agent, scenario_.prompt);
  EXPECT_TRUE(id);
  return play_stored(*id, runtime_->wait(*id),
                     [&](const Continuation& said, const std::vector<WaitId>& waits) {
                       for (std::size_t i = 0; i < waits.size(); ++i) {
                         EXPECT_TRUE(runtime_->answer(waits[i], said.replies[i].answer, "Ada"));
                       }
                       if (waits.empty()) {
                         EXPECT_TRUE(runtime_->send(agent, *id, said.message));
                       }
                       return runtime_->wait(*id);
                     });
}

std::vector<std::string> Stage::play_stored(SessionId id, Result<RunResult> answer,
                                            const GoOn& go_on) {
  Protocol protocol;
  add_stored(protocol, id, answer);
  for (const Continuation& continuation : scenario_.continuations) {
    std::vector<WaitId> waits;
    for (const Reply& reply : continuation.replies) {
      protocol.add_reply(reply);
      const auto wait = std::ranges::find_if(
          answer->waits, [&](const PersonWait& each) { return each.call.id == reply.call_id; });
      if (wait != answer->waits.end()) waits.push_back(wait->wait_id);
    }
    EXPECT_EQ(waits.size(), continuation.replies.size()) << "nothing waits for this reply";
    answer = go_on(continuation, waits);
    add_stored(protocol, id, answer);
  }
  return protocol.lines();
}

std::vector<std::string> Stage::play_own_loop() {
  Protocol protocol;
  Run run = start(agent_, scenario_.prompt);
  const auto memory = std::make_shared<RunMemory>();
  auto continuation = scenario_.continuations.begin();
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
      const auto open = std::ranges::find_if(
          run.open_calls, [&](const OpenCall& each) { return each.call.id == call.id; });
      const ToolOutcome outcome = execute(
          agent_, call, Context{.call_id = call.id, .memory = memory, .answers = open->answers});
      EXPECT_TRUE(outcome.waiting ? accept(run, ToolWaits{call.id, *outcome.waiting})
                                  : accept(run, ToolFinished{outcome.result}));
    } else {
      add_run(protocol, run, std::exchange(shown_messages_, run.messages.size()), step);
      if (continuation == scenario_.continuations.end()) return protocol.lines();
      for (const Reply& reply : continuation->replies) {
        protocol.add_reply(reply);
        const WaitAnswers answers = answers_from(reply.answer);
        for (const PersonWait& wait : std::get<Wait>(step).waits) {
          if (wait.call.id == reply.call_id) remember(*memory, wait.covers, answers);
        }
        EXPECT_TRUE(accept(run, WaitAnswered{reply.call_id, answers}));
      }
      if (continuation->replies.empty()) {
        EXPECT_TRUE(accept(run, UserSaid{Message::user(continuation->message)}));
      }
      ++continuation;
    }
  }
}

// --- what came of it -----------------------------------------------------------------------------

// From what the store holds, which must agree with what the driver answered.
void Stage::add_stored(Protocol& protocol, SessionId id, const Result<RunResult>& answer) {
  const auto messages = store_->get_messages(id);
  const auto session = store_->get_session(id);
  const auto calls = store_->get_tool_calls(id);
  EXPECT_TRUE(messages && session && calls);
  for (std::size_t i = shown_messages_; i < messages->size(); ++i) {
    const StoredMessage& message = (*messages)[i];
    protocol.add(message.message);
    EXPECT_EQ(message.content, display_text(message.message));
  }
  shown_messages_ = messages->size();
  if (!answer) add_model_failure(protocol, answer.error());
  add_answer(protocol, answer);
  check_calls(*messages, *calls);
  if (answer && answer->status == RunResult::Status::waiting) {
    EXPECT_EQ(session->status, SessionStatus::waiting);
    EXPECT_FALSE(session->ended_at);
  } else if (answer) {
    EXPECT_EQ(session->status, SessionStatus::completed);
    EXPECT_EQ(session->result, answer->text);
    EXPECT_EQ(session->iterations, answer->iterations);
    EXPECT_EQ(session->agent_name, scenario_.has_handoff ? "heir" : "actor");
  } else {
    EXPECT_EQ(session->error, answer.error().message);
    EXPECT_EQ(session->status, answer.error().code == ErrorCode::cancelled
                                   ? SessionStatus::cancelled
                                   : SessionStatus::failed);
  }
}

// In the order of the calls: specialists that work beside each other begin in any order.
std::vector<std::string> Stage::child_sessions() {
  Protocol protocol;
  auto sessions = store_->list_sessions({.limit = 100});
  EXPECT_TRUE(sessions);
  std::ranges::sort(*sessions, {}, [](const Session& session) {
    return std::pair(session.parent_call_id, session.id);
  });
  for (const Session& session : *sessions) {
    if (!session.parent_session_id) continue;
    protocol.add_specialist(session.agent_name);
    const auto messages = store_->get_messages(session.id);
    for (const StoredMessage& message : *messages) protocol.add(message.message);
    const bool is_completed = session.status == SessionStatus::completed;
    protocol.add_end(to_string(session.status), is_completed ? "answer" : "error",
                     is_completed ? session.result.value_or("") : session.error.value_or(""));
  }
  return protocol.lines();
}

// From what the model was shown, and the answer; the last turn of a failed run is not in it.
std::vector<std::string> Stage::remembered_protocol(const Result<RunResult>& answer) const {
  Protocol protocol;
  const auto requests = script_.requests();
  for (const Message& message : requests.back()) protocol.add(message);
  if (answer && answer->status == RunResult::Status::completed) {
    protocol.add(answer->text.empty() ? Message{Role::assistant, {}}
                                      : Message::assistant(answer->text));
  }
  if (!answer) add_model_failure(protocol, answer.error());
  add_answer(protocol, answer);
  return protocol.lines();
}

void Stage::expect_replay() const {
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

}  // namespace wright::scenarios
