#include "offline/entity_prompt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wright::offline {
namespace {

// A question in short: "class by line_count down", "function STARTS WITH parse".
std::string understood(std::string_view prompt) {
  const auto question = understand_entities(prompt);
  if (!question) return "(something else)";
  std::string text = question->type;
  if (!question->file_type.empty()) text += " in " + question->file_type;
  if (!question->visibility.empty()) text += " " + question->visibility;
  if (!question->path.empty()) text += " below " + question->path;
  if (question->number) {
    text += fmt::format(" {} {} {}", question->number->field, question->number->comparison,
                        question->number->value);
    if (question->number->upper_value != 0)
      text += fmt::format("-{}", question->number->upper_value);
  }
  if (question->time) {
    text += fmt::format(" {} {}{}", question->time->mode, question->time->period,
                        question->time->datetime);
    if (!question->time->end.empty()) text += "-" + question->time->end;
    if (question->time->times > 1) text += fmt::format(" x{}", question->time->times);
  }
  if (question->name) text += fmt::format(" {} {}", question->name->sign, question->name->pattern);
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

TEST(EntityPrompt, understands_sizes_names_times_and_groups) {
  for (const auto& [prompt, meaning] : {
           ExpectedEntities{"What are the most complex classes, by lines?",
                            "class by line_count down"},
           {"What are the most complex classes in the codebase? (Based on lines of code)",
            "class by line_count down"},
           {"which functions are the longest", "function by line_count down"},
           {"top 3 methods by number of lines", "method by line_count down"},
           {"smallest structs", "struct by line_count up"},
           {"longest Python function", "function in python by line_count down"},
           {"Find classes with more than 200 lines", "class line_count > 200"},
           {"which functions have at least 50 lines", "function line_count >= 50"},
           {"functions longer than 80 lines in src/net/", "function below src/net line_count > 80"},
           {"classes with between 10 and 20 methods", "class method_count between 10-20"},
           {"which classes have the most methods?", "class by method_count down"},
           {"functions whose name starts with parse", "function STARTS WITH parse"},
           {"classes with Error in their name", "class CONTAINS Error"},
           {"private methods in src/a.cpp", "method private below src/a.cpp"},
           {"Show me code modified in the last week", "file relative last_week"},
           {"What changed in the last 3 days?", "file relative last_day x3"},
           {"which classes were changed since 2025-01-01", "class between 2025-01-01"},
           {"files changed in 2025", "file between 2025-2025"},
           {"how many functions are there per language?", "function per language count"},
           {"which file has the most functions?", "function per file count"},
           {"Which C files are largest?", "file in c by size down"},
           {"What are the 3 largest files?", "file by size down"},
           {"how many python files are there", "file in python count"},
           {"How many lines of code are there?", "file per language count"},
           {"How many lines of C++ are there?", "file in c++ per language count"},
           {"How many lines per language?", "file per language count"},
           {"what languages are used?", "file per language count"},
           {"Private methods in src/a.cpp", "method private below src/a.cpp"},
           {"How Many Functions Are There In This Project", "function count"},
           {"HOW MANY FUNCTIONS ARE THERE", "function count"},
       }) {
    EXPECT_EQ(understood(prompt), meaning) << prompt;
  }
}

TEST(EntityPrompt, passes_no_word_over) {
  for (const char* prompt :
       {"How many test functions are there?", "functions with more than 5 parameters",
        "classes without methods", "largest files that nobody reads", "which functions call parse?",
        "unused functions", "functions changed by Ann in the last week", "abstract classes",
        "how many functions return void?", "classes with more methods than functions",
        "functions and classes in src/net", "what changed this month?", "files changed yesterday",
        "where is the largest function defined?", "how complex is this function?",
        // Names of classes, though a sentence may have such words.
        "What are the methods of Project?", "What are the methods of S?", "methods of Codebase",
        "What are the methods of Source?", "What are the methods of Public?",
        "What are the methods of `total`?", "How many methods does Repo have?",
        "How many lines does Project have?", "class Repo"}) {
    EXPECT_EQ(understood(prompt), "(something else)") << prompt;
  }
}

}  // namespace
}  // namespace wright::offline
