#include "app/terminal/person/keys.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wright::app {
namespace {

std::vector<Key> keys_in(std::string_view bytes) {
  KeyDecoder decoder;
  decoder.feed(bytes);
  std::vector<Key> keys;
  while (auto key = decoder.next()) keys.push_back(std::move(*key));
  return keys;
}

TEST(Keys, are_characters_arrows_and_controls) {
  EXPECT_EQ(keys_in("aß語\x1b[A\x1bOB\x1b[3~\x7f\r\x03"), (std::vector<Key>{{KeyKind::text, "a"},
                                                                            {KeyKind::text, "ß"},
                                                                            {KeyKind::text, "語"},
                                                                            {KeyKind::up},
                                                                            {KeyKind::down},
                                                                            {KeyKind::erase},
                                                                            {KeyKind::backspace},
                                                                            {KeyKind::enter},
                                                                            {KeyKind::interrupt}}));
}

TEST(Keys, come_whole_however_the_bytes_are_cut) {
  const std::string bytes = "x語\x1b[1~\x1b[200~two\rlines\x1b[201~\x1b[D";
  const std::vector<Key> whole = keys_in(bytes);
  ASSERT_EQ(whole.size(), 5U);
  EXPECT_EQ(whole[3], (Key{KeyKind::paste, "two\nlines"}));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    KeyDecoder decoder;
    std::vector<Key> keys;
    for (const std::string& piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
      decoder.feed(piece);
      while (auto key = decoder.next()) keys.push_back(std::move(*key));
    }
    EXPECT_EQ(keys, whole) << "cut at " << cut;
  }
}

TEST(Keys, have_no_effect_when_nobody_knows_them) {
  EXPECT_EQ(keys_in("\x1b[1;5P\x1b[?25h\x1bx"),
            (std::vector<Key>{{KeyKind::other}, {KeyKind::other}, {KeyKind::other}}));
}

TEST(Keys, move_and_erase_by_words) {
  EXPECT_EQ(keys_in("\x1b[1;5D\x1b"
                    "b\x1b[1;3C\x1b"
                    "f\x1bOc\x1b[3;5~\x1b"
                    "d\x1b\x7f\x1b[1;2H\x1b[5;5~"),
            (std::vector<Key>{{KeyKind::word_left},
                              {KeyKind::word_left},
                              {KeyKind::word_right},
                              {KeyKind::word_right},
                              {KeyKind::word_right},
                              {KeyKind::erase_next_word},
                              {KeyKind::erase_next_word},
                              {KeyKind::erase_word},
                              {KeyKind::home},
                              {KeyKind::other}}));
}

TEST(Keys, keep_bytes_that_are_no_characters) {
  EXPECT_EQ(keys_in("\xFF\xC3(\x80"), (std::vector<Key>{{KeyKind::text, "\xFF"},
                                                        {KeyKind::text, "\xC3"},
                                                        {KeyKind::text, "("},
                                                        {KeyKind::text, "\x80"}}));
}

TEST(Keys, still_end_a_question_behind_a_broken_sequence) {
  EXPECT_EQ(keys_in("\x1b\x03").back().kind, KeyKind::interrupt);
  EXPECT_EQ(keys_in("\x1b[1;2\x03").back().kind, KeyKind::interrupt);
  EXPECT_EQ(keys_in("\x1b[" + std::string(100, '1') + "\x03").back().kind, KeyKind::interrupt);
}

TEST(Keys, survive_any_bytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      constexpr std::string_view kLikely = "\x1b[O200~1;A\x03";
      bytes += random() % 2 == 0 ? kLikely[random() % kLikely.size()]
                                 : static_cast<char>(random() % 256);
    }
    KeyDecoder decoder;
    decoder.feed(bytes);
    std::size_t keys = 0;
    while (decoder.next()) ++keys;
    EXPECT_LE(keys, bytes.size());
    decoder.feed("\x1b[201~\x03");  // ends whatever was open
    std::optional<Key> last;
    while (auto key = decoder.next()) last = std::move(key);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->kind, KeyKind::interrupt);
  }
}

}  // namespace
}  // namespace wright::app
