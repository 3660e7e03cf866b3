// Counts rows of sessions or calls in stretches of time, for stores that read row by row. Exact:
// keeps the durations of all rows that it was given, which HistoryFilter::most_rows bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/store.h"

namespace wright::store {

// Whether calls are counted, not sessions.
bool is_about_calls(const HistoryFilter& filter);

// Whether calls are counted by what only their sessions know.
bool needs_sessions(const HistoryFilter& filter);

// How many stretches there are. Refuses what makes no sense, or would be too many.
Result<std::size_t> stretches_of(const HistoryFilter& filter);

struct HistoryRow {
  std::string_view name = {};
  std::int64_t at = 0;  // milliseconds, between `since` and `until`
  bool is_failed = false;
  bool is_unknown = false;
  bool is_limited = false;
  Usage usage = {};
  std::optional<std::int64_t> duration_ms = {};
};

class HistoryCollector {
 public:
  HistoryCollector(const HistoryFilter& filter, std::size_t stretches)
      : filter_(filter), stretches_(stretches) {}

  bool is_full() const { return rows_ >= filter_.most_rows; }
  void add(const HistoryRow& row);
  // `is_complete`: whether all rows were given.
  StoreHistory finish(bool is_complete) &&;

 private:
  struct Stretch {
    HistoryPoint point = {};
    std::vector<std::int64_t> durations = {};
  };
  using Stretches = std::map<std::size_t, Stretch>;

  static void merge(Stretches& into, Stretches from);
  HistorySeries series_of(std::string name, Stretches stretches) const;

  const HistoryFilter& filter_;
  std::size_t stretches_;
  std::size_t rows_ = 0;
  std::map<std::string, Stretches, std::less<>> series_;
};

}  // namespace wright::store
