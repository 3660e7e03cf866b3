// One recorded exchange, read from its folder. See README.md for the files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "wright/provider.h"
#include "wright/tool.h"

namespace wright::golden {

struct Case {
  std::filesystem::path folder;
  Endpoint endpoint;
  Delivery delivery = Delivery::streamed;
  std::string system;
  std::vector<Message> messages;
  std::vector<Tool> tools;
  Sampling sampling;
  std::optional<Json> expected_request;
  std::optional<std::string> answer;
  std::optional<Json> expected_response;

  // Refers to this case.
  Request request() const;
};

// The protocol is the name of the folder above.
Result<Case> read_case(const std::filesystem::path& folder);

// As they stand in request.json and response.json.
Json to_json(const Error& error);
Json to_json(const HttpRequest& request);
Json to_json(const Response& response);

}  // namespace wright::golden
