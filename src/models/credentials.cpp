#include "models/credentials.h"

#include <condition_variable>
#include <mutex>

#include "models/credential_command.h"
#include "net/event_loop.h"

namespace wright::models {
namespace {

constexpr std::chrono::seconds kTooCloseToExpiry{60};
constexpr int kMostSteps = 8;
constexpr std::size_t kLargestToken = 64 << 10;

Moment time_of_day() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

HttpTimeouts token_timeouts() {
  using namespace std::chrono_literals;
  return {.connect = 10s, .first_byte = 30s, .idle = 10s, .total = 40s};
}

HttpTimeouts nearby_timeouts() {
  using namespace std::chrono_literals;
  return {.connect = 1s, .first_byte = 2s, .idle = 2s, .total = 4s};
}

}  // namespace

class Credentials::Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(std::shared_ptr<Credentials> credentials, net::HttpClient& client)
      : credentials_(std::move(credentials)), client_(client) {}
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;
  ~Fetch() {
    if (!waiting_.empty()) finish(fail(ErrorCode::cancelled, "The program is ending"));
  }

  void add(Done done) { waiting_.push_back(std::move(done)); }

  void begin() { take(credentials_->recipe_->begin(credentials_->now())); }

 private:
  class Receiver : public net::HttpReceiver {
   public:
    explicit Receiver(std::shared_ptr<Fetch> fetch) : fetch_(std::move(fetch)) {}
    void on_head(HttpResponseHead head) override { answer_.status = head.status; }
    bool is_secret() const override { return true; }
    Result<void> on_body(std::string_view bytes) override {
      if (answer_.body.size() + bytes.size() > kLargestToken) {
        return fail(ErrorCode::protocol, "The response is larger than any credential");
      }
      answer_.body += bytes;
      return {};
    }
    void on_end(Result<void> end) override {
      const auto fetch = std::move(fetch_);
      if (end) return fetch->advance(std::move(answer_));
      if (end.error().code == ErrorCode::cancelled) return;  // by the fetch's own end
      fetch->advance(std::unexpected(std::move(end).error()));
    }

   private:
    std::shared_ptr<Fetch> fetch_;
    StepAnswer answer_;
  };

  void advance(Result<StepAnswer> answer) {
    take(credentials_->recipe_->next_step(std::move(answer), credentials_->now()));
  }

  void take(Result<CredentialStep> step) {
    if (!step) return finish(std::unexpected(std::move(step).error()));
    if (auto* credential = std::get_if<Credential>(&*step)) return finish(std::move(*credential));
    if (++steps_ > kMostSteps) {
      return finish(fail(ErrorCode::internal, "Obtaining a credential takes too many steps"));
    }
    if (const auto* command = std::get_if<CommandLine>(&*step)) {
      run_credential_command(client_.loop(), *command, kLongestCommand,
                             [self = shared_from_this()](Result<StepAnswer> answer) {
                               self->advance(std::move(answer));
                             });
      return;
    }
    const bool is_nearby = std::holds_alternative<AskNearby>(*step);
    client_.start(is_nearby ? std::move(std::get<AskNearby>(*step).request)
                            : std::move(std::get<HttpRequest>(*step)),
                  is_nearby ? nearby_timeouts() : token_timeouts(),
                  std::make_shared<Receiver>(shared_from_this()));
  }

  void finish(const Result<Credential>& credential) {
    if (credential) {
      credentials_->kept_ = *credential;
      for (std::string& secret : secrets_in(*credential)) {
        credentials_->redactor_.learn(std::move(secret));
      }
    }
    const auto waiting = std::exchange(waiting_, {});
    credentials_->fetch_.reset();
    for (const Done& done : waiting) done(credential);
  }

  std::shared_ptr<Credentials> credentials_;
  net::HttpClient& client_;
  std::vector<Done> waiting_;
  int steps_ = 0;
};

std::vector<std::string> secrets_in(const Credential& credential) {
  if (const auto* token = std::get_if<providers::Token>(&credential.proof)) return {token->text};
  const auto& keys = std::get<providers::AwsKeys>(credential.proof);
  return {keys.secret_access_key, keys.session_token};
}

Credentials::Credentials(std::unique_ptr<CredentialRecipe> recipe, Clock now)
    : recipe_(std::move(recipe)), now_(now ? std::move(now) : Clock(time_of_day)) {}

void Credentials::get(net::HttpClient& client, Done done) {
  const bool is_fresh = kept_ && (!kept_->expires || now() + kTooCloseToExpiry < *kept_->expires);
  if (is_fresh) return done(*kept_);
  if (const auto fetch = fetch_.lock()) return fetch->add(std::move(done));
  const auto fetch = std::make_shared<Fetch>(shared_from_this(), client);
  fetch_ = fetch;
  fetch->add(std::move(done));
  fetch->begin();
}

Result<Credential> Credentials::get_and_wait(net::HttpClient& client, const std::stop_token& stop) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<Result<Credential>> result;
  };
  const auto shared = std::make_shared<Shared>();
  client.loop().post([self = shared_from_this(), &client, shared] {
    self->get(client, [shared](Result<Credential> result) {
      const std::lock_guard lock(shared->mutex);
      shared->result = std::move(result);
      shared->changed.notify_all();
    });
  });
  std::unique_lock lock(shared->mutex);
  shared->changed.wait(lock, stop, [&] { return shared->result.has_value(); });
  if (shared->result) return std::move(*shared->result);
  return fail(ErrorCode::cancelled, "The request was cancelled");
}

std::shared_ptr<Credentials> credentials_for(const Endpoint& endpoint, Machine machine) {
  const VendorInfo& vendor = endpoint.vendor;
  if (!vendor.key_command.empty()) {
    return std::make_shared<Credentials>(command_recipe(vendor));
  }
  if (!endpoint.key.empty()) return nullptr;
  if (vendor.platform == Platform::aws) {
    return std::make_shared<Credentials>(aws_recipe(std::move(machine)));
  }
  if (vendor.platform == Platform::google) {
    return std::make_shared<Credentials>(google_recipe(std::move(machine)));
  }
  return nullptr;
}

}  // namespace wright::models
