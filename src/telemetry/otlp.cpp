#include "telemetry/otlp.h"

#include "telemetry/otlp_json.h"
#include "telemetry/otlp_protobuf.h"

namespace wright::telemetry {

std::string_view content_type_of(Encoding encoding) {
  return encoding == Encoding::json ? "application/json" : "application/x-protobuf";
}

std::string encode(Encoding encoding, const Resource& resource, std::span<const Span> spans) {
  return encoding == Encoding::json ? encode_json(resource, spans)
                                    : encode_protobuf(resource, spans);
}

std::size_t bytes_of(const Span& span) {
  std::size_t bytes = sizeof(Span) + span.name.size() + span.state.size() + span.error.size();
  for (const Attribute& attribute : span.attributes) {
    bytes += sizeof(Attribute);
    if (const auto* text = std::get_if<std::string>(&attribute.value)) bytes += text->size();
    if (const auto* list = std::get_if<std::vector<std::string>>(&attribute.value)) {
      for (const std::string& each : *list) bytes += sizeof(each) + each.size();
    }
  }
  for (const SpanLink& link : span.links) bytes += sizeof(SpanLink) + link.state.size();
  return bytes;
}

}  // namespace wright::telemetry
