#include "telemetry/otlp_protobuf.h"

#include <bit>
#include <cstring>

#include "wright/detail/version.h"
#include "wright/json.h"

namespace wright::telemetry {
namespace {

// How the bytes of a field are laid out.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kEightBytes = 1;
constexpr std::uint64_t kLengthFirst = 2;
constexpr std::uint64_t kFourBytes = 5;

void add_varint(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

void add_tag(std::string& out, std::uint64_t field, std::uint64_t layout) {
  add_varint(out, field << 3 | layout);
}

void add_number(std::string& out, std::uint64_t field, std::uint64_t number) {
  add_tag(out, field, kVarint);
  add_varint(out, number);
}

void add_bytes(std::string& out, std::uint64_t field, std::string_view bytes) {
  add_tag(out, field, kLengthFirst);
  add_varint(out, bytes.size());
  out += bytes;
}

// Texts must be UTF-8, or the whole message is refused.
void add_valid_text(std::string& out, std::uint64_t field, const std::string& text) {
  if (is_valid_utf8(text)) return add_bytes(out, field, text);
  add_bytes(out, field, to_valid_utf8(text));
}

template <std::size_t kSize>
void add_id(std::string& out, std::uint64_t field, const std::array<std::uint8_t, kSize>& id) {
  add_bytes(out, field, {reinterpret_cast<const char*>(id.data()), id.size()});
}

void add_eight_bytes(std::string& out, std::uint64_t field, std::uint64_t bits) {
  add_tag(out, field, kEightBytes);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i));
}

void add_four_bytes(std::string& out, std::uint64_t field, std::uint32_t bits) {
  add_tag(out, field, kFourBytes);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(bits >> (8 * i));
}

// AnyValue.
struct ProtobufValueWriter {
  std::string& out;
  void operator()(const std::string& text) const { add_valid_text(out, 1, text); }
  void operator()(bool value) const { add_number(out, 2, value ? 1 : 0); }
  void operator()(std::int64_t number) const {
    add_number(out, 3, static_cast<std::uint64_t>(number));
  }
  void operator()(double number) const {
    add_eight_bytes(out, 4, std::bit_cast<std::uint64_t>(number));
  }
  void operator()(const std::vector<std::string>& list) const {
    std::string values;
    for (const std::string& each : list) {
      std::string value;
      add_valid_text(value, 1, each);
      add_bytes(values, 1, value);
    }
    add_bytes(out, 5, values);
  }
};

template <class Value>
std::string key_value(std::string_view name, const Value& value) {
  std::string any;
  ProtobufValueWriter{any}(value);
  std::string pair;
  add_bytes(pair, 1, name);
  add_bytes(pair, 2, any);
  return pair;
}

std::string span_message(const Span& span) {
  std::string out;
  add_id(out, 1, span.trace);
  add_id(out, 2, span.id);
  if (!span.state.empty()) add_valid_text(out, 3, span.state);
  if (span.parent != SpanId{}) add_id(out, 4, span.parent);
  add_valid_text(out, 5, span.name);
  add_number(out, 6, static_cast<std::uint64_t>(span.kind));
  add_eight_bytes(out, 7, static_cast<std::uint64_t>(span.began_ns));
  add_eight_bytes(out, 8, static_cast<std::uint64_t>(span.ended_ns));
  for (const Attribute& attribute : span.attributes) {
    std::visit([&](const auto& value) { add_bytes(out, 9, key_value(attribute.name, value)); },
               attribute.value);
  }
  for (const SpanLink& link : span.links) {
    std::string message;
    add_id(message, 1, link.trace);
    add_id(message, 2, link.id);
    if (!link.state.empty()) add_valid_text(message, 3, link.state);
    add_bytes(out, 13, message);
  }
  if (span.has_failed) {
    std::string status;
    add_valid_text(status, 2, span.error);
    add_number(status, 3, 2);
    add_bytes(out, 15, status);
  }
  add_four_bytes(out, 16, span.flags);
  return out;
}

}  // namespace

std::string encode_protobuf(const Resource& resource, std::span<const Span> spans) {
  std::string attributes;
  for (const ResourceAttribute& each : resource) {
    add_bytes(attributes, 1, key_value(each.name, each.value));
  }
  std::string scope;
  add_bytes(scope, 1, "wright");
  add_bytes(scope, 2, WRIGHT_VERSION);
  std::string scope_spans;
  add_bytes(scope_spans, 1, scope);
  for (const Span& span : spans) add_bytes(scope_spans, 2, span_message(span));
  std::string resource_spans;
  add_bytes(resource_spans, 1, attributes);
  add_bytes(resource_spans, 2, scope_spans);
  std::string out;
  add_bytes(out, 1, resource_spans);
  return out;
}

}  // namespace wright::telemetry
