// Whether the process lives, whether it can work, and figures of both.
#include <memory>

#include "server/health.h"
#include "server/service.h"

namespace wright::server {

std::vector<Route> health_routes(const ServiceOptions& options) {
  const auto gauges = [&options] {
    std::vector<Gauge> all{{"wright_sessions_running", "Sessions that are driven by this process.",
                            static_cast<double>(options.runtime.running())},
                           {"wright_event_listeners", "Clients that listen to events.",
                            static_cast<double>(options.events.listeners())}};
    if (options.gauges) {
      for (Gauge& gauge : options.gauges()) all.push_back(std::move(gauge));
    }
    return all;
  };
  const auto health = std::make_shared<Health>(HealthOptions{.store = options.store,
                                                             .metrics = options.metrics,
                                                             .gauges = gauges,
                                                             .store_gauges = options.store_gauges,
                                                             .times = options.store_figures});
  return {
      {"GET", "/healthz", Access::probe, Scope::read,
       [health](Call&) -> Answer { return health->alive(); }},
      {"GET", "/readyz", Access::probe, Scope::read,
       [health](Call&) -> Answer { return health->ready(); }},
      {"GET", "/metrics", Access::known, Scope::read,
       [health](Call&) -> Answer { return health->figures(); }},
  };
}

}  // namespace wright::server
