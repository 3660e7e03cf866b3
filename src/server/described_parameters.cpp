#include "server/described_parameters.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "core/json_members.h"
#include "core/text.h"
#include "http_server/server.h"

namespace wright::server {
namespace {

std::vector<std::string> parameters_of(const Route& route, const Json& description) {
  const Json* found = &description;
  for (const std::string& name :
       {std::string("paths"), route.pattern, lower(route.method), std::string("parameters")}) {
    if (found != nullptr) found = member(*found, name);
  }
  std::vector<std::string> names;
  if (found == nullptr || !found->is_array()) return names;
  for (const Json& each : found->get_array()) {
    if (wright::text_in(each, "in") == "query") names.push_back(wright::text_in(each, "name"));
  }
  return names;
}

}  // namespace

std::vector<Route> with_parameters(std::vector<Route> routes, const Json& description) {
  for (Route& route : routes) route.parameters = parameters_of(route, description);
  return routes;
}

Result<void> check_parameters(const Route& route, std::string_view query) {
  while (route.parameters && !query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::string_view written = pair.substr(0, pair.find('='));
    const std::string name = http::percent_decoded(written).value_or(std::string(written));
    if (pair.empty() || std::ranges::find(*route.parameters, name) != route.parameters->end()) {
      continue;
    }
    return fail(ErrorCode::invalid_argument,
                fmt::format("The parameter '{}' is not known here; known: {}",
                            utf8_prefix(to_valid_utf8(name), 100),
                            route.parameters->empty()
                                ? "none"
                                : fmt::format("{}", fmt::join(*route.parameters, ", "))));
  }
  return {};
}

}  // namespace wright::server
