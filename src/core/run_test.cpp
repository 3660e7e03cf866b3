#include "wright/run.h"

#include <gtest/gtest.h>

#include "core/run_invariants.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;

Agent agent_with_limit(int max_iterations) {
  Agent agent{.name = "tester", .instructions = "Be brief."};
  agent.limits.max_iterations = max_iterations;
  return agent;
}

ToolResult result_for(const ToolCall& call, std::string content = "ok") {
  return {call.id, call.name, std::move(content), false};
}

void expect_refuses(Run& run, Outcome outcome) {
  const wright::Run before = run;
  const auto accepted = accept(run, std::move(outcome));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(run, before);
}

template <class T>
T step_of(const Agent& agent, const Run& run) {
  Step step = next(agent, run);
  EXPECT_TRUE(std::holds_alternative<T>(step)) << "phase " << to_string(run.phase);
  return std::get<T>(std::move(step));
}

TEST(Run, asks_the_model_first_with_all_it_needs) {
  Agent agent = agent_with_limit(3);
  agent.sampling.max_tokens = 77;
  const wright::Run run = start(agent, "Hello");
  const auto step = step_of<CallModel>(agent, run);
  ASSERT_EQ(step.request.messages.size(), 1U);
  EXPECT_EQ(step.request.messages[0], Message::user("Hello"));
  EXPECT_EQ(step.request.system, "Be brief.");
  EXPECT_EQ(step.request.sampling->max_tokens, 77);
}

TEST(Run, forces_a_call_until_a_tool_was_called_for_this_message) {
  for (const ToolChoice& forced : {ToolChoice::required(), ToolChoice::one("look")}) {
    Agent agent = agent_with_limit(9);
    agent.sampling.tool_choice = forced;
    wright::Run run = start(agent, "Look");
    const auto choice = [&] { return step_of<CallModel>(agent, run).request.tool_choice(); };
    EXPECT_EQ(choice(), forced);
    // An answer that was cut has called nothing: the model is asked again, as before.
    Response cut = says("Half");
    cut.stop_reason = StopReason::max_tokens;
    expect_accepts(run, ModelAnswered{cut});
    EXPECT_EQ(choice(), forced);
    expect_accepts(run, ModelAnswered{calls({call("look", "{}", "1")})});
    expect_accepts(run, ToolFinished{result_for(call("look", "{}", "1"))});
    EXPECT_EQ(choice(), ToolChoice::automatic());
    // The same after the run was stored and loaded.
    const auto loaded = run_from_json(to_json(run));
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(step_of<CallModel>(agent, *loaded).request.has_called);
    expect_accepts(run, ModelAnswered{says("Green.")});
    // It holds again for the next message.
    expect_accepts(run, UserSaid{Message::user("And now?")});
    EXPECT_EQ(choice(), forced);
  }
}

TEST(Run, forbids_calls_after_a_call_as_well) {
  Agent agent = agent_with_limit(9);
  agent.sampling.tool_choice = ToolChoice::none();
  wright::Run run = start(agent, "Look");
  expect_accepts(run, ModelAnswered{calls({call("look", "{}", "1")})});
  expect_accepts(run, ToolFinished{result_for(call("look", "{}", "1"))});
  EXPECT_EQ(step_of<CallModel>(agent, run).request.tool_choice(), ToolChoice::none());
}

TEST(Run, is_done_when_the_model_answers_without_calls) {
  const Agent agent = agent_with_limit(3);
  wright::Run run = start(agent, "Hello");
  Response answer = says("Hi.");
  answer.usage = {.input_tokens = 5, .output_tokens = 2};
  expect_accepts(run, ModelAnswered{answer});
  EXPECT_EQ(step_of<Done>(agent, run).text, "Hi.");
  EXPECT_EQ(run.usage.input_tokens, 5);
  EXPECT_EQ(run.iterations, 1);
}

TEST(Run, keeps_parallel_calls_in_order_however_their_results_arrive) {
  const Agent agent = agent_with_limit(3);
  wright::Run run = start(agent, "Go");
  expect_accepts(
      run,
      ModelAnswered{calls({call("a", "{}", "1"), call("b", "{}", "2"), call("c", "{}", "3")})});
  const auto open = step_of<CallTools>(agent, run).calls;
  ASSERT_EQ(open.size(), 3U);
  expect_accepts(run, ToolFinished{result_for(open[2])});
  expect_accepts(run, ToolFinished{result_for(open[0])});
  EXPECT_EQ(step_of<CallTools>(agent, run).calls, std::vector{open[1]});
  expect_accepts(run, ToolFinished{result_for(open[1])});
  ASSERT_EQ(run.messages.size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(run.messages[2 + i], Message::tool(result_for(open[i])));
  }
  step_of<CallModel>(agent, run);
}

TEST(Run, shows_a_turn_of_calls_without_text_as_using_tools) {
  wright::Run run = start(agent_with_limit(3), "Go");
  expect_accepts(run, ModelAnswered{calls({call("a")})});
  EXPECT_EQ(display_text(run.messages.back()), "[Using tools]");
}

TEST(Run, fails_at_the_iteration_limit_after_the_last_tools_have_run) {
  const Agent agent = agent_with_limit(2);
  wright::Run run = start(agent, "Go");
  for (int i = 0; i < 2; ++i) {
    expect_accepts(run, ModelAnswered{calls({call("a")})});
    expect_accepts(run, ToolFinished{result_for(step_of<CallTools>(agent, run).calls[0])});
  }
  const auto failed = step_of<Failed>(agent, run);
  EXPECT_EQ(failed.error.message, "Maximum iteration limit reached");
  EXPECT_EQ(failed.error.code, ErrorCode::limit_reached);
}

TEST(Run, allows_ten_iterations_by_default) {
  EXPECT_EQ(Agent{}.limits.max_iterations, 10);
}

TEST(Run, replaces_empty_and_repeated_ids) {
  const Agent agent = agent_with_limit(5);
  wright::Run run = start(agent, "Go");
  expect_accepts(run,
                 ModelAnswered{calls({call("a", "{}", "x"), call("a", "{}", "x"), call("a")})});
  const auto first = step_of<CallTools>(agent, run).calls;
  for (const ToolCall& open : first) expect_accepts(run, ToolFinished{result_for(open)});
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "x")})});
  EXPECT_EQ(first[0].id, "x");
  EXPECT_NE(step_of<CallTools>(agent, run).calls[0].id, "x");
}

TEST(Run, takes_a_call_that_a_vendor_lists_twice_for_one) {
  wright::Run run = start(agent_with_limit(5), "Go");
  const ToolCall first = call("pay", R"({"to":"a"})", "1");
  const ToolCall other = call("pay", R"({"to":"b"})", "1");
  Response answer = calls({first, call("pay", "{}", "2"), other, first, other,
                           call("pay", "{}", ""), call("pay", "{}", "")});
  expect_accepts(run, ModelAnswered{std::move(answer)});
  std::vector<std::string> arguments;
  for (const OpenCall& open : run.open_calls) arguments.push_back(open.call.arguments);
  EXPECT_EQ(arguments,
            (std::vector<std::string>{R"({"to":"a"})", "{}", R"({"to":"b"})", "{}", "{}"}))
      << "two without an id are two";
  EXPECT_EQ(run.messages.back().tool_calls().size(), 5U);
  EXPECT_EQ(run.tool_calls, 5);
  EXPECT_EQ(run.open_calls[0].call.id, "1");
  EXPECT_NE(run.open_calls[2].call.id, "1") << "another call with that id";
}

TEST(Run, fails_with_the_models_error) {
  const Agent agent = agent_with_limit(3);
  wright::Run run = start(agent, "Go");
  const Error error{ErrorCode::unavailable, "overloaded", JsonObject{{"a", 1}}};
  expect_accepts(run, ModelFailed{error});
  EXPECT_EQ(step_of<Failed>(agent, run).error, error);
}

TEST(Run, waits_for_a_person_only_when_nothing_else_is_open) {
  const Agent agent = agent_with_limit(3);
  wright::Run run = start(agent, "Go");
  expect_accepts(run, ModelAnswered{calls({call("ask", "{}", "q"), call("a", "{}", "1")})});
  expect_accepts(run, ToolWaits{"q", Waiting{.shown = Json("Your name?")}});
  EXPECT_EQ(step_of<CallTools>(agent, run).calls.size(), 1U);
  expect_accepts(run, ToolFinished{{"1", "", "ok", false}});
  const auto waits = step_of<Wait>(agent, run).waits;
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].call.id, "q");
  EXPECT_EQ(waits[0].shown, Json("Your name?"));
  expect_accepts(run, ToolFinished{{"q", "", "Ada", false}});
  step_of<CallModel>(agent, run);
  EXPECT_EQ(run.messages[2].parts[0], Part(ToolResult{"q", "ask", "Ada", false}));
}

TEST(Run, cancels_from_every_phase_and_leaves_no_call_unanswered) {
  const Agent agent = agent_with_limit(3);
  wright::Run at_model = start(agent, "Go");
  wright::Run at_tools = at_model;
  expect_accepts(at_tools, ModelAnswered{calls({call("a", "{}", "1"), call("b", "{}", "2")})});
  expect_accepts(at_tools, ToolFinished{{"2", "b", "kept", false}});
  wright::Run at_wait = at_tools;
  expect_accepts(at_wait, ToolWaits{"1", Waiting{.shown = Json("?")}});
  for (wright::Run* run : {&at_model, &at_tools, &at_wait}) {
    expect_accepts(*run, Cancelled{"enough"});
    const auto failed = step_of<Failed>(agent, *run);
    EXPECT_EQ(failed.error.code, ErrorCode::cancelled);
    EXPECT_EQ(failed.error.message, "enough");
    expect_refuses(*run, Cancelled{"again"});
  }
  EXPECT_EQ(at_tools.messages[2].parts[0], Part(ToolResult{"1", "a", "Cancelled: enough", true}));
  EXPECT_EQ(at_tools.messages[3].parts[0], Part(ToolResult{"2", "b", "kept", false}));
}

TEST(Run, goes_on_after_every_end_with_a_fresh_iteration_budget) {
  const Agent agent = agent_with_limit(1);
  wright::Run run = start(agent, "One");
  expect_accepts(run, ModelAnswered{says("1")});
  expect_accepts(run, UserSaid{Message::user("Two")});
  expect_accepts(run, ModelAnswered{says("2")});
  expect_accepts(run, UserSaid{Message::user("Three")});
  expect_accepts(run, ModelFailed{{ErrorCode::timeout, "slow", {}}});
  expect_accepts(run, UserSaid{Message::user("Four")});
  expect_accepts(run, Cancelled{"no"});
  expect_accepts(run, UserSaid{Message::user("Five")});
  EXPECT_TRUE(run.error.message.empty());
  step_of<CallModel>(agent, run);
}

TEST(Run, refuses_outcomes_that_do_not_fit_and_stays_as_it_was) {
  const Agent agent = agent_with_limit(3);
  wright::Run run = start(agent, "Go");
  expect_refuses(run, ToolFinished{{"1", "a", "ok", false}});
  expect_refuses(run, ToolWaits{"1", {}});
  expect_refuses(run, UserSaid{Message::user("too early")});
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "1"), call("b", "{}", "2")})});
  expect_refuses(run, ModelAnswered{says("too early")});
  expect_refuses(run, ModelFailed{{}});
  expect_refuses(run, UserSaid{Message::user("too early")});
  expect_refuses(run, ToolFinished{{"3", "a", "unknown", false}});
  expect_accepts(run, ToolFinished{{"1", "a", "ok", false}});
  expect_refuses(run, ToolFinished{{"1", "a", "twice", false}});
  expect_refuses(run, ToolWaits{"1", {}});
  expect_accepts(run, ToolFinished{{"2", "b", "ok", false}});
  expect_accepts(run, ModelAnswered{says("done")});
  expect_refuses(run, ModelAnswered{says("again")});
}

TEST(Run, hears_the_user_between_two_turns) {
  const Agent agent = agent_with_limit(3);
  wright::Run run = start(agent, "Go");
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "1"), call("b", "{}", "2")})});
  expect_accepts(run, ToolFinished{{"1", "a", "ok", false}});
  expect_refuses(run, UserSaid{Message::user("a call is open")});
  expect_accepts(run, ToolFinished{{"2", "b", "ok", false}});
  expect_accepts(run, UserSaid{Message::user("Rather this")});
  EXPECT_EQ(run.iterations, 0);
  EXPECT_EQ(run.tool_calls, 0);
  expect_refuses(run, UserSaid{Message::user("twice")});
  step_of<CallModel>(agent, run);
  EXPECT_EQ(restored(run).value(), run);
  expect_accepts(run, ModelAnswered{says("done")});
}

TEST(AgentCheck, refuses_what_could_never_run) {
  const auto message_of = [](const Agent& agent) {
    const auto checked = check(agent);
    return checked ? std::string() : checked.error().message;
  };
  const Model model = testing::ScriptedModel({}).model();
  const Tool fine = tool("fine", "", [] {});
  EXPECT_EQ(message_of(Agent{.model = model, .tools = {fine}}), "");
  EXPECT_NE(message_of(Agent{}).find("no model"), std::string::npos);
  EXPECT_NE(message_of(Agent{.name = "", .model = model}).find("no name"), std::string::npos);
  EXPECT_NE(message_of(Agent{.model = model, .tools = {fine, fine}}).find("two tools"),
            std::string::npos);
  EXPECT_EQ(message_of(Agent{.model = model, .tools = {tool("server:a.b", "", [] {})}}), "");
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a\n"),
                                  std::string("\xff"), std::string(129, 'x')}) {
    EXPECT_NE(message_of(Agent{.model = model, .tools = {tool(name, "", [] {})}}), "") << name;
  }
  EXPECT_NE(
      message_of(Agent{.model = model, .tools = {Tool{.spec = {"bare", ""}, .function = {}}}}), "");
  EXPECT_NE(message_of(Agent{.model = model, .limits = {0}}).find("max_iterations"),
            std::string::npos);
}

TEST(AgentCheck, refuses_every_clash_of_names_and_aliases) {
  const Model model = testing::ScriptedModel({}).model();
  const auto named = [](const char* name, std::vector<std::string> aliases) {
    Tool made = tool(name, "", [] {});
    made.spec.aliases = std::move(aliases);
    return made;
  };
  const auto is_fine = [&](std::vector<Tool> tools) {
    return check(Agent{.model = model, .tools = std::move(tools)}).has_value();
  };
  EXPECT_TRUE(is_fine({named("read", {"cat"}), named("write", {"put"})}));
  EXPECT_TRUE(is_fine({named("read", {"read"})}));
  EXPECT_FALSE(is_fine({named("read", {"write"}), named("write", {})}));
  EXPECT_FALSE(is_fine({named("write", {}), named("read", {"write"})}));
  EXPECT_FALSE(is_fine({named("read", {"file"}), named("write", {"file"})}));
}

TEST(AgentCheck, refuses_a_tool_whose_arguments_nothing_checks) {
  const Model model = testing::ScriptedModel({}).model();
  Tool bare{.spec = {.name = "bare"},
            .function = [](const Json&, const Context&) -> Result<ToolReply> { return Output{}; }};
  EXPECT_TRUE(check(Agent{.model = model, .tools = {bare}})) << "it takes any object";
  bare.spec.parameters = JsonObject{{"type", "object"}, {"required", JsonArray{"city"}}};
  const auto refused = check(Agent{.model = model, .tools = {bare}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("bare"), std::string::npos) << refused.error().message;
  bare.schema = JsonSchema::compile(bare.spec.parameters).value();
  EXPECT_TRUE(check(Agent{.model = model, .tools = {bare}}));
}

TEST(Model, without_a_backend_says_so) {
  const auto response = Model().complete(Request{});
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("offline"), std::string::npos);
}

Response cut(Response response, StopReason reason = StopReason::max_tokens) {
  response.stop_reason = reason;
  return response;
}

TEST(Run, never_runs_half_a_call_of_a_cut_answer) {
  const Agent agent = agent_with_limit(5);
  for (const char* arguments : {"{\"path\": \"a", "", "{", "null", "[1]", "{\"a\":1} x"}) {
    wright::Run run = start(agent, "Hello");
    expect_accepts(run, ModelAnswered{cut(calls({call("write", arguments)}, "I will write"))});
    const auto step = step_of<CallModel>(agent, run);
    ASSERT_EQ(step.request.messages.size(), 3U) << arguments;
    EXPECT_EQ(step.request.messages[1], Message::assistant("I will write"));
    EXPECT_EQ(step.request.messages[2], Message::notice(Notice::Kind::answer_cut));
  }
}

TEST(Run, runs_the_whole_calls_of_a_cut_answer_and_forgets_the_half_one) {
  const Agent agent = agent_with_limit(5);
  wright::Run run = start(agent, "Hello");
  expect_accepts(run, ModelAnswered{cut(calls(
                          {call("read", "{\"path\":\"a\"}", "1"), call("read", "{\"pa", "2")}))});
  const auto step = step_of<CallTools>(agent, run);
  ASSERT_EQ(step.calls.size(), 1U);
  EXPECT_EQ(step.calls[0].id, "1");
  expect_accepts(run, ToolFinished{result_for(step.calls[0])});
  EXPECT_EQ(run.phase, Phase::model);
}

TEST(Run, leaves_out_a_cut_answer_without_a_word) {
  const Agent agent = agent_with_limit(5);
  wright::Run run = start(agent, "Hello");
  Response thought;
  thought.content = {Reasoning{"hm", "{}"}};
  expect_accepts(run, ModelAnswered{cut(thought)});
  ASSERT_EQ(run.messages.size(), 2U);
  EXPECT_EQ(run.messages[1], Message::notice(Notice::Kind::answer_cut));
}

TEST(Run, recovers_from_a_cut_answer) {
  const Agent agent = agent_with_limit(5);
  wright::Run run = start(agent, "Hello");
  expect_accepts(run, ModelAnswered{cut(says("It is a long st"))});
  expect_accepts(run, ModelAnswered{says("Short.")});
  EXPECT_EQ(step_of<Done>(agent, run).text, "Short.");
}

TEST(Run, fails_after_three_cut_answers_in_a_row) {
  const Agent agent = agent_with_limit(10);
  wright::Run run = start(agent, "Hello");
  for (int i = 0; i <= kMostCutsInARow; ++i) {
    ASSERT_EQ(run.phase, Phase::model) << i;
    expect_accepts(run, ModelAnswered{cut(says("blah"))});
  }
  EXPECT_EQ(step_of<Failed>(agent, run).error.code, ErrorCode::answer_cut);
}

TEST(Run, fails_at_the_first_cut_answer_where_none_is_allowed) {
  Agent agent = agent_with_limit(10);
  agent.limits.max_cuts = 0;
  wright::Run run = start(agent, "Hello");
  expect_accepts(run, ModelAnswered{cut(says("It is a long st"))});
  const auto failed = step_of<Failed>(agent, run);
  EXPECT_EQ(failed.error.code, ErrorCode::answer_cut);
  EXPECT_EQ(best_answer(run), "It is a long st");
}

TEST(Run, cut_answers_count_as_iterations) {
  const Agent agent = agent_with_limit(1);
  wright::Run run = start(agent, "Hello");
  expect_accepts(run, ModelAnswered{cut(says("blah"))});
  EXPECT_EQ(limit_of(step_of<Failed>(agent, run).error), Limit::iterations);
}

TEST(Run, fails_when_the_answer_was_filtered_and_runs_none_of_its_calls) {
  const Agent agent = agent_with_limit(5);
  wright::Run run = start(agent, "Hello");
  expect_accepts(
      run, ModelAnswered{cut(calls({call("write", "{}")}, "I can"), StopReason::content_filter)});
  EXPECT_EQ(step_of<Failed>(agent, run).error.code, ErrorCode::content_filtered);
  EXPECT_EQ(run.messages.back(), Message::assistant("I can"));
}

Response paused(std::string text) {
  return cut(says(std::move(text)), StopReason::paused);
}

TEST(Run, goes_on_with_a_turn_that_its_vendor_paused) {
  const Agent agent = agent_with_limit(5);
  wright::Run run = start(agent, "Hello");
  Response half = paused("I search.");
  half.content.emplace_back(Reasoning{"[web_search]", "{}"});
  half.usage.output_tokens = 7;
  expect_accepts(run, ModelAnswered{half});
  // Whoever loads it asks the same.
  const auto loaded = run_from_json(*parse_json(to_text(to_json(run))));
  ASSERT_TRUE(loaded) << loaded.error().message;
  wright::Run stored;
  stored.limits = run.limits;
  stored.messages = run.messages;
  stored.usage = run.usage;
  stored.iterations = run.iterations;
  const auto again = restored(std::move(stored));
  ASSERT_TRUE(again) << again.error().message;
  for (const wright::Run& each : {run, *loaded, *again}) {
    const auto step = step_of<CallModel>(agent, each);
    ASSERT_EQ(step.request.messages.size(), 3U);
    EXPECT_EQ(step.request.messages[1].parts, half.content);
    EXPECT_EQ(step.request.messages[2], Message::notice(Notice::Kind::turn_paused));
    EXPECT_EQ(each.iterations, 1);
    EXPECT_EQ(each.usage.output_tokens, 7);
  }
  expect_accepts(run, ModelAnswered{says("Found.")});
  EXPECT_EQ(step_of<Done>(agent, run).text, "Found.");
}

TEST(Run, is_not_paused_for_ever) {
  const Agent agent = agent_with_limit(99);
  wright::Run run = start(agent, "Hello");
  for (int i = 0; i <= kMostPausesInARow; ++i) {
    ASSERT_EQ(run.phase, Phase::model) << i;
    expect_accepts(run, ModelAnswered{paused("I search.")});
  }
  const auto failed = step_of<Failed>(agent, run);
  EXPECT_EQ(limit_of(failed.error), Limit::iterations);
  EXPECT_EQ(failed.text, "I search.");
  wright::Run few = start(agent_with_limit(1), "Hello");
  expect_accepts(few, ModelAnswered{paused("I search.")});
  EXPECT_EQ(few.phase, Phase::failed) << "a pause counts as an iteration";
}

TEST(Run, runs_the_calls_of_a_paused_turn_and_ends_with_an_empty_one) {
  const Agent agent = agent_with_limit(9);
  wright::Run run = start(agent, "Hello");
  expect_accepts(run, ModelAnswered{cut(calls({call("look", "{}", "1")}), StopReason::paused)});
  expect_accepts(run, ToolFinished{result_for(step_of<CallTools>(agent, run).calls[0])});
  EXPECT_EQ(run.messages.back().role, Role::tool);
  expect_accepts(run, ModelAnswered{cut(Response{}, StopReason::paused)});
  EXPECT_EQ(run.phase, Phase::done);
}

}  // namespace
}  // namespace wright
