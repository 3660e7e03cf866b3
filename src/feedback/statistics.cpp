#include "feedback/statistics.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "wright/feedback.h"

namespace wright::feedback {
namespace {

// `sorted` is not empty.
double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
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
  json["calls"] = timing_json(figures.calls);
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

}  // namespace

void StatisticsCollector::add(const Session& session, std::span<const StoredCall> calls) {
  const std::string model = session.provider == "offline" || session.provider.empty()
                                ? (session.provider.empty() ? session.model : session.provider)
                                : session.provider + ":" + session.model;
  const auto to_groups = [&](auto change) {
    change(all_);
    change(agents_[session.agent_name]);
    change(models_[model]);
  };
  to_groups([&](Group& group) {
    ++group.runs.count;
    if (session.status == SessionStatus::failed) ++group.runs.failed;
    if (session.ended_at) {
      group.runs.durations.push_back(static_cast<double>(*session.ended_at - session.started_at));
    }
    group.usage += session.usage;
  });
  for (const StoredCall& call : calls) {
    const bool has_ended =
        call.status == CallStatus::completed || call.status == CallStatus::failed;
    if (!has_ended || call.tool_name == kReportToolFeedback) continue;
    const auto count = [&](Group& group) {
      ++group.calls.count;
      if (call.status == CallStatus::failed) ++group.calls.failed;
      if (call.execution_time_ms) {
        group.calls.durations.push_back(static_cast<double>(*call.execution_time_ms));
      }
    };
    to_groups(count);
    count(tools_[call.tool_name]);
  }
}

Timing StatisticsCollector::timing_of(Samples samples) {
  Timing timing{.count = samples.count, .failed = samples.failed};
  std::vector<double>& durations = samples.durations;
  timing.timed = std::ssize(durations);
  if (durations.empty()) return timing;
  std::ranges::sort(durations);
  timing.mean_ms = std::accumulate(durations.begin(), durations.end(), 0.0) /
                   static_cast<double>(durations.size());
  timing.p50_ms = percentile(durations, 0.50);
  timing.p95_ms = percentile(durations, 0.95);
  timing.p99_ms = percentile(durations, 0.99);
  return timing;
}

Figures StatisticsCollector::figures_of(std::string name, Group group) {
  return {.name = std::move(name),
          .runs = timing_of(std::move(group.runs)),
          .calls = timing_of(std::move(group.calls)),
          .usage = group.usage};
}

std::vector<Figures> StatisticsCollector::figures_of(Groups groups) {
  std::vector<Figures> list;
  for (auto& [name, group] : groups) list.push_back(figures_of(name, std::move(group)));
  std::ranges::stable_sort(list, std::greater<>(), [](const Figures& each) {
    return std::pair(each.runs.count, each.calls.count);
  });
  return list;
}

Statistics StatisticsCollector::finish() && {
  return {.all = figures_of({}, std::move(all_)),
          .tools = figures_of(std::move(tools_)),
          .agents = figures_of(std::move(agents_)),
          .models = figures_of(std::move(models_))};
}

Json to_json(const Statistics& statistics) {
  return {{"all", figures_json(statistics.all, Kind::session_group)},
          {"tools", list_json(statistics.tools, Kind::tool)},
          {"agents", list_json(statistics.agents, Kind::session_group)},
          {"models", list_json(statistics.models, Kind::session_group)}};
}

}  // namespace wright::feedback
