#include "models/trace_text.h"

#include <fmt/format.h>

namespace wright::models {
namespace {

std::string_view label(net::HttpTraceEvent::Kind kind) {
  switch (kind) {
    case net::HttpTraceEvent::Kind::request: return "request";
    case net::HttpTraceEvent::Kind::response_head: return "response";
    case net::HttpTraceEvent::Kind::response_body: return "body";
    case net::HttpTraceEvent::Kind::end: return "end";
  }
  return "";
}

}  // namespace

std::function<void(const net::HttpTraceEvent&)> trace_as_text(
    std::function<void(std::string_view)> write) {
  return [write = std::move(write)](const net::HttpTraceEvent& event) {
    const std::string_view line_end = event.text.ends_with('\n') ? "" : "\n";
    write(fmt::format("--- {} {}\n{}{}", event.exchange, label(event.kind), event.text, line_end));
  };
}

}  // namespace wright::models
