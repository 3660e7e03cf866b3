// Reads one response from bytes as they come, and passes its body on at once. Opens no socket and
// knows no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "wright/model.h"

namespace wright::http {

// Told what is read, from within feed().
class ResponseSink {
 public:
  // Once: informational heads (1xx) are passed over. Without the time of its arrival.
  virtual void on_head(HttpResponseHead head) = 0;
  // False: nothing more is wanted.
  virtual bool on_body(std::string_view bytes) = 0;

 protected:
  ~ResponseSink() = default;
};

class ResponseParser {
 public:
  enum class State : std::uint8_t {
    head,
    body,
    done,
    broken,  // fault() says why
  };
  enum class Fault : std::uint8_t {
    none,
    not_http,   // from the first byte
    malformed,  // HTTP, but not as it should be
    long_head,  // more than the limit
    cut,        // the peer closed too early
    refused,    // by the sink
  };

  // `head_bytes`: of all heads and trailers together.
  ResponseParser(std::size_t head_bytes, ResponseSink& sink);
  ~ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;

  void feed(std::string_view bytes);
  // The peer sends no more, which ends a body without a length.
  void end();

  State state() const { return state_; }
  Fault fault() const { return fault_; }
  const std::string& fault_text() const { return fault_text_; }
  // Of State::done: whether the connection can carry another response.
  bool keeps_alive() const;

 private:
  class Reader;
  void read(std::string_view input);
  void break_off(Fault fault, std::string text);

  const std::size_t head_bytes_;
  ResponseSink& sink_;
  std::unique_ptr<Reader> reader_;
  std::string unread_;  // must come again, with more behind it
  std::size_t head_bytes_read_ = 0;
  State state_ = State::head;
  Fault fault_ = Fault::none;
  bool has_excess_ = false;
  std::string fault_text_;
};

}  // namespace wright::http
