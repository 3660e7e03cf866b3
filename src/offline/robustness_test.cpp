// The planner under bad conditions: other tools, missing tools, broken results, hostile prompts.
#include <gtest/gtest.h>

#include <random>

#include "offline/memory_tree_testing.h"
#include "offline/parsed_prompt.h"
#include "wright/model.h"

namespace wright::offline {

struct Place {
  std::string city;
  int days = 1;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city").min_length(1),
                WRIGHT_FIELD(days, "How far ahead").with_default())

enum class Unit { celsius, fahrenheit };
WRIGHT_ENUM(Unit, celsius, fahrenheit)
struct Conversion {
  double degrees = 0;
  Unit to = Unit::celsius;
};
WRIGHT_DESCRIBE(Conversion, WRIGHT_FIELD(degrees, "Temperature"), WRIGHT_FIELD(to, "Unit"))

namespace {

constexpr int kMostModelCalls = 6;

const std::vector<std::string>& prompts() {
  static const std::vector<std::string> kPrompts{"where is foo defined?",
                                                 "where is foo used?",
                                                 "what does foo do?",
                                                 "grep \"foo bar\"",
                                                 "what is in this folder?",
                                                 "which files match *.c?",
                                                 "which files contain foo?",
                                                 "largest files",
                                                 "how many files are there?",
                                                 "how many lines of code?",
                                                 "how many functions?",
                                                 "how often is foo used?",
                                                 "what does main.c do?",
                                                 "summarise this project",
                                                 "what are the entry points?",
                                                 "what are the dependencies?",
                                                 "list all TODOs",
                                                 "where are the tests?",
                                                 "which licence?",
                                                 "how does retrying work?",
                                                 "where is the retry policy?",
                                                 "where is Foo::bar implemented?",
                                                 "show main.c lines 3-9",
                                                 "write a poem",
                                                 "where is foo defined in src/x?",
                                                 "how many lines does a.c have?"};
  return kPrompts;
}

Json open_schema() {
  return JsonObject{{"type", "object"}};
}

void expect_it_ends(const std::vector<Tool>& tools, const char* what) {
  for (const std::string& prompt : prompts()) {
    const Conversation conversation = ask(tools, prompt);
    EXPECT_TRUE(conversation.has_ended) << what << ": " << prompt;
    EXPECT_LE(conversation.model_calls, kMostModelCalls) << what << ": " << prompt;
    EXPECT_FALSE(conversation.answer.empty()) << what << ": " << prompt;
  }
}

std::vector<Tool> file_tools_answering(const Result<Json>& answer) {
  return {constant_tool("list_files", open_schema(), answer),
          constant_tool("read_file", open_schema(), answer),
          constant_tool("grep", open_schema(), answer)};
}

TEST(OfflineRobustness, ends_over_an_empty_tree) {
  expect_it_ends(memory_tools({}), "empty tree");
}

TEST(OfflineRobustness, ends_and_tells_when_every_tool_fails) {
  const auto tools = file_tools_answering(fail(ErrorCode::tool_failed, "the disk is on fire"));
  expect_it_ends(tools, "failing tools");
  EXPECT_TRUE(ask(tools, "where is foo defined?").says("the disk is on fire"));
  EXPECT_TRUE(ask(tools, "what is in this folder?").says("the disk is on fire"));
}

TEST(OfflineRobustness, ends_over_results_of_any_form) {
  const std::vector<Json> answers{
      Json(nullptr),
      Json("not JSON at all"),
      Json("{\"matches\":[{\"file_path\":\"a.c\",\"line_nu"),
      JsonArray{1, 2, 3},
      JsonObject{},
      JsonObject{{"matches", "x"}, {"files", 7}, {"total_matches", "many"}},
      JsonObject{{"matches", JsonArray{1, nullptr, JsonObject{}}},
                 {"files", JsonArray{JsonArray{}, 5}}},
      JsonObject{{"matches", JsonArray{JsonObject{
                                 {"file_path", "a.c"}, {"line_number", -5}, {"line_content", 3}}}},
                 {"total_matches", 1e300},
                 {"content", "x"},
                 {"start_line", 99999999999},
                 {"files", JsonArray{"a.c", ""}}},
      JsonObject{{"matches", JsonArray{JsonObject{{"file_path", "main.c"},
                                                  {"line_number", 1},
                                                  {"line_content", "int foo(void) {"}}}},
                 {"truncated", true},
                 {"total_matches", 1000000},
                 {"content", "int foo(void) {\n"},
                 {"files", JsonArray{"main.c", "package.json", "LICENSE", "README.md"}}},
  };
  for (const Json& answer : answers) {
    expect_it_ends(file_tools_answering(answer), to_text(answer).c_str());
  }
}

TEST(OfflineRobustness, says_which_tool_is_missing) {
  std::vector<Tool> tools = memory_tools({{"a.c", "int foo(void) { return 1; }\n"}});
  std::erase_if(tools, [](const Tool& tool) { return tool.spec.name == "grep"; });
  expect_it_ends(tools, "no grep");
  const Conversation conversation = ask(tools, "where is foo defined?");
  EXPECT_TRUE(conversation.says("`grep`")) << conversation.answer;
  EXPECT_FALSE(conversation.called("grep"));
}

TEST(OfflineRobustness, finds_definitions_without_read_file) {
  std::vector<Tool> tools = memory_tools({{"a.c", "int foo(void) { return 1; }\n"}});
  std::erase_if(tools, [](const Tool& tool) { return tool.spec.name == "read_file"; });
  expect_it_ends(tools, "no read_file");
  EXPECT_TRUE(ask(tools, "where is foo defined?").says("a.c:1"));
}

TEST(OfflineRobustness, does_not_call_tools_with_other_parameters) {
  const Json other{{"type", "object"},
                   {"properties", {{"regex", {{"type", "string"}}}}},
                   {"required", JsonArray{"regex"}}};
  std::vector<Tool> tools = memory_tools({{"a.c", "int foo;\n"}});
  std::erase_if(tools, [](const Tool& tool) { return tool.spec.name == "grep"; });
  tools.push_back(constant_tool("grep", other, Json("no")));
  expect_it_ends(tools, "other parameters");
  const Conversation conversation = ask(tools, "where is foo used?");
  EXPECT_FALSE(conversation.called("grep"));
  EXPECT_TRUE(conversation.says("other parameters")) << conversation.answer;
}

TEST(OfflineRobustness, leaves_out_parameters_that_a_tool_does_not_know) {
  const Json narrow{{"type", "object"},
                    {"properties", {{"pattern", {{"type", "string"}}}}},
                    {"required", JsonArray{"pattern"}}};
  const std::vector<Tool> tools{constant_tool("grep", narrow, JsonObject{})};
  const Conversation conversation = ask(tools, "where is foo used?");
  ASSERT_TRUE(conversation.called("grep"));
  for (const ToolCall& call : conversation.calls) {
    EXPECT_EQ(parse_json(call.arguments)->as_object().size(), 1U) << call.arguments;
  }
}

TEST(OfflineRobustness, uses_no_tool_when_none_may_be_used) {
  Sampling sampling;
  sampling.tool_choice = ToolChoice::none();
  const std::vector<Tool> tools = memory_tools({{"a.c", "int foo;\n"}});
  const std::vector<Message> messages{Message::user("where is foo defined?")};
  Request request;
  request.messages = messages;
  request.tools = tools;
  request.sampling = &sampling;
  const auto response = offline_model().complete(request);
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->tool_calls().empty());
}

TEST(OfflineRobustness, says_that_it_cannot_follow_a_schema) {
  Sampling sampling;
  sampling.response_format.kind = ResponseFormat::Kind::json_schema;
  const std::vector<Message> messages{Message::user("hello")};
  Request request;
  request.messages = messages;
  request.sampling = &sampling;
  const auto response = offline_model().complete(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::unsupported);
}

TEST(OfflineRobustness, cuts_its_answer_to_the_tokens_allowed) {
  Sampling sampling;
  sampling.max_tokens = 10;
  const std::vector<Message> messages{Message::user("hello")};
  Request request;
  request.messages = messages;
  request.sampling = &sampling;
  const auto response = offline_model().complete(request);
  ASSERT_TRUE(response);
  EXPECT_LE(response->text().size(), 40U);
  EXPECT_EQ(response->stop_reason, StopReason::max_tokens);
}

TEST(OfflineRobustness, calls_other_tools_whose_parameters_are_in_the_prompt) {
  const std::vector<Tool> tools{
      tool("weather", "Weather in a city",
           [](const Place& place) { return "sunny in " + place.city; }),
      tool("convert_temperature", "Converts degrees to another unit", [](const Conversion& c) {
        return std::to_string(static_cast<int>(c.degrees)) +
               (c.to == Unit::fahrenheit ? " to fahrenheit" : " to celsius");
      })};
  const Conversation weather = ask(tools, "Weather in Oslo?");
  ASSERT_EQ(weather.calls.size(), 1U) << weather.answer;
  EXPECT_EQ(weather.calls[0].arguments, R"({"city":"Oslo"})");
  EXPECT_TRUE(weather.says("sunny in Oslo")) << weather.answer;
  EXPECT_TRUE(ask(tools, "what is the weather like in New York").says("sunny in New York"));
  EXPECT_TRUE(ask(tools, "weather for \"rio de janeiro\" please").says("sunny in rio de janeiro"));
  EXPECT_TRUE(ask(tools, "convert the temperature 30 to fahrenheit").says("30 to fahrenheit"));
}

TEST(OfflineRobustness, gives_another_agent_the_whole_question) {
  const std::string question = "What is the capital of France, and how many people live \"there\"?";
  for (const char* parameter : {"message", "task", "question"}) {
    const Json parameters =
        JsonObject{{"type", "object"},
                   {"properties", JsonObject{{parameter, JsonObject{{"type", "string"}}}}},
                   {"required", JsonArray{parameter}}};
    Tool geographer = constant_tool("ask_geographer", parameters, Json("Paris"));
    geographer.spec.description = "Answers questions about countries and capitals";
    const Conversation conversation = ask(std::vector<Tool>{geographer}, question);
    ASSERT_EQ(conversation.calls.size(), 1U) << conversation.answer;
    EXPECT_EQ(conversation.calls[0].arguments, to_text(JsonObject{{parameter, question}}));
  }
}

TEST(OfflineRobustness, says_which_parameter_it_could_not_fill) {
  const std::vector<Tool> tools{
      tool("weather", "Weather in a city", [](const Place& place) { return place.city; })};
  const Conversation conversation = ask(tools, "weather?");
  EXPECT_TRUE(conversation.calls.empty());
  EXPECT_TRUE(conversation.says("`city`")) << conversation.answer;
}

TEST(OfflineRobustness, tells_when_another_tool_fails) {
  const std::vector<Tool> tools{
      tool("weather", "Weather in a city", [](const Place&) -> Result<std::string> {
        return fail(ErrorCode::unavailable, "no satellite");
      })};
  const Conversation conversation = ask(tools, "Weather in Oslo?");
  EXPECT_TRUE(conversation.has_ended);
  EXPECT_TRUE(conversation.says("no satellite")) << conversation.answer;
}

TEST(OfflineRobustness, survives_hostile_prompts) {
  const std::vector<Tool> tools = memory_tools({{"a.c", "int foo;\n"}});
  const std::vector<std::string> hostile{
      "",
      "   \n\t ",
      std::string(1'500'000, 'a'),
      "where is " + std::string(1'000'000, '(') + " defined?",
      "where is .*+?()[]{}|^$\\ defined?",
      "where is `[[[` used?",
      "which files contain \"\\Q\\E(?P<x>\"?",
      "grep [unclosed",
      "what does ../../../../etc/passwd do?",
      std::string("where is \xff\xfe\x00\x80 defined?", 23),
      "where is \xE2\x82 defined?",
      "how many files of type **/**/**",
      "show a.c lines 99999999999999999999-1",
      "show a.c lines 0-0",
      "show a.c:0",
  };
  for (const std::string& prompt : hostile) {
    const Conversation conversation = ask(tools, prompt);
    EXPECT_TRUE(conversation.has_ended) << prompt.substr(0, 60);
    EXPECT_LE(conversation.model_calls, kMostModelCalls);
    EXPECT_TRUE(is_valid_utf8(conversation.answer)) << prompt.substr(0, 60);
    EXPECT_LT(conversation.answer.size(), 20'000U);
    for (const ToolCall& call : conversation.calls) {
      EXPECT_TRUE(parse_json(call.arguments)) << call.arguments.substr(0, 200);
    }
  }
}

TEST(OfflineRobustness, survives_random_words_over_random_code) {
  std::mt19937 random(20240607);  // NOLINT: the same on every run
  const std::vector<std::string> words{
      "where",  "is",      "the",     "defined", "foo",   "{",    "}",    "(",  ")",  ";",
      "struct", "typedef", "how",     "many",    "files", "\"",   "`",    "/*", "*/", "#define",
      "::",     "in",      "src/a.c", "\n",      "\\",    "\xff", "enum", "=",  ","};
  const auto text = [&](std::size_t count) {
    std::string made;
    for (std::size_t i = 0; i < count; ++i) made += words[random() % words.size()] + " ";
    return made;
  };
  for (int round = 0; round < 60; ++round) {
    MemoryTree tree;
    tree["src/a.c"] = to_valid_utf8(text(200));
    tree["b.py"] = to_valid_utf8(text(100));
    const Conversation conversation = ask(tree, text(8));
    EXPECT_TRUE(conversation.has_ended);
    EXPECT_LE(conversation.model_calls, kMostModelCalls);
    EXPECT_TRUE(is_valid_utf8(conversation.answer));
  }
}

TEST(OfflineRobustness, keeps_answers_bounded_and_says_what_was_left_out) {
  MemoryTree tree;
  for (int i = 0; i < 400; ++i) {
    tree["src/file" + std::to_string(i) + ".c"] =
        "int x = foo(1);\n" + std::string(3000, 'z') + " foo\n";
  }
  const Conversation used = ask(tree, "where is foo used?");
  EXPECT_LT(used.answer.size(), 20'000U);
  EXPECT_TRUE(used.says("800 lines in 400 files")) << used.answer.substr(0, 300);
  EXPECT_TRUE(used.says("the first 300"));
  const Conversation listed = ask(tree, "which files match *.c?");
  EXPECT_TRUE(listed.says("400 files")) << listed.answer.substr(0, 300);
  EXPECT_LT(listed.answer.size(), 20'000U);
}

}  // namespace
}  // namespace wright::offline
