// One question to a model on a thread that may block. When it is to stop, it is answered soon: a
// model that does not heed its stop token goes on alone until it ends, and what it says is lost.
#pragma once

#include "runtime/host.h"

namespace wright::runtime {

// The request's tools live as long as `done` does; everything else is copied.
void ask_blocking(Host& host, const Model& model, const Request& request, ModelCall call,
                  ModelDone done);

}  // namespace wright::runtime
