#include "runtime/session_tape.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "wright/run.h"

namespace wright::runtime {
namespace {

const Notice* notice_in(const Message& message, Notice::Kind kind) {
  if (message.role != Role::user) return nullptr;
  for (const Part& part : message.parts) {
    const auto* told = std::get_if<Notice>(&part);
    if (told != nullptr && told->kind == kind) return told;
  }
  return nullptr;
}

bool is_cut_notice(const Message& message) {
  return notice_in(message, Notice::Kind::answer_cut) != nullptr;
}

bool is_pause_notice(const Message& message) {
  return notice_in(message, Notice::Kind::turn_paused) != nullptr;
}

bool is_final(const Message& message) {
  return message.role == Role::assistant && message.tool_calls().empty();
}

// Limits that the run itself watches: where one of them ended the session, the model was not asked.
bool is_limit_of_run(std::optional<Limit> limit) {
  return limit == Limit::iterations || limit == Limit::tool_calls || limit == Limit::repeats;
}

}  // namespace

// Why the model stopped is not recorded; what followed tells.
SessionTape::SessionTape(const RecordedSession& recorded, const ReplayComparison& comparison)
    : recorded_(recorded), comparison_(comparison) {
  const std::vector<Message>& messages = recorded.messages;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const bool is_last = i + 1 == messages.size();
    if (messages[i].role == Role::assistant) {
      Response response{.content = messages[i].parts};
      if (!is_final(messages[i])) {
        response.stop_reason = StopReason::tool_use;
      } else if (!is_last && is_cut_notice(messages[i + 1])) {
        response.stop_reason = StopReason::max_tokens;
      } else if (!is_last && is_pause_notice(messages[i + 1])) {
        response.stop_reason = StopReason::paused;
      } else if (is_last && recorded.status == SessionStatus::failed &&
                 is_content_filter(recorded.error)) {
        response.stop_reason = StopReason::content_filter;
      }
      turns_.push_back({i, std::move(response)});
    } else if (is_cut_notice(messages[i]) && i > 0 && !is_final(messages[i - 1])) {
      // Nothing of that answer was whole, so none of it was kept.
      turns_.push_back({i, {.stop_reason = StopReason::max_tokens}});
    }
  }
  for (const RecordedCall& call : recorded.calls) {
    calls_.emplace(call.id, &call);
    for (const RecordedSession& specialist : call.specialist) specialists_.push_back({&specialist});
  }
}

std::vector<Message> SessionTape::said() const {
  std::vector<Message> said;
  for (std::size_t i = 0; i < recorded_.messages.size(); ++i) {
    if (i == 0 || recorded_.messages[i].is_from_user()) said.push_back(recorded_.messages[i]);
  }
  return said;
}

// Behind results of tools, the user spoke while the session worked, unless it had stopped there.
bool SessionTape::is_said_between(std::size_t position) const {
  return position > 0 && recorded_.messages[position].is_from_user() &&
         recorded_.messages[position - 1].role == Role::tool;
}

std::optional<Message> SessionTape::said_after(std::size_t position) const {
  std::size_t next = position + 1;
  while (next < recorded_.messages.size() && recorded_.messages[next].role == Role::tool) ++next;
  if (next >= recorded_.messages.size() || !is_said_between(next)) return std::nullopt;
  return recorded_.messages[next];
}

bool SessionTape::is_prefix(std::span<const Message> asked) const {
  if (asked.size() > recorded_.messages.size() || asked.size() < compared_) return false;
  for (std::size_t i = compared_; i < asked.size(); ++i) {
    if (!comparison_.is_same(recorded_.messages[i], asked[i])) return false;
  }
  return true;
}

SessionTape::TapeEntry SessionTape::next_answer(std::span<const Message> asked,
                                                AfterDifference after) {
  const bool is_same = is_prefix(asked);
  if (is_same) compared_ = asked.size();
  if (!is_same && after == AfterDifference::stop) return Differs{};
  const bool has_turn = next_ < turns_.size() && (turns_[next_].position == asked.size() ||
                                                  (!is_same && after == AfterDifference::proceed));
  if (has_turn) {
    const Turn& turn = turns_[next_++];
    return Answered{turn.response, said_after(turn.position)};
  }
  return after_last_turn(asked);
}

SessionTape::TapeEntry SessionTape::after_last_turn(std::span<const Message> asked) const {
  // The user said something else: how the session had ended before that is not recorded.
  const bool is_followed = asked.size() < recorded_.messages.size();
  if (is_followed && recorded_.messages[asked.size()].is_from_user()) {
    return ModelFailedThen{"The record does not tell how this turn ended"};
  }
  if (is_followed) return Differs{};
  switch (recorded_.status) {
    case SessionStatus::failed:
      if (is_limit_of_run(recorded_.limit)) return AskedAgain{};
      return ModelFailedThen{recorded_.error};
    case SessionStatus::completed:
      // A fork may end anywhere.
      return is_final(recorded_.messages.back()) ? TapeEntry(AskedAgain{})
                                                 : TapeEntry(RecordEnds{});
    case SessionStatus::queued:
    case SessionStatus::running:
    case SessionStatus::cancelled: return RecordEnds{};
    case SessionStatus::waiting: break;
  }
  return AskedAgain{};
}

std::optional<std::string> SessionTape::refusal_of_last_answer() const {
  if (next_ == 0) return std::nullopt;
  const std::size_t behind = turns_[next_ - 1].position + 1;
  if (behind >= recorded_.messages.size()) return std::nullopt;
  const Notice* told = notice_in(recorded_.messages[behind], Notice::Kind::answer_refused);
  return told != nullptr ? std::optional(told->text) : std::nullopt;
}

const RecordedCall* SessionTape::find_call(std::string_view id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second;
}

const RecordedSession* SessionTape::take_specialist(std::string_view name, const Message& message) {
  const auto has_name = [&](const Untaken& each) { return each.session->agent == name; };
  const auto has_message = [&](const Untaken& each) {
    return comparison_.is_same(each.session->messages.front(), message);
  };
  const auto take_first = [&](auto fits) -> const RecordedSession* {
    const auto found = std::ranges::find_if(
        specialists_, [&](const Untaken& each) { return !each.is_taken && fits(each); });
    if (found == specialists_.end()) return nullptr;
    found->is_taken = true;
    return found->session;
  };
  // One that handed off has another name by now; one that is asked otherwise another message.
  const RecordedSession* taken =
      take_first([&](const Untaken& each) { return has_name(each) && has_message(each); });
  if (taken == nullptr) taken = take_first(has_message);
  return taken != nullptr ? taken : take_first(has_name);
}

}  // namespace wright::runtime
