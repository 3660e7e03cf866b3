#include "app/terminal/person/choice_list.h"

#include <gtest/gtest.h>

#include "app/terminal/screen_text.h"

namespace wright::app {
namespace {

using Positions = std::vector<std::size_t>;

void type(ChoiceList& list, std::string_view bytes) {
  KeyDecoder decoder;
  decoder.feed(bytes);
  while (auto key = decoder.next()) list.apply(*key);
}

std::vector<std::string> letters(char last) {
  std::vector<std::string> names;
  for (char c = 'a'; c <= last; ++c) names.emplace_back(1, c);
  return names;
}

TEST(ChoiceList, moves_with_arrows_around_its_ends) {
  ChoiceList list(letters('c'), Choose::one, {1});
  EXPECT_EQ(list.chosen(), Positions{1});
  type(list, "\x1b[B\x1b[B");
  EXPECT_EQ(list.chosen(), Positions{0});
  type(list, "\x1b[A");
  EXPECT_EQ(list.chosen(), Positions{2});
}

TEST(ChoiceList, goes_to_numbers_of_several_digits) {
  ChoiceList list(letters('n'), Choose::one, {});
  type(list, "1");
  EXPECT_EQ(list.chosen(), Positions{0});
  type(list, "2");
  EXPECT_EQ(list.chosen(), Positions{11});
  type(list, "3");  // there is no 123rd
  EXPECT_EQ(list.chosen(), Positions{2});
  type(list, "0");  // nor a 30th, nor a zeroth
  EXPECT_EQ(list.chosen(), Positions{2});
}

TEST(ChoiceList, chooses_any_number_with_the_space_bar) {
  ChoiceList list(letters('d'), Choose::any_number, {0, 2});
  type(list, " ");
  type(list, "4 ");
  EXPECT_EQ(list.chosen(), (Positions{2, 3}));
  EXPECT_EQ(list.lines(20, 10),
            (std::vector<std::string>{"  1) [ ] a", "  2) [ ] b", "  3) [x] c", "❯ 4) [x] d"}));
}

TEST(ChoiceList, shows_what_is_around_the_cursor_when_the_window_is_low) {
  ChoiceList list(letters('z'), Choose::one, {12});
  const auto lines = list.lines(20, 7);
  EXPECT_EQ(lines, (std::vector<std::string>{"    … 10 above", "  11) k", "  12) l", "❯ 13) m",
                                             "  14) n", "  15) o", "    … 11 below"}));
  for (std::size_t rows = 3; rows < 30; ++rows) EXPECT_LE(list.lines(20, rows).size(), rows);
}

TEST(ChoiceList, never_is_wider_than_the_window) {
  const ChoiceList list({std::string(300, 'x'), "漢字漢字漢字漢字"}, Choose::any_number, {});
  for (const std::string& line : list.lines(12, 10)) EXPECT_LE(columns_of(line), 12U);
}

TEST(ChoiceList, survives_having_nothing_to_choose) {
  ChoiceList list({}, Choose::any_number, {3});
  type(list, "\x1b[A\x1b[B 1\x05");
  EXPECT_EQ(list.chosen(), Positions{});
  EXPECT_TRUE(list.lines(10, 10).empty());
}

}  // namespace
}  // namespace wright::app
