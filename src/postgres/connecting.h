// How a connection begins. It is libpq's way, but nothing goes to standard error: what libpq and
// the server say at the side goes to a log, from the first moment on.
#pragma once

#include <optional>
#include <string>

#include "wright/log.h"

struct pg_conn;

namespace wright::postgres {

// Connected, or with a status that says why not; null without memory. Refers to the logger.
pg_conn* connect(const std::string& place, const Logger& logger);

// The file of passwords that libpq would use but for its mode: whoever is not its owner may read
// it.
std::optional<std::string> open_password_file(const std::string& place);

}  // namespace wright::postgres
