#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/context_layout.h"
#include "core/context_window.h"
#include "core/stated_window.h"
#include "core/text.h"
#include "core/try.h"
#include "wright/fitting.h"

namespace wright {
namespace {

// What a program says of its own agent or model may be nonsense.
std::optional<std::int64_t> if_possible(std::optional<std::int64_t> tokens) {
  return tokens && *tokens > 0 ? tokens : std::nullopt;
}
std::optional<std::int64_t> window_of(const Model& model) {
  return if_possible(model.context_tokens());
}

// Calls of the model that one request may take beside itself.
constexpr int kMostSummaries = 4;
constexpr int kMostRefusals = 5;
constexpr int kMostRounds = 16;  // of a policy that wants one summary after the other
constexpr std::int64_t kLeastTokensOfSummary = 300;
constexpr std::int64_t kBytesOfSummaryToken = 3;

std::int64_t length_of(std::string_view text) {
  return static_cast<std::int64_t>(text.size());
}

std::int64_t bytes_of_instructions_and_tools(const Agent& agent) {
  std::int64_t bytes = length_of(agent.instructions);
  for (const Tool& tool : agent.tools) {
    bytes += length_of(tool.spec.name) + length_of(tool.spec.description) +
             length_of(to_text(tool.spec.parameters));
  }
  return bytes;
}

std::int64_t total(const Usage& usage) {
  return usage.input_tokens + usage.output_tokens;
}

ContextFit fit_by(const ContextPolicy& policy, std::span<const Message> messages,
                  const ContextCut& cut, const ContextWindow& window,
                  const MeasuredRequest& measured) {
  if (!policy.fit) return fit_context(messages, cut, window, measured);
  try {
    return usable_fit(messages, cut, policy.fit(messages, cut, window, measured));
  } catch (...) {  // a user's function; the session goes on without it
    return fit_context(messages, cut, window, measured);
  }
}

std::int64_t number_in(const JsonObject& object, std::string_view key) {
  const Json* number = object.if_contains(key);
  return number != nullptr && number->is_int64() ? std::max<std::int64_t>(0, number->get_int64())
                                                 : 0;
}

std::string id_of(const Model& model) {
  return fmt::format("{}:{}", model.provider(), model.name());
}

}  // namespace

// --- what is kept --------------------------------------------------------------------------------

void ContextFitting::restore(const Json& kept, std::span<const Message> messages) {
  auto known = context_cut_from_json(kept, messages);
  if (!known) return;
  cut_ = std::move(*known);
  const JsonObject& object = kept.get_object();
  spent_on_summaries_ = number_in(object, "spent_on_summaries");
  const Json* model = object.if_contains("model");
  if (model == nullptr || !model->is_string()) return;
  model_ = std::string(model->get_string());
  if (const std::int64_t told = number_in(object, "window"); told > 0) stated_window_ = told;
  const Json* measured = object.if_contains("measured");
  if (measured == nullptr || !measured->is_object()) return;
  const std::int64_t count = number_in(measured->get_object(), "messages");
  if (count > std::ssize(messages)) return;
  measured_ = {.messages = static_cast<std::size_t>(count),
               .tokens = number_in(measured->get_object(), "tokens"),
               .cut = cut_,
               .bytes = number_in(measured->get_object(), "bytes")};
}

Json ContextFitting::to_json() const {
  Json json = wright::to_json(cut_);
  JsonObject& object = json.get_object();
  if (spent_on_summaries_ > 0) object["spent_on_summaries"] = spent_on_summaries_;
  if (!model_.empty()) object["model"] = model_;
  if (stated_window_) object["window"] = *stated_window_;
  if (measured_.messages > 0 && measured_.cut == cut_) {
    object["measured"] = {{"messages", static_cast<std::int64_t>(measured_.messages)},
                          {"tokens", measured_.tokens},
                          {"bytes", measured_.bytes}};
  }
  return json;
}

std::optional<ContextFitting::News> ContextFitting::take_news() {
  if (!std::exchange(has_news_, false)) return std::nullopt;
  return News{cut_, std::exchange(summary_usage_, {})};
}

std::optional<Json> ContextFitting::take_changed_cut() {
  if (!std::exchange(has_changed_cut_, false)) return std::nullopt;
  return to_json();
}

std::optional<Json> ContextFitting::take_last() {
  const bool is_near_full = window_.tokens && measured_.tokens > room_in(window_) / 2;
  const bool is_measured =
      std::exchange(has_measured_, false) && (cut_ != ContextCut{} || is_near_full);
  if (!std::exchange(has_changed_cut_, false) && !is_measured) return std::nullopt;
  return to_json();
}

// --- the window ----------------------------------------------------------------------------------

ContextWindow ContextFitting::window(const Agent& agent) {
  if (const std::string model = id_of(agent.model); model_ != model) {
    if (!model_.empty()) agent_changed();
    model_ = model;
  }
  ContextWindow window{.tokens = agent.context_tokens ? if_possible(agent.context_tokens)
                                                      : window_of(agent.model)};
  is_guess_ = !agent.context_tokens && !stated_window_ && agent.model.guesses_context();
  if (stated_window_) {
    const bool is_known =
        window.tokens && (agent.context_tokens.has_value() || !agent.model.guesses_context());
    window.tokens = is_known ? std::min(*window.tokens, *stated_window_) : *stated_window_;
  }
  window.answer_tokens = agent.sampling.max_tokens;
  if (window.tokens) {
    window.answer_tokens = std::min(window.answer_tokens, *window.tokens / 4);
  }
  if (learned_room_) {
    const std::int64_t learned = *learned_room_ + window.answer_tokens;
    window.tokens = window.tokens ? std::min(*window.tokens, learned) : learned;
  }
  window.fixed_bytes = fixed_bytes(agent);
  return window;
}

std::int64_t ContextFitting::fixed_bytes(const Agent& agent) {
  if (!fixed_bytes_) fixed_bytes_ = bytes_of_instructions_and_tools(agent);
  return *fixed_bytes_;
}

void ContextFitting::agent_changed() {
  measured_ = {};
  tells_only_what_is_new_ = false;
  fixed_bytes_.reset();
  stated_window_.reset();
  learned_room_.reset();
}

std::int64_t ContextFitting::estimate(const Agent& agent, const Run& run) {
  window_.fixed_bytes = fixed_bytes(agent);
  if (!summarise_) return estimate_tokens(run.messages, cut_, window_, measured_);
  const auto asked_of = std::span(run.messages).first(std::min(*summarise_, run.messages.size()));
  const std::int64_t shown = estimate_tokens(asked_of, cut_, window_, measured_);
  return std::max(shown, window_.tokens ? room_in(window_) : 0) +
         length_of(question(agent).text) / kBytesOfSummaryToken;
}

ContextFitting::Meter ContextFitting::meter(const Agent& agent, const Run& run) {
  window_ = window(agent);
  return {.tokens = estimate_tokens(run.messages, cut_, window_, measured_),
          .window = window_.tokens,
          .spent_on_summaries = spent_on_summaries_};
}

// --- before a request ----------------------------------------------------------------------------

void ContextFitting::fit(const Agent& agent, const Run& run) {
  summarise_.reset();
  too_long_.reset();
  window_ = window(agent);
  if (!window_.tokens && !agent.context.fit) return;
  for (int round = 0; round < kMostRounds; ++round) {
    ContextFit fit = fit_by(agent.context, run.messages, cut_, window_, measured_);
    if (fit.cut != cut_) {
      cut_ = std::move(fit.cut);
      has_news_ = has_changed_cut_ = true;
    }
    if (!fit.summarise) break;
    summarise_ = fit.summarise;
    if (fit.is_worth_asking && may_ask_for_summary(agent, run)) return;
    summarise(run, {});
  }
  judge_fixed_part(agent, run);
}

// Nothing is paid for a summary beyond a share of what the session has used. The first one is not
// refused: without it a conversation of few large messages would never have any.
bool ContextFitting::may_ask_for_summary(const Agent& agent, const Run& run) {
  const double share = agent.context.most_for_summaries;
  if (summaries_ >= kMostSummaries || share <= 0) return false;
  if (spent_on_summaries_ == 0) return true;
  const std::int64_t next = estimate(agent, run);
  return static_cast<double>(spent_on_summaries_ + next) <=
         share * static_cast<double>(total(run.usage) + next);
}

// By what the model itself reads: an agent's own bound is a wish. And before a turn begins: later
// on, the model has the last word.
void ContextFitting::judge_fixed_part(const Agent& agent, const Run& run) {
  std::optional<std::int64_t> reads = stated_window_;
  if (!reads && !agent.model.guesses_context()) reads = window_of(agent.model);
  if (!reads || run.messages.empty() || !run.messages.back().is_from_user()) return;
  const std::int64_t least = least_tokens(run.messages, cut_, window_, measured_);
  if (least <= *reads) return;
  too_long_ = Error{
      ErrorCode::context_too_long,
      fmt::format("A request would take about {} tokens, and {} reads {}. About {} of them are the "
                  "instructions and {} tools, which every request has; the rest is what was said. "
                  "Use fewer tools, shorter instructions or a shorter message, or a model that "
                  "reads more",
                  least, agent.model.name(), *reads,
                  window_.fixed_bytes / (kBytesOfSummaryToken + 1), agent.tools.size())};
}

Request ContextFitting::fitted(Request request, const Run& run) {
  request.context_tokens = window_.tokens;
  if (window_.tokens && !is_guess_) {
    // Many servers count the answer that may come together with the prompt.
    const std::int64_t left =
        *window_.tokens - estimate_tokens(run.messages, cut_, window_, measured_);
    const std::int64_t most = std::max({left, window_.answer_tokens, std::int64_t{1}});
    if (request.sampling->max_tokens > most) {
      sampling_ = *request.sampling;
      sampling_.max_tokens = static_cast<int>(most);
      request.sampling = &sampling_;
    }
  }
  if (cut_ == ContextCut{}) return request;
  shown_ = cut_messages(run.messages, cut_);
  request.messages = shown_;
  return request;
}

// --- summaries -----------------------------------------------------------------------------------

bool ContextFitting::want_summary(const Agent& agent, const Run& run, std::string focus) {
  window_ = window(agent);
  summarise_ = place_of_last_turn(run.messages, cut_);
  focus_ = std::move(focus);
  return summarise_.has_value();
}

const Model& ContextFitting::summary_model(const Agent& agent) {
  return agent.context.summary_model.is_set() ? agent.context.summary_model : agent.model;
}

Notice ContextFitting::question(const Agent& agent) const {
  Notice asked = notice(Notice::Kind::summarise);
  if (!agent.context.summary_prompt.empty()) asked.text = agent.context.summary_prompt;
  if (!focus_.empty()) asked.text += "\n\nAbove all: " + focus_;
  return asked;
}

Request ContextFitting::summary_request(const Agent& agent, const Run& run) {
  ++summaries_;
  shown_ = wright::summary_request(run.messages, cut_, summarise_.value_or(0),
                                   Message{Role::user, {question(agent)}}, window_, measured_);
  sampling_ = agent.sampling;
  const std::int64_t most =
      std::max(kLeastTokensOfSummary,
               static_cast<std::int64_t>(most_of_summary(window_)) / kBytesOfSummaryToken);
  sampling_.max_tokens = static_cast<int>(std::min<std::int64_t>(sampling_.max_tokens, most));
  sampling_.stop_sequences.clear();
  // The tools are named all the same: vendors want to know those that the conversation speaks of.
  sampling_.tool_choice = ToolChoice::none();
  sampling_.response_format = {};
  return {.messages = shown_,
          .system = agent.instructions,
          .model = summary_model(agent).name(),
          .tools = agent.tools,
          .sampling = &sampling_,
          .context_tokens = window_.tokens};
}

void ContextFitting::take_summary(const Run& run, const Response& response) {
  summary_usage_ += response.usage;
  spent_on_summaries_ += total(response.usage);
  std::string summary = response.answer();
  if (trimmed(summary).empty()) return do_without_summary(run);
  summarise(run, std::move(summary));
}

void ContextFitting::do_without_summary(const Run& run) {
  summaries_ = kMostSummaries;
  summarise(run, {});
}

void ContextFitting::summarise(const Run& run, std::string summary) {
  focus_.clear();
  if (!summarise_) return;
  cut_ = summarised_cut(run.messages, std::move(cut_), *std::exchange(summarise_, {}),
                        std::move(summary), most_of_summary(window_));
  has_news_ = has_changed_cut_ = true;
}

// --- what came of a request ----------------------------------------------------------------------

// Only what is new is looked at, where nothing else changed.
std::int64_t ContextFitting::bytes_of_answered(const Run& run) const {
  const bool goes_on =
      measured_.bytes > 0 && measured_.cut == cut_ && measured_.messages <= run.messages.size();
  if (!goes_on) return window_.fixed_bytes + shown_bytes(run.messages, cut_);
  std::int64_t bytes = measured_.bytes;
  for (std::size_t at = measured_.messages; at < run.messages.size(); ++at) {
    bytes += bytes_of(run.messages[at], kept_of(at, cut_));
  }
  return bytes;
}

// A request that goes on from the last one has all of its tokens. A vendor that tells of fewer
// counts only those that it had not kept from the last one. From then on a guess by bytes holds.
std::int64_t ContextFitting::believed(std::int64_t told, const Run& run) {
  const bool goes_on =
      measured_.messages > 0 && measured_.cut == cut_ && measured_.messages < run.messages.size();
  tells_only_what_is_new_ = tells_only_what_is_new_ || (goes_on && told <= measured_.tokens);
  if (!tells_only_what_is_new_) return told;
  return std::max(told, estimate_tokens(run.messages, cut_, window_, {}));
}

void ContextFitting::answered(const Run& run, const Response& response) {
  summaries_ = 0;
  refusals_ = 0;
  shown_ = {};
  // A vendor that counts nothing leaves the guess.
  const std::int64_t told = response.request_tokens.value_or(response.usage.input_tokens);
  if (told <= 0) return;
  // Another model, which a fallback may be, counts otherwise.
  if (std::exchange(measured_model_, response.model) != response.model) {
    tells_only_what_is_new_ = false;
    measured_ = {};
  }
  measured_.tokens = believed(told, run);
  measured_.bytes = bytes_of_answered(run);
  measured_.messages = run.messages.size();
  if (measured_.cut != cut_) measured_.cut = cut_;
  has_measured_ = true;
}

bool ContextFitting::shrink(const Agent& agent, const Run& run, const Error& error) {
  if (++refusals_ > kMostRefusals) return false;
  const ContextCut before = cut_;
  const ContextWindow old = window(agent);
  const std::int64_t sent = estimate_tokens(run.messages, cut_, old, measured_);
  const StatedWindow told = stated_window(error.message);
  const bool is_news = told.window > 0 && stated_window_ != told.window &&
                       (!old.tokens || is_guess_ || told.window < *old.tokens);
  if (is_news) {
    stated_window_ = told.window;
    learned_room_.reset();
    has_changed_cut_ = true;
  }
  // What the server counted is better than any guess of ours, unless it speaks of something else.
  if (told.sent > sent / 3 && told.sent < sent * 3) {
    measured_ = {.messages = run.messages.size(), .tokens = told.sent, .cut = cut_};
  } else if (!is_news) {
    learned_room_ = sent - sent / 4;
  }
  fit(agent, run);
  if (too_long_) return false;
  const bool asks_for_less = is_news && agent.sampling.max_tokens > window_.answer_tokens;
  return cut_ != before || wants_summary() || asks_for_less;
}

// --- for a driver of one's own -------------------------------------------------------------------

Step ContextFitting::next(const Agent& agent, const Run& run) {
  Step step = wright::next(agent, run);
  auto* call = std::get_if<CallModel>(&step);
  if (call == nullptr) return step;
  fit(agent, run);
  if (too_long_) return Failed{*too_long_, best_answer(run)};
  is_summary_ = wants_summary();
  call->request = is_summary_ ? summary_request(agent, run) : fitted(call->request, run);
  return step;
}

const Model& ContextFitting::model(const Agent& agent) const {
  return is_summary_ ? summary_model(agent) : agent.model;
}

Result<void> ContextFitting::accept(const Agent& agent, Run& run, Result<Response> response) {
  if (std::exchange(is_summary_, false)) {
    if (!response) {
      do_without_summary(run);
      return {};
    }
    TRY(wright::accept(run, Summarised{response->usage}));
    take_summary(run, *response);
    return {};
  }
  if (!response) {
    const bool is_too_long = response.error().code == ErrorCode::context_too_long;
    if (is_too_long && shrink(agent, run, response.error())) return {};
    return wright::accept(run, ModelFailed{std::move(response).error()});
  }
  answered(run, *response);
  TRY(wright::accept(run, ModelAnswered{std::move(*response)}));
  if (auto refused = refusal_of(agent, run)) return wright::accept(run, std::move(*refused));
  return {};
}

}  // namespace wright
