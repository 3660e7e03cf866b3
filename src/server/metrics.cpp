#include "server/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/unknown_outcome.h"

namespace wright::server {
namespace {

// A model that makes up names of tools must not fill the memory.
constexpr std::size_t kMostSeries = 1'000;
// Sessions that were lost to other processes say no last word.
constexpr std::size_t kMostLive = 100'000;

std::string label(std::string_view key, std::string_view value) {
  std::string text(key);
  text += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + "\"";
}

template <class Value>
Value& series(std::map<std::string, Value>& all, const std::string& labels,
              const Value& otherwise = Value()) {
  const bool is_full = all.size() >= kMostSeries && !all.contains(labels);
  return all.try_emplace(is_full ? "other=\"true\"" : labels, otherwise).first->second;
}

void head(std::string& text, std::string_view name, std::string_view help, std::string_view type) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void write(std::string& text, const std::string& name, std::string_view help,
           const std::map<std::string, double>& counter) {
  head(text, name, help, "counter");
  for (const auto& [labels, value] : counter) {
    text += fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
}

void write(std::string& text, const std::string& name, std::string_view help,
           const std::map<std::string, Histogram>& histograms) {
  head(text, name, help, "histogram");
  for (const auto& [labels, histogram] : histograms) histogram.write(text, name, labels);
}

}  // namespace

void Histogram::add(double seconds) {
  double limit = first_bucket_;
  for (std::uint64_t& count : counts_) {
    if (seconds <= limit) ++count;
    limit *= 2;
  }
  ++count_;
  sum_ += seconds;
}

void Histogram::write(std::string& text, const std::string& name, const std::string& labels) const {
  double limit = first_bucket_;
  for (const std::uint64_t count : counts_) {
    text += fmt::format("{}_bucket{{{},le=\"{:g}\"}} {}\n", name, labels, limit, count);
    limit *= 2;
  }
  text += fmt::format("{}_bucket{{{},le=\"+Inf\"}} {}\n", name, labels, count_);
  text +=
      fmt::format("{}_sum{{{}}} {}\n{}_count{{{}}} {}\n", name, labels, sum_, name, labels, count_);
}

void Metrics::observe(const Event& event, const EventOrigin& origin) {
  const std::string agent = label("agent", origin.agent);
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<SessionStarted>(event)) {
    ++series(sessions_started_, agent);
    if (live_.size() >= kMostLive) live_.erase(live_.begin());
    live_[origin.session_id] = {.began_ms = origin.time_ms};
    return;
  }
  Live& live = live_.try_emplace(origin.session_id, Live{.began_ms = origin.time_ms}).first->second;
  const std::string asked = live.model.empty() ? agent : agent + "," + live.model;
  if (const auto* asks = std::get_if<ModelStarted>(&event)) {
    live.model = label("provider", asks->provider) + "," + label("model", asks->model);
    live.is_asking = true;
  } else if (const auto* model = std::get_if<ModelEnded>(&event)) {
    live.is_asking = false;
    ++series(turns_, asked);
    series(model_seconds_, asked).add(model->duration_ms / 1000);
    const Usage& usage = model->response.usage;
    series(tokens_, asked + "," + label("kind", "input")) +=
        static_cast<double>(usage.input_tokens);
    series(tokens_, asked + "," + label("kind", "output")) +=
        static_cast<double>(usage.output_tokens);
    series(cost_, asked) += usage.cost_usd;
  } else if (const auto* retried = std::get_if<ModelRetried>(&event)) {
    ++series(retries_, asked);
    model_failed(live, agent, retried->retry.error.code);
  } else if (const auto* tool = std::get_if<ToolEnded>(&event)) {
    const std::string name = label("tool", tool->call.name);
    if (!tool->outcome.has_ended()) {
      if (tool->outcome.waiting) {
        ++series(waits_, agent + "," + label("kind", to_string(tool->outcome.waiting->kind)));
      }
      return;
    }
    if (tool->is_unknown) {  // how long it took is unknown, too
      ++series(calls_, name + "," + label("status", to_string(CallStatus::unknown)));
      return;
    }
    const std::string_view ending = is_unknown(tool->outcome)       ? "unknown"
                                    : tool->outcome.result.is_error ? "failed"
                                                                    : "completed";
    ++series(calls_, name + "," + label("status", ending));
    series(call_seconds_, name).add(tool->outcome.duration_ms / 1000);
  } else if (const auto* ended = std::get_if<RunEnded>(&event)) {
    ++series(sessions_ended_, agent + "," + label("phase", to_string(ended->phase)));
    session_rests(origin, agent, ended);
  } else if (std::holds_alternative<RunWaiting>(event)) {
    session_rests(origin, agent, nullptr);
  }
}

void Metrics::model_failed(const Live& live, const std::string& agent, ErrorCode code) {
  const std::string asked = live.model.empty() ? agent : agent + "," + live.model;
  ++series(model_errors_, asked + "," + label("code", to_string(code)));
}

// It has ended, or waits for a person: that time is not its own.
void Metrics::session_rests(const EventOrigin& origin, const std::string& agent,
                            const RunEnded* ended) {
  const auto found = live_.extract(origin.session_id);
  if (!found) return;
  const Live& live = found.mapped();
  const bool was_cancelled = ended != nullptr && ended->phase == Phase::cancelled;
  if (ended != nullptr && ended->error != nullptr && live.is_asking && !was_cancelled) {
    model_failed(live, agent, ended->error->code);
  }
  const std::string_view phase = ended == nullptr ? "waiting" : to_string(ended->phase);
  series(session_seconds_, agent + "," + label("phase", phase), Histogram(Histogram::kOfSessions))
      .add(static_cast<double>(origin.time_ms - live.began_ms) / 1000);
}

void Metrics::store_answered(const char* operation, double seconds) {
  const std::lock_guard lock(store_mutex_);
  const auto found = store_seconds_.find(operation);
  if (found != store_seconds_.end()) return found->second.add(seconds);
  store_seconds_.emplace(operation, Histogram(Histogram::kOfStores)).first->second.add(seconds);
}

std::string Metrics::text(const std::vector<Gauge>& gauges) const {
  std::string text;
  for (const Gauge& gauge : gauges) {
    head(text, gauge.name, gauge.help, "gauge");
    text += fmt::format("{} {}\n", gauge.name, gauge.value);
  }
  const std::lock_guard lock(mutex_);
  write(text, "wright_sessions_started_total", "Sessions that began or went on here.",
        sessions_started_);
  write(text, "wright_sessions_ended_total", "Sessions that ended here, by how.", sessions_ended_);
  write(text, "wright_model_turns_total", "Responses of models.", turns_);
  write(text, "wright_model_retries_total", "Attempts of models that failed and were repeated.",
        retries_);
  write(text, "wright_model_errors_total", "Attempts of models that failed, by how.",
        model_errors_);
  write(text, "wright_model_tokens_total", "Tokens that models read and wrote.", tokens_);
  write(text, "wright_model_cost_dollars_total", "What models cost, where prices are known.",
        cost_);
  write(text, "wright_model_duration_seconds", "How long responses of models took.",
        model_seconds_);
  write(text, "wright_session_duration_seconds",
        "How long sessions worked before they ended or waited for a person.", session_seconds_);
  write(text, "wright_tool_calls_total", "Tool calls, by what came of them.", calls_);
  write(text, "wright_tool_duration_seconds", "How long tool calls took.", call_seconds_);
  write(text, "wright_waits_total", "Calls that had to wait for a person.", waits_);
  const std::lock_guard store_lock(store_mutex_);
  std::map<std::string, Histogram> labelled;
  for (const auto& [operation, histogram] : store_seconds_) {
    labelled.emplace(label("operation", operation), histogram);
  }
  write(text, "wright_store_duration_seconds", "How long the store took to answer.", labelled);
  return text;
}

}  // namespace wright::server
