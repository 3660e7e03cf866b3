// A model whose requests are told before they are sent, for traces with content.
#pragma once

#include <functional>

#include "wright/model.h"

namespace wright::telemetry {

using ObserveRequest = std::function<void(const Request& request, const TraceContext& at)>;

// Behaves as `model` does.
Model observed_model(Model model, ObserveRequest tell);

}  // namespace wright::telemetry
