// AWS's usual places for credentials, in the order of its own tools.
#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "models/credential_recipe.h"
#include "providers/aws_profile.h"
#include "providers/printed_credential.h"

namespace wright::models {
namespace {

using Settings = std::map<std::string, std::string>;

std::string file_of(const Surroundings& surroundings, const char* variable, const char* name) {
  std::string path = surroundings.variable(variable);
  if (path.empty()) {
    const std::string home = surroundings.variable("HOME");
    if (home.empty()) return {};
    path = fmt::format("{}/.aws/{}", home, name);
  }
  return surroundings.read_file(path).value_or("");
}

std::string profile_name(const Surroundings& surroundings) {
  std::string name = surroundings.variable("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

Settings profile_of(const Surroundings& surroundings) {
  return providers::aws_profile(file_of(surroundings, "AWS_CONFIG_FILE", "config"),
                                file_of(surroundings, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                                profile_name(surroundings));
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
  explicit AwsRecipe(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  Result<CredentialStep> begin(Moment now) override {
    const auto variable = [&](const char* name) { return surroundings_.variable(name); };
    if (const std::string id = variable("AWS_ACCESS_KEY_ID"); !id.empty()) {
      const std::string secret = variable("AWS_SECRET_ACCESS_KEY");
      if (secret.empty()) {
        return fail(ErrorCode::authentication,
                    "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not");
      }
      return keys(id, secret, variable("AWS_SESSION_TOKEN"), now);
    }
    const Settings profile = profile_of(surroundings_);
    if (const std::string id = value_of(profile, "aws_access_key_id"); !id.empty()) {
      return keys(id, value_of(profile, "aws_secret_access_key"),
                  value_of(profile, "aws_session_token"), now);
    }
    if (const std::string command = value_of(profile, "credential_process"); !command.empty()) {
      stage_ = Stage::process;
      return CommandLine{words_of(command)};
    }
    const bool needs_login = profile.contains("sso_session") || profile.contains("sso_start_url") ||
                             profile.contains("role_arn") || profile.contains("login_session");
    if (needs_login || (profile.empty() && !variable("AWS_PROFILE").empty())) return refer_to_aws();
    return ask_container();
  }

  Result<CredentialStep> go_on(Result<StepAnswer> answer, Moment now) override {
    const bool is_well =
        answer && (stage_ == Stage::process ? answer->status == 0 : answer->status == 200);
    switch (stage_) {
      case Stage::process:
        if (!is_well) {
          return fail(
              ErrorCode::authentication,
              fmt::format("The credential_process of AWS's profile {} failed{}{}. Run it in "
                          "a terminal to see what it says",
                          profile_name(surroundings_), answer ? "" : ": ",
                          answer ? "" : answer.error().message));
        }
        return read(answer->body, now);
      case Stage::container:
        if (!is_well) return nothing_found();
        return read(answer->body, now);
      case Stage::machine_token:
        if (!is_well) return nothing_found();
        token_ = trimmed(answer->body);
        stage_ = Stage::machine_role;
        return AskNearby{machine("/latest/meta-data/iam/security-credentials/", "GET")};
      case Stage::machine_role: {
        if (!is_well) return nothing_found();
        const std::string_view text = trimmed(answer->body);
        const std::string_view role = text.substr(0, text.find_first_of("\r\n"));
        if (role.empty()) return nothing_found();
        stage_ = Stage::machine_keys;
        return AskNearby{machine(
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
  enum class Stage : std::uint8_t { process, container, machine_token, machine_role, machine_keys };

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

  Result<CredentialStep> ask_container() {
    constexpr std::array<std::string_view, 4> kOwnHosts{"169.254.170.2", "169.254.170.23",
                                                        "127.0.0.1", "localhost"};
    stage_ = Stage::container;
    std::string url = surroundings_.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (!url.empty()) {
      url = "http://169.254.170.2" + url;
    } else {
      url = surroundings_.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
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
    std::string token = surroundings_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (const std::string file = surroundings_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        !file.empty()) {
      const std::string text = TRY(surroundings_.read_file(file));
      token = trimmed(text);
    }
    if (!token.empty()) request.headers.push_back({"authorization", token, true});
    return AskNearby{std::move(request)};
  }

  Result<CredentialStep> ask_machine() {
    if (lower(surroundings_.variable("AWS_EC2_METADATA_DISABLED")) == "true") {
      return nothing_found();
    }
    stage_ = Stage::machine_token;
    HttpRequest request = machine("/latest/api/token", "PUT");
    request.headers = {{"x-aws-ec2-metadata-token-ttl-seconds", "300"}};
    return AskNearby{std::move(request)};
  }

  HttpRequest machine(std::string_view path, std::string method) const {
    std::string host = surroundings_.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
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

  std::unexpected<Error> refer_to_aws() const {
    const std::string name = profile_name(surroundings_);
    return fail(ErrorCode::authentication,
                fmt::format("AWS's profile {} has no keys of its own. Let AWS's program find them: "
                            "key_command = [\"aws\", \"configure\", \"export-credentials\", "
                            "\"--profile\", \"{}\"] under [vendors.bedrock] in the configuration",
                            name, name));
  }

  Surroundings surroundings_;
  Stage stage_ = Stage::container;
  std::string token_;
};

}  // namespace

std::unique_ptr<CredentialRecipe> aws_recipe(Surroundings surroundings) {
  return std::make_unique<AwsRecipe>(std::move(surroundings));
}

std::string aws_region(const Surroundings& surroundings) {
  return value_of(profile_of(surroundings), "region");
}

}  // namespace wright::models
