// Waits for a model that answers in another thread, and runs its callbacks in the waiting thread.
#pragma once

#include "wright/model.h"

namespace wright::models {

Result<Response> complete_blocking(ModelBackend& backend, const Request& request,
                                   const ModelCall& call);

}  // namespace wright::models
