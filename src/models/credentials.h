// A vendor's credential: obtained by a recipe, kept until it expires, and obtained once however
// many requests wait for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "models/credential_recipe.h"
#include "net/http_client.h"
#include "wright/log.h"

namespace wright::models {

// Everything but get_and_wait() is for the client's thread. It may be destroyed in any.
class Credentials : public std::enable_shared_from_this<Credentials> {
 public:
  using Done = std::function<void(Result<Credential>)>;
  using Clock = std::function<Moment()>;

  // `now` is the time of day; a test may give another.
  Credentials(std::unique_ptr<CredentialRecipe> recipe, Clock now = {});

  // Who is to know the secrets in what is obtained.
  void teach(Redactor redactor) { redactor_ = std::move(redactor); }

  // `done` is called once: at once, or later in the client's thread. When the client ends before
  // the credential is there, it gets `cancelled`.
  void get(net::HttpClient& client, Done done);

  // For a thread that has nothing to do but wait. Must not be the client's.
  Result<Credential> get_and_wait(net::HttpClient& client, const std::stop_token& stop);

  // The vendor refused what was given out last: the next one is obtained anew.
  void forget() { kept_.reset(); }

  Moment now() const { return now_(); }

 private:
  class Fetch;

  std::unique_ptr<CredentialRecipe> recipe_;
  Clock now_;
  Redactor redactor_;
  std::optional<Credential> kept_;
  std::weak_ptr<Fetch> fetch_;  // under way; those who do its steps hold it
};

// What must not be seen of it.
std::vector<std::string> secrets_in(const Credential& credential);

// Where the vendor's credential comes from: its key_command, or the usual places of its platform.
// Null for a vendor with a plain key.
std::shared_ptr<Credentials> credentials_for(const Endpoint& endpoint, Machine machine);

}  // namespace wright::models
