// A model whose requests are told before they are sent, for traces with content.
#pragma once

#include <functional>

#include "wright/model.h"

namespace wright::telemetry {

using TellRequest = std::function<void(const Request& request, const TraceContext& at)>;

// Behaves as `model` does.
Model told_model(Model model, TellRequest tell);

}  // namespace wright::telemetry
