#include "store/history_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

namespace wright::store {
namespace {

// As feedback/statistics counts; nothing of nothing.
std::optional<std::int64_t> share_of(const std::vector<std::int64_t>& sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace

bool is_about_calls(const HistoryFilter& filter) {
  return filter.by == HistoryFilter::By::tool || filter.tool_name.has_value();
}

bool needs_sessions(const HistoryFilter& filter) {
  const bool is_by_session =
      filter.by == HistoryFilter::By::agent || filter.by == HistoryFilter::By::model;
  return is_by_session || filter.agent_name || filter.model || filter.tenant;
}

Result<std::size_t> stretches_of(const HistoryFilter& filter) {
  if (filter.since < 0 || filter.until <= filter.since || filter.step_ms <= 0) {
    return fail(ErrorCode::invalid_argument,
                "A history needs a time that has a length, and stretches that have one");
  }
  const std::int64_t count = (filter.until - filter.since - 1) / filter.step_ms + 1;
  if (count > kMostStretches) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} stretches of time are too many: ask for at most {}", count,
                            kMostStretches));
  }
  return static_cast<std::size_t>(count);
}

void HistoryCollector::add(const HistoryRow& row) {
  ++rows_;
  const auto place = static_cast<std::size_t>((row.at - filter_.since) / filter_.step_ms);
  auto series = series_.find(row.name);
  if (series == series_.end()) series = series_.emplace(row.name, Stretches()).first;
  Stretch& stretch = series->second[place];
  ++stretch.point.count;
  if (row.is_failed) ++stretch.point.failed;
  if (row.is_unknown) ++stretch.point.unknown;
  if (row.is_limited) ++stretch.point.limited;
  stretch.point.usage += row.usage;
  if (row.duration_ms) stretch.durations.push_back(*row.duration_ms);
}

void HistoryCollector::merge(Stretches& into, Stretches from) {
  for (auto& [place, stretch] : from) {
    Stretch& sum = into[place];
    sum.point.count += stretch.point.count;
    sum.point.failed += stretch.point.failed;
    sum.point.unknown += stretch.point.unknown;
    sum.point.limited += stretch.point.limited;
    sum.point.usage += stretch.point.usage;
    sum.durations.insert(sum.durations.end(), stretch.durations.begin(), stretch.durations.end());
  }
}

HistorySeries HistoryCollector::series_of(std::string name, Stretches stretches) const {
  HistorySeries series{.name = std::move(name), .points = std::vector<HistoryPoint>(stretches_)};
  for (auto& [place, stretch] : stretches) {
    std::ranges::sort(stretch.durations);
    stretch.point.p50_ms = share_of(stretch.durations, 0.5);
    stretch.point.p95_ms = share_of(stretch.durations, 0.95);
    series.count += stretch.point.count;
    series.points[place] = stretch.point;
  }
  return series;
}

StoreHistory HistoryCollector::finish(bool is_complete) && {
  std::vector<std::pair<std::int64_t, std::string>> order;  // the one with most first
  for (const auto& [name, stretches] : series_) {
    std::int64_t count = 0;
    for (const Stretch& each : stretches | std::views::values) count += each.point.count;
    order.emplace_back(-count, name);
  }
  std::ranges::sort(order);
  StoreHistory history{.is_complete = is_complete};
  Stretches rest;
  for (const auto& [count, name] : order) {
    Stretches own = std::move(series_.at(name));
    if (history.series.size() < filter_.most_series) {
      history.series.push_back(series_of(name, std::move(own)));
    } else {
      merge(rest, std::move(own));
    }
  }
  if (!rest.empty()) {
    history.series.push_back(series_of({}, std::move(rest)));
    history.series.back().is_rest = true;
  }
  return history;
}

}  // namespace wright::store
