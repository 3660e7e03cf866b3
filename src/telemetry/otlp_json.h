// OTLP as JSON: names in lowerCamelCase, ids in hex, 64-bit numbers as texts.
#pragma once

#include <span>
#include <string>

#include "telemetry/span.h"

namespace wright::telemetry {

std::string encode_json(const Resource& resource, std::span<const Span> spans);

}  // namespace wright::telemetry
