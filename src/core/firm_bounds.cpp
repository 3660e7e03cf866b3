#include "core/firm_bounds.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/try.h"

namespace wright {
namespace {

// What a schema says about the size of numbers, and nothing else.
Json bounds_in(const Json& schema) {
  const JsonObject* object = schema.if_object();
  if (object == nullptr) return JsonObject{};
  JsonObject bounds;
  for (const auto& [key, value] : *object) {
    const std::string_view keyword = key;
    if (keyword == "minimum" || keyword == "maximum" || keyword == "$ref") {
      bounds.emplace(key, value);
    } else if (keyword == "items" || (keyword == "additionalProperties" && value.is_object())) {
      bounds.emplace(key, bounds_in(value));
    } else if ((keyword == "properties" || keyword == "$defs") && value.is_object()) {
      JsonObject inner;
      for (const auto& [name, each] : value.get_object()) inner.emplace(name, bounds_in(each));
      bounds.emplace(key, std::move(inner));
    }
  }
  return bounds;
}

class BoundedFunction final : public detail::TypedFunction {
 public:
  BoundedFunction(std::shared_ptr<const TypedFunction> function, JsonSchema bounds)
      : function_(std::move(function)), bounds_(std::move(bounds)) {}

  Result<std::shared_ptr<const void>> decode(const Json& arguments) const override {
    return function_->decode(arguments);
  }
  Result<ToolReply> call(const void* arguments, const Context& context) const override {
    return function_->call(arguments, context);
  }
  Result<ToolReply> call(const Json& arguments, const Context& context) const override {
    if (!bounds_.accepts(arguments)) return std::unexpected(broken_by(arguments));
    return function_->call(arguments, context);
  }

 private:
  Error broken_by(const Json& arguments) const {
    std::vector<std::string> problems;
    for (Violation& each : bounds_.violations(arguments)) {
      problems.push_back(std::move(each.message));
    }
    return refused_arguments(problems);
  }

  std::shared_ptr<const TypedFunction> function_;
  JsonSchema bounds_;
};

}  // namespace

Tool with_firm_bounds(Tool tool) {
  const auto* call = tool.function.target<detail::CallTyped>();
  auto bounds = detail::compiled(bounds_in(tool.spec.parameters));
  if (call == nullptr || !bounds) return tool;
  auto bounded = std::make_shared<const BoundedFunction>(call->typed, std::move(*bounds));
  tool.function = detail::CallTyped{bounded};
  tool.check = detail::CheckTyped{std::move(bounded)};
  return tool;
}

}  // namespace wright
