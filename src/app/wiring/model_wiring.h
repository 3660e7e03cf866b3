// The models that the settings allow: the catalogue with the user's rows, keys, addresses, retries,
// and where HTTP traffic is traced to.
#pragma once

#include <string>
#include <vector>

#include "app/settings/environment.h"
#include "app/settings/settings.h"
#include "wright/models.h"

namespace wright::app {

class SharedPaces;

// Refuses rows that the catalogue does not understand.
Result<Catalogue> make_catalogue(const Settings& settings);

// `flags` may name a trace file, which is made readable by its owner only. With `paces`, models
// keep to their paces together with all processes of the store.
Result<Models> make_models(const Settings& settings, const SettingFlags& flags,
                           const Environment& environment, SharedPaces* paces = nullptr);

// The key for a vendor: a setting of [api_keys] or its variable, or one of the vendor's other
// variables. Empty when there is none.
VendorSetting key_for(const VendorInfo& vendor, const Settings& settings,
                      const Environment& environment);

// The keys of all vendors, the token for the server of the sessions, and the secrets of MCP
// servers, as they are sent. What is too short for one is a placeholder, and left out; so are
// secrets of MCP servers that may be ordinary words. What hides secrets for these settings knows
// them from then on.
std::vector<std::string> known_keys(const Settings& settings, const Environment& environment);

}  // namespace wright::app
