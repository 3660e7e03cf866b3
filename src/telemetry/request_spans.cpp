#include "telemetry/request_spans.h"

#include <algorithm>
#include <utility>

#include "telemetry/names.h"
#include "telemetry/sampling.h"

namespace wright::telemetry {

RequestSpan::~RequestSpan() {
  if ((span_.flags & 1) == 0) return;
  span_.ended_ns = std::max(span_.began_ns, now_ns());
  finish_(std::move(span_));
}

TraceContext RequestSpan::context() const {
  return to_context({.trace = span_.trace,
                     .span = span_.id,
                     .flags = static_cast<std::uint8_t>(span_.flags & 1),
                     .state = span_.state});
}

void RequestSpan::fail(std::string type, std::string_view message) {
  constexpr std::size_t kMostMessage = 1'000;
  span_.has_failed = true;
  span_.error = utf8_prefix(message, kMostMessage);
  span_.attributes.push_back({name::kErrorType, std::move(type)});
}

RequestSpans::RequestSpans(const TelemetrySettings& settings, RequestSpan::Finish finish)
    : sampler_(settings.sampler),
      process_parent_(settings.parent ? place_from(*settings.parent) : std::nullopt),
      finish_(std::move(finish)) {}

std::unique_ptr<RequestSpan> RequestSpans::begin(RequestStart start) {
  const auto asked_by = place_from(start.parent);
  const auto carried_by = place_from(start.link);
  const std::lock_guard lock(mutex_);
  const Place above = place_below(asked_by ? asked_by : process_parent_, sampler_, ids_);
  Span span{.trace = above.trace,
            .id = ids_.span(),
            .parent = above.span,
            .state = above.state,
            .flags = above.flags,
            .name = std::move(start.name),
            .kind = SpanKind::server,
            .began_ns = now_ns(),
            .attributes = std::move(start.attributes)};
  const bool is_other =
      carried_by && (carried_by->trace != above.trace || carried_by->span != above.span);
  if (is_other) span.links.push_back({carried_by->trace, carried_by->span, carried_by->state});
  return std::make_unique<RequestSpan>(std::move(span), finish_);
}

}  // namespace wright::telemetry
