// What the store says of itself for /readyz and /metrics. Two threads ask it, however long it
// takes: one whether it answers, all the time; the other for figures, when somebody wants them.
// Whoever wants to know is told what they have heard last.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "server/metrics.h"
#include "wright/store.h"

namespace wright::server {

struct StoreFiguresTimes {
  std::chrono::milliseconds look{1'000};      // how often the store is asked whether it answers
  std::chrono::milliseconds count{5'000};     // how long figures are good
  std::chrono::milliseconds patience{2'000};  // how long it may take to be called ready
  std::chrono::milliseconds fresh{200};       // how long fresh figures are waited for
};

class StoreFigures {
 public:
  // `more` asks the store for further figures; may be empty.
  explicit StoreFigures(Store& store, std::function<std::vector<Gauge>()> more = {},
                        StoreFiguresTimes times = {});
  // Waits for an answer of the store that is under way.
  ~StoreFigures();
  StoreFigures(const StoreFigures&) = delete;
  StoreFigures& operator=(const StoreFigures&) = delete;

  // Why the store cannot be used; absent: it answers. Waits for the first answer only, and not for
  // long.
  std::optional<std::string> trouble();
  // What was counted last, and how long ago. What is too old is counted anew: that is waited for
  // for a moment, unless the store is known to be slow, and the first time as trouble() waits.
  std::vector<Gauge> gauges();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void look(const std::stop_token& stop);
  void count(const std::stop_token& stop);
  void pause(const std::stop_token& stop, std::chrono::milliseconds time);

  Store& store_;
  const std::function<std::vector<Gauge>()> more_;
  const StoreFiguresTimes times_;
  const Time started_at_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Time> asked_at_;      // and no answer has come yet
  std::optional<Time> answered_at_;   // for the last time
  std::optional<std::string> error_;  // of the last answer
  bool is_wanted_ = false;               // that somebody counts
  std::optional<Time> wanted_at_;        // for the first time
  std::optional<Time> counting_since_;   // and no answer has come yet
  std::size_t rounds_ = 0;               // of counting that are over
  std::optional<Time> counted_at_;
  std::vector<Gauge> gauges_;
  // Last: they use the others.
  std::jthread looking_;
  std::jthread counting_;
};

}  // namespace wright::server
