// Loggers and what their lines look like. Prints nothing: `write` is the program's.
#include "wright/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <utility>

#include "core/enum_names.h"
#include "core/iso_time.h"
#include "core/json_escape.h"
#include "wright/json.h"

namespace wright {

WRIGHT_ENUM(LogLevel, debug, info, warning, error, off)
WRIGHT_ENUM(LogFormat, text, json)

namespace {

void append_time(std::string& out, std::int64_t time_ms) {
  out += IsoTime(time_ms).text();
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, EscapeDelete::yes);
  out += '"';
}

void append_scalar(std::string& out, const LogField& field) {
  if (const auto* flag = std::get_if<bool>(&field.value)) {
    out += *flag ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
    fmt::format_to(std::back_inserter(out), "{}", *whole);
  } else if (const double number = std::get<double>(field.value); std::isfinite(number)) {
    fmt::format_to(std::back_inserter(out), "{}", number);
  } else {
    out += "null";
  }
}

void append_text_line(std::string& out, const LogRecord& record) {
  append_time(out, record.time_ms);
  out += ' ';
  for (const char c : to_string(record.level)) out += static_cast<char>(c - 'a' + 'A');
  out += ' ';
  const bool is_plain = std::ranges::none_of(record.message, is_control);
  if (is_plain && is_valid_utf8(record.message)) {
    out += record.message;
  } else {
    append_escaped(out, record.message, EscapeDelete::yes);
  }
  for (const LogField& field : record.fields) {
    out += ' ';
    out += field.name;
    out += '=';
    const auto* text = std::get_if<std::string_view>(&field.value);
    if (text == nullptr) {
      append_scalar(out, field);
    } else if (!text->empty() && std::ranges::all_of(*text, [](char c) {
                 return c > 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '=';
               })) {
      out += *text;
    } else {
      append_quoted(out, *text);
    }
  }
}

void append_json_line(std::string& out, const LogRecord& record) {
  out += R"({"time":")";
  append_time(out, record.time_ms);
  out += R"(","level":")";
  out += to_string(record.level);
  out += R"(","message":)";
  append_quoted(out, record.message);
  for (const LogField& field : record.fields) {
    out += ",\"";
    out += field.name;
    out += "\":";
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      append_quoted(out, *text);
    } else {
      append_scalar(out, field);
    }
  }
  out += '}';
}

void append_line(std::string& out, const LogRecord& record, LogFormat format) {
  format == LogFormat::text ? append_text_line(out, record) : append_json_line(out, record);
}

// Keeps one buffer for all lines.
class LineWriter {
 public:
  LineWriter(LogFormat format, std::function<void(std::string_view)> write)
      : format_(format), write_(std::move(write)) {}

  void operator()(const LogRecord& record) {
    const std::lock_guard lock(mutex_);
    line_.clear();
    append_line(line_, record, format_);
    line_ += '\n';
    write_(line_);
  }

 private:
  LogFormat format_;
  std::function<void(std::string_view)> write_;
  std::mutex mutex_;
  std::string line_;
};

}  // namespace

std::string_view to_string(LogLevel level) {
  return enum_name(level);
}

Result<LogLevel> log_level_from(std::string_view name) {
  if (const auto level = enum_named<LogLevel>(name)) return *level;
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is not a log level: use {}", name, enum_names<LogLevel>()));
}

Result<LogFormat> log_format_from(std::string_view name) {
  if (const auto format = enum_named<LogFormat>(name)) return *format;
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is not a log format: use {}", name, enum_names<LogFormat>()));
}

Logger::Logger(Sink sink, LogLevel minimum)
    : sink_(std::make_shared<const Sink>(std::move(sink))), minimum_(minimum) {
  if (!*sink_) minimum_ = LogLevel::off;
}

void Logger::log(LogLevel level, std::string_view message, std::span<const LogField> fields) const {
  if (!is_on(level)) return;
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  (*sink_)(LogRecord{level, now.time_since_epoch().count(), message, fields});
}

std::string to_line(const LogRecord& record, LogFormat format) {
  std::string line;
  append_line(line, record, format);
  return line;
}

Logger line_logger(LogFormat format, LogLevel minimum,
                   std::function<void(std::string_view line)> write) {
  if (!write) return Logger();
  auto writer = std::make_shared<LineWriter>(format, std::move(write));
  return Logger([writer](const LogRecord& record) { (*writer)(record); }, minimum);
}

std::string iso_time(std::int64_t time_ms) {
  return std::string(IsoTime(time_ms).text());
}

}  // namespace wright
