// From a model's id to a Model.
#include "wright/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "core/text.h"
#include "core/try.h"
#include "models/batches.h"
#include "models/credentials.h"
#include "models/embedding_model.h"
#include "models/listed_models.h"
#include "models/provider_model.h"
#include "models/trace_text.h"
#include "net/event_loop.h"
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

// A blank that was put there is a mistake, also where no key is needed.
std::string blank_key(const VendorInfo& vendor, const VendorSetting& key) {
  return fmt::format("{} for {} holds nothing but blanks. Set it to a key, or remove it{}{}",
                     key.origin.empty() ? "The key" : key.origin, vendor.title,
                     vendor.key_page.empty() ? "" : ". Keys: ", vendor.key_page);
}

Error bad_base_url(const VendorInfo& vendor, const VendorSetting& url, const Error& problem) {
  constexpr std::size_t kLongestShown = 200;
  std::string shown(utf8_prefix(to_valid_utf8(url.value), kLongestShown));
  // What may be a secret is not shown: a password before the host, a key after the path.
  shown.erase(std::min(shown.find_first_of("?#"), shown.size()));
  if (const std::size_t at = shown.rfind('@'); at != std::string::npos) shown.erase(0, at);
  return {problem.code,
          fmt::format("{} '{}' {}",
                      url.origin.empty() ? fmt::format("The base URL of {},", vendor.title)
                                         : url.origin + " =",
                      shown, problem.message),
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

std::string without_address_part(const VendorInfo& vendor, std::string_view name) {
  std::string message =
      fmt::format("{} needs its {}, and it is not set or not valid.", vendor.title, name);
  const auto named = vendor.base_url_variables.find(std::string(name));
  const bool has_variable = named != vendor.base_url_variables.end() && !named->second.empty();
  if (has_variable) message += fmt::format(" Set {}, or", named->second.front());
  message += fmt::format(
      "{} base_url_values = {{ {} = \"…\" }} under [vendors.{}] in the "
      "configuration",
      has_variable ? "" : " Set", name, vendor.name);
  return message;
}

}  // namespace

struct Models::Shared {
  explicit Shared(ModelsOptions given)
      : options(std::move(given)),
        client(new net::HttpClient(
                   {.user_agent = fmt::format("wright/{}", WRIGHT_VERSION),
                    .ca_file = options.ca_file,
                    .trace = options.trace ? models::trace_as_text(options.trace)
                                           : std::function<void(const net::HttpTraceEvent&)>()}),
               end_client) {}

  // Whoever lets go of the last model may do so in its answer, in the client's own thread, where
  // the client cannot end.
  static void end_client(net::HttpClient* client) {
    if (client->loop().is_own_thread()) {
      std::thread([client] { delete client; }).detach();
    } else {
      delete client;
    }
  }

  Model own_model(std::string_view id) const {
    return options.find_model ? options.find_model(id) : Model();
  }

  Result<Endpoint> endpoint(std::string_view id) const {
    auto endpoint = TRY(options.catalogue.find(id));
    VendorInfo& vendor = endpoint.vendor;
    const VendorSetting elsewhere =
        options.find_base_url ? options.find_base_url(vendor) : vendor.alternative_base_url;
    if (elsewhere.value.empty()) TRY(find_address(endpoint));
    if (!elsewhere.value.empty()) {
      auto base_url =
          providers::canonical_base_url(vendor.platform, endpoint.protocol(), elsewhere.value);
      if (!base_url) return std::unexpected(bad_base_url(vendor, elsewhere, base_url.error()));
      vendor.base_url = std::move(*base_url);
    }
    TRY(fill_in_address(endpoint));
    if (options.find_key) {
      const VendorSetting key = options.find_key(vendor);
      endpoint.key = trimmed(key.value);
      if (endpoint.key.empty() && !key.value.empty()) {
        return fail(ErrorCode::authentication, blank_key(vendor, key));
      }
    }
    if (endpoint.key.empty() && vendor.needs_key && vendor.key_command.empty()) {
      std::string message = without_key(vendor);
      if (own_model("offline").is_set()) message += " The model \"offline\" needs none";
      return fail(ErrorCode::authentication, std::move(message));
    }
    return endpoint;
  }

  // The address in one of the vendor's own variables, where it has such.
  Result<void> find_address(Endpoint& endpoint) const {
    for (const std::string& name : endpoint.vendor.address_variables) {
      const std::string address = variable(name);
      if (address.empty()) continue;
      auto canonical =
          providers::canonical_base_url(endpoint.vendor.platform, endpoint.protocol(), address);
      if (!canonical) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{}: '{}' {}", name, address, canonical.error().message));
      }
      endpoint.vendor.base_url = std::move(*canonical);
      return {};
    }
    return {};
  }

  Result<void> fill_in_address(Endpoint& endpoint) const {
    VendorInfo& vendor = endpoint.vendor;
    if (vendor.base_url_variables.empty()) return {};
    const auto value_of = [&](const std::string& name) {
      std::string value = address_part(vendor, name);
      if (!value.empty()) vendor.base_url_values[name] = value;
      return value;
    };
    // Also where the address itself does not show it: what is signed names the region.
    for (const auto& [name, variables] : vendor.base_url_variables) value_of(name);
    auto filled = providers::filled_in(vendor.base_url, value_of);
    if (!filled) {
      return fail(ErrorCode::invalid_argument,
                  without_address_part(vendor, filled.error().message));
    }
    vendor.base_url = std::move(*filled);
    return {};
  }

  std::string address_part(const VendorInfo& vendor, const std::string& name) const {
    // Google's hosts are named after the region, except where it is none.
    if (vendor.platform == Platform::google && name == "host") {
      const std::string region = address_part(vendor, "region");
      if (region == "global") return "aiplatform";
      return region == "us" || region == "eu" ? "aiplatform." + region + ".rep"
                                              : region + "-aiplatform";
    }
    if (const auto named = vendor.base_url_variables.find(name);
        named != vendor.base_url_variables.end()) {
      for (const std::string& variable_name : named->second) {
        if (std::string value = variable(variable_name); !value.empty()) return value;
      }
    }
    if (const auto value = vendor.base_url_values.find(name);
        value != vendor.base_url_values.end()) {
      return value->second;
    }
    if (vendor.platform == Platform::aws && name == "region") {
      return models::aws_region(machine());
    }
    if (vendor.platform == Platform::google && name == "project") {
      return models::google_project(machine());
    }
    return {};
  }

  std::string variable(const std::string& name) const {
    return options.find_variable ? options.find_variable(name) : std::string();
  }

  models::Machine machine() const {
    return {.variable = options.find_variable ? options.find_variable
                                              : [](const std::string&) { return std::string(); },
            .read_file = models::read_small_file};
  }

  Result<models::Candidate> candidate(std::string_view id) {
    auto found = TRY(endpoint(id));
    auto pace = pacer(found.vendor);
    auto proof = credentials_of(found);
    return models::Candidate{std::move(found), std::move(pace), std::move(proof), options.pace};
  }

  // One for all models of a vendor, so that its token is obtained once.
  std::shared_ptr<models::Credentials> credentials_of(const Endpoint& endpoint) {
    const std::lock_guard lock(mutex);
    auto& kept = credentials[endpoint.vendor.name];
    if (kept == nullptr) {
      kept = models::credentials_for(endpoint, machine());
      if (kept != nullptr) kept->teach(options.redactor);
    }
    return kept;
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
  std::map<std::string, std::shared_ptr<models::Credentials>, std::less<>> credentials;
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

Result<std::vector<ListedModel>> Models::list(std::string_view vendor,
                                              const std::stop_token& stop) const {
  const VendorInfo* known = shared_->options.catalogue.find_vendor(vendor);
  if (known == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("there is no vendor '{}'", vendor));
  }
  const auto candidate = TRY(shared_->candidate(known->name + ":any"));
  return models::listed_models(candidate, *shared_->client, stop);
}

namespace {

// "openai:batch_…"
struct BatchName {
  std::string vendor;
  std::string id;
};
Result<BatchName> batch_name(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is not the name of a batch, such as openai:batch_abc",
                            std::string(utf8_prefix(to_valid_utf8(std::string(text)), 80))));
  }
  return BatchName{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

Result<BatchState> Models::submit_batch(std::string_view model,
                                        std::span<const BatchRequest> requests,
                                        const std::stop_token& stop) const {
  auto candidate = TRY(shared_->candidate(model));
  return models::Batches(std::move(candidate), *shared_->client, stop).submit(requests);
}

Result<BatchState> Models::batch(std::string_view id, const std::stop_token& stop) const {
  const auto name = TRY(batch_name(id));
  auto candidate = TRY(shared_->candidate(name.vendor + ":any"));
  return models::Batches(std::move(candidate), *shared_->client, stop).state(name.id);
}

Result<std::vector<BatchState>> Models::batches(std::string_view vendor,
                                                const std::stop_token& stop) const {
  auto candidate = TRY(shared_->candidate(std::string(vendor) + ":any"));
  return models::Batches(std::move(candidate), *shared_->client, stop).list();
}

Result<BatchState> Models::cancel_batch(std::string_view id, const std::stop_token& stop) const {
  const auto name = TRY(batch_name(id));
  auto candidate = TRY(shared_->candidate(name.vendor + ":any"));
  return models::Batches(std::move(candidate), *shared_->client, stop).cancel(name.id);
}

Result<std::vector<BatchResult>> Models::batch_results(std::string_view id,
                                                       const std::stop_token& stop) const {
  const auto name = TRY(batch_name(id));
  auto candidate = TRY(shared_->candidate(name.vendor + ":any"));
  const auto endpoint_of = [&](const std::string& model) {
    return shared_->endpoint(fmt::format("{}:{}", name.vendor, model));
  };
  return models::Batches(std::move(candidate), *shared_->client, stop)
      .results(name.id, endpoint_of);
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

VendorSetting key_from(const VendorInfo& vendor, const ReadVariable& variable) {
  for (const std::string& name : vendor.key_variables) {
    if (std::string value = variable(name); !value.empty()) return {std::move(value), name};
  }
  return {};
}

VendorSetting base_url_from(const VendorInfo& vendor, const ReadVariable& variable) {
  std::string name = base_url_variable(vendor);
  if (std::string url = variable(name); !url.empty()) return {std::move(url), std::move(name)};
  constexpr std::string_view kHost = "OLLAMA_HOST";
  if (vendor.name != "ollama") return {};
  const std::string host = variable(std::string(kHost));
  if (trimmed(host).empty()) return {};
  return {providers::url_of_ollama_host(host), std::string(kHost)};
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
  options.find_variable = of_environment;
  options.find_base_url = [=](const VendorInfo& vendor) {
    VendorSetting elsewhere = base_url_from(vendor, of_environment);
    return elsewhere.value.empty() ? VendorSetting(vendor.alternative_base_url) : elsewhere;
  };
  return Models(std::move(options)).get(id);
}

}  // namespace wright
