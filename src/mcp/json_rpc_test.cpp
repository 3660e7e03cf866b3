#include "mcp/json_rpc.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "core/json_size.h"

namespace wright::mcp {
namespace {

template <class T>
T only(std::string_view text) {
  Frame frame = read_frame(text);
  EXPECT_EQ(frame.messages.size(), 1U);
  EXPECT_FALSE(frame.is_batch);
  auto* message = std::get_if<T>(&frame.messages.front());
  EXPECT_NE(message, nullptr) << text;
  return message != nullptr ? std::move(*message) : T{};
}

TEST(JsonRpc, IdsOfEveryKindComeBackAsTheyWere) {
  for (const std::string_view id : {"1", "-7", "0", "\"1\"", "\"\"", "\"käse\"",
                                    "9223372036854775807", "18446744073709551615", "1.5"}) {
    const auto request =
        only<Request>(R"({"jsonrpc":"2.0","method":"ping","id":)" + std::string(id) + "}");
    EXPECT_EQ(id_key(request.id), id);
    EXPECT_NE(result_text(request.id, {}).find("\"id\":" + std::string(id)), std::string::npos);
  }
  EXPECT_NE(id_key(Json(1)), id_key(Json("1")));
}

TEST(JsonRpc, WhatHasNoIdIsANotification) {
  const auto cancelled = only<Notification>(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
  EXPECT_EQ(cancelled.method, "notifications/cancelled");
  EXPECT_EQ(cancelled.params.at("requestId"), Json(3));
}

TEST(JsonRpc, AnswersAreResultsOrProblems) {
  const auto result = only<Answer>(R"({"jsonrpc":"2.0","id":"a","result":{"x":1}})");
  EXPECT_EQ(std::get<JsonObject>(result.outcome).at("x"), Json(1));
  const auto problem =
      only<Answer>(R"({"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"no","data":[1]}})");
  EXPECT_EQ(std::get<Problem>(problem.outcome), (Problem{-32601, "no", JsonArray{1}}));
  // A peer that could not read our id.
  EXPECT_TRUE(
      only<Answer>(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}})").id.is_null());
  const auto wordless =
      only<Answer>(R"({"jsonrpc":"2.0","id":4,"error":{"code":"x","message":5}})");
  EXPECT_EQ(std::get<Problem>(wordless.outcome).message, "error -32603, and not a word about it");
}

TEST(JsonRpc, BrokenFramesSayWhatIsWrong) {
  EXPECT_EQ(only<Malformed>("{").problem.code, code::kParseError);
  EXPECT_EQ(only<Malformed>("\xff\xfe").problem.code, code::kParseError);
  EXPECT_EQ(only<Malformed>(R"({"jsonrpc":"2.0","id":1e999,"method":"x"})").problem.code,
            code::kParseError);
  EXPECT_EQ(only<Malformed>("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}").problem.code,
            code::kParseError);
  EXPECT_EQ(only<Malformed>(std::string(100'000, '[')).problem.code, code::kParseError);
  for (const std::string_view text :
       {"7", "null", "\"x\"", "{}", R"({"jsonrpc":"1.0","id":1,"method":"x"})",
        R"({"jsonrpc":"2.0","id":1,"method":7})", R"({"jsonrpc":"2.0","id":null,"method":"x"})",
        R"({"jsonrpc":"2.0","id":{},"method":"x"})",
        R"({"jsonrpc":"2.0","id":18446744073709551616,"method":"x"})",
        R"({"jsonrpc":"2.0","id":-1e300,"method":"x"})", R"({"jsonrpc":"2.0","id":1,"result":7})",
        R"({"jsonrpc":"2.0","result":{}})", R"({"jsonrpc":"2.0","id":1,"error":7})", "[]"}) {
    EXPECT_EQ(only<Malformed>(text).problem.code, code::kInvalidRequest) << text;
  }
  const auto params = only<Malformed>(R"({"jsonrpc":"2.0","id":5,"method":"x","params":[1]})");
  EXPECT_EQ(params.id, Json(5));
}

TEST(JsonRpc, ABatchHasAllOfItsMessages) {
  const Frame frame =
      read_frame(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},7])");
  EXPECT_TRUE(frame.is_batch);
  ASSERT_EQ(frame.messages.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Request>(frame.messages[0]));
  EXPECT_TRUE(std::holds_alternative<Notification>(frame.messages[1]));
  EXPECT_TRUE(std::holds_alternative<Malformed>(frame.messages[2]));
}

TEST(JsonRpc, ProblemsWithoutAnIdHaveNone) {
  EXPECT_EQ(problem_text({}, {-32700, "bad"}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}})");
}

struct Lines {
  std::vector<std::string> lines;
  int too_long = 0;
  void feed(FrameReader& reader, std::string_view bytes) {
    reader.feed(
        bytes, [&](std::string_view line) { lines.emplace_back(line); }, [&] { ++too_long; });
  }
};

TEST(FrameReader, LinesComeOutHoweverTheyAreCut) {
  const std::string bytes = "{\"a\":1}\r\n\n   \n{\"b\":\"x\ry\"}\n{\"half\":";
  Lines whole;
  FrameReader one;
  whole.feed(one, bytes);
  EXPECT_EQ(whole.lines, (std::vector<std::string>{"{\"a\":1}", "{\"b\":\"x\ry\"}"}));
  EXPECT_TRUE(one.has_begun());
  Lines cut;
  FrameReader two;
  for (const char c : bytes) cut.feed(two, std::string_view(&c, 1));
  EXPECT_EQ(cut.lines, whole.lines);
}

TEST(FrameReader, ALineThatIsTooLongIsPassedOver) {
  Lines lines;
  FrameReader reader(10);
  lines.feed(reader, std::string(8, 'x'));
  lines.feed(reader, std::string(100'000, 'x'));
  lines.feed(reader, "more\n{}\n");
  EXPECT_EQ(lines.too_long, 1);
  EXPECT_EQ(lines.lines, std::vector<std::string>{"{}"});
}

TEST(JsonRpc, AMessageWithTooManyValuesIsNotReadButItsIdIsKnown) {
  std::string values = "0";
  for (std::size_t i = 0; i < kMostJsonValues; ++i) values += ",0";
  const Frame frame =
      read_frame(R"({"jsonrpc":"2.0","id":7,"result":{"id":8,"a":[)" + values + "]}}");
  ASSERT_TRUE(std::holds_alternative<Malformed>(frame.messages.front()));
  EXPECT_EQ(std::get<Malformed>(frame.messages.front()).id, Json(7));
  // What is in a string is no value.
  const Frame text =
      read_frame(R"({"jsonrpc":"2.0","id":"x","result":{"a":"\"[)" + values + "\"}}");
  EXPECT_TRUE(std::holds_alternative<Answer>(text.messages.front()));
}

}  // namespace
}  // namespace wright::mcp
