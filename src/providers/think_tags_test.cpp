#include "providers/think_tags.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

struct Split {
  std::string text;
  std::string reasoning;
  bool operator==(const Split&) const = default;
};

Split split(std::string_view answer, std::size_t piece_size) {
  Split split;
  ThinkTags tags;
  const auto on_text = [&](std::string_view words) { split.text += words; };
  const auto on_reasoning = [&](std::string_view words) { split.reasoning += words; };
  for (std::size_t at = 0; at < answer.size(); at += piece_size) {
    tags.feed(answer.substr(at, piece_size), on_text, on_reasoning);
  }
  tags.finish(on_text, on_reasoning);
  return split;
}

TEST(ThinkTags, are_found_at_the_beginning_however_the_answer_is_cut) {
  const std::string_view answer = "\n<think>\nHm < 3, </thin, so…\n</think>\n\nIt is <b>4</b>.";
  for (std::size_t size = 1; size <= answer.size(); ++size) {
    EXPECT_EQ(split(answer, size), (Split{"It is <b>4</b>.", "\nHm < 3, </thin, so…\n"})) << size;
  }
}

TEST(ThinkTags, are_text_anywhere_else) {
  for (const std::string_view answer :
       {"Use <think> tags</think>.", "<thinking>", "<thin", "  <", "", "  ", "</think> a"}) {
    for (std::size_t size = 1; size <= answer.size(); ++size) {
      EXPECT_EQ(split(answer, size), (Split{std::string(answer), ""})) << answer;
    }
  }
}

TEST(ThinkTags, need_not_be_closed_nor_hold_anything) {
  EXPECT_EQ(split("<think>only thoughts</th", 3), (Split{"", "only thoughts</th"}));
  EXPECT_EQ(split("<think></think>done", 4), (Split{"done", ""}));
  EXPECT_EQ(split("<think>a</think>b<think>c</think>", 5), (Split{"b<think>c</think>", "a"}));
}

}  // namespace
}  // namespace wright::providers
