#include "app/terminal/person/question_text.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include <algorithm>

#include "app/terminal/screen_text.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostOfHeading = 3000;
constexpr std::size_t kQuestionMargin = 2;

std::string prose(std::string_view text, const Terminal& screen, Colour colour) {
  const std::string fitted =
      indented(fitted_prose(sanitised(text), kQuestionMargin, screen), kQuestionMargin);
  std::string out;
  // Each line is painted by itself, so that no colour crosses a line break.
  std::string_view rest = fitted;
  while (true) {
    const std::size_t end = rest.find('\n');
    out += painted(rest.substr(0, end), colour, screen);
    out += '\n';
    if (end == std::string_view::npos) return out;
    rest.remove_prefix(end + 1);
  }
}

std::string beginning(std::string_view text) {
  const std::string_view kept = utf8_prefix(text, kMostOfHeading);
  if (kept.size() == text.size()) return std::string(text);
  return fmt::format("{}… ({} more bytes; ? shows all)", kept, text.size() - kept.size());
}

std::string kind_of(const Question& question) {
  switch (question.type) {
    case QuestionType::text: return "Answer with a text.";
    case QuestionType::number: return "Answer with a number, for example 12 or 0.5.";
    case QuestionType::boolean: return "Answer with yes or no.";
    case QuestionType::select: return "Choose one of the options, by its number or its name.";
    case QuestionType::multiselect:
      return "Choose any of the options: numbers or names, separated by commas; - for none.";
    case QuestionType::password:
      return "Answer with a password. It is not shown, not kept, and not given to the model.";
    case QuestionType::file_path: return "Answer with the path of a file, for example notes/a.txt.";
    case QuestionType::email: return "Answer with an e-mail address, for example ada@example.org.";
    case QuestionType::url: return "Answer with a URL, for example https://example.org/page.";
  }
  return {};
}

std::vector<std::string> rules_of(const Question& question) {
  const AnswerRules rules = question.validation.value_or(AnswerRules{});
  const std::string_view noun =
      question.type == QuestionType::multiselect ? "options" : "characters";
  std::vector<std::string> lines;
  if (rules.min_length) lines.push_back(fmt::format("At least {} {}.", *rules.min_length, noun));
  if (rules.max_length) lines.push_back(fmt::format("At most {} {}.", *rules.max_length, noun));
  if (rules.min_value) lines.push_back(fmt::format("Not less than {:g}.", *rules.min_value));
  if (rules.max_value) lines.push_back(fmt::format("Not more than {:g}.", *rules.max_value));
  if (rules.pattern) {
    lines.push_back(fmt::format("It must match {} (a regular expression).", *rules.pattern));
  }
  return lines;
}

}  // namespace

WithoutAnswer without_answer(const Question& question, const AskUserRequest& request) {
  if (question.default_answer) return WithoutAnswer::takes_default;
  return question.is_optional || !request.required ? WithoutAnswer::skips
                                                   : WithoutAnswer::asks_again;
}

std::string heading(const AskUserRequest& request, std::size_t position, const Terminal& screen) {
  const Question& question = request.questions[position];
  std::string text;
  if (position == 0 && request.prompt && !on_one_line(*request.prompt).empty()) {
    text += fmt::format("\n{}", prose(beginning(*request.prompt), screen, Colour::none));
  }
  text +=
      fmt::format("\n{}{}\n",
                  painted(fmt::format("Question {} of {}", position + 1, request.questions.size()),
                          Colour::cyan, screen),
                  without_answer(question, request) == WithoutAnswer::skips
                      ? painted(" (optional)", Colour::dim, screen)
                      : "");
  text += prose(beginning(question.question), screen, Colour::bold);
  if (question.description && !on_one_line(*question.description).empty()) {
    text += prose(beginning(*question.description), screen, Colour::dim);
  }
  return text;
}

std::string explanation(const AskUserRequest& request, const Question& question,
                        const Terminal& screen) {
  std::string text = "\n";
  const auto add = [&](std::string_view line) { text += prose(line, screen, Colour::none); };
  if (question.question.size() > kMostOfHeading) add(question.question);
  if (question.description) add(*question.description);
  add(kind_of(question));
  for (const std::string& rule : rules_of(question)) add(rule);
  switch (without_answer(question, request)) {
    case WithoutAnswer::takes_default:
      add(fmt::format("Enter alone takes {}.", shown_default(question)));
      break;
    case WithoutAnswer::skips:
      add(question.options ? "Enter alone, or -, leaves it unanswered."
                           : "Enter alone leaves it unanswered.");
      break;
    case WithoutAnswer::asks_again: add("It has to be answered."); break;
  }
  add("Ctrl-C, Ctrl-D or q alone: answer none of the questions now.");
  if (!question.options && question.type != QuestionType::password) {
    add("\\q and \\? stand for the texts q and ?.");
  }
  return text;
}

std::string shown_default(const Question& question) {
  return question.default_answer ? shown_answer(question, *question.default_answer) : "";
}

std::string shown_answer(const Question& question, const Json& answer) {
  if (question.type == QuestionType::password) return kHiddenAnswer;
  if (answer.is_bool()) return answer.get_bool() ? "yes" : "no";
  if (answer.is_string()) return on_one_line(answer.get_string());
  if (!answer.is_array()) return on_one_line(to_text(answer));
  std::string text;
  for (const Json& each : answer.get_array()) {
    if (!text.empty()) text += ", ";
    text += on_one_line(each.is_string() ? std::string(each.get_string()) : to_text(each));
  }
  return text.empty() ? "none" : text;
}

std::vector<std::string> shown_options(const Question& question) {
  std::vector<std::string> shown;
  if (!question.options) return shown;
  for (const std::string& option : *question.options) shown.push_back(on_one_line(option));
  return shown;
}

}  // namespace wright::app
