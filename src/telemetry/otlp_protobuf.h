// OTLP as protobuf, by hand: opentelemetry/proto/collector/trace/v1/trace_service.proto has the
// numbers of its fields.
#pragma once

#include <span>
#include <string>

#include "telemetry/span.h"

namespace wright::telemetry {

std::string encode_protobuf(const Resource& resource, std::span<const Span> spans);

}  // namespace wright::telemetry
