// How a store is opened, with what only tests ask for.
#pragma once

#include <memory>
#include <string>

#include "postgres/caution.h"
#include "wright/postgres.h"

namespace wright::postgres {

Result<std::unique_ptr<Store>> open_store(const std::string& place, PostgresOptions options,
                                          Caution caution);

}  // namespace wright::postgres
