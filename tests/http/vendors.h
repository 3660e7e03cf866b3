// The stand-in for the vendors of models, as a child process.
#pragma once

#include <sys/types.h>

#include <string>

#include "wright/json.h"

namespace wright::http {

class Vendors {
 public:
  // Starts the server; fails the test program when it cannot.
  Vendors();
  ~Vendors();
  Vendors(const Vendors&) = delete;
  Vendors& operator=(const Vendors&) = delete;

  const std::string& url() const { return url_; }

  // What it was asked so far whose body contains `text`, oldest first: headers, path, body, …
  JsonArray requests_with(std::string_view text) const;

 private:
  pid_t id_ = -1;
  int input_ = -1;
  std::string url_;
};

}  // namespace wright::http
