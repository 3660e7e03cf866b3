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
  static constexpr bool takes_context_by_reference = (std::is_same_v<Args, Context&> || ...);
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
constexpr bool is_returnable() {
  if constexpr (std::is_void_v<T>) {
    return true;
  } else if constexpr (is_result<T>) {
    return is_returnable<typename T::value_type>();
  } else {
    return has_json_form<std::remove_cvref_t<T>>() ||
           std::convertible_to<const T&, std::string_view>;
  }
}

// Calls `call` and turns whatever it returns into a Result<Json>.
template <class Call>
Result<Json> to_result(Call&& call) {
  using R = std::remove_cvref_t<decltype(call())>;
  if constexpr (std::is_void_v<R>) {
    call();
    return Json(JsonObject{{"success", true}});
  } else if constexpr (is_result<R>) {
    auto result = call();
    if (!result) return std::unexpected(std::move(result).error());
    return to_result([&]() -> decltype(auto) {
      if constexpr (!std::is_void_v<typename R::value_type>) return std::as_const(*result);
    });
  } else {
    return encode(call());
  }
}

// A schema of our own making, which always compiles.
std::optional<JsonSchema> compiled(const Json& schema);

}  // namespace wright::detail

namespace wright {

template <class Function>
Tool tool(std::string name, std::string description, Function function, ToolOptions options) {
  using Found = decltype(detail::signature_of<Function>());
  static_assert(!std::is_void_v<Found>,
                "wright::tool: the third argument must be a function or a lambda with named "
                "parameter types (no auto parameters, no overloads)");
  using Parameters = typename Found::Parameters;
  constexpr std::size_t count = std::tuple_size_v<Parameters>;
  constexpr bool takes_context = Found::takes_context_by_reference;
  static_assert(count <= (takes_context ? 2 : 1),
                "wright::tool: the function takes one described struct (and, after it, a "
                "wright::Context&), not several parameters: put them into a struct");
  static_assert(detail::is_returnable<typename Found::Returned>(),
                "wright::tool: the function must return something with a JSON form (see "
                "wright/schema.h), a wright::Result of it, or void");

  ToolSpec spec{std::move(name), std::move(description), JsonObject{}, options};
  // Shared, so that copies of a tool are the same tool.
  auto shared = std::make_shared<Function>(std::move(function));
  if constexpr (count == (takes_context ? 1 : 0)) {
    spec.parameters = JsonObject{
        {"type", "object"}, {"properties", JsonObject{}}, {"additionalProperties", false}};
    auto schema = detail::compiled(spec.parameters);
    return Tool{std::move(spec),
                [shared](const Json&, Context& context) -> Result<Json> {
                  Function& function = *shared;
                  if constexpr (takes_context) {
                    return detail::to_result([&]() -> decltype(auto) { return function(context); });
                  } else {
                    return detail::to_result([&]() -> decltype(auto) { return function(); });
                  }
                },
                std::move(schema)};
  } else {
    using Arguments = std::tuple_element_t<0, Parameters>;
    static_assert(DescribedStruct<Arguments> || std::same_as<Arguments, Json>,
                  "wright::tool: the function's parameter must be a struct described with "
                  "WRIGHT_DESCRIBE (at namespace scope), or wright::Json; a wright::Context& may "
                  "follow it");
    if constexpr (DescribedStruct<Arguments>) {
      spec.parameters = schema_of<Arguments>();
      spec.options.provides.validation = true;  // decoding checks everything that the schema says
    }
    auto schema = detail::compiled(spec.parameters);
    return Tool{
        std::move(spec),
        [shared](const Json& json, Context& context) -> Result<Json> {
          Function& function = *shared;
          auto arguments = decode<Arguments>(json);
          if (!arguments) return std::unexpected(std::move(arguments).error());
          if constexpr (takes_context) {
            return detail::to_result(
                [&]() -> decltype(auto) { return function(*arguments, context); });
          } else {
            return detail::to_result([&]() -> decltype(auto) { return function(*arguments); });
          }
        },
        std::move(schema)};
  }
}

}  // namespace wright
