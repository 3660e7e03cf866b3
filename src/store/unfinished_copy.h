// A store that is being filled from another one (`wright migrate`). Until all of it is there and
// compared, its version is written as a negative number: no program opens it, so that no session is
// driven in both stores. Programs that do not know this find no valid version, and refuse it too.
#pragma once

#include <cstdint>
#include <string_view>

#include "wright/error.h"

namespace wright::store {

enum class CopyState : std::uint8_t { unfinished, finished };

// For `place`, in whose agent_schema the copy is.
Error unfinished_copy(std::string_view place);

// Refuses a copy that a Wright with other tables has begun: it cannot be gone on with.
Result<void> check_version_of_copy(std::string_view place, int version, int wanted);

}  // namespace wright::store
