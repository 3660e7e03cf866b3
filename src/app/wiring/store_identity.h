// Which store this is, whatever stands at its place by now: a database that is deleted and made
// anew numbers its sessions from 1 again. A name that nobody else has, kept as a record in the
// store.
#pragma once

#include <functional>
#include <string>

#include "app/settings/settings.h"
#include "wright/store.h"

namespace wright::app {

// Empty where it has none yet.
Result<std::string> find_store_identity(Store& store);
// Gives it one where it has none.
Result<std::string> store_identity(Store& store);

// Of the store that the settings name, when it is asked for; empty where it cannot be read.
std::function<std::string()> identity_of_store(Settings settings);

}  // namespace wright::app
