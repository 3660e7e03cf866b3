// Debug mode: what an agent used, what it lacked and what would help, checked against what really
// happened. Here the model praises a tool that it never called.
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>

struct Search {
  std::string entity_type;
};
WRIGHT_DESCRIBE(Search, WRIGHT_FIELD(entity_type, "class or function"))

int main() {
  using namespace wright::testing;
  const wright::Agent agent{
      .name = "code-analyzer",
      .instructions = "Answer questions about the code.",
      // A script instead of a model, so that this program needs no key. The report stands beside
      // the answer, so it costs no further turn.
      .model = ScriptedModel({calls({call("query_entities", R"({"entity_type": "class"})")}),
                              calls({call("report_tool_feedback", R"({
                  "tools_used": [{"name": "semantic_search", "purpose": "Look around",
                                  "success": true}],
                  "answer_quality": {"completeness": 40, "confidence": 80}})")},
                                    "I found 2 classes, but cannot filter by lines.")})
                   .model(),
      .tools = {wright::tool("query_entities", "Finds classes and functions", [](const Search&) {
        return *wright::parse_json(
            R"({"entities": [{"name": "Runtime", "line_count": 245},
                                                    {"name": "Store", "line_count": 98}]})");
      })}};

  const auto answer =
      wright::run(agent, "What are the largest classes (over 200 lines)?", {.debug = true});
  if (!answer) {
    std::cerr << answer.error().message << '\n';
    return 1;
  }
  std::cout << answer->text << "\n\n" << wright::to_text(*answer->feedback);
}
