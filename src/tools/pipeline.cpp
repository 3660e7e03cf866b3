// The one way by which a tool is ever run: execute() of wright/tool.h. Whatever goes wrong inside
// becomes an outcome that tells the model; nothing is thrown to the caller.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/stack_frames.h"
#include "tools/output_spill.h"
#include "tools/preview.h"
#include "wright/tool.h"

namespace wright {
namespace {

constexpr int kLoggedFrames = 5;

const Tool* find_tool(std::span<const Tool> tools, std::string_view name) {
  const auto found =
      std::ranges::find_if(tools, [&](const Tool& tool) { return tool.spec.name == name; });
  if (found != tools.end()) return &*found;
  const auto alias = std::ranges::find_if(tools, [&](const Tool& tool) {
    return std::ranges::find(tool.spec.aliases, name) != tool.spec.aliases.end();
  });
  return alias == tools.end() ? nullptr : &*alias;
}

Error unknown_tool(std::span<const Tool> tools, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Tool& tool : tools) names.push_back(tool.spec.name);
  return Error{ErrorCode::not_found,
               fmt::format("Unknown tool: {}. Available tools: {}", name,
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
               {}};
}

std::unexpected<Error> not_an_object() {
  return fail(ErrorCode::invalid_argument, "The arguments must be a JSON object");
}

// Stands in for a tool that is not there, so that interceptors need not ask whether there is one.
Tool absent_tool(std::string_view name, Error error) {
  return {.spec = {.name = std::string(name)},
          .function = [error = std::move(error)](const Json&, Context&) -> Result<Json> {
            return std::unexpected(error);
          }};
}

// Models leave the arguments of a tool without parameters empty.
Result<Json> parse_arguments(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json(JsonObject{});
  auto parsed = parse_json(text);
  if (!parsed) {
    return fail(ErrorCode::invalid_json,
                "The arguments are not valid JSON: " + parsed.error().message);
  }
  // Text goes on to the interceptors: an object may be written in it.
  if (!parsed->is_object() && !parsed->is_string()) return not_an_object();
  return parsed;
}

// What is known about the exception that was caught: its type, and how the call came here. The
// frames between the throw and the catch are gone by now.
std::string exception_detail() {
  JsonArray stack;
  for (std::string& frame : stack_frames(kLoggedFrames, 2)) stack.emplace_back(std::move(frame));
  return to_text(JsonObject{{"exception", current_exception_type()}, {"stack", std::move(stack)}});
}

// Runs what the user wrote; an exception becomes an error value.
template <class Function>
Result<Json> caught(Function&& function) {
  try {
    return function();
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::tool_failed, thrown.what(), exception_detail());
  } catch (...) {
    return fail(ErrorCode::tool_failed, "The tool threw something that is not a std::exception",
                exception_detail());
  }
}

struct Bounded {
  std::string text;
  bool is_cut = false;
};

Bounded bounded_text(const Json& value, std::size_t limit, const Context& context) {
  std::string text =
      value.is_string() ? to_valid_utf8(std::string(value.get_string())) : to_text(value);
  if (limit == 0 || text.size() <= limit) return {std::move(text), false};
  if (context.spill) {
    // What has lines can be paged.
    const auto kept = context.spill(value.is_string() ? text : to_pretty_text(value));
    if (kept) return {tools::head_and_tail(text, limit, *kept), true};
  }
  const std::string_view head = utf8_prefix(text, limit);
  return {fmt::format("{}\n[Output cut: the first {} of {} bytes]", head, head.size(), text.size()),
          true};
}

void set_failure(ToolOutcome& outcome, const Error& error) {
  outcome.error =
      to_valid_utf8(error.message.empty() ? "It failed without a message" : error.message);
  outcome.result.content = outcome.error;
  outcome.result.is_error = true;
}

void set_success(ToolOutcome& outcome, Json value, std::size_t limit, const Context& context) {
  auto [text, is_cut] = bounded_text(value, limit, context);
  outcome.response = is_cut ? Json(text) : std::move(value);
  outcome.result.content = std::move(text);
}

void set_waiting(ToolOutcome& outcome, const Error& error) {
  auto shown = parse_json(error.detail);
  outcome.waiting = shown ? std::move(*shown) : Json(error.message);
}

}  // namespace

Result<Json> Next::operator()(const ToolCall& call, Context& context) const {
  if (instead_) return caught([&] { return instead_(call, context); });
  context.tool = tool_;
  if (rest_.empty()) {
    if (context.unusable) return std::unexpected(*context.unusable);
    if (!context.arguments.is_object()) return not_an_object();
    if (tool_->spec.options.needs_approval) {
      auto approved = require_approval(context, tools::approval_question(call, context),
                                       {"tool:" + tool_->spec.name});
      if (!approved) return std::unexpected(std::move(approved).error());
    }
    return caught([&] { return tool_->function(context.arguments, context); });
  }
  const Next next(*tool_, rest_.subspan(1));
  return caught([&] { return rest_.front()(call, context, next); });
}

Next Next::owned() const {
  if (instead_) return *this;
  struct Kept {
    Tool tool;
    std::vector<Interceptor> rest;
  };
  auto kept = std::make_shared<const Kept>(*tool_, std::vector(rest_.begin(), rest_.end()));
  Next copy(kept->tool, kept->rest);
  copy.kept_ = std::move(kept);
  return copy;
}

ToolOutcome execute(std::span<const Tool> tools, std::span<const Interceptor> interceptors,
                    const ToolCall& call, Context context) {
  ToolOutcome outcome;
  outcome.result.call_id = call.id;
  outcome.result.name = call.name;
  const auto began = std::chrono::steady_clock::now();
  std::optional<Tool> absent;
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr) {
    context.unusable = unknown_tool(tools, call.name);
    tool = &absent.emplace(absent_tool(call.name, *context.unusable));
  }
  Result<Json> arguments = parse_arguments(call.arguments);
  if (!arguments && !context.unusable) context.unusable = std::move(arguments).error();
  context.arguments = arguments ? std::move(*arguments) : Json(JsonObject{});
  if (tool->rewrite) context.arguments = tool->rewrite(std::move(context.arguments));
  Result<Json> result = Next(*tool, interceptors)(call, context);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  outcome.duration_ms = took.count();
  outcome.notes = std::move(context.notes);
  if (result) {
    set_success(outcome, std::move(*result), tool->spec.options.output_limit, context);
    outcome.result.images = std::move(context.images);
  } else if (result.error().code == ErrorCode::waiting) {
    set_waiting(outcome, result.error());
  } else {
    set_failure(outcome, result.error());
  }
  return outcome;
}

}  // namespace wright
