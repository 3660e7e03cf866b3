// Fitting step by step, without a driver.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/context_window.h"
#include "wright/fitting.h"
#include "wright/testing.h"

namespace wright {
namespace {

class KnownWindow : public ModelBackend {
 public:
  explicit KnownWindow(std::int64_t tokens, bool guesses = false)
      : tokens_(tokens), guesses_(guesses) {}
  Result<Response> complete(const Request&, const ModelCall&) override {
    return testing::says("Yes.");
  }
  std::optional<std::int64_t> context_tokens() const override { return tokens_; }
  bool guesses_context() const override { return guesses_; }

 private:
  const std::int64_t tokens_;
  const bool guesses_;
};

Agent agent_with_window(std::int64_t tokens, bool guesses = false) {
  return {.name = "a",
          .instructions = "Work.",
          .model = Model("known", "model", std::make_shared<KnownWindow>(tokens, guesses)),
          .sampling = {.max_tokens = 500}};
}

// Turns of one call and one result each, and a new message of the user after every `between`.
Run long_run(const Agent& agent, int turns, std::size_t bytes, int between = 1'000'000) {
  wright::Run run = start(agent, "task");
  for (int i = 0; i < turns; ++i) {
    const std::string id = fmt::format("c{}", i);
    run.messages.push_back(Message{Role::assistant, {ToolCall{id, "look", "{}"}}});
    run.messages.push_back(
        Message::tool({.call_id = id, .name = "look", .content = std::string(bytes, 'r')}));
    if ((i + 1) % between != 0) continue;
    run.messages.push_back(Message::assistant("so far"));
    run.messages.push_back(Message::user(fmt::format("and then {}?", i)));
  }
  return run;
}

// As a driver does it, with a model that writes `summary`.
int fit_whole(ContextFitting& fitting, const Agent& agent, const Run& run,
              const std::string& summary = "It was like this.") {
  int asked = 0;
  fitting.fit(agent, run);
  while (fitting.wants_summary()) {
    ++asked;
    fitting.summary_request(agent, run);
    Response said = testing::says(summary);
    said.usage = {.input_tokens = 1'000, .output_tokens = 50};
    fitting.take_summary(run, said);
    fitting.fit(agent, run);
  }
  return asked;
}

Error too_long(std::string words) {
  return {ErrorCode::context_too_long, std::move(words), {}};
}

TEST(ContextFittingSteps, say_before_anything_is_paid_that_the_fixed_part_does_not_fit) {
  Agent agent = agent_with_window(4'000);
  agent.instructions = std::string(20'000, 'i');
  const wright::Run run = start(agent, "Hello");
  ContextFitting fitting;
  fitting.fit(agent, run);
  EXPECT_FALSE(fitting.wants_summary());
  ASSERT_TRUE(fitting.too_long());
  EXPECT_EQ(fitting.too_long()->code, ErrorCode::context_too_long);
  EXPECT_NE(fitting.too_long()->message.find("4000"), std::string::npos);
  EXPECT_NE(fitting.too_long()->message.find("5000"), std::string::npos)
      << fitting.too_long()->message;
}

TEST(ContextFittingSteps, do_not_refuse_by_a_guess) {
  Agent agent = agent_with_window(4'000, true);
  agent.instructions = std::string(20'000, 'i');
  ContextFitting fitting;
  fitting.fit(agent, start(agent, "Hello"));
  EXPECT_FALSE(fitting.too_long());
}

TEST(ContextFittingSteps, believe_what_a_refusal_says_of_the_window) {
  const Agent agent = agent_with_window(128'000, true);
  const wright::Run run = long_run(agent, 20, 3'000);
  ContextFitting fitting;
  fitting.fit(agent, run);
  ASSERT_TRUE(fitting.shrink(agent, run, too_long("maximum context length is 8000 tokens")));
  fit_whole(fitting, agent, run);
  EXPECT_EQ(fitting.meter(agent, run).window, 8'000);
  EXPECT_LE(fitting.estimate(agent, run), 7'500);
  // Also by the next driver, and not for another model.
  ContextFitting next;
  next.restore(fitting.to_json(), run.messages);
  EXPECT_EQ(next.meter(agent, run).window, 8'000);
  const Agent other{.name = "a",
                    .model = Model("known", "other", std::make_shared<KnownWindow>(50'000))};
  EXPECT_EQ(next.meter(other, run).window, 50'000);
}

TEST(ContextFittingSteps, shrink_step_by_step_where_a_refusal_says_nothing) {
  const Agent agent = agent_with_window(128'000, true);
  const wright::Run run = long_run(agent, 20, 3'000);
  ContextFitting fitting;
  fitting.fit(agent, run);
  std::int64_t last = fitting.estimate(agent, run);
  int steps = 0;
  while (fitting.shrink(agent, run, too_long("That is too long"))) {
    fit_whole(fitting, agent, run);
    const std::int64_t now = fitting.estimate(agent, run);
    EXPECT_LT(now, last);
    last = now;
    ++steps;
  }
  EXPECT_GT(steps, 2);
  EXPECT_LT(steps, 8);
}

TEST(ContextFittingSteps, keep_the_measurement_beside_the_cut) {
  const Agent agent = agent_with_window(8'000);
  wright::Run run = long_run(agent, 12, 3'000);
  ContextFitting fitting;
  fit_whole(fitting, agent, run);
  fitting.answered(run, {.usage = {.input_tokens = 2'000, .output_tokens = 10}});
  const auto kept = fitting.take_last();
  ASSERT_TRUE(kept);
  EXPECT_FALSE(fitting.take_last());
  run.messages.push_back(Message::assistant("Done."));
  run.messages.push_back(Message::user("next"));
  ContextFitting next;
  next.restore(*kept, run.messages);
  EXPECT_EQ(next.cut(), fitting.cut());
  EXPECT_LT(next.meter(agent, run).tokens, 2'050);
}

TEST(ContextFittingSteps, count_a_blank_summary_as_none) {
  const Agent agent = agent_with_window(8'000);
  const wright::Run run = long_run(agent, 40, 3'000);
  ContextFitting fitting;
  fit_whole(fitting, agent, run, " \n\t ");
  EXPECT_NE(fitting.cut().summary.find("You called look"), std::string::npos);
}

TEST(ContextFittingSteps, spend_no_more_on_summaries_than_the_policy_allows) {
  Agent agent = agent_with_window(8'000);
  wright::Run run = start(agent, std::string(14'000, 'f'));  // leaves little room
  ContextFitting fitting;
  std::int64_t spent = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string id = fmt::format("c{}", i);
    run.messages.push_back(Message{Role::assistant, {ToolCall{id, "look", "{}"}}});
    run.messages.push_back(
        Message::tool({.call_id = id, .name = "look", .content = std::string(3'000, 'r')}));
    fitting.fit(agent, run);
    while (fitting.wants_summary()) {
      Response said = testing::says("It was like this.");
      said.usage = {.input_tokens = fitting.estimate(agent, run), .output_tokens = 50};
      spent += said.usage.input_tokens + said.usage.output_tokens;
      run.usage += said.usage;
      fitting.summary_request(agent, run);
      fitting.take_summary(run, said);
      fitting.fit(agent, run);
    }
    EXPECT_LE(fitting.estimate(agent, run), 7'500);
    std::size_t bytes = 0;
    for (const Message& shown : cut_messages(run.messages, fitting.cut())) {
      bytes += to_text(to_json(shown)).size();
    }
    const Usage usage{.input_tokens = static_cast<std::int64_t>(bytes / 4), .output_tokens = 50};
    run.usage += usage;
    fitting.answered(run, {.usage = usage});
  }
  EXPECT_LE(spent, (run.usage.input_tokens + run.usage.output_tokens) / 4 + 8'000);
  agent.context.most_for_summaries = 0;
  ContextFitting thrifty;
  EXPECT_EQ(fit_whole(thrifty, agent, run), 0);
}

TEST(ContextFittingSteps, keep_the_users_words_and_their_place) {
  const Agent agent = agent_with_window(8'000);
  wright::Run run = long_run(agent, 40, 3'000, 10);
  ContextFitting fitting;
  ASSERT_GT(fit_whole(fitting, agent, run), 0);
  EXPECT_NE(fitting.cut().summary.find("and then 9?"), std::string::npos) << fitting.cut().summary;
  // Inside of a turn: what comes later moves nothing.
  run = long_run(agent, 35, 3'000, 30);
  ContextFitting inside;
  ASSERT_GT(fit_whole(inside, agent, run), 0);
  const auto before = cut_messages(run.messages, inside.cut());
  run.messages.push_back(Message::assistant("Done."));
  run.messages.push_back(Message::user("something else"));
  const auto after = cut_messages(run.messages, inside.cut());
  ASSERT_GE(after.size(), before.size());
  EXPECT_TRUE(std::ranges::equal(before, std::span(after).first(before.size())));
  EXPECT_NE(std::ranges::find(after, Message::user("and then 29?")), after.end());
}

TEST(ContextFittingSteps, let_the_two_sides_take_turns) {
  const Agent agent = agent_with_window(8'000);
  for (const int between : {2, 7, 30, 1'000}) {
    const wright::Run run = long_run(agent, 40, 3'000, between);
    ContextFitting fitting;
    fit_whole(fitting, agent, run);
    const auto shown = cut_messages(run.messages, fitting.cut());
    for (std::size_t at = 1; at < shown.size(); ++at) {
      if (shown[at].role == Role::tool) continue;
      EXPECT_NE(shown[at].role, shown[at - 1].role) << "at " << at << " between " << between;
    }
  }
}

TEST(ContextFittingSteps, ask_for_no_longer_answer_than_there_is_room_for) {
  Agent agent = agent_with_window(8'000);
  agent.sampling.max_tokens = 6'000;
  const wright::Run run = long_run(agent, 5, 3'000);
  ContextFitting fitting;
  fitting.fit(agent, run);
  const Step step = next(agent, run);
  const Request request = fitting.fitted(std::get<CallModel>(step).request, run);
  EXPECT_LE(request.sampling->max_tokens + fitting.estimate(agent, run), 8'000);
  EXPECT_GE(request.sampling->max_tokens, 2'000);
  EXPECT_EQ(request.context_tokens, 8'000);
}

TEST(ContextFittingSteps, shorten_any_number_of_results_of_one_turn) {
  const Agent agent = agent_with_window(32'000);
  for (const std::size_t bytes : {20'000U, 1'500U}) {
    wright::Run run = start(agent, "task");
    Message calls{Role::assistant, {}};
    for (int i = 0; i < 200; ++i) {
      calls.parts.emplace_back(ToolCall{fmt::format("c{}", i), "look", "{}"});
    }
    run.messages.push_back(std::move(calls));
    for (int i = 0; i < 200; ++i) {
      run.messages.push_back(Message::tool(
          {.call_id = fmt::format("c{}", i), .name = "look", .content = std::string(bytes, 'r')}));
    }
    ContextFitting fitting;
    fit_whole(fitting, agent, run);
    EXPECT_LE(fitting.estimate(agent, run), 31'500);
    EXPECT_EQ(cut_messages(run.messages, fitting.cut()).size(), run.messages.size());
  }
}

TEST(ContextFittingSteps, do_as_a_policy_of_ones_own_says) {
  Agent agent = agent_with_window(8'000);
  int asked = 0;
  agent.context.fit = [&](std::span<const Message> messages, const ContextCut& cut,
                          const ContextWindow&, const MeasuredRequest&) {
    ++asked;
    ContextFit fit{.cut = cut};
    // Keeps the last six messages, between whatever they stand.
    if (messages.size() > cut.summarised + 12) fit.summarise = messages.size() - 5;
    return fit;
  };
  agent.context.summary_prompt = "In one word?";
  agent.context.summary_model = testing::ScriptedModel({testing::says("Looked.")}).model();
  wright::Run run = long_run(agent, 20, 100);
  ContextFitting fitting;
  Step step = fitting.next(agent, run);
  ASSERT_TRUE(std::holds_alternative<CallModel>(step));
  EXPECT_EQ(std::get<CallModel>(step).request.messages.back().text(), "");
  EXPECT_EQ(*words_in(std::get<CallModel>(step).request.messages.back().parts.front()),
            "In one word?");
  auto said = fitting.model(agent).complete(std::get<CallModel>(step).request);
  ASSERT_TRUE(said) << said.error().message;
  ASSERT_TRUE(fitting.accept(agent, run, std::move(said)));
  step = fitting.next(agent, run);
  const auto shown = std::get<CallModel>(step).request.messages;
  EXPECT_NE(shown[1].text().find("Looked."), std::string::npos);
  // A call is not separated from its result, whatever a policy says.
  for (std::size_t at = 0; at < shown.size(); ++at) {
    if (shown[at].role != Role::tool) continue;
    EXPECT_EQ(shown[at - 1].role, Role::assistant);
  }
  EXPECT_GE(asked, 2);
  agent.context.fit = [](auto, const auto&, const auto&, const auto&) -> ContextFit {
    throw std::runtime_error("No");
  };
  fitting.fit(agent, run);
  EXPECT_FALSE(fitting.too_long());
}

// As Ollama does, which keeps what it has read.
TEST(ContextFittingSteps, do_not_believe_a_vendor_that_counts_only_what_is_new) {
  const Agent agent = agent_with_window(16'000);
  wright::Run run = start(agent, "task");
  ContextFitting fitting;
  std::int64_t most = 0;
  for (int i = 0; i < 60; ++i) {
    fitting.fit(agent, run);
    if (fitting.wants_summary()) fitting.do_without_summary(run);
    fitting.fit(agent, run);
    std::int64_t bytes = 0;
    const Request sent =
        fitting.fitted({.messages = run.messages, .sampling = &agent.sampling}, run);
    for (const Message& message : sent.messages) {
      bytes += static_cast<std::int64_t>(display_text(message).size());
    }
    most = std::max(most, bytes);
    fitting.answered(run, {.usage = {.input_tokens = i == 0 ? 20 : 520}});
    const std::string id = fmt::format("c{}", i);
    run.messages.push_back(Message{Role::assistant, {ToolCall{id, "look", "{}"}}});
    run.messages.push_back(
        Message::tool({.call_id = id, .name = "look", .content = std::string(2'000, 'r')}));
  }
  EXPECT_LT(most, 16'000 * 4) << "more than the window holds";
  EXPECT_GT(most, 16'000 * 2) << "it holds more than that";
}

// What was billed for nothing was no part of the request that was answered.
TEST(ContextFittingSteps, measure_the_request_that_was_answered) {
  const Agent agent = agent_with_window(16'000);
  wright::Run run = start(agent, "task");
  ContextFitting fitting;
  fitting.fit(agent, run);
  fitting.answered(run, {.usage = {.input_tokens = 9'000}, .request_tokens = 3'000});
  EXPECT_EQ(fitting.meter(agent, run).tokens, 3'000);
}

TEST(ContextFittingSteps, hold_in_a_fork_where_they_can) {
  const Agent agent = agent_with_window(8'000);
  const wright::Run run = long_run(agent, 40, 3'000, 10);
  ContextFitting fitting;
  fit_whole(fitting, agent, run);
  fitting.answered(run, {.usage = {.input_tokens = 3'000}});
  const Json kept = fitting.to_json();
  const std::size_t summarised = fitting.cut().summarised;
  ASSERT_GT(summarised, 10U);
  const auto part = std::span(run.messages).first(summarised + 2);
  ContextFitting forked;
  forked.restore(context_of_fork(kept, part.size()), part);
  EXPECT_EQ(forked.cut().summary, fitting.cut().summary);
  EXPECT_TRUE(context_of_fork(kept, summarised - 1).is_null());
  EXPECT_TRUE(context_of_fork("cut", 100).is_null());
  EXPECT_TRUE(context_of_fork({}, 100).is_null());
}

TEST(ContextFittingSteps, cost_the_same_however_long_the_past_is) {
  // Not by a clock: a past that is not shown is not looked at, so even nonsense in it does no harm.
  const Agent agent = agent_with_window(8'000);
  wright::Run run = start(agent, "task");
  ContextFitting fitting;
  for (int i = 0; i < 20'000; ++i) {
    const std::string id = fmt::format("c{}", i);
    run.messages.push_back(Message{Role::assistant, {ToolCall{id, "look", "{}"}}});
    run.messages.push_back(
        Message::tool({.call_id = id, .name = "look", .content = std::string(60, 'r')}));
    fitting.fit(agent, run);
    if (fitting.wants_summary()) fitting.do_without_summary(run);
    fitting.fit(agent, run);
    fitting.answered(run, {.usage = {.input_tokens = fitting.estimate(agent, run) * 3 / 4}});
  }
  EXPECT_LE(fitting.estimate(agent, run), 7'500);
}

}  // namespace
}  // namespace wright
