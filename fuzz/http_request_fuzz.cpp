// Any bytes as requests of one connection, in one piece and in pieces of odd sizes: both readings
// are the same, no body is larger than allowed, and what is refused has a status that says so.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http_message/request_parser.h"

namespace {

using namespace wright::http;

constexpr RequestLimits kLimits{2'000, 4'000};

struct Read {
  std::string text = {};  // method, target, headers and body
  int refused = 0;
  bool operator==(const Read&) const = default;
};

std::string text_of(const Request& request) {
  std::string text =
      request.method + " " + request.target + " " + request.path + "?" + request.query + "\n";
  for (const auto& header : request.headers) text += header.name + ":" + header.value + "\n";
  return text;
}

// As a connection does: what is not taken comes again, with more behind it.
std::vector<Read> requests_in(std::string_view bytes, std::size_t piece) {
  std::vector<Read> all;
  std::string in;
  RequestParser* parser = nullptr;
  std::unique_ptr<RequestParser> owner;
  bool has_head = false;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    in += bytes.substr(at, piece);
    for (;;) {
      if (parser == nullptr) {
        if (!begins_after_empty_lines(in)) break;
        owner = std::make_unique<RequestParser>(kLimits);
        parser = owner.get();
        has_head = false;
      }
      const std::size_t taken = parser->feed(in);
      if (taken > in.size()) std::abort();
      in.erase(0, taken);
      if (parser->state() == RequestParser::State::refused) {
        const int status = parser->refused_status();
        if (status < 400 || status > 599) std::abort();
        all.push_back({"", status});
        return all;
      }
      if (parser->state() == RequestParser::State::head) break;
      if (!has_head) {
        has_head = true;
        const bool has_body = parser->state() == RequestParser::State::body;
        all.push_back({text_of(parser->take_request())});
        if (has_body) {
          parser->want_body(kLimits.body_bytes);
          continue;
        }
        parser = nullptr;
        continue;
      }
      if (parser->state() == RequestParser::State::body) {
        if (parser->body_bytes() > kLimits.body_bytes) std::abort();
        break;
      }
      const std::string body = parser->take_body();
      if (body.size() > kLimits.body_bytes) std::abort();
      all.back().text += body;
      parser = nullptr;
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);  // NOLINT: bytes
  const auto whole = requests_in(bytes, bytes.size() + 1);
  const auto pieces = requests_in(bytes, 1U + data[0] % 32U);
  if (whole != pieces) std::abort();
  return 0;
}
