// Requests to the clouds over real HTTP: AWS's own signer judges the signatures, and commands and
// files give the credentials.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "node_server.h"
#include "wright/wright.h"

namespace wright::http {
namespace {

class Clouds : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "wright-clouds-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    aws_ = std::make_unique<NodeServer>(WRIGHT_NPM_FOLDER "/aws.mjs");
    google_ = std::make_unique<NodeServer>(WRIGHT_NPM_FOLDER "/google.mjs",
                                           std::vector{folder_.string()});
  }
  static void TearDownTestSuite() {
    aws_.reset();
    google_.reset();
    std::filesystem::remove_all(folder_);
  }

  // The name of a file with this text.
  static std::string file(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  static Models models(std::map<std::string, std::string> variables) {
    ModelsOptions options;
    options.find_base_url = [](const VendorInfo& vendor) {
      if (vendor.platform != Platform::google) return aws_->place();
      const bool is_claude = vendor.protocol == Protocol::anthropic_messages;
      return google_->place() + "/v1/projects/p/locations/global/publishers/" +
             (is_claude ? "anthropic" : "google");
    };
    options.find_variable = [variables = std::move(variables)](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
    options.retry.retries = 0;
    return Models(std::move(options));
  }

  static Result<Response> ask(const Models& models, std::string_view id,
                              Delivery delivery = Delivery::whole) {
    const std::vector<Message> messages{Message::user("Grüß Gott ☀")};
    const Sampling sampling;
    ModelCall call;
    if (delivery == Delivery::streamed) call.on_text = [](std::string_view) {};
    return models.get(id).complete({.messages = messages, .sampling = &sampling}, call);
  }

  static std::filesystem::path folder_;
  static std::unique_ptr<NodeServer> aws_;
  static std::unique_ptr<NodeServer> google_;
};

std::filesystem::path Clouds::folder_;
std::unique_ptr<NodeServer> Clouds::aws_;
std::unique_ptr<NodeServer> Clouds::google_;

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

TEST_F(Clouds, a_web_identity_becomes_keys_and_is_exchanged_once) {
  for (const std::string token : {"json.of/a+pod", "xml.of/a+pod"}) {
    const Models there = models({{"AWS_REGION", "eu-central-1"},
                                 {"AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/agent"},
                                 {"AWS_WEB_IDENTITY_TOKEN_FILE", file("web_token", token + "\n")},
                                 {"AWS_ENDPOINT_URL_STS", aws_->place() + "/sts"}});
    for (int i = 0; i < 2; ++i) {
      const auto answer = ask(there, "bedrock:amazon.nova-lite-v1:0");
      ASSERT_TRUE(answer) << token << ": " << answer.error().message;
      EXPECT_EQ(answer->text(), "Well signed.");
    }
  }
}

TEST_F(Clouds, a_web_identity_that_aws_refuses_is_not_replaced_by_another) {
  const auto answer = ask(models({{"AWS_REGION", "eu-central-1"},
                                  {"AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/other"},
                                  {"AWS_WEB_IDENTITY_TOKEN_FILE", file("web_token", "a.token")},
                                  {"AWS_ENDPOINT_URL_STS", aws_->place() + "/sts"}}),
                          "bedrock:amazon.nova-lite-v1:0");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::authentication);
  EXPECT_TRUE(answer.error().message.contains(
      "role/other (HTTP 400): InvalidIdentityToken: The request is wrong"))
      << answer.error().message;
  EXPECT_FALSE(answer.error().message.contains("a.token")) << answer.error().message;
}

TEST_F(Clouds, google_accepts_a_service_account_and_a_federated_identity) {
  for (const char* name : {"service_account.json", "federated.json"}) {
    const Models there =
        models({{"GOOGLE_APPLICATION_CREDENTIALS", folder_ / name}, {"GOOGLE_CLOUD_PROJECT", "p"}});
    for (const char* id :
         {"vertex-anthropic:claude-sonnet-4-5@20250929", "vertex:gemini-2.5-flash"}) {
      for (const Delivery delivery : {Delivery::whole, Delivery::streamed}) {
        const auto answer = ask(there, id, delivery);
        ASSERT_TRUE(answer) << name << ", " << id << ": " << answer.error().message;
        EXPECT_EQ(answer->text(), "Well known.");
      }
    }
  }
}

TEST_F(Clouds, google_refuses_an_assertion_of_somebody_else) {
  std::ifstream kept(folder_ / "service_account.json");
  std::string account{std::istreambuf_iterator<char>(kept), {}};
  const std::string owner = "robot@project";
  account.replace(account.find(owner), owner.size(), "other@project");
  const auto answer = ask(models({{"GOOGLE_APPLICATION_CREDENTIALS", file("other.json", account)},
                                  {"GOOGLE_CLOUD_PROJECT", "p"}}),
                          "vertex-anthropic:claude-sonnet-4-5@20250929");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::authentication);
  EXPECT_TRUE(answer.error().message.contains("(HTTP 400): invalid_grant"))
      << answer.error().message;
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
