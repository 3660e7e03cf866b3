#include "wright/tool.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/enum_names.h"

namespace wright {

WRIGHT_ENUM(Effect, read, idempotent, write)

namespace {

bool allows_objects(const Json& schema) {
  const JsonObject* object = schema.if_object();
  const Json* type = object != nullptr ? object->if_contains("type") : nullptr;
  if (type == nullptr) return true;
  if (const JsonArray* list = type->if_array()) {
    return std::ranges::find(*list, Json("object")) != list->end();
  }
  return *type == Json("object");
}

}  // namespace

std::string_view to_string(Effect effect) {
  return enum_name(effect);
}

std::optional<std::int64_t> CallBudget::tokens_left() const {
  const std::lock_guard lock(mutex_);
  if (!tokens_) return std::nullopt;
  return *tokens_ - spent_.input_tokens - spent_.output_tokens;
}

std::optional<double> CallBudget::cost_usd_left() const {
  const std::lock_guard lock(mutex_);
  if (!cost_usd_) return std::nullopt;
  return *cost_usd_ - spent_.cost_usd;
}

void CallBudget::spend(const Usage& usage) {
  const std::lock_guard lock(mutex_);
  spent_ += usage;
}

Usage CallBudget::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

Tool Tool::as(std::string name) const {
  Tool copy = *this;
  copy.spec.name = std::move(name);
  return copy;
}

Result<Tool> tool(ToolSpec spec, ToolFunction function) {
  if (!function) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The tool '{}' has no function", spec.name));
  }
  auto schema = JsonSchema::compile(spec.parameters);
  if (schema && !allows_objects(spec.parameters)) {
    schema = fail(ErrorCode::invalid_argument, "#/type: the arguments of a tool are an object");
  }
  if (!schema) {
    return fail(schema.error().code, fmt::format("The schema of the tool '{}' cannot be used: {}",
                                                 spec.name, schema.error().message));
  }
  return Tool{std::move(spec), std::move(function), std::move(*schema)};
}

std::optional<JsonSchema> detail::compiled(const Json& schema) {
  auto compiled = JsonSchema::compile(schema);
  if (!compiled) return std::nullopt;
  return std::move(*compiled);
}

Result<ToolReply> detail::CallTyped::operator()(const Json& arguments,
                                                const Context& context) const {
  return typed->call(arguments, context);
}

Result<void> detail::CheckTyped::operator()(const Json& arguments) const {
  auto decoded = typed->decode(arguments);
  if (!decoded) return std::unexpected(std::move(decoded).error());
  return {};
}

const detail::TypedFunction* detail::typed_function_of(const Tool& tool) {
  const auto* call = tool.function.target<CallTyped>();
  const auto* check = tool.check.target<CheckTyped>();
  return call != nullptr && check != nullptr && call->typed == check->typed ? call->typed.get()
                                                                            : nullptr;
}

}  // namespace wright
