#include "core/user_message.h"

#include <gtest/gtest.h>

#include "core/base64.h"

namespace wright {
namespace {

using namespace std::string_view_literals;

Result<Message> saying(std::string_view bytes, std::string type) {
  return checked_user_message(Message{Role::user, {Image{std::move(type), base64_of(bytes)}}});
}

TEST(UserMessage, takes_what_models_read_and_says_what_it_is) {
  for (const auto& [bytes, type] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"\x89PNG\r\n\x1A\n"sv, "image/png"},
           {"\xFF\xD8\xFF\xE0"sv, "image/jpeg"},
           {"GIF89a"sv, "image/gif"},
           {"RIFF\0\0\0\0WEBPVP8 "sv, "image/webp"},
           {"%PDF-1.7"sv, "application/pdf"},
           {"RIFF\0\0\0\0WAVEfmt "sv, "audio/wav"},
           {"ID3\4"sv, "audio/mpeg"},
           {"\xFF\xFB\x90\x64"sv, "audio/mpeg"}}) {
    for (const std::string_view called : {type, "image/jpg"sv, "application/octet-stream"sv}) {
      const auto said = saying(std::string(bytes) + std::string(100, '\xFE'), std::string(called));
      ASSERT_TRUE(said) << said.error().message;
      EXPECT_EQ(std::get<Image>(said->parts.front()).media_type, type);
    }
  }
}

TEST(UserMessage, refuses_what_no_model_reads_whatever_it_is_called) {
  for (const std::string_view bytes : {"<svg/>"sv, "II*\0"sv, "BM"sv,
                                       "\0\0\0\x18"
                                       "ftypheic"sv,
                                       "RIFF\0\0\0\0AVI "sv, "x"sv, "\x89PN"sv}) {
    for (const char* called : {"image/png", "image/svg+xml", "image/tiff", "image/heic"}) {
      const auto said = saying(bytes, called);
      ASSERT_FALSE(said) << called;
      EXPECT_EQ(said.error().code, ErrorCode::invalid_argument);
      EXPECT_NE(said.error().message.find("WebP"), std::string::npos) << said.error().message;
    }
  }
}

}  // namespace
}  // namespace wright
