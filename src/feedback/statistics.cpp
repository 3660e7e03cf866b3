#include "feedback/statistics.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "core/saturating.h"
#include "wright/feedback.h"

namespace wright::feedback {
namespace {

// `values` is not empty; it is put into another order, which is that of a sorted list at the place
// of the percentile.
double percentile(std::vector<double>& values, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                          std::clamp<std::size_t>(rank, 1, values.size()) - 1);
  std::ranges::nth_element(values, place);
  return *place;
}

Json timing_json(const Timing& timing) {
  JsonObject json{
      {"count", timing.count}, {"failed", timing.failed}, {"failure_rate", timing.failure_rate()}};
  const auto known = [&](double value) { return timing.timed > 0 ? Json(value) : Json(nullptr); };
  json["mean_ms"] = known(timing.mean_ms);
  json["p50_ms"] = known(timing.p50_ms);
  json["p95_ms"] = known(timing.p95_ms);
  json["p99_ms"] = known(timing.p99_ms);
  return json;
}

enum class Kind : std::uint8_t { tool, session_group };

Json figures_json(const Figures& figures, Kind kind) {
  JsonObject json;
  if (!figures.name.empty()) json["name"] = figures.name;
  JsonObject& calls = (json["calls"] = timing_json(figures.calls)).as_object();
  calls["unknown"] = figures.calls.unknown;
  if (kind == Kind::tool) return json;
  json["runs"] = timing_json(figures.runs);
  json["usage"] = wright::to_json(figures.usage);
  return json;
}

Json list_json(const std::vector<Figures>& list, Kind kind) {
  JsonArray json;
  for (const Figures& each : list) json.push_back(figures_json(each, kind));
  return json;
}

struct Durations {
  std::int64_t count = 0;
  std::int64_t failed = 0;
  std::int64_t unknown = 0;
  std::vector<double> durations = {};

  // Of RunSamples or CallSamples.
  template <class Samples>
  void add(const Samples& samples) {
    count = saturating_sum(count, samples.count);
    failed = saturating_sum(failed, samples.failed);
    if constexpr (requires { samples.unknown; }) {
      unknown = saturating_sum(unknown, samples.unknown);
    }
    durations.insert(durations.end(), samples.durations_ms.begin(), samples.durations_ms.end());
  }
};
struct Group {
  Durations runs;
  Durations calls;
  Usage usage;
};
using Groups = std::map<std::string, Group, std::less<>>;

Timing timing_of(Durations samples) {
  Timing timing{.count = samples.count, .failed = samples.failed, .unknown = samples.unknown};
  std::vector<double>& durations = samples.durations;
  timing.timed = std::ssize(durations);
  if (durations.empty()) return timing;
  timing.mean_ms = std::accumulate(durations.begin(), durations.end(), 0.0) /
                   static_cast<double>(durations.size());
  timing.p50_ms = percentile(durations, 0.50);
  timing.p95_ms = percentile(durations, 0.95);
  timing.p99_ms = percentile(durations, 0.99);
  return timing;
}

Figures figures_of(std::string name, Group group) {
  return {.name = std::move(name),
          .runs = timing_of(std::move(group.runs)),
          .calls = timing_of(std::move(group.calls)),
          .usage = group.usage};
}

std::vector<Figures> figures_of(Groups groups) {
  std::vector<Figures> list;
  for (auto& [name, group] : groups) list.push_back(figures_of(name, std::move(group)));
  std::ranges::stable_sort(list, std::greater<>(), [](const Figures& each) {
    return std::pair(each.runs.count, each.calls.count);
  });
  return list;
}

std::string model_name(const std::string& provider, const std::string& model) {
  if (provider.empty()) return model;
  return provider == "offline" ? provider : provider + ":" + model;
}

}  // namespace

Statistics statistics_of(const StoreStats& stats) {
  Group all;
  Groups tools;
  Groups agents;
  Groups models;
  for (const RunSamples& samples : stats.runs) {
    for (Group* group : {&all, &agents[samples.agent_name],
                         &models[model_name(samples.provider, samples.model)]}) {
      group->runs.add(samples);
      group->usage += samples.usage;
    }
  }
  for (const CallSamples& samples : stats.calls) {
    if (samples.tool_name == kReportToolFeedback) continue;
    for (Group* group : {&all, &tools[samples.tool_name], &agents[samples.agent_name],
                         &models[model_name(samples.provider, samples.model)]}) {
      group->calls.add(samples);
    }
  }
  return {.all = figures_of({}, std::move(all)),
          .tools = figures_of(std::move(tools)),
          .agents = figures_of(std::move(agents)),
          .models = figures_of(std::move(models))};
}

Json to_json(const Statistics& statistics) {
  return {{"all", figures_json(statistics.all, Kind::session_group)},
          {"tools", list_json(statistics.tools, Kind::tool)},
          {"agents", list_json(statistics.agents, Kind::session_group)},
          {"models", list_json(statistics.models, Kind::session_group)}};
}

}  // namespace wright::feedback
