#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "providers/codec_testing.h"

namespace wright::providers {
namespace {

using namespace testing;

Result<Response> answer(std::string_view bytes) {
  return decoded(kOllamaChat, endpoint_of("ollama:qwen3"), {}, bytes);
}

TEST(OllamaChat, sends_valid_text_whatever_it_is_given) {
  const Json body =
      body_of(kOllamaChat, endpoint_of("ollama:qwen3"), with_bytes_that_are_no_text());
  EXPECT_EQ(body.at("messages").as_array().size(), 5U);
}

TEST(OllamaChat, leaves_the_size_of_the_context_to_the_user) {
  const Asked asked;
  Endpoint endpoint = endpoint_of("ollama:gpt-oss:20b");
  EXPECT_EQ(count_of(body_of(kOllamaChat, endpoint, asked), "num_ctx"), 0);
  endpoint.model.context_tokens = 32768;
  EXPECT_EQ(body_of(kOllamaChat, endpoint, asked).at("options").at("num_ctx"), 32768);
}

TEST(OllamaAnswer, may_be_written_in_any_way_that_json_may_be) {
  for (const std::string_view bytes :
       {"{\"message\":{\"content\":\"a}{\\\"\"},\"done\":true}",
        "\n\n{\n \"message\": {\n  \"content\": \"a}{\\\"\"\n },\n \"done\": true\n}\n",
        "{\"message\":{\"content\":\"a}\"}}{\"message\":{\"content\":\"{\\\"\"},\"done\":true}",
        "{\"message\":{\"content\":\"a}{\\\"\"},\"done\":true}\r\n{\"done\":false}\r\n"}) {
    const auto response = answer(bytes);
    ASSERT_TRUE(response) << bytes << response.error().message;
    EXPECT_EQ(response->text(), "a}{\"");
  }
}

TEST(OllamaAnswer, is_an_error_when_it_says_so_or_cannot_be_read) {
  const auto code = [](std::string_view bytes) {
    const auto response = answer(bytes);
    return response ? std::string_view("fine") : to_string(response.error().code);
  };
  EXPECT_EQ(code("{\"error\":\"the runner has stopped\"}"), "unavailable");
  EXPECT_EQ(code("404 page not found"), "protocol");
  EXPECT_EQ(code("{\"message\" \"content\"}"), "protocol");
  EXPECT_EQ(code("[]"), "protocol");
  EXPECT_EQ(code(""), "answer_cut");
  EXPECT_EQ(code("{\"message\":{\"content\":\"a\"},\"done\":tr"), "answer_cut");
  EXPECT_EQ(code("{\"message\":{\"content\":\"a\"},\"done\":\"true\"}"), "answer_cut");
  EXPECT_EQ(code(std::string(100'000, '{')), "answer_cut");
}

}  // namespace
}  // namespace wright::providers
