#include "mcp_server/agent_calls.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>

#include "core/try.h"
#include "mcp/content.h"
#include "mcp_server/tool_calls.h"
#include "wright/driver.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kSession = "session_id";
constexpr std::string_view kWaitKey = "wait_";
constexpr std::string_view kAddresses = "addresses";  // the waits that are answered there
constexpr std::string_view kForms = "forms";          // those that the client's person was shown
constexpr std::string_view kCaller = "mcp_caller";    // in the session's configuration

// Whether this caller began the session, here or at another instance.
bool has_begun(const Session& session, std::string_view principal) {
  const JsonObject* config = session.config.if_object();
  return !principal.empty() && config != nullptr && mcp::text_in(*config, kCaller) == principal;
}

std::string elicitation_id(SessionId session, WaitId wait) {
  return fmt::format("wright-{}-{}", session, wait);
}

std::optional<std::int64_t> integer_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

// What must not be typed into a client, or is too long for it, is answered at the dashboard, which
// asks who is there and shows all of it.
mcp::NeedsInput::Request address_for(const PersonWait& wait, SessionId session,
                                     std::string_view dashboard) {
  return {fmt::format("{}{}", kWaitKey, wait.wait_id), "elicitation/create",
          JsonObject{{"mode", "url"},
                     {"elicitationId", elicitation_id(session, wait.wait_id)},
                     {"url", fmt::format("{}/#/sessions/{}", dashboard, session)},
                     {"message",
                      wait.kind == WaitKind::approval
                          ? "The agent asks whether something may run that is too long to be shown "
                            "here. Decide about it at Wright's dashboard; the call goes on then."
                          : "The agent asks for something that must not be typed here. "
                            "Answer it at Wright's dashboard; the call goes on then."}}};
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
    auto turn = TRY(turn_of(offered_, sessions_, work_));
    if (!turn.session) {
      return wright::run(store_, *turn.made.agent, turn.prompt, options(turn.made.config));
    }
    session_ = *turn.session;
    return wright::send(store_, *turn.made.agent, session_, turn.prompt, options(turn.made.config));
  }

  // The client has answered what the session waited for.
  Result<RunResult> go_on() {
    const auto session = integer_in(work_.state, kSession);
    if (!session) return fail(ErrorCode::invalid_argument, "there is nothing to go on with");
    session_ = *session;
    const auto open =
        TRY(store_.get_waits({.session_id = session_.load(), .status = WaitStatus::open}));
    const auto elsewhere = TRY(agreed_elsewhere());
    const auto shown = waits_in_state(kForms);
    for (const StoredWait& wait : open) {
      const auto answer = work_.answers.find(fmt::format("{}{}", kWaitKey, wait.id));
      if (answer == work_.answers.end()) continue;
      if (std::ranges::find(shown, wait.id) == shown.end()) continue;
      const Json given = TRY(answer_from(answer->second, wait.kind));
      TRY(answer_wait(store_, wait.id, given, answered_by(*work_.client)));
    }
    if (!elsewhere.empty()) return answered_elsewhere(elsewhere);
    auto made = TRY(offered_.make());
    return wright::resume(store_, *made.agent, session_, options(made.config));
  }

  std::vector<WaitId> waits_in_state(std::string_view key) const {
    std::vector<WaitId> waits;
    const Json* listed = work_.state.if_contains(key);
    if (listed == nullptr || !listed->is_array()) return waits;
    for (const Json& each : listed->get_array()) waits.push_back(each.as_int64());
    return waits;
  }

  // The waits that the client's person was sent away for, and has agreed to go. An error: they
  // have not.
  Result<std::vector<WaitId>> agreed_elsewhere() const {
    auto waits = waits_in_state(kAddresses);
    for (const WaitId each : waits) {
      const auto answer = work_.answers.find(fmt::format("{}{}", kWaitKey, each));
      if (answer == work_.answers.end()) {
        return fail(ErrorCode::cancelled, "The person was not asked to open the dashboard");
      }
      TRY(answer_from(answer->second, WaitKind::question));
    }
    return waits;
  }

  // The person has agreed to go where these are answered, and may take their time. Whoever takes
  // the answer may go on with the session, too.
  Result<RunResult> answered_elsewhere(std::span<const WaitId> waits) {
    auto result = wait_for_answers(waits);
    // The older revisions want to know that what their person was sent away for is over.
    if (controls_.notify && work_.client->version == mcp::kNewestLegacyVersion) {
      for (const WaitId each : waits) controls_.notify(kIsOver, what_is_over(session_, each));
    }
    return result;
  }

  Result<RunResult> wait_for_answers(std::span<const WaitId> waits) {
    constexpr std::chrono::minutes kPatience{10};
    constexpr std::chrono::milliseconds kPause{250};
    const auto until = std::chrono::steady_clock::now() + kPatience;
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (std::chrono::steady_clock::now() < until && !controls_.stop.stop_requested()) {
      const Session session = TRY(store_.get_session(session_));
      if (session.status == SessionStatus::completed) {
        return RunResult{.text = session.result.value_or(""), .session_id = session.id};
      }
      if (session.status == SessionStatus::failed || session.status == SessionStatus::cancelled) {
        return fail(ErrorCode::tool_failed, session.error.value_or("it was cancelled"));
      }
      const auto open =
          TRY(store_.get_waits({.session_id = session_.load(), .status = WaitStatus::open}));
      const bool is_answered = std::ranges::none_of(open, [&](const StoredWait& wait) {
        return std::ranges::find(waits, wait.id) != waits.end();
      });
      if (is_answered && session.status == SessionStatus::waiting) {
        auto made = TRY(offered_.make());
        auto resumed = wright::resume(store_, *made.agent, session_, options(made.config));
        // Another one was quicker.
        if (resumed || resumed.error().code != ErrorCode::unavailable) return resumed;
      }
      stopped.wait_for(lock, controls_.stop, kPause, [] { return false; });
    }
    return fail(ErrorCode::unavailable, "Nobody has answered yet; the session waits");
  }

  RunOptions options(Json config) {
    RunOptions options;
    options.stop = controls_.stop;
    options.delivery = Delivery::whole;
    options.config = config_of_caller(std::move(config), work_.principal);
    options.observer = [this](const Event& event, const EventOrigin& origin) {
      if (sessions_.observer) sessions_.observer(event, origin);
      if (origin.depth == 0) observe(event);
    };
    stand_below(work_.trace, sessions_.tracing, options);
    return options;
  }

  void observe(const Event& event) {
    if (const auto* started = std::get_if<SessionStarted>(&event)) {
      session_ = started->session_id;
      // Who has shown who they are is found again in the store.
      if (work_.principal.empty()) sessions_.begun.add(work_.principal, started->session_id);
    }
    if (!controls_.progress) return;
    std::string message = words_on(event);
    if (message.empty()) return;
    controls_.progress({.progress = static_cast<double>(++steps_), .message = std::move(message)});
  }

  mcp::WorkOutcome waiting(const RunResult& result) const {
    const SessionId session = result.session_id != 0 ? result.session_id : session_.load();
    mcp::NeedsInput needs{.state = {{kSession, session}}};
    JsonArray addresses;
    JsonArray forms;
    std::string obstacle;
    for (const PersonWait& wait : result.waits) {
      auto request = request_to_client(*work_.client, sessions_.dashboard, wait, session);
      if (!request) {
        obstacle = request.error().message;
        continue;
      }
      (mcp::asks_for_address(request->params) ? addresses : forms).emplace_back(wait.wait_id);
      needs.requests.push_back(std::move(*request));
    }
    if (!addresses.empty()) needs.state[kAddresses] = std::move(addresses);
    if (!forms.empty()) needs.state[kForms] = std::move(forms);
    if (!needs.requests.empty()) return needs;
    return mcp::Finished{mcp::error_result(
        fmt::format("Session {} waits for a person: {}. `wright waits` lists what for, `wright "
                    "answer {}` shows all of it and takes the answer; the session goes on then.",
                    session, obstacle, session))};
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

Result<AgentTurn> turn_of(const OfferedAgent& offered, const AgentSessions& sessions,
                          const mcp::Work& work) {
  const JsonObject* arguments = mcp::object_in(work.params, "arguments");
  const JsonObject none;
  if (arguments == nullptr) arguments = &none;
  AgentTurn turn{.prompt = mcp::text_in(*arguments, "prompt")};
  if (turn.prompt.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::invalid_argument, "prompt must say what the agent is to do");
  }
  turn.made = TRY(offered.make());
  const Json* session = arguments->if_contains(kSession);
  if (session == nullptr || session->is_null()) return turn;
  if (!session->is_int64()) {
    return fail(ErrorCode::invalid_argument, "session_id must be an integer");
  }
  const SessionId wanted = session->get_int64();
  const bool is_known = sessions.are_all_open || sessions.begun.contains(work.principal, wanted);
  const auto found = sessions.store.get_session(wanted);
  if (!is_known && (!found || !has_begun(*found, work.principal))) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no session {} that began here", wanted));
  }
  const auto stored = TRY(found);
  if (stored.agent_name != turn.made.agent->name) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("session {} is one of {}", wanted, stored.agent_name));
  }
  turn.session = wanted;
  return turn;
}

Json config_of_caller(Json config, std::string_view principal) {
  if (principal.empty()) return config;
  if (!config.is_object()) config = JsonObject();
  config.get_object()[kCaller] = principal;
  return config;
}

std::string words_on(const Event& event) {
  if (std::holds_alternative<ModelStarted>(event)) return "thinks";
  if (const auto* tool = std::get_if<ToolStarted>(&event)) return tool->call.name;
  if (const auto* said = std::get_if<ToolProgress>(&event)) {
    return fmt::format("{}: {}", said->call.name, said->text);
  }
  return {};
}

std::string answered_by(const mcp::ClientView& client) {
  const std::string& name = client.peer.name;
  return to_valid_utf8(fmt::format("mcp:{}", name.empty() ? "client" : name.substr(0, 100)));
}

Result<mcp::NeedsInput::Request> request_to_client(const mcp::ClientView& client,
                                                   std::string_view dashboard,
                                                   const PersonWait& wait, SessionId session) {
  auto request = request_for(fmt::format("{}{}", kWaitKey, wait.wait_id), wait.kind, wait.call.name,
                             wait.shown, mcp::DecisionHolds::for_its_kind_too);
  if (request && client.can_answer("elicitation/create")) return request;
  if (!request && wait.kind != WaitKind::result && client.can_open_addresses() &&
      !dashboard.empty()) {
    return address_for(wait, session, dashboard);
  }
  if (!request) return request;
  return fail(ErrorCode::unsupported, "this client cannot ask a person (it has no elicitation)");
}

JsonObject what_is_over(SessionId session, WaitId wait) {
  return {{"elicitationId", elicitation_id(session, wait)}};
}

bool fits_form(const StoredWait& wait) {
  return request_for({}, wait.kind, {}, wait.shown, mcp::DecisionHolds::for_its_kind_too)
      .has_value();
}

mcp::WorkOutcome call_agent(const OfferedAgent& offered, const AgentSessions& sessions,
                            const mcp::Work& work, const WorkControls& controls) {
  return AgentCall(offered, sessions, work, controls).run();
}

}  // namespace wright::mcp_server
