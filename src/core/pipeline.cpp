// The only way to run a tool: execute() of wright/tool.h. Whatever goes wrong inside becomes a
// result that tells the model; nothing is thrown to the caller.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/arguments.h"
#include "core/call_preview.h"
#include "core/cut_text.h"
#include "core/fingerprint.h"
#include "core/stack_frames.h"
#include "core/try.h"
#include "wright/agent.h"

namespace wright {
namespace {

constexpr int kLoggedFrames = 5;

Error unknown_tool(std::span<const Tool> tools, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Tool& tool : tools) names.push_back(tool.spec.name);
  return Error{ErrorCode::not_found,
               fmt::format("Unknown tool: {}. Available tools: {}", short_name(name),
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")))};
}

// Stands in for a missing tool, so that interceptors need not check whether there is one.
Tool absent_tool(std::string_view name, const Error& error) {
  return {.spec = {.name = std::string(name)},
          .function = [error](const Json&, const Context&) -> Result<ToolReply> {
            return std::unexpected(error);
          }};
}

// What is known about the caught exception: its type, and how the call got here. The
// frames between the throw and the catch are gone by now.
Json exception_detail() {
  JsonArray stack;
  for (std::string& frame : stack_frames(kLoggedFrames, 2)) stack.emplace_back(std::move(frame));
  return JsonObject{{"exception", current_exception_type()}, {"stack", std::move(stack)}};
}

// Runs what the user wrote; an exception becomes an error value.
template <class Function>
Result<ToolReply> caught(Function&& function) {
  try {
    return function();
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::tool_failed, thrown.what(), exception_detail());
  } catch (...) {
    return fail(ErrorCode::tool_failed, "The tool threw something that is not a std::exception",
                exception_detail());
  }
}

// A tool's own check may throw.
ReadArguments read_safely(const Tool& tool, const ToolCall& call,
                          const ValidationOptions& validation) {
  ReadArguments read;
  try {
    return read_arguments(tool, call, validation);
  } catch (const std::exception& thrown) {
    read.unusable = Error{ErrorCode::tool_failed, thrown.what(), exception_detail()};
  } catch (...) {
    read.unusable =
        Error{ErrorCode::tool_failed, "The check of the arguments threw", exception_detail()};
  }
  return read;
}

Result<ToolReply> reply_of(const Invocation& invocation, const Context& context) {
  const detail::DecodedArguments* decoded = invocation.decoded;
  if (decoded != nullptr && decoded->typed == detail::typed_function_of(invocation.tool)) {
    return decoded->typed->call(decoded->value.get(), context);
  }
  return invocation.tool.function(invocation.arguments, context);
}

Result<ToolReply> call_tool(const Invocation& invocation, const Context& context) {
  const Tool& tool = invocation.tool;
  if (invocation.unusable != nullptr) return std::unexpected(*invocation.unusable);
  if (invocation.arguments_changed) {
    TRY(check_arguments(
        tool, invocation.arguments,
        invocation.validation != nullptr ? *invocation.validation : ValidationOptions{}));
  }
  if (tool.spec.options.needs_approval) {
    auto instead = unless_approved(context, tool.spec.name, approval_question(invocation),
                                   {approval_kind(invocation)});
    if (instead) return std::move(*instead);
  }
  Result<ToolReply> reply = reply_of(invocation, context);
  if (reply) {
    if (auto* output = std::get_if<Output>(&*reply)) {
      output->fingerprint = fingerprint_of(output->value);
    }
  }
  return reply;
}

struct Bounded {
  std::string text;
  bool is_cut = false;
};

// A program's own place to keep texts may throw as well.
Result<std::string> kept_whole(std::string_view text, const Context& context) {
  try {
    return context.spill(text);
  } catch (...) {
    return fail(ErrorCode::storage, "The text could not be kept");
  }
}

Bounded bounded_text(const Json& value, std::size_t limit, const Context& context) {
  std::string text =
      value.is_string() ? to_valid_utf8(std::string(value.get_string())) : to_text(value);
  if (limit == 0 || text.size() <= limit) return {std::move(text), false};
  if (context.spill) {
    // Text with lines can be read page by page.
    const auto kept = kept_whole(value.is_string() ? text : to_pretty_text(value), context);
    if (kept) return {head_and_tail(text, limit, *kept), true};
  }
  return {head_of(text, limit), true};
}

void set_failure(ToolOutcome& outcome, Error error) {
  error.message =
      to_valid_utf8(error.message.empty() ? "It failed without a message" : error.message);
  outcome.result.content = error.message;
  outcome.result.is_error = true;
  outcome.result.origin =
      is_refused_by_person(error) ? ToolResult::Origin::refused : ToolResult::Origin::tool;
  outcome.result.fingerprint = fingerprint_of(std::string_view(error.message));
  outcome.error = std::move(error);
}

void set_output(ToolOutcome& outcome, Output output, std::size_t limit, const Context& context) {
  auto [text, is_cut] = bounded_text(output.value, limit, context);
  outcome.response = is_cut ? Json(text) : std::move(output.value);
  outcome.result.content = std::move(text);
  outcome.result.images = std::move(output.images);
  outcome.result.notices = std::move(output.notices);
  outcome.result.fingerprint = output.fingerprint;
  outcome.notes.insert(outcome.notes.end(), std::make_move_iterator(output.notes.begin()),
                       std::make_move_iterator(output.notes.end()));
}

}  // namespace

const Tool* find_tool(std::span<const Tool> tools, std::string_view name) {
  const auto found =
      std::ranges::find_if(tools, [&](const Tool& tool) { return tool.spec.name == name; });
  if (found != tools.end()) return &*found;
  const auto alias = std::ranges::find_if(tools, [&](const Tool& tool) {
    return std::ranges::find(tool.spec.aliases, name) != tool.spec.aliases.end();
  });
  return alias == tools.end() ? nullptr : &*alias;
}

Result<ToolReply> Next::operator()(const Invocation& invocation, const Context& context) const {
  if (instead_) return caught([&] { return instead_(invocation, context); });
  if (rest_.empty()) return caught([&] { return call_tool(invocation, context); });
  return caught([&] { return rest_.front()(invocation, context, Next(rest_.subspan(1))); });
}

ToolOutcome execute(std::span<const Tool> tools, std::span<const Interceptor> interceptors,
                    const ToolCall& call, const Context& context,
                    const ValidationOptions& validation) {
  ToolOutcome outcome;
  outcome.result.call_id = call.id;
  outcome.result.name = call.name;
  const auto began = std::chrono::steady_clock::now();
  const Tool* tool = find_tool(tools, call.name);
  std::optional<Tool> absent;
  ReadArguments read;
  if (tool != nullptr) {
    read = read_safely(*tool, call, validation);
  } else {
    read.unusable = unknown_tool(tools, call.name);
    tool = &absent.emplace(absent_tool(call.name, *read.unusable));
  }
  const Invocation invocation{.call = call,
                              .tool = *tool,
                              .arguments = read.arguments,
                              .unusable = read.unusable ? &*read.unusable : nullptr,
                              .notes = read.notes,
                              .validation = &validation,
                              .decoded = read.decoded.value ? &read.decoded : nullptr};
  Result<ToolReply> reply = Next(interceptors)(invocation, context);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  outcome.duration_ms = took.count();
  // An interceptor may have returned something else.
  const bool is_refused = !reply && (is_refused_arguments(reply.error()) ||
                                     (read.unusable && read.unusable->code == reply.error().code));
  // How often it was refused is added to the message; it is not part of the tool's result.
  const std::uint64_t refusal =
      is_refused ? fingerprint_of(std::string_view(reply.error().message)) : 0;
  count_refusals(is_refused ? &reply.error() : nullptr, call, context, validation);
  outcome.notes = std::move(read.notes);
  if (!reply) {
    set_failure(outcome, std::move(reply).error());
    if (is_refused) outcome.result.fingerprint = refusal;
  } else if (auto* output = std::get_if<Output>(&*reply)) {
    set_output(outcome, std::move(*output), tool->spec.options.output_limit.value_or(0), context);
  } else if (auto* waiting = std::get_if<Waiting>(&*reply)) {
    outcome.waiting = std::move(*waiting);
  } else {
    outcome.delegate = std::move(std::get<Delegate>(*reply));
  }
  return outcome;
}

ToolOutcome execute(const Agent& agent, const ToolCall& call, const Context& context) {
  if (context.spill || !agent.spill) {
    return execute(agent.tools, agent.interceptors, call, context, agent.validation);
  }
  Context with_spill = context;
  with_spill.spill = agent.spill;
  return execute(agent.tools, agent.interceptors, call, with_spill, agent.validation);
}

}  // namespace wright
