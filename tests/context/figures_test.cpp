// How long conversations go over the wire: what is sent, what is paid for summaries, and how often
// the beginning of a request changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <utility>

#include "context/conversations.h"
#include "context/recording_server.h"

namespace wright::context {
namespace {

void print(const Talk& talk, std::string_view driver, const Figures& figures,
           const std::string& end) {
  fmt::print(
      "{:34} {:9} {:9} {:5} req {:4} over {:3} refused {:3} summaries ({:3}% of input) "
      "{:4} breaks {:2} orphans {} in a row, largest {:6}  {}\n",
      talk.name, name_of(talk.server.shape), driver, figures.requests, figures.over,
      figures.refused, figures.summaries,
      figures.tokens > 0 ? 100 * figures.summary_tokens / figures.tokens : 0, figures.breaks,
      figures.orphans, figures.in_a_row, figures.largest, end.substr(0, 90));
  std::fflush(stdout);
}

Figures blocking(const Talk& talk, std::int64_t window) {
  const RecordingServer server(talk.server);
  const auto store = open_memory_store();
  int cuts = 0;
  const std::string end =
      talk_blocking(talk, agent_of(talk, server), *store, {.observer = [&](const Event& event) {
                      if (std::holds_alternative<ContextShortened>(event)) ++cuts;
                    }});
  const Figures figures = figures_of(server.requests(), window);
  print(talk, "blocking", figures, end);
  EXPECT_LE(figures.breaks, cuts) << "the beginning changes only where something gives way";
  return figures;
}

Figures two_phase(const Talk& talk, std::int64_t window) {
  const RecordingServer server(talk.server);
  const std::string end = talk_two_phase(talk, agent_of(talk, server));
  const Figures figures = figures_of(server.requests(), window);
  print(talk, "two-phase", figures, end);
  return figures;
}

// What holds for every conversation that can fit at all.
void expect_sound(const Figures& figures) {
  EXPECT_EQ(figures.over, 0);
  EXPECT_EQ(figures.refused, 0);
  EXPECT_EQ(figures.orphans, 0);
  EXPECT_LE(figures.in_a_row, 1);
  EXPECT_LE(figures.summary_tokens, figures.tokens * 3 / 10);
}

TEST(Figures, of_long_loops) {
  struct Loop {
    std::int64_t window = 0;
    int turns = 0;
    int most_breaks = 0;
    int breaks_before = 0;  // cautious guesses in place of what was learned, and half of the room
  };
  for (const Loop& loop :
       {Loop{4'000, 300, 101, 149}, Loop{8'000, 300, 50, 49}, Loop{32'000, 100, 6, 3}}) {
    const Figures figures =
        blocking({.name = fmt::format("{} turns at {}", loop.turns, loop.window),
                  .window = loop.window,
                  .server = {.window = loop.window, .looks = loop.turns}},
                 loop.window);
    expect_sound(figures);
    EXPECT_EQ(figures.requests, loop.turns + 1);
    EXPECT_LE(figures.breaks, loop.most_breaks);
    fmt::print("  breaks of the cached beginning: {} before, {} now; {} summaries by the model\n",
               loop.breaks_before, figures.breaks, figures.summaries);
  }
}

TEST(Figures, of_every_shape) {
  for (const Shape shape : {Shape::openai, Shape::anthropic, Shape::ollama}) {
    const Figures figures = blocking(
        {.name = "60 turns at 8000", .server = {.shape = shape, .window = 8'000, .looks = 60}},
        8'000);
    expect_sound(figures);
    EXPECT_LE(figures.breaks, 12);
  }
}

TEST(Figures, where_the_fixed_part_is_large) {
  const Figures fixed = blocking({.name = "instructions and tools of 5400",
                                  .instructions = 6'000,
                                  .more_tools = 30,
                                  .server = {.looks = 30}},
                                 8'000);
  expect_sound(fixed);
  EXPECT_LE(fixed.summaries, 5);
  const Figures first = blocking(
      {.name = "first message of 60 %", .first = 8'000 * 4 * 6 / 10, .server = {.looks = 100}},
      8'000);
  expect_sound(first);
  EXPECT_LE(first.summaries, 25);
  const Figures tools = blocking(
      {.name = "100 tools over the window", .more_tools = 100, .server = {.looks = 100}}, 8'000);
  EXPECT_EQ(tools.requests + tools.summaries, 0) << "nothing is paid for what can never fit";
}

TEST(Figures, of_servers_that_nobody_knows_the_window_of) {
  const Figures ollama = blocking({.name = "Ollama, unknown, drops",
                                   .window = 0,
                                   .server = {.shape = Shape::ollama,
                                              .window = 16'384,
                                              .drops_the_beginning = true,
                                              .looks = 60}},
                                  16'384);
  expect_sound(ollama);
  const Figures says = blocking(
      {.name = "unknown, says 8000", .window = 0, .server = {.window = 8'000, .looks = 60}}, 8'000);
  EXPECT_EQ(says.refused, 1);
  EXPECT_EQ(says.orphans, 0);
  const Figures says_nothing =
      blocking({.name = "unknown, says nothing",
                .window = 0,
                .server = {.window = 8'000, .looks = 60, .refusal = "The input is too long"}},
               8'000);
  EXPECT_LE(says_nothing.refused, 3);
  EXPECT_EQ(says_nothing.requests - says_nothing.refused, 61);
  const Figures together =
      blocking({.name = "prompt and answer together",
                .max_tokens = 4'000,
                .server = {.window = 8'000, .counts_answer = true, .looks = 60}},
               8'000);
  expect_sound(together);
}

TEST(Figures, ollama_is_told_the_window_with_every_request) {
  const Talk talk{.window = 0, .server = {.shape = Shape::ollama, .looks = 5}};
  const RecordingServer server(talk.server);
  Agent agent = agent_of(talk, server);
  const auto store = open_memory_store();
  ASSERT_EQ(talk_blocking(talk, agent, *store), "ok");
  agent.context_tokens = 9'000;
  ASSERT_EQ(talk_blocking(talk, agent, *store), "ok");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 12U);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].num_ctx, i < 6 ? 16'384 : 9'000);
  }
}

TEST(Figures, of_many_messages) {
  const Figures figures = blocking(
      {.name = "24 messages at 8000", .messages = 24, .server = {.window = 8'000, .looks = 4}},
      8'000);
  expect_sound(figures);
  EXPECT_LE(figures.breaks, 20);
}

TEST(Figures, of_many_results) {
  const Figures figures = blocking({.name = "200 results of 20 KB at 32000",
                                    .window = 32'000,
                                    .result = 20'000,
                                    .server = {.looks = 1, .side_by_side = 200}},
                                   32'000);
  expect_sound(figures);
}

TEST(Figures, of_the_two_phase_agent) {
  const Figures figures =
      two_phase({.name = "100 turns at 8000", .server = {.window = 8'000, .looks = 100}}, 8'000);
  expect_sound(figures);
  EXPECT_LE(figures.breaks, 25);
  const Figures says = two_phase(
      {.name = "unknown, says 8000", .window = 0, .server = {.window = 8'000, .looks = 60}}, 8'000);
  EXPECT_EQ(says.requests - says.refused, 61);
  EXPECT_EQ(says.refused, 1);
}

TEST(Figures, of_a_driver_of_ones_own) {
  const Talk talk{.name = "100 turns at 8000", .server = {.window = 8'000, .looks = 100}};
  const RecordingServer server(talk.server);
  const std::string end = talk_by_own_driver(talk, agent_of(talk, server));
  const Figures figures = figures_of(server.requests(), 8'000);
  print(talk, "own", figures, end);
  EXPECT_EQ(end, "ok");
  expect_sound(figures);
  EXPECT_EQ(figures.requests, 101);
}

TEST(Figures, of_a_fallback_that_reads_less) {
  const RecordingServer busy({.is_overloaded = true});
  const RecordingServer small({.window = 8'000, .looks = 30});
  Catalogue catalogue = Catalogue::built_in();
  ASSERT_TRUE(catalogue.add(fmt::format("[vendors.busy]\nneeds_key = false\nbase_url = \"{}\"\n"
                                        "[vendors.small]\nneeds_key = false\nbase_url = \"{}\"\n"
                                        "[models.\"busy:m\"]\ncontext_tokens = 100000\n",
                                        busy.url(), small.url()),
                            "the test"));
  const Models models(
      {.catalogue = std::move(catalogue), .fallback = {"small:m"}, .retry = {.retries = 0}});
  const Talk talk{.name = "fallback that reads 8000"};
  Agent agent = agent_of(talk, small);
  agent.model = models.get("busy:m");
  const auto store = open_memory_store();
  const std::string end = talk_blocking(talk, agent, *store);
  const Figures figures = figures_of(small.requests(), 8'000);
  print(talk, "blocking", figures, end);
  EXPECT_EQ(end, "ok");
  EXPECT_EQ(figures.refused, 1);
}

TEST(Figures, the_budget_counts_what_is_really_sent) {
  const Talk talk{.name = "budget", .server = {.window = 8'000, .looks = 60}};
  const RecordingServer server(talk.server);
  Agent agent = agent_of(talk, server);
  agent.limits.max_tokens = 400'000;
  const auto store = open_memory_store();
  ASSERT_EQ(talk_blocking(talk, agent, *store), "ok");
  // The history is far longer than what is left of the budget; a request is not.
  const Session session = store->list_sessions({})->front();
  agent.limits.max_tokens = session.usage.input_tokens + session.usage.output_tokens + 12'000;
  const auto answer = send(*store, agent, session.id, "What did you see?");
  ASSERT_FALSE(answer) << "60 more looks do not fit";
  EXPECT_GT(store->get_session(session.id)->usage.input_tokens, session.usage.input_tokens)
      << answer.error().message;
}

}  // namespace
}  // namespace wright::context
