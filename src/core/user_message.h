// What may be said to an agent: words, images and files. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"

namespace wright {

// Of one message, as base64: what vendors take of one file, and of all of a request.
inline constexpr std::size_t kLargestAttachment = std::size_t{20} << 20;
inline constexpr std::size_t kLargestAttachments = std::size_t{28} << 20;
inline constexpr std::size_t kMostAttachments = 20;

Message user_message(std::string text, std::vector<Image> images);

// The message as it is stored: of the user, its words valid UTF-8. Refused when it says nothing,
// has other parts than texts and images, or when an image is too large or none of the kinds that
// models read (media_type.h): the first bytes say which, and the media type becomes that.
Result<Message> checked_user_message(Message message);

// "image/png": two tokens of HTTP.
bool is_media_type(std::string_view text);

// What a list of sessions shows of a message: its words, or what is in it.
std::string title_of(const Message& message);

}  // namespace wright
