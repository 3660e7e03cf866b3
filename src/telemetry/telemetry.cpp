#include "telemetry/telemetry.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/try.h"
#include "net/whole_response.h"
#include "telemetry/observed_model.h"

namespace wright::telemetry {
namespace {

// A terminal's user does not wait longer for a collector.
constexpr std::chrono::milliseconds kMostPatience{5'000};

SendRequest by_http() {
  const auto client = std::make_shared<net::HttpClient>();
  return [client](HttpRequest request, const HttpTimeouts& timeouts,
                  const std::stop_token& stop) -> Result<HttpResponseHead> {
    const auto nothing = [](const HttpResponseHead&) { return std::size_t{0}; };
    auto response = TRY(net::ask_and_wait(*client, std::move(request), timeouts, nothing, stop));
    return std::move(response.head);
  };
}

}  // namespace

Telemetry::Telemetry(const TelemetrySettings& settings, SendRequest send)
    : last_patience_(std::min(settings.export_timeout, kMostPatience)),
      has_content_(settings.has_content),
      exporter_(settings, std::move(send)),
      spans_(settings, [this](Span span) { exporter_.add(std::move(span)); }),
      requests_(settings, [this](Span span) { exporter_.add(std::move(span)); }) {}

Telemetry::Telemetry(const TelemetrySettings& settings) : Telemetry(settings, by_http()) {}

Telemetry::~Telemetry() {
  exporter_.flush(last_patience_);
}

FindTrace Telemetry::find_trace() {
  return [this](std::int64_t session_id, std::string_view call_id) {
    return spans_.trace_of(session_id, call_id);
  };
}

Model Telemetry::told(Model model) {
  return observed_model(std::move(model),
                        [this](const AskedModel& asked) { spans_.asked(asked); });
}

Logger Telemetry::traced(const Logger& logger) {
  LogLevel least = LogLevel::debug;
  while (least != LogLevel::off && !logger.is_on(least)) {
    least = static_cast<LogLevel>(static_cast<int>(least) + 1);
  }
  if (least == LogLevel::off) return logger;
  return Logger(
      [this, logger](const LogRecord& record) {
        const bool has_trace = std::ranges::any_of(
            record.fields, [](const LogField& field) { return field.name == "trace_id"; });
        const auto only = has_trace ? std::nullopt : spans_.only_trace();
        if (!only) return logger.log(record.level, record.message, record.fields);
        std::vector<LogField> fields(record.fields.begin(), record.fields.end());
        fields.push_back({"trace_id", only->trace_id()});
        fields.push_back({"span_id", only->span_id()});
        logger.log(record.level, record.message, fields);
      },
      least);
}

}  // namespace wright::telemetry
