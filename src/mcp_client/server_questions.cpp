#include "mcp_client/server_questions.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"
#include "mcp/elicitation.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kElicit = "elicitation/create";

// "key.field" where the server asks several things at once.
std::string field_id(std::string_view key, std::string_view field, bool is_alone) {
  return is_alone ? std::string(field) : fmt::format("{}.{}", key, field);
}

// The answers of one form out of those to all of them.
Json answers_for(std::string_view key, const Json& answer, bool is_alone) {
  if (is_alone || !answer.is_object()) return answer;
  Json own = answer;
  Json* responses = own.get_object().if_contains("responses");
  if (responses == nullptr || !responses->is_array()) return own;
  const std::string prefix = fmt::format("{}.", key);
  JsonArray kept;
  for (Json& each : responses->get_array()) {
    JsonObject* response = each.if_object();
    const std::string id = response != nullptr ? mcp::text_in(*response, "question_id") : "";
    if (!id.starts_with(prefix)) continue;
    (*response)["question_id"] = id.substr(prefix.size());
    kept.push_back(std::move(each));
  }
  *responses = std::move(kept);
  return own;
}

}  // namespace

std::optional<mcp::Problem> ServerQuestions::add(const std::string& key, std::string method,
                                                 JsonObject params, const SamplingModels* models) {
  Asked asked{.method = std::move(method),
              .params = redactor_.redacted(Json(std::move(params))).as_object()};
  if (asked.method == kElicit) {
    asked.form = asked.params;
  } else if (asked.method == kSample && models != nullptr) {
    auto form = consent_form(asked.params);
    if (!form) return mcp::Problem{mcp::code::kInvalidParams, form.error().message};
    asked.form = std::move(*form);
  } else {
    return mcp::Problem{mcp::code::kMethodNotFound, "this is not supported"};
  }
  asked_.insert_or_assign(key, std::move(asked));
  return std::nullopt;
}

// All that a server said counts, shown or not: how many tokens it wants of a model, too. What
// differs from one time to the next, and says nothing to a person, does not.
bool ServerQuestions::is_same(const Asked& one, const Asked& other) {
  const auto without_numbers = [](JsonObject params) {
    params.erase("_meta");
    params.erase("elicitationId");
    return params;
  };
  return one.method == other.method &&
         without_numbers(one.params) == without_numbers(other.params);
}

bool ServerQuestions::is_same_at(std::string_view key, const ServerQuestions& other) const {
  const auto own = asked_.find(key);
  const auto its = other.asked_.find(key);
  return own != asked_.end() && its != other.asked_.end() && is_same(own->second, its->second);
}

bool ServerQuestions::is_same_as(const ServerQuestions& other) const {
  return asked_.size() == other.asked_.size() &&
         std::ranges::all_of(
             asked_, [&](const auto& each) { return is_same_at(each.first, other); });
}

Result<AskUserRequest> ServerQuestions::worded(std::string_view server) const {
  AskUserRequest all{.required = false};
  std::string prompt = fmt::format("The MCP server {} asks", server);
  for (const auto& [key, asked] : asked_) {
    auto request = TRY(mcp::questions_in(asked.form));
    if (request.prompt && !request.prompt->empty()) prompt += fmt::format(": {}", *request.prompt);
    for (Question& question : request.questions) {
      question.id = field_id(key, question.id, asked_.size() == 1);
      all.questions.push_back(std::move(question));
    }
  }
  all.prompt = to_valid_utf8(std::move(prompt));
  TRY(check(all));
  return all;
}

ServerQuestions::Answer ServerQuestions::answer_to(std::string_view key, const Json& given,
                                                   SamplingModels* models,
                                                   const Context& context) const {
  const Asked& asked = asked_.find(key)->second;
  JsonObject said =
      mcp::elicitation_result(asked.form, answers_for(key, given, asked_.size() == 1));
  if (asked.method != kSample) return said;
  if (!is_consent(said)) return mcp::Problem{-1, "the person does not want the model to be asked"};
  auto answer = models->answer(asked.params, context);
  if (!answer) return mcp::Problem{mcp::code::kInternalError, answer.error().message};
  return std::move(*answer);
}

ServerQuestions::Answer ServerQuestions::answer(const Json& given, SamplingModels* models,
                                                const Context& context) const {
  return answer_to(asked_.begin()->first, given, models, context);
}

Result<JsonObject> ServerQuestions::answers(const Json& given, SamplingModels* models,
                                            const Context& context) const {
  JsonObject responses;
  for (const auto& [key, asked] : asked_) {
    auto answer = answer_to(key, given, models, context);
    if (const auto* problem = std::get_if<mcp::Problem>(&answer)) {
      return fail(ErrorCode::tool_failed, problem->message);
    }
    responses[key] = std::get<JsonObject>(std::move(answer));
  }
  return responses;
}

Json ServerQuestions::to_json() const {
  JsonObject all;
  for (const auto& [key, asked] : asked_) {
    all[key] = JsonObject{{"method", asked.method}, {"params", asked.params}};
  }
  return all;
}

Result<ServerQuestions> ServerQuestions::from_json(const Json& json, const SamplingModels* models) {
  ServerQuestions questions;
  const JsonObject* all = json.if_object();
  if (all == nullptr) return fail(ErrorCode::invalid_json, "the questions are no object");
  for (const auto& [key, value] : *all) {
    const JsonObject* asked = value.if_object();
    const JsonObject* params = asked != nullptr ? mcp::object_in(*asked, "params") : nullptr;
    if (params == nullptr) return fail(ErrorCode::invalid_json, "a question has no params");
    const auto problem =
        questions.add(std::string(key), mcp::text_in(*asked, "method"), *params, models);
    if (problem) return fail(ErrorCode::unsupported, problem->message);
  }
  return questions;
}

}  // namespace wright::mcp_client
