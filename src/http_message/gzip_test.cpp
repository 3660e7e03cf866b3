#include "http_message/gzip.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace wright::http {
namespace {

// gzip of "hello hello hello hello\n"
const std::string kPacked(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\xb9\x00\x00"
    "\x88\x59\x0b\x18\x00\x00\x00",
    29);
constexpr std::string_view kText = "hello hello hello hello\n";

struct Unpacked {
  GzipReader::State state;
  std::string text;
};

Unpacked unpacked(std::string_view packed, std::size_t piece) {
  std::string text;
  GzipReader reader([&](std::string_view bytes) {
    text += bytes;
    return true;
  });
  for (std::size_t at = 0; at < packed.size(); at += piece) reader.feed(packed.substr(at, piece));
  return {reader.state(), text};
}

TEST(Gzip, is_unpacked_however_it_is_cut_into_pieces) {
  for (std::size_t piece = 1; piece <= kPacked.size(); ++piece) {
    const Unpacked whole = unpacked(kPacked + "what follows", piece);
    EXPECT_EQ(whole.state, GzipReader::State::done) << piece;
    EXPECT_EQ(whole.text, kText) << piece;
  }
}

TEST(Gzip, may_have_every_part_of_a_head) {
  std::string packed = kPacked;
  packed[3] = 2 | 4 | 8 | 16;
  packed.insert(10, std::string("\3\0ABCname\0comment\0\x12\x34", 20));
  for (const std::size_t piece : {std::size_t{1}, packed.size()}) {
    const Unpacked whole = unpacked(packed, piece);
    EXPECT_EQ(whole.state, GzipReader::State::done);
    EXPECT_EQ(whole.text, kText);
  }
}

// More than one buffer, with codes of its own.
TEST(Gzip, is_unpacked_as_the_program_of_that_name_packs_it) {
  for (const int count : {0, 1, 100, 20'000}) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += std::to_string(i) + '\n';
    std::string packed;
    const std::string command = "seq 1 " + std::to_string(count) + " | gzip -9 -c";
    std::FILE* const program = ::popen(command.c_str(), "r");
    ASSERT_NE(program, nullptr);
    for (int c = std::fgetc(program); c != EOF; c = std::fgetc(program)) {
      packed += static_cast<char>(c);
    }
    ASSERT_EQ(::pclose(program), 0);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, packed.size()}) {
      const Unpacked whole = unpacked(packed, piece);
      EXPECT_EQ(whole.state, GzipReader::State::done) << count;
      EXPECT_EQ(whole.text, text) << count;
    }
  }
}

TEST(Gzip, is_not_done_before_its_end) {
  for (std::size_t size = 0; size < kPacked.size(); ++size) {
    EXPECT_EQ(unpacked(kPacked.substr(0, size), 100).state, GzipReader::State::reading) << size;
  }
}

TEST(Gzip, every_bit_that_matters_is_checked) {
  for (std::size_t at = 0; at < kPacked.size(); ++at) {
    if (at >= 4 && at < 10) continue;  // the time, and where it was made
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = kPacked;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      const Unpacked outcome = unpacked(wrong, 100);
      EXPECT_TRUE(outcome.state != GzipReader::State::done || outcome.text == kText)
          << at << " " << bit;
    }
  }
  EXPECT_EQ(unpacked("no gzip at all", 100).state, GzipReader::State::broken);
}

TEST(Gzip, stops_where_nothing_more_is_wanted) {
  GzipReader reader([](std::string_view) { return false; });
  EXPECT_EQ(reader.feed(kPacked), GzipReader::State::refused);
}

}  // namespace
}  // namespace wright::http
