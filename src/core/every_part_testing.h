// For tests: a conversation with every part of a message and every field of each.
//
// Nobody lists the fields here: they are found by the compiler and filled with values that no field
// has by itself, so that a new one is in the tests the day it is written. A new Part has no place in
// the conversation below, and does not compile before it has one.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/enum_names.h"
#include "wright/detail/plain_struct.h"
#include "wright/message.h"

namespace wright::testing {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class Enum, std::size_t count = 0>
constexpr std::size_t enumerators() {
  if constexpr (has_enumerator<static_cast<Enum>(count)>()) {
    return enumerators<Enum, count + 1>();
  } else {
    return count;
  }
}

// Each value is another one, and none is the field's default.
class Filler {
 public:
  template <class T>
  void fill(T& value) {
    ++filled_;
    if constexpr (std::same_as<T, std::string>) {
      value = "\xc3\xa9\n\"\\{" + std::to_string(filled_);
    } else if constexpr (std::same_as<T, bool>) {
      value = true;
    } else if constexpr (std::unsigned_integral<T>) {
      value = static_cast<T>(~T{0} - filled_);
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(filled_);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(enumerators<T>() - 1);
    } else if constexpr (IsList<T>::value) {
      value.resize(2);
      for (auto& each : value) fill(each);
    } else if constexpr (IsOptional<T>::value) {
      fill(value.emplace());
    } else if constexpr (std::same_as<T, Json>) {
      value = JsonObject{{"filled", filled_}};
    } else {
      static_assert(detail::is_plain_struct<T>(),
                    "say here what a field of this type is filled with");
      std::apply([&](auto&... member) { (fill(member), ...); }, detail::members_of(value));
    }
  }

 private:
  std::uint64_t filled_ = 0;
};

template <class T>
void expect_no_default_in(const T& value) {
  const T usual{};
  const auto compare = [](const auto& filled, const auto& untouched) {
    EXPECT_NE(filled, untouched);
  };
  const auto members = detail::members_of(value);
  const auto defaults = detail::members_of(usual);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare(std::get<I>(members), std::get<I>(defaults)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
}

struct Conversation {
  Message user{Role::user, {}};
  Message assistant{Role::assistant, {}};
  Message tool{Role::tool, {}};

  // Where each part may stand. A part of a new kind needs a line here.
  void place(Text part) {
    user.parts.emplace_back(part);
    assistant.parts.emplace_back(std::move(part));
  }
  void place(Image part) { user.parts.emplace_back(std::move(part)); }
  void place(Reasoning part) { assistant.parts.emplace_back(std::move(part)); }
  void place(ToolCall part) { assistant.parts.emplace_back(std::move(part)); }
  void place(ToolResult part) { tool.parts.emplace_back(std::move(part)); }
  void place(Notice part) {
    for (std::size_t kind = 0; kind < enumerators<Notice::Kind>(); ++kind) {
      part.kind = static_cast<Notice::Kind>(kind);
      user.parts.emplace_back(part);
    }
  }
};

template <std::size_t... I>
Conversation conversation_of(std::index_sequence<I...>) {
  Conversation made;
  Filler filler;
  const auto add = [&]<class T>(T part) {
    filler.fill(part);
    expect_no_default_in(part);
    made.place(std::move(part));
  };
  (add(std::variant_alternative_t<I, Part>{}), ...);
  return made;
}

inline std::vector<Message> every_part() {
  Conversation made = conversation_of(std::make_index_sequence<std::variant_size_v<Part>>());
  // What is JSON elsewhere is so here, or a replay would not get far.
  for (Part& part : made.assistant.parts) {
    if (auto* call = std::get_if<ToolCall>(&part)) call->arguments = R"({"é":[1,"\\{"]})";
    if (auto* thought = std::get_if<Reasoning>(&part)) thought->opaque = R"({"é":"\\{"})";
  }
  const ToolCall call = made.assistant.tool_calls().at(0);
  auto& result = std::get<ToolResult>(made.tool.parts.at(0));
  result.call_id = call.id;
  result.name = call.name;
  return {made.user, made.assistant, made.tool, Message::assistant("Done.")};
}

}  // namespace wright::testing
