#include "core/text_buffer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace wright {
namespace {

std::string text_of(double number) {
  TextBuffer out;
  out.put_number(number);
  return std::string(out.text());
}

TEST(TextBuffer, writes_numbers_as_short_as_can_be) {
  EXPECT_EQ(text_of(0.01), "0.01");
  EXPECT_EQ(text_of(-12.5), "-12.5");
  EXPECT_EQ(text_of(7), "7");
  EXPECT_EQ(text_of(-0.0), "-0");
  EXPECT_EQ(text_of(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text_of(1e300), "1e+300");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(text_of(std::nan("")), "null");
}

TEST(TextBuffer, writes_rounded_numbers_as_the_general_way_does) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto digits = static_cast<int>(random() % 18);
    const auto whole = static_cast<double>(static_cast<std::int64_t>(random()) %
                                           static_cast<std::int64_t>(std::pow(10, digits) + 1));
    for (const double number : {whole / 100, whole / 1000, std::nextafter(whole / 100, 1e300)}) {
      ASSERT_EQ(text_of(number), fmt::format("{}", number));
      ASSERT_EQ(std::strtod(text_of(number).c_str(), nullptr), number);
    }
  }
}

TEST(TextBuffer, writes_integers_whole_at_both_ends) {
  TextBuffer out;
  out.put_number(std::numeric_limits<std::int64_t>::min());
  out.put(' ');
  out.put_number(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out.text(), "-9223372036854775808 18446744073709551615");
}

TEST(TextBuffer, keeps_all_of_it_while_it_grows) {
  TextBuffer out;
  std::string expected;
  for (int i = 0; i < 3'000; ++i) {
    const std::string text(static_cast<std::size_t>(i % 40), i % 3 == 0 ? '\x01' : 'x');
    out.put_quoted(text, EscapeDelete::no);
    expected += '"';
    append_escaped(expected, text, EscapeDelete::no);
    expected += '"';
    out.put(static_cast<std::size_t>(i % 5), ' ');
    expected.append(static_cast<std::size_t>(i % 5), ' ');
  }
  EXPECT_EQ(out.text(), expected);
}

TEST(TextBuffer, repairs_what_is_not_utf8) {
  TextBuffer out;
  out.put_quoted("a\xFF\"b", EscapeDelete::no);
  EXPECT_EQ(out.text(), "\"a\xEF\xBF\xBD\\\"b\"");
}

}  // namespace
}  // namespace wright
