// Requests that others send here, as spans: what is done for them stands below. Thread-safe; never
// waits for anybody.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/settings.h"
#include "telemetry/trace_context.h"

namespace wright::telemetry {

struct RequestStart {
  std::string name = {};
  TraceContext parent = {};  // who asked; what cannot be read is none
  TraceContext link = {};    // who carried it, where that is another one; likewise
  std::vector<Attribute> attributes = {};
};

// One that is under way. It ends when it is destroyed. Of one thread at a time.
class RequestSpan {
 public:
  using Finish = std::function<void(Span)>;  // called with finished spans; must not call back

  RequestSpan(Span span, Finish finish) : span_(std::move(span)), finish_(std::move(finish)) {}
  ~RequestSpan();
  RequestSpan(const RequestSpan&) = delete;
  RequestSpan& operator=(const RequestSpan&) = delete;

  // For what is done for it.
  TraceContext context() const;
  void add(Attribute attribute) { span_.attributes.push_back(std::move(attribute)); }
  void fail(std::string type, std::string_view message);

 private:
  Span span_;
  const Finish finish_;
};

class RequestSpans {
 public:
  RequestSpans(const TelemetrySettings& settings, RequestSpan::Finish finish);

  std::unique_ptr<RequestSpan> begin(RequestStart start);

 private:
  const Sampler sampler_;
  const std::optional<Place> process_parent_;
  const RequestSpan::Finish finish_;
  std::mutex mutex_;
  IdSource ids_;
};

}  // namespace wright::telemetry
