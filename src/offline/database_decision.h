// What is wanted by a question about a database whose parts are known.
#pragma once

#include "offline/database_reading.h"

namespace wright::offline {

// Decides on the kind of the question and the columns it is about. What has no part by then makes a
// problem.
void decide(DatabaseReading& read);

}  // namespace wright::offline
