// The plumbing of src/sqlite, by the names that this folder has for it.
#pragma once

#include "sqlite/connection.h"
#include "sqlite/error.h"
#include "sqlite/statement.h"
#include "sqlite/transaction.h"

namespace wright::store {

using sqlite::code_of_errno;
using sqlite::Connection;
using sqlite::error_of;
using sqlite::execute;
using sqlite::last_error;
using sqlite::Lifetime;
using sqlite::name_of;
using sqlite::RollbackGuard;
using sqlite::Row;
using sqlite::Statement;

}  // namespace wright::store
