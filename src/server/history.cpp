#include "server/history.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/try.h"

namespace wright::server {
namespace {

constexpr std::size_t kSessionsAtATime = 500;

struct Bucket {
  std::int64_t sessions = 0;
  std::int64_t failed = 0;
  Usage usage = {};
  std::vector<std::int64_t> durations = {};
};

// As feedback/statistics counts; nothing of nothing.
Json percentile(const std::vector<std::int64_t>& sorted, double share) {
  if (sorted.empty()) return nullptr;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Json bucket_json(Bucket& bucket, std::int64_t at) {
  std::ranges::sort(bucket.durations);
  return {{"at", at},
          {"sessions", bucket.sessions},
          {"failed", bucket.failed},
          {"input_tokens", bucket.usage.input_tokens},
          {"output_tokens", bucket.usage.output_tokens},
          {"cost_usd", bucket.usage.cost_usd},
          {"p50_ms", percentile(bucket.durations, 0.5)},
          {"p95_ms", percentile(bucket.durations, 0.95)}};
}

}  // namespace

Result<Json> history_json(Store& store, const HistoryFilter& filter, std::size_t most_sessions) {
  const std::int64_t count = std::clamp<std::int64_t>(filter.buckets, 1, 500);
  const std::int64_t step = std::max<std::int64_t>(1, (filter.until - filter.since) / count);
  std::vector<Bucket> buckets(static_cast<std::size_t>(count));
  SessionFilter wanted{.agent_name = filter.agent_name,
                       .tenant = filter.tenant,
                       .started_since = filter.since,
                       .limit = kSessionsAtATime};
  std::size_t seen = 0;
  bool is_complete = true;
  for (;;) {
    const auto sessions = TRY(store.list_sessions(wanted));
    for (const Session& session : sessions) {
      const std::int64_t place = (session.started_at - filter.since) / step;
      Bucket& bucket = buckets[static_cast<std::size_t>(std::clamp(place, {}, count - 1))];
      ++bucket.sessions;
      if (session.status == SessionStatus::failed) ++bucket.failed;
      bucket.usage += session.usage;
      if (const auto duration = duration_ms(session)) bucket.durations.push_back(*duration);
    }
    seen += sessions.size();
    if (sessions.size() < kSessionsAtATime) break;
    is_complete = seen < most_sessions;
    if (!is_complete) break;
    wanted.before = sessions.back().id;
  }
  JsonArray list;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    list.push_back(bucket_json(buckets[i], filter.since + static_cast<std::int64_t>(i) * step));
  }
  return Json{{"since", filter.since},
              {"until", filter.until},
              {"step_ms", step},
              {"is_complete", is_complete},
              {"buckets", std::move(list)}};
}

}  // namespace wright::server
