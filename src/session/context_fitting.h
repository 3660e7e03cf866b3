// Keeps the requests of one session within its model's window: decides before every call of the
// model what of the conversation is shown, and learns from what the model says a request took.
//
// Asks nobody and stores nothing: whoever drives the session asks for the summary that it wants,
// and keeps the cut with the session. The messages of the run never change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/context_window.h"
#include "wright/agent.h"
#include "wright/run.h"

namespace wright::session {

class ContextFitting {
 public:
  // As the session was cut before, by another driver. What does not fit its messages is dropped.
  void restore(const Json& cut, std::span<const Message> messages);

  // Before every call of the model. Next to nothing is done while the conversation fits.
  void fit(const Agent& agent, const Run& run);

  // The model should write a summary first: ask it, say what it wrote, and fit again.
  bool wants_summary() const { return summarise_.has_value(); }
  // Valid until anything else is called here, and as long as the agent.
  Request summary_request(const Agent& agent, const Run& run);
  void take_summary(const Run& run, const Response& response);
  // Nobody can be asked, or nothing came of it.
  void do_without_summary(const Run& run);

  // What next() asks for, with the messages as they are shown now. As long valid as the others.
  Request fitted(Request request, const Run& run);

  // The model answered the last request.
  void answered(const Run& run, const Usage& usage);
  // The model says that the last request was too long. False when nothing more can be left out.
  bool shrink(const Agent& agent, const Run& run);
  // Other instructions and tools from now on, and perhaps another model.
  void agent_changed();

  // What was left out since the last time somebody asked.
  struct News {
    ContextCut cut = {};
    Usage usage = {};  // of the summaries
  };
  std::optional<News> take_news();
  // The cut as JSON, when it is another than the last time somebody asked.
  std::optional<Json> take_changed_cut();

 private:
  ContextWindow window(const Agent& agent);
  std::int64_t fixed_bytes(const Agent& agent);
  void summarise(const Run& run, std::string summary);

  ContextCut cut_;
  bool is_bounded_ = false;  // by a window
  MeasuredRequest measured_;
  std::optional<std::int64_t> fixed_bytes_;   // of instructions and tools
  std::optional<std::int64_t> learned_room_;  // tokens for a request, from a refusal
  std::optional<std::size_t> summarise_;      // how many of the first messages
  int summaries_ = 0;                         // asked for since the last answer
  bool has_shrunk_ = false;                   // since the last answer
  std::vector<Message> shown_;                // of the request that is under way
  Sampling summary_sampling_;
  bool has_news_ = false;
  bool has_changed_cut_ = false;
  Usage summary_usage_;
};

}  // namespace wright::session
