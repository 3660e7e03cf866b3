#include "wright/models.h"

#include <gtest/gtest.h>

#include <map>

namespace wright {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Endpoint> endpoint(std::string_view id, const Variables& variables) {
  const ReadVariable read = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  ModelsOptions options;
  options.find_key = [&](const VendorInfo& vendor) { return key_from(vendor, read); };
  options.find_base_url = [&](const VendorInfo& vendor) { return base_url_from(vendor, read); };
  return Models(std::move(options)).endpoint(id);
}

std::string message_for(std::string_view id, const Variables& variables) {
  const auto found = endpoint(id, variables);
  return found ? "" : found.error().message;
}

TEST(Models, name_the_variable_and_the_value_of_a_bad_address) {
  EXPECT_EQ(message_for("openai:gpt-5", {{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "foo"}}),
            "OPENAI_BASE_URL = 'foo' must start with https:// or http://");
  EXPECT_EQ(message_for("ollama:any", {{"OLLAMA_HOST", "ftp://there"}}),
            "OLLAMA_HOST = 'ftp://there' must start with https:// or http://");
}

TEST(Models, show_no_password_of_a_bad_address) {
  for (const std::string_view url :
       {"https://user:hunter2@host/v1", "https://host/v1?key=hunter2", "https://host/#hunter2"}) {
    const std::string message = message_for(
        "openai:gpt-5", {{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", std::string(url)}});
    EXPECT_TRUE(message.starts_with("OPENAI_BASE_URL = '")) << message;
    EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
  }
}

TEST(Models, take_a_key_without_the_blanks_around_it) {
  const auto found = endpoint("openai:gpt-5", {{"OPENAI_API_KEY", " sk-key\r\n"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->key, "sk-key");
}

TEST(Models, refuse_a_blank_key_and_name_its_variable) {
  for (const std::string_view id : {"openai:gpt-5", "ollama:any"}) {
    const auto found = endpoint(id, {{"OPENAI_API_KEY", " \n"}, {"OLLAMA_API_KEY", "\t"}});
    ASSERT_FALSE(found) << id;
    EXPECT_EQ(found.error().code, ErrorCode::authentication);
    EXPECT_NE(found.error().message.find("_API_KEY for "), std::string::npos)
        << found.error().message;
    EXPECT_NE(found.error().message.find("blanks"), std::string::npos) << found.error().message;
  }
}

TEST(Models, find_ollama_where_its_own_programs_do) {
  EXPECT_EQ(endpoint("ollama:any", {{"OLLAMA_HOST", "0.0.0.0:8080"}})->vendor.base_url,
            "http://127.0.0.1:8080/api");
  EXPECT_EQ(endpoint("ollama:any", {{"OLLAMA_HOST", "  "}})->vendor.base_url,
            "http://localhost:11434/api");
  EXPECT_EQ(endpoint("ollama:any", {{"OLLAMA_HOST", "a"}, {"OLLAMA_BASE_URL", "http://b"}})
                ->vendor.base_url,
            "http://b/api");
  EXPECT_EQ(endpoint("vllm:any", {{"OLLAMA_HOST", "a"}})->vendor.base_url,
            "http://localhost:8000/v1");
}

TEST(Models, try_an_image_with_a_model_that_nobody_knows) {
  const std::vector<Message> messages{{Role::user, {Text{"What?"}, Image{"image/png", "aW1n"}}}};
  const Request request{.messages = messages};
  const Variables keys{{"TOGETHER_API_KEY", "k"}};
  const auto unknown = endpoint("together:qwen/a-model-that-sees", keys);
  ASSERT_TRUE(unknown) << unknown.error().message;
  const auto sent = encode(*unknown, request, Delivery::whole);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_NE(sent->body.find("data:image/png;base64,aW1n"), std::string::npos) << sent->body;
  const auto known = endpoint("together:openai/gpt-oss-120b", keys);
  ASSERT_TRUE(known) << known.error().message;
  const auto refused = encode(*known, request, Delivery::whole);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(
                "supports_images = true below [models.\"together:openai/gpt-oss-120b\"]"),
            std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace wright
