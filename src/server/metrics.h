// Figures of this process for Prometheus. Counts what an observer is told; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "wright/events.h"

namespace wright::server {

// Buckets as OpenTelemetry has them for models and tools: 0.01 s, each twice the one before. A
// store is quicker: there it is 0.1 ms. A session takes longer: there it is 0.1 s.
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 14;
  static constexpr double kOfModels = 0.01;
  static constexpr double kOfStores = 0.0001;
  static constexpr double kOfSessions = 0.1;

  explicit Histogram(double first_bucket = kOfModels) : first_bucket_(first_bucket) {}
  void add(double seconds);
  // The lines of one series. `labels` is what stands in braces, without them.
  void write(std::string& text, const std::string& name, const std::string& labels) const;

 private:
  double first_bucket_;
  std::array<std::uint64_t, kBuckets> counts_ = {};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

// One value of the moment, for Metrics::text().
struct Gauge {
  std::string name;
  std::string help;
  double value = 0;
};

class Metrics {
 public:
  // For RuntimeOptions::observer.
  void observe(const Event& event, const EventOrigin& origin);
  // `operation` is a literal.
  void store_answered(const char* operation, double seconds);

  // The text format. Gauges are those of the moment.
  std::string text(const std::vector<Gauge>& gauges) const;

 private:
  using Counter = std::map<std::string, double>;  // by labels

  // A session that is under way here.
  struct Live {
    std::int64_t began_ms = 0;
    std::string model = {};  // the labels of the one that was asked last; empty: none was
    bool is_asking = false;
  };

  // With the mutex held.
  void model_failed(const Live& live, const std::string& agent, ErrorCode code);
  void session_rests(const EventOrigin& origin, const std::string& agent, const RunEnded* ended);

  mutable std::mutex mutex_;
  Counter sessions_started_;
  Counter sessions_ended_;
  Counter turns_;
  Counter retries_;
  Counter model_errors_;
  Counter tokens_;
  Counter cost_;
  Counter calls_;
  Counter waits_;
  std::map<std::string, Histogram> model_seconds_;
  std::map<std::string, Histogram> call_seconds_;
  std::map<std::string, Histogram> session_seconds_;
  std::map<std::int64_t, Live> live_;
  mutable std::mutex store_mutex_;  // the store answers far more often than anything else happens
  std::map<std::string, Histogram> store_seconds_;
};

}  // namespace wright::server
