// The API of a server (docs/serve.md), for commands that are its clients: JSON in, JSON out, and
// events as they come.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "models/secret_filter.h"
#include "wright/model.h"
#include "wright/store.h"

namespace wright::net {
class HttpClient;
}

namespace wright::app {

struct ServerPlace {
  std::string url = {};    // "https://agents.example.com", without a slash at its end
  std::string token = {};  // empty: none
};

class RemoteApi {
 public:
  explicit RemoteApi(ServerPlace place);
  ~RemoteApi();

  // `path` begins with /api/v1. Errors have the code and the words of the server. A token that it
  // repeats is hidden in all that comes from it.
  Result<Json> get(const std::string& path, const std::stop_token& stop = {});
  Result<Json> post(const std::string& path, const Json& body, const std::stop_token& stop = {},
                    const std::string& idempotency_key = {});
  Result<void> remove(const std::string& path);

  // Tells the events of a session and of those below it, from `after` on, until on_event() says
  // that it is enough, or `stop` is requested. A connection that is lost is made again, and goes on
  // after the last event that came.
  enum class Listening : std::uint8_t { go_on, enough };
  using OnEvent = std::function<Listening(const StoredEvent&)>;
  Result<void> listen(SessionId session, EventSequence after, const OnEvent& on_event,
                      const std::stop_token& stop);

  const std::string& url() const { return place_.url; }

 private:
  Result<Json> ask(std::string method, const std::string& path, std::string body,
                   std::vector<HttpHeader> headers, const std::stop_token& stop);
  HttpRequest request_for(std::string method, const std::string& path) const;
  Error without_token(Error error) const;
  Json without_token(Json answer) const;

  const ServerPlace place_;
  const models::SecretFilter filter_;
  const std::unique_ptr<net::HttpClient> client_;
};

}  // namespace wright::app
