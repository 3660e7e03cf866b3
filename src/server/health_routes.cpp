// Whether the process lives, whether it can work, and figures of both.
#include <boost/json/object.hpp>

#include "server/metrics.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/store_figures.h"

namespace wright::server {
namespace {

http::Response plain_text(std::string text, int status = 200) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
          .body = std::move(text)};
}

Answer show_metrics(const ServiceOptions& options, StoreFigures& figures) {
  std::vector<Gauge> gauges{{"wright_sessions_running", "Sessions that are driven by this process.",
                             static_cast<double>(options.runtime.running())},
                            {"wright_event_listeners", "Clients that listen to events.",
                             static_cast<double>(options.events.listeners())}};
  for (Gauge& gauge : figures.gauges()) gauges.push_back(std::move(gauge));
  if (options.gauges) {
    for (Gauge& gauge : options.gauges()) gauges.push_back(std::move(gauge));
  }
  http::Response response = plain_text(options.metrics ? options.metrics->text(gauges) : "");
  response.headers.front().value = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

}  // namespace

std::vector<Route> health_routes(const ServiceOptions& options) {
  const auto figures =
      std::make_shared<StoreFigures>(options.store, options.store_gauges, options.store_figures);
  return {
      {"GET", "/healthz", Access::probe, Scope::read,
       [](Call&) -> Answer { return plain_text("ok\n"); }},
      {"GET", "/readyz", Access::probe, Scope::read,
       [figures](Call&) -> Answer {
         if (const auto trouble = figures->trouble()) return plain_text(*trouble + "\n", 503);
         return plain_text("ready\n");
       }},
      {"GET", "/metrics", Access::known, Scope::read,
       [&options, figures](Call&) { return show_metrics(options, *figures); }},
  };
}

}  // namespace wright::server
