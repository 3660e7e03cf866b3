#include "faults/office.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "wright/agent.h"
#include "wright/postgres.h"
#include "wright/testing.h"

namespace wright::faults {
namespace {

using testing::call;
using testing::calls;
using testing::says;

// Answers by the number of answers that it has given before.
Model scripted(std::vector<Response> turns, Moments& moments) {
  return model_from("office", "scripted",
                    [turns = std::move(turns), &moments](const Request& request,
                                                         const ModelCall&) -> Result<Response> {
                      moments.reach("a model is asked");
                      if (std::string flaw = flaw_of(request.messages); !flaw.empty()) {
                        return fail(ErrorCode::invalid_argument, "The model was offered " + flaw);
                      }
                      const auto answered = static_cast<std::size_t>(std::ranges::count_if(
                          request.messages,
                          [](const Message& message) { return message.role == Role::assistant; }));
                      if (answered >= turns.size())
                        return fail(ErrorCode::internal, "The script is at its end");
                      moments.reach("a model answers");
                      return turns[answered];
                    });
}

Tool noting(std::string name, Effect effect, const Ledger& ledger, Moments& moments) {
  return tool(name, "",
              [name, ledger, &moments](const Json&, const Context& context) -> Result<Json> {
                moments.reach("a tool starts");
                const std::string key(context.idempotency_key);
                ledger.add(fmt::format("{} begins {}", name, key));
                moments.reach("a tool is about to have its effect");
                ledger.add(fmt::format("{} did {}", name, key));
                moments.reach("a tool ends");
                return Json(fmt::format("{} {}", name, key));
              },
              {.effect = effect});
}

// A call with an id and arguments that no other of its session has.
ToolCall ask(const std::string& name, const std::string& number) {
  return call(name, fmt::format(R"({{"message":"Number {}"}})", number), name + number);
}

constexpr int kSessionFailed = 1;
constexpr int kNoStore = 2;
constexpr int kNotResumed = 3;
constexpr int kNotStarted = 4;
constexpr int kNotSent = 5;

// What is left to do for the session of the office.
enum class Left : std::uint8_t { all, to_resume, second_message, nothing };

struct Progress {
  Left left = Left::all;
  SessionId id = 0;
};

Result<Progress> progress(Store& store) {
  const auto sessions = store.list_sessions({});
  if (!sessions) return std::unexpected(sessions.error());
  if (sessions->empty()) return Progress{};
  const Session& chief = sessions->back();  // newest first
  if (chief.status != SessionStatus::completed) return Progress{Left::to_resume, chief.id};
  const auto messages = store.get_messages(chief.id);
  if (!messages) return std::unexpected(messages.error());
  const auto said = std::ranges::count_if(
      *messages, [](const StoredMessage& stored) { return stored.message.role == Role::user; });
  return Progress{said == 1 ? Left::second_message : Left::nothing, chief.id};
}

int work_blocking(Store& store, const AgentPointer& chief, Progress at) {
  if (at.left == Left::all) {
    const auto answer = run(store, *chief, kFirstMessage);
    if (!answer) return kNotStarted;
    at = {Left::second_message, answer->session_id};
  } else if (at.left == Left::to_resume) {
    const auto answer = resume(store, *chief, at.id);
    if (!answer) return kNotResumed;
    if (answer->text == kFirstAnswer) at.left = Left::second_message;
  }
  if (at.left != Left::second_message) return 0;
  const auto answer = send(store, *chief, at.id, kSecondMessage);
  return answer && answer->text == kSecondAnswer ? 0 : kNotSent;
}

int work_in_runtime(Store& store, const AgentPointer& chief, Progress at) {
  const auto runtime = Runtime::open({.store = &store, .workers = 2, .tool_threads = 4});
  if (!runtime) return kNoStore;
  if (at.left == Left::all) {
    const auto started = (*runtime)->start(chief, kFirstMessage);
    if (!started) return kNotStarted;
    if (!(*runtime)->wait(*started)) return kSessionFailed;
    at = {Left::second_message, *started};
  } else if (at.left == Left::to_resume) {
    if (!(*runtime)->resume(chief, at.id)) return kNotResumed;
    const auto answer = (*runtime)->wait(at.id);
    if (!answer) return kSessionFailed;
    if (answer->text == kFirstAnswer) at.left = Left::second_message;
  }
  if (at.left != Left::second_message) return 0;
  if (!(*runtime)->send(chief, at.id, kSecondMessage)) return kNotSent;
  const auto answer = (*runtime)->wait(at.id);
  return answer && answer->text == kSecondAnswer ? 0 : kNotSent;
}

}  // namespace

void Ledger::add(const std::string& line) const {
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string whole = line + "\n";
  const bool is_written =
      file >= 0 && ::write(file, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size());
  if (file >= 0) ::close(file);
  if (!is_written) ::_exit(97);  // a test without its witness proves nothing
}

std::vector<std::string> Ledger::lines() const {
  std::vector<std::string> lines;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

AgentPointer make_chief(const Ledger& ledger, Moments& moments) {
  const Tool look = noting("look", Effect::read, ledger, moments);
  const Tool put = noting("put", Effect::idempotent, ledger, moments);
  const Tool pay = noting("pay", Effect::write, ledger, moments);
  const Agent scribe{
      .name = "scribe",
      .model = scripted({calls({ask("put", "1"), ask("pay", "1")}), says("Written down")}, moments),
      .tools = {put, pay}};
  const Agent clerk{.name = "clerk",
                    .model = scripted({calls({ask("pay", "1"), ask("scribe", "1")}),
                                       calls({ask("look", "1")}), says("Cleared")},
                                      moments),
                    .tools = {look, pay, delegate_to(scribe)}};
  return std::make_shared<const Agent>(Agent{
      .name = "chief",
      .model =
          scripted({calls({ask("look", "1"), ask("put", "1"), ask("pay", "1")}),
                    calls({ask("scribe", "1"), ask("pay", "2")}), says(std::string(kFirstAnswer)),
                    calls({ask("pay", "3"), ask("clerk", "1"), ask("pay", "4")}),
                    calls({ask("pay", "5"), ask("look", "2")}), says(std::string(kSecondAnswer))},
                   moments),
      .tools = {look, put, pay, delegate_to(clerk), delegate_to(scribe)}});
}

Result<std::unique_ptr<Store>> open_place(const std::string& place) {
  return place.starts_with("postgresql://") ? open_postgres_store(place) : open_sqlite_store(place);
}

int work(Driver driver, const std::string& place, const Ledger& ledger, Moments& moments) {
  const auto store = open_place(place);
  if (!store) return kNoStore;
  WatchedStore watched(**store, moments);
  if (!end_dead_runners(watched)) return kNoStore;
  const auto at = progress(watched);
  if (!at) return kNoStore;
  const AgentPointer chief = make_chief(ledger, moments);
  return driver == Driver::blocking ? work_blocking(watched, chief, *at)
                                    : work_in_runtime(watched, chief, *at);
}

std::string flaw_of(std::span<const Message> messages) {
  std::vector<ToolCall> open;  // in order, from the last answer of the model
  for (const Message& message : messages) {
    if (message.role == Role::tool) {
      for (const Part& part : message.parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result == nullptr) return "a tool's message that is not a result";
        if (open.empty()) return "an orphan: a result for " + result->call_id;
        if (open.front().id != result->call_id) return "results in another order than the calls";
        open.erase(open.begin());
      }
      continue;
    }
    if (!open.empty()) return "a call without an answer: " + open.front().id;
    open = message.tool_calls();
  }
  return open.empty() ? "" : "a call without an answer at the end: " + open.front().id;
}

}  // namespace wright::faults
