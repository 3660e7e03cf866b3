// The parameters of queries: those that the description of the API names are known, no others. A
// misspelt filter must not list everything.
#pragma once

#include <string_view>
#include <vector>

#include "server/service.h"

namespace wright::server {

// The routes with what `description`, an OpenAPI document, says of their queries.
std::vector<Route> with_parameters(std::vector<Route> routes, const Json& description);

// Refuses a query with a parameter that the route does not know, and names those that it does.
Result<void> check_parameters(const Route& route, std::string_view query);

}  // namespace wright::server
