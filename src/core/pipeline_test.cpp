#include <gtest/gtest.h>

#include <stdexcept>

#include "wright/testing.h"
#include "wright/tool.h"

namespace {

struct Echo {
  std::string text;
};
WRIGHT_DESCRIBE(Echo, WRIGHT_FIELD(text, "What to say"))

}  // namespace

namespace wright {
namespace {

using testing::call;

std::vector<Tool> tools() {
  return {tool("echo", "Says it again", [](const Echo& echo) { return echo.text; }),
          tool("boom", "Throws", []() -> int { throw std::runtime_error("kaboom"); }),
          tool("odd", "Throws something odd", []() -> int { throw 7; }),
          tool("ask", "Asks a person",
               []() -> Result<int> {
                 return wait_for_person(JsonObject{{"question", "Sure?"}});
               }),
          tool("silent", "Fails without words",
               []() -> Result<int> { return fail(ErrorCode::tool_failed, ""); }),
          tool("bytes", "Returns invalid UTF-8", [] { return std::string("a\xFF"); }),
          tool("long", "Returns much", [] { return std::string(100, 'x') + "é"; },
               {.output_limit = 101})};
}

ToolOutcome run_call(const ToolCall& call, std::vector<Interceptor> interceptors = {}) {
  return execute(tools(), interceptors, call, Context{});
}

TEST(Pipeline, runs_a_tool_and_answers_by_id) {
  const auto outcome = run_call(call("echo", R"({"text":"hi"})", "7"));
  EXPECT_EQ(outcome.result, (ToolResult{"7", "echo", "hi", false}));
  EXPECT_EQ(outcome.response, Json("hi"));
  EXPECT_TRUE(outcome.error.empty());
  EXPECT_GT(outcome.duration_ms, 0);
}

TEST(Pipeline, tells_the_model_of_an_unknown_tool_and_lists_the_known_ones) {
  const auto outcome = run_call(call("sing"));
  EXPECT_TRUE(outcome.result.is_error);
  EXPECT_EQ(outcome.result.content.rfind("Unknown tool: sing. Available tools: echo, boom", 0), 0U);
  EXPECT_NE(execute({}, {}, call("sing"), {}).result.content.find("none"), std::string::npos);
}

TEST(Pipeline, tells_the_model_of_broken_arguments) {
  for (const std::string arguments :
       {"{\"text\":", "text", "[1]", "\"text\"", "{\"text\":\"\xFF\"}"}) {
    const auto outcome = run_call(call("echo", arguments));
    EXPECT_TRUE(outcome.result.is_error) << arguments;
    EXPECT_NE(outcome.result.content.find("arguments"), std::string::npos);
  }
  EXPECT_EQ(run_call(call("echo", R"({"text":5})")).error,
            "Parameter text must be a string, not an integer");
}

TEST(Pipeline, takes_empty_arguments_for_none) {
  EXPECT_FALSE(run_call(call("bytes", "")).result.is_error);
  EXPECT_FALSE(run_call(call("bytes", " \n")).result.is_error);
  EXPECT_EQ(run_call(call("echo", "")).error, "Missing required parameter: text");
}

TEST(Pipeline, turns_exceptions_into_results) {
  EXPECT_EQ(run_call(call("boom")).result, (ToolResult{"", "boom", "kaboom", true}));
  EXPECT_TRUE(run_call(call("odd")).result.is_error);
  EXPECT_FALSE(run_call(call("silent")).error.empty());
}

TEST(Pipeline, passes_on_that_a_person_must_answer) {
  const auto outcome = run_call(call("ask"));
  ASSERT_TRUE(outcome.waiting);
  EXPECT_EQ(*outcome.waiting, (Json{{"question", "Sure?"}}));
  EXPECT_FALSE(outcome.result.is_error);
}

TEST(Pipeline, bounds_output_and_keeps_it_utf8) {
  EXPECT_EQ(run_call(call("bytes")).result.content, "a\xEF\xBF\xBD");
  const auto outcome = run_call(call("long"));
  EXPECT_EQ(outcome.result.content,
            std::string(100, 'x') + "\n[Output cut: the first 100 of 102 bytes]");
  EXPECT_EQ(outcome.response, Json(outcome.result.content));
}

TEST(Interceptors, wrap_outermost_first_and_may_change_everything) {
  std::string trace;
  const auto tracing = [&trace](std::string name) {
    return [&trace, name](const ToolCall& c, const Context& context,
                          const Next& next) -> Result<Json> {
      trace += name + "(";
      auto result = next(c, context);
      trace += ")" + name;
      return result;
    };
  };
  const Interceptor shout = [](const ToolCall& c, const Context& context, const Next& next) {
    context.arguments.as_object()["text"] = "LOUD";
    return next(c, context);
  };
  const auto outcome =
      run_call(call("echo", R"({"text":"quiet"})"), {tracing("a"), tracing("b"), shout});
  EXPECT_EQ(outcome.result.content, "LOUD");
  EXPECT_EQ(trace, "a(b()b)a");
}

TEST(Interceptors, see_a_tools_exception_as_an_error_and_may_answer_instead) {
  const Interceptor rescue = [](const ToolCall& c, const Context& context,
                                const Next& next) -> Result<Json> {
    auto result = next(c, context);
    return result ? result : Json("rescued: " + result.error().message);
  };
  EXPECT_EQ(run_call(call("boom"), {rescue}).result.content, "rescued: kaboom");
  const Interceptor refuse = [](const ToolCall&, const Context&, const Next&) -> Result<Json> {
    return fail(ErrorCode::permission_denied, "not today");
  };
  EXPECT_EQ(run_call(call("echo", R"({"text":"x"})"), {refuse}).error, "not today");
  const Interceptor thrower = [](const ToolCall&, const Context&, const Next&) -> Result<Json> {
    throw std::logic_error("bad interceptor");
  };
  EXPECT_EQ(run_call(call("echo", R"({"text":"x"})"), {thrower}).error, "bad interceptor");
}

TEST(Pipeline, asks_a_person_about_every_call_of_a_marked_tool) {
  int ran = 0;
  const std::vector<Tool> tools{tool("launch", "", [&] { ++ran; }, {.needs_approval = true})};
  const ToolCall call{"1", "launch", "{}"};
  const ToolOutcome asked = execute(tools, {}, call, {});
  ASSERT_TRUE(asked.waiting);
  EXPECT_EQ(asked.waiting->at("kind"), Json("approval"));
  EXPECT_EQ(asked.waiting->at("tool"), Json("launch"));
  const ToolOutcome refused =
      execute(tools, {}, call, {.answers = {.approval = Approval{Decision::refuse, "Too early"}}});
  EXPECT_TRUE(refused.result.is_error);
  EXPECT_NE(refused.error.find("Too early"), std::string::npos) << refused.error;
  EXPECT_EQ(ran, 0);
  const auto memory = std::make_shared<RunMemory>();
  EXPECT_FALSE(execute(tools, {}, call,
                       {.memory = memory, .answers = {.approval = Approval{Decision::once, ""}}})
                   .waiting);
  EXPECT_EQ(ran, 1);
  memory->decide("tool:launch", Decision::session);
  EXPECT_FALSE(execute(tools, {}, call, {.memory = memory}).waiting);
  EXPECT_EQ(ran, 2);
  memory->decide("tool:launch", Decision::never);
  EXPECT_TRUE(execute(tools, {}, call, {.memory = memory}).result.is_error);
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace wright
