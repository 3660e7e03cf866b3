#include "tools/people/answer_rules.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/text.h"

namespace wright::tools {
namespace {

constexpr std::size_t kLongestAnswer = 100'000;

std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

std::optional<double> number_from(const Json& answer) {
  if (answer.is_int64()) return static_cast<double>(answer.get_int64());
  if (answer.is_uint64()) return static_cast<double>(answer.get_uint64());
  if (answer.is_double()) return answer.get_double();
  if (!answer.is_string()) return std::nullopt;
  std::string_view text = trimmed(answer.get_string());
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<bool> boolean_from(const Json& answer) {
  if (answer.is_bool()) return answer.get_bool();
  if (!answer.is_string()) return std::nullopt;
  const std::string text = lower(trimmed(answer.get_string()));
  if (text == "true" || text == "yes" || text == "y") return true;
  if (text == "false" || text == "no" || text == "n") return false;
  return std::nullopt;
}

// The option that is meant: as written, or but for the case of its letters.
const std::string* find_option(const Question& question, const Json& answer) {
  if (!answer.is_string() || !question.options) return nullptr;
  const std::string_view text = answer.get_string();
  const auto exact = std::ranges::find(*question.options, text);
  if (exact != question.options->end()) return &*exact;
  const auto near = std::ranges::find_if(*question.options, [&](const std::string& option) {
    return lower(option) == lower(trimmed(text));
  });
  return near == question.options->end() ? nullptr : &*near;
}

std::string options_of(const Question& question) {
  return fmt::format("{}", fmt::join(question.options.value_or(std::vector<std::string>{}), ", "));
}

std::optional<std::string> length_problem(const AnswerRules& rules, std::int64_t length,
                                          std::string_view noun) {
  if (rules.min_length && length < *rules.min_length) {
    return fmt::format("It needs at least {} {}", *rules.min_length, noun);
  }
  if (rules.max_length && length > *rules.max_length) {
    return fmt::format("It may have at most {} {}", *rules.max_length, noun);
  }
  return std::nullopt;
}

std::optional<std::string> kind_problem(QuestionType type, std::string_view text) {
  // Names of hosts may be in any script; what is left out is what people paste along: <>, commas.
  static const RE2 kEmail(
      R"re([^\s@<>(),;:"\[\]\\.\pC]+(\.[^\s@<>(),;:"\[\]\\.\pC]+)*@([\pL\pN]([\pL\pN\pM-]*[\pL\pN\pM])?\.)+[\pL\pN][\pL\pN\pM-]*[\pL\pN\pM])re");
  static const RE2 kUrl(
      R"re((?i)[a-z][a-z0-9+.-]*://([^\s/?#@\pC]*@)?(\[[0-9a-f:.]+\]|[\pL\pN_][\pL\pN\pM_.~%-]*)(:\d{1,5})?([/?#][^\s\pC]*)?)re");
  constexpr std::size_t kLongestEmail = 254;
  const re2::StringPiece piece(text.data(), text.size());
  if (type == QuestionType::email &&
      (text.size() > kLongestEmail || !RE2::FullMatch(piece, kEmail))) {
    return "It must be an e-mail address, such as ada@example.org";
  }
  if (type == QuestionType::url && !RE2::FullMatch(piece, kUrl)) {
    return "It must be a URL, such as https://example.org/page";
  }
  if (type == QuestionType::file_path && (text.empty() || text.contains('\0'))) {
    return "It must be a path, without NUL characters";
  }
  return std::nullopt;
}

std::optional<std::string> text_problem(const Question& question, const AnswerRules& rules,
                                        const Json& answer) {
  if (!answer.is_string()) return "It must be text";
  // The rules are for what is kept, and of these no blanks around them are.
  const bool keeps_blanks =
      question.type == QuestionType::text || question.type == QuestionType::password;
  const std::string_view text =
      keeps_blanks ? std::string_view(answer.get_string()) : trimmed(answer.get_string());
  if (!is_valid_utf8(text)) return "It must be text in UTF-8";
  if (text.size() > kLongestAnswer)
    return fmt::format("It is longer than {} bytes", kLongestAnswer);
  if (auto problem = kind_problem(question.type, text)) return problem;
  if (auto problem = length_problem(rules, characters(text), "characters")) return problem;
  if (!rules.pattern) return std::nullopt;
  const RE2 pattern(*rules.pattern, RE2::Quiet);
  const bool fits =
      pattern.ok() && RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
  if (fits) return std::nullopt;
  return fmt::format("It must match {}", *rules.pattern);
}

std::optional<std::string> number_problem(const AnswerRules& rules, const Json& answer) {
  const auto value = number_from(answer);
  if (!value) return "It must be a number";
  if (rules.min_value && *value < *rules.min_value) {
    return fmt::format("It must be at least {}", *rules.min_value);
  }
  if (rules.max_value && *value > *rules.max_value) {
    return fmt::format("It must be at most {}", *rules.max_value);
  }
  return std::nullopt;
}

std::optional<std::string> choices_problem(const Question& question, const AnswerRules& rules,
                                           const Json& answer) {
  if (!answer.is_array()) return "It must be a list of options";
  std::vector<const std::string*> chosen;
  for (const Json& each : answer.get_array()) {
    const std::string* option = find_option(question, each);
    if (option == nullptr) return fmt::format("Choose from {}", options_of(question));
    if (std::ranges::count(chosen, option) > 0) return fmt::format("'{}' is chosen twice", *option);
    chosen.push_back(option);
  }
  return length_problem(rules, std::ssize(chosen), "options");
}

std::optional<std::string> own_problem(const Question& question, const Json& answer) {
  const AnswerRules rules = question.validation.value_or(AnswerRules{});
  switch (question.type) {
    case QuestionType::number: return number_problem(rules, answer);
    case QuestionType::boolean:
      if (boolean_from(answer)) return std::nullopt;
      return "It must be yes or no";
    case QuestionType::select:
      if (find_option(question, answer) != nullptr) return std::nullopt;
      return fmt::format("Choose one of {}", options_of(question));
    case QuestionType::multiselect: return choices_problem(question, rules, answer);
    default: return text_problem(question, rules, answer);
  }
}

}  // namespace

bool is_blank(const Json& answer) {
  return answer.is_null() || (answer.is_string() && answer.get_string().empty());
}

std::optional<std::string> problem_with(const Question& question, const Json& answer) {
  auto problem = own_problem(question, answer);
  if (problem && question.validation && question.validation->error_message) {
    return question.validation->error_message;
  }
  return problem;
}

Json put_right(const Question& question, const Json& answer) {
  switch (question.type) {
    case QuestionType::number:
      if (!answer.is_string()) return answer;
      if (const auto parsed = parse_json(trimmed(answer.get_string()));
          parsed && parsed->is_number()) {
        return *parsed;
      }
      return number_from(answer).value_or(0);
    case QuestionType::boolean: return boolean_from(answer).value_or(false);
    case QuestionType::select: return Json(*find_option(question, answer));
    case QuestionType::multiselect: {
      JsonArray chosen;
      for (const Json& each : answer.as_array()) chosen.emplace_back(*find_option(question, each));
      return chosen;
    }
    case QuestionType::email:
    case QuestionType::url:
    case QuestionType::file_path: return Json(trimmed(answer.as_string()));
    default: return answer;
  }
}

}  // namespace wright::tools
