// Reads one request from bytes as they come. Opens no socket and knows no clock. The only file that
// knows Beast is the one behind this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http_server/server.h"

namespace wright::http {

struct RequestLimits {
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
};

class RequestParser {
 public:
  enum class State : std::uint8_t { head, body, done, refused };

  explicit RequestParser(RequestLimits limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes what belongs to this request and says how many bytes that was. What it has not taken must
  // come again, with more behind it.
  std::size_t feed(std::string_view bytes);
  State state() const { return state_; }

  // Whether the peer waits for a sign before it sends the body.
  bool expects_continue() const;
  bool is_version_1_0() const;
  bool keeps_alive() const;
  // Of State::refused.
  int refused_status() const { return refused_status_; }

  // The request without its peer. Of State::done, once.
  Request take();

 private:
  struct Parts;
  void refuse(int status);
  void take_head();

  std::unique_ptr<Parts> parts_;
  Request request_;
  State state_ = State::head;
  int refused_status_ = 0;
};

}  // namespace wright::http
