#include "providers/attachment.h"

#include <fmt/format.h>

#include "core/text.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

bool takes(Protocol protocol, Attachment kind) {
  switch (kind) {
    case Attachment::image: return true;
    case Attachment::pdf: return protocol != Protocol::ollama_chat;
    case Attachment::audio:
      return protocol == Protocol::openai_chat || protocol == Protocol::gemini_generate ||
             protocol == Protocol::bedrock_converse;
    case Attachment::other: return protocol == Protocol::gemini_generate;
  }
  return false;
}

}  // namespace

Attachment attachment_kind(const Image& image) {
  const std::string type = lower(image.media_type);
  if (type == "application/pdf") return Attachment::pdf;
  if (type == "audio/wav" || type == "audio/x-wav" || type == "audio/mpeg" || type == "audio/mp3") {
    return Attachment::audio;
  }
  return type.empty() || type.starts_with("image/") ? Attachment::image : Attachment::other;
}

std::string_view audio_format(const Image& image) {
  return image.media_type.contains("wav") ? "wav" : "mp3";
}

Result<void> check_attachment(const Endpoint& endpoint, const Image& image) {
  if (takes(endpoint.protocol(), attachment_kind(image))) return {};
  return fail(
      ErrorCode::unsupported,
      fmt::format("The model {} cannot be sent a file of the type '{}' over the protocol {}. "
                  "Leave it out, or choose another model",
                  endpoint.model.name, valid_text(image.media_type),
                  to_string(endpoint.protocol())));
}

bool is_picture(const Image& image) {
  return attachment_kind(image) == Attachment::image;
}

}  // namespace wright::providers
