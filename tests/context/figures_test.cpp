// How long conversations go over the wire: what is sent, what is paid for summaries, and how often
// the beginning of a request changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "context/conversations.h"
#include "context/recording_server.h"

namespace wright::context {
namespace {

void print(const Talk& talk, std::string_view driver, const Figures& figures,
           const std::string& end) {
  fmt::print("{:34} {:9} {:9} {:5} req {:4} over {:3} refused {:3} summaries ({:3}% of input) "
             "{:4} breaks {:2} orphans {} in a row, largest {:6}  {}\n",
             talk.name, name_of(talk.server.shape), driver, figures.requests, figures.over,
             figures.refused, figures.summaries,
             figures.tokens > 0 ? 100 * figures.summary_tokens / figures.tokens : 0,
             figures.breaks, figures.orphans, figures.in_a_row, figures.largest,
             end.substr(0, 90));
  std::fflush(stdout);
}

Figures blocking(const Talk& talk, std::int64_t window) {
  const RecordingServer server(talk.server);
  const auto store = open_memory_store();
  const std::string end = talk_blocking(talk, agent_of(talk, server), *store);
  const Figures figures = figures_of(server.requests(), window);
  print(talk, "blocking", figures, end);
  return figures;
}

Figures two_phase(const Talk& talk, std::int64_t window) {
  const RecordingServer server(talk.server);
  const std::string end = talk_two_phase(talk, agent_of(talk, server));
  const Figures figures = figures_of(server.requests(), window);
  print(talk, "two-phase", figures, end);
  return figures;
}

TEST(Figures, of_long_loops) {
  for (const std::int64_t window : {4'000, 8'000, 32'000}) {
    blocking({.name = fmt::format("300 turns at {}", window),
              .window = window,
              .server = {.window = window, .looks = 300}},
             window);
  }
}

TEST(Figures, of_every_shape) {
  for (const Shape shape : {Shape::openai, Shape::anthropic, Shape::ollama}) {
    blocking({.name = "60 turns at 8000", .server = {.shape = shape, .window = 8'000, .looks = 60}},
             8'000);
  }
}

TEST(Figures, where_the_fixed_part_is_large) {
  blocking({.name = "instructions and tools of 5400",
            .instructions = 6'000,
            .more_tools = 30,
            .server = {.looks = 30}},
           8'000);
  blocking({.name = "first message of 60 %", .first = 8'000 * 4 * 6 / 10, .server = {.looks = 100}},
           8'000);
  blocking({.name = "100 tools over the window", .more_tools = 100, .server = {.looks = 100}},
           8'000);
}

TEST(Figures, of_servers_that_nobody_knows_the_window_of) {
  blocking({.name = "Ollama, unknown, drops",
            .window = 0,
            .server = {.shape = Shape::ollama, .window = 4'096, .drops_the_beginning = true,
                       .looks = 60}},
           4'096);
  blocking({.name = "unknown, says 8000", .window = 0, .server = {.window = 8'000, .looks = 60}},
           8'000);
  blocking({.name = "unknown, says nothing",
            .window = 0,
            .server = {.window = 8'000, .looks = 60, .refusal = "The input is too long"}},
           8'000);
  blocking({.name = "prompt and answer together",
            .max_tokens = 4'000,
            .server = {.window = 8'000, .counts_answer = true, .looks = 60}},
           8'000);
}

TEST(Figures, of_many_messages) {
  blocking({.name = "24 messages at 8000", .messages = 24, .server = {.window = 8'000, .looks = 4}},
           8'000);
}

TEST(Figures, of_many_results) {
  blocking({.name = "200 results of 20 KB at 32000",
            .window = 32'000,
            .result = 20'000,
            .server = {.looks = 1, .side_by_side = 200}},
           32'000);
}

TEST(Figures, of_the_two_phase_agent) {
  two_phase({.name = "100 turns at 8000", .server = {.window = 8'000, .looks = 100}}, 8'000);
  two_phase({.name = "unknown, says 8000", .window = 0, .server = {.window = 8'000, .looks = 60}},
            8'000);
}

}  // namespace
}  // namespace wright::context
