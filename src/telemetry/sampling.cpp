#include "telemetry/sampling.h"

#include <utility>

namespace wright::telemetry {
namespace {

bool is_chosen(const TraceId& trace, const Sampler& sampler) {
  if (sampler.ratio >= 1) return true;
  // The same bytes as everybody else takes, so that all choose the same traces.
  std::uint64_t number = 0;
  for (std::size_t i = 8; i < trace.size(); ++i) number = number << 8 | trace[i];
  constexpr double kAll = 9223372036854775808.0;  // 2^63
  return static_cast<double>(number >> 1) < sampler.ratio * kAll;
}

}  // namespace

Place place_below(std::optional<Place> parent, const Sampler& sampler, IdSource& ids) {
  if (!parent) parent = Place{.trace = ids.trace(), .span = {}, .flags = 0};
  const bool is_followed = sampler.asks_parent && parent->span != SpanId{};
  if (!is_followed) parent->flags = is_chosen(parent->trace, sampler) ? 1 : 0;
  return std::move(*parent);
}

}  // namespace wright::telemetry
