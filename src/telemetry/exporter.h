// Sends spans to a collector, many at a time, by a thread of its own. Whoever adds one never waits:
// what there is no room for is left out and counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "telemetry/settings.h"
#include "wright/model.h"

namespace wright::telemetry {

struct ExporterFigures {
  std::size_t waiting = 0;
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;  // no room, or the collector did not take them
};

// Sends a request and waits for the head of its response.
using SendRequest = std::function<Result<HttpResponseHead>(HttpRequest, const HttpTimeouts&,
                                                           const std::stop_token&)>;

// Thread-safe.
class Exporter {
 public:
  Exporter(const TelemetrySettings& settings, SendRequest send);
  ~Exporter();  // cuts what is under way; see flush()
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  void add(Span span);
  // Sends what there is at once, and waits that long for it.
  void flush(std::chrono::milliseconds time);
  ExporterFigures figures() const;

 private:
  void work(const std::stop_token& stop);
  std::vector<Span> take();
  // Whether the collector took them.
  bool send_all(const std::vector<Span>& spans, const std::stop_token& stop);
  // Whether there is to be another attempt, when it is time for it.
  bool wait_for_next(const Result<HttpResponseHead>& head, std::chrono::milliseconds pause,
                     std::chrono::steady_clock::time_point until, const std::stop_token& stop);
  std::optional<std::chrono::milliseconds> pause_after(const Result<HttpResponseHead>& head,
                                                       int attempt) const;

  const TelemetrySettings settings_;
  const SendRequest send_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Span> waiting_;
  std::size_t bytes_ = 0;  // of them
  bool is_busy_ = false;
  bool is_urgent_ = false;
  std::chrono::steady_clock::time_point urgent_until_ = {};
  ExporterFigures figures_;
  std::jthread thread_;  // the last: it uses all of the above
};

}  // namespace wright::telemetry
