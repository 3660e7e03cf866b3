// Facts survive: in the requests of a long conversation, or by searching its stored session.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include <string>

#include "context/conversations.h"
#include "context/recording_server.h"

namespace wright::context {
namespace {

constexpr int kFacts = 300;

std::string door(int number) {
  return fmt::format("door-{:04}", number);
}
std::string code(int number) {
  return fmt::format("code{:06}", (number * 7'919 + 13) % 999'983);
}

// In the middle of a long result, which is what gives way first.
Tool doors() {
  return tool("look", "Looks", [](const Place& place) {
    return std::string(600, 'a') +
           fmt::format(" {} opens with {} ", door(place.at), code(place.at)) +
           std::string(600, 'z');
  });
}

struct Survived {
  int in_request = 0;
  int by_search = 0;
};

Survived survivors(std::int64_t window) {
  const RecordingServer server({.window = window, .looks = kFacts});
  const auto store = open_memory_store();
  Agent agent{.name = "looker",
              .instructions = "Look.",
              .model = server.model(window),
              .tools = {doors(), search_session_tool(*store)},
              .limits = {.max_iterations = 1'000, .max_repeats = {}},
              .sampling = {.max_tokens = 1'000}};
  const auto answer = run(*store, agent, "Look at every door");
  EXPECT_TRUE(answer) << answer.error().message;
  Survived survived;
  if (!answer) return survived;
  const Recorded last = server.requests().back();
  for (int i = 1; i <= kFacts; ++i) {
    if (last.body.find(code(i)) != std::string::npos) ++survived.in_request;
    const ToolCall search{"s", "search_session",
                          to_text(JsonObject{{"query", "which code opens " + door(i)}})};
    const ToolOutcome found = execute(agent, search, {.session_id = answer->session_id});
    if (found.result.content.find(code(i)) != std::string::npos) ++survived.by_search;
  }
  fmt::print(
      "{} facts in results, window {}: {} in the last request, {} by searching the session\n",
      kFacts, window, survived.in_request, survived.by_search);
  return survived;
}

TEST(Facts, are_all_found_again_in_the_session) {
  for (const std::int64_t window : {4'000, 8'000}) {
    const Survived survived = survivors(window);
    EXPECT_GT(survived.in_request, 0);
    EXPECT_EQ(survived.by_search, kFacts);
  }
}

TEST(SearchSession, reads_any_message_whole_and_says_what_it_cannot) {
  const auto store = open_memory_store();
  const RecordingServer server({.looks = 1});
  Agent agent{.name = "looker",
              .model = server.model(0),
              .tools = {looking(20'000), search_session_tool(*store)}};
  const auto answer = run(*store, agent, "Look at Größe \xff");
  ASSERT_TRUE(answer) << answer.error().message;
  const auto ask = [&](JsonObject arguments) {
    return execute(agent, {"s", "search_session", to_text(std::move(arguments))},
                   {.session_id = answer->session_id})
        .result;
  };
  const auto third = ask({{"message", 3}});
  EXPECT_NE(third.content.find("It goes on at offset"), std::string::npos) << third.content;
  const auto rest = ask({{"message", 3}, {"offset", 19'000}});
  EXPECT_EQ(rest.content.find("It goes on"), std::string::npos) << rest.content;
  EXPECT_NE(ask({{"query", "größe"}}).content.find("Größe"), std::string::npos);
  EXPECT_TRUE(ask({{"message", 99}}).is_error);
  EXPECT_TRUE(ask({{"message", -1}}).is_error);
  EXPECT_TRUE(ask({{"query", "  "}}).is_error);
  EXPECT_FALSE(ask({{"query", "nowhere to be found"}}).is_error);
  EXPECT_TRUE(execute(agent, {"s", "search_session", R"({"query":"x"})"}, {}).result.is_error);
}

}  // namespace
}  // namespace wright::context
