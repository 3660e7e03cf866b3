// Asking a model that may be a user's own function: a boundary, where what it throws becomes an
// error.
#pragma once

#include "wright/model.h"

namespace wright::runtime {

Result<Response> complete_safely(const Model& model, const Request& request, const ModelCall& call);
// For a model that does not block.
void start_safely(const Model& model, const Request& request, ModelCall call, ModelDone done);

}  // namespace wright::runtime
