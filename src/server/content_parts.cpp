#include "server/content_parts.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "core/user_message.h"
#include "server/service.h"

namespace wright::server {
namespace {

std::unexpected<Error> without_bytes() {
  return fail(ErrorCode::unsupported,
              "Nothing is fetched for callers: send an image or a file with its bytes, as a data: "
              "URL or in base64");
}

// "data:image/png;base64,…"
Result<Image> image_of_data_url(std::string_view url) {
  constexpr std::string_view kScheme = "data:";
  constexpr std::string_view kEncoding = ";base64,";
  const std::size_t comma = url.find(kEncoding);
  if (!url.starts_with(kScheme) || comma == std::string_view::npos) return without_bytes();
  std::string_view media = url.substr(kScheme.size(), comma - kScheme.size());
  media = media.substr(0, media.find(';'));
  return Image{lower(media), std::string(url.substr(comma + kEncoding.size()))};
}

// The text behind the key, or behind "url" of the object that is there.
Result<std::string> address_in(const JsonObject& block, std::string_view key) {
  const Json* value = block.if_contains(key);
  if (value != nullptr && value->is_object()) return text_in(value->get_object(), "url");
  return text_in(block, key);
}

Result<Image> image_of_source(const JsonObject& block) {
  const Json* source = block.if_contains("source");
  if (source == nullptr || !source->is_object()) {
    return fail(ErrorCode::invalid_argument, "An image or a document must have a 'source'");
  }
  const JsonObject& object = source->get_object();
  const std::string type = TRY(text_in(object, "type"));
  if (type != "base64") return without_bytes();
  std::string media = TRY(text_in(object, "media_type"));
  std::string data = TRY(text_in(object, "data"));
  return Image{lower(media), std::move(data)};
}

// A file of OpenAI's programs: {"file_data": "data:application/pdf;base64,…"}.
Result<Image> file_of(const JsonObject& file) {
  if (!file.contains("file_data")) return without_bytes();
  const std::string data = TRY(text_in(file, "file_data"));
  return image_of_data_url(data);
}

Result<Image> audio_of(const JsonObject& block) {
  const Json* audio = block.if_contains("input_audio");
  if (audio == nullptr || !audio->is_object()) {
    return fail(ErrorCode::invalid_argument, "'input_audio' must be an object");
  }
  const std::string format = TRY(text_in(audio->get_object(), "format"));
  std::string data = TRY(text_in(audio->get_object(), "data"));
  return Image{format == "mp3" ? "audio/mpeg" : "audio/" + format, std::move(data)};
}

Result<Image> image_of(const JsonObject& block, const std::string& type) {
  if (type == "image_url" || type == "input_image") {
    if (!block.contains("image_url")) return without_bytes();
    const std::string address = TRY(address_in(block, "image_url"));
    return image_of_data_url(address);
  }
  if (type == "image" || type == "document") return image_of_source(block);
  if (type == "input_file") return file_of(block);
  if (type == "file") {
    const Json* file = block.if_contains("file");
    return file != nullptr && file->is_object() ? file_of(file->get_object())
                                                : Result<Image>(without_bytes());
  }
  if (type == "input_audio") return audio_of(block);
  return fail(ErrorCode::unsupported,
              fmt::format("Content of the type '{}' cannot be read here", type));
}

void add_text(std::string text, std::vector<Part>& parts) {
  auto* last = parts.empty() ? nullptr : std::get_if<Text>(&parts.back());
  if (last != nullptr) {
    last->text += text;
  } else if (!text.empty()) {
    parts.emplace_back(Text{std::move(text)});
  }
}

}  // namespace

Result<void> add_block(const JsonObject& block, std::vector<Part>& parts) {
  if (const Json* words = block.if_contains("text"); words != nullptr && words->is_string()) {
    add_text(std::string(words->get_string()), parts);
    return {};
  }
  const std::string type = TRY(text_in(block, "type"));
  auto image = TRY(image_of(block, type));
  // Checked here already, so that it is refused before anything is stored.
  auto checked = TRY(checked_user_message(Message{Role::user, {std::move(image)}}));
  parts.push_back(std::move(checked.parts.front()));
  return {};
}

Result<std::vector<Part>> parts_of_content(const Json& content) {
  std::vector<Part> parts;
  if (content.is_null()) return parts;
  if (content.is_string()) {
    add_text(std::string(content.get_string()), parts);
    return parts;
  }
  const JsonArray* blocks = content.if_array();
  if (blocks == nullptr) {
    return fail(ErrorCode::invalid_argument, "'content' must be a text or a list");
  }
  for (const Json& block : *blocks) {
    const JsonObject* object = block.if_object();
    if (object == nullptr) return fail(ErrorCode::invalid_argument, "A content block is an object");
    TRY(add_block(*object, parts));
  }
  return parts;
}

Result<Message> message_in(const JsonObject& body, std::string_view key) {
  const Json* parts = body.if_contains("parts");
  if (parts == nullptr) {
    const std::string text = TRY(text_in(body, key));
    return Message::user(text);
  }
  if (body.contains(key)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' and 'parts' are two ways to say it: choose one", key));
  }
  if (!parts->is_array()) return fail(ErrorCode::invalid_argument, "'parts' must be a list");
  auto message = message_from_json(JsonObject{{"role", to_string(Role::user)}, {"parts", *parts}});
  if (!message) return fail(ErrorCode::invalid_argument, "'parts': " + message.error().message);
  return checked_user_message(std::move(*message));
}

}  // namespace wright::server
