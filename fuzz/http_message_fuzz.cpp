// Feeds the readers of HTTP with bytes: responses, requests and gzip, by the first byte. Whatever
// they are, and however they are cut into pieces: no crash, no hang, and the same comes out.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http_message/gzip.h"
#include "http_message/request_parser.h"
#include "http_message/response_parser.h"

namespace {

using namespace wright;

constexpr std::size_t kMost = 10'000;

class Sink final : public http::ResponseSink {
 public:
  void on_head(HttpResponseHead head) override {
    text += std::to_string(head.status) + '\n';
    for (const HttpHeader& header : head.headers) text += header.name + ':' + header.value + '\n';
  }
  bool on_body(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  std::string text;
};

std::string response_text(std::string_view bytes, std::size_t piece) {
  Sink sink;
  http::ResponseParser parser(kMost, sink);
  for (std::size_t at = 0; at < bytes.size(); at += piece) parser.feed(bytes.substr(at, piece));
  const bool keeps_alive = parser.keeps_alive();
  parser.end();
  const auto state = static_cast<int>(parser.state());
  // What is wrong is found sooner when bytes come one by one, and then what follows is not read.
  return parser.state() == http::ResponseParser::State::broken
             ? "broken"
             : sink.text + std::to_string(state) + (keeps_alive ? "kept" : "");
}

// A broken head may be refused at once, or waited for to its end.
std::string request_text(std::string_view bytes, std::size_t piece) {
  http::RequestParser parser({.header_bytes = kMost, .body_bytes = kMost});
  using State = http::RequestParser::State;
  std::string unread;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    unread += bytes.substr(at, piece);
    const bool was_head = parser.state() == State::head;
    unread.erase(0, parser.feed(unread));
    if (was_head && parser.state() == State::body) {
      parser.want_body(kMost);
      unread.erase(0, parser.feed(unread));
    }
    if (parser.state() == State::refused) return "no request";
  }
  if (parser.state() != State::done) return "no request";
  const http::Request request = parser.take_request();
  std::string text = request.method + ' ' + request.target + '\n';
  for (const HttpHeader& header : request.headers) text += header.name + ':' + header.value + '\n';
  return text + parser.take_body();
}

std::string unpacked_text(std::string_view bytes, std::size_t piece) {
  std::string text;
  http::GzipReader reader([&](std::string_view unpacked) {
    text += unpacked;
    return text.size() < 1'000'000;
  });
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  return reader.state() == http::GzipReader::State::done ? text : "unfinished";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const std::string_view bytes = all.substr(1);
  const auto read = all[0] == 'q' ? request_text : all[0] == 'z' ? unpacked_text : response_text;
  const std::string whole = read(bytes, bytes.size());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    if (read(bytes, piece) != whole) std::abort();
  }
  return 0;
}
