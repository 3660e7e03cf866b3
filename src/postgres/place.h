// The URI of a PostgreSQL, and what of it may be shown: everything but passwords.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::postgres {

bool is_place(std::string_view text);  // postgresql://… or postgres://…

// Refuses what libpq would take apart in another way than whoever wrote it meant, because it would
// then show a part of the password as the name of a host.
Result<void> check_place(std::string_view place);

// For people: *** in place of passwords.
std::string shown_place(std::string_view place);

// What somebody said about the place, with *** in place of its passwords, encoded and plain.
std::string without_passwords(std::string message, std::string_view place);

// Those in it, as they are written there and as they are sent.
std::vector<std::string> passwords_of(std::string_view place);

}  // namespace wright::postgres
