#include "wright/agent.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "core/try.h"

namespace wright {
namespace {

constexpr std::size_t kLongestDescription = 1000;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Every vendor accepts it: letters, digits, '_' and '-', at most 64.
std::string tool_name(std::string_view prefix, std::string_view agent) {
  std::string name = fmt::format("{}{}", prefix, agent).substr(0, 64);
  std::ranges::replace_if(
      name, [](char c) { return !is_name_character(c); }, '_');
  return name;
}

std::string description_of(const Agent& agent) {
  std::string_view text = agent.description.empty() ? agent.instructions : agent.description;
  text = text.substr(0, text.find("\n\n"));
  return std::string(utf8_prefix(text, kLongestDescription));
}

Specialist specialist_of(Agent agent, Specialist::Kind kind) {
  std::string name = agent.name;
  return {.kind = kind,
          .name = std::move(name),
          .make = [kept = std::make_shared<const Agent>(std::move(
                       agent))]() -> Result<std::shared_ptr<const Agent>> { return kept; }};
}

Json message_parameters() {
  return {{"type", "object"},
          {"properties",
           {{"message",
             {{"type", "string"},
              {"minLength", 1},
              {"description",
               "What the specialist should do, with all it needs to know: it sees nothing else of "
               "this conversation"}}}}},
          {"required", {"message"}},
          {"additionalProperties", false}};
}

// Runs of format 2 kept it among the answers of people.
std::optional<SpecialistResult> answer_in(const WaitAnswers& answers) {
  if (answers.specialist || !answers.answer) return answers.specialist;
  const JsonObject* object = answers.answer->if_object();
  const auto text = [&](std::string_view key) -> const JsonString* {
    const Json* found = object != nullptr ? object->if_contains(key) : nullptr;
    return found != nullptr ? found->if_string() : nullptr;
  };
  if (const JsonString* error = text("error"))
    return SpecialistResult{.error = std::string(*error)};
  if (const JsonString* said = text("text")) return SpecialistResult{.text = std::string(*said)};
  return std::nullopt;
}

// The first time, the call is delegated; the second time it has the specialist's result.
Result<ToolReply> delegate(const Json& arguments, const Context& context) {
  if (const auto answer = answer_in(context.answers)) {
    if (answer->error) return fail(ErrorCode::tool_failed, *answer->error);
    if (trimmed(answer->text).empty()) {
      return fail(ErrorCode::tool_failed, "No response from specialist agent");
    }
    return Output{.value = Json(answer->text), .duration_ms = answer->duration_ms};
  }
  const JsonObject* object = arguments.if_object();
  const Json* message = object != nullptr ? object->if_contains("message") : nullptr;
  const bool is_plain = message != nullptr && message->is_string() && object->size() == 1;
  if (is_plain && trimmed(std::string_view(message->get_string())).empty()) {
    return fail(ErrorCode::invalid_argument,
                "The message is empty: say what the specialist should do, with all it needs to "
                "know");
  }
  return Delegate{is_plain ? std::string(message->get_string()) : to_text(arguments)};
}

}  // namespace

Result<Tool> delegate_to(Specialist specialist, std::string description, Json parameters) {
  auto made =
      TRY(tool({.name = tool_name("", specialist.name),
                .description = std::move(description),
                .parameters = parameters.is_null() ? message_parameters() : std::move(parameters),
                .options = {.effect = Effect::read}},
               delegate));
  specialist.kind = Specialist::Kind::delegate;
  made.specialist = std::make_shared<const Specialist>(std::move(specialist));
  return made;
}

Tool delegate_to(Agent agent) {
  std::string description = description_of(agent);
  std::vector<std::string> labels = labels_for(agent);
  Tool made = *delegate_to(specialist_of(std::move(agent), Specialist::Kind::delegate),
                           std::move(description));
  made.spec.options.labels = std::move(labels);
  return made;
}

Tool hand_off_to(Specialist specialist, std::string description) {
  const std::string name = specialist.name;
  Tool made =
      *tool({.name = tool_name("transfer_to_", name),
             .description = std::move(description),
             .parameters = {{"type", "object"},
                            {"properties", JsonObject{}},
                            {"additionalProperties", false}},
             .options = {.effect = Effect::read, .concurrency = Concurrency::serial}},
            [name](const Json&, const Context&) -> Result<ToolReply> {
              return Output{.value = Json(fmt::format("The conversation is now with {}", name))};
            });
  specialist.kind = Specialist::Kind::handoff;
  made.specialist = std::make_shared<const Specialist>(std::move(specialist));
  return made;
}

Tool hand_off_to(Agent agent) {
  std::string description =
      fmt::format("Hands this conversation off to {}. {}", agent.name, description_of(agent));
  std::vector<std::string> labels = labels_for(agent);
  Tool made = hand_off_to(specialist_of(std::move(agent), Specialist::Kind::handoff),
                          std::move(description));
  made.spec.options.labels = std::move(labels);
  return made;
}

}  // namespace wright
