#include "mcp_server/agent_calls.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>

#include "core/try.h"
#include "mcp/content.h"
#include "mcp_server/tool_calls.h"
#include "wright/driver.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kSession = "session_id";
constexpr std::string_view kWaitKey = "wait_";
constexpr std::string_view kCaller = "mcp_caller";  // in the session's configuration

// Whether this caller began the session, here or at another instance.
bool has_begun(const Session& session, std::string_view principal) {
  const JsonObject* config = session.config.if_object();
  return !principal.empty() && config != nullptr && mcp::text_in(*config, kCaller) == principal;
}

std::optional<std::int64_t> integer_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

// One call of an agent, from its beginning or from where it waited.
class AgentCall {
 public:
  AgentCall(const OfferedAgent& offered, const AgentSessions& sessions, const mcp::Work& work,
            const WorkControls& controls)
      : offered_(offered),
        sessions_(sessions),
        store_(sessions.store),
        work_(work),
        controls_(controls) {}

  mcp::WorkOutcome run() {
    auto result = work_.answers.empty() ? begin() : go_on();
    if (!result) return failed(result.error());
    if (result->status == RunResult::Status::waiting) return waiting(*result);
    const SessionId session = result->session_id != 0 ? result->session_id : session_.load();
    JsonObject answer = mcp::text_result(result->text);
    answer["structuredContent"] = JsonObject{{"answer", result->text}, {kSession, session}};
    return mcp::Finished{std::move(answer)};
  }

 private:
  Result<RunResult> begin() {
    const JsonObject* arguments = mcp::object_in(work_.params, "arguments");
    const JsonObject none;
    if (arguments == nullptr) arguments = &none;
    const std::string prompt = mcp::text_in(*arguments, "prompt");
    if (prompt.find_first_not_of(" \t\r\n") == std::string::npos) {
      return fail(ErrorCode::invalid_argument, "prompt must say what the agent is to do");
    }
    auto made = TRY(offered_.make());
    const Json* session = arguments->if_contains(kSession);
    if (session == nullptr || session->is_null()) {
      return wright::run(store_, *made.agent, prompt, options(made.config));
    }
    if (!session->is_int64()) {
      return fail(ErrorCode::invalid_argument, "session_id must be an integer");
    }
    const SessionId wanted = session->get_int64();
    const bool is_known =
        sessions_.are_all_open || sessions_.begun.contains(work_.principal, wanted);
    const auto found = store_.get_session(wanted);
    if (!is_known && (!found || !has_begun(*found, work_.principal))) {
      return fail(ErrorCode::not_found,
                  fmt::format("there is no session {} that began here", wanted));
    }
    const auto stored = TRY(found);
    session_ = wanted;
    if (stored.agent_name != made.agent->name) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("session {} is one of {}", session_.load(), stored.agent_name));
    }
    return wright::send(store_, *made.agent, session_, prompt, options(made.config));
  }

  // The client has answered what the session waited for.
  Result<RunResult> go_on() {
    const auto session = integer_in(work_.state, kSession);
    if (!session) return fail(ErrorCode::invalid_argument, "there is nothing to go on with");
    session_ = *session;
    const auto open =
        TRY(store_.get_waits({.session_id = session_.load(), .status = WaitStatus::open}));
    for (const StoredWait& wait : open) {
      const auto answer = work_.answers.find(fmt::format("{}{}", kWaitKey, wait.id));
      if (answer == work_.answers.end()) continue;
      const Json given = TRY(answer_from(answer->second, wait.kind));
      TRY(answer_wait(store_, wait.id, given, answered_by()));
    }
    auto made = TRY(offered_.make());
    return wright::resume(store_, *made.agent, session_, options(made.config));
  }

  std::string answered_by() const {
    const std::string& name = work_.client->peer.name;
    return to_valid_utf8(fmt::format("mcp:{}", name.empty() ? "client" : name.substr(0, 100)));
  }

  RunOptions options(Json config) {
    RunOptions options;
    options.stop = controls_.stop;
    options.delivery = Delivery::whole;
    if (!work_.principal.empty()) {
      if (!config.is_object()) config = JsonObject();
      config.get_object()[kCaller] = work_.principal;
    }
    options.config = std::move(config);
    options.observer = [this](const Event& event, const EventOrigin& origin) {
      if (sessions_.observer) sessions_.observer(event, origin);
      if (origin.depth == 0) observe(event);
    };
    return options;
  }

  void observe(const Event& event) {
    if (const auto* started = std::get_if<SessionStarted>(&event)) {
      session_ = started->session_id;
      // Who has shown who they are is found again in the store.
      if (work_.principal.empty()) sessions_.begun.add(work_.principal, started->session_id);
    }
    if (!controls_.progress) return;
    std::string message;
    if (std::holds_alternative<ModelStarted>(event)) {
      message = "thinks";
    } else if (const auto* tool = std::get_if<ToolStarted>(&event)) {
      message = tool->call.name;
    } else if (const auto* said = std::get_if<ToolProgress>(&event)) {
      message = fmt::format("{}: {}", said->call.name, said->text);
    } else {
      return;
    }
    controls_.progress({.progress = static_cast<double>(++steps_), .message = std::move(message)});
  }

  mcp::WorkOutcome waiting(const RunResult& result) const {
    const SessionId session = result.session_id != 0 ? result.session_id : session_.load();
    mcp::NeedsInput needs{.state = {{kSession, session}}};
    std::string obstacle;
    for (const PersonWait& wait : result.waits) {
      auto request = request_for(fmt::format("{}{}", kWaitKey, wait.wait_id), wait.kind,
                                 wait.call.name, wait.shown, mcp::DecisionHolds::for_its_kind_too);
      if (request) {
        needs.requests.push_back(std::move(*request));
      } else {
        obstacle = request.error().message;
      }
    }
    if (!work_.client->can_answer("elicitation/create")) {
      obstacle = "this client cannot ask a person (it has no elicitation)";
      needs.requests.clear();
    }
    if (!needs.requests.empty()) return needs;
    return mcp::Finished{mcp::error_result(
        fmt::format("Session {} waits for a person: {}. `wright waits` shows what for, `wright "
                    "answer` answers; the session goes on then.",
                    session, obstacle))};
  }

  mcp::WorkOutcome failed(const Error& error) const {
    const std::string best = answer_of(error);
    std::string text = error.message;
    if (session_ != 0) text += fmt::format(" (session {})", session_.load());
    if (!best.empty()) text += "\n" + best;
    return mcp::Finished{mcp::error_result(text)};
  }

  const OfferedAgent& offered_;
  const AgentSessions& sessions_;
  Store& store_;
  const mcp::Work& work_;
  const WorkControls& controls_;
  std::atomic<SessionId> session_ = 0;
  std::atomic<int> steps_ = 0;
};

}  // namespace

mcp::WorkOutcome call_agent(const OfferedAgent& offered, const AgentSessions& sessions,
                            const mcp::Work& work, const WorkControls& controls) {
  return AgentCall(offered, sessions, work, controls).run();
}

}  // namespace wright::mcp_server
