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

bool is_allowed_tool_name(std::string_view name, const ToolNameRule& rule) {
  if (name.empty() || name.size() > rule.longest) return false;
  if (rule.starts_with_letter && !is_letter(name[0]) && name[0] != '_') return false;
  return std::ranges::all_of(name, [&](char c) { return is_allowed(c, rule); });
}

ToolNames::ToolNames(const Request& request, ToolNameRule rule) : rule_(rule) {
  // Names that need no change come first, so that no other is mapped to them.
  for (const Tool& tool : request.tools) {
    if (is_allowed_tool_name(tool.spec.name, rule)) add(tool.spec.name);
  }
  for (const Tool& tool : request.tools) add(tool.spec.name);
  if (const ToolChoice choice = request.tool_choice(); !choice.tool.empty()) add(choice.tool);
  add(request.messages);
}

void ToolNames::add(std::span<const Message> messages) {
  for (const Message& message : messages) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) add(call->name);
      if (const auto* result = std::get_if<ToolResult>(&part)) add(result->name);
    }
  }
}

void ToolNames::add(std::string_view name) {
  if (is_known(name)) return;
  const std::string allowed = allowed_name(name, rule_);
  if (allowed == name && !is_taken(name)) {
    unchanged_.insert(std::ranges::lower_bound(unchanged_, name), allowed);
    return;
  }
  std::string wire = allowed;
  for (int number = 2; is_taken(wire); ++number) wire = numbered(allowed, number, rule_);
  from_wire_.emplace(wire, name);
  to_wire_.emplace(name, std::move(wire));
}

bool ToolNames::is_known(std::string_view name) const {
  return to_wire_.contains(name) || std::ranges::binary_search(unchanged_, name);
}

bool ToolNames::is_taken(std::string_view wire) const {
  return from_wire_.contains(wire) || std::ranges::binary_search(unchanged_, wire);
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
