// What happened in a run, gathered from its events: a run that fails returns only its error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wright/events.h"
#include "wright/feedback.h"

namespace wright::app {

class RunRecord {
 public:
  void observe(const Event& event);
  // What specialists use is part of what the run used.
  void observe_below(const Event& event);

  std::int64_t session_id() const { return session_id_; }
  const std::optional<FeedbackReport>& feedback() const { return feedback_; }
  // What the last answer cites, for people; empty: nothing.
  std::string sources() const { return sources_text(last_answer_); }

  Json json(std::string_view status, const std::string* answer, const Error* error) const;

  // "session 12 · 3 turns · 2 tool calls · 150 tokens in, 40 out · 0.4 s"
  std::string summary(double duration_ms) const;

 private:
  void add(const ToolCall& call, const ToolOutcome& outcome);

  std::int64_t session_id_ = 0;
  int iterations_ = 0;
  Usage usage_;
  JsonArray tool_calls_;
  std::unordered_map<std::string, std::size_t> places_;  // of calls in `tool_calls_`
  std::vector<Part> last_answer_;
  std::optional<FeedbackReport> feedback_;
};

}  // namespace wright::app
