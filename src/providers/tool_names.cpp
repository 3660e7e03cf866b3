#include "providers/tool_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

bool is_allowed(char c, const ToolNameRule& rule) {
  return is_letter(c) || is_digit(c) || rule.punctuation.contains(c);
}

std::string allowed_name(std::string_view name, const ToolNameRule& rule) {
  std::string allowed;
  for (const char c : name) allowed += is_allowed(c, rule) ? c : '_';
  if (allowed.empty()) allowed = "tool";
  if (rule.starts_with_letter && !is_letter(allowed[0]) && allowed[0] != '_') {
    allowed.insert(allowed.begin(), '_');
  }
  allowed.resize(std::min(allowed.size(), rule.longest));
  return allowed;
}

// Makes room for a number at the end.
std::string numbered(std::string name, int number, const ToolNameRule& rule) {
  const std::string suffix = fmt::format("_{}", number);
  name.resize(std::min(name.size(), rule.longest - suffix.size()));
  return name + suffix;
}

}  // namespace

ToolNames::ToolNames(const Request& request, ToolNameRule rule) {
  // Names that need no change come first, so that no other is mapped to them.
  for (const Tool& tool : request.tools) {
    if (allowed_name(tool.spec.name, rule) == tool.spec.name) add(tool.spec.name, rule);
  }
  for (const Tool& tool : request.tools) add(tool.spec.name, rule);
  if (const ToolChoice choice = request.tool_choice(); !choice.tool.empty()) add(choice.tool, rule);
  for (const Message& message : request.messages) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) add(call->name, rule);
      if (const auto* result = std::get_if<ToolResult>(&part)) add(result->name, rule);
    }
  }
}

void ToolNames::add(std::string_view name, const ToolNameRule& rule) {
  if (to_wire_.contains(name)) return;
  const std::string allowed = allowed_name(name, rule);
  std::string wire = allowed;
  for (int number = 2; from_wire_.contains(wire); ++number) {
    wire = numbered(allowed, number, rule);
  }
  from_wire_.emplace(wire, name);
  to_wire_.emplace(name, std::move(wire));
}

std::string_view ToolNames::on_wire(std::string_view name) const {
  const auto found = to_wire_.find(name);
  return found == to_wire_.end() ? name : std::string_view(found->second);
}

std::string_view ToolNames::from_wire(std::string_view name) const {
  const auto found = from_wire_.find(name);
  return found == from_wire_.end() ? name : std::string_view(found->second);
}

}  // namespace wright::providers
