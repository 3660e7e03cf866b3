#include "session/journal.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/unknown_outcome.h"
#include "session/said.h"

namespace wright::session {
namespace {

// What a session may have worked without a word of it in a batch that is written anyway: the calls
// of a fast turn say nothing of their time, the answer to them does.
constexpr std::int64_t kMostUncountedMs = 100;

bool is_over(CallStatus status) {
  return status == CallStatus::completed || status == CallStatus::failed ||
         status == CallStatus::cancelled || status == CallStatus::unknown;
}

// What the model was told of the calls of a turn that is over. There may be very many of them.
class ToldOfCalls {
 public:
  explicit ToldOfCalls(const Run& run) {
    for (auto message = run.messages.rbegin(); message != run.messages.rend(); ++message) {
      if (message->role != Role::tool) break;
      for (const Part& part : message->parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result != nullptr) told_.emplace(result->call_id, result->content);
      }
    }
  }
  std::string text(const std::string& call_id) const {
    const auto found = told_.find(call_id);
    return found == told_.end() ? std::string() : std::string(found->second);
  }

 private:
  std::unordered_map<std::string_view, std::string_view> told_;
};

// What becomes of calls that were not executed when their turn is over.
CallStatus status_of_unexecuted(const Run& run) {
  return run.phase == Phase::cancelled ? CallStatus::cancelled : CallStatus::failed;
}

// Takes the response.
UpdateCall call_update(CallId id, ToolOutcome&& outcome) {
  UpdateCall update{.call_id = id, .execution_time_ms = std::llround(outcome.duration_ms)};
  if (outcome.result.is_error) {
    update.status = is_unknown(outcome) ? CallStatus::unknown : CallStatus::failed;
    if (outcome.error) update.error_details = outcome.error->message;
  } else {
    update.status = CallStatus::completed;
    update.response = std::move(outcome.response);
  }
  return update;
}

}  // namespace

Journal::Journal(std::optional<RunnerId> runner, SessionId session, std::size_t stored_messages,
                 std::map<std::string, StoredRow> rows, int epoch)
    : runner_(runner),
      session_id_(session),
      stored_messages_(stored_messages),
      messages_under_way_(stored_messages),
      rows_(std::move(rows)),
      epoch_(epoch) {}

std::optional<HoldLease> Journal::lease() const {
  if (!runner_ || session_id_ == 0) return std::nullopt;
  return HoldLease{session_id_, *runner_, epoch_};
}

// The writes of one batch. What they are written under stands first, and is there only if something
// else is, or if begin() asks for it.
class Journal::Writes {
 public:
  using Lease = std::variant<std::monostate, HoldLease, ClaimLease>;
  explicit Writes(Lease lease) : lease_(lease) {}

  void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    constexpr std::size_t kUsualWrites = 4;
    writes_.reserve(kUsualWrites);
    if (const auto* hold = std::get_if<HoldLease>(&lease_)) writes_.emplace_back(*hold);
    if (const auto* claim = std::get_if<ClaimLease>(&lease_)) writes_.emplace_back(*claim);
  }
  template <class OneWrite>
  void add(OneWrite&& write) {
    begin();
    writes_.emplace_back(std::forward<OneWrite>(write));
  }
  bool has_begun() const { return has_begun_; }
  std::vector<Write> all() && { return std::move(writes_); }

 private:
  Lease lease_;
  bool has_begun_ = false;
  std::vector<Write> writes_;
};

void Journal::worked(std::int64_t session_ms, std::int64_t turn_ms) {
  worked_ms_ = session_ms;
  turn_worked_ms_ = turn_ms;
}

CallId Journal::row_of(const std::string& call_id) const {
  const auto found = rows_.find(call_id);
  return found == rows_.end() ? 0 : found->second.id;
}

WaitId Journal::wait_of(const std::string& call_id) const {
  const auto found = rows_.find(call_id);
  return found == rows_.end() ? 0 : found->second.wait_id;
}

std::optional<std::string> Journal::call_of(CallId row) const {
  for (const auto& [call_id, stored] : rows_) {
    if (stored.id == row) return call_id;
  }
  return std::nullopt;
}

void Journal::call_starts(const std::string& call_id) {
  const auto row = rows_.find(call_id);
  if (row == rows_.end()) {
    ++starts_;
  } else if (row->second.status != CallStatus::executing) {
    row->second.status = CallStatus::executing;
    news_[call_id].update = {.call_id = row->second.id};
  }
}

void Journal::call_ended(const std::string& call_id, ToolOutcome&& outcome) {
  const auto row = rows_.find(call_id);
  if (row == rows_.end()) return;
  CallNews news{.result = std::move(outcome.result)};
  outcome.result = {.is_error = news.result->is_error};
  news.update = call_update(row->second.id, std::move(outcome));
  row->second.status = news.update.status;
  news_.insert_or_assign(call_id, std::move(news));
}

void Journal::call_is_unknown(const std::string& call_id, std::string why) {
  const auto row = rows_.find(call_id);
  if (row == rows_.end()) return;
  row->second.status = CallStatus::unknown;
  news_[call_id].update = {
      .call_id = row->second.id, .status = CallStatus::unknown, .error_details = std::move(why)};
}

void Journal::call_waits(const std::string& call_id, const Json& shown,
                         std::optional<OpenWait> wait) {
  const auto row = rows_.find(call_id);
  if (row == rows_.end()) return;
  row->second.status = CallStatus::waiting;
  CallNews& news = news_[call_id];
  news.update = {.call_id = row->second.id, .status = CallStatus::waiting, .response = shown};
  news.wait = std::move(wait);
  if (news.wait) {
    news.wait->session_id = session_id_;
    news.wait->call_id = row->second.id;
  }
}

void Journal::may_have_happened(const std::string& call_id) {
  const auto row = rows_.find(call_id);
  if (row != rows_.end()) row->second.may_have_happened = true;
}

void Journal::wait_ended(const std::string& call_id, WaitStatus status) {
  others_.emplace_back(
      CloseWaits{.session_id = session_id_, .call_id = row_of(call_id), .status = status});
}

void Journal::agent_changed(std::string name) {
  agent_name_ = std::move(name);
}

void Journal::message_taken(std::string key) {
  others_.emplace_back(RemoveRecords{.kind = std::string(kSaidRecords), .key = std::move(key)});
}

void Journal::config_changed(Json config) {
  others_.emplace_back(UpdateSession{.session_id = session_id_, .config = std::move(config)});
}

void Journal::feedback(Json feedback) {
  feedback_ = std::move(feedback);
}

void Journal::context_changed(Json cut) {
  context_ = std::move(cut);
}

void Journal::add_calls(const Run& run, Writes& writes) {
  for (auto& [call_id, news] : news_) {
    // Rows are of one turn: as long as it is open, so are its calls.
    if (news.result && !run.open_calls.empty()) news.update.result = std::move(news.result);
    writes.add(std::move(news.update));
    if (!news.wait) continue;
    writes.add(std::move(*news.wait));
    new_waits_.push_back(call_id);
  }
  news_.clear();
  if (!run.open_calls.empty() || rows_.empty()) return;
  // The turn is over: what was never executed will not be.
  const CallStatus status = status_of_unexecuted(run);
  std::optional<ToldOfCalls> told;
  bool has_waited = false;
  for (const auto& [call_id, row] : rows_) {
    if (is_over(row.status)) continue;
    has_waited = has_waited || row.status == CallStatus::waiting;
    if (!told) told.emplace(run);
    writes.add(UpdateCall{.call_id = row.id,
                          .status = row.may_have_happened ? CallStatus::unknown : status,
                          .error_details = told->text(call_id)});
  }
  rows_.clear();
  if (has_waited) writes.add(CloseWaits{.session_id = session_id_});
}

void Journal::add_messages(const Run& run, Writes& writes) {
  for (std::size_t i = stored_messages_; i < run.messages.size(); ++i) {
    AppendMessage append{session_id_, run.messages[i]};
    bool is_first = true;
    for (const Part& part : run.messages[i].parts) {
      const auto* call = std::get_if<ToolCall>(&part);
      if (call == nullptr) continue;
      const bool has_begun = !std::exchange(is_first, false);
      if (run.open_calls.empty()) {
        // The run was stopped by the time of this answer: the turn is over before it began.
        if (has_begun) break;
        append.others = UpdateCall{.status = status_of_unexecuted(run),
                                   .error_details = ToldOfCalls(run).text(call->id)};
        continue;
      }
      if (!has_begun) append.started_calls = std::exchange(starts_, 0);
      if (new_calls_.size() < append.started_calls) {
        rows_[call->id].status = CallStatus::executing;
      }
      new_calls_.push_back(call->id);
    }
    writes.add(std::move(append));
  }
  messages_under_way_ = run.messages.size();
}

void Journal::add_session(const Run& run, SessionStatus status, Writes& writes) {
  UpdateSession update{.session_id = session_id_};
  bool has_news = false;
  if (status_ != status) {
    has_news = !create_ || status != SessionStatus::running;
    if (has_news) update.status = status;
    if (status == SessionStatus::completed) update.result = run.messages.back().answer();
    if (status == SessionStatus::failed || status == SessionStatus::cancelled) {
      update.error = run.error.message;
      update.error_code = run.error.code;
      update.limit = limit_of(run.error);
      if (std::string best = best_answer(run); !best.empty()) update.result = std::move(best);
    }
    status_ = status;
  }
  if (run.usage != usage_ || run.iterations != iterations_) {
    has_news = true;
    update.usage = usage_ = run.usage;
    update.iterations = iterations_ = run.iterations;
  }
  if (agent_name_ || feedback_ || context_) {
    has_news = true;
    update.agent_name = std::exchange(agent_name_, {});
    update.feedback = std::exchange(feedback_, {});
    update.context = std::exchange(context_, {});
  }
  if (!is_work_to_be_counted(writes) && !has_news) return;
  update.worked_ms = worked_ms_;
  update.turn_worked_ms = turn_worked_ms_;
  is_only_count_ = !has_news && !writes.has_begun();
  counted_before_ms_ = std::exchange(counted_ms_, worked_ms_.value_or(0));
  writes.add(std::move(update));
}

// Whoever resumes the session goes on counting from what is stored.
bool Journal::is_work_to_be_counted(const Writes& writes) {
  const bool is_asked = std::exchange(counts_work_, false);
  if (!worked_ms_ || *worked_ms_ <= counted_ms_) return false;
  if (is_asked || releases_) return true;
  return writes.has_begun() && *worked_ms_ - counted_ms_ >= kMostUncountedMs;
}

Batch Journal::batch(const Run& run, SessionStatus status) {
  Writes writes = writes_under_lease();
  is_only_count_ = false;
  if (create_) writes.begin();
  add_calls(run, writes);
  for (Write& write : others_) writes.add(std::move(write));
  others_.clear();
  add_messages(run, writes);
  add_session(run, status, writes);
  add_release(status, writes);
  return {.create = std::exchange(create_, {}), .writes = std::move(writes).all()};
}

Journal::Writes Journal::writes_under_lease() {
  if (!runner_) return Writes({});
  if (create_) {
    const std::optional<HoldLease> above = std::exchange(above_, {});
    return Writes(above ? Writes::Lease(*above) : Writes::Lease());
  }
  const bool is_free = status_ && *status_ != SessionStatus::running;
  if (is_free) return Writes(ClaimLease{session_id_, *runner_, epoch_});
  return Writes(HoldLease{session_id_, *runner_, epoch_});
}

void Journal::add_release(SessionStatus status, Writes& writes) {
  const bool checks = std::exchange(checks_lease_, false);
  const bool releases = std::exchange(releases_, false) && status == SessionStatus::running;
  if (checks || releases) is_only_count_ = false;
  if (!runner_) return;
  if (checks) writes.begin();
  if (releases) writes.add(ReleaseLease{session_id_, *runner_, epoch_});
}

bool Journal::is_taken_by_another(const Error& refusal) const {
  const Json* epoch = refusal.find("lease_epoch");
  return refusal.find("runner_id") != nullptr || (epoch != nullptr && *epoch != Json(epoch_));
}

void Journal::written(const BatchIds& ids) {
  if (ids.session != 0) session_id_ = ids.session;
  if (!ids.epochs.empty()) epoch_ = ids.epochs.back();
  stored_messages_ = messages_under_way_;
  for (std::size_t i = 0; i < new_calls_.size() && i < ids.calls.size(); ++i) {
    rows_[new_calls_[i]].id = ids.calls[i];
  }
  new_calls_.clear();
  for (std::size_t i = 0; i < new_waits_.size() && i < ids.waits.size(); ++i) {
    rows_[new_waits_[i]].wait_id = ids.waits[i];
  }
  new_waits_.clear();
}

}  // namespace wright::session
