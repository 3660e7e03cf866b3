// The names of permissions, in files, flags, lists and results.
#pragma once

#include "core/enum_names.h"
#include "wright/people.h"

namespace wright {

WRIGHT_ENUM(Permission, allow, deny, ask)

}  // namespace wright
