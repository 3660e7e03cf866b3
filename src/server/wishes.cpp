#include "server/wishes.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <utility>

#include "core/try.h"
#include "server/known_members.h"

namespace wright::server {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000;
constexpr std::size_t kMostStops = 16;

// Null counts as absent: programs send it for what nobody has set.
const Json* given(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<const JsonObject*> object_in(const JsonObject& object, std::string_view key) {
  const Json* value = given(object, key);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) {
    return refused_member(ErrorCode::invalid_argument, key, "must be an object");
  }
  return &value->get_object();
}

Result<std::string> word_in(const JsonObject& object, std::string_view key,
                            std::string_view named) {
  const Json* value = given(object, key);
  if (value == nullptr || !value->is_string()) {
    return refused_member(ErrorCode::invalid_argument, named, "must be a text");
  }
  return std::string(value->get_string());
}

Result<std::optional<double>> number_in(const JsonObject& body, std::string_view key, double most) {
  const Json* value = given(body, key);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->to_number<double>() : -1;
  if (!value->is_number() || number < 0 || number > most) {
    return refused_member(ErrorCode::invalid_argument, key,
                          fmt::format("must be a number from 0 to {}", most));
  }
  return number;
}

Result<void> read_most_tokens(const JsonObject& body, std::string_view key, Wishes& wishes) {
  const Json* value = given(body, key);
  if (value == nullptr) return {};
  if (!value->is_int64() || value->get_int64() < 1) {
    return refused_member(ErrorCode::invalid_argument, key, "must be a whole number above 0");
  }
  wishes.max_tokens = static_cast<int>(std::min(value->get_int64(), kMostTokens));
  return {};
}

Result<void> read_stops(const JsonObject& body, std::string_view key, Wishes& wishes) {
  const Json* value = given(body, key);
  if (value == nullptr) return {};
  const auto wrong = [&] {
    return refused_member(ErrorCode::invalid_argument, key,
                          fmt::format("must be texts, {} at most, none of them empty", kMostStops));
  };
  const JsonArray list = value->is_array() ? value->get_array() : JsonArray{*value};
  if (list.size() > kMostStops) return wrong();
  for (const Json& each : list) {
    if (!each.is_string() || each.get_string().empty()) return wrong();
    wishes.stop_sequences.emplace_back(each.get_string());
  }
  return {};
}

// The words of both vendors, mapped to those that all models know.
Result<ReasoningEffort> effort_from(std::string_view word, std::string_view member) {
  if (word == "none") return ReasoningEffort::none;
  if (word == "minimal" || word == "low") return ReasoningEffort::low;
  if (word == "medium") return ReasoningEffort::medium;
  if (word == "high" || word == "xhigh" || word == "max") return ReasoningEffort::high;
  return refused_member(ErrorCode::invalid_argument, member,
                        "must be none, minimal, low, medium, high or xhigh");
}

// {"type": "json_schema", …}: the schema lies in `at`, which is the object itself or one in it.
Result<ResponseFormat> format_from_type(const JsonObject& format, const JsonObject* at,
                                        std::string_view member) {
  const std::string type = TRY(word_in(format, "type", fmt::format("{}.type", member)));
  if (type == "text") return ResponseFormat{};
  if (type == "json_object") return ResponseFormat{.kind = ResponseFormat::Kind::json_object};
  if (type != "json_schema") {
    return refused_member(ErrorCode::unsupported, member,
                          fmt::format("cannot be of the type '{}' here", type));
  }
  const Json* schema = at == nullptr ? nullptr : given(*at, "schema");
  if (schema == nullptr) {
    return refused_member(ErrorCode::invalid_argument, member, "has no schema");
  }
  return ResponseFormat{
      .kind = ResponseFormat::Kind::json_schema, .name = "answer", .schema = *schema};
}

// Members that would change the answer, and that nobody here can keep. Those of `harmless` are the
// values that change nothing.
struct Unkept {
  std::string_view member;
  std::string_view why;
  std::initializer_list<Json> harmless = {};
};

Result<void> refuse_unkept(const JsonObject& body, std::initializer_list<Unkept> all) {
  for (const Unkept& each : all) {
    const Json* value = given(body, each.member);
    if (value == nullptr) continue;
    const bool is_zero = value->is_number() && value->to_number<double>() == 0;
    const bool is_empty = (value->is_array() && value->get_array().empty()) ||
                          (value->is_object() && value->get_object().empty());
    const bool is_harmless =
        is_empty || std::ranges::any_of(each.harmless, [&](const Json& harmless) {
          return *value == harmless || (is_zero && harmless == Json(0));
        });
    if (!is_harmless) return refused_member(ErrorCode::unsupported, each.member, each.why);
  }
  return {};
}

// More that a response could hold. What is about items that an agent here never gives is harmless.
Result<void> check_include(const JsonObject& body) {
  const Json* include = given(body, "include");
  if (include == nullptr) return {};
  if (!include->is_array()) {
    return refused_member(ErrorCode::invalid_argument, "include", "must be a list");
  }
  constexpr std::array<std::string_view, 6> kNeverThere{
      "reasoning.encrypted_content",    "file_search_call.results",
      "web_search_call.action.sources", "web_search_call.results",
      "code_interpreter_call.outputs",  "computer_call_output.output.image_url"};
  for (const Json& each : include->get_array()) {
    const std::string_view name = each.is_string() ? std::string_view(each.get_string()) : "";
    if (std::ranges::find(kNeverThere, name) != kNeverThere.end()) continue;
    return refused_member(ErrorCode::unsupported, "include",
                          fmt::format("cannot have '{}' here", utf8_prefix(name, 100)));
  }
  return {};
}

constexpr std::string_view kIsStored =
    "cannot be false here: every session is on record. Leave it out; DELETE /v1/responses/ID "
    "removes a response, and DELETE /api/v1/sessions/ID a session";
constexpr std::string_view kCannotBeKept = "cannot be kept here: leave it out";
constexpr std::string_view kSeveralCalls =
    "cannot be kept here: an agent may call several tools at once, unless tool_choice names one";

// Whether at most one call at a time is wanted: where the member is `single`.
Result<void> read_single_call(const JsonObject& object, std::string_view key, const Json& single,
                              std::string_view member, Wishes& wishes) {
  const Json* value = given(object, key);
  if (value == nullptr) return {};
  if (!value->is_bool()) {
    return refused_member(ErrorCode::invalid_argument, member, "must be a boolean");
  }
  if (*value == single) wishes.single_call = member;
  return {};
}

// A word, or an object that names one tool: {"type": "function", "function": {"name": …}}, or with
// the name beside the type.
Result<ToolChoice> openai_choice(const JsonObject& body) {
  const Json* value = given(body, "tool_choice");
  if (value == nullptr || *value == Json("auto")) return ToolChoice::automatic();
  if (*value == Json("none")) return ToolChoice::none();
  if (*value == Json("required")) return ToolChoice::required();
  const JsonObject* object = value->if_object();
  const Json* type = object == nullptr ? nullptr : given(*object, "type");
  if (type == nullptr || !type->is_string()) {
    return refused_member(ErrorCode::invalid_argument, "tool_choice",
                          "must be auto, none, required, or name a function");
  }
  if (*type != Json("function")) {
    return refused_member(
        ErrorCode::unsupported, "tool_choice",
        fmt::format("cannot be of the type '{}' here", std::string_view(type->get_string())));
  }
  const Json* function = given(*object, "function");
  const JsonObject& named =
      function != nullptr && function->is_object() ? function->get_object() : *object;
  std::string name = TRY(word_in(named, "name", "tool_choice"));
  return ToolChoice::one(std::move(name));
}

Result<ToolChoice> anthropic_choice(const JsonObject& body) {
  const JsonObject* object = TRY(object_in(body, "tool_choice"));
  if (object == nullptr) return ToolChoice::automatic();
  const std::string type = TRY(word_in(*object, "type", "tool_choice.type"));
  if (type == "auto") return ToolChoice::automatic();
  if (type == "none") return ToolChoice::none();
  if (type == "any") return ToolChoice::required();
  if (type != "tool") {
    return refused_member(ErrorCode::invalid_argument, "tool_choice.type",
                          "must be auto, any, tool or none");
  }
  std::string name = TRY(word_in(*object, "name", "tool_choice.name"));
  return ToolChoice::one(std::move(name));
}

// A budget of tokens says how long to think; the words that all models know are three.
Result<void> read_thinking(const JsonObject& body, Wishes& wishes) {
  const JsonObject* thinking = TRY(object_in(body, "thinking"));
  if (thinking == nullptr) return {};
  const std::string type = TRY(word_in(*thinking, "type", "thinking.type"));
  if (type == "adaptive") return {};
  if (type == "disabled") {
    wishes.reasoning = ReasoningEffort::none;
    return {};
  }
  const Json* budget = given(*thinking, "budget_tokens");
  if (type != "enabled" || budget == nullptr || !budget->is_int64()) {
    return refused_member(ErrorCode::invalid_argument, "thinking",
                          "must be enabled with budget_tokens, adaptive or disabled");
  }
  const std::int64_t tokens = budget->get_int64();
  wishes.reasoning = tokens <= 4'096    ? ReasoningEffort::low
                     : tokens <= 16'384 ? ReasoningEffort::medium
                                        : ReasoningEffort::high;
  return {};
}

Result<ToolReply> no_calls_now(const Json&, const Context&) {
  return fail(ErrorCode::unsupported, "No tool may be called now: answer in words");
}

// A model may do otherwise than it was told: words in the place of a call are refused, and calls of
// other tools of the caller. `only` may be empty: any of them.
void demand_call(const std::vector<std::string>& caller_tools, const std::string& only,
                 Agent& agent) {
  const auto was_called = std::make_shared<std::atomic<bool>>(false);
  for (Tool& tool : agent.tools) {
    if (std::ranges::find(caller_tools, tool.spec.name) == caller_tools.end()) continue;
    const bool is_another = !only.empty() && tool.spec.name != only;
    tool.function = [was_called, only, is_another, call = std::move(tool.function)](
                        const Json& arguments, const Context& context) -> Result<ToolReply> {
      if (is_another && !*was_called) {
        return fail(ErrorCode::unsupported, fmt::format("Call {} first", only));
      }
      *was_called = true;
      return call(arguments, context);
    };
  }
  agent.check_answer = [was_called, only, check = std::move(agent.check_answer)](
                           std::string_view answer) -> Result<void> {
    if (*was_called) return check ? check(answer) : Result<void>();
    return fail(ErrorCode::answer_refused,
                fmt::format("[Do not answer in words yet: call {} first.]",
                            only.empty() ? "one of the tools" : only));
  };
}

Result<void> grant_choice(const ToolChoice& choice, const std::vector<std::string>& caller_tools,
                          std::size_t own_tools, Agent& agent) {
  Sampling& sampling = agent.sampling;
  switch (choice.kind) {
    case ToolChoice::Kind::automatic: return {};
    case ToolChoice::Kind::none:
      // The agent's own tools are its own affair.
      if (own_tools == 0) {
        sampling.tool_choice = ToolChoice::none();
        // Some models call them all the same.
        for (Tool& tool : agent.tools) tool.function = no_calls_now;
        return {};
      }
      std::erase_if(agent.tools, [&](const Tool& tool) {
        return std::ranges::find(caller_tools, tool.spec.name) != caller_tools.end();
      });
      return {};
    case ToolChoice::Kind::one:
      if (std::ranges::find(caller_tools, choice.tool) == caller_tools.end()) {
        return refused_member(ErrorCode::invalid_argument, "tool_choice",
                              fmt::format("names '{}', which is none of the tools", choice.tool));
      }
      sampling.tool_choice = choice;
      demand_call(caller_tools, choice.tool, agent);
      return {};
    case ToolChoice::Kind::required: break;
  }
  if (caller_tools.empty()) {
    return refused_member(ErrorCode::invalid_argument, "tool_choice",
                          "demands a call, but there are no tools");
  }
  if (caller_tools.size() == 1) {
    sampling.tool_choice = ToolChoice::one(caller_tools.front());
    demand_call(caller_tools, caller_tools.front(), agent);
    return {};
  }
  if (own_tools > 0) {
    return refused_member(
        ErrorCode::unsupported, "tool_choice",
        fmt::format("cannot demand any of several tools: '{}' has tools of its own, and may call "
                    "those. Name one",
                    agent.name));
  }
  sampling.tool_choice = ToolChoice::required();
  demand_call(caller_tools, {}, agent);
  return {};
}

}  // namespace

std::unexpected<Error> refused_member(ErrorCode code, std::string_view member,
                                      std::string_view why) {
  return std::unexpected(
      Error{code, fmt::format("'{}' {}", member, why), JsonObject{{"param", member}}});
}

Result<Wishes> wishes_from_chat(const JsonObject& body) {
  Wishes wishes;
  TRY(check_members(body, VendorProtocol::chat));
  TRY(refuse_unkept(body,
                    {{"n", "must be 1: a response has one choice. Ask again for another", {1}},
                     {"seed", kCannotBeKept},
                     {"logprobs", kCannotBeKept, {false}},
                     {"top_logprobs", kCannotBeKept, {0}},
                     {"logit_bias", kCannotBeKept},
                     {"presence_penalty", kCannotBeKept, {0}},
                     {"frequency_penalty", kCannotBeKept, {0}},
                     {"audio", kCannotBeKept},
                     {"modalities", "can be text alone here", {JsonArray{"text"}}},
                     {"moderation", kCannotBeKept},
                     {"service_tier", kCannotBeKept, {"auto", "default"}},
                     {"store", kIsStored, {true}},
                     {"verbosity", kCannotBeKept, {"medium"}},
                     {"web_search_options", kCannotBeKept},
                     {"functions", "is an older form: use 'tools'"},
                     {"function_call", "is an older form: use 'tool_choice'"}}));
  TRY(read_most_tokens(body, "max_tokens", wishes));
  TRY(read_most_tokens(body, "max_completion_tokens", wishes));
  wishes.temperature = TRY(number_in(body, "temperature", 2));
  wishes.top_p = TRY(number_in(body, "top_p", 1));
  TRY(read_stops(body, "stop", wishes));
  if (given(body, "reasoning_effort") != nullptr) {
    const std::string word = TRY(word_in(body, "reasoning_effort", "reasoning_effort"));
    wishes.reasoning = TRY(effort_from(word, "reasoning_effort"));
  }
  wishes.tool_choice = TRY(openai_choice(body));
  TRY(read_single_call(body, "parallel_tool_calls", false, "parallel_tool_calls", wishes));
  const JsonObject* format = TRY(object_in(body, "response_format"));
  if (format != nullptr) {
    const JsonObject* schema = TRY(object_in(*format, "json_schema"));
    wishes.format = TRY(format_from_type(*format, schema, "response_format"));
  }
  return wishes;
}

Result<Wishes> wishes_from_responses(const JsonObject& body) {
  Wishes wishes;
  TRY(check_members(body, VendorProtocol::responses));
  TRY(check_include(body));
  TRY(refuse_unkept(body, {{"background", kCannotBeKept, {false}},
                           {"context_management", kCannotBeKept},
                           {"moderation", kCannotBeKept},
                           {"service_tier", kCannotBeKept, {"auto", "default"}},
                           {"store", kIsStored, {true}},
                           {"conversation", "is not known here: use 'previous_response_id'"},
                           {"prompt", "is not known here: use 'instructions'"},
                           {"max_tool_calls", kCannotBeKept},
                           {"top_logprobs", kCannotBeKept, {0}}}));
  TRY(read_most_tokens(body, "max_output_tokens", wishes));
  wishes.temperature = TRY(number_in(body, "temperature", 2));
  wishes.top_p = TRY(number_in(body, "top_p", 1));
  const JsonObject* reasoning = TRY(object_in(body, "reasoning"));
  if (reasoning != nullptr && given(*reasoning, "effort") != nullptr) {
    const std::string word = TRY(word_in(*reasoning, "effort", "reasoning.effort"));
    wishes.reasoning = TRY(effort_from(word, "reasoning.effort"));
  }
  wishes.tool_choice = TRY(openai_choice(body));
  TRY(read_single_call(body, "parallel_tool_calls", false, "parallel_tool_calls", wishes));
  const JsonObject* text = TRY(object_in(body, "text"));
  if (text == nullptr) return wishes;
  const Json* verbosity = given(*text, "verbosity");
  if (verbosity != nullptr && *verbosity != Json("medium")) {
    return refused_member(ErrorCode::unsupported, "text.verbosity", kCannotBeKept);
  }
  const JsonObject* format = TRY(object_in(*text, "format"));
  if (format != nullptr) wishes.format = TRY(format_from_type(*format, format, "text.format"));
  return wishes;
}

Result<Wishes> wishes_from_messages(const JsonObject& body) {
  Wishes wishes;
  TRY(check_members(body, VendorProtocol::messages));
  TRY(refuse_unkept(body, {{"top_k", kCannotBeKept},
                           {"inference_geo", kCannotBeKept, {"global"}},
                           {"service_tier", kCannotBeKept, {"auto", "standard_only"}},
                           {"container", kCannotBeKept},
                           {"mcp_servers", kCannotBeKept},
                           {"context_management", kCannotBeKept}}));
  TRY(read_most_tokens(body, "max_tokens", wishes));
  wishes.temperature = TRY(number_in(body, "temperature", 1));
  wishes.top_p = TRY(number_in(body, "top_p", 1));
  TRY(read_stops(body, "stop_sequences", wishes));
  TRY(read_thinking(body, wishes));
  wishes.tool_choice = TRY(anthropic_choice(body));
  if (const JsonObject* choice = TRY(object_in(body, "tool_choice")); choice != nullptr) {
    TRY(read_single_call(*choice, "disable_parallel_tool_use", true,
                         "tool_choice.disable_parallel_tool_use", wishes));
  }
  const JsonObject* output = TRY(object_in(body, "output_config"));
  if (output != nullptr && given(*output, "effort") != nullptr) {
    const std::string word = TRY(word_in(*output, "effort", "output_config.effort"));
    wishes.reasoning = TRY(effort_from(word, "output_config.effort"));
  }
  const JsonObject* format = nullptr;
  if (output != nullptr) format = TRY(object_in(*output, "format"));
  if (format == nullptr) format = TRY(object_in(body, "output_format"));
  if (format != nullptr) {
    wishes.format = TRY(format_from_type(*format, format, "output_config.format"));
  }
  return wishes;
}

Result<void> grant(const Wishes& wishes, const std::vector<std::string>& caller_tools,
                   std::size_t own_tools, Agent& agent) {
  Sampling& sampling = agent.sampling;
  if (wishes.max_tokens) {
    sampling.max_tokens = *wishes.max_tokens;
    // Whoever says how long an answer may be wants to see where it was cut.
    agent.limits.max_cuts = 0;
  }
  if (wishes.temperature) sampling.temperature = wishes.temperature;
  if (wishes.top_p) sampling.top_p = wishes.top_p;
  if (!wishes.stop_sequences.empty()) sampling.stop_sequences = wishes.stop_sequences;
  if (wishes.reasoning) sampling.reasoning = wishes.reasoning;
  if (wishes.format.kind == ResponseFormat::Kind::json_object) {
    sampling.response_format = wishes.format;
  }
  TRY(grant_choice(wishes.tool_choice, caller_tools, own_tools, agent));
  const bool may_call_several = !caller_tools.empty() &&
                                wishes.tool_choice.kind != ToolChoice::Kind::none &&
                                sampling.tool_choice.kind != ToolChoice::Kind::one;
  if (!wishes.single_call.empty() && may_call_several) {
    return refused_member(ErrorCode::unsupported, wishes.single_call, kSeveralCalls);
  }
  return {};
}

}  // namespace wright::server
