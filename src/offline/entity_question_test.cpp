#include "offline/entity_question.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wright::offline {
namespace {

// A question in short: "class line_count desc", "function name starts_with parse".
std::string understood(std::string_view prompt) {
  const auto question = understand_entities(prompt);
  if (!question) return "(something else)";
  std::string text = question->type;
  if (!question->language.empty()) text += " in " + question->language;
  if (!question->visibility.empty()) text += " " + question->visibility;
  if (!question->path.empty()) text += " below " + question->path;
  if (question->number) {
    text += fmt::format(" {} {} {}", question->number->field, question->number->comparison,
                        question->number->value);
    if (question->number->upper_value != 0) {
      text += fmt::format("-{}", question->number->upper_value);
    }
  }
  if (question->time) {
    text += fmt::format(" time {} {}{}", question->time->mode, question->time->period,
                        question->time->datetime);
    if (question->time->times > 1) text += fmt::format(" x{}", question->time->times);
  }
  if (question->name)
    text += fmt::format(" name {} {}", question->name->mode, question->name->pattern);
  if (question->order) {
    text += fmt::format(" by {} {}", question->order->field,
                        question->order->is_descending ? "down" : "up");
  }
  if (!question->group_by.empty()) text += " per " + question->group_by;
  if (question->is_count) text += " count";
  return text;
}

struct ExpectedEntities {
  const char* prompt;
  const char* meaning;
};

TEST(EntityQuestion, understands_the_questions_of_the_seed_and_their_like) {
  for (const auto& [prompt, meaning] : {
           ExpectedEntities{"What are the most complex classes, by lines?",
                            "class by line_count down"},
           {"What are the most complex classes in the codebase? (Based on lines of code)",
            "class by line_count down"},
           {"what are the largest classes (over 200 lines)", "class line_count gt 200"},
           {"which functions are the longest", "function by line_count down"},
           {"show me the 5 biggest functions", "function by line_count down"},
           {"top 3 methods by number of lines", "method by line_count down"},
           {"smallest structs", "struct by line_count up"},
           {"What's the longest Python function?", "function in Python by line_count down"},
           {"classes with more than 200 lines", "class line_count gt 200"},
           {"Find classes with more than 200 lines", "class line_count gt 200"},
           {"which functions have at least 50 lines", "function line_count gte 50"},
           {"functions longer than 80 lines in src/net/",
            "function below src/net line_count gt 80"},
           {"methods of fewer than 5 lines", "method line_count lt 5"},
           {"functions between 10 and 20 lines", "function line_count between 10-20"},
           {"classes with about 100 lines", "class line_count approximately 100"},
           {"files with more than 500 lines", "file line_count gt 500"},
           {"classes with more than 10 methods", "class method_count gt 10"},
           {"how many classes have more than 200 lines", "class line_count gt 200 count"},
           {"Show me code modified in the last week", "file time relative last_week"},
           {"code modified in the last week", "file time relative last_week"},
           {"which functions were changed in the past month", "function time relative last_month"},
           {"what code changed today", "file time relative last_day"},
           {"files edited in the last 3 days", "file time relative last_day x3"},
           {"classes modified since 2025-01-15", "class time between 2025-01-15"},
           {"code not touched, last changed before 2024-06", "file time before 2024-06"},
           {"functions whose name starts with parse", "function name starts_with parse"},
           {"list functions starting with `get_`", "function name starts_with get_"},
           {"functions beginning with \"is\"", "function name starts_with is"},
           {"classes whose names end with Policy", "class name ends_with Policy"},
           {"methods with render in their name", "method name contains render"},
           {"functions named matching ^to_.*", "function name regex ^to_.*"},
           {"how many functions are there per language", "function per language count"},
           {"how many classes by language?", "class per language count"},
           {"count the methods for each file", "method per file count"},
           {"how many Python classes are there", "class in Python count"},
           {"which classes have the most methods", "class by method_count down"},
           {"class with the most methods", "class by method_count down"},
           {"list the private methods", "method private"},
           {"most recently changed classes", "class by last_modified down"},
       }) {
    EXPECT_EQ(understood(prompt), meaning) << prompt;
  }
}

TEST(EntityQuestion, leaves_other_questions_to_others) {
  for (const char* prompt :
       {"where is class Parser defined?", "what does the function parse_header do?",
        "what are the largest files?", "how many files are there?", "newest files",
        "files whose name starts with test", "which files contain 'class'",
        "summarise this project", "how does the code handle errors", "who calls parse_header",
        "list the TODOs", "", "functions", "explain the class Parser",
        "how many lines of code are there", "what is the licence", "files ending in .cpp"}) {
    EXPECT_EQ(understood(prompt), "(something else)") << prompt;
  }
}

TEST(EntityQuestion, survives_any_text) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>(i * 37 % 256);
  EXPECT_NO_THROW(understood(text));
  EXPECT_NO_THROW(understood("classes with more than 99999999999999999999 lines"));
  EXPECT_NO_THROW(understood("classes modified in the last 999999999 weeks"));
  EXPECT_NO_THROW(understood(std::string(100'000, 'c')));
}

}  // namespace
}  // namespace wright::offline
