// A model that says nothing, for tests of what agents are made of.
#pragma once

#include "wright/model.h"

namespace wright {

inline Model silent_model() {
  return model_from("test", "silent", [](const Request&, const ModelCall&) { return Response{}; });
}

}  // namespace wright
