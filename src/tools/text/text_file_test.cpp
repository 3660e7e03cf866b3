#include "tools/text/text_file.h"

#include <gtest/gtest.h>

#include <string>

#include "core/media_type.h"
#include "tools/output/output_budget.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

using namespace std::string_view_literals;

TEST(TextFile, takes_a_nul_byte_near_the_start_for_binary) {
  EXPECT_FALSE(is_binary(""));
  EXPECT_FALSE(is_binary("text \x01 \xFF"));
  EXPECT_TRUE(is_binary("a\0b"sv));
  EXPECT_TRUE(is_binary(std::string(kSniffedBytes - 1, 'x') + '\0'));
  EXPECT_FALSE(is_binary(std::string(kSniffedBytes, 'x') + '\0'));
}

TEST(TextFile, guesses_media_types_by_the_first_bytes) {
  EXPECT_EQ(media_type("\x7F"
                       "ELF\2\1"sv),
            "application/x-elf");
  EXPECT_EQ(media_type("RIFF\0\0\0\0WEBP"sv), "image/webp");
  EXPECT_EQ(media_type("\xFF\xFEh\0i\0"sv), "text/plain; charset=utf-16le");
  EXPECT_EQ(media_type(std::string(257, '\0') + "ustar"), "application/x-tar");
  EXPECT_EQ(media_type("\0\0\0\0"sv), "application/octet-stream");
  EXPECT_EQ(media_type(""), "application/octet-stream");
}

TEST(OutputBudget, counts_the_bytes_that_json_takes) {
  for (const std::string_view text :
       {""sv, "plain"sv, "\"\\\n\r\t"sv, "\x01\0\x1F\x7F"sv, "é…"sv}) {
    EXPECT_EQ(json_size(text), to_text(Json(text)).size()) << text;
  }
}

TEST(OutputBudget, takes_nothing_more_after_its_first_refusal) {
  OutputBudget budget(10);
  EXPECT_TRUE(budget.take(6));
  EXPECT_FALSE(budget.take(5));
  EXPECT_FALSE(budget.take(1));
}

}  // namespace
}  // namespace wright::tools
