#include "mcp/elicitation.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"

namespace wright::mcp {
namespace {

constexpr std::size_t kMostFields = 50;  // as ask_user takes them

JsonObject property_of(const Question& question) {
  JsonObject property{{"title", question.question}};
  if (question.description) property["description"] = *question.description;
  const AnswerRules rules = question.validation.value_or(AnswerRules{});
  const auto options = [&] {
    JsonArray list;
    for (const std::string& each : question.options.value_or(std::vector<std::string>{})) {
      list.emplace_back(each);
    }
    return list;
  };
  switch (question.type) {
    case QuestionType::number:
      property["type"] = "number";
      if (rules.min_value) property["minimum"] = *rules.min_value;
      if (rules.max_value) property["maximum"] = *rules.max_value;
      break;
    case QuestionType::boolean: property["type"] = "boolean"; break;
    case QuestionType::select:
      property["type"] = "string";
      property["enum"] = options();
      break;
    case QuestionType::multiselect:
      property["type"] = "array";
      property["items"] = JsonObject{{"type", "string"}, {"enum", options()}};
      if (rules.min_length) property["minItems"] = *rules.min_length;
      if (rules.max_length) property["maxItems"] = *rules.max_length;
      break;
    default:
      property["type"] = "string";
      if (question.type == QuestionType::email) property["format"] = "email";
      if (question.type == QuestionType::url) property["format"] = "uri";
      if (rules.min_length) property["minLength"] = *rules.min_length;
      if (rules.max_length) property["maxLength"] = *rules.max_length;
  }
  if (question.default_answer && !question.default_answer->is_null()) {
    property["default"] = *question.default_answer;
  }
  return property;
}

// --- a server's form -----------------------------------------------------------------------------

std::optional<std::int64_t> whole_number(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}
std::optional<double> any_number(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_number() ? std::optional(value->to_number<double>())
                                                : std::nullopt;
}

// The values of `enum`, or the constants of `oneOf` or `anyOf`.
std::optional<std::vector<std::string>> choices_in(const JsonObject& property) {
  std::vector<std::string> choices;
  for (const std::string_view key : {"enum", "oneOf", "anyOf"}) {
    const Json* list = property.if_contains(key);
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& each : list->get_array()) {
      const Json* value = &each;
      if (const JsonObject* object = each.if_object()) value = object->if_contains("const");
      if (value == nullptr || !value->is_string()) return std::nullopt;
      choices.emplace_back(value->get_string());
    }
    return choices;
  }
  return std::nullopt;
}

// What the choices mean, where they have titles of their own.
std::string titles_of(const JsonObject& property) {
  std::string text;
  const auto add = [&](std::string_view value, std::string_view title) {
    if (title.empty() || title == value) return;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", value, title);
  };
  for (const std::string_view key : {"oneOf", "anyOf"}) {
    const Json* list = property.if_contains(key);
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& each : list->get_array()) {
      if (const JsonObject* object = each.if_object()) {
        add(text_in(*object, "const"), text_in(*object, "title"));
      }
    }
  }
  const Json* values = property.if_contains("enum");
  const Json* names = property.if_contains("enumNames");
  if (values != nullptr && names != nullptr && values->is_array() && names->is_array()) {
    const auto& list = values->get_array();
    for (std::size_t i = 0; i < std::min(list.size(), names->get_array().size()); ++i) {
      const Json& name = names->get_array()[i];
      if (list[i].is_string() && name.is_string()) add(list[i].get_string(), name.get_string());
    }
  }
  return text;
}

void set_type(Question& question, const JsonObject& property) {
  const std::string type = text_in(property, "type");
  const std::string format = text_in(property, "format");
  AnswerRules rules{.min_length = whole_number(property, "minLength"),
                    .max_length = whole_number(property, "maxLength"),
                    .min_value = any_number(property, "minimum"),
                    .max_value = any_number(property, "maximum")};
  if (type == "boolean") {
    question.type = QuestionType::boolean;
  } else if (type == "number" || type == "integer") {
    question.type = QuestionType::number;
  } else if (type == "array") {
    const JsonObject* items = object_in(property, "items");
    question.options = items != nullptr ? choices_in(*items) : std::nullopt;
    question.type = question.options ? QuestionType::multiselect : QuestionType::text;
    rules.min_length = whole_number(property, "minItems");
    rules.max_length = whole_number(property, "maxItems");
  } else if (auto choices = choices_in(property); choices && !choices->empty()) {
    question.type = QuestionType::select;
    question.options = std::move(choices);
  } else if (format == "email") {
    question.type = QuestionType::email;
  } else if (format == "uri") {
    question.type = QuestionType::url;
  }
  if (!(rules.min_length || rules.max_length || rules.min_value || rules.max_value)) return;
  question.validation = std::move(rules);
}

}  // namespace

Result<JsonObject> form_of(const AskUserRequest& request) {
  JsonObject properties;
  JsonArray required;
  for (const Question& question : request.questions) {
    if (question.type == QuestionType::password) {
      return fail(ErrorCode::unsupported,
                  fmt::format("Question '{}' asks for a password, which must not be typed into a "
                              "form of MCP. Answer it with `wright answer`",
                              question.id));
    }
    properties[question.id] = property_of(question);
    if (!question.is_optional && request.required) required.emplace_back(question.id);
  }
  std::string message = request.prompt.value_or("");
  if (message.empty() && !request.questions.empty()) message = request.questions.front().question;
  return JsonObject{{"mode", "form"},
                    {"message", std::move(message)},
                    {"requestedSchema", JsonObject{{"type", "object"},
                                                   {"properties", std::move(properties)},
                                                   {"required", std::move(required)}}}};
}

Result<Json> answers_in_form(const JsonObject& result) {
  const std::string action = text_in(result, "action");
  if (action != "accept") {
    return fail(ErrorCode::cancelled, action == "decline" ? "The person declined to answer"
                                                          : "The person closed the questions");
  }
  const JsonObject* content = object_in(result, "content");
  return content != nullptr ? Json(*content) : Json(JsonObject());
}

Result<AskUserRequest> questions_in(const JsonObject& params) {
  if (asks_for_address(params)) return address_question(params);
  const std::string mode = text_in(params, "mode");
  if (!mode.empty() && mode != "form") {
    return fail(ErrorCode::unsupported, "The server asks in a way that is not supported here");
  }
  const JsonObject* schema = object_in(params, "requestedSchema");
  const JsonObject* properties = schema != nullptr ? object_in(*schema, "properties") : nullptr;
  if (properties == nullptr || properties->size() > kMostFields) {
    return fail(ErrorCode::protocol, "The server asks with a form that has no fields, or too many");
  }
  const Json* required = schema->if_contains("required");
  const auto is_required = [&](std::string_view name) {
    return required != nullptr && required->is_array() &&
           std::ranges::any_of(required->get_array(), [&](const Json& each) {
             return each.is_string() && each.get_string() == name;
           });
  };
  AskUserRequest request{.prompt = text_in(params, "message"), .required = false};
  if (properties->empty()) {
    // A form without fields asks for consent.
    request.questions.push_back({.id = "accept",
                                 .question = request.prompt->empty() ? "Accept?" : *request.prompt,
                                 .type = QuestionType::boolean});
    return request;
  }
  for (const auto& [name, value] : *properties) {
    const JsonObject* property = value.if_object();
    if (property == nullptr) {
      return fail(ErrorCode::protocol, "The server asks with a form that is none");
    }
    Question question{.id = std::string(name)};
    question.question = text_in(*property, "title");
    if (question.question.empty()) question.question = std::string(name);
    std::string description = text_in(*property, "description");
    const JsonObject* items = object_in(*property, "items");
    const std::string titles = titles_of(items != nullptr ? *items : *property);
    if (!titles.empty()) description += (description.empty() ? "" : ". ") + titles;
    if (!description.empty()) question.description = std::move(description);
    set_type(question, *property);
    if (const Json* fallback = property->if_contains("default"))
      question.default_answer = *fallback;
    question.is_optional = !is_required(question.id);
    request.questions.push_back(std::move(question));
  }
  return request;
}

JsonObject form_result(const Json& answer) {
  const JsonObject* object = answer.if_object();
  const Json* completed = object != nullptr ? object->if_contains("completed") : nullptr;
  const Json* responses = object != nullptr ? object->if_contains("responses") : nullptr;
  if (completed == nullptr || !completed->is_bool() || !completed->get_bool() ||
      responses == nullptr || !responses->is_array()) {
    return {{"action", "decline"}};
  }
  JsonObject content;
  for (const Json& each : responses->get_array()) {
    const JsonObject* response = each.if_object();
    const Json* given = response != nullptr ? response->if_contains("answer") : nullptr;
    if (given == nullptr || given->is_null()) continue;
    content[text_in(*response, "question_id")] = *given;
  }
  return {{"action", "accept"}, {"content", std::move(content)}};
}

JsonObject elicitation_result(const JsonObject& params, const Json& answer) {
  return asks_for_address(params) ? address_result(answer) : form_result(answer);
}

std::optional<JsonObject> defaults_of(const JsonObject& params) {
  const auto request = questions_in(params);
  if (!request) return std::nullopt;
  JsonObject content;
  for (const Question& question : request->questions) {
    if (question.default_answer) {
      content[question.id] = *question.default_answer;
    } else if (!question.is_optional) {
      return std::nullopt;
    }
  }
  return JsonObject{{"action", "accept"}, {"content", std::move(content)}};
}

}  // namespace wright::mcp
