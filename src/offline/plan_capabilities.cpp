// What the planner says about itself.
#include <fmt/format.h>

#include "offline/markdown.h"
#include "offline/plans.h"

namespace wright::offline {
namespace {

constexpr std::string_view kRealModel =
    "Everything else takes a language model: `--model vendor:name`; `wright doctor` tells which "
    "are ready.";

void add_what_i_can_do(Answer& answer, const Investigation& look) {
  if (look.offers_file_tools()) {
    answer.paragraph("With the file tools of this agent I answer questions like these:");
    answer.item("where is `X` defined, where is it used, what does it do, which files contain it");
    answer.item("what is in this folder, what does `FILE` do, show `FILE` lines 10-40");
    answer.item("how many files, lines, functions or occurrences; the largest or newest files");
    answer.item("summarise this project; its entry points, dependencies, tests, TODOs, licence");
    answer.item("where is the retry policy, how does caching work (found by the words)");
  }
  if (look.offers_file_tools() && look.offers("query_entities")) {
    answer.paragraph("With the index of the code I answer questions like these:");
    answer.item("what are the most complex classes; functions with more than 100 lines");
    answer.item("functions whose name starts with parse; which classes have the most methods");
    answer.item("code modified in the last week; how many functions are there per language");
  }
  if (is_about_database("database", look)) {
    answer.paragraph("With `sqlite_reader` I answer questions about the database like these:");
    answer.item("what is in this database, what is its schema, how do the tables belong together");
    answer.item("how many rows has `TABLE`, how many `TABLE` with `COLUMN` = \"x\"");
    answer.item(
        "top values of `COLUMN`; its average, sum, highest or lowest; show rows of `TABLE`");
    answer.item("any SELECT, run as you write it");
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

std::string plan_capabilities(const Question&, Investigation& look) {
  Answer answer;
  answer.paragraph(
      "I am Wright's offline planner: a small fixed program that needs no key and no network. I am "
      "not a language model.");
  add_what_i_can_do(answer, look);
  answer.paragraph(kRealModel);
  return answer.text();
}

std::string cannot_answer(const Question&, const Investigation& look) {
  Answer answer;
  answer.paragraph(
      "I cannot answer this: I am Wright's offline planner, not a language model, and I only "
      "recognise certain questions.");
  add_what_i_can_do(answer, look);
  answer.paragraph(kRealModel);
  return answer.text();
}

}  // namespace wright::offline
