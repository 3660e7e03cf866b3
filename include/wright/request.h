// What goes to a model and what comes back, independent of any vendor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"

namespace wright {

struct Tool;

struct ToolChoice {
  enum class Kind : std::uint8_t { automatic, required, none, one };
  Kind kind = Kind::automatic;
  std::string tool;  // for Kind::one: the tool that must be called

  static ToolChoice automatic() { return {}; }
  static ToolChoice required() { return {Kind::required, {}}; }
  static ToolChoice none() { return {Kind::none, {}}; }
  static ToolChoice one(std::string name) { return {Kind::one, std::move(name)}; }
  bool operator==(const ToolChoice&) const = default;
};

struct ResponseFormat {
  enum class Kind : std::uint8_t { text, json_object, json_schema };
  Kind kind = Kind::text;
  std::string name;  // for Kind::json_schema
  Json schema;

  bool operator==(const ResponseFormat&) const = default;
};

// How long a model that can think should do so.
enum class ReasoningEffort : std::uint8_t { none, low, medium, high };

// How the model should answer; the same for every turn of an agent.
struct Sampling {
  int max_tokens = 4000;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::vector<std::string> stop_sequences;
  std::optional<ReasoningEffort> reasoning;  // absent: the model's own default
  ToolChoice tool_choice;
  ResponseFormat response_format;
  bool operator==(const Sampling&) const = default;
};

// A view, so that a turn costs the same however long the history is: valid as long as the agent
// and the messages it was made from are neither changed nor destroyed.
struct Request {
  std::span<const Message> messages = {};
  std::string_view system = {};
  std::string_view model = {};
  std::span<const Tool> tools = {};
  const Sampling* sampling = nullptr;  // never null in a request made by next()
};

enum class StopReason : std::uint8_t {
  end_turn,
  tool_use,
  max_tokens,  // the answer was cut
  stop_sequence,
  content_filter,
  other,
};

std::string_view to_string(StopReason reason);

struct Response {
  std::vector<Part> content;  // text, reasoning and tool calls, in the model's order
  Role role = Role::assistant;
  Usage usage;
  StopReason stop_reason = StopReason::end_turn;
  std::string model;  // what really answered, when the vendor says so

  std::string text() const;
  std::vector<ToolCall> tool_calls() const;
  bool operator==(const Response&) const = default;
};

}  // namespace wright
