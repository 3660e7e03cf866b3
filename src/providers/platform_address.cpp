#include "providers/platform_address.h"

#include <fmt/format.h>

#include "core/percent.h"
#include "core/text.h"

namespace wright::providers {
namespace {

// The dated API has the deployment in the URL, except for responses, files and batches:
//   https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT/chat/completions?api-version=DATE
std::string dated_url(const Endpoint& endpoint, std::string_view path) {
  constexpr std::string_view kCurrent = "/openai/v1";
  std::string_view base = endpoint.vendor.base_url;
  if (base.ends_with(kCurrent)) base.remove_suffix(kCurrent.size());
  const bool is_of_deployment =
      path != "/responses" && !path.starts_with("/files") && !path.starts_with("/batches");
  return fmt::format("{}/openai{}{}{}{}api-version={}", base,
                     is_of_deployment ? "/deployments/" : "",
                     is_of_deployment ? percent_encoded(endpoint.model.name) : "", path,
                     path.contains('?') ? '&' : '?', percent_encoded(endpoint.vendor.api_version));
}

}  // namespace

HttpRequest addressed(HttpRequest request, const Endpoint& endpoint) {
  if (endpoint.vendor.platform != Platform::azure) return request;
  if (!endpoint.vendor.api_version.empty()) {
    request.url =
        dated_url(endpoint, std::string_view(request.url).substr(endpoint.vendor.base_url.size()));
  }
  for (HttpHeader& header : request.headers) {
    if (lower(header.name) != "authorization" || endpoint.key.empty()) continue;
    header = {"api-key", endpoint.key, true};
  }
  return request;
}

}  // namespace wright::providers
