#include "sandbox/output_capture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wright::sandbox {
namespace {

TEST(OutputCapture, keeps_all_of_a_short_output) {
  OutputCapture capture(10);
  capture.add("abc");
  capture.add("defghij");
  const CapturedOutput output = std::move(capture).finish();
  EXPECT_EQ(output.head, "abcdefghij");
  EXPECT_EQ(output.tail, "");
  EXPECT_EQ(output.omitted_bytes(), 0U);
}

TEST(OutputCapture, keeps_start_and_end_however_the_pieces_fall) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>('a' + i % 26);
  for (const std::size_t piece : {1U, 3U, 7U, 19U, 20U, 21U, 999U, 1000U}) {
    for (const std::size_t kept : {0U, 1U, 2U, 40U, 998U, 1000U, 5000U}) {
      OutputCapture capture(kept);
      for (std::size_t at = 0; at < text.size(); at += piece) {
        capture.add(std::string_view(text).substr(at, piece));
      }
      const CapturedOutput output = std::move(capture).finish();
      const std::size_t half = kept / 2;
      EXPECT_EQ(output.total_bytes, text.size());
      if (half * 2 >= text.size()) {
        EXPECT_EQ(output.head, text);
        EXPECT_EQ(output.tail, "");
      } else {
        EXPECT_EQ(output.head, text.substr(0, half)) << piece << " " << kept;
        EXPECT_EQ(output.tail, text.substr(text.size() - half)) << piece << " " << kept;
        EXPECT_EQ(output.omitted_bytes(), text.size() - 2 * half);
      }
    }
  }
}

}  // namespace
}  // namespace wright::sandbox
