// The stand-in for the vendors of models, as a child process.
#pragma once

#include <string>
#include <string_view>

#include "node_server.h"
#include "wright/json.h"

namespace wright::http {

class Vendors {
 public:
  Vendors();

  const std::string& url() const { return server_.place(); }

  // What it was asked so far whose body contains `text`, oldest first: headers, path, body, …
  JsonArray requests_with(std::string_view text) const;

 private:
  NodeServer server_;
};

}  // namespace wright::http
