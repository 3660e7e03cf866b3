#include "core/arguments.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>

#include <iterator>
#include <utility>

#include "core/coercion.h"

namespace wright {
namespace {

std::unexpected<Error> not_an_object() {
  return fail(ErrorCode::invalid_argument, "The arguments must be a JSON object");
}

// Models leave the arguments empty when a tool has no parameters.
Result<Json> parsed_arguments(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json(JsonObject{});
  auto parsed = parse_json(text);
  if (!parsed) {
    return fail(ErrorCode::invalid_json,
                "The arguments are not valid JSON: " + parsed.error().message);
  }
  // An object may be written as text: see Coercion.
  if (!parsed->is_object() && !parsed->is_string()) return not_an_object();
  return parsed;
}

bool accepts(const Tool& tool, const Json& arguments) {
  if (tool.check) return tool.check(arguments).has_value();
  return !tool.schema || tool.schema->accepts(arguments);
}

Error misfit(const Tool& tool, const Json& arguments) {
  if (tool.check) {
    if (auto checked = tool.check(arguments); !checked) return std::move(checked).error();
  }
  std::vector<std::string> problems;
  for (Violation& each : tool.schema->violations(arguments)) {
    problems.push_back(std::move(each.message));
  }
  return refused_arguments(problems);
}

// What the tool has against the arguments. Those of a typed tool are decoded on the way.
std::optional<Error> problem_of(const Tool& tool, ReadArguments& read) {
  if (const detail::TypedFunction* typed = detail::typed_function_of(tool)) {
    auto decoded = typed->decode(read.arguments);
    if (!decoded) return std::move(decoded).error();
    read.decoded = {typed, std::move(*decoded)};
    return std::nullopt;
  }
  if (accepts(tool, read.arguments)) return std::nullopt;
  return misfit(tool, read.arguments);
}

void put_right(const Tool& tool, const ToolCall& call, const ValidationOptions& options,
               ReadArguments& read) {
  if (!tool.schema || accepts(tool, read.arguments)) return;
  Coerced coerced = coerce(tool.spec.parameters, read.arguments);
  // A partial correction would only hide from the model what it wrote.
  if (coerced.notes.empty() || !accepts(tool, coerced.value)) return;
  read.arguments = std::move(coerced.value);
  for (std::string& note : coerced.notes) {
    options.logger.log(
        LogLevel::info, "[TOOL EXECUTION] Corrected the arguments of " + call.name,
        {{"tool", call.name}, {"correction", options.redactor.redacted(std::string_view(note))}});
    read.notes.push_back(std::move(note));
  }
}

// The name under which refused calls of a tool are counted. On the stack: every call needs it.
class CountName {
 public:
  explicit CountName(const ToolCall& call) {
    fmt::format_to(std::back_inserter(text_), "validation:{}", call.name);
  }
  std::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  fmt::basic_memory_buffer<char, 128> text_;
};

}  // namespace

ReadArguments read_arguments(const Tool& tool, const ToolCall& call,
                             const ValidationOptions& options) {
  ReadArguments read;
  Result<Json> parsed = parsed_arguments(call.arguments);
  if (!parsed) {
    read.unusable = std::move(parsed).error();
    return read;
  }
  read.arguments = tool.rewrite ? tool.rewrite(std::move(*parsed)) : std::move(*parsed);
  if (options.coercion == Coercion::on) put_right(tool, call, options, read);
  if (!read.arguments.is_object()) {
    read.unusable = not_an_object().error();
    return read;
  }
  if (options.strictness == Strictness::off) return read;
  std::optional<Error> problem = problem_of(tool, read);
  if (!problem) return read;
  if (options.strictness == Strictness::strict) {
    read.unusable = std::move(problem);
    return read;
  }
  options.logger.log(LogLevel::warning,
                     "[TOOL EXECUTION] Arguments of " + call.name + " do not fit its schema",
                     {{"tool", call.name},
                      {"problems", options.redactor.redacted(std::string_view(problem->message))}});
  read.notes.push_back(std::move(problem->message));
  return read;
}

Result<void> check_arguments(const Tool& tool, const Json& arguments,
                             const ValidationOptions& options) {
  if (!arguments.is_object()) return not_an_object();
  if (options.strictness != Strictness::strict || accepts(tool, arguments)) return {};
  return std::unexpected(misfit(tool, arguments));
}

void count_refusals(Error* error, const ToolCall& call, const Context& context,
                    const ValidationOptions& options) {
  // A call outside of a run has no one who could try again.
  if (context.memory == nullptr) return;
  if (error == nullptr) return context.memory->forget(CountName(call).text());
  // Of those in one turn, the model has read no answer yet when it makes the next.
  if (context.turn != 0) {
    const std::string in_turn = fmt::format("{} in turn {}", CountName(call).text(), context.turn);
    if (context.memory->add_one(in_turn) > 1) return;
  }
  const int refused = context.memory->add_one(CountName(call).text());
  if (refused <= options.retry_budget) return;
  if (error->code == ErrorCode::not_found) {
    error->message += fmt::format(
        ". This was attempt {} to call a tool that does not exist. Do not call {} again: use "
        "another tool, or answer without it",
        refused, call.name);
  } else {
    error->message += fmt::format(
        ". This was attempt {} with arguments that do not fit. Do not call {} again with this "
        "kind of arguments: try another way, or say what is missing",
        refused, call.name);
  }
}

}  // namespace wright
