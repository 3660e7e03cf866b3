#include "mcp_server/call_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "core/try.h"
#include "core/unknown_outcome.h"
#include "mcp/request_state.h"
#include "runtime/runner_registration.h"

namespace wright::mcp_server {

using runtime::OutsideCall;
using runtime::RunnerRegistration;

namespace {

constexpr std::size_t kMessagesOfAPage = 100;
// What the client keeps of a call that waits is of no use any more by then.
constexpr std::int64_t kWaitsForMs = mcp::kStateLifetimeMs + 60'000;

std::string word_of_process() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::string client_name(const mcp::Work& work) {
  const mcp::Peer& peer = work.client->peer;
  constexpr std::size_t kLongest = 100;
  std::string name = peer.name.empty() ? "a client" : peer.name.substr(0, kLongest);
  if (!peer.version.empty()) name += " " + peer.version.substr(0, kLongest);
  return to_valid_utf8(std::move(name));
}

ToolOutcome told(std::string_view id, std::string_view tool, std::string content) {
  ToolOutcome outcome;
  outcome.result = {.call_id = std::string(id),
                    .name = std::string(tool),
                    .content = std::move(content),
                    .is_error = true};
  return outcome;
}

std::unexpected<Error> not_recorded(const Error& why) {
  return fail(why.code,
              fmt::format("The call was not made, since it cannot be recorded: {}", why.message));
}

}  // namespace

CallRecord::CallRecord(Store* store, std::string agent_name)
    : store_(store), agent_name_(std::move(agent_name)), process_(word_of_process()) {}

CallRecord::~CallRecord() = default;

std::string CallRecord::id_of(const mcp::Work& work) const {
  return fmt::format("mcp_{}_{}", process_, work.id);
}

Result<SessionId> CallRecord::session_of(const mcp::Work& work) {
  const std::string client = client_name(work);
  constexpr std::size_t kMostClients = 1'000;  // whatever names they give themselves
  const std::lock_guard lock(mutex_);
  if (sessions_.size() > kMostClients) sessions_.clear();
  SessionId& session = sessions_[fmt::format("{}\n{}", work.principal, client)];
  if (session != 0) return session;
  const Write ended = UpdateSession{.status = SessionStatus::completed, .result = ""};
  const auto created = TRY(store_->create_session_with(
      {.agent_name = agent_name_, .user_prompt = fmt::format("Calls of {} over MCP", client)},
      {&ended, 1}));
  session = created.first;
  return session;
}

// Registered with the first call. Whoever renews it finds out that somebody has taken this process
// for dead and ended it.
Result<std::shared_ptr<RunnerRegistration>> CallRecord::runner() {
  const std::lock_guard lock(mutex_);
  if (!runner_) runner_ = TRY(RunnerRegistration::open(*store_));
  return runner_;
}

// What was written for it was refused since something is gone: this runner, or the session.
Result<void> CallRecord::forget_what_is_gone(RunnerId id, SessionId session) {
  const auto runners = TRY(store_->get_runners());
  const bool is_known = std::ranges::find(runners, id, &Runner::id) != runners.end();
  std::shared_ptr<RunnerRegistration> gone;  // ends when the lock is free
  const std::lock_guard lock(mutex_);
  if (!is_known && runner_ && runner_->id() == id) gone = std::exchange(runner_, nullptr);
  if (is_known) std::erase_if(sessions_, [&](const auto& each) { return each.second == session; });
  return {};
}

Result<BatchIds> CallRecord::write_start(const OutsideCall& call, const Write& start) {
  const auto runner = TRY(this->runner());
  const std::vector<Write> writes{RenewRunner{runner->id(), runtime::kRunnerTime}, start,
                                  note_of_executing(call, runner->id())};
  auto written = store_->apply(writes);
  if (!written && written.error().code == ErrorCode::not_found) {
    TRY(forget_what_is_gone(runner->id(), call.session));
  }
  return written;
}

Result<OutsideCall> CallRecord::begin(const mcp::Work& work, const ToolCall& call) {
  OutsideCall begun{.id = call.id};
  if (store_ == nullptr) return begun;
  for (bool is_first = true;; is_first = false) {
    const auto session = session_of(work);
    if (!session) return not_recorded(session.error());
    begun.session = *session;
    const auto ids = write_start(begun, AppendMessage{.session_id = begun.session,
                                                      .message = {Role::assistant, {call}},
                                                      .started_calls = 1});
    if (ids) {
      begun.row = ids->calls.front();
      ++begun.note;
      return begun;
    }
    const bool is_worth_another_try = is_first && ids.error().code == ErrorCode::not_found;
    if (!is_worth_another_try) return not_recorded(ids.error());
  }
}

Result<std::optional<ToolOutcome>> CallRecord::go_on(OutsideCall& call) {
  if (store_ == nullptr || call.row == 0) return std::nullopt;
  for (bool is_first = true;; is_first = false) {
    if (auto known = TRY(known_of(call))) return known;
    const auto begun = write_start(call, UpdateCall{.call_id = call.row});
    if (begun) {
      ++call.note;
      return std::nullopt;
    }
    if (auto known = TRY(known_of(call))) return known;
    const bool is_worth_another_try = is_first && begun.error().code == ErrorCode::not_found;
    if (!is_worth_another_try) return not_recorded(begun.error());
  }
}

Result<std::optional<ToolOutcome>> CallRecord::known_of(const OutsideCall& call) {
  auto rows = store_->get_tool_calls(call.session, {.page = {.after = call.row - 1, .limit = 1}});
  if (!rows || rows->empty() || rows->front().id != call.row) {
    return fail(ErrorCode::unavailable,
                fmt::format("It cannot be read whether this call was made already, so it is not "
                            "made now: {}",
                            rows ? "its record is gone" : rows.error().message));
  }
  const StoredCall& row = rows->front();
  if (row.status == CallStatus::pending || row.status == CallStatus::waiting) return std::nullopt;
  if (row.status == CallStatus::executing) {
    return told(row.tool_call_id, row.tool_name,
                fmt::format("This call was begun when the same answer came before, and has not "
                            "ended. It is not made again. Ask later for what comes of it, or see "
                            "session {}",
                            call.session));
  }
  return told_of(row);
}

// What was said when it ended.
Result<ToolOutcome> CallRecord::told_of(const StoredCall& call) {
  const bool is_error = call.status != CallStatus::completed;
  MessageId after = call.message_id.value_or(0);
  while (true) {
    const auto messages =
        TRY(store_->get_messages(call.session_id, {.after = after, .limit = kMessagesOfAPage}));
    for (const StoredMessage& stored : messages) {
      for (const Part& part : stored.message.parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result == nullptr || result->call_id != call.tool_call_id) continue;
        if (result->is_error == is_error) return ToolOutcome{.result = *result};
      }
    }
    if (messages.size() < kMessagesOfAPage) break;
    after = messages.back().id;
  }
  ToolOutcome outcome = told(call.tool_call_id, call.tool_name,
                             call.error_details.value_or(std::string(to_string(call.status))));
  if (!is_error) {
    const Json response = call.response.value_or(Json());
    outcome.result.is_error = false;
    outcome.result.content =
        response.is_string() ? std::string(response.get_string()) : to_text(response);
  }
  return outcome;
}

Result<void> CallRecord::end(OutsideCall& call, const ToolOutcome& outcome, runtime::Done done) {
  if (call.row == 0) return {};
  std::vector<Write> writes;
  UpdateCall update{.call_id = call.row, .execution_time_ms = std::llround(outcome.duration_ms)};
  if (outcome.waiting) {
    update.status = CallStatus::waiting;
    writes.emplace_back(std::move(update));
    writes.emplace_back(note_of_waiting(call, system_clock_ms() + kWaitsForMs, done));
  } else {
    const bool is_failed = outcome.error || outcome.result.is_error;
    update.status = is_failed ? CallStatus::failed : CallStatus::completed;
    if (is_unknown(outcome)) update.status = CallStatus::unknown;
    if (is_failed) {
      update.error_details = std::string(outcome.error ? outcome.error_message()
                                                       : std::string_view(outcome.result.content));
    } else {
      update.response = outcome.response;
    }
    writes.emplace_back(std::move(update));
    writes.emplace_back(
        AppendMessage{.session_id = call.session, .message = Message::tool(outcome.result)});
    writes.emplace_back(no_note_of(call));
  }
  const auto runner = TRY(this->runner());
  const Batch batch{.writes = std::move(writes)};
  const auto written = runner->apply_all({&batch, 1});
  if (!written.front()) return std::unexpected(written.front().error());
  if (outcome.waiting) ++call.note;
  return {};
}

}  // namespace wright::mcp_server
