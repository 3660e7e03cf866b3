// A span as a value: one piece of work of a trace, as OpenTelemetry describes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wright::telemetry {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;  // all zero: none

struct Attribute {
  std::string_view name;  // a literal: there are few names, and many spans
  std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>> value;
};

// The numbers of the protocol.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3 };

// Another span that this one has to do with.
struct SpanLink {
  TraceId trace = {};
  SpanId id = {};
  std::string state = {};
};

struct Span {
  TraceId trace = {};
  SpanId id = {};
  SpanId parent = {};
  std::string state = {};  // tracestate
  std::uint32_t flags = 1;
  std::string name = {};
  SpanKind kind = SpanKind::internal;
  std::int64_t began_ns = 0;  // since 1970
  std::int64_t ended_ns = 0;
  std::vector<Attribute> attributes = {};
  std::vector<SpanLink> links = {};
  bool has_failed = false;
  std::string error = {};  // what a person reads; where it has failed
};

// How much memory it takes, roughly.
std::size_t bytes_of(const Span& span);

// A name of the resource's may come from the user.
struct ResourceAttribute {
  std::string name = {};
  std::string value = {};
  bool operator==(const ResourceAttribute&) const = default;
};
using Resource = std::vector<ResourceAttribute>;

}  // namespace wright::telemetry
