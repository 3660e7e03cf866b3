// Where new traces begin, and which of them are recorded.
#pragma once

#include <optional>

#include "telemetry/settings.h"
#include "telemetry/trace_context.h"

namespace wright::telemetry {

// What a new span stands below: `parent`, or where there is none, a new trace with no span in it.
// Its flags say whether the span is recorded.
Place place_below(std::optional<Place> parent, const Sampler& sampler, IdSource& ids);

}  // namespace wright::telemetry
