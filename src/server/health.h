// What a process says of itself: whether it lives, whether it can work, and its figures.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http_server/server.h"
#include "server/guard.h"
#include "server/metrics.h"
#include "server/store_figures.h"

namespace wright::server {

struct HealthOptions {
  Store& store;
  const Metrics* metrics = nullptr;
  // Those of the moment, for which the store is not asked; may be empty.
  std::function<std::vector<Gauge>()> gauges = {};
  std::function<std::vector<Gauge>()> store_gauges = {};  // those for which it is
  StoreFiguresTimes times = {};
};

// Answers at once, whatever the store does. From any thread.
class Health {
 public:
  explicit Health(HealthOptions options);

  http::Response alive() const;
  http::Response ready();
  http::Response figures();

 private:
  const HealthOptions options_;
  StoreFigures store_figures_;
};

// A server of nothing else, for processes that drive sessions and serve none: /healthz and /readyz
// for everybody, /metrics behind the guard.
class HealthServer {
 public:
  // Refers to the tokens. `hosts`: further names that it is reached by.
  static Result<std::unique_ptr<HealthServer>> open(std::vector<std::string> listen,
                                                    std::vector<std::string> hosts, Tokens& tokens,
                                                    HealthOptions options);

  const std::vector<std::string>& addresses() const { return http_->addresses(); }

 private:
  explicit HealthServer(HealthOptions options) : health_(std::move(options)) {}
  http::Response answer(const http::Request& request);

  Health health_;
  std::unique_ptr<Guard> guard_;
  std::unique_ptr<http::Server> http_;  // last: its handlers use the others
};

}  // namespace wright::server
