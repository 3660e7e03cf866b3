// Whose rows are asked for where two tables are joined: "customers with open orders" are customers,
// and each of them once.
#pragma once

#include "offline/database_reading.h"

namespace wright::offline {

// Sets `is_of_parents`, or the problem of the question. The kind and its columns are known.
void decide_subject(DatabaseReading& read);

}  // namespace wright::offline
