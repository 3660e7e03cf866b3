#include "providers/credential.h"

#include <fmt/format.h>

#include <array>

#include "core/text.h"
#include "providers/sigv4.h"

namespace wright::providers {
namespace {

// "us-east-1" of "https://bedrock-runtime.us-east-1.amazonaws.com".
std::string region_in(std::string_view url) {
  constexpr std::string_view kService = "bedrock-runtime";
  const std::size_t service = url.find(kService);
  if (service == std::string_view::npos) return {};
  std::string_view rest = url.substr(service + kService.size());
  if (rest.starts_with("-fips")) rest.remove_prefix(5);
  if (!rest.starts_with('.')) return {};
  rest.remove_prefix(1);
  return std::string(rest.substr(0, rest.find_first_of("./:")));
}

void set_bearer(HttpRequest& request, const std::string& token) {
  std::erase_if(request.headers, [](const HttpHeader& header) {
    return is_one_of(
        lower(header.name),
        std::array<std::string_view, 4>{"authorization", "api-key", "x-api-key", "x-goog-api-key"});
  });
  request.headers.push_back({"authorization", "Bearer " + token, true});
}

}  // namespace

Result<HttpRequest> authorised(HttpRequest request, const Endpoint& endpoint,
                               const Credential& credential, Moment now) {
  if (const auto* token = std::get_if<Token>(&credential.proof)) {
    set_bearer(request, token->text);
    return request;
  }
  if (endpoint.vendor.platform != Platform::aws) {
    return fail(ErrorCode::authentication,
                fmt::format("{} takes a token, and what its key_command printed are keys of AWS",
                            endpoint.vendor.title));
  }
  std::string region = region_in(request.url);
  if (region.empty()) {
    const auto& values = endpoint.vendor.base_url_values;
    const auto known = values.find("region");
    if (known == values.end()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("base_url ({}) does not say in which region of AWS it is: set "
                              "base_url_values = {{ region = \"…\" }} for [vendors.{}]",
                              endpoint.vendor.base_url, endpoint.vendor.name));
    }
    region = known->second;
  }
  return signed_for_aws(std::move(request), std::get<AwsKeys>(credential.proof),
                        {.region = std::move(region), .service = "bedrock"}, now);
}

}  // namespace wright::providers
