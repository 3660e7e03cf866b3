#include "app/wiring/mcp_tracing.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/content.h"
#include "telemetry/names.h"
#include "telemetry/trace_context.h"

namespace wright::app {
namespace {

namespace name = telemetry::name;
using mcp_server::TracedRequest;

class RecordedRequest final : public mcp_server::RequestSpan {
 public:
  RecordedRequest(std::unique_ptr<telemetry::RequestSpan> span, bool is_call, bool has_content)
      : span_(std::move(span)), is_call_(is_call), has_content_(has_content) {}

  TraceContext context() const override { return span_->context(); }

  void answered(const JsonObject& result) override {
    const Json* is_error = result.if_contains("isError");
    // What a tool says of its failure is content, too.
    if (is_error != nullptr && *is_error == Json(true)) return span_->fail("tool_error", {});
    if (is_call_ && has_content_) {
      span_->add(
          {name::kToolResult, std::string(utf8_prefix(to_text(result), telemetry::kMostContent))});
    }
  }

  void refused(std::int64_t code, std::string_view message) override {
    const std::string number = fmt::to_string(code);
    span_->add({name::kStatusCode, number});
    span_->fail(number, message);
  }

 private:
  const std::unique_ptr<telemetry::RequestSpan> span_;
  const bool is_call_;
  const bool has_content_;
};

// Nobody records it; whoever is asked for it may.
class PassedRequest final : public mcp_server::RequestSpan {
 public:
  explicit PassedRequest(TraceContext context) : context_(std::move(context)) {}
  TraceContext context() const override { return context_; }
  void answered(const JsonObject&) override {}
  void refused(std::int64_t, std::string_view) override {}

 private:
  const TraceContext context_;
};

std::vector<telemetry::Attribute> attributes_of(const TracedRequest& request,
                                                std::string_view transport, bool has_content) {
  std::vector<telemetry::Attribute> attributes{{name::kMcpMethod, request.method}};
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) attributes.push_back({key, value});
  };
  add(name::kRequestId, request.id);
  add(name::kMcpVersion, request.version);
  add(name::kMcpSession, request.session);
  add(name::kMcpResource, request.uri);
  add(name::kPrompt, request.prompt);
  add(name::kTransport, std::string(transport));
  if (transport == "tcp") add(name::kProtocol, "http");
  if (request.tool.empty()) return attributes;
  add(name::kOperation, "execute_tool");
  add(name::kTool, request.tool);
  if (has_content) {
    add(name::kArguments, std::string(utf8_prefix(request.arguments, telemetry::kMostContent)));
  }
  return attributes;
}

std::string name_of(const TracedRequest& request) {
  const std::string& target = request.tool.empty() ? request.prompt : request.tool;
  return target.empty() ? request.method : fmt::format("{} {}", request.method, target);
}

}  // namespace

mcp_server::BeginSpan mcp_spans(telemetry::Telemetry* telemetry, std::string_view transport) {
  return [telemetry,
          transport](const TracedRequest& request) -> std::unique_ptr<mcp_server::RequestSpan> {
    const auto asked_by = telemetry::place_from(request.asked_by);
    const auto carried_by = telemetry::place_from(request.carried_by);
    const auto above = asked_by ? asked_by : carried_by;
    const TraceContext parent = above ? telemetry::to_context(*above) : TraceContext();
    if (telemetry == nullptr) return std::make_unique<PassedRequest>(parent);
    const bool has_content = telemetry->has_content();
    auto span =
        telemetry->begin_request({.name = name_of(request),
                                  .parent = parent,
                                  .link = request.carried_by,
                                  .attributes = attributes_of(request, transport, has_content)});
    return std::make_unique<RecordedRequest>(std::move(span), !request.tool.empty(), has_content);
  };
}

mcp_server::SessionTracing mcp_session_tracing(telemetry::Telemetry* telemetry) {
  if (telemetry == nullptr) return {};
  return {.find = telemetry->find_trace(),
          .adopt = [telemetry](SessionId id, const TraceContext& trace) {
            telemetry->adopt(id, trace);
          }};
}

}  // namespace wright::app
