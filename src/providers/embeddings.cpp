#include "providers/embeddings.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>
#include <optional>

#include "core/try.h"
#include "providers/platform_address.h"
#include "providers/provider_errors.h"
#include "providers/request_headers.h"
#include "wright/json.h"

namespace wright::providers {
namespace {

Result<std::string_view> path_of(const Endpoint& endpoint) {
  switch (endpoint.protocol()) {
    case Protocol::openai_chat:
    case Protocol::openai_responses: return "/embeddings";
    case Protocol::ollama_chat: return "/embed";
    case Protocol::anthropic_messages:
    case Protocol::gemini_generate:
    case Protocol::bedrock_converse: break;
  }
  return fail(ErrorCode::unsupported,
              fmt::format("{} offers no embeddings that Wright can use. Choose a model of OpenAI, "
                          "of Ollama, or of a server that speaks OpenAI's protocol",
                          endpoint.vendor.title));
}

Result<void> check_texts(std::span<const std::string> texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) {
    if (text.empty()) {
      return fail(ErrorCode::invalid_argument, "An empty text cannot be embedded");
    }
    bytes += text.size();
  }
  if (texts.empty() || texts.size() > kMostEmbeddedTexts) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("From 1 to {} texts can be embedded at a time, not {}",
                            kMostEmbeddedTexts, texts.size()));
  }
  if (bytes > kMostEmbeddedBytes) {
    return fail(ErrorCode::limit_reached,
                fmt::format("Texts of {} bytes in all can be embedded at a time, not of {}",
                            kMostEmbeddedBytes, bytes));
  }
  return {};
}

std::optional<Embedding> vector_of(const Json& json) {
  const JsonArray* numbers = json.if_array();
  if (numbers == nullptr || numbers->empty() || numbers->size() > kMostDimensions) return {};
  Embedding vector;
  vector.reserve(numbers->size());
  for (const Json& number : *numbers) {
    boost::json::error_code problem;
    const double value = number.to_number<double>(problem);
    const auto element = static_cast<float>(value);
    if (problem || !std::isfinite(element)) return {};
    vector.push_back(element);
  }
  return vector;
}

// One of OpenAI's: {"index": 0, "embedding": […]}; servers that leave the index out keep the order.
const Json* embedding_in(const Json& item, std::size_t place) {
  const JsonObject* object = item.if_object();
  if (object == nullptr) return nullptr;
  if (const Json* index = object->if_contains("index")) {
    boost::json::error_code problem;
    if (index->to_number<std::size_t>(problem) != place || problem) return nullptr;
  }
  return object->if_contains("embedding");
}

}  // namespace

Result<HttpRequest> encode_embeddings(const Endpoint& endpoint,
                                      std::span<const std::string> texts) {
  const auto path = TRY(path_of(endpoint));
  TRY(check_texts(texts));
  JsonArray input;
  for (const std::string& text : texts) input.push_back(Json(to_valid_utf8(text)));
  HttpRequest request{
      .url = endpoint.vendor.base_url + std::string(path),
      .headers = request_headers(endpoint, {bearer(endpoint)}),
      .body = to_text(JsonObject{{"model", endpoint.model.name}, {"input", std::move(input)}})};
  return addressed(std::move(request), endpoint);
}

Result<std::vector<Embedding>> decode_embeddings(const Endpoint& endpoint, std::string_view body,
                                                 std::size_t count) {
  const auto wrong = [&](std::string_view problem) {
    return std::unexpected(malformed_answer(endpoint, problem));
  };
  const auto parsed = parse_json(body);
  if (!parsed) return wrong(parsed.error().message);
  const bool is_ollama = endpoint.protocol() == Protocol::ollama_chat;
  const std::string_view name = is_ollama ? "embeddings" : "data";
  const JsonObject* answer = parsed->if_object();
  const Json* list = answer == nullptr ? nullptr : answer->if_contains(name);
  const JsonArray* items = list == nullptr ? nullptr : list->if_array();
  if (items == nullptr) return wrong(fmt::format("There is no list \"{}\" in it", name));
  if (items->size() != count) {
    return wrong(fmt::format("It holds {} vectors for {} texts", items->size(), count));
  }
  std::vector<Embedding> vectors;
  vectors.reserve(count);
  for (const Json& item : *items) {
    const Json* numbers = is_ollama ? &item : embedding_in(item, vectors.size());
    auto vector = numbers == nullptr ? std::nullopt : vector_of(*numbers);
    if (!vector) {
      return wrong(fmt::format("Number {} of its vectors is not a list of 1 to {} finite numbers",
                               vectors.size() + 1, kMostDimensions));
    }
    if (!vectors.empty() && vector->size() != vectors.front().size()) {
      return wrong(fmt::format("Its vectors have {} and {} dimensions", vectors.front().size(),
                               vector->size()));
    }
    vectors.push_back(std::move(*vector));
  }
  return vectors;
}

}  // namespace wright::providers
