// From a model's id to a Model.
#include "wright/models.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "core/text.h"
#include "core/try.h"
#include "models/embedding_model.h"
#include "models/provider_model.h"
#include "models/trace_text.h"
#include "net/http_client.h"
#include "providers/base_url.h"
#include "wright/detail/version.h"

namespace wright {
namespace {

// Building an agent never fails; a request to a missing model does, and says what to do.
Model missing_model(std::string_view id, Error reason) {
  const std::size_t colon = id.find(':');
  std::string vendor(id.substr(0, colon));
  std::string name(colon == std::string_view::npos ? id : id.substr(colon + 1));
  return model_from(
      std::move(vendor), std::move(name),
      [reason = std::move(reason)](const Request&, const ModelCall&) -> Result<Response> {
        return std::unexpected(reason);
      });
}

constexpr auto kOffline = std::to_array<std::string_view>({"offline", "offline:planner"});

Error without_planner() {
  return {ErrorCode::unsupported,
          "The offline planner is a library of its own: link wright::offline, and use "
          "wright::offline_model()",
          {}};
}

std::string without_key(const VendorInfo& vendor) {
  std::string message = fmt::format("{} needs a key, and none is set.", vendor.title);
  if (!vendor.key_variables.empty()) {
    message += fmt::format(" Set the environment variable {}", vendor.key_variables.front());
    if (!vendor.key_setting.empty()) {
      message += fmt::format(", or {} under [api_keys] in the configuration", vendor.key_setting);
    }
    message += '.';
  }
  if (!vendor.key_page.empty()) message += fmt::format(" Keys: {}.", vendor.key_page);
  return message;
}

}  // namespace

struct Models::Shared {
  explicit Shared(ModelsOptions given)
      : options(std::move(given)),
        client(std::make_shared<net::HttpClient>(net::HttpClient::Options{
            .user_agent = fmt::format("wright/{}", WRIGHT_VERSION),
            .ca_file = options.ca_file,
            .trace = options.trace ? models::trace_as_text(options.trace)
                                   : std::function<void(const net::HttpTraceEvent&)>()})) {}

  Model own_model(std::string_view id) const {
    return options.find_model ? options.find_model(id) : Model();
  }

  Result<Endpoint> endpoint(std::string_view id) const {
    auto endpoint = TRY(options.catalogue.find(id));
    VendorInfo& vendor = endpoint.vendor;
    const std::string elsewhere =
        options.find_base_url ? options.find_base_url(vendor) : vendor.alternative_base_url;
    if (!elsewhere.empty()) {
      vendor.base_url = TRY(providers::canonical_base_url(endpoint.protocol(), elsewhere));
    }
    if (options.find_key) endpoint.key = options.find_key(vendor);
    if (endpoint.key.empty() && vendor.needs_key) {
      std::string message = without_key(vendor);
      if (own_model("offline").is_set()) message += " The model \"offline\" needs none";
      return fail(ErrorCode::authentication, std::move(message));
    }
    return endpoint;
  }

  Result<models::Candidate> candidate(std::string_view id) {
    auto found = TRY(endpoint(id));
    auto pace = pacer(found.vendor);
    return models::Candidate{std::move(found), std::move(pace)};
  }

  std::shared_ptr<models::Pacer> pacer(const VendorInfo& vendor) {
    const std::lock_guard lock(mutex);
    auto& pacer = pacers[vendor.name];
    if (pacer == nullptr) pacer = std::make_shared<models::Pacer>(vendor.pace);
    return pacer;
  }

  const ModelsOptions options;
  const std::shared_ptr<net::HttpClient> client;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<models::Pacer>, std::less<>> pacers;
};

Models::Models(ModelsOptions options) : shared_(std::make_shared<Shared>(std::move(options))) {}

Result<Endpoint> Models::endpoint(std::string_view id) const {
  return shared_->endpoint(id);
}

const Catalogue& Models::catalogue() const {
  return shared_->options.catalogue;
}

Model Models::get(std::string_view id) const {
  if (Model own = shared_->own_model(id); own.is_set()) return own;
  if (is_one_of(id, kOffline)) return missing_model(id, without_planner());
  std::vector<models::Candidate> candidates;
  auto first = shared_->candidate(id);
  if (!first) return missing_model(id, std::move(first).error());
  candidates.push_back(std::move(*first));
  for (const std::string& fallback : shared_->options.fallback) {
    if (fallback == id) continue;
    auto other = shared_->candidate(fallback);
    if (!other) {
      Error error = std::move(other).error();
      error.message = fmt::format("The fallback '{}' cannot be used: {}", fallback, error.message);
      return missing_model(id, std::move(error));
    }
    candidates.push_back(std::move(*other));
  }
  const Endpoint& endpoint = candidates.front().endpoint;
  std::string vendor = endpoint.vendor.name;
  std::string name = endpoint.model.name;
  return {
      std::move(vendor), std::move(name),
      models::provider_model(std::move(candidates),
                             {shared_->options.retry, shared_->options.timeouts}, shared_->client)};
}

EmbeddingModel Models::embeddings(std::string_view id) const {
  auto candidate = shared_->candidate(id);
  if (candidate) {
    return models::embedding_model(std::move(*candidate),
                                   {shared_->options.retry, shared_->options.timeouts},
                                   shared_->client);
  }
  return {
      std::string(id),
      [reason = std::move(candidate).error()](std::span<const std::string>, const std::stop_token&)
          -> Result<std::vector<Embedding>> { return std::unexpected(reason); }};
}

std::string key_from(const VendorInfo& vendor,
                     const std::function<std::string(const std::string&)>& variable) {
  for (const std::string& name : vendor.key_variables) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  return {};
}

std::string base_url_variable(const VendorInfo& vendor) {
  std::string name;
  for (const char c : vendor.name) {
    const bool is_letter = c >= 'a' && c <= 'z';
    const bool is_plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += is_letter ? static_cast<char>(c - 'a' + 'A') : is_plain ? c : '_';
  }
  return name + "_BASE_URL";
}

Model model(std::string_view id) {
  const auto of_environment = [](const std::string& name) -> std::string {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? value : "";
  };
  ModelsOptions options;
  options.find_key = [=](const VendorInfo& vendor) { return key_from(vendor, of_environment); };
  options.find_base_url = [=](const VendorInfo& vendor) {
    std::string elsewhere = of_environment(base_url_variable(vendor));
    return elsewhere.empty() ? vendor.alternative_base_url : elsewhere;
  };
  return Models(std::move(options)).get(id);
}

}  // namespace wright
