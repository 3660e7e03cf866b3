#include "core/user_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base64.h"
#include "core/media_type.h"
#include "core/text.h"
#include "core/try.h"
#include "wright/json.h"

namespace wright {
namespace {

constexpr std::size_t kLongestMediaType = 100;

// What it is counts, and not what it is called: vendors refuse what differs, and everything that is
// said after it.
Result<void> check_attached(Image& image) {
  if (!is_media_type(image.media_type)) {
    return fail(ErrorCode::invalid_argument,
                "An image or a file must say its media type, such as image/png");
  }
  if (image.base64.size() > kLargestAttachment) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("A file of the type {} is larger than {} MB: make it smaller",
                            image.media_type, kLargestAttachment / 4 * 3 / 1'000'000));
  }
  if (image.base64.empty() || !is_base64(image.base64)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("A file of the type {} is not in base64", image.media_type));
  }
  const std::string_view type = shown_type_of_base64(image.base64);
  if (type.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("A file of the type {} is none that models read, which are {}",
                            image.media_type, kShownTypes));
  }
  image.media_type = type;
  return {};
}

}  // namespace

bool is_media_type(std::string_view text) {
  const auto is_token = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) {
      return is_letter(c) || is_digit(c) || std::string_view("!#$&^_.+-").contains(c);
    });
  };
  const std::size_t slash = text.find('/');
  return text.size() <= kLongestMediaType && slash != std::string_view::npos &&
         is_token(text.substr(0, slash)) && is_token(text.substr(slash + 1));
}

Message user_message(std::string text, std::vector<Image> images) {
  Message message = Message::user(std::move(text));
  if (message.text().empty() && !images.empty()) message.parts.clear();
  for (Image& image : images) message.parts.emplace_back(std::move(image));
  return message;
}

Result<Message> checked_user_message(Message message) {
  message.role = Role::user;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (Part& part : message.parts) {
    if (auto* text = std::get_if<Text>(&part)) {
      text->text = to_valid_utf8(std::move(text->text));
    } else if (auto* image = std::get_if<Image>(&part)) {
      TRY(check_attached(*image));
      ++count;
      bytes += image->base64.size();
    } else {
      return fail(ErrorCode::invalid_argument,
                  "A message of the user holds texts, images and files, and nothing else");
    }
  }
  if (message.parts.empty()) return fail(ErrorCode::invalid_argument, "The message says nothing");
  if (count > kMostAttachments || bytes > kLargestAttachments) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("A message takes {} images and files, {} MB together", kMostAttachments,
                            kLargestAttachments / 4 * 3 / 1'000'000));
  }
  return message;
}

std::string title_of(const Message& message) {
  std::string text = message.text();
  return text.empty() ? display_text(message) : text;
}

}  // namespace wright
