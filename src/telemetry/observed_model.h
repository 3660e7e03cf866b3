// A model whose requests are told to whoever records traces, before they are sent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "wright/model.h"

namespace wright::telemetry {

// Where requests go.
struct ServerAddress {
  std::string host = {};  // empty: nowhere, or it is not known
  std::int64_t port = 0;
};
// Of "https://api.example.com/v1".
ServerAddress address_in(std::string_view url);

struct AskedModel {
  const Request& request;
  const ServerAddress& server;  // of the first model, where others may answer in its place
  bool is_streamed = false;
  const TraceContext& at;
};

using ObserveRequest = std::function<void(const AskedModel& asked)>;

// Behaves as `model` does.
Model observed_model(Model model, ObserveRequest tell);

}  // namespace wright::telemetry
