// The dashboard's files. They say nothing about any session, so that nobody needs a token for them.
#pragma once

#include <vector>

#include "server/service.h"

namespace wright::server {

std::vector<Route> dashboard_routes();

}  // namespace wright::server
