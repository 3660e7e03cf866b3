// What users' programs send as the content of a message, in the words of any vendor: texts, images
// and files. Pure.
#pragma once

#include <vector>

#include "wright/json.h"
#include "wright/message.h"

namespace wright::server {

// A text, or a list of blocks as OpenAI's and Anthropic's programs write them. Images and files
// come with their bytes: an address is refused, since nothing is fetched for a caller.
Result<std::vector<Part>> parts_of_content(const Json& content);

// One block of a list; texts next to each other become one.
Result<void> add_block(const JsonObject& block, std::vector<Part>& parts);

// The user's message of a request: the text at `key`, or what stands in "parts", which are as
// messages show them ({"type": "text", "text"}, {"type": "image", "media_type", "base64"}).
Result<Message> message_in(const JsonObject& body, std::string_view key);

}  // namespace wright::server
