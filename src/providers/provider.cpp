// From a protocol to the file that implements it, and what holds for all of them.
#include "wright/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/try.h"
#include "providers/attachment.h"
#include "providers/codec.h"
#include "providers/platform_address.h"
#include "providers/vendor_tools.h"
#include "wright/tool.h"

namespace wright {
namespace {

const providers::Codec& codec_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::openai_chat: return providers::kOpenAiChat;
    case Protocol::openai_responses: return providers::kOpenAiResponses;
    case Protocol::anthropic_messages: return providers::kAnthropicMessages;
    case Protocol::gemini_generate: return providers::kGeminiGenerate;
    case Protocol::ollama_chat: return providers::kOllamaChat;
    case Protocol::bedrock_converse: return providers::kBedrockConverse;
  }
  return providers::kOpenAiChat;
}

Result<void> check_sight(const Endpoint& endpoint) {
  if (endpoint.model.quirks.supports_images) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("The model {0} reads no images, as far as is known here. Choose one "
                          "that does, leave the image out, or write supports_images = true "
                          "below [models.\"{1}:{0}\"] in the configuration",
                          endpoint.model.name, endpoint.vendor.name));
}

Result<void> check_image(const Endpoint& endpoint, const Image& image) {
  TRY(check_sight(endpoint));
  return providers::check_attachment(endpoint, image);
}

// Messages in which images that the model cannot be shown are words. What the user says now is not
// changed: there it is an error. So a session goes on after one, and with another model.
class Shown {
 public:
  // The first `fitting` messages are known to need no change.
  Result<void> make_fit(const Endpoint& endpoint, Request& request, std::size_t fitting) {
    for (std::size_t i = fitting; i < request.messages.size(); ++i) {
      for (std::size_t k = 0; k < request.messages[i].parts.size(); ++k) {
        const auto* image = std::get_if<Image>(&request.messages[i].parts[k]);
        if (image == nullptr) continue;
        const auto possible = check_image(endpoint, *image);
        if (possible) continue;
        if (is_said_now(request.messages, i)) return possible;
        if (messages_.empty()) messages_.assign(request.messages.begin(), request.messages.end());
        messages_[i].parts[k] =
            Text{fmt::format("[{}, which cannot be shown to this model]",
                             providers::is_picture(*image) ? "an image" : "a file")};
      }
    }
    if (has_changed()) request.messages = messages_;
    return {};
  }
  bool has_changed() const { return !messages_.empty(); }

 private:
  // The user's last message and what follows it; nothing, where the user said nothing.
  static bool is_said_now(std::span<const Message> messages, std::size_t at) {
    const auto from_user = [](const Message& message) { return message.is_from_user(); };
    return std::ranges::any_of(messages.first(at + 1), from_user) &&
           std::ranges::none_of(messages.subspan(at + 1), from_user);
  }

  std::vector<Message> messages_;
};

// Fails where the model does not support the tools that the request needs.
Result<void> check_possible(const Endpoint& endpoint, const Request& request) {
  const Quirks& quirks = endpoint.model.quirks;
  const bool wants_tools =
      !request.tools.empty() && request.tool_choice().kind != ToolChoice::Kind::none;
  if (!quirks.supports_tools && wants_tools) {
    return fail(ErrorCode::unsupported,
                fmt::format("The model {} cannot call tools. Choose one that can: `wright models` "
                            "lists them",
                            endpoint.model.name));
  }
  return {};
}

}  // namespace

Result<HttpRequest> encode(const Endpoint& endpoint, const Request& asked, Delivery delivery) {
  const Sampling defaults;
  Request request = asked;
  if (request.sampling == nullptr) request.sampling = &defaults;
  auto history = providers::SentHistory::continued(endpoint, request);
  Shown shown;
  TRY(shown.make_fit(endpoint, request, history ? history->messages() : 0));
  TRY(check_possible(endpoint, request));
  if (!history || shown.has_changed()) {
    history = providers::SentHistory::recalled(endpoint, request);
  }
  if (shown.has_changed()) history->is_of_others();
  TRY(providers::vendor_tools(endpoint, request));
  auto encoded = TRY(codec_of(endpoint.protocol()).encode(endpoint, request, delivery, *history));
  providers::SentHistory::keep(std::move(history), request);
  return providers::addressed(std::move(encoded), endpoint);
}

std::unique_ptr<ResponseDecoder> make_decoder(const Endpoint& endpoint, const Request& request) {
  return codec_of(endpoint.protocol()).make_decoder(endpoint, request);
}

}  // namespace wright
