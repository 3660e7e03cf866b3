#include "core/stated_window.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wright {
namespace {

struct Words {
  std::string_view said;
  StatedWindow meant;
};

TEST(StatedWindow, is_read_from_the_words_of_every_server) {
  const std::vector<Words> all{
      {"This model's maximum context length is 8192 tokens. However, your messages resulted in "
       "10240 tokens. Please reduce the length of the messages.",
       {8'192, 10'240}},
      {"This model's maximum context length is 4097 tokens, however you requested 5000 tokens "
       "(4000 in your prompt; 1000 for the completion).",
       {4'097, 5'000}},
      {"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens "
       "(60000 in the messages, 10000 in the completion).",
       {65'536, 60'000}},
      {"This endpoint's maximum context length is 131072 tokens. However, you requested about "
       "200000 tokens (180000 of text input, 20000 in the output).",
       {131'072, 200'000}},
      {"prompt is too long: 215023 tokens > 200000 maximum", {200'000, 215'023}},
      {"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease "
       "input "
       "length or `max_tokens` and try again",
       {200'000, 190'000}},
      {"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
       {1'048'576, 1'200'000}},
      {"request (5032 tokens) exceeds the available context size (4096 tokens), try increasing it",
       {4'096, 5'032}},
      {"Trying to keep the first 5032 tokens when context the overflows. However, the model is "
       "loaded with context length of only 4096 tokens, which is not enough.",
       {4'096, 0}},
      {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
       "context length",
       {32'768, 40'000}},
      {"This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
       {131'072, 200'000}},
      {"'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and "
       "your request has 1000 input tokens (4096 > 4096 - 1000).",
       {4'096, 1'000}},
      {"Requested token count exceeds the model's maximum context length of 4096 tokens. You "
       "requested a total of 5000 tokens: 4500 tokens from the input messages and 500 tokens for "
       "the completion.",
       {4'096, 4'500}},
      {"The input (5000 tokens) is longer than the model's context length (4096 tokens).",
       {4'096, 5'000}},
      {"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 "
       "`inputs` tokens and 1000 `max_new_tokens`",
       {4'096, 4'000}},
      {"prompt token count of 70000 exceeds the limit of 64000", {64'000, 70'000}},
      {"maximum context length is 1,048,576 tokens", {1'048'576, 0}},
  };
  for (const Words& words : all) {
    EXPECT_EQ(stated_window(words.said).window, words.meant.window) << words.said;
    EXPECT_EQ(stated_window(words.said).sent, words.meant.sent) << words.said;
  }
}

TEST(StatedWindow, is_not_guessed_from_other_numbers) {
  for (const std::string_view said :
       {"", "Input is too long for requested model.", "Error 400 at 2026-11-16, request 8192abc",
        "The model gpt-4096 is too small", "maximum context length is 12 tokens",
        "maximum context length is 99999999999999999999999999 tokens",
        "the request exceeds the available context size. try increasing the context size",
        "maximum context length is", "context size (", "\xff\xfe 400 \xff"}) {
    EXPECT_EQ(stated_window(said).window, 0) << said;
  }
}

TEST(StatedWindow, reads_hostile_words_in_bounded_time) {
  const std::string many(100'000, '9');
  EXPECT_EQ(stated_window("maximum context length is " + many).window, 0);
  std::string commas;
  for (int i = 0; i < 50'000; ++i) commas += "1,";
  stated_window(commas);
  std::string words;
  for (int i = 0; i < 2'000; ++i) words += "context size 4096 ";
  EXPECT_EQ(stated_window(words).window, 4'096);
}

}  // namespace
}  // namespace wright
