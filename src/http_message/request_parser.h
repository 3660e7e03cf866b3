// Reads one request from bytes as they come. Opens no socket and knows no clock. Beast is known to
// the files behind the headers of this folder alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http_message/chunked_body.h"
#include "http_message/request.h"

namespace wright::http {

struct RequestLimits {
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
};

// Takes away the empty lines that some clients send between requests, and says whether a request
// begins in what is left: half of such a line is none.
bool begins_after_empty_lines(std::string& bytes);

class RequestParser {
 public:
  enum class State : std::uint8_t {
    head,
    body,  // the head is whole; nothing more is taken before want_body()
    done,
    refused,
  };

  explicit RequestParser(RequestLimits limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes what belongs to this request and says how many bytes that was. What it has not taken must
  // come again, with more behind it.
  std::size_t feed(std::string_view bytes);
  State state() const { return state_; }

  // Of State::body, once: refuses a body that is, or says that it is, larger than that.
  void want_body(std::size_t most);
  // How much room it takes: what the peer has announced, or what has come.
  std::size_t body_bytes() const;

  // Whether the peer waits for a sign before it sends the body.
  bool expects_continue() const;
  bool is_version_1_0() const;
  bool keeps_alive() const;
  // Of State::refused.
  int refused_status() const { return refused_status_; }

  // The request without its body and its peer. When the head is whole, once.
  Request take_request();
  // Of State::done, once.
  std::string take_body();

 private:
  struct Parts;
  void refuse(int status);
  // How long the head is that `bytes` begin with; 0 while it is not whole, or when it is refused.
  std::size_t whole_head(std::string_view bytes);
  std::size_t feed_head(std::string_view head);
  std::size_t feed_body(std::string_view bytes);
  void take_head();

  std::unique_ptr<Parts> parts_;
  std::size_t most_head_bytes_;
  std::size_t looked_at_ = 0;  // of what may become the head
  Request request_;
  State state_ = State::head;
  int refused_status_ = 0;
  bool is_body_wanted_ = false;
  std::size_t announced_ = 0;  // bytes of the body, where it does not come in chunks
  std::optional<ChunkedBody> chunks_;
  std::string body_;
};

}  // namespace wright::http
