// Spans as the OpenTelemetry protocol writes them: the body of POST /v1/traces, as JSON or as
// protobuf. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "telemetry/span.h"

namespace wright::telemetry {

enum class Encoding : std::uint8_t { protobuf, json };

std::string_view content_type_of(Encoding encoding);

std::string encode(Encoding encoding, const Resource& resource, std::span<const Span> spans);

}  // namespace wright::telemetry
