#include "app/terminal/person/questions.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <variant>

#include "app/terminal/person/choice_list.h"
#include "app/terminal/person/question_text.h"
#include "app/terminal/person/typed_text.h"
#include "app/terminal/screen_text.h"
#include "core/text.h"
#include "core/try.h"

namespace wright::app {
namespace {

// "2" is the second option; what is no such number is the name of an option.
Json option_from(const std::vector<std::string>& options, std::string_view typed) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  const bool is_number = error == std::errc() && end == typed.data() + typed.size();
  if (is_number && number >= 1 && number <= options.size()) return Json(options[number - 1]);
  return Json(typed);
}

Json options_from(const std::vector<std::string>& options, std::string_view typed) {
  JsonArray chosen;
  if (typed == "-") return chosen;
  // "1 3" is as good as "1, 3"; names may contain blanks.
  const bool are_numbers = typed.find_first_not_of("0123456789 ") == std::string_view::npos;
  const std::string_view separators = are_numbers ? " " : ",";
  while (!typed.empty()) {
    const std::size_t end = std::min(typed.find_first_of(separators), typed.size());
    const std::string_view each = trimmed(typed.substr(0, end));
    if (!each.empty()) chosen.push_back(option_from(options, each));
    typed.remove_prefix(std::min(end + 1, typed.size()));
  }
  return chosen;
}

// What a person did about one question.
struct Unanswered {};
struct Explain {};
struct Leave {};
using Reply = std::variant<Json, Unanswered, Explain, Leave>;

class Asking {
 public:
  Asking(const AskUserRequest& request, TerminalDialogue& dialogue)
      : request_(request), dialogue_(dialogue) {}

  // Nothing when the question was left unanswered.
  std::expected<std::optional<QuestionAnswer>, GaveUp> ask(std::size_t position) {
    const Question& question = request_.questions[position];
    dialogue_.print(heading(request_, position, dialogue_.screen()));
    LineEditor line;
    std::optional<ChoiceList> list = choices(question);
    if (!list) print_options(question);
    while (true) {
      auto reply = TRY(list ? choose(question, *list) : type(question, line));
      if (std::holds_alternative<Leave>(reply)) return std::unexpected(GaveUp::by_choice);
      if (std::holds_alternative<Explain>(reply)) {
        dialogue_.print(explanation(request_, question, dialogue_.screen()));
        line.clear();
        continue;
      }
      const auto accepted = accept(question, reply);
      if (accepted) {
        print_answer(question, *accepted);
        return *accepted;
      }
      dialogue_.print(indented(painted(fmt::format("{} {}", mark("✗", dialogue_.screen()),
                                                   sanitised(accepted.error())),
                                       Colour::red, dialogue_.screen()),
                               2) +
                      "\n");
      if (question.type == QuestionType::password) line.clear();
    }
  }

 private:
  // Where keys can be read, options are chosen from a list.
  std::optional<ChoiceList> choices(const Question& question) const {
    const bool is_many = question.type == QuestionType::multiselect;
    if (question.type != QuestionType::select && !is_many) return std::nullopt;
    if (!dialogue_.reads_keys() || !question.options || question.options->empty()) {
      return std::nullopt;
    }
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < question.options->size(); ++i) {
      if (is_default(question, question.options->at(i))) chosen.push_back(i);
    }
    return ChoiceList(shown_options(question), is_many ? Choose::any_number : Choose::one,
                      std::move(chosen));
  }

  static bool is_default(const Question& question, std::string_view option) {
    const Json& given = question.default_answer.value_or(nullptr);
    if (given.is_string()) return given.get_string() == option;
    return given.is_array() && std::ranges::any_of(given.get_array(), [&](const Json& each) {
             return each.is_string() && each.get_string() == option;
           });
  }

  void print_options(const Question& question) {
    std::size_t number = 0;
    for (const std::string& option : shown_options(question)) {
      dialogue_.print(fmt::format("  {}) {}\n", ++number, option));
    }
  }

  std::expected<Reply, GaveUp> choose(const Question& question, ChoiceList& list) {
    const bool is_many = question.type == QuestionType::multiselect;
    const bool may_skip = without_answer(question, request_) == WithoutAnswer::skips;
    const std::string hint = fmt::format(
        "  {}{}, Enter {}, ? explains, q gives up", is_many ? "Arrows, Space" : "Arrows",
        may_skip ? ", - skips" : "", is_many ? "when done" : "chooses");
    while (true) {
      const auto key = dialogue_.next_key([&](ScreenSize size) {
        LiveLines live;
        for (std::string& line : list.lines(size.columns - 1, size.rows - 2)) {
          const bool is_current = line.starts_with("❯");
          if (is_current) live.cursor_row = live.lines.size();
          live.lines.push_back({std::move(line), is_current ? Colour::bold : Colour::none});
        }
        live.lines.push_back({hint, Colour::dim});
        return live;
      });
      if (!key) return std::unexpected(key.error());
      const std::string_view text = key->text;
      if (key->kind == KeyKind::interrupt || key->kind == KeyKind::end_of_input || text == "q") {
        return Leave{};
      }
      if (text == "?") return Explain{};
      if (text == "-" && may_skip) return Unanswered{};
      if (key->kind != KeyKind::enter) {
        list.apply(*key);
        continue;
      }
      JsonArray chosen;
      for (const std::size_t position : list.chosen()) {
        chosen.emplace_back(question.options->at(position));
      }
      if (is_many && chosen.empty() && may_skip) return Unanswered{};
      return is_many ? Json(std::move(chosen)) : chosen.front();
    }
  }

  std::expected<Reply, GaveUp> type(const Question& question, LineEditor& line) {
    const auto typed = TRY(ask_for_text(dialogue_, prompt_for(question), line));
    const std::string_view text = trimmed(typed);
    if (text == "?") return Explain{};
    if (text == "q") return Leave{};
    const bool is_select = question.type == QuestionType::select;
    if (text.empty() || (is_select && text == "-")) return Unanswered{};
    const auto options = question.options.value_or(std::vector<std::string>{});
    if (is_select) return option_from(options, text);
    if (question.type == QuestionType::multiselect) return options_from(options, text);
    if (question.type == QuestionType::password) return Json(typed);
    if (text == "\\q" || text == "\\?") return Json(text.substr(1));
    return question.type == QuestionType::text ? Json(typed) : Json(text);
  }

  TextPrompt prompt_for(const Question& question) const {
    TextPrompt prompt;
    const std::string given = shown_default(question);
    if (question.type == QuestionType::boolean) {
      prompt.before = given.empty() ? "[y/n] > " : given == "yes" ? "[Y/n] > " : "[y/N] > ";
    } else if (!given.empty()) {
      prompt.before = fmt::format("[{}] > ", given);
    }
    switch (without_answer(question, request_)) {
      case WithoutAnswer::takes_default: prompt.below = "Enter takes the default, "; break;
      case WithoutAnswer::skips: prompt.below = "Enter skips, "; break;
      case WithoutAnswer::asks_again: break;
    }
    prompt.below += "? explains, q gives up";
    if (dialogue_.reads_keys()) prompt.below.insert(0, "  ");
    if (question.type == QuestionType::password) prompt.echo = Echo::off;
    return prompt;
  }

  // The answer put right, nothing for none, or what is wrong with it.
  std::expected<std::optional<QuestionAnswer>, std::string> accept(const Question& question,
                                                                   const Reply& reply) const {
    AskUserRequest alone{.questions = {question}, .required = request_.required};
    std::vector<QuestionAnswer> answers;
    if (const Json* answer = std::get_if<Json>(&reply)) answers.push_back({question.id, *answer});
    const auto problems = validate_answers(alone, answers);
    if (!problems.empty()) return std::unexpected(problems.front().message);
    if (question.type == QuestionType::password && !answers.empty()) return answers.front();
    auto accepted = accept_answers(alone, answers);
    if (!accepted) return std::unexpected(accepted.error().message);
    if (accepted->response.responses.empty()) return std::nullopt;
    return std::move(accepted->response.responses.front());
  }

  void print_answer(const Question& question, const std::optional<QuestionAnswer>& answer) {
    // Where lines are read, the answer stands on the screen already.
    if (!dialogue_.reads_keys()) return;
    const std::string shown = answer ? shown_answer(question, answer->answer) : "no answer";
    const Terminal& screen = dialogue_.screen();
    dialogue_.print(painted(shortened("→ " + shown, screen.columns - 1), Colour::green, screen) +
                    "\n");
  }

  const AskUserRequest& request_;
  TerminalDialogue& dialogue_;
};

}  // namespace

std::expected<std::vector<QuestionAnswer>, GaveUp> ask_person(const AskUserRequest& request,
                                                              const PersonTerminal& where) {
  TerminalDialogue dialogue(where);
  Asking asking(request, dialogue);
  std::vector<QuestionAnswer> answers;
  for (std::size_t i = 0; i < request.questions.size(); ++i) {
    auto answer = TRY(asking.ask(i));
    if (answer) answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace wright::app
