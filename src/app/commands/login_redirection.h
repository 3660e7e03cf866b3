// Where the browser is sent back to when a person logs in: a server of this machine, for as long as
// the login takes. Any page and any program can ask there; what does not know the state of the
// login is passed over.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "http_server/server.h"
#include "wright/error.h"

namespace wright::app {

class LoginRedirection {
 public:
  // 0: any free port.
  static Result<std::unique_ptr<LoginRedirection>> open(int port);

  std::string uri() const;
  // Which state the answer has. Before that, nothing is one.
  void expect(const std::string& state);
  // The query of the answer.
  Result<std::string> await(const std::stop_token& stop);

 private:
  bool is_answer(const http::Request& request);
  void take(const http::Request& request, const http::Responder& responder);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string state_;
  std::string host_;
  std::optional<std::string> query_;
  std::unique_ptr<http::Server> server_;  // first to go: it calls the above
};

}  // namespace wright::app
