// Structured logs. The library never prints: it passes records to a Logger, and the program decides
// where they go and what they look like.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wright/json.h"

namespace wright {

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };

std::string_view to_string(LogLevel level);
Result<LogLevel> log_level_from(std::string_view name);

struct LogField {
  std::string_view name;  // letters, digits and _: it is written as it is
  std::variant<std::string_view, std::int64_t, double, bool> value;
};

// The views are valid while the record is being written.
struct LogRecord {
  LogLevel level = LogLevel::info;
  std::int64_t time_ms = 0;  // since 1970
  std::string_view message = {};
  std::span<const LogField> fields = {};
};

// A value, cheap to copy. One made without a sink is off and costs a comparison.
class Logger {
 public:
  using Sink = std::function<void(const LogRecord&)>;

  Logger() = default;
  // The sink may be called from several threads at once.
  explicit Logger(Sink sink, LogLevel minimum = LogLevel::info);

  bool is_on(LogLevel level) const { return level >= minimum_ && level != LogLevel::off; }
  void log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields = {}) const {
    log(level, message, std::span(fields.begin(), fields.size()));
  }
  void log(LogLevel level, std::string_view message, std::span<const LogField> fields) const;

 private:
  std::shared_ptr<const Sink> sink_;
  LogLevel minimum_ = LogLevel::off;
};

// What stands in place of a secret.
inline constexpr std::string_view kRedacted = "[REDACTED]";

// Finds secrets in texts: the given values, and what looks like a key of a well-known service or
// a bearer token. Each becomes kRedacted.
class Redactor {
 public:
  // Finds nothing.
  Redactor() = default;
  // Values shorter than 4 bytes are ignored: they would be found everywhere.
  explicit Redactor(std::vector<std::string> secrets);

  bool is_on() const { return state_ != nullptr; }
  std::string redacted(std::string_view text) const;
  Json redacted(Json value) const;  // every string in it, names too
  // The same; what they hide is added to `hidden`.
  std::string redacted(std::string_view text, std::size_t& hidden) const;
  Json redacted(Json value, std::size_t& hidden) const;

  // For what has to stay usable, such as addresses to open, choices and schemas: hides only values
  // that cannot be ordinary words, and nothing that merely looks like a key. It learns with this
  // one, and this one with it.
  Redactor sparing() const;

  // One more value, for all copies of this one: a token that was obtained on the way. Thread-safe.
  // Nothing is learnt by one that finds nothing.
  void learn(std::string secret) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

enum class LogFormat : std::uint8_t {
  text,  // 2025-10-10T12:00:00.000Z DEBUG message name=value name="value with spaces"
  json,  // {"time":"2025-10-10T12:00:00.000Z","level":"debug","message":"…","name":…}
};

Result<LogFormat> log_format_from(std::string_view name);

// One record as one line, without a line break, whatever the message and the fields contain.
std::string to_line(const LogRecord& record, LogFormat format);

// A logger that passes finished lines, each with a line break, to `write`, one at a time.
Logger line_logger(LogFormat format, LogLevel minimum,
                   std::function<void(std::string_view line)> write);

// "2025-10-10T12:00:00.000Z"
std::string iso_time(std::int64_t time_ms);

}  // namespace wright
