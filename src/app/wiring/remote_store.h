// The store of a server, seen through its API: whoever reads sessions, or answers, forks, cancels
// and deletes them, does so as with a store of its own. What drives sessions stays with the server.
#pragma once

#include <memory>

#include "app/wiring/remote_api.h"
#include "wright/store.h"

namespace wright::app {

std::unique_ptr<Store> remote_store(std::shared_ptr<RemoteApi> api);

}  // namespace wright::app
