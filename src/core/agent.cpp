#include "wright/agent.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <set>

#include "core/label.h"
#include "core/try.h"

namespace wright {
namespace {

constexpr std::size_t kLongestToolName = 128;

// Vendors allow less; their protocols map names where necessary.
bool is_tool_name(std::string_view name) {
  const auto is_printable = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; };
  return !name.empty() && name.size() <= kLongestToolName && is_valid_utf8(name) &&
         std::ranges::all_of(name, is_printable);
}

// 0 looks like "no limit", which is said by leaving it out.
template <class Number>
Result<void> check_is_positive(std::string_view name, const std::optional<Number>& limit) {
  if (!limit || *limit > Number{}) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} must be above 0; leave it out for no limit", name));
}

Result<void> check_limits(const Agent& agent) {
  const Limits& limits = agent.limits;
  if (limits.max_iterations < 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("max_iterations must be at least 1, not {}", limits.max_iterations));
  }
  if (limits.max_tool_calls.value_or(0) < 0) {
    return fail(ErrorCode::invalid_argument, "max_tool_calls must not be negative");
  }
  if (limits.max_cuts < 0) {
    return fail(ErrorCode::invalid_argument, "max_cuts must not be negative");
  }
  for (const Result<void>& checked : {check_is_positive("max_tokens", limits.max_tokens),
                                      check_is_positive("max_cost_usd", limits.max_cost_usd),
                                      check_is_positive("max_time", limits.max_time),
                                      check_is_positive("max_repeats", limits.max_repeats),
                                      check_is_positive("context_tokens", agent.context_tokens)}) {
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_answer_format(const Agent& agent) {
  const ResponseFormat& format = agent.sampling.response_format;
  if (format.kind != ResponseFormat::Kind::json_schema) return {};
  const auto compiled = JsonSchema::compile(format.schema);
  if (compiled) return {};
  return fail(ErrorCode::invalid_argument, fmt::format("The schema of the answers of '{}': {}",
                                                       agent.name, compiled.error().message));
}

// Whether a schema of parameters refuses any object at all.
bool demands_something(const Json& parameters) {
  const JsonObject* schema = parameters.if_object();
  if (schema == nullptr) return true;
  return std::ranges::any_of(*schema, [](const auto& member) {
    return member.key() != "type" && member.key() != "description" && member.key() != "title" &&
           member.key() != "$schema";
  });
}

}  // namespace

std::vector<std::string> labels_for(const Agent& agent, std::vector<std::string> more) {
  more.insert(more.end(), agent.labels.begin(), agent.labels.end());
  for (const Tool& tool : agent.tools) {
    const std::vector<std::string>& labels = tool.spec.options.labels;
    more.insert(more.end(), labels.begin(), labels.end());
  }
  std::ranges::sort(more);
  more.erase(std::ranges::unique(more).begin(), more.end());
  return more;
}

Result<void> check(const Agent& agent) {
  if (agent.name.empty()) return fail(ErrorCode::invalid_argument, "The agent has no name");
  if (!agent.model.is_set()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The agent '{}' has no model. Set one, for example "
                            "wright::offline_model()",
                            agent.name));
  }
  TRY(check_limits(agent));
  TRY(check_answer_format(agent));
  std::set<std::string_view> names;
  // With two tools under one name, it would be chance which one is called.
  const auto clash = [&](std::string_view name) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The agent '{}' has two tools named '{}'", agent.name, name));
  };
  for (const Tool& tool : agent.tools) {
    const std::string& name = tool.spec.name;
    if (!is_tool_name(name)) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("'{}' is not a tool name: use 1 to {} characters without spaces, best of "
                      "letters, digits, '_' and '-'",
                      name, kLongestToolName));
    }
    if (!names.insert(name).second) return clash(name);
    if (!tool.function) {
      return fail(ErrorCode::invalid_argument, fmt::format("The tool '{}' has no function", name));
    }
    if (!tool.schema && !tool.check && demands_something(tool.spec.parameters)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("Nothing would check the arguments of the tool '{}' before it runs: "
                              "make it with tool(), or set Tool::schema or Tool::check",
                              name));
    }
    const ToolOptions& options = tool.spec.options;
    const bool has_no_time = options.timeout && options.timeout->count() <= 0;
    if (has_no_time || options.output_limit == 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The {} of {} must be above 0; leave it out for no limit",
                              has_no_time ? "timeout" : "output_limit", name));
    }
  }
  for (const std::string& label : labels_for(agent)) {
    if (!is_label(label)) return fail(ErrorCode::invalid_argument, no_label(label));
  }
  for (const Tool& tool : agent.tools) {
    for (const std::string& alias : tool.spec.aliases) {
      if (alias != tool.spec.name && !names.insert(alias).second) return clash(alias);
    }
  }
  return {};
}

}  // namespace wright
