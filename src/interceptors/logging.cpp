// Logs the start, the end and the failure of every call. Changes nothing about the call.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/text_buffer.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

constexpr std::size_t kLoggedFrames = 5;

// A duration as logs and metadata show it: in milliseconds, rounded to hundredths.
class Duration {
 public:
  explicit Duration(double milliseconds) : hundredths_(std::llround(milliseconds * 100)) {}

  double milliseconds() const { return static_cast<double>(hundredths_) / 100; }
  void append_to(TextBuffer& out) const {
    out.put_number(hundredths_ / 100);
    const auto rest = static_cast<int>(hundredths_ % 100);
    out.put('.');
    out.put(static_cast<char>('0' + rest / 10));
    out.put(static_cast<char>('0' + rest % 10));
    out.put("ms");
  }

 private:
  std::int64_t hundredths_;
};

double since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
      .count();
}

// The first `limit` characters.
std::string_view first_characters(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  if (is_ascii(text.substr(0, limit + 1))) return text.substr(0, limit);
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

// The stack where the pipeline caught an exception; empty for errors that were returned.
std::string frames_of(const Error& error) {
  const Json* stack = error.find("stack");
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

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    if (invocation.tool.spec.options.provides.logging || !options_.logger.is_on(LogLevel::error)) {
      return next(invocation, context);
    }
    log_start(invocation, context);
    const auto began = std::chrono::steady_clock::now();
    Result<ToolReply> reply = next(invocation, context);
    if (!reply) {
      log_failure(invocation.call, context, reply.error(), Duration(since(began)));
    } else if (const Output* output = output_of(reply)) {
      const Duration duration(output->duration_ms ? *output->duration_ms : since(began));
      log_end(invocation.call, context, output->value, duration);
    } else {
      log_wait(invocation.call, context, *reply);
    }
    return reply;
  }

 private:
  // With the trace that the call belongs to, so that logs and traces can be brought together.
  void log(const Context& context, LogLevel level, std::string_view text,
           std::span<const LogField> fields) const {
    if (!context.trace.is_set()) return options_.logger.log(level, text, fields);
    std::vector<LogField> more(fields.begin(), fields.end());
    more.push_back({"trace_id", context.trace.trace_id()});
    more.push_back({"span_id", context.trace.span_id()});
    options_.logger.log(level, text, std::span<const LogField>(more));
  }
  void log(const Context& context, LogLevel level, std::string_view text,
           std::initializer_list<LogField> fields) const {
    log(context, level, text, std::span(fields.begin(), fields.size()));
  }

  void log_start(const Invocation& invocation, const Context& context) const {
    if (!options_.logger.is_on(LogLevel::debug)) return;
    const ToolCall& call = invocation.call;
    TextBuffer message;
    message.put("[TOOL EXECUTION] Starting ");
    message.put(call.name);
    const std::string_view text = message.text();
    if (!options_.log_arguments) {
      return log(context, LogLevel::debug, text,
                 {{"tool", call.name}, {"agent", context.agent_name}, {"call_id", call.id}});
    }
    // What the model wrote, unless part of it must be hidden.
    const std::string hidden =
        options_.redactor.is_on() ? redacted_arguments(invocation) : std::string();
    TextBuffer arguments;
    append_cut(arguments, options_.redactor.is_on() ? hidden : call.arguments);
    log(context, LogLevel::debug, text,
        {{"tool", call.name},
         {"agent", context.agent_name},
         {"call_id", call.id},
         {"arguments", arguments.text()}});
  }

  // A secret may contain escapes, so the parsed values are searched where there are any.
  std::string redacted_arguments(const Invocation& invocation) const {
    if (invocation.unusable == nullptr) {
      return to_text(options_.redactor.redacted(invocation.arguments));
    }
    // Even a refused call had its arguments read.
    const auto read = parse_json(invocation.call.arguments);
    if (read) return to_text(options_.redactor.redacted(*read));
    return options_.redactor.redacted(std::string_view(invocation.call.arguments));
  }

  void log_end(const ToolCall& call, const Context& context, const Json& result,
               Duration duration) const {
    const bool has_failed = says_failure(result);
    const LogLevel level = has_failed ? LogLevel::warning : LogLevel::debug;
    if (!options_.logger.is_on(level)) return;
    TextBuffer message;
    message.put(has_failed ? "[TOOL EXECUTION] Failed " : "[TOOL EXECUTION] Completed ");
    message.put(call.name);
    message.put(" (");
    duration.append_to(message);
    message.put(')');
    log(context, level, message.text(),
        {{"tool", call.name},
         {"agent", context.agent_name},
         {"call_id", call.id},
         {"duration_ms", duration.milliseconds()},
         {"success", !has_failed}});
  }

  void log_wait(const ToolCall& call, const Context& context, const ToolReply& reply) const {
    const bool is_delegated = std::holds_alternative<Delegate>(reply);
    log(context, LogLevel::info,
        fmt::format("[TOOL EXECUTION] Waiting for {}: {}",
                    is_delegated ? "a specialist" : "a person", call.name),
        {{"tool", call.name}, {"agent", context.agent_name}, {"call_id", call.id}});
  }

  void log_failure(const ToolCall& call, const Context& context, const Error& error,
                   Duration duration) const {
    const std::string message = options_.redactor.redacted(error.message);
    const std::string frames = frames_of(error);
    std::vector<LogField> fields{{"tool", call.name},
                                 {"agent", context.agent_name},
                                 {"call_id", call.id},
                                 {"duration_ms", duration.milliseconds()},
                                 {"code", to_string(error.code)}};
    if (!frames.empty()) fields.push_back({"stack", frames});
    log(context, LogLevel::error,
        fmt::format("[TOOL EXECUTION] Error in {}: {}", call.name, message), fields);
  }

  void append_cut(TextBuffer& out, std::string_view text) const {
    const std::string_view shown =
        options_.truncate_logs ? first_characters(text, *options_.truncate_logs) : text;
    out.put(shown);
    if (shown.size() < text.size()) out.put("...");
  }

  LoggingOptions options_;
};

}  // namespace

Interceptor logging(LoggingOptions options) {
  return Logging(std::move(options));
}

}  // namespace wright::intercept
