#include "providers/embeddings.h"

#include <gtest/gtest.h>

#include "providers/codec_testing.h"

namespace wright::providers {
namespace {

using Strings = std::vector<std::string>;

Endpoint openai() {
  Endpoint endpoint = testing::endpoint_of("openai:text-embedding-3-small");
  endpoint.key = "sk-proj-0123456789abcdef";
  return endpoint;
}
Endpoint ollama() {
  return testing::endpoint_of("ollama:nomic-embed-text");
}

Result<std::vector<Embedding>> vectors_in(std::string_view body, std::size_t count) {
  return decode_embeddings(openai(), body, count);
}

TEST(Embeddings, are_asked_for_as_openai_documents) {
  const auto request = encode_embeddings(openai(), Strings{"one", "two"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->url, "https://api.openai.com/v1/embeddings");
  EXPECT_EQ(find_header(request->headers, "authorization"), "Bearer sk-proj-0123456789abcdef");
  EXPECT_EQ(request->body, R"({"model":"text-embedding-3-small","input":["one","two"]})");
}

TEST(Embeddings, are_asked_for_as_ollama_documents) {
  const auto request = encode_embeddings(ollama(), Strings{"one"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->url, "http://localhost:11434/api/embed");
  EXPECT_EQ(request->body, R"({"model":"nomic-embed-text","input":["one"]})");
}

TEST(Embeddings, of_bytes_that_are_no_text_are_asked_for_as_text) {
  const auto request = encode_embeddings(openai(), Strings{"a\xFF"
                                                           "b"});
  ASSERT_TRUE(request);
  EXPECT_TRUE(parse_json(request->body));
}

TEST(Embeddings, are_refused_where_the_vendor_has_none) {
  for (const std::string_view id : {"anthropic:claude-sonnet-4-5", "gemini:gemini-2.5-flash"}) {
    const auto request = encode_embeddings(testing::endpoint_of(id), Strings{"one"});
    ASSERT_FALSE(request) << id;
    EXPECT_EQ(request.error().code, ErrorCode::unsupported);
  }
}

TEST(Embeddings, are_refused_for_nothing_for_too_much_and_for_too_many) {
  EXPECT_FALSE(encode_embeddings(openai(), Strings{}));
  EXPECT_FALSE(encode_embeddings(openai(), Strings{"one", ""}));
  EXPECT_FALSE(encode_embeddings(openai(), Strings(kMostEmbeddedTexts + 1, "x")));
  const auto huge = encode_embeddings(openai(), Strings{std::string(kMostEmbeddedBytes + 1, 'x')});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::limit_reached);
}

TEST(Embeddings, are_read_in_the_order_of_the_texts) {
  const auto vectors = vectors_in(
      R"({"object":"list","data":[{"index":0,"embedding":[1,-0.5]},{"embedding":[2e-1,3]}]})", 2);
  ASSERT_TRUE(vectors) << vectors.error().message;
  EXPECT_EQ(*vectors, (std::vector<Embedding>{{1, -0.5F}, {0.2F, 3}}));
  const auto of_ollama = decode_embeddings(ollama(), R"({"embeddings":[[0.25],[4]]})", 2);
  ASSERT_TRUE(of_ollama) << of_ollama.error().message;
  EXPECT_EQ(*of_ollama, (std::vector<Embedding>{{0.25F}, {4}}));
}

TEST(Embeddings, that_are_not_what_was_asked_for_are_refused) {
  std::string too_many = R"({"data":[{"embedding":[0)";
  for (std::size_t i = 0; i < kMostDimensions; ++i) too_many += ",1";
  too_many += "]}]}";
  for (const std::string_view body :
       {"", "{", "[]", "null", "\xFF\xFE", R"({"data":{}})", R"({"data":[]})",
        R"({"data":[{"embedding":[1]},{"embedding":[1]}]})",  // two for one
        R"({"data":[{"embedding":[]}]})", R"({"data":[{"embedding":"AAAA"}]})",
        R"({"data":[{"embedding":[1,"2"]}]})", R"({"data":[{"embedding":[1,null]}]})",
        R"({"data":[{"embedding":[1e300]}]})", R"({"data":[[1]]})", R"({"data":[{"vector":[1]}]})",
        R"({"data":[{"index":1,"embedding":[1]}]})", R"({"data":[{"index":-1,"embedding":[1]}]})",
        R"({"embeddings":[[1]]})", too_many.c_str()}) {
    const auto vectors = vectors_in(body, 1);
    ASSERT_FALSE(vectors) << body;
    EXPECT_EQ(vectors.error().code, ErrorCode::protocol) << body;
    EXPECT_EQ(vectors.error().message.find("sk-proj"), std::string::npos);
  }
  EXPECT_FALSE(vectors_in(R"({"data":[{"embedding":[1,2]},{"embedding":[1]}]})", 2));
}

}  // namespace
}  // namespace wright::providers
