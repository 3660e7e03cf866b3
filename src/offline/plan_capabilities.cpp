// What the planner says about itself.
#include <fmt/format.h>

#include "offline/index.h"
#include "offline/markdown.h"
#include "offline/plans.h"

namespace wright::offline {
namespace {

constexpr std::string_view kRealModel =
    "Everything else takes a language model: `--model vendor:name`; `wright doctor` tells which "
    "are ready.";

void add_what_i_can_do(AnswerText& answer, const Investigation& look) {
  if (look.offers_file_tools()) {
    answer.paragraph("About code I answer questions like these:");
    answer.item(
        "where is `X` defined, where is it used, what are its methods, what inherits from it");
    answer.item("what is in this folder, what does `FILE` do, show `FILE` lines 10-40");
    answer.item("what is this project, how do I build it, its entry points, dependencies, TODOs");
    answer.item("which files contain \"text\"; how many files, the largest C files");
  }
  if (has_index(look)) {
    answer.item(
        "the longest functions in src, classes with more than 200 lines or the most methods");
    answer.item("functions whose name starts with parse; what changed in the last week");
    answer.item("how many functions are there per language, how many lines of code");
  }
  if (is_about_database("database", look)) {
    answer.paragraph("About the database I answer questions like these:");
    answer.item("what is in this database, what is its schema, how do the tables belong together");
    answer.item("how many rows has `TABLE`, how many in 2025, per month, per `COLUMN`");
    answer.item("`TABLE` whose `COLUMN` is \"x\", is more than 5, or starts with \"x\"");
    answer.item(
        "the top values of a column, its average, sum, highest or lowest; the newest 3 rows");
    answer.item("any SELECT, run as you write it");
  }
  if (changes_code(look)) {
    answer.paragraph("I make small changes that need no understanding:");
    answer.item("rename `OLD` to `NEW`, wherever it stands as a whole word");
    answer.item("apply a patch that you give me (*** Begin Patch … *** End Patch)");
    answer.item("run the tests, and report");
    return;
  }
  if (gathers_requirements(look)) {
    answer.paragraph("With `ask_user` I gather the requirements of a process:");
    answer.item("tell me what you want to have automated or built; I ask for what is missing");
    answer.item("then I write the requirements down, for people and as JSON");
    return;
  }
  std::string others;
  for (const Tool& tool : look.tools()) {
    if (tool.spec.name == "list_files" || tool.spec.name == "read_file" || tool.spec.name == "grep")
      continue;
    if (is_entity_tool(tool.spec.name)) continue;
    others += (others.empty() ? "" : ", ") + code_span(tool.spec.name);
  }
  if (!others.empty()) {
    answer.paragraph(fmt::format("I can also call {} when a message names what it needs.", others));
  }
  if (look.tools().empty()) {
    answer.paragraph("This agent offers me no tools, so there is nothing that I can look at.");
  }
}

}  // namespace

std::string plan_capabilities(const ParsedPrompt&, Investigation& look) {
  AnswerText answer;
  answer.paragraph(
      "I am Wright's offline planner: a small fixed program that needs no key and no network. I am "
      "not a language model.");
  add_what_i_can_do(answer, look);
  answer.paragraph(kRealModel);
  return answer.text();
}

std::string cannot_answer(const ParsedPrompt&, const Investigation& look) {
  AnswerText answer;
  answer.paragraph(
      "I cannot answer this: I am Wright's offline planner, not a language model, and I only "
      "recognise certain questions.");
  add_what_i_can_do(answer, look);
  answer.paragraph(kRealModel);
  return answer.text();
}

std::string how_to_ask() {
  return "Ask `what can you do?` for the questions that I recognise, or choose a language model "
         "with "
         "`--model vendor:name`.";
}

}  // namespace wright::offline
