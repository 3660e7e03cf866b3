// Logs the start, the end and the failure of every call. Changes nothing about the call.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

constexpr std::size_t kLoggedFrames = 5;

void append(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// A duration as logs and metadata tell it: in hundredths of a millisecond, rounded.
class Duration {
 public:
  explicit Duration(double milliseconds) : hundredths_(std::llround(milliseconds * 100)) {}

  double milliseconds() const { return static_cast<double>(hundredths_) / 100; }
  void append_to(fmt::memory_buffer& out) const {
    fmt::format_to(std::back_inserter(out), "{}.{:02}ms", hundredths_ / 100, hundredths_ % 100);
  }

 private:
  std::int64_t hundredths_;
};

double since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
      .count();
}

// The first `limit` characters; 0 means all.
std::string_view first_characters(std::string_view text, std::size_t limit) {
  if (limit == 0 || text.size() <= limit) return text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_start = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (is_start && count++ == limit) return text.substr(0, i);
  }
  return text;
}

bool says_failure(const Json& result) {
  const JsonObject* object = result.if_object();
  const Json* success = object != nullptr ? object->if_contains("success") : nullptr;
  return success != nullptr && success->is_bool() && !success->get_bool();
}

// The stack that the pipeline found where it caught an exception; empty for errors that were
// returned, which have none.
std::string frames_of(const Error& error) {
  const auto detail = parse_json(error.detail);
  const JsonObject* object = detail ? detail->if_object() : nullptr;
  const Json* stack = object != nullptr ? object->if_contains("stack") : nullptr;
  if (stack == nullptr || !stack->is_array()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(stack->get_array().size(), kLoggedFrames); ++i) {
    const Json& frame = stack->get_array()[i];
    if (!frame.is_string()) continue;
    if (!text.empty()) text += " < ";
    text += std::string_view(frame.get_string());
  }
  return text;
}

class Logging {
 public:
  explicit Logging(LoggingOptions options) : options_(std::move(options)) {}

  Result<Json> operator()(const ToolCall& call, Context& context, const Next& next) const {
    const bool is_logged_by_tool =
        context.tool != nullptr && context.tool->spec.options.provides.logging;
    if (is_logged_by_tool || !options_.logger.is_on(LogLevel::error)) return next(call, context);
    log_start(call, context);
    const auto began = std::chrono::steady_clock::now();
    Result<Json> result = next(call, context);
    const Duration duration(context.duration_ms ? *context.duration_ms : since(began));
    if (result) {
      log_end(call, context, *result, duration);
    } else {
      log_failure(call, context, result.error(), duration);
    }
    return result;
  }

 private:
  void log_start(const ToolCall& call, const Context& context) const {
    if (!options_.logger.is_on(LogLevel::debug)) return;
    fmt::memory_buffer message;
    append(message, "[TOOL EXECUTION] Starting ");
    append(message, call.name);
    const std::string_view text(message.data(), message.size());
    if (!options_.log_arguments) {
      return options_.logger.log(
          LogLevel::debug, text,
          {{"tool", call.name}, {"agent", context.agent_name}, {"call_id", call.id}});
    }
    // What the model wrote, unless something in it has to be hidden.
    const std::string hidden =
        options_.redactor.is_on() ? redacted_arguments(call, context) : std::string();
    fmt::memory_buffer arguments;
    append_cut(arguments, options_.redactor.is_on() ? hidden : call.arguments);
    options_.logger.log(LogLevel::debug, text,
                        {{"tool", call.name},
                         {"agent", context.agent_name},
                         {"call_id", call.id},
                         {"arguments", std::string_view(arguments.data(), arguments.size())}});
  }

  // A secret may be written with escapes, so it is looked for in the parsed values where there are
  // any.
  std::string redacted_arguments(const ToolCall& call, const Context& context) const {
    if (context.unusable) return options_.redactor.redacted(std::string_view(call.arguments));
    return to_text(options_.redactor.redacted(context.arguments));
  }

  void log_end(const ToolCall& call, const Context& context, const Json& result,
               Duration duration) const {
    const bool has_failed = says_failure(result);
    const LogLevel level = has_failed ? LogLevel::warning : LogLevel::debug;
    if (!options_.logger.is_on(level)) return;
    fmt::memory_buffer message;
    append(message, has_failed ? "[TOOL EXECUTION] Failed " : "[TOOL EXECUTION] Completed ");
    append(message, call.name);
    append(message, " (");
    duration.append_to(message);
    message.push_back(')');
    options_.logger.log(level, std::string_view(message.data(), message.size()),
                        {{"tool", call.name},
                         {"agent", context.agent_name},
                         {"call_id", call.id},
                         {"duration_ms", duration.milliseconds()},
                         {"success", !has_failed}});
  }

  void log_failure(const ToolCall& call, const Context& context, const Error& error,
                   Duration duration) const {
    if (error.code == ErrorCode::waiting) {
      return options_.logger.log(
          LogLevel::info, fmt::format("[TOOL EXECUTION] Waiting for a person: {}", call.name),
          {{"tool", call.name}, {"agent", context.agent_name}, {"call_id", call.id}});
    }
    const std::string message = options_.redactor.redacted(error.message);
    const std::string frames = frames_of(error);
    std::vector<LogField> fields{{"tool", call.name},
                                 {"agent", context.agent_name},
                                 {"call_id", call.id},
                                 {"duration_ms", duration.milliseconds()},
                                 {"code", to_string(error.code)}};
    if (!frames.empty()) fields.push_back({"stack", frames});
    options_.logger.log(LogLevel::error,
                        fmt::format("[TOOL EXECUTION] Error in {}: {}", call.name, message),
                        std::span<const LogField>(fields));
  }

  void append_cut(fmt::memory_buffer& out, std::string_view text) const {
    const std::string_view shown = first_characters(text, options_.truncate_logs);
    append(out, shown);
    if (shown.size() < text.size()) append(out, "...");
  }

  LoggingOptions options_;
};

}  // namespace

Interceptor logging(LoggingOptions options) {
  return Logging(std::move(options));
}

}  // namespace wright::intercept
