#include "models/secret_filter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wright::models {
namespace {

constexpr const char* kKey = "sk-abcdabcx";

std::string shown(std::string_view words, std::size_t piece, std::vector<std::string> secrets) {
  SecretFilter filter(std::move(secrets));
  std::string all;
  const auto on_text = [&](std::string_view text) { all += text; };
  for (; !words.empty(); words.remove_prefix(std::min(piece, words.size()))) {
    filter.feed(words.substr(0, piece), on_text);
  }
  filter.finish(on_text);
  return all;
}

TEST(SecretFilter, hides_a_key_however_it_is_cut) {
  for (std::size_t piece = 1; piece < 40; ++piece) {
    EXPECT_EQ(shown("it is sk-abcdsk-abcdabcx, sk-abcdabcx!", piece, {kKey}),
              "it is sk-abcd[REDACTED], [REDACTED]!");
    EXPECT_EQ(shown("ends with sk-abcdab", piece, {kKey}), "ends with sk-abcdab");
    EXPECT_EQ(shown("sk-abcdabcx-longer", piece, {kKey, "sk-abcdabcx-longer"}), "[REDACTED]");
  }
}

TEST(SecretFilter, holds_back_no_more_than_may_begin_a_key) {
  SecretFilter filter({kKey});
  std::vector<std::string> pieces;
  const auto on_text = [&](std::string_view text) { pieces.emplace_back(text); };
  filter.feed("words", on_text);
  filter.feed(" sk", on_text);
  filter.feed("ate", on_text);
  EXPECT_EQ(pieces, (std::vector<std::string>{"word", "s ", "skate"}));
}

TEST(SecretFilter, keeps_remarks_and_answers_apart) {
  SecretFilter filter({kKey});
  std::vector<std::pair<std::string, Text::Phase>> told;
  const auto on_text = [&](TextPiece piece) { told.emplace_back(piece.text, piece.phase); };
  filter.feed({std::string_view("I ask sk"), Text::Phase::commentary}, on_text);
  filter.feed({std::string_view("-abcdabcx."), Text::Phase::final_answer}, on_text);
  filter.finish(on_text);
  EXPECT_EQ(told, (std::vector<std::pair<std::string, Text::Phase>>{
                      {"I ask ", Text::Phase::commentary},
                      {"sk", Text::Phase::commentary},
                      {"-abcdabcx.", Text::Phase::final_answer}}));
}

TEST(SecretFilter, takes_placeholders_for_words) {
  EXPECT_EQ(shown("none of them, ollama", 3, {"none", "ollama", ""}), "none of them, ollama");
}

TEST(SecretFilter, cleans_every_word_of_a_response) {
  const std::string key = kKey;
  Response response;
  response.model = "m " + key;
  response.content = {Text{key, {}, {{key, key, key, key}}}, Reasoning{key, {}},
                      ToolCall{key, key, "{\"a\":\"" + key + "\"}"}};
  SecretFilter({key}).clean(response);
  EXPECT_EQ(response.model, "m [REDACTED]");
  EXPECT_EQ(std::get<Text>(response.content[0]).text, "[REDACTED]");
  const std::string hidden = "[REDACTED]";
  EXPECT_EQ(std::get<Text>(response.content[0]).citations,
            std::vector({Citation{hidden, hidden, hidden, hidden}}));
  EXPECT_EQ(std::get<Reasoning>(response.content[1]).text, "[REDACTED]");
  EXPECT_EQ(std::get<ToolCall>(response.content[2]),
            (ToolCall{"[REDACTED]", "[REDACTED]", R"({"a":"[REDACTED]"})"}));
}

}  // namespace
}  // namespace wright::models
