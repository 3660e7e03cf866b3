// Sessions are fitted as every driver does it.
#pragma once

#include "wright/fitting.h"

namespace wright::session {

using wright::ContextFitting;

}  // namespace wright::session
