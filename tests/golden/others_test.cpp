// Requests that are no exchange with a model: embeddings and batches. Each is compared with a file
// of the folder `others`, {"type": …, "body": …}; the vendors' own types are asked about those
// files (tests/schemas).
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "providers/batches.h"
#include "providers/embeddings.h"
#include "wright/provider.h"

namespace wright::golden {
namespace {

Endpoint endpoint_of(std::string_view id) {
  auto endpoint = Catalogue::built_in().find(id);
  EXPECT_TRUE(endpoint) << endpoint.error().message;
  endpoint->key = "sk-secret-key-1";
  return *endpoint;
}

void expect_as_written(const std::string& name, std::string_view type,
                       const Result<HttpRequest>& request) {
  ASSERT_TRUE(request) << name << ": " << request.error().message;
  // Of an upload only the line of its file counts.
  std::string_view text = request->body;
  if (text.starts_with("--")) {
    text.remove_prefix(std::min(text.find("\r\n\r\n{"), text.size()));
    text = text.substr(0, text.find("\r\n--", 4));
  }
  const auto body = parse_json(text);
  ASSERT_TRUE(body) << name << ": " << text;
  const Json written = JsonObject{{"type", type}, {"body", *body}};
  const auto path = std::filesystem::path(WRIGHT_GOLDEN) / "others" / (name + ".json");
  if (std::getenv("WRIGHT_GOLDEN_WRITE") != nullptr) {
    std::ofstream(path) << to_pretty_text(written) << '\n';
  }
  std::ifstream file(path);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(to_pretty_text(written) + '\n', expected) << name;
}

const std::vector<std::string> kTexts{"one", "two"};

TEST(OtherRequests, for_embeddings_are_as_written) {
  const auto asked = [](std::string_view id) {
    return providers::encode_embeddings(endpoint_of(id), kTexts);
  };
  expect_as_written("embeddings_openai", "Embeddings", asked("openai:text-embedding-3-small"));
  expect_as_written("embeddings_mistral", "MistralEmbeddings", asked("mistral:mistral-embed"));
  expect_as_written("embeddings_ollama", "OllamaEmbeddings", asked("ollama:nomic-embed-text"));
}

std::vector<BatchRequest> one_request() {
  BatchRequest request{.id = "first", .messages = {Message::user("Hi")}, .system = "Be brief."};
  request.sampling.max_tokens = 50;
  return {request};
}

TEST(OtherRequests, for_batches_are_as_written) {
  const std::vector<BatchRequest> requests = one_request();
  const auto batch = [&](std::string_view id) {
    return providers::encode_batch(endpoint_of(id), requests, "file-1");
  };
  const auto file = [&](std::string_view id) -> Result<HttpRequest> {
    auto encoded = providers::encode_batch_file(endpoint_of(id), requests);
    if (!encoded) return std::unexpected(encoded.error());
    if (!*encoded) return fail(ErrorCode::not_found, "no file");
    return std::move(**encoded);
  };
  expect_as_written("batch_openai", "Batch", batch("openai:gpt-5-mini"));
  expect_as_written("batch_line_responses", "BatchLine<Responses>", file("openai:gpt-5-mini"));
  expect_as_written("batch_line_chat", "BatchLine<Chat>", file("openai:gpt-4.1"));
  expect_as_written("batch_anthropic", "MessageBatch", batch("anthropic:claude-sonnet-4-5"));
  expect_as_written("batch_mistral", "MistralBatch", batch("mistral:mistral-small-latest"));
}

}  // namespace
}  // namespace wright::golden
