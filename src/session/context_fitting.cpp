#include "session/context_fitting.h"

#include <algorithm>
#include <utility>

namespace wright::session {
namespace {

// Calls of the model that one request may take beside itself.
constexpr int kMostSummaries = 4;
constexpr int kTokensOfSummary = 2'000;

std::int64_t size_of(std::string_view text) {
  return static_cast<std::int64_t>(text.size());
}

std::int64_t bytes_of_instructions_and_tools(const Agent& agent) {
  std::int64_t bytes = size_of(agent.instructions);
  for (const Tool& tool : agent.tools) {
    bytes += size_of(tool.spec.name) + size_of(tool.spec.description) +
             size_of(to_text(tool.spec.parameters));
  }
  return bytes;
}

}  // namespace

void ContextFitting::restore(const Json& cut, std::span<const Message> messages) {
  if (auto known = context_cut_from_json(cut, messages)) cut_ = std::move(*known);
}

ContextWindow ContextFitting::window(const Agent& agent) {
  ContextWindow window{.tokens = agent.context_tokens.value_or(agent.model.context_tokens())};
  window.answer_tokens = agent.sampling.max_tokens;
  if (window.tokens > 0) {
    window.answer_tokens = std::min(window.answer_tokens, window.tokens / 4);
  }
  if (learned_room_) {
    const std::int64_t learned = *learned_room_ + window.answer_tokens;
    window.tokens = window.tokens > 0 ? std::min(window.tokens, learned) : learned;
  }
  if (window.tokens > 0) window.fixed_bytes = fixed_bytes(agent);
  return window;
}

std::int64_t ContextFitting::fixed_bytes(const Agent& agent) {
  if (measured_.messages > 0) return 0;  // they were measured with the rest
  if (!fixed_bytes_) fixed_bytes_ = bytes_of_instructions_and_tools(agent);
  return *fixed_bytes_;
}

void ContextFitting::fit(const Agent& agent, const Run& run) {
  summarise_.reset();
  const ContextWindow window = this->window(agent);
  is_bounded_ = window.tokens > 0;
  if (!is_bounded_) return;
  while (true) {
    ContextFit fit = fit_context(run.messages, cut_, window, measured_);
    if (fit.cut != cut_) {
      cut_ = std::move(fit.cut);
      has_news_ = has_changed_cut_ = true;
    }
    if (!fit.summarise) return;
    summarise_ = fit.summarise;
    if (summaries_ < kMostSummaries) return;
    summarise(run, {});
  }
}

Request ContextFitting::summary_request(const Agent& agent, const Run& run) {
  ++summaries_;
  shown_ = wright::summary_request(run.messages, cut_, summarise_.value_or(0));
  summary_sampling_ = agent.sampling;
  summary_sampling_.max_tokens = std::min(agent.sampling.max_tokens, kTokensOfSummary);
  summary_sampling_.stop_sequences.clear();
  // The tools are named all the same: vendors want to know those that the conversation speaks of.
  summary_sampling_.tool_choice = ToolChoice::none();
  summary_sampling_.response_format = {};
  return {.messages = shown_,
          .system = agent.instructions,
          .model = agent.model.name(),
          .tools = agent.tools,
          .sampling = &summary_sampling_};
}

void ContextFitting::take_summary(const Run& run, const Response& response) {
  summary_usage_ += response.usage;
  std::string summary = response.answer();
  if (summary.empty()) return do_without_summary(run);
  summarise(run, std::move(summary));
}

void ContextFitting::do_without_summary(const Run& run) {
  summaries_ = kMostSummaries;
  summarise(run, {});
}

void ContextFitting::summarise(const Run& run, std::string summary) {
  if (!summarise_) return;
  cut_ = summarised_cut(run.messages, std::move(cut_), *std::exchange(summarise_, {}),
                        std::move(summary));
  has_news_ = has_changed_cut_ = true;
}

Request ContextFitting::fitted(Request request, const Run& run) {
  if (!is_bounded_ || cut_ == ContextCut{}) return request;
  shown_ = cut_messages(run.messages, cut_);
  request.messages = shown_;
  return request;
}

void ContextFitting::answered(const Run& run, const Usage& usage) {
  summaries_ = 0;
  has_shrunk_ = false;
  shown_ = {};
  // A vendor that counts nothing leaves the guess.
  if (usage.input_tokens <= 0) return;
  measured_.messages = run.messages.size();
  measured_.tokens = usage.input_tokens;
  if (measured_.cut != cut_) measured_.cut = cut_;
}

bool ContextFitting::shrink(const Agent& agent, const Run& run) {
  if (std::exchange(has_shrunk_, true)) return false;
  const ContextCut before = cut_;
  // A window that nobody knows is learned from what did not fit into it.
  const std::int64_t sent =
      estimate_tokens(run.messages, cut_, {.fixed_bytes = fixed_bytes(agent)}, measured_);
  learned_room_ = sent - sent / 4;
  fit(agent, run);
  return cut_ != before || wants_summary();
}

void ContextFitting::agent_changed() {
  measured_ = {};
  fixed_bytes_.reset();
  learned_room_.reset();
}

std::optional<ContextFitting::News> ContextFitting::take_news() {
  if (!std::exchange(has_news_, false)) return std::nullopt;
  return News{cut_, std::exchange(summary_usage_, {})};
}

std::optional<Json> ContextFitting::take_changed_cut() {
  if (!std::exchange(has_changed_cut_, false)) return std::nullopt;
  return to_json(cut_);
}

}  // namespace wright::session
