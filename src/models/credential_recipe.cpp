#include "models/credential_recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/try.h"
#include "providers/printed_credential.h"

namespace wright::models {
namespace {

// Where a command does not say how long its token is good for.
constexpr std::chrono::seconds kUnknownLifetime{300};

class CommandRecipe : public CredentialRecipe {
 public:
  explicit CommandRecipe(const VendorInfo& vendor)
      : command_{vendor.key_command}, title_(vendor.title) {}

  Result<CredentialStep> begin(Moment) override { return command_; }

  Result<CredentialStep> next_step(Result<StepAnswer> answer, Moment now) override {
    if (!answer) return complaint(answer.error().message, answer.error().code);
    if (answer->status != 0) {
      return complaint(fmt::format("it ended with exit code {}", answer->status));
    }
    auto credential = providers::credential_from(answer->body, now);
    if (!credential) return complaint(credential.error().message);
    if (!credential->expires) credential->expires = now + kUnknownLifetime;
    return std::move(*credential);
  }

 private:
  std::unexpected<Error> complaint(std::string_view why,
                                   ErrorCode code = ErrorCode::authentication) const {
    return fail(code,
                fmt::format("The command that should print a key for {} did not: {}. Run `{}` "
                            "in a terminal to see what it says, or change key_command",
                            title_, why, fmt::join(command_.words, " ")));
  }

  CommandLine command_;
  std::string title_;
};

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  constexpr std::size_t kLargest = 256 << 10;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorCode::not_found,
                fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  }
  std::string text(kLargest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargest) {
    return fail(ErrorCode::limit_reached, fmt::format("{} is too large for credentials", path));
  }
  return text;
}

std::unique_ptr<CredentialRecipe> command_recipe(const VendorInfo& vendor) {
  return std::make_unique<CommandRecipe>(vendor);
}

}  // namespace wright::models
