#include "server/history.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/try.h"

namespace wright::server {
namespace {

constexpr std::int64_t kDay = 24 * 60 * 60 * 1000;
constexpr std::int64_t kMostBuckets = 500;
constexpr std::int64_t kMostListsOfSeries = 50;

// A number between two, or what holds without it.
struct Bounds {
  std::int64_t least = 1;
  std::int64_t most = 1;
  std::int64_t otherwise = 1;
};
Result<std::int64_t> bounded(const Call& call, const char* name, const Bounds& bounds) {
  const auto given = TRY(call.number_of(name));
  const std::int64_t value = given.value_or(bounds.otherwise);
  if (value >= bounds.least && value <= bounds.most) return value;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} must be {} to {}", name, bounds.least, bounds.most));
}

Result<HistoryFilter::By> by_named(const std::string& name) {
  if (name == "agent") return HistoryFilter::By::agent;
  if (name == "model") return HistoryFilter::By::model;
  if (name == "tool") return HistoryFilter::By::tool;
  if (name == "all") return HistoryFilter::By::all;
  return fail(ErrorCode::invalid_argument, "'by' must be agent, model, tool or all");
}

Json number_or_null(std::optional<std::int64_t> value) {
  return value ? Json(*value) : Json(nullptr);
}

JsonObject point_json(const HistoryPoint& point, std::int64_t at) {
  return {{"at", at},
          {"failed", point.failed},
          {"input_tokens", point.usage.input_tokens},
          {"output_tokens", point.usage.output_tokens},
          {"cost_usd", point.usage.cost_usd},
          {"p50_ms", number_or_null(point.p50_ms)},
          {"p95_ms", number_or_null(point.p95_ms)}};
}

JsonObject frame(const HistoryFilter& filter, const StoreHistory& history) {
  return {{"since", filter.since},
          {"until", filter.until},
          {"step_ms", filter.step_ms},
          {"is_complete", history.is_complete}};
}

std::int64_t time_of(const HistoryFilter& filter, std::size_t place) {
  return filter.since + static_cast<std::int64_t>(place) * filter.step_ms;
}

}  // namespace

Result<HistoryFilter> history_filter(const Call& call) {
  const std::int64_t now = system_clock_ms();
  HistoryFilter filter{.agent_name = call.request.parameter("agent"),
                       .model = call.request.parameter("model"),
                       .tool_name = call.request.parameter("tool")};
  filter.tenant = TRY(call.tenant());
  const auto until = TRY(call.number_of("until"));
  filter.until = std::max<std::int64_t>(1, until.value_or(now));
  const auto since = TRY(call.number_of("since"));
  filter.since = std::clamp<std::int64_t>(since.value_or(filter.until - kDay), 0, filter.until - 1);
  const std::int64_t buckets =
      TRY(bounded(call, "buckets", {.most = kMostBuckets, .otherwise = 48}));
  filter.step_ms = (filter.until - filter.since - 1) / buckets + 1;
  const std::int64_t series =
      TRY(bounded(call, "series", {.most = kMostListsOfSeries, .otherwise = 7}));
  filter.most_series = static_cast<std::size_t>(series);
  filter.by = TRY(by_named(call.request.parameter("by").value_or("all")));
  return filter;
}

Result<Json> history_json(Store& store, HistoryFilter filter) {
  filter.by = HistoryFilter::By::all;
  filter.tool_name.reset();
  const StoreHistory history = TRY(store.get_history(filter));
  JsonObject json = frame(filter, history);
  const auto stretches =
      static_cast<std::size_t>((filter.until - filter.since - 1) / filter.step_ms + 1);
  JsonArray buckets;
  for (std::size_t i = 0; i < stretches; ++i) {
    const HistoryPoint point =
        history.series.empty() ? HistoryPoint{} : history.series[0].points[i];
    JsonObject bucket = point_json(point, time_of(filter, i));
    bucket["sessions"] = point.count;
    buckets.push_back(std::move(bucket));
  }
  json["buckets"] = std::move(buckets);
  return Json(std::move(json));
}

Result<Json> series_json(Store& store, const HistoryFilter& filter) {
  const StoreHistory history = TRY(store.get_history(filter));
  JsonObject json = frame(filter, history);
  const bool is_about_calls = filter.by == HistoryFilter::By::tool || filter.tool_name;
  json["counted"] = is_about_calls ? "calls" : "sessions";
  JsonArray list;
  for (const HistorySeries& series : history.series) {
    JsonArray buckets;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const HistoryPoint& point = series.points[i];
      JsonObject bucket = point_json(point, time_of(filter, i));
      bucket["count"] = point.count;
      bucket["unknown"] = point.unknown;
      bucket["limited"] = point.limited;
      buckets.push_back(std::move(bucket));
    }
    list.push_back({{"name", series.name},
                    {"is_rest", series.is_rest},
                    {"count", series.count},
                    {"buckets", std::move(buckets)}});
  }
  json["series"] = std::move(list);
  return Json(std::move(json));
}

}  // namespace wright::server
