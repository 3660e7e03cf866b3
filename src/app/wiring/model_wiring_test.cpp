#include "app/wiring/model_wiring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/temporary_folder_testing.h"
#include "core/try.h"

namespace wright::app {
namespace {

// A configuration file and an environment, and what follows from them.
class ModelWiring : public ::testing::Test {
 protected:
  ModelWiring() {
    flags_.config = (folder_ / "config.toml").string();
    configure("");
  }

  void configure(std::string_view toml) const { std::ofstream(*flags_.config) << toml; }

  Result<Models> models() const {
    const Environment environment(variables_);
    const auto settings = TRY(load_settings(flags_, environment));
    return make_models(settings, flags_, environment);
  }

  Endpoint endpoint(std::string_view id) const {
    const auto made = models();
    EXPECT_TRUE(made) << made.error().message;
    const auto found = made->endpoint(id);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Endpoint{});
  }

  const TemporaryFolder folder_;
  SettingFlags flags_;
  Environment::Variables variables_{{"HOME", "/nowhere"}, {"ZAI_API_KEY", "zai-key"}};
};

TEST_F(ModelWiring, the_program_has_the_offline_planner) {
  const auto made = models();
  ASSERT_TRUE(made) << made.error().message;
  for (const char* id : {"offline", "offline:planner"}) {
    EXPECT_EQ(made->get(id).name(), "planner");
    EXPECT_TRUE(made->get(id).complete(Request{})) << id;
  }
  const auto without_key = made->endpoint("openai:gpt-5-mini");
  ASSERT_FALSE(without_key);
  EXPECT_NE(without_key.error().message.find("\"offline\" needs none"), std::string::npos);
}

TEST_F(ModelWiring, zai_is_asked_under_its_coding_plan_unless_the_user_says_no) {
  const std::string coding = endpoint("zai:glm-4.6").vendor.base_url;
  EXPECT_NE(coding.find("coding"), std::string::npos) << coding;
  configure("[api_keys]\nzai_coding_plan = false\n");
  const std::string general = endpoint("zai:glm-4.6").vendor.base_url;
  EXPECT_EQ(general.find("coding"), std::string::npos) << general;
}

TEST_F(ModelWiring, keys_come_from_the_file_or_the_usual_variables) {
  EXPECT_EQ(endpoint("zai:glm-4.6").key, "zai-key");
  configure("[api_keys]\nopenai_api_key = \"from-file\"\n");
  EXPECT_EQ(endpoint("openai:gpt-5-mini").key, "from-file");
  variables_["OPENAI_API_KEY"] = "from-environment";
  EXPECT_EQ(endpoint("openai:gpt-5-mini").key, "from-environment");
}

TEST_F(ModelWiring, the_keys_of_all_vendors_are_hidden_and_no_placeholders) {
  configure(
      "[vendors.gateway]\nbase_url = \"http://127.0.0.1:9/v1\"\n"
      "key_variables = [\"GATEWAY_KEY\"]\n"
      "[vendors.near]\nbase_url = \"http://127.0.0.1:9/v1\"\n"
      "key_variables = [\"NEAR_KEY\"]\n");
  variables_["GATEWAY_KEY"] = " correct-horse-battery\n";
  variables_["GOOGLE_API_KEY"] = "staple-of-gemini";
  variables_["NEAR_KEY"] = "none";
  variables_["LM_API_TOKEN"] = "lm-studio";
  const Environment environment(variables_);
  const auto settings = load_settings(flags_, environment).value();
  const auto made = make_models(settings, flags_, environment);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(settings.redactor().redacted(
                std::string_view("correct-horse-battery staple-of-gemini none lm-studio")),
            "[REDACTED] [REDACTED] none lm-studio");
}

TEST_F(ModelWiring, the_secrets_of_mcp_servers_are_keys) {
  configure(
      "[mcp.servers.docs]\nurl = \"http://127.0.0.1:9/mcp\"\n"
      "headers = { Authorization = \"Bearer docs-token-1\" }\n"
      "[mcp.servers.files]\ncommand = \"files\"\n"
      "env = { API_TOKEN = \"files-token-2\", MODE = \"ordinary-words\", "
      "POSTGRES_PASSWORD = \"postgres\" }\n");
  const Environment environment(variables_);
  const auto settings = load_settings(flags_, environment).value();
  const auto keys = known_keys(settings, environment);
  for (const char* key : {"docs-token-1", "files-token-2"}) {
    EXPECT_NE(std::ranges::find(keys, key), keys.end()) << key;
  }
  for (const char* word : {"ordinary-words", "postgres"}) {
    EXPECT_EQ(std::ranges::find(keys, word), keys.end()) << word;
  }
  EXPECT_EQ(settings.redactor().redacted(std::string_view("files-token-2 for postgres")),
            "[REDACTED] for [REDACTED]")
      << "of results";
}

TEST_F(ModelWiring, a_missing_key_says_what_to_set) {
  const auto found = models()->endpoint("anthropic:claude-sonnet-4-5");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::authentication);
  EXPECT_NE(found.error().message.find("ANTHROPIC_API_KEY"), std::string::npos);
  EXPECT_NE(found.error().message.find("anthropic_api_key"), std::string::npos);
}

TEST_F(ModelWiring, local_servers_need_no_key) {
  EXPECT_EQ(endpoint("ollama:qwen3").key, "");
}

TEST_F(ModelWiring, a_variable_moves_a_vendor_elsewhere) {
  variables_["ZAI_BASE_URL"] = "http://127.0.0.1:9/v4/";
  EXPECT_EQ(endpoint("zai:glm-4.6").vendor.base_url, "http://127.0.0.1:9/v4");
}

TEST_F(ModelWiring, vendors_of_the_users_own_come_from_the_file_and_from_flags) {
  variables_["GATEWAY_KEY"] = "secret";
  configure(
      "[vendors.gateway]\nbase_url = \"http://localhost:8000\"\n"
      "key_variables = [\"GATEWAY_KEY\"]\n");
  EXPECT_EQ(endpoint("gateway:any").key, "secret");
  EXPECT_EQ(endpoint("gateway:any").vendor.base_url, "http://localhost:8000/v1");
  flags_.set = {"vendors.gateway.protocol=anthropic-messages"};
  EXPECT_EQ(endpoint("gateway:any").protocol(), Protocol::anthropic_messages);
}

TEST_F(ModelWiring, wrong_rows_are_refused_with_their_place) {
  configure("[agent]\nmodel = \"offline\"\n\n[vendors.gateway]\nbase_uri = \"http://x\"\n");
  const auto made = models();
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("config.toml:5"), std::string::npos) << made.error().message;
  EXPECT_NE(made.error().message.find("base_url"), std::string::npos) << made.error().message;
}

TEST_F(ModelWiring, a_fallback_that_cannot_work_is_told_before_it_is_needed) {
  configure("[agent]\nfallback = [\"anthropic:claude-sonnet-4-5\"]\n");
  const auto answer = models()->get("zai:glm-4.6").complete({});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("fallback 'anthropic:claude-sonnet-4-5'"),
            std::string::npos)
      << answer.error().message;
}

TEST_F(ModelWiring, only_its_owner_can_read_a_trace) {
  flags_.trace_http = (folder_ / "trace").string();
  ASSERT_TRUE(models());
  struct stat status {};
  ASSERT_EQ(stat(flags_.trace_http->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  flags_.trace_http = "/nowhere/trace";
  EXPECT_FALSE(models());
}

}  // namespace
}  // namespace wright::app
