// Checks arguments against the tool's schema before the call, and counts how often a model got a
// call wrong. A tool that checks its arguments itself is not checked twice.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "interceptors/coercion.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

// What refused calls of a tool are counted as. On the stack: every call asks for it.
class MemoryName {
 public:
  explicit MemoryName(const ToolCall& call) {
    fmt::format_to(std::back_inserter(text_), "validation:{}", call.name);
  }
  std::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  fmt::basic_memory_buffer<char, 128> text_;
};

class Validation {
 public:
  explicit Validation(ValidationOptions options) : options_(std::move(options)) {}

  Result<Json> operator()(const ToolCall& call, Context& context, const Next& next) const {
    const Tool* tool = context.tool;
    if (context.unusable) return counted_if_unusable(call, context, next);
    if (tool == nullptr || !tool->schema) return next(call, context);
    if (options_.coercion == Coercion::on) put_right(call, context);
    if (!tool->spec.options.provides.validation && !tool->schema->accepts(context.arguments)) {
      if (auto checked = refuse_or_warn(call, context); !checked) {
        return std::unexpected(std::move(checked).error());
      }
    }
    Result<Json> result = next(call, context);
    if (!result && is_refused_arguments(result.error())) {
      return std::unexpected(counted(std::move(result).error(), call, context));
    }
    if (context.memory != nullptr) context.memory->forget(MemoryName(call).text());
    return result;
  }

 private:
  // There is nothing to check, but a model that keeps naming a tool that is not there, or keeps
  // writing what is no JSON, is told to stop as well.
  Result<Json> counted_if_unusable(const ToolCall& call, Context& context, const Next& next) const {
    Result<Json> result = next(call, context);
    if (result || !context.unusable) return result;
    return std::unexpected(counted(std::move(result).error(), call, context));
  }

  void put_right(const ToolCall& call, Context& context) const {
    const JsonSchema& schema = *context.tool->schema;
    if (schema.accepts(context.arguments)) return;
    Coerced coerced = coerce(context.tool->spec.parameters, context.arguments);
    // Half a correction would only hide from the model what it wrote.
    if (coerced.notes.empty() || !schema.accepts(coerced.value)) return;
    context.arguments = std::move(coerced.value);
    for (std::string& note : coerced.notes) {
      options_.logger.log(LogLevel::info,
                          "[TOOL EXECUTION] Corrected the arguments of " + call.name,
                          {{"tool", call.name}, {"correction", note}});
      context.notes.push_back(std::move(note));
    }
  }

  Result<void> refuse_or_warn(const ToolCall& call, Context& context) const {
    std::vector<std::string> problems;
    for (Violation& each : context.tool->schema->violations(context.arguments)) {
      problems.push_back(std::move(each.message));
    }
    Error error = refused_arguments(problems);
    if (options_.strictness == Strictness::strict) {
      return std::unexpected(counted(std::move(error), call, context));
    }
    options_.logger.log(LogLevel::warning,
                        "[TOOL EXECUTION] Arguments of " + call.name + " do not fit its schema",
                        {{"tool", call.name}, {"problems", error.message}});
    context.notes.push_back(std::move(error.message));
    return {};
  }

  // A call that stands alone has nobody who could try again.
  Error counted(Error error, const ToolCall& call, Context& context) const {
    if (context.memory == nullptr) return error;
    const int refused = context.memory->add_one(MemoryName(call).text());
    if (refused <= options_.retry_budget) return error;
    if (error.code == ErrorCode::not_found) {
      error.message += fmt::format(
          ". This was attempt {} to call a tool that does not exist. Do not call {} again: use "
          "another tool, or answer without it",
          refused, call.name);
    } else {
      error.message += fmt::format(
          ". This was attempt {} with arguments that do not fit. Do not call {} again with this "
          "kind of arguments: go another way, or say what is missing",
          refused, call.name);
    }
    return error;
  }

  ValidationOptions options_;
};

}  // namespace

Interceptor validation(ValidationOptions options) {
  return Validation(std::move(options));
}

}  // namespace wright::intercept
