#include "providers/base_url.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

std::string canonical(Protocol protocol, std::string_view url) {
  const auto result = canonical_base_url(protocol, url);
  return result ? *result : "refused: " + result.error().message;
}

TEST(BaseUrl, is_the_same_with_and_without_slash_version_and_call) {
  for (const std::string_view url :
       {"http://localhost:8000", "http://localhost:8000/", "http://localhost:8000/v1",
        "http://localhost:8000/v1//", "http://localhost:8000/v1/chat/completions",
        "http://localhost:8000/v1/responses/"}) {
    EXPECT_EQ(canonical(Protocol::openai_chat, url), "http://localhost:8000/v1");
    EXPECT_EQ(canonical(Protocol::openai_responses, url), "http://localhost:8000/v1");
  }
  for (const std::string_view url : {"https://api.anthropic.com", "https://api.anthropic.com/v1/",
                                     "https://api.anthropic.com/v1/messages"}) {
    EXPECT_EQ(canonical(Protocol::anthropic_messages, url), "https://api.anthropic.com/v1");
  }
  for (const std::string_view url :
       {"https://host", "https://host/v1beta", "https://host/v1beta/models"}) {
    EXPECT_EQ(canonical(Protocol::gemini_generate, url), "https://host/v1beta");
  }
  for (const std::string_view url :
       {"http://localhost:11434", "http://localhost:11434/api", "http://localhost:11434/api/chat",
        "http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"}) {
    EXPECT_EQ(canonical(Protocol::ollama_chat, url), "http://localhost:11434/api");
  }
}

TEST(BaseUrl, keeps_the_path_of_a_gateway) {
  EXPECT_EQ(canonical(Protocol::openai_chat, "https://api.z.ai/api/paas/v4/"),
            "https://api.z.ai/api/paas/v4");
  EXPECT_EQ(canonical(Protocol::openai_chat, "https://gateway/team/proxy"),
            "https://gateway/team/proxy");
  EXPECT_EQ(canonical(Protocol::anthropic_messages, "https://api.z.ai/api/anthropic"),
            "https://api.z.ai/api/anthropic/v1");
  EXPECT_EQ(canonical(Protocol::gemini_generate, "https://gateway/gemini/v1"),
            "https://gateway/gemini/v1");
  EXPECT_EQ(canonical(Protocol::ollama_chat, "https://gateway/ollama"),
            "https://gateway/ollama/api");
}

TEST(BaseUrl, stays_as_it_is_when_it_is_canonical) {
  for (const Protocol protocol :
       {Protocol::openai_chat, Protocol::openai_responses, Protocol::anthropic_messages,
        Protocol::gemini_generate, Protocol::ollama_chat}) {
    const std::string once = canonical(protocol, "https://host/some/path");
    EXPECT_EQ(canonical(protocol, once), once);
  }
}

TEST(BaseUrl, of_ollama_is_what_its_own_programs_read) {
  const std::vector<std::pair<std::string_view, std::string_view>> hosts{
      {"gpu.example", "http://gpu.example:11434"},
      {"gpu.example:8080", "http://gpu.example:8080"},
      {"0.0.0.0", "http://127.0.0.1:11434"},
      {"0.0.0.0:80", "http://127.0.0.1:80"},
      {":8080", "http://127.0.0.1:8080"},
      {"http://gpu.example", "http://gpu.example"},
      {"https://gpu.example/", "https://gpu.example"},
      {"https://gpu.example:8443/ollama/", "https://gpu.example:8443/ollama"},
      {" \"gpu.example\" ", "http://gpu.example:11434"},
      {"[::]:8080", "http://[::1]:8080"},
      {"[::1]", "http://[::1]:11434"},
      {"::1", "http://[::1]:11434"},
      {"gpu.example:", "http://gpu.example:11434"},
      {"ftp://gpu.example", "ftp://gpu.example"},
  };
  for (const auto& [host, url] : hosts) EXPECT_EQ(url_of_ollama_host(host), url) << host;
}

TEST(BaseUrl, refuses_what_is_no_place_on_the_web) {
  for (const std::string_view url :
       {"", "localhost:8000", "ftp://host", "file:///etc/passwd", "https://", "https:///v1",
        "http://:80/", "https://user:secret@host/v1", "https://host/v1?key=1", "https://host/#a",
        "https://ho st/", "https://host/\r\nX: y", "https://h\xC3\xB6st/"}) {
    const auto result = canonical_base_url(Protocol::openai_chat, url);
    ASSERT_FALSE(result) << url << " became " << *result;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace wright::providers
