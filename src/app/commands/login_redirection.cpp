#include "app/commands/login_redirection.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "core/sha256.h"
#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::chrono::minutes kLoginTime{10};
constexpr const char* kCallback = "/callback";

http::Response page(int status, std::string_view text) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-store"}},
          .body = std::string(text)};
}

}  // namespace

Result<std::unique_ptr<LoginRedirection>> LoginRedirection::open(int port) {
  auto redirection = std::make_unique<LoginRedirection>();
  redirection->server_ = TRY(http::Server::open(
      {.listen = {fmt::format("127.0.0.1:{}", port)}, .handler_threads = 1},
      [there = redirection.get()](const http::Request& request, const http::Responder& responder) {
        there->take(request, responder);
      }));
  return redirection;
}

std::string LoginRedirection::uri() const {
  return fmt::format("http://{}{}", server_->addresses().front(), kCallback);
}

void LoginRedirection::expect(const std::string& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  host_ = server_->addresses().front();
}

Result<std::string> LoginRedirection::await(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const bool has_come = changed_.wait_for(lock, stop, kLoginTime, [this] { return !!query_; });
  if (has_come) return *query_;
  return fail(stop.stop_requested() ? ErrorCode::cancelled : ErrorCode::timeout,
              "nobody came back from the browser");
}

// A page elsewhere whose name was made to mean this machine says another host.
bool LoginRedirection::is_answer(const http::Request& request) {
  const std::lock_guard lock(mutex_);
  const std::string_view host = request.header("Host");
  const bool is_meant = host == host_ || fmt::format("{}:80", host) == host_;
  const auto state = request.parameter("state");
  return is_meant && !state_.empty() && state && equal_in_constant_time(*state, state_);
}

void LoginRedirection::take(const http::Request& request, const http::Responder& responder) {
  if (request.path != kCallback || !request.parameter("state")) {
    responder.send(page(404, "There is nothing here.\n"));
    return;
  }
  if (!is_answer(request)) {
    responder.send(page(400, "This is no answer to the login that is waited for.\n"));
    return;
  }
  responder.send(page(200, "You can close this page, and go on at the terminal.\n"));
  const std::lock_guard lock(mutex_);
  if (!query_) query_ = request.query;
  changed_.notify_all();
}

}  // namespace wright::app
