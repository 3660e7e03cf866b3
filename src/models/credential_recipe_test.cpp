// Where credentials come from, step by step, without a network or a process.
#include "models/credential_recipe.h"

#include <gtest/gtest.h>

#include <map>

namespace wright::models {
namespace {

constexpr Moment kNow{std::chrono::seconds(1'800'000'000)};

struct World {
  std::map<std::string, std::string> variables = {};
  std::map<std::string, std::string> files = {};

  Machine machine() const {
    return {.variable =
                [*this](const std::string& name) {
                  const auto found = variables.find(name);
                  return found == variables.end() ? std::string() : found->second;
                },
            .read_file = [*this](const std::string& path) -> Result<std::string> {
              const auto found = files.find(path);
              if (found == files.end()) return fail(ErrorCode::not_found, path + " is not there");
              return found->second;
            }};
  }
};

providers::AwsKeys keys_in(const Result<CredentialStep>& step) {
  EXPECT_TRUE(step) << step.error().message;
  const auto* credential = step ? std::get_if<Credential>(&*step) : nullptr;
  EXPECT_NE(credential, nullptr);
  if (credential == nullptr) return {};
  const auto* keys = std::get_if<providers::AwsKeys>(&credential->proof);
  return keys == nullptr ? providers::AwsKeys{} : *keys;
}

HttpRequest asked_in(const Result<CredentialStep>& step) {
  EXPECT_TRUE(step) << step.error().message;
  if (!step) return {};
  if (const auto* nearby = std::get_if<AskNearby>(&*step)) return nearby->request;
  const auto* request = std::get_if<HttpRequest>(&*step);
  EXPECT_NE(request, nullptr);
  return request == nullptr ? HttpRequest{} : *request;
}

constexpr const char* kPrintedKeys =
    R"({"AccessKeyId":"A","SecretAccessKey":"s","Token":"t","Expiration":"2030-01-01T00:00:00Z"})";

TEST(AwsRecipe, takes_the_variables_first) {
  const World world{.variables = {{"AWS_ACCESS_KEY_ID", "A"},
                                  {"AWS_SECRET_ACCESS_KEY", "s"},
                                  {"AWS_SESSION_TOKEN", "t"},
                                  {"HOME", "/h"}},
                    .files = {{"/h/.aws/credentials", "[default]\naws_access_key_id=B\n"}}};
  EXPECT_EQ(keys_in(aws_recipe(world.machine())->begin(kNow)), (providers::AwsKeys{"A", "s", "t"}));
  const World half{.variables = {{"AWS_ACCESS_KEY_ID", "A"}}};
  const auto refused = aws_recipe(half.machine())->begin(kNow);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("AWS_SECRET_ACCESS_KEY"));
}

TEST(AwsRecipe, reads_the_profile_and_its_region) {
  World world{
      .variables = {{"HOME", "/h"}, {"AWS_PROFILE", "dev"}},
      .files = {{"/h/.aws/credentials", "[dev]\naws_access_key_id=A\naws_secret_access_key=s\n"},
                {"/h/.aws/config", "[profile dev]\nregion=eu-north-1\n"}}};
  EXPECT_EQ(keys_in(aws_recipe(world.machine())->begin(kNow)), (providers::AwsKeys{"A", "s", ""}));
  EXPECT_EQ(aws_region(world.machine()), "eu-north-1");
  world.variables["AWS_CONFIG_FILE"] = "/elsewhere";
  EXPECT_EQ(aws_region(world.machine()), "");
}

TEST(AwsRecipe, runs_the_process_of_the_profile) {
  const World world{
      .variables = {{"HOME", "/h"}},
      .files = {{"/h/.aws/config", "[default]\ncredential_process = \"/opt/a b\" --x 'y z' w\n"}}};
  const auto recipe = aws_recipe(world.machine());
  const auto step = recipe->begin(kNow);
  ASSERT_TRUE(step);
  EXPECT_EQ(std::get<CommandLine>(*step), (CommandLine{{"/opt/a b", "--x", "y z", "w"}}));
  EXPECT_EQ(keys_in(recipe->next_step(StepAnswer{0, kPrintedKeys}, kNow)),
            (providers::AwsKeys{"A", "s", "t"}));
  EXPECT_FALSE(recipe->next_step(StepAnswer{1, kPrintedKeys}, kNow));
  EXPECT_FALSE(recipe->next_step(StepAnswer{0, "what"}, kNow));
}

TEST(AwsRecipe, a_login_is_left_to_aws_own_program) {
  for (const char* line : {"sso_session = x", "role_arn = x", "sso_start_url = x"}) {
    const World world{.variables = {{"HOME", "/h"}, {"AWS_PROFILE", "dev"}},
                      .files = {{"/h/.aws/config", std::string("[profile dev]\n") + line}}};
    const auto refused = aws_recipe(world.machine())->begin(kNow);
    ASSERT_FALSE(refused) << line;
    EXPECT_TRUE(refused.error().message.contains("export-credentials")) << line;
    const std::string key(line, std::string_view(line).find(' '));
    EXPECT_TRUE(refused.error().message.contains("(" + key + ")")) << refused.error().message;
  }
}

World with_web_identity() {
  return {.variables = {{"AWS_WEB_IDENTITY_TOKEN_FILE", "/t"},
                        {"AWS_ROLE_ARN", "arn:aws:iam::1:role/a b"},
                        {"AWS_REGION", "eu-north-1"}},
          .files = {{"/t", "a.jwt/+\n"}}};
}

constexpr const char* kKeysInXml =
    R"(<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<AssumeRoleWithWebIdentityResult><Credentials><SessionToken>t&amp;u</SessionToken>
<SecretAccessKey>s</SecretAccessKey><Expiration>2030-01-01T00:00:00Z</Expiration>
<AccessKeyId>A</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>)";
constexpr const char* kKeysInJson =
    R"({"AssumeRoleWithWebIdentityResponse":{"AssumeRoleWithWebIdentityResult":{"Credentials":)"
    R"({"AccessKeyId":"A","SecretAccessKey":"s","SessionToken":"t&u","Expiration":1.893456E9}}}})";

TEST(AwsRecipe, exchanges_the_token_of_a_web_identity) {
  World world = with_web_identity();
  world.variables["AWS_ROLE_SESSION_NAME"] = "a-pod";
  const auto recipe = aws_recipe(world.machine());
  const auto begun = recipe->begin(kNow);
  const HttpRequest request = asked_in(begun);
  EXPECT_TRUE(std::holds_alternative<HttpRequest>(*begun)) << "STS is not nearby";
  EXPECT_EQ(request.url, "https://sts.eu-north-1.amazonaws.com/");
  EXPECT_EQ(find_header(request.headers, "authorization"), "");
  EXPECT_EQ(request.body,
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3A"
            "role%2Fa%20b&RoleSessionName=a-pod&WebIdentityToken=a.jwt%2F%2B");
  for (const char* answer : {kKeysInXml, kKeysInJson}) {
    const auto step = recipe->next_step(StepAnswer{200, answer}, kNow);
    EXPECT_EQ(keys_in(step), (providers::AwsKeys{"A", "s", "t&u"})) << answer;
    EXPECT_EQ(std::get<Credential>(*step).expires, Moment(std::chrono::seconds(1'893'456'000)));
  }
}

TEST(AwsRecipe, never_takes_another_identity_for_the_one_that_is_named) {
  World world = with_web_identity();
  const auto recipe = aws_recipe(world.machine());
  ASSERT_TRUE(recipe->begin(kNow));
  for (
      const char* said :
      {R"(<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code>)"
       R"(<Message>No OpenIDConnect provider found</Message></Error></ErrorResponse>)",
       R"({"Error":{"Code":"InvalidIdentityToken","Message":"No OpenIDConnect provider found"}})"}) {
    const auto refused = recipe->next_step(StepAnswer{400, said}, kNow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::authentication);
    EXPECT_TRUE(
        refused.error().message.contains("arn:aws:iam::1:role/a b (HTTP 400): "
                                         "InvalidIdentityToken: No OpenIDConnect provider found"))
        << refused.error().message;
  }
  EXPECT_EQ(recipe->next_step(StepAnswer{503, ""}, kNow).error().code, ErrorCode::unavailable);
  EXPECT_EQ(recipe->next_step(fail(ErrorCode::network, "x"), kNow).error().code,
            ErrorCode::network);
  for (const char* nothing : {"", "{}", "<html>", R"({"AccessKeyId":"A","SecretAccessKey":"s"})"}) {
    EXPECT_FALSE(recipe->next_step(StepAnswer{200, nothing}, kNow)) << nothing;
  }
  world.files.clear();
  const auto unread = aws_recipe(world.machine())->begin(kNow);
  ASSERT_FALSE(unread);
  EXPECT_TRUE(unread.error().message.contains("AWS_WEB_IDENTITY_TOKEN_FILE"));
  world = with_web_identity();
  world.variables.erase("AWS_ROLE_ARN");
  const auto half = aws_recipe(world.machine())->begin(kNow);
  ASSERT_FALSE(half);
  EXPECT_TRUE(half.error().message.contains("AWS_ROLE_ARN")) << half.error().message;
}

TEST(AwsRecipe, knows_where_a_web_identity_is_exchanged) {
  World world = with_web_identity();
  const auto url = [&] { return asked_in(aws_recipe(world.machine())->begin(kNow)).url; };
  world.variables["AWS_REGION"] = "cn-north-1";
  EXPECT_EQ(url(), "https://sts.cn-north-1.amazonaws.com.cn/");
  world.variables.erase("AWS_REGION");
  EXPECT_EQ(url(), "https://sts.amazonaws.com/");
  world.variables["AWS_ENDPOINT_URL_STS"] = "http://127.0.0.1:9/";
  EXPECT_EQ(url(), "http://127.0.0.1:9/");
  world.variables["AWS_ENDPOINT_URL_STS"] = "http://evil.example/";
  EXPECT_FALSE(aws_recipe(world.machine())->begin(kNow));
  world.variables = {{"AWS_REGION", "evil.example/"}, {"AWS_PROFILE", "pod"}, {"HOME", "/h"}};
  world.files["/h/.aws/config"] =
      "[profile pod]\nrole_arn=arn:x\nweb_identity_token_file=/t\nregion=us-east-1\n";
  EXPECT_FALSE(aws_recipe(world.machine())->begin(kNow));
  world.variables.erase("AWS_REGION");
  EXPECT_EQ(url(), "https://sts.us-east-1.amazonaws.com/");
}

TEST(AwsRecipe, asks_a_container_and_no_one_further_away) {
  World world{.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/c"},
                            {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/t"}},
              .files = {{"/t", "Bearer x\n"}}};
  const auto recipe = aws_recipe(world.machine());
  const HttpRequest request = asked_in(recipe->begin(kNow));
  EXPECT_EQ(request.url, "http://127.0.0.1:9/c");
  EXPECT_EQ(find_header(request.headers, "authorization"), "Bearer x");
  EXPECT_EQ(keys_in(recipe->next_step(StepAnswer{200, kPrintedKeys}, kNow)),
            (providers::AwsKeys{"A", "s", "t"}));
  world.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://evil.example/c"}};
  EXPECT_FALSE(aws_recipe(world.machine())->begin(kNow));
  world.variables = {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x"}};
  EXPECT_EQ(asked_in(aws_recipe(world.machine())->begin(kNow)).url, "http://169.254.170.2/v2/x");
}

TEST(AwsRecipe, asks_the_machine_in_three_steps) {
  const World world;
  const auto recipe = aws_recipe(world.machine());
  const HttpRequest first = asked_in(recipe->begin(kNow));
  EXPECT_EQ(first.method, "PUT");
  EXPECT_EQ(first.url, "http://169.254.169.254/latest/api/token");
  EXPECT_EQ(find_header(first.headers, "x-aws-ec2-metadata-token-ttl-seconds"), "300");
  const HttpRequest second = asked_in(recipe->next_step(StepAnswer{200, "tok"}, kNow));
  EXPECT_EQ(find_header(second.headers, "x-aws-ec2-metadata-token"), "tok");
  const HttpRequest third = asked_in(recipe->next_step(StepAnswer{200, "my-role\n"}, kNow));
  EXPECT_TRUE(third.url.ends_with("/security-credentials/my-role"));
  EXPECT_EQ(keys_in(recipe->next_step(StepAnswer{200, kPrintedKeys}, kNow)),
            (providers::AwsKeys{"A", "s", "t"}));
}

TEST(AwsRecipe, says_what_to_do_where_there_is_nothing) {
  const World off{.variables = {{"AWS_EC2_METADATA_DISABLED", "TRUE"}}};
  const auto refused = aws_recipe(off.machine())->begin(kNow);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("AWS_BEARER_TOKEN_BEDROCK"));
  const auto recipe = aws_recipe(World{}.machine());
  ASSERT_TRUE(recipe->begin(kNow));
  const auto alone = recipe->next_step(fail(ErrorCode::network, "no route"), kNow);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ErrorCode::authentication);
}

constexpr const char* kUserFile =
    R"({"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r",)"
    R"("quota_project_id":"p-7"})";

TEST(GoogleRecipe, exchanges_the_file_that_is_named_or_gclouds_own) {
  World world{.variables = {{"HOME", "/h"}},
              .files = {{"/h/.config/gcloud/application_default_credentials.json", kUserFile}}};
  const auto recipe = google_recipe(world.machine());
  EXPECT_EQ(asked_in(recipe->begin(kNow)).url, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(google_project(world.machine()), "p-7");
  const auto step =
      recipe->next_step(StepAnswer{200, R"({"access_token":"t","expires_in":60})"}, kNow);
  ASSERT_TRUE(step);
  EXPECT_EQ(std::get<Credential>(*step),
            (Credential{providers::Token{"t"}, kNow + std::chrono::seconds(60)}));
  world.variables["GOOGLE_APPLICATION_CREDENTIALS"] = "/not/there";
  const auto refused = google_recipe(world.machine())->begin(kNow);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("GOOGLE_APPLICATION_CREDENTIALS"));
}

TEST(GoogleRecipe, a_refusal_is_final_and_a_bad_moment_is_not) {
  const World world{.variables = {{"GOOGLE_APPLICATION_CREDENTIALS", "/f"}},
                    .files = {{"/f", kUserFile}}};
  const auto recipe = google_recipe(world.machine());
  ASSERT_TRUE(recipe->begin(kNow));
  const auto refused = recipe->next_step(
      StepAnswer{400, R"({"error":"invalid_grant","error_description":"Token was revoked"})"},
      kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::authentication);
  EXPECT_TRUE(refused.error().message.contains("login")) << refused.error().message;
  EXPECT_EQ(recipe->next_step(StepAnswer{503, "<html>"}, kNow).error().code,
            ErrorCode::unavailable);
  EXPECT_EQ(recipe->next_step(fail(ErrorCode::network, "x"), kNow).error().code,
            ErrorCode::network);
  EXPECT_EQ(recipe->next_step(StepAnswer{200, "{}"}, kNow).error().code, ErrorCode::authentication);
}

TEST(GoogleRecipe, exchanges_the_token_of_another_provider) {
  World world{
      .variables = {{"GOOGLE_APPLICATION_CREDENTIALS", "/f"}},
      .files = {
          {"/f",
           R"({"type":"external_account","audience":"//iam.googleapis.com/p","subject_token_type":)"
           R"("urn:ietf:params:oauth:token-type:jwt","token_url":"https://sts.googleapis.com/v1/token",)"
           R"("service_account_impersonation_url":"https://iam.example/sa:generateAccessToken",)"
           R"("credential_source":{"file":"/t","format":{"type":"json","subject_token_field_name":"id"}}})"},
          {"/t", R"({"id":"a.jwt+"})"}}};
  const auto recipe = google_recipe(world.machine());
  const HttpRequest first = asked_in(recipe->begin(kNow));
  EXPECT_EQ(first.url, "https://sts.googleapis.com/v1/token");
  EXPECT_TRUE(first.body.contains("token-exchange&audience=%2F%2Fiam.googleapis.com%2Fp&"))
      << first.body;
  EXPECT_TRUE(first.body.contains("&subject_token=a.jwt%2B&subject_token_type=urn%3Aietf"))
      << first.body;
  const HttpRequest second = asked_in(
      recipe->next_step(StepAnswer{200, R"({"access_token":"halfway","expires_in":60})"}, kNow));
  EXPECT_EQ(second.url, "https://iam.example/sa:generateAccessToken");
  EXPECT_EQ(find_header(second.headers, "authorization"), "Bearer halfway");
  EXPECT_TRUE(second.headers.back().is_secret);
  const auto step = recipe->next_step(
      StepAnswer{200, R"({"accessToken":"t","expireTime":"2030-01-01T00:00:00Z"})"}, kNow);
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(std::get<Credential>(*step),
            (Credential{providers::Token{"t"}, Moment(std::chrono::seconds(1'893'456'000))}));
  EXPECT_FALSE(recipe->next_step(StepAnswer{403, "{}"}, kNow));
  world.files.erase("/t");
  const auto unread = google_recipe(world.machine())->begin(kNow);
  ASSERT_FALSE(unread);
  EXPECT_TRUE(unread.error().message.contains("/t")) << unread.error().message;
}

TEST(GoogleRecipe, tokens_of_other_providers_that_are_in_no_file_are_refused_by_name) {
  for (const auto& [source, name] :
       {std::pair{R"({"environment_id":"aws1","url":"http://x"})", "a token of AWS"},
        std::pair{R"({"executable":{"command":"x"}})", "a token of an executable"},
        std::pair{R"({"url":"http://x"})", "a token of a URL"}}) {
    const World world{
        .variables = {{"GOOGLE_APPLICATION_CREDENTIALS", "/f"}},
        .files = {{"/f", std::string(R"({"type":"external_account","audience":"a",)") +
                             R"("credential_source":)" + source + "}"}}};
    const auto refused = google_recipe(world.machine())->begin(kNow);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains(name)) << refused.error().message;
    EXPECT_TRUE(refused.error().message.contains("key_command")) << refused.error().message;
  }
}

TEST(GoogleRecipe, asks_the_machine_where_there_is_no_file) {
  const World world{.variables = {{"GCE_METADATA_HOST", "127.0.0.1:9"}}};
  const auto recipe = google_recipe(world.machine());
  const HttpRequest request = asked_in(recipe->begin(kNow));
  EXPECT_EQ(request.url,
            "http://127.0.0.1:9/computeMetadata/v1/instance/service-accounts/default/token");
  EXPECT_EQ(find_header(request.headers, "metadata-flavor"), "Google");
  const auto alone = recipe->next_step(fail(ErrorCode::network, "no route"), kNow);
  ASSERT_FALSE(alone);
  EXPECT_TRUE(alone.error().message.contains("gcloud auth application-default login"));
}

TEST(CommandRecipe, complains_with_the_command_and_without_its_output) {
  const VendorInfo vendor{.title = "Somebody", .key_command = {"vault", "read"}};
  const auto recipe = command_recipe(vendor);
  ASSERT_TRUE(recipe->begin(kNow));
  for (const auto& answer :
       {Result<StepAnswer>(StepAnswer{3, "secret"}), Result<StepAnswer>(StepAnswer{0, "a secret"}),
        Result<StepAnswer>(fail(ErrorCode::authentication, "vault: No such file"))}) {
    const auto refused = recipe->next_step(answer, kNow);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains("`vault read`")) << refused.error().message;
    EXPECT_FALSE(refused.error().message.contains("secret")) << refused.error().message;
  }
  const auto step = recipe->next_step(StepAnswer{0, "key\n"}, kNow);
  ASSERT_TRUE(step);
  EXPECT_EQ(std::get<Credential>(*step).expires, kNow + std::chrono::seconds(300));
}

TEST(ReadSmallFile, refuses_what_is_too_large_or_not_there) {
  EXPECT_FALSE(read_small_file("/nonexistent/file"));
  EXPECT_FALSE(read_small_file("/dev/zero"));
}

}  // namespace
}  // namespace wright::models
