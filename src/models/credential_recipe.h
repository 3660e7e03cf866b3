// How a credential is obtained, step by step, as a pure machine: what to do next, given what came
// of the step before. The clock and the answers come in as values; credentials.cpp does the steps.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "providers/credential.h"

namespace wright::models {

using providers::Credential;
using providers::Moment;

struct CommandLine {
  std::vector<std::string> words;  // the program and its arguments; no shell reads them
  bool operator==(const CommandLine&) const = default;
};

// A request to a server inside of the cloud is answered at once or never.
struct AskNearby {
  HttpRequest request;
};

using CredentialStep = std::variant<Credential, HttpRequest, AskNearby, CommandLine>;

// Of a response, or of a command that has ended.
struct StepAnswer {
  int status = 0;  // of HTTP, or the exit code
  std::string body = {};
};

class CredentialRecipe {
 public:
  virtual ~CredentialRecipe() = default;
  virtual Result<CredentialStep> begin(Moment now) = 0;
  // An error: the step could not be done at all.
  virtual Result<CredentialStep> next_step(Result<StepAnswer> answer, Moment now) = 0;
};

// What a recipe reads of the machine it runs on, so that tests can give it another.
struct Machine {
  std::function<std::string(const std::string& name)> variable = {};  // empty: not set
  std::function<Result<std::string>(const std::string& path)> read_file = {};
};

// Where the text of a small file comes from outside of tests.
Result<std::string> read_small_file(const std::string& path);

// The vendor's key_command.
std::unique_ptr<CredentialRecipe> command_recipe(const VendorInfo& vendor);

// The usual places of AWS: variables, the token of a web identity, the profile in AWS's shared
// files (keys, the credential_process, or a token), a container's or a machine's own role.
std::unique_ptr<CredentialRecipe> aws_recipe(Machine machine);
// The region that the profile names; empty: none.
std::string aws_region(const Machine& machine);

// Google's application default credentials: the file that GOOGLE_APPLICATION_CREDENTIALS names,
// gcloud's own, or the machine's service account.
std::unique_ptr<CredentialRecipe> google_recipe(Machine machine);
// The project that the file names; empty: none.
std::string google_project(const Machine& machine);

}  // namespace wright::models
