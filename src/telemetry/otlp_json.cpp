#include "telemetry/otlp_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/hex.h"
#include "core/json_escape.h"
#include "telemetry/trace_context.h"
#include "wright/detail/version.h"

namespace wright::telemetry {
namespace {

void add_text(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, EscapeDelete::no);
  out += '"';
}

void add_string_value(std::string& out, std::string_view text) {
  out += R"({"stringValue":)";
  add_text(out, text);
  out += '}';
}

struct JsonValueWriter {
  std::string& out;
  void operator()(const std::string& text) const { add_string_value(out, text); }
  void operator()(std::int64_t number) const {
    out += fmt::format(R"({{"intValue":"{}"}})", number);
  }
  void operator()(double number) const {
    out += fmt::format(R"({{"doubleValue":{}}})", std::isfinite(number) ? number : 0.0);
  }
  void operator()(bool value) const { out += fmt::format(R"({{"boolValue":{}}})", value); }
  void operator()(const std::vector<std::string>& list) const {
    out += R"({"arrayValue":{"values":[)";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      add_string_value(out, list[i]);
    }
    out += "]}}";
  }
};

void add_links(std::string& out, const std::vector<SpanLink>& links) {
  out += R"(,"links":[)";
  for (std::size_t i = 0; i < links.size(); ++i) {
    out += fmt::format(R"({}{{"traceId":"{}","spanId":"{}")", i > 0 ? "," : "",
                       hex_of(links[i].trace), hex_of(links[i].id));
    if (!links[i].state.empty()) {
      out += R"(,"traceState":)";
      add_text(out, links[i].state);
    }
    out += '}';
  }
  out += ']';
}

void add_span(std::string& out, const Span& span) {
  out += fmt::format(R"({{"traceId":"{}","spanId":"{}",)", hex_of(span.trace), hex_of(span.id));
  if (!span.state.empty()) {
    out += R"("traceState":)";
    add_text(out, span.state);
    out += ',';
  }
  if (span.parent != SpanId{}) out += fmt::format(R"("parentSpanId":"{}",)", hex_of(span.parent));
  out += fmt::format(R"("flags":{},"name":)", span.flags);
  add_text(out, span.name);
  out += fmt::format(R"(,"kind":{},"startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[)",
                     static_cast<int>(span.kind), span.began_ns, span.ended_ns);
  for (std::size_t i = 0; i < span.attributes.size(); ++i) {
    out += fmt::format(R"({}{{"key":"{}","value":)", i > 0 ? "," : "", span.attributes[i].name);
    std::visit(JsonValueWriter{out}, span.attributes[i].value);
    out += '}';
  }
  out += ']';
  if (!span.links.empty()) add_links(out, span.links);
  out += R"(,"status":{)";
  if (span.has_failed) {
    out += R"("code":2,"message":)";
    add_text(out, span.error);
  }
  out += "}}";
}

}  // namespace

std::string encode_json(const Resource& resource, std::span<const Span> spans) {
  std::string out = R"({"resourceSpans":[{"resource":{"attributes":[)";
  for (std::size_t i = 0; i < resource.size(); ++i) {
    out += i > 0 ? R"(,{"key":)" : R"({"key":)";
    add_text(out, resource[i].name);
    out += R"(,"value":)";
    add_string_value(out, resource[i].value);
    out += '}';
  }
  out += fmt::format(R"(]}},"scopeSpans":[{{"scope":{{"name":"wright","version":"{}"}},"spans":[)",
                     WRIGHT_VERSION);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i > 0) out += ',';
    add_span(out, spans[i]);
  }
  out += "]}]}]}";
  return out;
}

}  // namespace wright::telemetry
