// Requests to the clouds over real HTTP: AWS's own signer judges the signatures, and commands and
// files give the credentials.
#include <gtest/gtest.h>

#include <map>

#include "node_server.h"
#include "wright/wright.h"

namespace wright::http {
namespace {

class Clouds : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    aws_ = std::make_unique<NodeServer>(WRIGHT_NPM_FOLDER "/aws.mjs");
  }
  static void TearDownTestSuite() { aws_.reset(); }

  static Models models(std::map<std::string, std::string> variables) {
    ModelsOptions options;
    options.find_base_url = [](const VendorInfo&) { return aws_->place(); };
    options.find_variable = [variables = std::move(variables)](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
    options.retry.retries = 0;
    return Models(std::move(options));
  }

  static Result<Response> ask(const Models& models, std::string_view id) {
    const std::vector<Message> messages{Message::user("Grüß Gott ☀")};
    const Sampling sampling;
    return models.get(id).complete({.messages = messages, .sampling = &sampling});
  }

  static std::unique_ptr<NodeServer> aws_;
};

std::unique_ptr<NodeServer> Clouds::aws_;

const std::map<std::string, std::string> kKeys{{"AWS_REGION", "eu-central-1"},
                                               {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                                               {"AWS_SECRET_ACCESS_KEY", "a/secret+key"},
                                               {"AWS_SESSION_TOKEN", "a//session=="}};

TEST_F(Clouds, aws_accepts_the_signature) {
  for (const char* id : {"bedrock:amazon.nova-lite-v1:0", "bedrock:a b/ü:0",
                         "bedrock:arn:aws:bedrock:eu-central-1:123456789012:inference-profile/x"}) {
    const auto answer = ask(models(kKeys), id);
    ASSERT_TRUE(answer) << id << ": " << answer.error().message;
    EXPECT_EQ(answer->text(), "Well signed.");
  }
}

TEST_F(Clouds, aws_refuses_another_key_and_it_is_not_shown) {
  auto wrong = kKeys;
  wrong["AWS_SECRET_ACCESS_KEY"] = "another-secret";
  const auto answer = ask(models(wrong), "bedrock:amazon.nova-lite-v1:0");
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().message.contains("403")) << answer.error().message;
  EXPECT_FALSE(answer.error().message.contains("another-secret"));
}

TEST_F(Clouds, a_list_is_signed_as_well) {
  const auto listed = models(kKeys).list("bedrock");
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().name, "amazon.nova-lite-v1:0");
}

TEST_F(Clouds, without_a_region_or_credentials_it_says_what_to_set) {
  const auto lost = ask(Models({.find_variable = [](const std::string&) { return std::string(); }}),
                        "bedrock:amazon.nova-lite-v1:0");
  ASSERT_FALSE(lost);
  EXPECT_TRUE(lost.error().message.contains("AWS_REGION")) << lost.error().message;
  const auto nobody =
      ask(models({{"AWS_REGION", "eu-central-1"}, {"AWS_EC2_METADATA_DISABLED", "true"}}),
          "bedrock:amazon.nova-lite-v1:0");
  ASSERT_FALSE(nobody);
  EXPECT_TRUE(nobody.error().message.contains("AWS_BEARER_TOKEN_BEDROCK"))
      << nobody.error().message;
}

TEST_F(Clouds, a_command_gives_the_keys) {
  Catalogue catalogue = Catalogue::built_in();
  ASSERT_TRUE(catalogue.add(R"(
[vendors.bedrock]
base_url_values = { region = "eu-central-1" }
key_command = ["printf", '{"AccessKeyId":"AKIDEXAMPLE","SecretAccessKey":"a/secret+key","SessionToken":"a//session=="}']
)",
                            "test"));
  ModelsOptions options{.catalogue = std::move(catalogue)};
  options.find_base_url = [](const VendorInfo&) { return aws_->place(); };
  const auto answer = ask(Models(std::move(options)), "bedrock:amazon.nova-lite-v1:0");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text(), "Well signed.");
}

}  // namespace
}  // namespace wright::http
