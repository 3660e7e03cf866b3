// ask_user: checks the questions of a model and lets the run wait. Knows no terminal and no server.
#include "wright/people.h"
#include "wright/tools.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "core/firm_bounds.h"
#include "core/try.h"
#include "tools/people/answer_rules.h"

namespace wright {
namespace {

constexpr std::size_t kLongestPattern = 1000;

std::unexpected<Error> refused(const Question& question, std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              to_valid_utf8(fmt::format("Question '{}': {}", question.id, why)));
}

bool is_choice(QuestionType type) {
  return type == QuestionType::select || type == QuestionType::multiselect;
}

Result<void> check_options(const Question& question) {
  if (!is_choice(question.type)) {
    if (!question.options || question.options->empty()) return {};
    return refused(question, "options belong to the types select and multiselect");
  }
  if (!question.options || question.options->empty()) {
    return refused(question, "a select or multiselect needs options");
  }
  std::set<std::string_view> seen;
  for (const std::string& option : *question.options) {
    if (option.empty()) return refused(question, "an option is empty");
    if (!seen.insert(option).second) {
      return refused(question, fmt::format("the option '{}' is there twice", option));
    }
  }
  return {};
}

Result<void> check_rules(const Question& question) {
  if (!question.validation) return {};
  const AnswerRules& rules = *question.validation;
  if (rules.min_length.value_or(0) > rules.max_length.value_or(INT64_MAX)) {
    return refused(question, "min_length is larger than max_length");
  }
  if (rules.min_value && rules.max_value && *rules.min_value > *rules.max_value) {
    return refused(question, "min_value is larger than max_value");
  }
  if (!rules.pattern) return {};
  if (rules.pattern->size() > kLongestPattern) return refused(question, "the pattern is too long");
  const RE2 pattern(*rules.pattern, RE2::Quiet);
  if (pattern.ok()) return {};
  return refused(question,
                 fmt::format("the pattern is no regular expression: {}", pattern.error()));
}

// Models fill in what they need not: null and "" are no defaults, but for a text.
bool has_default(const Question& question) {
  if (!question.default_answer || question.default_answer->is_null()) return false;
  return question.type == QuestionType::text || !tools::is_blank(*question.default_answer);
}

Result<void> check_default(const Question& question) {
  if (!has_default(question)) return {};
  if (question.type == QuestionType::password) {
    return refused(question, "a password has no default: it would be stored");
  }
  if (const auto problem = tools::problem_with(question, *question.default_answer)) {
    return refused(question, "its default does not fit: " + *problem);
  }
  return {};
}

const QuestionAnswer* find_answer(const std::vector<QuestionAnswer>& answers, std::string_view id) {
  const auto found = std::ranges::find(answers, id, &QuestionAnswer::question_id);
  return found == answers.end() || tools::is_blank(found->answer) ? nullptr : &*found;
}

Tool tool_with(std::function<Result<ToolReply>(const AskUserRequest&, const Context&)> answer) {
  return with_firm_bounds(tool(
      "ask_user",
      "Asks the person you work for. Put all that you need to know into one call; give options "
      "where the answers are few. The run waits until they have answered. Passwords come back "
      "hidden.",
      [answer = std::move(answer)](const AskUserRequest& request,
                                   const Context& context) -> Result<ToolReply> {
        TRY(check(request));
        return answer(request, context);
      },
      {.effect = Effect::read}));
}

}  // namespace

Result<void> check(const AskUserRequest& request) {
  if (request.questions.empty()) {
    return fail(ErrorCode::invalid_argument, "There are no questions to ask");
  }
  std::set<std::string_view> ids;
  for (const Question& question : request.questions) {
    if (question.id.find_first_not_of(" \t\r\n") == std::string::npos) {
      return fail(ErrorCode::invalid_argument, "A question has an empty id");
    }
    if (!ids.insert(question.id).second) {
      return fail(ErrorCode::invalid_argument,
                  to_valid_utf8(fmt::format("Two questions have the id '{}'", question.id)));
    }
    if (question.question.find_first_not_of(" \t\r\n") == std::string::npos) {
      return refused(question, "it has no text");
    }
    for (const auto& checked :
         {check_options(question), check_rules(question), check_default(question)}) {
      if (!checked) return checked;
    }
  }
  return {};
}

std::vector<AnswerProblem> validate_answers(const AskUserRequest& request,
                                            const std::vector<QuestionAnswer>& answers) {
  std::vector<AnswerProblem> problems;
  for (const Question& question : request.questions) {
    if (std::ranges::count(answers, question.id, &QuestionAnswer::question_id) > 1) {
      problems.push_back({question.id, "It was answered twice"});
      continue;
    }
    const QuestionAnswer* answer = find_answer(answers, question.id);
    if (answer == nullptr) {
      const bool may_be_absent = question.is_optional || has_default(question) || !request.required;
      if (!may_be_absent) problems.push_back({question.id, "An answer is required"});
      continue;
    }
    if (auto problem = tools::problem_with(question, answer->answer)) {
      problems.push_back({question.id, std::move(*problem)});
    }
  }
  for (const QuestionAnswer& answer : answers) {
    if (std::ranges::count(request.questions, answer.question_id, &Question::id) == 0) {
      problems.push_back({answer.question_id, "Nobody asked this"});
    }
  }
  return problems;
}

Result<AcceptedAnswers> accept_answers(const AskUserRequest& request,
                                       const std::vector<QuestionAnswer>& answers) {
  const std::vector<AnswerProblem> problems = validate_answers(request, answers);
  if (!problems.empty()) {
    std::string message;
    JsonArray detail;
    for (const AnswerProblem& problem : problems) {
      message += fmt::format("{}{}: {}", message.empty() ? "" : "; ", problem.question_id,
                             problem.message);
      detail.push_back({{"question_id", problem.question_id}, {"message", problem.message}});
    }
    return fail(ErrorCode::invalid_argument, to_valid_utf8(std::move(message)),
                JsonObject{{"problems", std::move(detail)}});
  }
  AcceptedAnswers accepted;
  for (const Question& question : request.questions) {
    const QuestionAnswer* given = find_answer(answers, question.id);
    if (given == nullptr && !has_default(question)) continue;
    Json answer =
        tools::put_right(question, given == nullptr ? *question.default_answer : given->answer);
    if (question.type == QuestionType::password) {
      accepted.secrets[question.id] = std::string_view(answer.as_string());
      answer = kHiddenAnswer;
    }
    accepted.response.responses.push_back({question.id, std::move(answer)});
  }
  const std::size_t answered = accepted.response.responses.size();
  const bool has_open_question = std::ranges::any_of(request.questions, [&](const Question& each) {
    return !each.is_optional && std::ranges::count(accepted.response.responses, each.id,
                                                   &QuestionAnswer::question_id) == 0;
  });
  accepted.response.completed = !has_open_question && (answered > 0 || !request.required);
  accepted.response.message =
      fmt::format("{} of {} questions answered", answered, request.questions.size());
  return accepted;
}

Json to_json(const std::vector<QuestionAnswer>& answers) {
  return JsonObject{{"responses", encode(answers)}};
}

Result<AskUserRequest> questions_from(const Json& shown) {
  Json asked = shown;
  if (JsonObject* object = asked.if_object()) object->erase("kind");  // of earlier versions
  return decode<AskUserRequest>(asked);
}

Tool ask_user_tool() {
  return tool_with([](const AskUserRequest& request, const Context& context) -> Result<ToolReply> {
    if (context.answers.answer) return Output{.value = *context.answers.answer};
    Waiting waiting{.kind = WaitKind::question, .shown = encode(request)};
    if (request.timeout_secs) waiting.timeout = std::chrono::seconds(*request.timeout_secs);
    return waiting;
  });
}

Tool ask_user_tool(AskUserExecutor executor) {
  return tool_with([executor = std::move(executor)](const AskUserRequest& request,
                                                    const Context&) -> Result<ToolReply> {
    const auto answered = TRY(executor(request));
    auto accepted = TRY(accept_answers(request, answered.responses));
    accepted.response.completed = accepted.response.completed && answered.completed;
    if (!answered.message.empty()) accepted.response.message = answered.message;
    return Output{.value = encode(accepted.response)};
  });
}

}  // namespace wright
