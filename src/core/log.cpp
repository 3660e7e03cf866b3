// Loggers and what their lines look like. Prints nothing: `write` is the program's.
#include "wright/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <utility>

#include "core/enum_names.h"
#include "core/iso_time.h"
#include "core/text_buffer.h"
#include "wright/json.h"

namespace wright {

WRIGHT_ENUM(LogLevel, debug, info, warning, error, off)
WRIGHT_ENUM(LogFormat, text, json)

namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

void put_quoted(TextBuffer& out, std::string_view text) {
  out.put_quoted(text, EscapeDelete::yes);
}

void put_scalar(TextBuffer& out, const LogField& field) {
  if (const auto* flag = std::get_if<bool>(&field.value)) {
    out.put(*flag ? "true" : "false");
  } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
    out.put_number(*whole);
  } else {
    out.put_number(std::get<double>(field.value));
  }
}

void put_text_line(TextBuffer& out, const LogRecord& record) {
  out.put(IsoTime(record.time_ms).text());
  out.put(' ');
  for (const char c : to_string(record.level)) out.put(static_cast<char>(c - 'a' + 'A'));
  out.put(' ');
  const bool is_plain = std::ranges::none_of(record.message, is_control);
  if (is_plain && is_valid_utf8(record.message)) {
    out.put(record.message);
  } else {
    out.put_escaped(record.message, EscapeDelete::yes);
  }
  for (const LogField& field : record.fields) {
    out.put(' ');
    out.put(field.name);
    out.put('=');
    const auto* text = std::get_if<std::string_view>(&field.value);
    if (text == nullptr) {
      put_scalar(out, field);
    } else if (!text->empty() && std::ranges::all_of(*text, [](char c) {
                 return c > 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '=';
               })) {
      out.put(*text);
    } else {
      put_quoted(out, *text);
    }
  }
}

void put_json_line(TextBuffer& out, const LogRecord& record) {
  out.put(R"({"time":")");
  out.put(IsoTime(record.time_ms).text());
  out.put(R"(","level":")");
  out.put(to_string(record.level));
  out.put(R"(","message":)");
  put_quoted(out, record.message);
  for (const LogField& field : record.fields) {
    out.put(",\"");
    out.put(field.name);
    out.put("\":");
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      put_quoted(out, *text);
    } else {
      put_scalar(out, field);
    }
  }
  out.put('}');
}

void put_line(TextBuffer& out, const LogRecord& record, LogFormat format) {
  format == LogFormat::text ? put_text_line(out, record) : put_json_line(out, record);
}

// Lines come out one at a time.
class LineWriter {
 public:
  LineWriter(LogFormat format, std::function<void(std::string_view)> write)
      : format_(format), write_(std::move(write)) {}

  void operator()(const LogRecord& record) {
    TextBuffer line;
    put_line(line, record, format_);
    line.put('\n');
    const std::lock_guard lock(mutex_);
    write_(line.text());
  }

 private:
  LogFormat format_;
  std::function<void(std::string_view)> write_;
  std::mutex mutex_;
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
  TextBuffer line;
  put_line(line, record, format);
  return std::string(line.text());
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
