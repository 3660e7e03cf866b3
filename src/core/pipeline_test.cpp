#include <gtest/gtest.h>

#include <stdexcept>

#include "wright/agent.h"
#include "wright/testing.h"

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
               [] {
                 return Waiting{.kind = WaitKind::question,
                                .shown = JsonObject{{"question", "Sure?"}},
                                .timeout = std::chrono::seconds(5)};
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
  EXPECT_EQ(outcome.result.call_id, "7");
  EXPECT_EQ(outcome.result.name, "echo");
  EXPECT_EQ(outcome.result.content, "hi");
  EXPECT_FALSE(outcome.result.is_error);
  EXPECT_EQ(outcome.response, Json("hi"));
  EXPECT_TRUE(!outcome.error);
  EXPECT_GT(outcome.duration_ms, 0);
}

TEST(Pipeline, tells_the_model_of_an_unknown_tool_and_lists_the_known_ones) {
  const auto outcome = run_call(call("sing"));
  EXPECT_TRUE(outcome.result.is_error);
  EXPECT_EQ(outcome.result.content.rfind("Unknown tool: sing. Available tools: echo, boom", 0), 0U);
  EXPECT_NE(execute({}, {}, call("sing"), {}).result.content.find("none"), std::string::npos);
}

TEST(Pipeline, says_the_beginning_of_a_name_that_is_too_long) {
  const auto outcome = execute({}, {}, {"1", std::string(1 << 20, 'x'), "{}"}, {});
  EXPECT_EQ(outcome.result.content,
            "Unknown tool: " + std::string(200, 'x') + "…. Available tools: none");
}

TEST(Pipeline, tells_the_model_of_broken_arguments) {
  for (const std::string arguments :
       {"{\"text\":", "text", "[1]", "\"text\"", "{\"text\":\"\xFF\"}"}) {
    const auto outcome = run_call(call("echo", arguments));
    EXPECT_TRUE(outcome.result.is_error) << arguments;
    EXPECT_NE(outcome.result.content.find("arguments"), std::string::npos);
  }
  EXPECT_EQ(run_call(call("echo", R"({"text":5})")).error_message(),
            "Parameter text must be a string, not an integer");
}

TEST(Pipeline, takes_empty_arguments_for_none) {
  EXPECT_FALSE(run_call(call("bytes", "")).result.is_error);
  EXPECT_FALSE(run_call(call("bytes", " \n")).result.is_error);
  EXPECT_EQ(run_call(call("echo", "")).error_message(), "Missing required parameter: text");
}

TEST(Pipeline, turns_exceptions_into_results) {
  EXPECT_EQ(run_call(call("boom")).result.content, "kaboom");
  EXPECT_TRUE(run_call(call("boom")).result.is_error);
  EXPECT_EQ(run_call(call("boom")).error->code, ErrorCode::tool_failed);
  EXPECT_TRUE(run_call(call("odd")).result.is_error);
  EXPECT_FALSE(run_call(call("silent")).error_message().empty());
}

TEST(Pipeline, passes_on_that_a_person_must_answer) {
  const auto outcome = run_call(call("ask"));
  ASSERT_TRUE(outcome.waiting);
  EXPECT_EQ(outcome.waiting->kind, WaitKind::question);
  EXPECT_EQ(outcome.waiting->shown, (Json{{"question", "Sure?"}}));
  EXPECT_EQ(outcome.waiting->timeout, std::chrono::seconds(5));
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
    return [&trace, name](const Invocation& i, const Context& context,
                          const Next& next) -> Result<ToolReply> {
      trace += name + "(";
      auto result = next(i, context);
      trace += ")" + name;
      return result;
    };
  };
  const Interceptor shout = [](const Invocation& i, const Context& context, const Next& next) {
    return next(i.with(JsonObject{{"text", "LOUD"}}), context);
  };
  const auto outcome =
      run_call(call("echo", R"({"text":"quiet"})"), {tracing("a"), tracing("b"), shout});
  EXPECT_EQ(outcome.result.content, "LOUD");
  EXPECT_EQ(trace, "a(b()b)a");
}

TEST(Interceptors, see_a_tools_exception_as_an_error_and_may_answer_instead) {
  const Interceptor rescue = [](const Invocation& i, const Context& context,
                                const Next& next) -> Result<ToolReply> {
    auto result = next(i, context);
    if (result) return result;
    return Output{.value = Json("rescued: " + result.error().message)};
  };
  EXPECT_EQ(run_call(call("boom"), {rescue}).result.content, "rescued: kaboom");
  const Interceptor refuse = [](const Invocation&, const Context&,
                                const Next&) -> Result<ToolReply> {
    return fail(ErrorCode::permission_denied, "not today");
  };
  EXPECT_EQ(run_call(call("echo", R"({"text":"x"})"), {refuse}).error_message(), "not today");
  const Interceptor thrower = [](const Invocation&, const Context&,
                                 const Next&) -> Result<ToolReply> {
    throw std::logic_error("bad interceptor");
  };
  EXPECT_EQ(run_call(call("echo", R"({"text":"x"})"), {thrower}).error_message(),
            "bad interceptor");
}

TEST(Pipeline, asks_a_person_about_every_call_of_a_marked_tool) {
  int ran = 0;
  const std::vector<Tool> tools{tool("launch", "", [&] { ++ran; }, {.needs_approval = true})};
  const ToolCall call{"1", "launch", "{}"};
  const ToolOutcome asked = execute(tools, {}, call, {});
  ASSERT_TRUE(asked.waiting);
  EXPECT_EQ(asked.waiting->kind, WaitKind::approval);
  EXPECT_EQ(asked.waiting->shown.at("tool"), Json("launch"));
  EXPECT_EQ(asked.waiting->covers, std::vector<std::string>{"tool:launch"});
  const ToolOutcome refused =
      execute(tools, {}, call, {.answers = {.approval = Approval{Decision::refuse, "Too early"}}});
  EXPECT_TRUE(refused.result.is_error);
  EXPECT_NE(refused.error_message().find("Too early"), std::string::npos)
      << refused.error_message();
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

TEST(Pipeline, checks_arguments_of_tools_of_every_kind_without_being_asked) {
  int ran = 0;
  const auto raw = tool({.name = "raw",
                         .parameters = {{"type", "object"},
                                        {"properties", {{"n", {{"type", "integer"}}}}},
                                        {"required", {"n"}}}},
                        [&](const Json&, const Context&) -> Result<Json> { return ++ran; });
  ASSERT_TRUE(raw);
  const std::vector<Tool> all{*raw, tools()[0]};
  const ToolCall bad_raw = call("raw", R"({"n":"x"})");
  const ToolCall bad_struct = call("echo", R"({"text":"hi","more":1})");
  for (const ToolCall& bad : {bad_raw, bad_struct}) {
    EXPECT_TRUE(execute(all, {}, bad, {}).result.is_error) << bad.name;
    const auto lenient = execute(all, {}, bad, {}, {.strictness = Strictness::lenient});
    EXPECT_FALSE(lenient.result.is_error) << lenient.error_message();
    EXPECT_EQ(lenient.notes.size(), 1U) << bad.name;
    const auto off = execute(all, {}, bad, {}, {.strictness = Strictness::off});
    EXPECT_FALSE(off.result.is_error) << off.error_message();
    EXPECT_TRUE(off.notes.empty()) << bad.name;
  }
  EXPECT_EQ(ran, 2);
  // What no C++ value can be made of fails in any case.
  const auto wrong =
      execute(all, {}, call("echo", R"({"text":5})"), {}, {.strictness = Strictness::off});
  EXPECT_TRUE(wrong.result.is_error);
}

TEST(Pipeline, runs_what_was_approved_and_nothing_else) {
  int ran = 0;
  std::string diff = "-a\n+b\n";
  Tool edit = tool("edit", "", [&] { ++ran; }, {.needs_approval = true});
  edit.preview = [&](const Json&) { return Json{{"diff", diff}}; };
  const auto asked = execute({&edit, 1}, {}, call("edit"), {});
  ASSERT_TRUE(asked.waiting);
  Context approved;
  approved.answers.approval = Approval{.decision = Decision::once};
  approved.answers.approved = asked.waiting->shown;
  diff = "-c\n+b\n";  // somebody has changed the file
  const auto again = execute({&edit, 1}, {}, call("edit"), approved);
  ASSERT_TRUE(again.waiting);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(again.waiting->shown.at("diff"), Json(diff));
  EXPECT_EQ(again.waiting->shown.at("reason"),
            Json("What it would change is no longer what you approved"));
  approved.answers.approved = again.waiting->shown;
  EXPECT_FALSE(execute({&edit, 1}, {}, call("edit"), approved).waiting);
  EXPECT_EQ(ran, 1);
}

TEST(Pipeline, asks_again_when_what_a_person_was_shown_has_come_gone_or_changed) {
  const std::vector<Json> all_shown{{{"problem", "It would change nothing"}},
                                    {{"problem", "It would fail"}},
                                    {{"diff", "-a\n"}},
                                    {{"diff", "-a\n"}, {"whole_diff", "1"}},
                                    {{"diff", "-a\n"}, {"folder", "/a"}},
                                    Json(JsonObject{})};
  int ran = 0;
  Json preview;
  Tool edit = tool("edit", "", [&] { ++ran; }, {.needs_approval = true});
  edit.preview = [&](const Json&) { return preview; };
  for (const Json& then : all_shown) {
    preview = then;
    Context approved;
    approved.answers.approval = Approval{.decision = Decision::once};
    approved.answers.approved = execute({&edit, 1}, {}, call("edit"), {}).waiting.value().shown;
    for (const Json& now : all_shown) {
      preview = now;
      ran = 0;
      const bool asks = execute({&edit, 1}, {}, call("edit"), approved).waiting.has_value();
      EXPECT_EQ(asks, now != then) << to_text(then) << " " << to_text(now);
      EXPECT_EQ(ran, asks ? 0 : 1);
    }
  }
}

TEST(Pipeline, checks_arguments_again_that_an_interceptor_changed) {
  const Interceptor spoil = [](const Invocation& i, const Context& context, const Next& next) {
    return next(i.with(JsonObject{{"text", 7}}), context);
  };
  const auto outcome = run_call(call("echo", R"({"text":"fine"})"), {spoil});
  EXPECT_EQ(outcome.error_message(), "Parameter text must be a string, not an integer");
}

TEST(Pipeline, takes_an_interceptor_by_its_word_that_puts_bad_arguments_right) {
  const Interceptor mend = [](const Invocation& i, const Context& context, const Next& next) {
    EXPECT_NE(i.unusable, nullptr);
    return next(i.with(JsonObject{{"text", "mended"}}), context);
  };
  EXPECT_EQ(run_call(call("echo", "{broken"), {mend}).result.content, "mended");
}

TEST(Pipeline, gives_images_and_notes_of_a_tool_on) {
  const std::vector<Tool> all{tool("see", "Looks", [] {
    return Output{.value = "There", .images = {{"image/png", "AAAA"}}, .notes = {"It was dark"}};
  })};
  const Interceptor passing = [](const Invocation& i, const Context& context, const Next& next) {
    return next(i, context);
  };
  const std::vector<Interceptor> way{passing};
  const auto outcome = execute(all, way, call("see"), {});
  EXPECT_EQ(outcome.result.images, (std::vector<Image>{{"image/png", "AAAA"}}));
  EXPECT_EQ(outcome.notes, std::vector<std::string>{"It was dark"});
}

TEST(Pipeline, knows_what_a_tool_answered_whatever_is_added_to_it) {
  int added = 0;
  const Interceptor stamp = [&](const Invocation& i, const Context& context,
                                const Next& next) -> Result<ToolReply> {
    auto reply = next(i, context);
    std::get<Output>(*reply).value.as_object()["stamp"] = ++added;
    return reply;
  };
  const std::vector<Tool> all{tool("same", "",
                                   [] {
                                     return Json{{"a", 1}};
                                   }),
                              tool("other", "", [] {
                                return Json{{"a", 2}};
                              })};
  const std::vector<Interceptor> way{stamp};
  const auto first = execute(all, way, call("same"), {}).result;
  const auto second = execute(all, way, call("same"), {}).result;
  EXPECT_NE(first.content, second.content);
  EXPECT_EQ(first.fingerprint, second.fingerprint);
  EXPECT_NE(first.fingerprint, execute(all, way, call("other"), {}).result.fingerprint);
}

TEST(FindTool, prefers_the_name_to_an_alias) {
  Tool reader = tool("reader", "", [] {});
  reader.spec.aliases = {"writer"};
  const std::vector<Tool> all{reader, tool("writer", "", [] {})};
  EXPECT_EQ(find_tool(all, "writer"), &all[1]);
  EXPECT_EQ(find_tool(all, "nobody"), nullptr);
  // And an agent is not made of such tools.
  Agent agent{.model = testing::ScriptedModel({}).model(), .tools = all};
  EXPECT_FALSE(check(agent));
  agent.tools = {reader};
  EXPECT_TRUE(check(agent));
}

}  // namespace
}  // namespace wright
