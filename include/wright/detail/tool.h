// The template behind tool() in tool.h. Not for direct inclusion.
#pragma once

#include <type_traits>
#include <utility>

namespace wright::detail {

// The parameter and return types of a function, function pointer or function object with one
// operator(). Undefined for everything else.
template <class F>
struct Signature;
template <class R, class... Args>
struct Signature<R(Args...)> {
  using Returned = R;
  using Parameters = std::tuple<std::remove_cvref_t<Args>...>;
  static constexpr bool takes_context_by_reference = (std::is_same_v<Args, const Context&> || ...);
};
template <class R, class... Args>
struct Signature<R (*)(Args...)> : Signature<R(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...)> : Signature<R(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const> : Signature<R(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) noexcept> : Signature<R(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const noexcept> : Signature<R(Args...)> {};

template <class F>
auto signature_of() {
  if constexpr (requires { &F::operator(); }) {
    return Signature<decltype(&F::operator())>{};
  } else if constexpr (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>) {
    return Signature<F>{};
  }
}

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

template <class T>
inline constexpr bool is_reply = std::is_same_v<T, ToolReply> || std::is_same_v<T, Output> ||
                                 std::is_same_v<T, Waiting> || std::is_same_v<T, Delegate>;

template <class T>
constexpr bool is_returnable() {
  if constexpr (std::is_void_v<T> || is_reply<T>) {
    return true;
  } else if constexpr (is_result<T>) {
    return is_returnable<typename T::value_type>();
  } else {
    return has_json_form<std::remove_cvref_t<T>>() ||
           std::convertible_to<const T&, std::string_view>;
  }
}

// Calls `call` and turns whatever it returns into a reply.
template <class Call>
Result<ToolReply> to_reply(Call&& call) {
  using R = std::remove_cvref_t<decltype(call())>;
  if constexpr (std::is_void_v<R>) {
    call();
    return Output{.value = JsonObject{{"success", true}}};
  } else if constexpr (is_result<R>) {
    auto result = call();
    if (!result) return std::unexpected(std::move(result).error());
    if constexpr (std::is_void_v<typename R::value_type>) {
      return to_reply([] {});
    } else {
      return to_reply([&]() -> decltype(auto) { return std::move(*result); });
    }
  } else if constexpr (is_reply<R>) {
    return ToolReply(call());
  } else if constexpr (std::same_as<R, Json>) {
    return Output{.value = call()};
  } else {
    return Output{.value = encode(call())};
  }
}

// A tool's function over a C++ type. The arguments of a call are checked and decoded in one pass,
// and kept as that type until the call has passed the interceptors.
class TypedFunction {
 public:
  virtual ~TypedFunction() = default;
  // The arguments, with all that the type demands.
  virtual Result<std::shared_ptr<const void>> decode(const Json& arguments) const = 0;
  // With what decode() has made.
  virtual Result<ToolReply> call(const void* arguments, const Context& context) const = 0;
  // With arguments that nobody has checked: what they break beyond the type is passed over.
  virtual Result<ToolReply> call(const Json& arguments, const Context& context) const = 0;
};

// What stands in Tool::function and Tool::check of such a tool.
struct CallTyped {
  std::shared_ptr<const TypedFunction> typed;
  Result<ToolReply> operator()(const Json& arguments, const Context& context) const;
};
struct CheckTyped {
  std::shared_ptr<const TypedFunction> typed;
  Result<void> operator()(const Json& arguments) const;
};

// The arguments of a call as their tool's C++ type.
struct DecodedArguments {
  const TypedFunction* typed = nullptr;  // who made them
  std::shared_ptr<const void> value = {};
};

// Null unless both are there, of one function: somebody may have put something else in a place.
const TypedFunction* typed_function_of(const Tool& tool);

template <class Function, class Arguments, bool takes_context>
class FunctionOver final : public TypedFunction {
 public:
  explicit FunctionOver(Function function) : function_(std::move(function)) {}

  Result<std::shared_ptr<const void>> decode(const Json& json) const override {
    auto arguments = std::make_shared<Arguments>();
    Problems problems;
    decode_into(json, *arguments, nullptr, Path{}, problems);
    if (!problems.found.empty()) return std::unexpected(refused_arguments(problems.found));
    return arguments;
  }
  Result<ToolReply> call(const void* arguments, const Context& context) const override {
    const auto& given = *static_cast<const Arguments*>(arguments);
    if constexpr (is_invocable_with<const Arguments&>) {
      return reply(given, context);
    } else {
      Arguments copy = given;  // another attempt is to see them as they are
      return reply(copy, context);
    }
  }
  Result<ToolReply> call(const Json& json, const Context& context) const override {
    if constexpr (std::same_as<Arguments, Json> && is_invocable_with<const Json&>) {
      return reply(json, context);
    }
    auto arguments = decode_types<Arguments>(json);
    if (!arguments) return std::unexpected(std::move(arguments).error());
    return reply(*arguments, context);
  }

 private:
  template <class Given>
  static constexpr bool is_invocable_with =
      takes_context ? std::is_invocable_v<Function&, Given, const Context&>
                    : std::is_invocable_v<Function&, Given>;

  template <class Given>
  Result<ToolReply> reply(Given& arguments, const Context& context) const {
    if constexpr (takes_context) {
      return to_reply([&]() -> decltype(auto) { return function_(arguments, context); });
    } else {
      return to_reply([&]() -> decltype(auto) { return function_(arguments); });
    }
  }

  mutable Function function_;  // may keep something
};

template <class Arguments>
std::function<Result<void>(const Json&)> check_of() {
  return [](const Json& json) -> Result<void> {
    auto decoded = decode<Arguments>(json);
    if (!decoded) return std::unexpected(std::move(decoded).error());
    return {};
  };
}

// A schema of our own making, which always compiles.
std::optional<JsonSchema> compiled(const Json& schema);

// Fails to compile where the function cannot be that of a tool, with one message; then nothing else
// of it is compiled.
template <class Function>
constexpr bool require_tool_function() {
  using Found = decltype(signature_of<Function>());
  if constexpr (tool_is_a_function<Function, !std::is_void_v<Found>>()) {
    using Parameters = typename Found::Parameters;
    constexpr std::size_t count = std::tuple_size_v<Parameters>;
    constexpr std::size_t own = Found::takes_context_by_reference ? count - 1 : count;
    using Returned = typename Found::Returned;
    if constexpr (tool_takes_one_struct<Function, own <= 1>() &&
                  tool_returns_json<Returned, is_returnable<Returned>()>()) {
      if constexpr (own == 0) {
        return true;
      } else {
        using Parameter = std::tuple_element_t<0, Parameters>;
        constexpr bool is_usable = (JsonStruct<Parameter> && !std::same_as<Parameter, Context>) ||
                                   std::same_as<Parameter, Json>;
        if constexpr (tool_takes_struct<Parameter, is_usable>()) {
          return require_readable<Parameter>();
        }
      }
    }
  }
  return false;
}

template <class Function>
Tool tool_of_function(std::string name, std::string description, Function function,
                      ToolOptions options) {
  using Found = decltype(signature_of<Function>());
  using Parameters = typename Found::Parameters;
  constexpr std::size_t count = std::tuple_size_v<Parameters>;
  constexpr bool takes_context = Found::takes_context_by_reference;
  ToolSpec spec{std::move(name), std::move(description), JsonObject{}, std::move(options)};
  if constexpr (count == (takes_context ? 1 : 0)) {
    spec.parameters = JsonObject{
        {"type", "object"}, {"properties", JsonObject{}}, {"additionalProperties", false}};
    auto schema = compiled(spec.parameters);
    // Shared, so that copies of a tool are the same tool.
    auto shared = std::make_shared<Function>(std::move(function));
    return Tool{std::move(spec),
                [shared](const Json&, const Context& context) -> Result<ToolReply> {
                  Function& function = *shared;
                  if constexpr (takes_context) {
                    return to_reply([&]() -> decltype(auto) { return function(context); });
                  } else {
                    return to_reply([&]() -> decltype(auto) { return function(); });
                  }
                },
                std::move(schema)};
  } else {
    using Arguments = std::tuple_element_t<0, Parameters>;
    using Typed = FunctionOver<Function, Arguments, takes_context>;
    if constexpr (JsonStruct<Arguments>) spec.parameters = schema_of<Arguments>();
    auto schema = compiled(spec.parameters);
    auto typed = std::make_shared<const Typed>(std::move(function));
    Tool tool{.spec = std::move(spec), .function = CallTyped{typed}, .schema = std::move(schema)};
    if constexpr (!std::same_as<Arguments, Json>) tool.check = CheckTyped{std::move(typed)};
    return tool;
  }
}

}  // namespace wright::detail

namespace wright {

template <std::invocable<const Json&, const Context&> Function>
Result<Tool> tool(ToolSpec spec, Function function) {
  return tool(
      std::move(spec),
      ToolFunction([function = std::move(function)](
                       const Json& arguments, const Context& context) mutable -> Result<ToolReply> {
        return detail::to_reply([&]() -> decltype(auto) { return function(arguments, context); });
      }));
}

template <class Function>
Tool tool(std::string name, std::string description, Function function, ToolOptions options) {
  if constexpr (detail::require_tool_function<Function>()) {
    return detail::tool_of_function(std::move(name), std::move(description), std::move(function),
                                    options);
  } else {
    return {};
  }
}

}  // namespace wright
