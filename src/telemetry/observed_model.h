// A model whose requests and responses are told to whoever records traces.
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

struct ModelWatch {
  std::function<void(const AskedModel& asked)> asked = {};  // before it is sent
  std::function<void(const Request& request, const Response& response, const TraceContext& at)>
      answered = {};  // before anybody else reads it
};

// Behaves as `model` does.
Model observed_model(Model model, ModelWatch watch);

}  // namespace wright::telemetry
