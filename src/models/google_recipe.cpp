// Google's application default credentials.
#include <fmt/format.h>

#include "core/try.h"
#include "models/credential_recipe.h"
#include "providers/google_credentials.h"
#include "providers/printed_credential.h"
#include "providers/vendor_error.h"

namespace wright::models {
namespace {

constexpr std::string_view kFileVariable = "GOOGLE_APPLICATION_CREDENTIALS";

struct GooglePlace {
  std::string path;
  bool is_named;  // by the user: it must be there
};

GooglePlace place_of_file(const Machine& machine) {
  if (std::string named = machine.variable(std::string(kFileVariable)); !named.empty()) {
    return {std::move(named), true};
  }
  std::string folder = machine.variable("CLOUDSDK_CONFIG");
  if (folder.empty()) {
    const std::string home = machine.variable("HOME");
    if (home.empty()) return {{}, false};
    folder = home + "/.config/gcloud";
  }
  return {folder + "/application_default_credentials.json", false};
}

class GoogleRecipe : public CredentialRecipe {
 public:
  explicit GoogleRecipe(Machine machine) : machine_(std::move(machine)) {}

  // The file is read each time, since it may have been replaced.
  Result<CredentialStep> begin(Moment now) override {
    place_ = place_of_file(machine_);
    auto text =
        place_.path.empty() ? fail(ErrorCode::not_found, "") : machine_.read_file(place_.path);
    if (!text && !place_.is_named) return ask_machine();
    if (!text) {
      return fail(ErrorCode::authentication,
                  fmt::format("{} (from {}). Set it to a service account's key, or unset it",
                              text.error().message, kFileVariable));
    }
    auto credentials = providers::google_credentials_from(*text);
    if (!credentials) {
      return fail(ErrorCode::authentication,
                  fmt::format("{} {}", place_.path, credentials.error().message));
    }
    credentials_ = std::move(*credentials);
    stage_ = Stage::token;
    std::string subject;
    if (!credentials_.subject_token_file.empty()) {
      auto read = machine_.read_file(credentials_.subject_token_file);
      if (!read) {
        return fail(ErrorCode::authentication,
                    fmt::format("{} (from {})", read.error().message, place_.path));
      }
      subject = std::move(*read);
    }
    auto request = TRY(providers::google_token_request(credentials_, now, subject));
    return request;
  }

  Result<CredentialStep> next_step(Result<StepAnswer> answer, Moment now) override {
    if (stage_ == Stage::machine && (!answer || answer->status != 200)) {
      return fail(ErrorCode::authentication,
                  fmt::format("There are no credentials of Google Cloud here: set {} to the key of "
                              "a service account, or run `gcloud auth application-default login`",
                              kFileVariable));
    }
    if (!answer) return std::unexpected(std::move(answer).error());
    if (answer->status != 200) {
      const std::string said = providers::read_vendor_error(answer->body).message;
      const bool is_passing = answer->status >= 500 || answer->status == 429;
      return fail(is_passing ? ErrorCode::unavailable : ErrorCode::authentication,
                  fmt::format("Google did not give a token for {} (HTTP {}){}{}. {}", place_.path,
                              answer->status, said.empty() ? "" : ": ", said,
                              is_passing ? "Trying again may help" : what_to_do()));
    }
    auto credential = providers::credential_from(answer->body, now);
    if (!credential) {
      return fail(ErrorCode::authentication,
                  fmt::format("Google's token cannot be used: {}", credential.error().message));
    }
    const auto* token = std::get_if<providers::Token>(&credential->proof);
    const bool is_halfway = stage_ == Stage::token && !credentials_.impersonation_url.empty();
    if (is_halfway && token != nullptr) {
      stage_ = Stage::impersonation;
      return providers::impersonation_request(credentials_, token->text);
    }
    return std::move(*credential);
  }

 private:
  enum class Stage : std::uint8_t { token, impersonation, machine };

  std::string_view what_to_do() const {
    if (credentials_.kind == providers::GoogleCredentials::Kind::external_account) {
      return "Check the workload identity pool, and that the service account trusts it";
    }
    return "Make a new key, or run `gcloud auth application-default login` again";
  }

  Result<CredentialStep> ask_machine() {
    stage_ = Stage::machine;
    std::string host = machine_.variable("GCE_METADATA_HOST");
    if (host.empty()) host = "metadata.google.internal";
    return AskNearby{{.url = fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/"
                                         "default/token",
                                         host),
                      .headers = {{"metadata-flavor", "Google"}},
                      .method = "GET"}};
  }

  Machine machine_;
  GooglePlace place_{};
  providers::GoogleCredentials credentials_;
  Stage stage_ = Stage::token;
};

}  // namespace

std::unique_ptr<CredentialRecipe> google_recipe(Machine machine) {
  return std::make_unique<GoogleRecipe>(std::move(machine));
}

std::string google_project(const Machine& machine) {
  const GooglePlace place = place_of_file(machine);
  if (place.path.empty()) return {};
  const auto text = machine.read_file(place.path);
  if (!text) return {};
  const auto credentials = providers::google_credentials_from(*text);
  return credentials ? credentials->project : std::string();
}

}  // namespace wright::models
