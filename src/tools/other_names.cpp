#include "tools/other_names.h"

#include <utility>

namespace wright::tools {

void rename_members(JsonObject& arguments, std::span<const OtherName> names) {
  for (const auto& [other, own] : names) {
    const auto found = arguments.find(other);
    if (found == arguments.end()) continue;
    const Json* existing = arguments.if_contains(own);
    if (existing != nullptr && *existing != found->value()) continue;
    Json value = std::move(found->value());
    arguments.erase(found);
    arguments[own] = std::move(value);
  }
}

Tool with_rewrite(Tool tool, std::function<void(JsonObject& arguments)> rewrite) {
  tool.rewrite = [rewrite = std::move(rewrite)](Json arguments) {
    if (JsonObject* object = arguments.if_object()) rewrite(*object);
    return arguments;
  };
  tool.function = [function = std::move(tool.function), rewrite = tool.rewrite](
                      const Json& arguments, const Context& context) {
    return function(rewrite(arguments), context);
  };
  if (tool.preview) {
    tool.preview = [preview = std::move(tool.preview), rewrite = tool.rewrite](
                       const Json& arguments) { return preview(rewrite(arguments)); };
  }
  return tool;
}

Tool without_showing(Tool tool, std::span<const std::string_view> parameters) {
  JsonObject& properties = tool.spec.parameters.as_object().at("properties").as_object();
  for (const std::string_view parameter : parameters) properties.erase(parameter);
  return tool;
}

}  // namespace wright::tools
