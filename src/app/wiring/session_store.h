// The store that the settings name: the one place where the program opens it.
#pragma once

#include <memory>

#include "app/settings/settings.h"
#include "wright/log.h"
#include "wright/store.h"

namespace wright::app {

class RemoteApi;

// Made when it is not there. What a database says at the side goes to the logger.
Result<std::unique_ptr<Store>> open_store(const Settings& settings, Logger logger = {});
Result<std::unique_ptr<Store>> open_store(const StorePlace& place, const Settings& settings,
                                          Logger logger = {});

// Null when there is no database yet: looking must not create one.
Result<std::unique_ptr<Store>> open_existing_store(const Settings& settings);
Result<std::unique_ptr<Store>> open_existing_store(const StorePlace& place,
                                                   const Settings& settings);

// The server that the settings name, for commands that are its clients.
std::shared_ptr<RemoteApi> open_server(const StorePlace& place);

// How it is opened.
SqliteOptions store_options(const Settings& settings);

}  // namespace wright::app
