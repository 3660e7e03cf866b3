// Fitting for drivers: keeps the requests of one session within its model's window, as the agent's
// policy says (context.h). The drivers of this library use it, and so can one of your own:
//
//   ContextFitting fitting;
//   Step step = fitting.next(agent, run);            // instead of next(agent, run)
//   if (auto* call = std::get_if<CallModel>(&step)) {
//     auto response = fitting.model(agent).complete(call->request);
//     fitting.accept(agent, run, std::move(response));  // instead of accept(run, ModelAnswered…)
//   }
//
// It asks nobody and stores nothing. to_json() is to be kept with the run by those who store it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/agent.h"
#include "wright/context.h"
#include "wright/run.h"

namespace wright {

class ContextFitting {
 public:
  // --- for a driver of your own ------------------------------------------------------------------

  // As wright::next(), with a request that fits; perhaps one for a summary first. Failed, before
  // anything is paid, when what every request must have is more than the model reads. Valid until
  // anything else is called here, and as long as the agent and the run.
  Step next(const Agent& agent, const Run& run);
  // Whom the last request is for.
  const Model& model(const Agent& agent) const;
  // What came of the last request: an answer, a summary, or an error. One that says that the
  // request was too long is not told to the run while something can be left out.
  Result<void> accept(const Agent& agent, Run& run, Result<Response> response);

  // --- step by step ------------------------------------------------------------------------------

  // As the session was cut before, by another driver. What does not fit its messages is dropped.
  void restore(const Json& kept, std::span<const Message> messages);
  Json to_json() const;

  // Before every call of the model. Next to nothing is done while the conversation fits.
  void fit(const Agent& agent, const Run& run);
  // What every request must have is more than the model reads: there is no use in asking it.
  const std::optional<Error>& too_long() const { return too_long_; }
  // Tokens that the next request takes, the one for a summary included; cautiously.
  std::int64_t estimate(const Agent& agent, const Run& run);

  // A model should write a summary first: ask it, say what it wrote, and fit again.
  bool wants_summary() const { return summarise_.has_value(); }
  static const Model& summary_model(const Agent& agent);
  // Valid until anything else is called here, and as long as the agent.
  Request summary_request(const Agent& agent, const Run& run);
  void take_summary(const Run& run, const Response& response);
  // Nobody can be asked, or nothing came of it.
  void do_without_summary(const Run& run);
  // A person wants a summary of all but the last turn, now; `focus` says what matters. False when
  // there is nothing to sum up.
  bool want_summary(const Agent& agent, const Run& run, std::string focus);

  // What next() asks for, with the messages as they are shown now. As long valid as the others.
  Request fitted(Request request, const Run& run);

  // The model answered the last request.
  void answered(const Run& run, const Response& response);
  // The model says that the last request was too long. False when nothing more can be left out.
  bool shrink(const Agent& agent, const Run& run, const Error& error);
  // Other instructions and tools from now on, and perhaps another model.
  void agent_changed();

  // How full the model's window is.
  struct Meter {
    std::int64_t tokens = 0;                  // of the next request
    std::optional<std::int64_t> window = {};  // absent: not known
    std::int64_t spent_on_summaries = 0;
  };
  Meter meter(const Agent& agent, const Run& run);
  const ContextCut& cut() const { return cut_; }

  // What was left out since the last time somebody asked.
  struct News {
    ContextCut cut = {};
    Usage usage = {};  // of the summaries
  };
  std::optional<News> take_news();
  // To be kept with the session, when something of it is worth it since the last time.
  std::optional<Json> take_changed_cut();
  // The same at the end of a run: with what was measured.
  std::optional<Json> take_last();

 private:
  ContextWindow window(const Agent& agent);
  std::int64_t fixed_bytes(const Agent& agent);
  bool may_ask_for_summary(const Agent& agent, const Run& run);
  void judge_fixed_part(const Agent& agent, const Run& run);
  Notice question(const Agent& agent) const;  // that is put to whoever sums up
  void summarise(const Run& run, std::string summary);
  std::int64_t bytes_of_answered(const Run& run) const;
  std::int64_t believed(std::int64_t told, const Run& run);

  ContextCut cut_;
  ContextWindow window_;   // of the last fit
  bool is_guess_ = false;  // nobody knows the window
  MeasuredRequest measured_;
  std::string measured_model_;  // what answered the measured request
  bool tells_only_what_is_new_ = false;        // the vendor, of a request's tokens
  std::optional<std::int64_t> fixed_bytes_;    // of instructions and tools
  std::optional<std::int64_t> stated_window_;  // by a refusal
  std::optional<std::int64_t> learned_room_;   // tokens for a request, from a refusal without words
  std::optional<std::size_t> summarise_;       // how many of the first messages
  std::optional<Error> too_long_;
  std::string model_;  // that this was learned of
  std::string focus_;
  int summaries_ = 0;           // asked for since the last answer
  int refusals_ = 0;            // since the last answer
  bool is_summary_ = false;     // the last request of next()
  std::vector<Message> shown_;  // of the request that is under way
  Sampling sampling_;           // of it, where it is not the agent's
  bool has_news_ = false;
  bool has_changed_cut_ = false;
  bool has_measured_ = false;  // since it was last kept
  Usage summary_usage_;
  std::int64_t spent_on_summaries_ = 0;  // tokens
};

}  // namespace wright
