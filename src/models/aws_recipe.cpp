// AWS's usual places for credentials, in the order of its own tools.
#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "models/credential_recipe.h"
#include "providers/aws_profile.h"
#include "providers/aws_web_identity.h"
#include "providers/printed_credential.h"

namespace wright::models {
namespace {

using Settings = std::map<std::string, std::string>;

std::string file_of(const Machine& machine, const char* variable, const char* name) {
  std::string path = machine.variable(variable);
  if (path.empty()) {
    const std::string home = machine.variable("HOME");
    if (home.empty()) return {};
    path = fmt::format("{}/.aws/{}", home, name);
  }
  return machine.read_file(path).value_or("");
}

std::string profile_name(const Machine& machine) {
  std::string name = machine.variable("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

Settings profile_of(const Machine& machine) {
  return providers::aws_profile(file_of(machine, "AWS_CONFIG_FILE", "config"),
                                file_of(machine, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                                profile_name(machine));
}

std::string value_of(const Settings& settings, const char* key) {
  const auto found = settings.find(key);
  return found == settings.end() ? std::string() : found->second;
}

// A command line in words, as a shell would split it: quotes, and no more.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      if (!std::exchange(is_in_word, true)) words.emplace_back();
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      is_in_word = false;
    } else {
      if (!std::exchange(is_in_word, true)) words.emplace_back();
      words.back() += c;
    }
  }
  return words;
}

class AwsRecipe : public CredentialRecipe {
 public:
  explicit AwsRecipe(Machine machine) : machine_(std::move(machine)) {}

  Result<CredentialStep> begin(Moment now) override {
    const auto variable = [&](const char* name) { return machine_.variable(name); };
    if (const std::string id = variable("AWS_ACCESS_KEY_ID"); !id.empty()) {
      const std::string secret = variable("AWS_SECRET_ACCESS_KEY");
      if (secret.empty()) {
        return fail(ErrorCode::authentication,
                    "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not");
      }
      return keys(id, secret, variable("AWS_SESSION_TOKEN"), now);
    }
    const Settings profile = profile_of(machine_);
    if (variable("AWS_PROFILE").empty()) {
      if (const std::string file = variable("AWS_WEB_IDENTITY_TOKEN_FILE"); !file.empty()) {
        const std::string role = variable("AWS_ROLE_ARN");
        if (role.empty()) {
          return fail(ErrorCode::authentication,
                      "AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not");
        }
        return exchange({.role = role, .session_name = variable("AWS_ROLE_SESSION_NAME")}, file,
                        "AWS_WEB_IDENTITY_TOKEN_FILE", now);
      }
    }
    if (const std::string id = value_of(profile, "aws_access_key_id"); !id.empty()) {
      return keys(id, value_of(profile, "aws_secret_access_key"),
                  value_of(profile, "aws_session_token"), now);
    }
    if (const std::string command = value_of(profile, "credential_process"); !command.empty()) {
      stage_ = Stage::process;
      return CommandLine{words_of(command)};
    }
    if (const std::string file = value_of(profile, "web_identity_token_file"); !file.empty()) {
      return exchange({.role = value_of(profile, "role_arn"),
                       .session_name = value_of(profile, "role_session_name")},
                      file, "web_identity_token_file", now);
    }
    constexpr std::array<std::pair<const char*, std::string_view>, 4> kLogins{
        {{"sso_session", "logs in with SSO"},
         {"sso_start_url", "logs in with SSO"},
         {"login_session", "logs in with a browser"},
         {"role_arn", "takes on a role"}}};
    for (const auto& [key, what] : kLogins) {
      if (profile.contains(key)) return refer_to_aws(fmt::format("{} ({})", what, key));
    }
    if (profile.empty() && !variable("AWS_PROFILE").empty()) {
      return refer_to_aws("has no keys in AWS's shared files");
    }
    return ask_container();
  }

  Result<CredentialStep> next_step(Result<StepAnswer> answer, Moment now) override {
    const bool is_well =
        answer && (stage_ == Stage::process ? answer->status == 0 : answer->status == 200);
    switch (stage_) {
      case Stage::process:
        if (!is_well) {
          return fail(
              ErrorCode::authentication,
              fmt::format("The credential_process of AWS's profile {} failed{}{}. Run it in "
                          "a terminal to see what it says",
                          profile_name(machine_), answer ? "" : ": ",
                          answer ? "" : answer.error().message));
        }
        return read(answer->body, now);
      case Stage::web_identity: return take_keys(std::move(answer), now);
      case Stage::container:
        if (!is_well) return nothing_found();
        return read(answer->body, now);
      case Stage::machine_token:
        if (!is_well) return nothing_found();
        token_ = trimmed(answer->body);
        stage_ = Stage::machine_role;
        return AskNearby{metadata_request("/latest/meta-data/iam/security-credentials/", "GET")};
      case Stage::machine_role: {
        if (!is_well) return nothing_found();
        const std::string_view text = trimmed(answer->body);
        const std::string_view role = text.substr(0, text.find_first_of("\r\n"));
        if (role.empty()) return nothing_found();
        stage_ = Stage::machine_keys;
        return AskNearby{metadata_request(
            fmt::format("/latest/meta-data/iam/security-credentials/{}", percent_encoded(role)),
            "GET")};
      }
      case Stage::machine_keys:
        if (!is_well) return nothing_found();
        return read(answer->body, now);
    }
    return nothing_found();
  }

 private:
  enum class Stage : std::uint8_t {
    process,
    web_identity,
    container,
    machine_token,
    machine_role,
    machine_keys
  };

  // Keys from a file or a variable are read again after a while: a session's keys are replaced.
  static Result<CredentialStep> keys(const std::string& id, const std::string& secret,
                                     const std::string& session, Moment now) {
    constexpr std::chrono::seconds kReadAgain{300};
    return Credential{.proof = providers::AwsKeys{id, secret, session},
                      .expires = now + kReadAgain};
  }

  static Result<CredentialStep> read(std::string_view printed, Moment now) {
    auto credential = providers::credential_from(printed, now);
    if (!credential) {
      return fail(ErrorCode::authentication,
                  fmt::format("AWS's credentials cannot be used: {}", credential.error().message));
    }
    if (!std::holds_alternative<providers::AwsKeys>(credential->proof)) {
      return fail(ErrorCode::authentication,
                  "AWS's credentials cannot be used: there is no AccessKeyId among them");
    }
    return std::move(*credential);
  }

  // The token in `file`, which somebody replaces from time to time, for keys of the role. There is
  // no other identity to fall back to: the machine's own role would be the wrong one.
  Result<CredentialStep> exchange(providers::WebIdentity identity, const std::string& file,
                                  std::string_view named_by, Moment now) {
    const auto text = machine_.read_file(file);
    if (!text) {
      return fail(ErrorCode::authentication,
                  fmt::format("{} (from {})", text.error().message, named_by));
    }
    identity.token = trimmed(*text);
    identity.endpoint = machine_.variable("AWS_ENDPOINT_URL_STS");
    for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
      if (identity.region.empty()) identity.region = machine_.variable(variable);
    }
    if (identity.region.empty()) identity.region = value_of(profile_of(machine_), "region");
    role_ = identity.role;
    stage_ = Stage::web_identity;
    auto request = providers::web_identity_request(identity, now);
    if (request) return std::move(*request);
    return fail(ErrorCode::authentication,
                fmt::format("AWS cannot be asked for keys of {} with {}: {}", role_, file,
                            request.error().message));
  }

  Result<CredentialStep> take_keys(Result<StepAnswer> answer, Moment now) const {
    if (!answer) return std::unexpected(std::move(answer).error());
    if (answer->status != 200) {
      const std::string said = providers::web_identity_refusal(answer->body);
      const bool is_passing = answer->status >= 500 || answer->status == 429 ||
                              said.starts_with("Throttling") ||
                              said.starts_with("IDPCommunicationError");
      return fail(is_passing ? ErrorCode::unavailable : ErrorCode::authentication,
                  fmt::format("AWS gave no keys of the role {} (HTTP {}){}{}. {}", role_,
                              answer->status, said.empty() ? "" : ": ", said,
                              is_passing ? "Trying again may help"
                                         : "Check the role's trust policy, and that the token is "
                                           "of its identity provider"));
    }
    auto credential = providers::web_identity_keys(answer->body, now);
    if (credential) return std::move(*credential);
    return fail(ErrorCode::authentication,
                fmt::format("AWS's keys of the role {} cannot be used: {}", role_,
                            credential.error().message));
  }

  Result<CredentialStep> ask_container() {
    constexpr std::array<std::string_view, 4> kOwnHosts{"169.254.170.2", "169.254.170.23",
                                                        "127.0.0.1", "localhost"};
    stage_ = Stage::container;
    std::string url = machine_.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (!url.empty()) {
      url = "http://169.254.170.2" + url;
    } else {
      url = machine_.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    }
    if (url.empty()) return ask_machine();
    if (url.starts_with("http://")) {  // AWS's own tools go no further without TLS
      const std::string_view rest = std::string_view(url).substr(7);
      if (!is_one_of(rest.substr(0, rest.find_first_of(":/")), kOwnHosts)) {
        return fail(ErrorCode::authentication,
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or on this machine");
      }
    }
    HttpRequest request{.url = url, .method = "GET"};
    std::string token = machine_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (const std::string file = machine_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        !file.empty()) {
      const std::string text = TRY(machine_.read_file(file));
      token = trimmed(text);
    }
    if (!token.empty()) request.headers.push_back({"authorization", token, true});
    return AskNearby{std::move(request)};
  }

  Result<CredentialStep> ask_machine() {
    if (lower(machine_.variable("AWS_EC2_METADATA_DISABLED")) == "true") {
      return nothing_found();
    }
    stage_ = Stage::machine_token;
    HttpRequest request = metadata_request("/latest/api/token", "PUT");
    request.headers = {{"x-aws-ec2-metadata-token-ttl-seconds", "300"}};
    return AskNearby{std::move(request)};
  }

  HttpRequest metadata_request(std::string_view path, std::string method) const {
    std::string host = machine_.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (host.empty()) host = "http://169.254.169.254";
    while (host.ends_with('/')) host.pop_back();
    return {.url = host + std::string(path),
            .headers = {{"x-aws-ec2-metadata-token", token_, true}},
            .method = std::move(method)};
  }

  static std::unexpected<Error> nothing_found() {
    return fail(ErrorCode::authentication,
                "There are no credentials of AWS here: set AWS_BEARER_TOKEN_BEDROCK (an API key of "
                "Bedrock), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run `aws configure`");
  }

  std::unexpected<Error> refer_to_aws(std::string_view why) const {
    const std::string name = profile_name(machine_);
    return fail(ErrorCode::authentication,
                fmt::format("AWS's profile {} {}, which is not done here. Let AWS's program do it: "
                            "key_command = [\"aws\", \"configure\", \"export-credentials\", "
                            "\"--profile\", \"{}\"] under [vendors.bedrock] in the configuration",
                            name, why, name));
  }

  Machine machine_;
  Stage stage_ = Stage::container;
  std::string token_;
  std::string role_;
};

}  // namespace

std::unique_ptr<CredentialRecipe> aws_recipe(Machine machine) {
  return std::make_unique<AwsRecipe>(std::move(machine));
}

std::string aws_region(const Machine& machine) {
  return value_of(profile_of(machine), "region");
}

}  // namespace wright::models
